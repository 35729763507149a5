"""A forest plot: an estimate a row with its interval, in groups that each have an axis of their own."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from parley.numbers import number
from reporting.charts.drawing import Rows, Scale, draw, flowed, rows_of, scale_ticks, sheet_width, shortened, text_width

ROW, HEADING, GROUP, AXIS, LINE = 24, 26, 36, 26, 20
GAP = 16
MOST_TICKS = 6
LONGEST_HEADING = 40
STEPS = (1.0, 2.0, 5.0, 10.0)


@dataclass(frozen=True, slots=True)
class Estimated:
    """A row. Without an interval `low` and `high` are None.

    `is_open` draws a ring instead of a dot, and `has_few_data` an interval of dashes.
    """

    label: str
    value: float | None
    low: float | None = None
    high: float | None = None
    text: str = ""
    is_open: bool = False
    has_few_data: bool = False


@dataclass(frozen=True, slots=True)
class EstimatedGroup:
    """Groups of the same `unit` have the same axis. It does not leave their `ends`, those of a scale of answers."""

    label: str
    unit: str
    rows: tuple[Estimated, ...]
    ends: tuple[float, float] | None = None


def forest_figure(
    *,
    name: str,
    title: str,
    description: str,
    groups: Sequence[EstimatedGroup],
    dot_means: str,
    ring_means: str = "",
    has_zero: bool = False,
    least_step: float = 0.0,
) -> SafeString:
    """Draw the rows as SVG; "" without groups.

    `name` makes ids unique on a page; `has_zero` extends axes to 0; `least_step` is 1 for values that are whole.
    """
    if not groups:
        return SafeString("")
    rows = [row for group in groups for row in group.rows]
    texts = [row.text for row in rows]
    at = rows_of([row.label for row in rows], texts, row=ROW, room=max(map(text_width, texts)) + GAP)
    axes = {unit: _axis([each for each in groups if each.unit == unit], has_zero=has_zero, least_step=least_step)
            for unit in dict.fromkeys(group.unit for group in groups)}  # fmt: skip
    legend, y = _legend(rows, dot_means, ring_means)
    placed = []
    for group in groups:
        low, high, step = axes[group.unit]
        placed.append(_placed(group, Scale(low, high, at.start, at.end), step, y, at))
        y = placed[-1]["bottom"] + AXIS
    return draw(
        "forest",
        name=name,
        title=title,
        description=description,
        groups=placed,
        legend=legend,
        width=sheet_width(),
        height=y,
        **at.shared,
    )


def _axis(groups: Sequence[EstimatedGroup], *, has_zero: bool, least_step: float) -> tuple[float, float, float]:
    """Return the axis of groups of one unit, within the ends of their scales if all have some."""
    rows = [row for group in groups for row in group.rows]
    low, high, step = axis_of(rows, has_zero=has_zero, least_step=least_step)
    ends = [group.ends for group in groups if group.ends]
    if len(ends) < len(groups):
        return low, high, step
    least, most = min(first for first, _last in ends), max(last for _first, last in ends)
    within = max(low, least), min(high, most)
    return (*(within if within[0] < within[1] else (low, high)), step)


def axis_of(rows: Sequence[Estimated], *, has_zero: bool, least_step: float = 0.0) -> tuple[float, float, float]:
    """Return ends that are multiples of a round step, and the step, which is `least_step` or more."""
    values = [end for row in rows for end in (row.value, row.low, row.high) if end is not None]
    values += [0.0] if has_zero or not values else []
    low, high = min(values), max(values)
    large = max(1.0, abs(high))
    is_one_value = high - low < 1e-6 * large  # as alpha is 0 everywhere: no step is read out of rounding errors
    rough = large / 10 if is_one_value else (high - low) / (MOST_TICKS - 1)
    rough = max(rough, least_step)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(each * power for each in STEPS if each * power >= rough * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return first * step, max(last, first + 1) * step, step


def _placed(group: EstimatedGroup, scale: Scale, step: float, y: float, at: Rows) -> dict[str, Any]:
    top = y + GROUP
    bottom = top + at.height * len(group.rows)
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    return {
        "label": shortened(group.label, LONGEST_HEADING),
        "y": y + HEADING,
        "bottom": bottom,
        "bands": at.bands(top, bottom, len(group.rows)),
        "ticks": scale_ticks(scale, step, f".{digits}f"),
        "rows": [_row(row, scale, top + at.height * place, at) for place, row in enumerate(group.rows)],
    }


def _row(row: Estimated, scale: Scale, top: float, at: Rows) -> dict[str, Any]:
    return {
        "label": shortened(row.label),
        "title": row.label,
        "y": top + at.mark_y,
        "label_y": top + at.label_y,
        "value_y": top + at.value_y,
        "x": None if row.value is None else scale.at(row.value),
        "low": None if row.low is None else scale.at(row.low),
        "high": None if row.high is None else scale.at(row.high),
        "is_open": row.is_open,
        "has_few_data": row.has_few_data,
        "text": row.text,
    }


def _legend(rows: Sequence[Estimated], dot_means: str, ring_means: str) -> tuple[list[dict[str, Any]], float]:
    """Return the entries for the kinds of marks that occur, and the bottom of the legend."""
    entries: list[tuple[str, dict[str, bool]]] = [(dot_means, {})]
    if ring_means and any(row.is_open for row in rows):
        entries.append((ring_means, {"is_open": True}))
    if any(row.has_few_data for row in rows):
        entries.append((_("few data: a rough interval"), {"has_few_data": True, "has_no_dot": True}))
    places = flowed((48 + text_width(words) for words, _kind in entries), start=0.0, row=LINE)
    placed = [
        {"words": words, "x": x + 12, "low": x, "high": x + 24, "y": y + 14, "text_x": x + 30, "text_y": y + 18} | kind
        for (words, kind), (x, y) in zip(entries, places, strict=True)
    ]
    return placed, places[-1][1] + LINE


def interval_text(value: float | None, low: float | None, high: float | None, form: str = ".2f") -> str:
    """Return an estimate with its interval in brackets, as papers print it."""
    if low is None:
        return number(value, form)
    return f"{number(value, form)} [{number(low, form)}, {number(high, form)}]"
