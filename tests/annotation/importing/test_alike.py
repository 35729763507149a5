"""Errors that are alike are shown as one, with their first lines and their number."""

from annotation.importing.alike import alike
from annotation.importing.outcome import MOST_ERRORS, RECORDS, ErrorLog, LineError


def test_errors_that_differ_in_what_they_name_are_one_with_an_example() -> None:
    errors = [LineError(line, "value", f"'{line}' is not an answer") for line in (2, 5, 9)]
    (one,) = alike(errors, 3)
    assert (one.place, one.said) == ("2, 5, 9 (3 rows)", "for example, '2' is not an answer")


def test_equal_errors_are_no_examples_and_a_single_one_has_its_line_alone() -> None:
    equal, single = alike([LineError(2, "a", "is empty"), LineError(3, "a", "is empty"), LineError(4, "b", "NUL")], 3)
    assert (equal.place, equal.said, single.place, single.said) == ("2, 3 (2 rows)", "is empty", "4", "NUL")


def test_a_kind_of_error_is_listed_however_many_others_came_before() -> None:
    log = ErrorLog()
    for line in range(MOST_ERRORS + 50):
        log.add(line + 2, "a", f"'{line}' is wrong")
    log.add(999, "b", "is empty")
    first, other = alike(log.errors, log.n_errors)
    assert (first.n, other.place) == (MOST_ERRORS, "999")


def test_errors_that_are_not_listed_are_counted_where_there_is_one_kind() -> None:
    log = ErrorLog()
    for line in range(1440):
        log.add(line + 2, "a", "is empty")
    (one,) = alike(log.errors, log.n_errors)
    assert one.place == "2, 3, 4, 5, 6, … (1,440 rows)"


def test_errors_of_records_that_share_a_line_name_their_numbers() -> None:
    (one,) = alike([LineError(RECORDS + number, "a", "is empty") for number in (2, 3)], 2)
    assert (one.are_records, one.place) == (True, "2, 3")
    (one,) = alike([LineError(RECORDS + number, "a", "is empty") for number in (2, 3, 3)], 3)
    assert one.place == "2, 3 (2 records, 3 errors)"
    (one,) = alike([LineError(RECORDS + number, "a", "is empty") for number in range(1, 9)], 8)
    assert one.place == "1, 2, 3, 4, 5, … (8 records)"


def test_errors_that_share_a_line_are_not_counted_as_rows() -> None:
    (one,) = alike([LineError(1, "a", "is empty")] * 3, 3)
    assert one.place == "1 (3 errors)"
    (one,) = alike([LineError(line, "a", "is empty") for line in (1, 1, 2)], 3)
    assert one.place == "1, 2 (2 rows, 3 errors)"
