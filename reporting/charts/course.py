"""A control chart: a line that moves towards a limit while something is wrong, and a mark where it reached it."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from django.utils.safestring import SafeString

from measures.arrays import BoolArray, FloatArray
from parley.numbers import number
from reporting.charts.drawing import FONT_SIZE, WIDTH, Scale, draw, text_width

START, END, TOP, HEIGHT, BOTTOM = 44.0, WIDTH - 12.0, 34.0, 150.0, 40.0
HIGHEST = 3  # times the limit; higher values are drawn there
MARGIN = 0.03  # of a share, above and below the line
MOST_POINTS = 600  # more would not be visible; of several answers at one point, the one nearest to an alarm is drawn
TICKS = (1, 2, 5, 10, 20, 50, 100, 200, 500)


@dataclass(frozen=True, slots=True)
class CourseWords:
    """The words in the chart, in the language of the page."""

    axis: str
    limit: str
    baseline: str
    alarm: str = ""


def course_figure(
    *,
    name: str,
    title: str,
    description: str,
    path: FloatArray,
    limit: float,
    beyond: BoolArray,
    falls: bool,
    n_baseline: int,
    alarm: int | None,
    words: CourseWords,
) -> SafeString:
    """Draw the chart as SVG; `path` has one value for each answer.

    The first `n_baseline` answers only set the usual level. `beyond` marks values at the limit or past it, `alarm` is
    the index of the first of them. `falls`: the path is a share that falls to its limit, not a sum that rises to it.
    """
    bottom = TOP + HEIGHT
    across = Scale(1, max(len(path), 2), START, END)
    if falls:
        low, high = path.min(initial=limit) - MARGIN, path.max(initial=limit) + MARGIN
        up = Scale(max(low, 0.0), min(high, 1.0), bottom, TOP)
        shares = [tenth / 10 for tenth in range(11) if up.low <= tenth / 10 <= up.high]
    else:  # the sum keeps rising after an alarm and would push the limit to the bottom, so the axis is cut
        up = Scale(0, min(max(limit * 1.25, path.max(initial=0.0)), limit * HIGHEST), bottom, TOP)
        shares = []
    width, extreme = max(-(-len(path) // MOST_POINTS), 1), np.argmin if falls else np.argmax
    places = [at + int(extreme(path[at : at + width])) for at in range(0, len(path), width)]
    step = next((each for each in TICKS if len(path) <= each * 8), TICKS[-1])
    return draw(
        "course",
        name=name,
        title=title,
        description=description,
        width=WIDTH,
        height=bottom + BOTTOM,
        start=START,
        end=END,
        top=TOP,
        bottom=bottom,
        plot_height=HEIGHT,
        tick_y=bottom + 16,
        axis_y=bottom + 34,
        points=" ".join(_point(path, at, across, up) for at in places),
        beyond=[" ".join(_point(path, at, across, up) for at in run) for run in _runs(places, beyond)],
        shares=[{"y": up.at(share), "text": number(share, ".0%")} for share in shares],
        limit=_limit(words.limit, up.at(limit)),
        baseline={"width": round(across.at(n_baseline) - START, 1), "words": words.baseline, "text_y": TOP - 6},
        alarm=_alarm(path, alarm, across, up, words.alarm, falls),
        axis=words.axis,
        ticks=[{"x": across.at(value), "text": f"{value:,}"} for value in range(step, len(path) + 1, step)],
    )


def _limit(words: str, y: float) -> dict[str, object]:
    """Place the dashed line, and above the chart its legend: a short piece of the line with its words."""
    key = round(END - text_width(words, 11) - 32, 1)
    return {"y": y, "words": words, "text_x": key + 32, "text_y": TOP - 6, "key_y": TOP - 10, "key_start": key,
            "key_end": key + 26}  # fmt: skip


def _point(path: FloatArray, at: int, across: Scale, up: Scale) -> str:
    return f"{across.at(at + 1)},{up.at(path[at])}"


def _runs(places: Sequence[int], beyond: BoolArray) -> list[list[int]]:
    """Return runs of points beyond the limit; a single point is doubled because a line of one point is not drawn."""
    runs = [list(run) for is_beyond, run in groupby(places, key=lambda at: bool(beyond[at])) if is_beyond]
    return [run * 2 if len(run) == 1 else run for run in runs]


def _alarm(
    path: FloatArray, at: int | None, across: Scale, up: Scale, words: str, falls: bool
) -> dict[str, object] | None:
    """Place a triangle at the alarm, and its words where there is room: a falling line leaves it at the bottom left."""
    if at is None:
        return None
    x, y = across.at(at + 1), up.at(path[at])
    room = text_width(words, FONT_SIZE) + 12
    is_left = x - room > START if falls else x + room > END
    return {
        "x": x,
        "triangle": f"{x - 7},{round(y - 16, 1)} {x + 7},{round(y - 16, 1)} {x},{round(y - 4, 1)}",
        "words": words,
        "text_x": x - 11 if is_left else x + 11,
        "text_y": TOP + HEIGHT - 8 if falls else round(y - 6, 1),
        "anchor": "end" if is_left else "start",
    }
