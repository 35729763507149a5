"""Curves that show what more of a number would bring, with the chosen number marked."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString

from reporting.charts.drawing import SERIES, WIDTH, Scale, draw, text_width

TOP, HEIGHT, BOTTOM, LINE = 40.0, 230.0, 44.0, 15.0
N_TICKS = 6
STEPS = (1, 2, 5)


@dataclass(frozen=True, slots=True)
class Curve:
    """A curve of (x, y) points from left to right; points above the highest line of the chart are not drawn."""

    label: str
    points: tuple[tuple[float, float], ...]
    is_chosen: bool = False


@dataclass(frozen=True, slots=True)
class CurveWords:
    """The words in the chart, in the language of the page."""

    across: str
    up: str
    limit: str


def curve_figure(
    *,
    name: str,
    title: str,
    description: str,
    curves: Sequence[Curve],
    highest: float,
    limit: float,
    chosen: tuple[float, float] | None,
    words: CurveWords,
) -> SafeString:
    """Draw the curves as SVG, coloured in their order.

    `limit` is the height of a dashed line; `chosen` is a dot with a line down from it.
    """
    bottom = TOP + HEIGHT
    ticks = _ticks(highest)
    start = max(text_width(f"{tick:g}") for tick in ticks) + 14
    # A bold label is a tenth wider.
    end = WIDTH - 1.1 * max(map(text_width, [words.limit, *(curve.label for curve in curves)])) - 10
    furthest = max(x for curve in curves for x, _ in curve.points)
    across, up = Scale(0, furthest, start, end), Scale(0, highest, bottom, TOP)
    return draw(
        "curve",
        name=name,
        title=title,
        description=description,
        width=WIDTH,
        height=bottom + BOTTOM,
        start=start,
        end=end,
        bottom=bottom,
        tick_y=bottom + 17,
        axis_y=bottom + 36,
        words_y=TOP - 16,
        words=words,
        curves=[
            {
                "points": " ".join(f"{across.at(x)},{up.at(y)}" for x, y in curve.points if y <= up.high),
                "series": at,
                "color": SERIES[at % len(SERIES)],
                "is_chosen": curve.is_chosen,
            }
            for at, curve in enumerate(curves)
        ],
        labels=_labels(curves, up, limit, words.limit),
        label_x=end + 7,
        rows=[{"y": up.at(tick), "text_y": up.at(tick) + 4, "text": f"{tick:g}"} for tick in ticks],
        columns=[{"x": across.at(tick), "text": f"{tick:,.0f}"} for tick in _ticks(furthest)[1:]],
        tick_x=start - 7,
        limit_y=up.at(limit),
        chosen={"x": across.at(chosen[0]), "y": up.at(chosen[1])} if chosen else None,
    )


def _ticks(highest: float) -> list[float]:
    """Return 0 and the multiples of a step (1, 2 or 5 times a power of ten) up to `highest`."""
    power = 10.0**-12
    while True:
        step = next((power * each for each in STEPS if highest / (power * each) <= N_TICKS), 0)
        if step:
            return [round(number * step, 12) for number in range(int(highest / step + 1e-9) + 1)]
        power *= 10


def _labels(curves: Sequence[Curve], up: Scale, limit: float, limit_words: str) -> list[dict[str, Any]]:
    """Place labels beside the ends of the curves and the limit, at least one line apart."""
    ends = [(curve.points[-1][1], curve.label, curve.is_chosen) for curve in curves]
    placed: list[dict[str, Any]] = []
    y = -LINE
    for value, text, is_chosen in sorted([*ends, (limit, limit_words, False)], reverse=True):
        y = max(up.at(value) + 4, y + LINE)
        placed.append({"y": round(y, 1), "text": text, "is_chosen": is_chosen, "is_limit": text == limit_words})
    return placed
