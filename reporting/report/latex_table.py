"""One table of the LaTeX document, and the texts and numbers in its cells."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from parley import numbers
from reporting.report.build import Report

MINUS = re.compile(r"(?<![\w.-])-(?=\d)")
FEW_DATA = "†"
FEW_UNITS = "Few data: with fewer than 20 items, or groups that are resampled, an interval is rough."
SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    FEW_DATA: r"\dag{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
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
    """Return a number with its interval."""
    return " ".join(filter(None, [number(value), limits(found)]))


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
    """Return a longtable, which can break across pages."""
    shape = columns or "l" + "r" * (len(head) - 1)
    rows = [" & ".join(map(cell, line)) + r" \\" for line in lines]
    return "\n".join([
        rf"\begin{{longtable}}{{{shape}}}",
        rf"\caption{{{escaped(caption)}}}\label{{tab:{label}}}\\",
        r"\toprule",
        " & ".join(map(escaped, head)) + r" \\",
        r"\midrule",
        r"\endhead",
        *rows,
        r"\bottomrule",
        r"\end{longtable}",
    ])  # fmt: skip


def cell(text: str) -> str:
    """Escape a cell and turn a hyphen before a number into a minus sign."""
    return MINUS.sub("$-$", escaped(text))
