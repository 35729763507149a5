"""A control chart: a line that moves to its limit while something is off, and where it reached it."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from django.utils.safestring import SafeString

from measures.arrays import BoolArray, FloatArray
from parley.numbers import number
from reporting.charts.drawing import FONT_SIZE, WIDTH, Scale, draw, text_width

START, END, TOP, HEIGHT, BOTTOM = 44.0, WIDTH - 12.0, 34.0, 150.0, 40.0
HIGHEST = 3  # times the limit; what is above is drawn there
MARGIN = 0.03  # of a share, above and below what is drawn
MOST_POINTS = 600  # more than a screen has columns; of several in one the one nearest to an alarm is drawn
TICKS = (1, 2, 5, 10, 20, 50, 100, 200, 500)


@dataclass(frozen=True, slots=True)
class CourseWords:
    """What stands in the picture, in the language of the page."""

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
    """`path` by answer; the first `n_baseline` only say what is usual. `beyond`: at the limit or past it, `alarm` the
    place of the first of these. `falls`: a share that falls to its limit; else a sum that rises to it.
    """
    bottom = TOP + HEIGHT
    across = Scale(1, max(len(path), 2), START, END)
    up = _share_scale(path, limit) if falls else _sum_scale(path, limit)
    places = _places(path, falls)
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
        shares=[{"y": up.at(share), "text": number(share, ".0%")} for share in _shares(up)] if falls else [],
        limit=_limit(words.limit, up.at(limit)),
        baseline={"width": round(across.at(n_baseline) - START, 1), "words": words.baseline, "text_y": TOP - 6},
        alarm=_alarm(path, alarm, across, up, words.alarm, falls),
        axis=words.axis,
        ticks=[{"x": across.at(value), "text": f"{value:,}"} for value in _ticks(len(path))],
    )


def _limit(words: str, y: float) -> dict[str, object]:
    """The dashed line, and a short piece of it with its words above the picture."""
    key = round(END - text_width(words, 11) - 32, 1)
    return {"y": y, "words": words, "text_x": key + 32, "text_y": TOP - 6, "key_y": TOP - 10, "key_start": key,
            "key_end": key + 26}  # fmt: skip


def _sum_scale(path: FloatArray, limit: float) -> Scale:
    """It rises on and on after an alarm: drawn whole, the limit would lie on the ground."""
    return Scale(0, min(max(limit * 1.25, path.max(initial=0.0)), limit * HIGHEST), TOP + HEIGHT, TOP)


def _share_scale(path: FloatArray, limit: float) -> Scale:
    low, high = path.min(initial=limit) - MARGIN, path.max(initial=limit) + MARGIN
    return Scale(max(low, 0.0), min(high, 1.0), TOP + HEIGHT, TOP)


def _shares(up: Scale) -> list[float]:
    return [tenth / 10 for tenth in range(11) if up.low <= tenth / 10 <= up.high]


def _places(path: FloatArray, falls: bool) -> list[int]:
    step = max(-(-len(path) // MOST_POINTS), 1)
    extreme = np.argmin if falls else np.argmax
    return [at + int(extreme(path[at : at + step])) for at in range(0, len(path), step)]


def _point(path: FloatArray, at: int, across: Scale, up: Scale) -> str:
    return f"{across.at(at + 1)},{up.at(path[at])}"


def _runs(places: Sequence[int], beyond: BoolArray) -> list[list[int]]:
    """Neighbours that lie beyond the limit; one alone twice, for a line of one point is not drawn."""
    runs = [list(run) for is_beyond, run in groupby(places, key=lambda at: bool(beyond[at])) if is_beyond]
    return [run * 2 if len(run) == 1 else run for run in runs]


def _ticks(n: int) -> list[int]:
    step = next((each for each in TICKS if n <= each * 8), TICKS[-1])
    return list(range(step, n + 1, step))


def _alarm(
    path: FloatArray, at: int | None, across: Scale, up: Scale, words: str, falls: bool
) -> dict[str, object] | None:
    """A triangle on its point and its words where there is room: a line that falls was not down there before."""
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
