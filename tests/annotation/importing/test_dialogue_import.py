"""All or nothing, twice as once, and one import of a study at a time."""

import json
from functools import partial
from pathlib import Path

import pytest
from django.db import connection

from annotation.importing import DialogueOptions, ImportSummary, dialogues
from annotation.importing.copying import MANY, fetch
from annotation.models import Candidate, Dialogue, Source, Study
from tests.annotation.importing.conftest import (
    DIQAD,
    HE_DIALOGUES,
    NOW,
    REPLACE,
    Write,
    dialogue,
    errors_of,
    load,
)
from tests.factories import StudyFactory
from tests.races.threads import run_together


def contents(study: Study) -> list[tuple]:
    dialogues = study.dialogues.values_list("key", "position", "digest", "turns", "metadata", "batch_key")
    return [*dialogues, *Candidate.objects.filter(dialogue__study=study).order_by("pk").values_list()]


def test_the_same_file_twice_changes_nothing(study: Study) -> None:
    load(study, HE_DIALOGUES)
    before = contents(study)
    summary = load(study, HE_DIALOGUES)
    assert summary.counts == {
        "dialogues_new": 0,
        "dialogues_unchanged": 42,
        "candidates_new": 0,
        "sources_new": 0,
    }
    assert contents(study) == before


def test_the_order_of_fields_and_candidates_is_no_content(study: Study, write: Write) -> None:
    line = dialogue(topic="x", mood="y")
    load(study, write(line))
    turned = dict(reversed(line.items())) | {"candidates": line["candidates"][::-1]}
    assert load(study, write(turned)).counts["dialogues_unchanged"] == 1


def test_responses_are_stored_in_the_order_of_the_file(study: Study, write: Write) -> None:
    """Also when the database joins them by sorting, as it does once a study is large."""
    lines = [
        dialogue(f"d{at}", candidates=[{"id": f"{each}", "source": f"s{each}", "text": "Yes."} for each in order])
        for at, order in enumerate([range(9), range(9, 0, -1)])
    ]
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_hashjoin = off; SET LOCAL enable_nestloop = off")
    load(study, write(*lines))
    stored = Candidate.objects.filter(dialogue__study=study).order_by("pk").values_list("dialogue__key", "key")
    assert list(stored) == [(line["dialogue_id"], each["id"]) for line in lines for each in line["candidates"]]


def test_new_dialogues_of_a_longer_file_are_added_behind(study: Study, write: Write) -> None:
    load(study, write(dialogue("a")))
    summary = load(study, write(dialogue("b"), dialogue("a"), dialogue("c")))
    assert summary.counts["dialogues_new"] == 2
    assert summary.counts["candidates_new"] == 4
    assert list(study.dialogues.values_list("key", flat=True)) == ["a", "b", "c"]
    assert set(study.dialogues.get(key="c").candidates.values_list("key", flat=True)) == {"c-gold", "c-bot"}
    assert study.sources.count() == 2


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"history": [{"speaker": "A", "text": "Else?"}]}, "turns"),
        ({"topic": "new"}, "metadata"),
        ({"batch": 2}, "batch"),
        ({"candidates": [{"source": "bot", "text": "Else."}]}, "candidates"),
    ],
)
def test_a_known_dialogue_with_other_content_is_refused(study: Study, write: Write, change: dict, named: str) -> None:
    load(study, write(dialogue("a")))
    before = contents(study)
    errors = errors_of(load, study, write(dialogue("new"), dialogue("a", **change)))
    reason = f"'a' is already in the study with different {named}: {REPLACE}"
    assert errors == [(2, "dialogue_id", reason)]
    assert contents(study) == before


def test_one_bad_line_keeps_all_others_out(study: Study, write: Write) -> None:
    errors_of(load, study, write(dialogue("a"), "{", dialogue("b")))
    assert not Dialogue.objects.exists()
    assert not Source.objects.exists()


def test_a_dry_run_says_what_would_happen_and_stores_nothing(study: Study, write: Write) -> None:
    load(study, write(dialogue("a")))
    before = contents(study)
    summary = load(study, HE_DIALOGUES, is_dry_run=True)
    assert (summary.is_dry_run, summary.counts["dialogues_new"], summary.counts["sources_new"]) == (True, 42, 4)
    assert contents(study) == before
    assert summary.as_lines()[0].startswith("Dry run")


def test_a_dry_run_finds_the_dialogue_that_changed(study: Study, write: Write) -> None:
    load(study, write(dialogue("a")))
    assert len(errors_of(load, study, write(dialogue("a", topic="x")), is_dry_run=True)) == 1


def test_a_failure_while_storing_leaves_nothing_behind(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> int:
        raise RuntimeError("the disk is full")

    monkeypatch.setattr(dialogues, "_store_candidates", fail)
    with pytest.raises(RuntimeError):
        load(study, HE_DIALOGUES)
    assert not Dialogue.objects.exists()


def test_studies_do_not_see_each_others_dialogues(study: Study) -> None:
    other = StudyFactory(protocol_version=study.protocol_version)
    load(study, HE_DIALOGUES)
    assert load(other, HE_DIALOGUES).counts["dialogues_new"] == 42


def test_a_dialogue_known_from_ratings_alone_is_not_filled_in(study: Study, write: Write) -> None:
    Dialogue.objects.create(study=study, key="d1", position=0, digest="", is_textless=True)
    assert "without texts" in errors_of(load, study, write(dialogue("d1")))[0][2]


def test_progress_grows_and_ends_before_storing(study: Study) -> None:
    seen: list[tuple[int, int, str]] = []
    size = DIQAD.stat().st_size
    dialogues.import_dialogues(study, DIQAD, progress=lambda *at: seen.append(at), now=NOW)
    assert seen[-1] == (size, size, "storing")
    assert [done for done, _, _ in seen] == sorted(done for done, _, _ in seen)


@pytest.mark.django_db(transaction=True)
def test_two_imports_of_one_file_at_once_import_it_once(tmp_path: Path) -> None:
    study = StudyFactory()
    path = tmp_path / "many.jsonl"
    path.write_text("\n".join(json.dumps(dialogue(f"d{n}")) for n in range(500)))
    call = partial(dialogues.import_dialogues, study, path, options=DialogueOptions(), now=NOW)
    summaries: list[ImportSummary] = run_together([call] * 4)
    assert sorted(summary.counts["dialogues_new"] for summary in summaries) == [0, 0, 0, 500]
    assert study.dialogues.count() == 500
    assert Candidate.objects.count() == 1000


def test_a_large_import_renews_the_statistics_of_the_tables(study: Study, write: Write) -> None:
    counted = "SELECT reltuples FROM pg_class WHERE relname = 'annotation_dialogue'"
    (before,) = fetch(counted)[0]
    load(study, write(*(dialogue(f"a{n}") for n in range(MANY - 1))))
    assert fetch(counted)[0][0] == before
    load(study, write(*(dialogue(f"b{n}") for n in range(MANY))))
    assert fetch(counted)[0][0] == study.dialogues.count() == 2 * MANY - 1
