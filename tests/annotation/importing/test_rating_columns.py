"""Which column holds what: found by its usual name, or told."""

import pytest

from annotation.importing.columns import map_columns, parse_map
from annotation.importing.outcome import BadField


def test_columns_of_the_reference_study_are_found_by_themselves() -> None:
    header = "batch,dialogue_id,candidate_id,source,annotator,criterion,answer,explanations,free_text"
    places = map_columns(header.split(","), {}, n_criteria=4)
    assert places == {
        "batch": 0,
        "dialogue": 1,
        "item": 2,
        "source": 3,
        "annotator": 4,
        "criterion": 5,
        "value": 6,
        "explanations": 7,
        "free_text": 8,
    }


def test_names_are_found_in_any_case() -> None:
    assert map_columns(["Worker", "Item", "LABEL", "Criterion"], {}, 2) == {
        "item": 1,
        "annotator": 0,
        "criterion": 3,
        "value": 2,
    }


def test_what_is_told_goes_before_what_is_known() -> None:
    places = map_columns(["rater", "worker", "item", "label", "value"], {"annotator": "worker", "value": "label"}, 1)
    assert (places["annotator"], places["value"]) == (1, 3)


def test_two_columns_that_could_be_the_same_are_a_question() -> None:
    with pytest.raises(BadField, match="could be value or label") as unclear:
        map_columns(["annotator", "item", "value", "label"], {}, 1)
    assert unclear.value.on_line(1).for_page().reason.endswith("under Columns, choose the column of “Answer”")
    assert unclear.value.on_line(1).for_command().reason.endswith("name the column with --map value=COLUMN")


def test_missing_columns_are_named_with_those_that_are_there() -> None:
    with pytest.raises(BadField) as missing:
        map_columns(["item", "who"], {}, 2)
    assert missing.value.field == "annotator, value and criterion"
    assert "the file has: item, who" in missing.value.reason


def test_something_must_say_what_was_rated() -> None:
    with pytest.raises(BadField, match="dialogue"):
        map_columns(["annotator", "value"], {}, 1)


def test_a_map_is_read_as_our_field_and_the_files_column() -> None:
    assert parse_map("annotator=rater, value = label,") == {"annotator": "rater", "value": "label"}


@pytest.mark.parametrize("text", ["annotator", "annotator=", "=rater="])
def test_a_map_that_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(BadField):
        map_columns(["rater"], parse_map(text), 1)


@pytest.mark.parametrize("wanted", [{"annotator": "nobody"}, {"colour": "rater"}])
def test_a_map_of_unknown_names_is_refused(wanted: dict[str, str]) -> None:
    with pytest.raises(BadField):
        map_columns(["rater", "item", "value"], wanted, 1)


@pytest.mark.parametrize("name", ["WorkerId", "workerId", "Worker ID", "worker-id", "WORKER_ID"])
def test_names_of_columns_are_compared_without_case_and_what_stands_between_words(name: str) -> None:
    assert map_columns([name, "ItemId", "Answer"], {}, 1) == {"annotator": 0, "item": 1, "value": 2}


def test_the_error_names_all_that_would_be_enough() -> None:
    with pytest.raises(BadField) as missing:
        map_columns(["who", "value"], {}, 1)
    assert missing.value.field == "annotator and dialogue"
    said = missing.value.on_line(1)
    assert said.for_page().reason.endswith(
        "under Columns, choose the column of “Annotator” and “Dialogue”; for ratings of responses, also “Source”, "
        "or in place of both “Candidate”"
    )
    assert said.for_command().reason.endswith("also source=COLUMN, or in place of both item=COLUMN")
