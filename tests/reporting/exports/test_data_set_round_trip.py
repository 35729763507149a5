"""What Parley exports of a study it takes back into an empty one, and exports again just so."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from django.utils import timezone

from annotation.importing import ImportRejected, import_dialogues, import_ratings
from annotation.models import Candidate, Dialogue, Rating, Seat, Study
from annotation.services.claiming import claim_seat
from tests.cast import Cast
from tests.factories import StudyFactory
from tests.reporting.exports.conftest import NOW, score_dialogue
from tests.shipped import Work
from tests.working import rate_everything

Written = Callable[..., bytes]
OF_VOTES = ("votes", "decided_by")


def lines_of(data: bytes) -> list[dict]:
    return [json.loads(line) for line in data.splitlines()]


def brought_back(work: Work, exported: bytes, path: Path) -> Study:
    path.write_bytes(exported)
    study = StudyFactory(protocol_version=work.study.protocol_version, seed=work.study.seed)
    import_dialogues(study, path, now=timezone.now())
    import_ratings(study, path, now=timezone.now())
    return study


def test_a_data_set_comes_back_and_is_exported_just_so(diqad: Work, written: Written, tmp_path: Path):
    first = written(diqad.study, "diqad-jsonl")
    copy = brought_back(diqad, first, tmp_path / "first.jsonl")
    second = written(copy, "diqad-jsonl")
    assert [{k: v for k, v in line.items() if k not in OF_VOTES} for line in lines_of(second)] == [
        {k: v for k, v in line.items() if k not in OF_VOTES} for line in lines_of(first)
    ]
    assert written(brought_back(diqad, second, tmp_path / "second.jsonl"), "diqad-jsonl") == second


def test_the_data_set_of_one_annotator_comes_back_byte_for_byte(db: None, written: Written, tmp_path: Path):
    work = Work("diqad-1.0", n_dialogues=3).has_read_all()
    for place, answer in enumerate((("1", "incomplete", "less_proactive"), ("0", "not_relevant"), ("2",))):
        score_dialogue(work, place, *answer, turns=(1, 2) if answer == ("2",) else ())
    first = written(work.study, "diqad-jsonl")
    assert len(lines_of(first)) == 3
    assert written(brought_back(work, first, tmp_path / "first.jsonl"), "diqad-jsonl") == first


def test_who_asks_comes_back_with_the_data_set(diqad: Work, written: Written, tmp_path: Path):
    Dialogue.objects.filter(study=diqad.study).update(asker="B")
    copy = brought_back(diqad, written(diqad.study, "diqad-jsonl"), tmp_path / "first.jsonl")
    assert set(copy.dialogues.values_list("asker", flat=True)) == {"B"}


def test_responses_with_panels_of_their_dialogue_come_back(rated: Cast, written: Written, tmp_path: Path):
    panel = [{"title": "System prompt", "text": "Be brief."}]
    above = [{"title": "Fact", "text": "The exam was in June."}]
    Dialogue.objects.filter(study=rated.study).update(context=panel, metadata={"topic": "exams"})
    Candidate.objects.filter(dialogue__study=rated.study, source__key="model_a").update(context=above)
    (path := tmp_path / "set.jsonl").write_bytes(written(rated.study, "diqad-jsonl"))
    study = StudyFactory(protocol_version=rated.version)
    import_dialogues(study, path, now=timezone.now())
    assert [each.context for each in study.dialogues.all()] == [panel] * rated.study.dialogues.count()
    parts = ("key", "turns", "metadata")
    assert list(study.dialogues.order_by("key").values(*parts)) == list(
        rated.study.dialogues.order_by("key").values(*parts)
    )
    panels = {each.source.key: each.context for each in Candidate.objects.filter(dialogue__study=study)}
    assert panels == {"ground_truth": [], "model_a": above, "model_b": []}


def test_a_table_with_the_columns_of_a_data_set_need_not_be_one(rated: Cast, tmp_path: Path):
    head = "dialogue,label,decided_by,votes,metadata,utterances,source,response,context,above"
    (path := tmp_path / "alike.csv").write_text(f"{head}\nd1,good,hand,3,from 2019,A: Hi,m1,Ho.,Be brief.,\n")
    study = StudyFactory(protocol_version=rated.version)
    import_dialogues(study, path, now=timezone.now())
    assert (study.dialogues.get().metadata, study.dialogues.get().candidates.get().context) == ({}, [])


def test_computed_answers_come_back_with_the_others(db: None, written: Written, tmp_path: Path):
    work = Work("ssa-1.0", n_dialogues=1, n_sources=2).has_read_all()
    for item in work.items("response"):
        work.answer(item, "sensible", "yes")
        work.answer(item, "specific_if_sensible", "no")
    (path := tmp_path / "set.jsonl").write_bytes(written(work.study, "diqad-jsonl"))
    assert "ssa" in lines_of(path.read_bytes())[0]["answers"]
    copy = brought_back(work, path.read_bytes(), path)
    found = Rating.objects.filter(batch__study=copy).values_list("criterion__key", "option__key").distinct()
    assert sorted(found) == [
        ("sensible", "yes"), ("specific", "no"), ("specific_if_sensible", "no"), ("ssa", "sensible_only"),
    ]  # fmt: skip


def rows_of(data: bytes) -> list[dict[str, str]]:
    """Without what an import makes anew, and what comes with the dialogues."""
    anew = {"study", "batch", "item_token", "created_at", "updated_at", "metadata"}
    rows = csv.DictReader(io.StringIO(data.decode("utf-8-sig")))
    found = [{name: value for name, value in row.items() if name not in anew} for row in rows]
    return sorted(found, key=lambda row: (row["dialogue"], row["annotator"], row["criterion"]))


@pytest.mark.parametrize("is_own", [True, False])
def test_ratings_of_every_kind_come_back_from_the_long_table(diqad: Work, written, tmp_path: Path, is_own: bool):
    """As our own export, and as a file from elsewhere that has only the columns the documentation names."""
    dialogues, ratings = tmp_path / "d.jsonl", tmp_path / "r.csv"
    turns = {item.dialogue.key: item.dialogue.turns for item in diqad.items("dialogue")}
    dialogues.write_text("\n".join(json.dumps({"id": key, "utterances": said}) for key, said in turns.items()))
    exported = written(diqad.study, "long-csv")
    ratings.write_bytes(exported if is_own else from_elsewhere(exported))
    study = StudyFactory(protocol_version=diqad.study.protocol_version)
    import_dialogues(study, dialogues, now=timezone.now())
    import_ratings(study, ratings, now=timezone.now())
    assert rows_of(written(study, "long-csv")) == rows_of(exported)


def from_elsewhere(exported: bytes) -> bytes:
    rows = list(csv.DictReader(io.StringIO(exported.decode("utf-8-sig"))))
    names = ("dialogue", "annotator", "criterion", "choices", "turns", "explanations", "free_text", "answered_at")
    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=[*names, "value"])
    writer.writeheader()
    writer.writerows({name: row[name] for name in names} | {"value": row["option"]} for row in rows)
    return out.getvalue().encode()


# --- into the study that it was exported from ------------------------------------------------------
def counted(study: Study) -> tuple[int, int, int]:
    answers = Rating.objects.filter(batch__study=study)
    return answers.count(), study.participants.count(), Seat.objects.filter(batch__study=study).count()


def test_an_export_is_known_in_its_own_study_and_counts_nothing_twice(rated: Cast, written: Written, tmp_path: Path):
    study, path = rated.study, tmp_path / "own.csv"
    path.write_bytes(written(study, "long-csv"))
    before = counted(study)

    summary = import_ratings(study, path, now=timezone.now())

    assert counted(study) == before
    assert (summary.counts["ratings_new"], summary.counts["ratings_unchanged"]) == (0, before[0])
    assert summary.counts["annotators_new"] == 0
    assert summary.notes == [
        f"The file is an export of this study: {before[0]} answers of its own annotators are here already, and do not "
        "count twice."
    ]


def test_answers_with_reasons_and_marked_turns_are_known_too(diqad: Work, written: Written, tmp_path: Path):
    path = tmp_path / "own.csv"
    path.write_bytes(written(diqad.study, "long-csv"))
    before = counted(diqad.study)
    assert import_ratings(diqad.study, path, now=timezone.now()).counts["ratings_new"] == 0
    assert counted(diqad.study) == before


def test_an_export_cannot_add_an_answer_to_those_of_its_annotators(cast: Cast, written: Written, tmp_path: Path):
    study, path, (busy, idle) = cast.study, tmp_path / "own.csv", cast.annotators[:2]
    rate_everything(claim_seat(busy, cast.batch, now=NOW), now=NOW)
    rate_everything(claim_seat(idle, cast.batch, now=NOW), now=NOW, n=1)
    *lines, last = written(study, "long-csv").decode().splitlines()
    of_busy = [line for line in lines if f",{busy.pseudonym}," in line]
    added = of_busy[-1].replace(busy.pseudonym, idle.pseudonym)
    path.write_text("\n".join([*lines, last, added]))
    before = counted(study)
    with pytest.raises(ImportRejected) as refused:
        import_ratings(study, path, now=timezone.now())
    ((line, field, reason),) = [(each.line, each.field, each.reason) for each in refused.value.errors]
    assert (line, field) == (len(lines) + 2, "annotator")
    assert reason.startswith(f"'{idle.pseudonym}' rates in this study and has not given this answer: leave it out")
    assert counted(study) == before


def test_an_export_of_another_study_does_not_mean_the_people_of_this_one(rated: Cast, written: Written, tmp_path: Path):
    study, path = rated.study, tmp_path / "other.csv"
    path.write_bytes(written(study, "long-csv").replace(f"{study.slug},".encode(), b"elsewhere,"))
    with pytest.raises(ImportRejected) as refused:
        import_ratings(study, path, now=timezone.now())
    assert {each.field for each in refused.value.errors} == {"annotator"}
    assert "is already an annotator of this study: rename the one in the file" in refused.value.errors[0].reason
