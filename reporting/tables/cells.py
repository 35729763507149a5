"""What readers see of a table: cells that a page, a document and a terminal each draw in their own way."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from django.contrib.humanize.templatetags.humanize import intcomma

from parley.numbers import number, ratio
from parley.templatetags.numbers import probability, share
from reporting.tables.columns import Format

K = TypeVar("K")
DASH = "–"
NUMBER, TEXT, WIDE = "number", "", "wide"  # how a column looks; the values are classes of a page
BOTH, PAGE, PAPER, TERMINAL = "both", "page", "paper", "terminal"

WRITERS: dict[Format, Callable[[Any], str]] = {
    Format.COUNT: intcomma,
    Format.FIGURE: number,
    Format.ONE: lambda value: number(value, ".1f"),
    Format.SIGNED: lambda value: number(value, "+.2f"),
    Format.WHOLE: lambda value: number(value, "+.0f"),
    Format.P_VALUE: probability,
    Format.SHARE: share,
    Format.PERCENT: lambda value: f"{number(value)} %",
    Format.RATIO: ratio,
    Format.EXACT: lambda value: number(value, ".9f"),
    Format.TEXT: str,
}


def written(value: Any, form: Format) -> str:
    return DASH if value is None else WRITERS[form](value)


@dataclass(frozen=True, slots=True)
class Line:
    """A line below the number of a cell. A page says `title` about it; a paper prints `printed` instead, or nothing."""

    text: str
    title: str = ""
    printed: str = ""
    is_long: bool = False


def everywhere(text: str) -> Line:
    return Line(text, printed=text)


@dataclass(frozen=True, slots=True)
class Cell:
    """A text with lines below it. `title` says why it is a dash; `letters` and `badge` stand after it."""

    text: str
    lines: list[Line] = field(default_factory=list)
    title: str = ""
    letters: str = ""
    badge: str = ""
    term: str = ""
    is_strong: bool = False


NOTHING = Cell(DASH)


@dataclass(frozen=True, slots=True)
class Head:
    text: str
    look: str = NUMBER
    term: str = ""


@dataclass(frozen=True, slots=True)
class Grid:
    """A drawn table: the first cell of a row names it. `label` is what assistive technology calls the table."""

    label: str
    heads: list[Head]
    lines: list[list[Cell]]

    @property
    def rows(self) -> list[list[tuple[Head, Cell]]]:
        return [list(zip(self.heads, line, strict=True)) for line in self.lines]


@dataclass(frozen=True, slots=True)
class Shown:
    """A column that readers see, in this place or in both.

    `cell` is a column of the frame, written in its format, or draws a cell from a row and what is known of the table.
    """

    heading: Any
    cell: str | Callable[[Any, Any], Cell]
    look: str = NUMBER
    term: str = ""
    where: str = BOTH


def grid(
    label: str,
    shown: Iterable[Shown],
    rows: Iterable[Any],
    about: Any,
    formats: Mapping[str, Format],
    place: str = PAGE,
) -> Grid:
    """Draw rows, with the columns that are shown in this place."""

    def cell(each: Shown, row: Any) -> Cell:
        if isinstance(each.cell, str):
            return Cell(written(getattr(row, each.cell), formats[each.cell]))
        return each.cell(row, about)

    columns = [each for each in shown if each.where in (BOTH, place)]
    heads = [Head(str(each.heading), each.look, each.term) for each in columns]
    return Grid(label, heads, [[cell(each, row) for each in columns] for row in rows])


def pivot(
    label: str,
    corner: str,
    cells: Mapping[tuple[Any, Any], Cell],
    rows: Mapping[K, Cell],
    columns: Mapping[Any, str | Head],
    missing: Cell = NOTHING,
) -> Grid:
    """Draw cells by row and column, of the named rows and columns those that occur."""
    present = [{key[place] for key in cells} for place in (0, 1)]
    across = {key: name for key, name in columns.items() if key in present[1]}
    lines = [
        [name, *(cells.get((key, column), missing) for column in across)]
        for key, name in rows.items()
        if key in present[0]
    ]
    heads = [each if isinstance(each, Head) else Head(each) for each in across.values()]
    return Grid(label, [Head(corner, TEXT), *heads], lines)
