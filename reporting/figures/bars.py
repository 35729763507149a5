"""Horizontal bars of shares, in groups, each with its number."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString

from reporting.figures.drawing import FONT_SIZE, SERIES, WIDTH, Scale, draw, label_width, number, scale_ticks, shortened

BAR, GAP, GROUP, TOP, BOTTOM = 16, 5, 30, 14, 30


@dataclass(frozen=True, slots=True)
class Bar:
    """`value` is a share from 0 to 1, None where there is none; `series` chooses the colour and the legend's line."""

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
    """`series`: names for a legend; without them every bar carries its own label. `high`: the end of the axis."""
    bars = [bar for group in groups for bar in group.bars]
    headings = label_width([group.label for group in groups], FONT_SIZE * 1.1)  # they are bold
    start = max(90.0, headings + 8, label_width([bar.label for bar in bars]) + 16)
    scale = Scale(0.0, high or _highest(bars), start, WIDTH - 60)
    legend, top = _legend(series)
    placed, bottom = _placed(groups, scale, form, top)
    return draw(
        "bars",
        name=name,
        title=title,
        description=description,
        groups=placed,
        legend=legend,
        width=WIDTH,
        height=bottom + BOTTOM,
        plot_bottom=bottom,
        plot_top=top,
        label_x=start - 10,
        start=start,
        bar_height=BAR,
        ticks=scale_ticks(scale, scale.high / 5, ".0%"),
    )


def _highest(bars: Sequence[Bar]) -> float:
    """The end of the axis: the next multiple of 10 % above the highest bar, so that small shares can be told apart."""
    highest = max((bar.value for bar in bars if bar.value is not None), default=1.0)
    return next((step / 10 for step in range(1, 10) if highest <= step / 10), 1.0)


def _placed(groups: Sequence[BarGroup], scale: Scale, form: str, top: float) -> tuple[list[dict[str, Any]], float]:
    placed, y = [], top
    for group in groups:
        heading = y + 16 if group.label else None
        y += GROUP if group.label else 0
        bars = []
        for bar in group.bars:
            bars.append(_placed_bar(bar, y, scale, form))
            y += BAR + GAP
        placed.append({"label": group.label, "y": heading, "bars": bars})
    return placed, y


def _placed_bar(bar: Bar, y: float, scale: Scale, form: str) -> dict[str, Any]:
    end = scale.at(bar.value or 0.0)
    return {
        "label": shortened(bar.label),
        "title": bar.title,
        "y": y,
        "text_y": y + BAR - 4,
        "length": round(end - scale.start, 1),
        "text_x": end + 6,
        "text": number(bar.value, form),
        "series": bar.series % len(SERIES),
        "fill": SERIES[bar.series % len(SERIES)],
    }


def _legend(series: Sequence[str]) -> tuple[list[dict[str, Any]], float]:
    """The lines of the legend, which wrap, and where the plot begins below them."""
    legend, x, y = [], 4.0, 4.0
    for at, name in enumerate(series):
        width = 34 + label_width([name])
        if x + width > WIDTH and x > 4:
            x, y = 4.0, y + 20
        fill = SERIES[at % len(SERIES)]
        legend.append({"name": shortened(name), "x": x, "y": y, "text_x": x + 18, "text_y": y + 11,
                       "series": at % len(SERIES), "fill": fill})  # fmt: skip
        x += width
    return legend, y + 24 + TOP if series else TOP
