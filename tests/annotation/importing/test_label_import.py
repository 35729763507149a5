"""Several choices, marked turns and reasons from a CSV, and labels from JSON Lines."""

import json
from typing import Any

import pytest

from annotation.importing import import_ratings
from annotation.models import Rating, Study
from tests.annotation.importing.conftest import NOW, Write, builtin, errors_of, load, load_ratings
from tests.factories import StudyFactory

HEAD = "dialogue,annotator,criterion,value,choices,turns"


@pytest.fixture
def diqad(db: None, write: Write) -> Study:
    """Two dialogues of two utterances."""
    study = StudyFactory(protocol_version=builtin("diqad-1.0"))
    load(study, write(*(spoken(key) for key in ("d1", "d2")), name="dialogues.jsonl"))
    return study


def spoken(key: str) -> dict[str, Any]:
    return {"id": key, "utterances": [{"speaker": "A", "text": "Where is it?"}, {"speaker": "B", "text": "Here."}]}


def stored(study: Study) -> list[tuple[str, str, str, object]]:
    """(dialogue, annotator, criterion, answer) of every rating."""
    rows = Rating.objects.filter(batch__study=study).select_related("item__dialogue", "criterion", "option")
    keys = {option.pk: option.key for each in study.protocol_version.criteria.all() for option in each.options.all()}
    return sorted(
        (
            row.item.dialogue.key,
            row.assignment.participant.pseudonym,
            row.criterion.key,
            row.option.key if row.option else ",".join(keys[pk] for pk in row.choices) or ",".join(map(str, row.turns)),
        )
        for row in rows
    )


# --- CSV -------------------------------------------------------------------------------------------
def test_a_csv_brings_several_choices_and_marked_turns(diqad: Study, write: Write):
    rows = (
        "d1,ann,score,1,,",
        "d1,ann,reasons_1,,incomplete|less_proactive,",
        "d2,ann,score,2,,",
        "d2,ann,support,,,2",
    )
    load_ratings(diqad, write(HEAD, *rows, name="r.csv"))
    assert stored(diqad) == [
        ("d1", "ann", "reasons_1", "incomplete,less_proactive"),
        ("d1", "ann", "score", "1"),
        ("d2", "ann", "score", "2"),
        ("d2", "ann", "support", "2"),
    ]


def test_several_choices_may_stand_in_the_column_of_values(diqad: Study, write: Write):
    rows = ("d1,ann,score,1", "d1,ann,reasons_1,less proactive|incomplete")
    load_ratings(diqad, write("dialogue,annotator,criterion,value", *rows, name="r.csv"))
    assert ("d1", "ann", "reasons_1", "incomplete,less_proactive") in stored(diqad)


@pytest.mark.parametrize(
    ("row", "field", "reason"),
    [
        ("d1,ann,reasons_1,,dull,", "choices", "'dull' is not an answer to reasons_1: use incomplete"),
        ("d1,ann,support,,,0", "turns", "not a whole number of at least 1"),
        ("d1,ann,support,,,3", "turns", "marks turn 3, but the dialogue has 2 turns: correct the number"),
        (
            "d1,ann,reasons_0,,not_relevant,",
            "criterion",
            "reasons_0 is asked only after the answer 0 to score: leave it out",
        ),
    ],
)
def test_a_wrong_choice_or_turn_names_its_line_and_changes_nothing(
    diqad: Study, write: Write, row: str, field: str, reason: str
):
    score = "d1,ann,score,2,," if "support" in row else "d1,ann,score,1,,"
    (error,) = errors_of(load_ratings, diqad, write(HEAD, score, row, name="r.csv"))
    assert error[:2] == (3, field)
    assert reason in error[2]
    assert not Rating.objects.exists()


def test_reasons_are_known_by_key_text_or_sub_dimension(db: None, write: Write):
    study = StudyFactory(protocol_version=builtin("he-protocol-1.0"))
    line = {"id": "d1", "history": spoken("d1")["utterances"], "candidates": [{"source": "bot", "text": "Yes."}]}
    load(study, write(line, name="d.jsonl"))
    option = study.protocol_version.criteria.get(key="contextualization").options.get(role="negative")
    first = option.explanations.first()
    head = "dialogue,source,annotator,criterion,value,explanations"
    names = (first.key, first.text, first.sub_dimension)
    rows = [f'd1,bot,a{at},contextualization,{option.key},"{name}"' for at, name in enumerate(names)]
    load_ratings(study, write(head, *rows, name="r.csv"))
    assert [row.explanations for row in Rating.objects.all()] == [[first.pk]] * 3


# --- JSON Lines ------------------------------------------------------------------------------------
def label(key: str = "d1", score: object = 1, **fields: object) -> dict[str, object]:
    return {"dialogue": key, "label": score, **fields}


def test_a_data_set_brings_label_reasons_turns_and_other_answers(diqad: Study, write: Write):
    lines = (
        label("d1", 1, reason="incomplete#!#less proactive", answers={"knowledge": 0}),
        label("d2", 2, turns="1: Where is it?#!#2: Here."),
    )
    load_ratings(diqad, write(*lines))
    assert stored(diqad) == [
        ("d1", "data-set", "knowledge", "no"),
        ("d1", "data-set", "reasons_1", "incomplete,less_proactive"),
        ("d1", "data-set", "score", "1"),
        ("d2", "data-set", "score", "2"),
        ("d2", "data-set", "support", "1,2"),
    ]


def test_ratings_that_a_line_lists_come_in_one_by_one(diqad: Study, write: Write):
    ratings = [{"annotator": "a1", "label": 2, "turns": ["Here."]}, {"annotator": "a2", "label": 0}]
    load_ratings(diqad, write(spoken("d1") | {"label": 2, "reason": "it is dull", "ratings": ratings}))
    assert stored(diqad) == [("d1", "a1", "score", "2"), ("d1", "a1", "support", "2"), ("d1", "a2", "score", "0")]


def test_question_and_annotator_can_be_named(diqad: Study, write: Write):
    load_ratings(diqad, write(label("d1", 1)), criterion="knowledge", annotator="ministry")
    assert stored(diqad) == [("d1", "ministry", "knowledge", "yes")]


@pytest.mark.parametrize(
    ("line", "field", "reason"),
    [
        (label(score=None), "label", "is missing"),
        (label(score=7), "label", "'7' is not an answer to score: use 2, 1, 0"),
        (label(score=1, reason="it is dull"), "reason", "'it is dull' is not a reason for 1: use incomplete"),
        (label(score=2, reason="incomplete"), "reason", "which has none: leave the field out"),
        (label(score=2, turns="Nowhere."), "turns", "is not a turn: write its number"),
        (label(score=2, turns="3: There."), "turns", "the dialogue has 2 turns"),
        (label(score=1, turns="1"), "turns", "this label does not ask for marked turns"),
        (label(score=1, answers={"mood": 1}), "criterion", "'mood' is not in the protocol"),
        (label(score=1, answers={"knowledge": 5}), "answers.knowledge", "is not an answer to knowledge"),
        (label(ratings=[{"annotator": "a", "label": 9}]), "ratings[0].label", "is not an answer to score"),
        (label("d9"), "dialogue", "'d9' is not in the study"),
        ('{"dialogue": "d1", "label"', "", "is not JSON"),
    ],
)
def test_a_wrong_line_names_field_and_remedy_and_changes_nothing(
    diqad: Study, write: Write, line: object, field: str, reason: str
):
    (error,) = errors_of(load_ratings, diqad, write(label("d2", 0), line))
    assert error[:2] == (2, field)
    assert reason in error[2]
    assert not Rating.objects.exists()


def test_the_same_labels_again_change_nothing(diqad: Study, write: Write):
    path = write(label("d1", 1, reason="incomplete"))
    load_ratings(diqad, path)
    assert load_ratings(diqad, path).counts["ratings_new"] == 0


def test_another_format_than_the_file_has_is_refused(diqad: Study, write: Write):
    path = write(json.dumps(label()))
    (error,) = errors_of(import_ratings, diqad, path, format="csv-ratings", now=NOW)
    assert error == (0, "format", "the file looks like jsonl-labels, not like csv-ratings")


def test_a_label_beside_a_rater_is_a_row_of_a_table(coherence_study: Study, write: Write) -> None:
    lines = [
        {"item": "d1", "model": "a", "rater": "r1", "label": 2},
        {"item": "d1", "model": "a", "rater": "r2", "label": 1},
    ]
    assert load_ratings(coherence_study, write(*lines), create_missing=True).format == "csv-ratings"
    assert set(coherence_study.participants.values_list("pseudonym", flat=True)) == {"r1", "r2"}
