"""One measured row: ours, the floor or peer of the same run, the goal, and whether it is met."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

TITLES = ("work", "ours", "floor or peer, same run", "ratio", "goal", "")


@dataclass(frozen=True, slots=True)
class Goal:
    """A bound of our figure, or of its ratio to the floor: the ratio carries to other machines, the figure does not."""

    limit: float
    of: Literal["ours", "ratio"] = "ours"
    is_least: bool = False  # the bound is the least (throughput, gain) and not the most (time, size)
    most: float | None = None  # a band: from `limit` to here
    is_must: bool = False  # of what is right or wrong, and not fast or slow: the run fails with it

    def is_met(self, figure: float) -> bool:
        if self.most is not None:
            return self.limit <= figure <= self.most
        return figure >= self.limit if self.is_least else figure <= self.limit

    def text(self, unit: str) -> str:
        if self.most is not None:
            return f"{number(self.limit)} to {number(self.most)} {unit}".rstrip()
        sign = ">=" if self.is_least else "<="
        return f"{sign} {number(self.limit)}" + ("x" if self.of == "ratio" else f" {unit}".rstrip())


NEVER = Goal(0, is_must=True)


@dataclass(frozen=True, slots=True)
class Row:
    """`floor`: the same work done by `against`, measured in the same run and the same unit.

    `is_gain`: the ratio is theirs by ours (how many times faster we are), not ours by theirs.
    `error`: of a simulated figure, two standard errors of it in its unit.
    """

    work: str
    ours: float
    unit: str = "ms"
    against: str = ""
    floor: float | None = None
    goal: Goal | None = None
    is_gain: bool = False
    note: str = ""
    error: float | None = None

    @property
    def ratio(self) -> float | None:
        if self.floor is None:
            return None
        top, bottom = (self.floor, self.ours) if self.is_gain else (self.ours, self.floor)
        return top / bottom if bottom else None

    @property
    def is_met(self) -> bool | None:
        """None without a goal, or when there was nothing to compare with."""
        figure = self.ours if self.goal is None or self.goal.of == "ours" else self.ratio
        return None if self.goal is None or figure is None else self.goal.is_met(figure)

    @property
    def is_wrong(self) -> bool:
        return self.goal is not None and self.goal.is_must and self.is_met is False

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {"ratio": self.ratio, "is_met": self.is_met}

    def cells(self) -> tuple[str, ...]:
        verdict = {True: "met", False: "NOT MET", None: ""}[self.is_met]
        theirs = "" if self.floor is None else f"{number(self.floor)} {self.unit} {self.against}".strip()
        ratio = "" if self.ratio is None else f"{number(self.ratio)}x"
        goal = self.goal.text(self.unit) if self.goal else ""
        error = "" if self.error is None else f" ±{number(self.error)}"
        return self.work, f"{number(self.ours)} {self.unit}".strip() + error, theirs, ratio, goal, verdict


def number(value: float) -> str:
    """Three figures, and no more than the measurement is worth."""
    if value == 0 or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}" if abs(value) >= 0.1 else f"{value:.2g}"


def table(rows: Sequence[Row]) -> str:
    lines = [TITLES, *(row.cells() for row in rows)]
    widths = [max(len(line[at]) for line in lines) for at in range(len(TITLES))]
    shown = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]
    notes = [f"  {row.work}: {row.note}" for row in rows if row.note]
    return "\n".join([shown[0], "-" * len(shown[0]), *shown[1:], *(["", "Notes", *notes] if notes else [])])


def write_json(path: Path, rows: Iterable[Row]) -> None:
    path.write_text(json.dumps([row.as_json() for row in rows], indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest of the values that `share` of them do not exceed."""
    return sorted(values)[max(math.ceil(len(values) * share) - 1, 0)]
