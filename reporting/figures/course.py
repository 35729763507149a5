"""A control chart: a sum that rises while something is off, the limit it should stay below, and where it did not."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.utils.safestring import SafeString

from reporting.figures.drawing import FONT_SIZE, WIDTH, Scale, draw, text_width

START, END, TOP, HEIGHT, BOTTOM = 44.0, WIDTH - 12.0, 34.0, 150.0, 40.0
HIGHEST = 3  # times the limit; what is above is drawn there
MOST_POINTS = 600  # more than a screen has columns; of several in one the highest is drawn
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
    path: Sequence[float],
    limit: float,
    n_baseline: int,
    alarm: int | None,
    words: CourseWords,
) -> SafeString:
    """`path` by answer; the first `n_baseline` only say what is usual. `alarm`: the place of the first one above."""
    bottom = TOP + HEIGHT
    across = Scale(1, max(len(path), 2), START, END)
    # It rises on and on after an alarm: drawn whole, the limit would lie on the ground.
    up = Scale(0, min(max(limit * 1.25, max(path, default=0.0)), limit * HIGHEST), bottom, TOP)
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
        points=_points(path, across, up),
        limit=_limit(words.limit, up.at(limit)),
        baseline={"width": round(across.at(n_baseline) - START, 1), "words": words.baseline, "text_y": TOP - 6},
        alarm=_alarm(path, alarm, across, up, words.alarm),
        axis=words.axis,
        ticks=[{"x": across.at(value), "text": f"{value:,}"} for value in _ticks(len(path))],
    )


def _limit(words: str, y: float) -> dict[str, object]:
    """The dashed line, and a short piece of it with its words above the picture."""
    line = round(END - text_width(words, 11) - 34, 1)
    return {"y": y, "words": words, "text_y": TOP - 6, "key_y": TOP - 10, "key_start": line, "key_end": line + 26}


def _points(path: Sequence[float], across: Scale, up: Scale) -> str:
    step = -(-len(path) // MOST_POINTS)
    places = [at + int(np.argmax(path[at : at + step])) for at in range(0, len(path), max(step, 1))]
    return " ".join(f"{across.at(at + 1)},{up.at(path[at])}" for at in places)


def _ticks(n: int) -> list[int]:
    step = next((each for each in TICKS if n <= each * 8), TICKS[-1])
    return list(range(step, n + 1, step))


def _alarm(path: Sequence[float], at: int | None, across: Scale, up: Scale, words: str) -> dict[str, object] | None:
    """A triangle on its point and its words, on the side where there is room."""
    if at is None:
        return None
    x, y = across.at(at + 1), up.at(path[at])
    is_left = x + text_width(words, FONT_SIZE) + 12 > END
    triangle = f"{x - 7},{round(y - 16, 1)} {x + 7},{round(y - 16, 1)} {x},{round(y - 4, 1)}"
    return {
        "x": x,
        "triangle": triangle,
        "words": words,
        "text_x": x - 11 if is_left else x + 11,
        "text_y": round(y - 6, 1),
        "anchor": "end" if is_left else "start",
    }
