"""A table as readers see it: columns in their formats, rows and columns of a pivot, and what each place shows."""

from types import SimpleNamespace

import pytest

from reporting.tables.cells import PAGE, PAPER, TEXT, Cell, Head, Shown, grid, pivot, written
from reporting.tables.columns import Format

SHOWN = [
    Shown("Name", lambda row, about: Cell(about[row.key]), TEXT),
    Shown("p", "p", where=PAGE),
    Shown("n", "n"),
]
ROWS = [SimpleNamespace(key="a", p=0.0004, n=1200), SimpleNamespace(key="b", p=None, n=3)]
FORMATS = {"p": Format.P_VALUE, "n": Format.COUNT}


def texts(drawn) -> list[list[str]]:
    return [[head.text for head in drawn.heads], *([cell.text for cell in line] for line in drawn.lines)]


def test_a_column_is_written_in_its_format_or_drawn_from_the_row():
    drawn = grid("Table", SHOWN, ROWS, {"a": "Model A", "b": "Model B"}, FORMATS)
    assert texts(drawn) == [["Name", "p", "n"], ["Model A", "<\u00a0.001", "1,200"], ["Model B", "–", "3"]]


def test_a_place_has_only_its_columns():
    drawn = grid("Table", SHOWN, ROWS, {"a": "Model A", "b": "Model B"}, FORMATS, PAPER)
    assert texts(drawn)[0] == ["Name", "n"]


def test_a_column_of_a_pivot_may_explain_itself():
    drawn = pivot("Table", "Source", {("a", "x"): Cell("1")}, {"a": Cell("A")}, {"x": Head("X", term="median")})
    assert [(head.text, head.term) for head in drawn.heads] == [("Source", ""), ("X", "median")]


def test_a_pivot_has_the_named_rows_and_columns_that_occur_in_their_order():
    cells = {("b", "y"): Cell("2"), ("a", "x"): Cell("1")}
    names = {each: Cell(each.upper()) for each in "abc"}
    drawn = pivot("Table", "Source", cells, names, {"z": "Z", "y": "Y", "x": "X"})
    assert texts(drawn) == [["Source", "Y", "X"], ["A", "–", "1"], ["B", "2", "–"]]


@pytest.mark.parametrize(
    ("value", "form", "text"),
    [
        (None, Format.SHARE, "–"),
        (0.625, Format.SHARE, "63 %"),
        (62.5, Format.PERCENT, "62.50 %"),
        (-0.004, Format.FIGURE, "0.00"),
        (-0.5, Format.SIGNED, "−0.50"),
        (12.34, Format.ONE, "12.3"),
        (1234567, Format.COUNT, "1,234,567"),
    ],
)
def test_each_format_writes_a_value_as_the_report_does(value: float | None, form: Format, text: str):
    assert written(value, form) == text


@pytest.mark.parametrize(("value", "text"), [(3.275, "3.28"), (0.105, "0.11"), (-0.335, "−0.34"), (2.5, "2.50")])
def test_a_half_is_rounded_away_from_zero(value: float, text: str):
    """As binary fractions, 3.275 and 0.105 lie on different sides of their halves."""
    assert written(value, Format.FIGURE) == text
