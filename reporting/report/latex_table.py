"""One table of the LaTeX document, and the texts and numbers in its cells."""

import re
from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap
from typing import Protocol

from parley.numbers import tied
from reporting.report.latex_width import PAGE, SMALLEST, is_narrow, setting_of, total, widths_of
from reporting.report.shown.parts import FEW_DATA
from reporting.tables.cells import NUMBER, TEXT, WIDE, Cell, Grid

BREAKS = re.compile(r"[^\S\u00a0]+")
MINUS = re.compile(r"(?<![\w.-])-(?=\d)")
STACK = r"\begin{tabular}[t]{@{}%s@{}}%s\end{tabular}"
BELOW = r"\\[0pt]{\scriptsize %s}"  # a further line of a cell
MOST_COLUMNS, MOST_LINES = (
    7,
    48,
)  # of one table, beside the columns that name the rows
MOST_LINES_OF_COLUMN = 24  # of a table in one column of text, whose caption takes more lines
LINE = 70  # characters of a text that breaks
FEW_UNITS = "Few data: with fewer than 20 items, or groups that are resampled, an interval is rough."
LOOKS = {NUMBER: "r", TEXT: "l", WIDE: "p{9cm}"}
WIDEST_HEAD = 10  # characters of a line
SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    FEW_DATA: r"\dag{}",
    "\u00a0": "~",
    "–": "--",
    "−": "$-$",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    **{each: "\\" + each for each in "&%$#_{}"},
}


class Ends(Protocol):
    """An interval. With ends, the note says that there are few data."""

    @property
    def low(self) -> float | None: ...
    @property
    def high(self) -> float | None: ...
    @property
    def interval_note(self) -> str | None: ...


def escaped(text: object) -> str:
    """Escape a text for LaTeX. Line breaks become spaces, because an empty line would end a cell."""
    return "".join(SPECIAL.get(each, each) for each in tied(BREAKS.sub(" ", str(text)).strip()))


def interval_notes(found: Iterable[Ends], few_data: str, all_withheld: str) -> str:
    """Return the notes of a table with these intervals: what the dagger means, or that there is no interval."""
    ends = [*found]
    if all(each.low is None for each in ends):
        return f" {all_withheld}"
    return f" {FEW_DATA} {few_data}" if any(each.low is not None and each.interval_note for each in ends) else ""


def of_these(found: Iterable[Ends], words: str) -> str:
    """Return the words and for whom the intervals hold; nothing if there are none."""
    return f"{words} for the annotators who rated" if any(each.low is not None for each in found) else ""


def of_grid(drawn: Grid, caption: str, label: str, keys: int = 1) -> str:
    """Return floats of a table that is drawn as for the page; nothing without rows. The first `keys` cells name it."""
    heads = ["\n".join(wrap(head.text, WIDEST_HEAD, break_long_words=False)) for head in drawn.heads]
    lines = [[_printed(cell) for cell in line] for line in drawn.lines]
    looks = [LOOKS[head.look] for head in drawn.heads]
    return table(heads, lines, caption, label, looks, keys) if lines else ""


def _printed(cell: Cell) -> str:
    first = " ".join(filter(None, [cell.text, cell.letters]))
    return "\n".join([first, *(line.printed for line in cell.lines if line.printed)])


def table(
    head: Sequence[str],
    lines: Iterable[Sequence[str]],
    caption: str,
    label: str,
    columns: Sequence[str],
    keys: int = 1,
) -> str:
    """Return floats, each of which fits on a page and into one or both of its columns of text.

    The parts of a large table are numbered. A line break in a cell puts what follows below it. `columns` has the
    alignment of each; the first `keys` of them are in all parts.
    """
    rows = [*lines]
    pages = [*_on_pages(rows)]
    parts = [(places, page) for places in _in_parts(widths_of(head, rows, columns, SMALLEST), keys) for page in pages]
    return "\n\n".join(
        _float(
            [head[at] for at in places],
            [[row[at] for at in places] for row in page],
            caption if number == 1 else f"{caption.partition('. ')[0].rstrip('.')}: part {number} of {len(parts)}.",
            label if number == 1 else f"{label}{number}",
            [columns[at] for at in places],
        )
        for number, (places, page) in enumerate(parts, start=1)
    )


def _in_parts(widths: Sequence[float], keys: int) -> list[list[int]]:
    """Return the columns of each part: the first `keys` name the rows, so they are in all of them."""
    names = [*range(keys)]
    parts = [[*names]]
    for at in range(keys, len(widths)):
        last = parts[-1]
        is_full = len(last) - keys >= MOST_COLUMNS or total([widths[each] for each in (*last, at)], SMALLEST) > PAGE
        if is_full and len(last) > keys:
            parts.append([*names, at])
        else:
            last.append(at)
    return parts


def _on_pages(lines: Iterable[Sequence[str]]) -> Iterator[list[Sequence[str]]]:
    page: list[Sequence[str]] = []
    height = 0
    for row in lines:
        needed = _height(row)
        if page and height + needed > MOST_LINES:
            yield page
            page, height = [], 0
        page.append(row)
        height += needed
    yield page


def _height(row: Sequence[str]) -> int:
    return max(text.count("\n") + 1 + len(text) // LINE for text in row)


def _float(head: Sequence[str], rows: Sequence[Sequence[str]], caption: str, label: str, columns: Sequence[str]) -> str:
    fits_column = is_narrow(head, rows, columns) and sum(map(_height, rows)) <= MOST_LINES_OF_COLUMN
    environment = "table" if fits_column else "table*"
    return "\n".join([
        rf"\begin{{{environment}}}",
        r"\centering\footnotesize\setlength{\belowcaptionskip}{6pt}",
        rf"\caption{{{escaped(caption)}}}",
        rf"\label{{tab:{label}}}",
        setting_of(head, rows, columns).commands,
        rf"\begin{{tabular}}{{@{{}}{''.join(columns)}@{{}}}}",
        r"\toprule",
        _row(map(_head, head, columns)),
        r"\midrule",
        *(_row(map(cell, row, columns)) for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
        rf"\end{{{environment}}}",
    ])  # fmt: skip


def _row(cells: Iterable[str]) -> str:
    r"""Return the cells with an end that takes no argument: after a bare `\\`, a cell like `[4]` would be a length."""
    return " & ".join(cells) + r" \\[0pt]"


def _head(text: str, look: str) -> str:
    """Return the lines of a heading below each other."""
    lines = [escaped(line) for line in text.split("\n")]
    return STACK % (look, r"\\[0pt]".join(lines)) if len(lines) > 1 else lines[0]


def cell(text: str, look: str = "r") -> str:
    """Escape a cell and turn a hyphen before a number into a minus sign. Lines stand below each other."""
    first, *others = (MINUS.sub("$-$", escaped(line)) for line in text.replace("−", "-").split("\n"))
    return STACK % (look, first + "".join(BELOW % each for each in others)) if others else first
