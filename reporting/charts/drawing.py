"""Parts that all charts share: a scale, the width of a text, colours, and rendering to SVG.

Colours are presentation attributes that suit white paper; a page may override them by class, for dark mode. There are
no style attributes and no scripts, so charts work under the strictest content security policy.
"""

import itertools
import math
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from parley.numbers import number

WIDTH = 680  # in units of the chart; pages scale it
NARROW = 340  # on a phone, where a wide chart would lose its numbers beyond the edge or be too small to read
LINE_OF_TEXT = 17
FONT_SIZE = 12.5
LONGEST_LABEL = 34  # characters of usual width; the legend or the table has the full text
# Widths of letters, as shares of the font size.
LETTERS = (("+−", 0.84), ("ijlI|!.,:;'’ ", 0.32), ('frt()[]{}/\\-"*', 0.41), ("mwMW%@…—", 0.97))
CAPITAL, USUAL = 0.7, 0.61
# The palette of Okabe & Ito, whose colours can be told apart with every kind of colour blindness.
SERIES = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#6e7781")
# {word of Landis & Koch: (fill, ink on it)}: orange below chance, then a blue that darkens with agreement.
TONES = {
    "poor": ("#f6dcc4", "#1f2730"),
    "slight": ("#eaf1f9", "#1f2730"),
    "fair": ("#c9dff2", "#1f2730"),
    "moderate": ("#8fbde3", "#1f2730"),
    "substantial": ("#2f76b5", "#ffffff"),
    "almost_perfect": ("#0f4c81", "#ffffff"),
}


_is_narrow: ContextVar[bool] = ContextVar("is_narrow", default=False)


@contextmanager
def on_a_phone() -> Iterator[None]:
    """Draw charts that fit a phone: names and numbers stand above their marks, not beside them."""
    token = _is_narrow.set(True)
    try:
        yield
    finally:
        _is_narrow.reset(token)


def sheet_width() -> int:
    return NARROW if _is_narrow.get() else WIDTH


@dataclass(frozen=True, slots=True)
class Rows:
    """Where rows have their axis (from `start` to `end`), name, number and mark; the last three from the row's top."""

    start: float
    end: float
    height: int
    label_x: float
    label_anchor: str
    label_y: int
    value_x: float
    value_anchor: str
    value_y: int
    mark_y: int

    def bands(self, top: float, bottom: float, n: int) -> list[tuple[float, float]]:
        """Return where the lines of the grid are: whole, or on a phone in each row below its texts."""
        if self.label_anchor == "end":
            return [(top, bottom)]
        texts = max(self.label_y, self.value_y) + 5
        ends = [bottom - self.height * (n - 1 - at) for at in range(n)]
        return [(end - self.height + texts, end) for end in ends]

    @property
    def shared(self) -> dict[str, Any]:
        """Return what a template needs once for all rows."""
        return {name: getattr(self, name) for name in ("label_x", "label_anchor", "value_x", "value_anchor")}


def rows_of(labels: list[str], values: list[str], *, row: int, room: float) -> Rows:
    """Place the names left of the axis and the numbers in `room` right of it; on a phone, both above it."""
    width, names = sheet_width(), label_width(labels)
    numbers = max(map(text_width, values), default=0.0)
    if width == WIDTH:
        start, middle = max(90.0, names + 16), row // 2
        return Rows(start, width - room, row, start - 12, "end", middle + 4, width - 2, "end", middle + 4, middle)
    if names + numbers + 16 <= width:
        middle = LINE_OF_TEXT + row // 2
        return Rows(18, width - 18, row + LINE_OF_TEXT, 0, "start", 15, width - 2, "end", 15, middle)
    line = LINE_OF_TEXT
    return Rows(18, width - 18, row + 2 * line, 0, "start", 15, 0, "start", 15 + line, 2 * line + row // 2)


@dataclass(frozen=True, slots=True)
class Scale:
    """A linear map from values to units of the chart; values beyond its ends are clipped."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return round(self.start + share * (self.end - self.start), 1)


@dataclass(frozen=True, slots=True)
class Tick:
    x: float
    text: str
    is_zero: bool


def scale_ticks(scale: Scale, step: float, form: str) -> list[Tick]:
    """Return grid lines at multiples of `step`; `form` is a number format, for example '.1f' or '.0%'."""
    first, last = math.ceil(scale.low / step - 1e-9), math.floor(scale.high / step + 1e-9)
    values = (number * step for number in range(first, last + 1))
    return [Tick(scale.at(value), number(value, form), abs(value) < 1e-9) for value in values]


def text_width(text: str, size: float = FONT_SIZE) -> float:
    """Estimate the width of a text without its font; wide characters (such as Chinese) take a whole square."""
    return size * sum(map(_letter_width, text))


def _letter_width(letter: str) -> float:
    """Return the width in DejaVu Sans, the widest font that a chart may use, so that no text leaves the chart."""
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.0
    return next((width for letters, width in LETTERS if letter in letters), CAPITAL if letter.isupper() else USUAL)


def shortened(text: str, longest: int = LONGEST_LABEL) -> str:
    """Cut a long text in the middle: the names of a model's versions differ at the end."""
    room = longest * FONT_SIZE * USUAL
    if text_width(text) <= room:
        return text
    head, tail = _fitting(text, room * 0.6), _fitting(text[::-1], room * 0.4 - FONT_SIZE)[::-1]
    return f"{head.rstrip()}…{tail.lstrip()}"


def _fitting(text: str, room: float) -> str:
    """Return as much of the beginning as fits."""
    widths = itertools.accumulate(text_width(letter) for letter in text)
    return text[: sum(width <= room for width in widths)]


def label_width(labels: Iterable[str], size: float = FONT_SIZE) -> float:
    return max((text_width(shortened(label), size) for label in labels), default=0.0)


def flowed(widths: Iterable[float], *, start: float, row: float) -> list[tuple[float, float]]:
    """Return (x, y) of each legend entry: beside the one before, or on the next line if there is no room."""
    placed, x, y = [], start, 0.0
    for width in widths:
        if x + width > sheet_width() and x > start:
            x, y = start, y + row
        placed.append((round(x, 1), y))
        x += width
    return placed


def draw(template: str, **context: Any) -> SafeString:
    if _is_narrow.get():  # ids are unique on a page, which has the wide drawing too
        context["name"] += "-narrow"
    return render_to_string(f"reporting/charts/{template}.svg", {"font_size": FONT_SIZE, **context})
