"""Ratings with a column for each criterion."""

import csv
import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from annotation.importing.alike import alike
from annotation.importing.outcome import ImportRejected
from annotation.models import Rating, Study
from protocols.services import store_bundle
from tests.annotation.importing.conftest import (
    HE_DIALOGUES,
    HE_RATINGS,
    Write,
    builtin,
    dialogue,
    errors_of,
    load,
    load_ratings,
    workbook,
)
from tests.factories import StudyFactory
from tests.factories_protocols import make_scale_version
from tests.optional import SHEET


@pytest.fixture
def scales(db: None) -> Study:
    return StudyFactory(protocol_version=make_scale_version(3))


@pytest.fixture
def wholes(db: None) -> Study:
    return StudyFactory(protocol_version=make_scale_version(4, unit="dialogue"))


@pytest.fixture
def sheet(db: None, write: Write) -> Study:
    version, _ = store_bundle(SHEET | {"unit": "dialogue"}, publish=True, now=timezone.now())
    study = StudyFactory(protocol_version=version)
    load(study, write(dialogue("d1", candidates=None, messages=dialogue()["history"], history=None)))
    return study


def answers() -> Counter:
    return Counter(
        Rating.objects.values_list(
            "assignment__participant__pseudonym", "item__candidate__key", "criterion__key", "option__key"
        )
    )


def test_the_reference_study_is_the_same_with_a_column_for_each_criterion(he_study: Study, tmp_path: Path) -> None:
    rows: dict[tuple[str, ...], dict[str, str]] = {}
    wanted: Counter = Counter()
    with gzip.open(HE_RATINGS, "rt", newline="") as file:
        for row in csv.DictReader(file):
            rows.setdefault((row["candidate_id"], row["annotator"], row["batch"]), {})[row["criterion"]] = row["answer"]
            wanted[row["annotator"], row["candidate_id"], row["criterion"], row["answer"]] += 1
    criteria = sorted({name for row in rows.values() for name in row})
    with (tmp_path / "wide.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["candidate_id", "annotator", "batch", *criteria])
        writer.writerows([*key, *(row.get(name, "") for name in criteria)] for key, row in rows.items())
    load(he_study, HE_DIALOGUES)
    assert load_ratings(he_study, tmp_path / "wide.csv").counts["ratings_new"] == 5880
    found = Rating.objects.values_list(
        "assignment__participant__pseudonym", "item__candidate__key", "criterion__key", "option__label"
    )
    assert Counter(found) == wanted


def test_values_are_keys_labels_or_numbers_and_names_may_be_mapped(scales: Study, tmp_path: Path) -> None:
    load(scales, _dialogues(tmp_path))
    header = ["item", "rater", "FLUENCY", "Coherence", "third", "comment"]
    path = workbook(
        tmp_path / "a.xlsx", [header, ["d1-bot", "r1", "p3", "4 points", 5, "x"], ["d1-gold", "r1", 1, None, 2, ""]]
    )
    summary = load_ratings(scales, path, columns={"consistency": "third"})
    assert summary.notes[:2] == [
        "1 cell has no answer and is skipped.",
        "These columns have no meaning for ratings and were left out: comment.",
    ]
    assert answers() == {
        ("r1", "d1-bot", "fluency", "p3"): 1, ("r1", "d1-bot", "coherence", "p4"): 1,
        ("r1", "d1-bot", "consistency", "p5"): 1, ("r1", "d1-gold", "fluency", "p1"): 1,
        ("r1", "d1-gold", "consistency", "p2"): 1,
    }  # fmt: skip
    assert load_ratings(scales, path, columns={"consistency": "third"}).counts["ratings_unchanged"] == 5


def _dialogues(tmp_path: Path) -> Path:
    path = tmp_path / "dialogues.jsonl"
    path.write_text(json.dumps(dialogue()))
    return path


def test_each_wrong_cell_is_named_by_its_column_and_nothing_is_stored(
    scales: Study, write: Write, tmp_path: Path
) -> None:
    load(scales, _dialogues(tmp_path))
    errors = errors_of(
        load_ratings, scales, write("item,rater,fluency,coherence", "d1-bot,r1,9,best", "d1-gold,r1,1,2")
    )
    points = "5 points, 4 points, 3 points, 2 points, 1 points"
    assert errors == [
        (2, "fluency", f"'9' is not an answer to fluency: use {points}"),
        (2, "coherence", f"'best' is not an answer to coherence: use {points}"),
    ]
    assert not Rating.objects.exists()


def test_a_file_without_values_names_the_map_that_helps(scales: Study, write: Write) -> None:
    errors = errors_of(load_ratings, scales, write("item,rater,flu,coh", "d1-bot,r1,1,2"))
    assert errors[0][1] == "value and criterion"
    assert "value, answer or label for value; criterion for criterion" in errors[0][2]
    assert "the file has: item, rater" in errors[0][2]
    assert "if each criterion has a column, name it with --map KEY=COLUMN" in errors[0][2]


def test_the_name_of_a_criterion_leaves_a_column_of_rows_with_one_answer_alone(
    scales: Study, write: Write, tmp_path: Path
) -> None:
    load(scales, _dialogues(tmp_path))
    load_ratings(scales, write("item,rater,criterion,value,fluency", "d1-bot,r1,coherence,3,5"))
    assert answers() == {("r1", "d1-bot", "coherence", "p3"): 1}


def test_behaviours_are_joined_by_bars_or_listed_and_a_dash_is_none(sheet: Study, write: Write) -> None:
    path = write("dialogue,rater,behaviours,tone,where", "d1,r1,ignores|Repeats,-,2", "d1,r2,-,warm,", "d1,r3,,,-")
    load_ratings(sheet, path)
    found = {
        (each.assignment.participant.pseudonym, each.criterion.key): (
            len(each.choices),
            each.option_id is None,
            each.turns,
        )
        for each in Rating.objects.select_related("assignment__participant", "criterion")
    }
    assert found == {
        ("r1", "behaviours"): (2, True, []), ("r1", "tone"): (0, True, []), ("r1", "where"): (0, True, [2]),
        ("r2", "behaviours"): (0, True, []), ("r2", "tone"): (0, False, []), ("r3", "where"): (0, True, []),
    }  # fmt: skip
    lines = [{"dialogue": "d1", "rater": "r4", "behaviours": ["ignores", "preaches"], "tone": "cold"}]
    load_ratings(sheet, write(*lines))
    assert len(Rating.objects.get(criterion__key="behaviours", assignment__participant__pseudonym="r4").choices) == 2


def test_none_is_an_answer_to_optional_questions_in_files_of_every_shape(sheet: Study, write: Write) -> None:
    load_ratings(sheet, write("dialogue,rater,criterion,value", "d1,r1,behaviours,none", "d1,r1,tone,None"))
    load_ratings(sheet, write("dialogue,rater,behaviours,tone,where", "d1,r2,none,warm,none"))
    found = Rating.objects.filter(option=None, choices=[], turns=[])
    assert sorted(found.values_list("assignment__participant__pseudonym", "criterion__key")) == [
        ("r1", "behaviours"), ("r1", "tone"), ("r2", "behaviours"), ("r2", "where"),
    ]  # fmt: skip


def test_none_is_no_answer_to_a_required_question(scales: Study, write: Write, tmp_path: Path) -> None:
    load(scales, _dialogues(tmp_path))
    ((line, field, reason),) = errors_of(
        load_ratings, scales, write("item,rater,criterion,value", "d1-bot,r1,fluency,none")
    )
    assert (line, field) == (2, "value")
    assert reason.startswith("'none' is not an answer to fluency")


def test_a_long_file_of_behaviours_is_read(sheet: Study, write: Write) -> None:
    load_ratings(sheet, write("dialogue,rater,criterion,value", "d1,r1,behaviours,ignores|preaches"))
    assert len(Rating.objects.get().choices) == 2


def test_labels_for_a_protocol_without_single_choices_are_refused_in_words(db: None, write: Write) -> None:
    only = SHEET | {"criteria": SHEET["criteria"][:1]}
    version, _ = store_bundle(only, publish=True, now=timezone.now())
    with pytest.raises(ImportRejected, match="no single-choice question for labels: write the answers as a table"):
        load_ratings(StudyFactory(protocol_version=version), write({"dialogue": "d1", "label": 1}))


def test_rows_may_be_objects_of_a_list(scales: Study, write: Write, tmp_path: Path) -> None:
    load(scales, _dialogues(tmp_path))
    rows = [
        {"item": "d1-bot", "annotator": "r1", "criterion": "fluency", "value": 3},
        {"item": "d1-bot", "annotator": "r1", "criterion": "coherence", "label": 4},
    ]
    wrong = errors_of(load_ratings, scales, write(json.dumps(rows)))
    assert "could be value or label" in wrong[0][2]
    del rows[1]["label"]
    load_ratings(scales, write(json.dumps([*rows[:1], rows[1] | {"value": 4.0}], indent=1)))
    assert answers() == {("r1", "d1-bot", "fluency", "p3"): 1, ("r1", "d1-bot", "coherence", "p4"): 1}


def test_a_table_without_a_source_has_one_error_beside_those_of_its_answers(db: None, write: Write) -> None:
    study = StudyFactory(protocol_version=builtin("usr-1.1"))
    head = "dialogue;system_name;annotator;Understandable;Natural;Uses Knowledge"
    path = write(head, "x01;GPT;ext;1;2;7", "x02;GPT;ext;1;2;1", name="a.csv")
    source, value = errors_of(load_ratings, study, path)
    assert source == (
        1,
        "source",
        "no column has a recognised name (source, model, system, item, item_id, candidate or candidate_id); columns "
        "not used yet: system_name: name the column with --map source=COLUMN or item=COLUMN",
    )
    assert value[:2] == (2, "uses_knowledge")


def test_a_table_without_a_source_and_without_other_columns_lists_none(db: None, write: Write) -> None:
    study = StudyFactory(protocol_version=builtin("usr-1.1"))
    path = write("dialogue;annotator;Understandable;Natural", "x01;ext;1;2", name="a.csv")
    assert errors_of(load_ratings, study, path) == [
        (
            1,
            "source",
            "no column has a recognised name (source, model, system, item, item_id, candidate or candidate_id): name "
            "the column with --map source=COLUMN or item=COLUMN",
        )
    ]


def _with_one_response(*keys: str) -> list[dict[str, Any]]:
    return [dialogue(key, candidates=[{"source": "bot", "text": "I see."}]) for key in keys]


def test_a_dialogue_with_one_response_needs_no_source(scales: Study, write: Write) -> None:
    load(scales, write(*_with_one_response("d1", "d2")))
    path = write("dialogue,rater,fluency,coherence", "d1,r1,3,4", "d2,r1,5,1")
    assert load_ratings(scales, path).counts["ratings_new"] == 4
    assert answers() == {
        ("r1", "bot", "fluency", "p3"): 1, ("r1", "bot", "coherence", "p4"): 1,
        ("r1", "bot", "fluency", "p5"): 1, ("r1", "bot", "coherence", "p1"): 1,
    }  # fmt: skip
    assert load_ratings(scales, path).counts["ratings_unchanged"] == 4


def test_the_source_is_asked_for_once_where_a_dialogue_has_several_responses(scales: Study, write: Write) -> None:
    load(scales, write(*_with_one_response("d1"), dialogue("d2"), dialogue("d3")))
    path = write("dialogue,rater,fluency", "d1,r1,3", "d2,r1,4", "d3,r1,4", "d9,r1,4")
    (head, field, _reason), (line, missing, said) = errors_of(load_ratings, scales, path)
    assert (head, field, line, missing) == (1, "source", 5, "dialogue")
    assert said.startswith("'d9' is not in the study")


def test_a_row_without_a_source_is_clear_only_where_there_is_one_response(scales: Study, write: Write) -> None:
    load(scales, write(*_with_one_response("d1"), dialogue("d2")))
    path = write("dialogue,source,rater,fluency", "d1,,r1,3", "d2,,r1,4")
    assert errors_of(load_ratings, scales, path) == [
        (
            3,
            "item",
            "is empty, and the dialogue 'd2' does not have exactly one response: name the candidate or its source",
        )
    ]


def test_what_is_wrong_with_a_row_is_said_once_however_many_answers_it_holds(db: None, write: Write) -> None:
    study = StudyFactory(protocol_version=builtin("usr-1.1"))
    head = "dialogue;source;annotator;Understandable;Natural;Interesting"
    found = errors_of(load_ratings, study, write(head, "x01;;ext;1;2;3", "x02;;ext;1;2;3", name="a.csv"))
    assert [(line, field) for line, field, _reason in found] == [(2, "dialogue"), (3, "dialogue")]


LONG = [
    {"item": "d1-bot", "rater": f"r{at}", "criterion": "fluency", "value": value, "free_text": "one\ntwo"}
    for at, value in enumerate((1, 9, 2, 9, 8))
]


@pytest.mark.parametrize(
    ("name", "text", "places"),
    [
        ("compact.json", json.dumps(LONG), ["2, 4, 5"]),
        ("indented.json", json.dumps(LONG, indent=1), ["9, 23, 30 (3 rows)"]),
        ("lines.jsonl", "\n\n".join(map(json.dumps, LONG)), ["3, 7, 9 (3 rows)"]),
        (
            "table.csv",
            "\n".join(
                [",".join(LONG[0]), *(",".join(f'"{cell}"' for cell in row.values()) for row in LONG)],
            ),
            ["4, 8, 10 (3 rows)"],
        ),
    ],
)
def test_each_wrong_record_is_counted_also_if_several_share_a_line(
    scales: Study, tmp_path: Path, name: str, text: str, places: list[str]
) -> None:
    load(scales, _dialogues(tmp_path))
    (tmp_path / name).write_text(text)
    with pytest.raises(ImportRejected) as refused:
        load_ratings(scales, tmp_path / name)
    assert [each.place for each in alike(refused.value.errors, refused.value.n_errors)] == places


def test_records_about_what_is_missing_are_counted_on_one_line_too(scales: Study, tmp_path: Path) -> None:
    (tmp_path / "compact.json").write_text(json.dumps([each | {"value": 1} for each in LONG]))
    with pytest.raises(ImportRejected) as refused:
        load_ratings(scales, tmp_path / "compact.json")
    assert [each.place for each in alike(refused.value.errors, refused.value.n_errors)] == ["1, 2, 3, 4, 5"]


def test_what_is_wrong_with_a_row_counts_once_however_many_answers_it_has(wholes: Study, write: Write) -> None:
    rows = [f"nowhere{at},r1,5,5,5,5" for at in range(120)]
    text = "\n".join(["dialogue,annotator,fluency,coherence,consistency,diversity", *rows])
    with pytest.raises(ImportRejected) as refused:
        load_ratings(wholes, write(text, name="wide.csv"))
    (one,) = alike(refused.value.errors, refused.value.n_errors)
    assert (refused.value.n_errors, one.place) == (120, "2, 3, 4, 5, 6, … (120 rows)")


def test_answers_of_a_row_are_errors_of_their_own(wholes: Study, write: Write) -> None:
    text = "dialogue,annotator,fluency,coherence\nx,r1,77,88\ny,r1,77,5\n"
    with pytest.raises(ImportRejected) as refused:
        load_ratings(wholes, write(text, name="wide.csv"), create_missing=True)
    found = alike(refused.value.errors, refused.value.n_errors)
    assert [each.place for each in found] == ["2, 3 (2 rows)", "2"]
