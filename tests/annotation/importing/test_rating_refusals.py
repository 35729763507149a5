"""Ratings that an import refuses, with the row and the reason; nothing is stored then."""

import pytest

from annotation.models import Batch, Participant, Rating, Study
from tests.annotation.importing.conftest import (
    HE_DIALOGUES,
    HE_RATINGS,
    HEAD,
    Write,
    builtin,
    errors_of,
    load,
    load_ratings,
)
from tests.factories import StudyFactory, make_annotator
from tests.factories_protocols import make_scale_version

GOOD = "d01,d01-it5,it5,x,listening,Listening"


@pytest.mark.parametrize(
    ("row", "field", "reason"),
    [
        ("d99,d99-a,it5,x,listening,Listening", "dialogue", "'d99' is not in the study"),
        ("d01,d01-zz,it5,x,listening,Listening", "item", "'d01-zz' is not a candidate of the dialogue 'd01'"),
        ("d01,d01-it5,geppetto,y,listening,Listening", "source", "is from a source other than 'geppetto'"),
        ("d01,d01-it5,it5,x,empathy,Listening", "criterion", "'empathy' is not in the protocol: use "),
        ("d01,d01-it5,it5,x,listening,Maybe", "value", "'Maybe' is not an answer to listening: use Listening"),
        ("d01,d01-it5,it5,,listening,Listening", "annotator", "is empty"),
        (f"d01,d01-it5,it5,{'x' * 81},listening,Listening", "annotator", "longer than 80"),
        ("d01,,,x,listening,Listening", "item", "is empty"),
        (",,it5,x,listening,Listening", "item", "is empty"),
        ("d01,d01-it5,it5,x,listening", "", "has 5 values"),
        ("d01,d01-it5,it5,x\x00,listening,Listening", "annotator", "NUL"),
        (GOOD, "", "repeats line 2: same annotator, item and criterion"),
        ("d01,,it5,x,listening,Not Listening", "", "repeats line 2"),
    ],
)
def test_a_wrong_row_is_named_and_nothing_is_stored(
    small: Study, write: Write, row: str, field: str, reason: str
) -> None:
    found = errors_of(load_ratings, small, write(HEAD, GOOD, row))
    assert [(line, name) for line, name, _ in found] == [(3, field)]
    assert reason in found[0][2]
    assert not Participant.objects.exists()
    assert not Batch.objects.exists()


@pytest.mark.parametrize(
    ("column", "cell", "reason"),
    [
        ("explanations", "coherent", "'coherent' is not an explanation of Listening, which has none"),
        ("answered_at", "yesterday", "is not a time"),
        ("answered_at", "2999-01-01", "is in the future"),
        ("answered_at", "1e300", "is not a time"),
        ("free_text", "a\x00", "NUL"),
        ("batch", "b" * 101, "longer than 100"),
    ],
)
def test_a_wrong_value_beside_the_answer_is_named(
    small: Study, write: Write, column: str, cell: str, reason: str
) -> None:
    found = errors_of(load_ratings, small, write(f"{HEAD},{column}", f"{GOOD},{cell}"))
    assert (found[0][:2], reason in found[0][2]) == ((2, column), True)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("d01,d01-it5,it5,x,correctness,Correct,,", "the study already has the answer 'Not Correct'"),
        ("d01,d01-it5,it5,x,correctness,Not Correct,grammar,", "another explanation or free text"),
        ("d01,d01-it5,it5,x,correctness,Not Correct,,new words", "another explanation or free text"),
    ],
)
def test_another_answer_than_the_stored_one_is_refused(small: Study, write: Write, row: str, reason: str) -> None:
    head = f"{HEAD},explanations,free_text"
    load_ratings(small, write(head, "d01,d01-it5,it5,x,correctness,Not Correct,,"))
    found = errors_of(load_ratings, small, write(head, "d01,d01-it5,it5,y,correctness,Correct,,", row))
    assert [(line, name) for line, name, _ in found] == [(3, "value")]
    assert reason in found[0][2]
    assert Rating.objects.count() == 1


def test_a_pseudonym_of_a_living_annotator_is_refused(small: Study, write: Write) -> None:
    make_annotator(small, "x", pseudonym="x")
    assert "is already an annotator of this study" in errors_of(load_ratings, small, write(HEAD, GOOD))[0][2]


def test_an_excluded_annotator_gets_no_new_seat(small: Study, write: Write) -> None:
    Participant.objects.create(study=small, pseudonym="x", is_imported=True, status="excluded")
    assert "was excluded" in errors_of(load_ratings, small, write(HEAD, GOOD))[0][2]


def test_a_candidate_id_of_several_dialogues_needs_the_dialogue(small: Study, write: Write) -> None:
    rows = write(
        "dialogue,item,source,annotator,criterion,value",
        "e1,c,it5,x,listening,Listening",
        "e2,c,it5,x,listening,Listening",
    )
    load_ratings(small, rows, create_missing=True)
    found = errors_of(load_ratings, small, write("item,annotator,criterion,value", "c,y,listening,Listening"))
    assert found == [(2, "item", "'c' is in several dialogues: add a dialogue column")]


def test_several_candidates_of_a_source_need_the_candidate(small: Study, write: Write) -> None:
    rows = write(HEAD, "e1,c1,it5,x,listening,Listening", "e1,c2,it5,x,listening,Listening")
    load_ratings(small, rows, create_missing=True)
    found = errors_of(
        load_ratings, small, write("dialogue,source,annotator,criterion,value", "e1,it5,y,listening,Listening")
    )
    assert "has several candidates from 'it5'" in found[0][2]


def test_a_candidate_cannot_be_made_without_its_source(small: Study, write: Write) -> None:
    rows = write("dialogue,item,annotator,criterion,value", "e1,c1,x,listening,Listening")
    assert errors_of(load_ratings, small, rows, create_missing=True)[0][1] == "source"


def test_every_row_of_an_unknown_item_is_listed(small: Study, write: Write) -> None:
    rows = [f"d99,d99-a,it5,w{n},listening,Listening" for n in range(3)]
    assert [line for line, _, _ in errors_of(load_ratings, small, write(HEAD, GOOD, *rows))] == [3, 4, 5]


def test_an_empty_file_of_ratings_is_said_to_be_empty(small: Study, write: Write) -> None:
    assert errors_of(load_ratings, small, write()) == [(0, "", "the file is empty")]
    assert errors_of(load_ratings, small, write(HEAD)) == [(0, "", "the file contains no ratings")]


def test_a_protocol_that_rates_something_else_is_refused(write: Write, db: None) -> None:
    study = StudyFactory(protocol_version=make_scale_version(unit="candidate_set"))
    assert "cannot be imported yet" in errors_of(load_ratings, study, write(HEAD, GOOD))[0][2]


def test_three_criteria_variants_refuse_the_fourth(write: Write, db: None) -> None:
    study = StudyFactory(protocol_version=builtin("he-protocol-1.0-three-criteria"))
    load(study, HE_DIALOGUES)
    assert errors_of(load_ratings, study, HE_RATINGS)[0][1] == "criterion"
