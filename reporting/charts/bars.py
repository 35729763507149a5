"""Horizontal bars of shares, in groups, each with its number."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString

from parley.numbers import number
from reporting.charts.drawing import (
    SERIES,
    Rows,
    Scale,
    draw,
    flowed,
    rows_of,
    scale_ticks,
    sheet_width,
    shortened,
    text_width,
)

BAR, GAP, GROUP, TOP, BOTTOM = 16, 5, 34, 8, 30
HEADING = 24  # within the group: nearer to its own bars than to those above
LONGEST_NAME = 80  # in the legend, where a long name gets its own line
# (end of an axis, distance of its lines). The first that fits the highest bar is taken: small shares stay
# distinguishable, and every line is a round number.
ENDS = ((0.1, 0.02), (0.2, 0.05), (0.3, 0.05), (0.4, 0.1), (0.5, 0.1), (0.6, 0.1), (0.8, 0.2), (1.0, 0.2))


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar. `value` is a share from 0 to 1, or None if undefined; `series` is its index in colours and legend."""

    label: str
    value: float | None
    series: int = 0
    title: str = ""


@dataclass(frozen=True, slots=True)
class BarGroup:
    label: str
    bars: tuple[Bar, ...]


def bar_figure(
    *,
    name: str,
    title: str,
    description: str,
    groups: Sequence[BarGroup],
    series: Sequence[str] = (),
    form: str = ".0%",
    high: float | None = None,
) -> SafeString:
    """Draw the bars as SVG. `series` are names for a legend (without one by default), `high` is the highest value."""
    bars = [bar for group in groups for bar in group.bars]
    at = rows_of([bar.label for bar in bars], [], row=BAR + GAP, room=60)
    highest = high or max((bar.value for bar in bars if bar.value is not None), default=1.0)
    end, step = next((each for each in ENDS if highest <= each[0]), ENDS[-1])
    scale = Scale(0.0, end, at.start, sheet_width() - 60)
    legend, top = _legend(series)
    placed, bottom = _placed(groups, scale, form, top, at)
    return draw(
        "bars",
        name=name,
        title=title,
        description=description,
        groups=placed,
        legend=legend,
        width=sheet_width(),
        height=bottom + BOTTOM,
        plot_bottom=bottom,
        **at.shared,
        start=at.start,
        bar_height=BAR,
        ticks=scale_ticks(scale, step, ".0%"),
    )


def _placed(
    groups: Sequence[BarGroup], scale: Scale, form: str, top: float, at: Rows
) -> tuple[list[dict[str, Any]], float]:
    placed, y = [], top
    for group in groups:
        heading = y + HEADING
        y += GROUP if group.label else GAP
        plot_top, bars = y - GAP, []
        for bar in group.bars:
            upper = y + at.height - BAR - GAP
            end, series = scale.at(bar.value or 0.0), bar.series % len(SERIES)
            bars.append(
                {
                    "label": shortened(bar.label),
                    "title": bar.title,
                    "label_y": y + at.label_y - 2,
                    "y": upper,
                    "text_y": upper + BAR - 4,
                    "length": round(end - scale.start, 1),
                    "text_x": end + 6,
                    "text": number(bar.value, form),
                    "series": series,
                    "fill": SERIES[series],
                }
            )
            y += at.height
        bands = at.bands(plot_top, y, len(bars))
        placed.append({"label": group.label, "y": heading, "bars": bars, "bands": bands})
    return placed, y


def _legend(series: Sequence[str]) -> tuple[list[dict[str, Any]], float]:
    """Return the legend, with names in full where possible because labels are cut, and the top of the plot."""
    names = [shortened(name, LONGEST_NAME) for name in series]
    places = flowed((34 + text_width(name) for name in names), start=0.0, row=20)
    legend = [
        {"name": name, "x": x, "y": y, "text_x": x + 18, "text_y": y + 11, "series": at % len(SERIES),
         "fill": SERIES[at % len(SERIES)]}
        for at, (name, (x, y)) in enumerate(zip(names, places, strict=True))
    ]  # fmt: skip
    return legend, places[-1][1] + 20 + TOP if places else TOP
