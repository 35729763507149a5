"""A forest plot: an estimate a row with its interval, in groups that each have an axis of their own."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString

from parley.numbers import number
from reporting.charts.drawing import WIDTH, Scale, draw, flowed, label_width, scale_ticks, shortened, text_width

ROW, HEADING, GROUP, AXIS, LINE = 24, 26, 36, 26, 20
GAP = 16
MOST_TICKS = 6
STEPS = (1.0, 2.0, 5.0, 10.0)


@dataclass(frozen=True, slots=True)
class Estimated:
    """A row. Without an interval `low` and `high` are None; `is_open` draws a ring instead of a dot."""

    label: str
    value: float | None
    low: float | None = None
    high: float | None = None
    text: str = ""
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class EstimatedGroup:
    """Groups of the same `unit` have the same axis."""

    label: str
    unit: str
    rows: tuple[Estimated, ...]


def forest_figure(
    *,
    name: str,
    title: str,
    description: str,
    groups: Sequence[EstimatedGroup],
    dot_means: str,
    ring_means: str = "",
    has_zero: bool = False,
) -> SafeString:
    """Draw the rows as SVG. `name` makes ids unique on a page; `has_zero` extends every axis to 0."""
    rows = [row for group in groups for row in group.rows]
    start = max(90.0, label_width([row.label for row in rows]) + GAP)
    end = WIDTH - max(text_width(row.text) for row in rows) - GAP
    axes = {unit: axis_of([row for group in groups if group.unit == unit for row in group.rows], has_zero=has_zero)
            for unit in dict.fromkeys(group.unit for group in groups)}  # fmt: skip
    legend, y = _legend(dot_means, ring_means if any(row.is_open for row in rows) else "")
    placed = []
    for group in groups:
        low, high, step = axes[group.unit]
        placed.append(_placed(group, Scale(low, high, start, end), step, y))
        y = placed[-1]["bottom"] + AXIS
    return draw(
        "forest",
        name=name,
        title=title,
        description=description,
        groups=placed,
        legend=legend,
        width=WIDTH,
        height=y,
        label_x=start - 12,
        value_x=WIDTH - 2,
    )


def axis_of(rows: Sequence[Estimated], *, has_zero: bool) -> tuple[float, float, float]:
    """Return ends that are multiples of a round step, and the step."""
    values = [end for row in rows for end in (row.value, row.low, row.high) if end is not None]
    values += [0.0] if has_zero or not values else []
    low, high = min(values), max(values)
    rough = max(high - low, 1e-9 * max(1.0, abs(high))) / (MOST_TICKS - 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(each * power for each in STEPS if each * power >= rough * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return first * step, max(last, first + 1) * step, step


def _placed(group: EstimatedGroup, scale: Scale, step: float, y: float) -> dict[str, Any]:
    top = y + GROUP
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    return {
        "label": group.label,
        "y": y + HEADING,
        "top": top,
        "bottom": top + ROW * len(group.rows),
        "ticks": scale_ticks(scale, step, f".{digits}f"),
        "rows": [_row(row, scale, top + ROW * place + ROW // 2) for place, row in enumerate(group.rows)],
    }


def _row(row: Estimated, scale: Scale, y: float) -> dict[str, Any]:
    return {
        "label": shortened(row.label),
        "title": row.label,
        "y": y,
        "text_y": y + 4,
        "x": None if row.value is None else scale.at(row.value),
        "low": None if row.low is None else scale.at(row.low),
        "high": None if row.high is None else scale.at(row.high),
        "is_open": row.is_open,
        "text": row.text,
    }


def _legend(dot_means: str, ring_means: str) -> tuple[list[dict[str, Any]], float]:
    """Return the entries, and the bottom of the legend."""
    entries = [(False, dot_means), *([(True, ring_means)] if ring_means else [])]
    places = flowed((48 + text_width(words) for _is_open, words in entries), start=0.0, row=LINE)
    placed = [
        {"is_open": is_open, "words": words, "x": x + 12, "low": x, "high": x + 24, "y": y + 14, "text_x": x + 30,
         "text_y": y + 18}
        for (is_open, words), (x, y) in zip(entries, places, strict=True)
    ]  # fmt: skip
    return placed, places[-1][1] + LINE


def interval_text(value: float | None, low: float | None, high: float | None, form: str = ".2f") -> str:
    """Return an estimate with its interval in brackets, as papers print it."""
    if low is None:
        return number(value, form)
    return f"{number(value, form)} [{number(low, form)}, {number(high, form)}]"
