"""One table of the LaTeX document, and the texts and numbers in its cells."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from parley import numbers
from reporting.report.build import Report

MINUS = re.compile(r"(?<![\w.-])-(?=\d)")
STACK = r"\begin{tabular}[t]{@{}r@{}}%s\end{tabular}"
BELOW = r"\\[0pt]{\scriptsize %s}"  # a further line of a cell
MOST_COLUMNS, MOST_LINES = 7, 48  # of one table: more do not fit on a page with two columns of text
LINE = 70  # characters of a text that breaks
FEW_DATA = "†"
FEW_UNITS = "Few data: with fewer than 20 items, or groups that are resampled, an interval is rough."
SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    FEW_DATA: r"\dag{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "−": "$-$",
    **{each: "\\" + each for each in "&%$#_{}"},
}

Cells = dict[tuple[str | None, str], str]  # by source and criterion


@dataclass(frozen=True, slots=True)
class Edges:
    """The additional cells of a table: its last column, {source: cell}, and last rows, {name: {criterion: cell}}."""

    by_source: dict[str | None, str]
    below: dict[str, dict[str, str]]


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
    return "".join(SPECIAL.get(each, each) for each in " ".join(str(text).split()))


def number(value: float | None, digits: int = 2) -> str:
    """Format a number, rounded as on the page. None is a dash, and a value that rounds to 0 has no sign."""
    return "--" if value is None else numbers.number(value, f".{digits}f").replace("−", "-")


def probability(value: float | None) -> str:
    """Format a p value with three decimals."""
    return "< 0.001" if value is not None and value < 0.001 else number(value, 3)


def interval(value: float | None, found: Ends) -> str:
    """Return a number with its interval below it."""
    return "\n".join(filter(None, [number(value), limits(found)]))


def limits(found: Ends) -> str:
    """Return an interval, with a dagger if there are few data; nothing without one."""
    if found.low is None:
        return ""
    return f"[{number(found.low)}, {number(found.high)}]{FEW_DATA if found.interval_note else ''}"


def interval_notes(found: Iterable[Ends], few_data: str, all_withheld: str) -> str:
    """Return the notes of a table with these intervals: what the dagger means, or that there is no interval."""
    ends = [*found]
    if all(each.low is None for each in ends):
        return f" {all_withheld}"
    return f" {FEW_DATA} {few_data}" if any(each.low is not None and each.interval_note for each in ends) else ""


def of_these(found: Iterable[Ends], words: str) -> str:
    """Return the words and for whom the intervals hold; nothing if there are none."""
    return f"{words} for the annotators who rated" if any(each.low is not None for each in found) else ""


def pivot(report: Report, cells: Cells, caption: str, label: str, edges: Edges | None = None) -> str:
    names = {each.key: each.name for each in report.criteria}
    names |= {f"metric {row.metric}": row.metric for row in report.metrics}
    criteria = {key: name for key, name in names.items() if any(key == criterion for _, criterion in cells)}
    rows = {key: name for key, name in sources(report).items() if any(key == source for source, _ in cells)}
    if not criteria:
        return ""
    lines = [
        [name, *(cells.get((source, key), "--") for key in criteria), *([edges.by_source[source]] if edges else [])]
        for source, name in rows.items()
    ]
    head = ["Source", *criteria.values()]
    if edges:
        lines += [[name, *(below[key] for key in criteria), ""] for name, below in edges.below.items()]
        head.append("Mean over the criteria")
    return table(head, lines, caption, label)


def sources(report: Report) -> dict[str | None, str]:
    """Return the names of the sources, and of whole dialogues, which have no source."""
    return {**{each.key: each.name for each in report.sources}, None: "All"}


def criterion(report: Report, key: str) -> str:
    return next((each.name for each in report.criteria if each.key == key), key)


def table(head: Sequence[str], lines: Iterable[Sequence[str]], caption: str, label: str, columns: str = "") -> str:
    """Return floats of both columns of a paper, each of which fits on a page; the parts of a large table are numbered.

    A line break in a cell puts what follows below it. With `columns`, their alignment, all columns are in one part.
    """
    pages = [*_on_pages(lines)]
    columns_of_parts = [[*range(len(head))]] if columns else _in_parts(len(head))
    parts = [(places, rows) for places in columns_of_parts for rows in pages]
    return "\n\n".join(
        _float(
            [head[at] for at in places],
            [[row[at] for at in places] for row in rows],
            caption if number == 1 else f"{caption.partition('. ')[0].rstrip('.')}: part {number} of {len(parts)}.",
            label if number == 1 else f"{label}{number}",
            columns or "l" + "r" * (len(places) - 1),
        )
        for number, (places, rows) in enumerate(parts, start=1)
    )


def _in_parts(n_columns: int) -> list[list[int]]:
    """Return the columns of each part: the first names the rows, so it is in all of them."""
    others = list(range(1, n_columns))
    return [[0, *others[start : start + MOST_COLUMNS]] for start in range(0, len(others), MOST_COLUMNS)]


def _on_pages(lines: Iterable[Sequence[str]]) -> Iterator[list[Sequence[str]]]:
    page: list[Sequence[str]] = []
    height = 0
    for row in lines:
        needed = max(text.count("\n") + 1 + len(text) // LINE for text in row)
        if page and height + needed > MOST_LINES:
            yield page
            page, height = [], 0
        page.append(row)
        height += needed
    yield page


def _float(head: Sequence[str], rows: Sequence[Sequence[str]], caption: str, label: str, columns: str) -> str:
    return "\n".join([
        r"\begin{table*}[t]",
        r"\centering\footnotesize",
        rf"\caption{{{escaped(caption)}}}",
        rf"\label{{tab:{label}}}",
        rf"\begin{{tabular}}{{@{{}}{columns}@{{}}}}",
        r"\toprule",
        _row(head),
        r"\midrule",
        *map(_row, rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table*}",
    ])  # fmt: skip


def _row(cells: Iterable[str]) -> str:
    r"""Return the cells with an end that takes no argument: after a bare `\\`, a cell like `[4]` would be a length."""
    return " & ".join(map(cell, cells)) + r" \\[0pt]"


def cell(text: str) -> str:
    """Escape a cell and turn a hyphen before a number into a minus sign. Lines stand below each other."""
    first, *others = (MINUS.sub("$-$", escaped(line)) for line in text.split("\n"))
    return STACK % (first + "".join(BELOW % each for each in others)) if others else first
