"""The first rows of a file, before anything is stored."""

import pytest

from annotation.importing import ImportRejected, preview
from annotation.models import Dialogue
from tests.annotation.importing.conftest import DIQAD, HE_DIALOGUES, HE_RATINGS, SWITCHBOARD, Write, dialogue


def test_the_first_dialogues_are_shown_with_their_candidates() -> None:
    shown = preview(HE_DIALOGUES, "dialogues", n=3)
    assert (shown.format, shown.columns) == ("jsonl-history", ["dialogue_id", "batch", "history", "candidates"])
    assert [row["key"] for row in shown.rows] == ["d01", "d02", "d03"]
    assert {each["source"] for each in shown.rows[0]["candidates"]} >= {"ground_truth", "it5"}


def test_metadata_is_shown() -> None:
    row = preview(DIQAD, "dialogues", n=1).rows[0]
    assert {"domain", "topic", "label", "ratings"} <= row["metadata"].keys()


def test_a_table_is_shown_with_its_columns(write: Write) -> None:
    path = write("prompt,machine_completion,domain\nHi,One,car\nHo,Two,law\n", name="a.csv")
    shown = preview(path, "dialogues", n=1)
    assert (shown.format, shown.columns) == ("csv-prompts", ["prompt", "machine_completion", "domain"])
    assert len(shown.rows) == 1


def test_bad_lines_among_the_first_are_shown_beside_the_good(write: Write) -> None:
    shown = preview(write("{", dialogue("a"), dialogue("b")), "dialogues", n=1)
    assert [row["key"] for row in shown.rows] == ["a"]
    assert [error.line for error in shown.errors] == [1]


def test_ratings_are_shown_with_what_was_recognised() -> None:
    shown = preview(SWITCHBOARD, "ratings", n=2)
    assert shown.mapping["annotator"] == "rater"
    assert shown.rows[0]["rater"] == "ANN_1"
    assert not shown.errors
    assert preview(HE_RATINGS, "ratings").mapping["value"] == "answer"


def test_a_file_of_ratings_without_a_known_column_says_which(write: Write) -> None:
    shown = preview(write("item,who,value\na,b,1", name="a.csv"), "ratings")
    assert [error.field for error in shown.errors] == ["annotator"]
    assert shown.rows == [{"item": "a", "who": "b", "value": "1"}]


def test_a_label_that_cannot_be_shown_is_named_beside_the_others(write: Write) -> None:
    shown = preview(write({"dialogue": "a", "label": 1}, {"dialogue": "b", "label": 2, "x": {"y": "\x00"}}), "ratings")
    assert shown.rows == [{"dialogue": "a", "label": "1"}]
    assert [(error.line, error.field) for error in shown.errors] == [(2, "x")]


def test_a_file_of_no_known_shape_is_refused(write: Write) -> None:
    with pytest.raises(ImportRejected):
        preview(write("what is this"), "dialogues")


@pytest.mark.django_db
def test_nothing_is_stored() -> None:
    preview(HE_DIALOGUES, "dialogues")
    assert not Dialogue.objects.exists()
