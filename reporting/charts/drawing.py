"""What every picture needs: a scale, the width of a text, colours, and the step from values to SVG.

Colours are presentation attributes, right on white paper; a page may override them by class, for dark mode.
No style attributes and no scripts, so the strictest content security policy shows them.
"""

import itertools
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from measures.labels import landis_koch
from parley.numbers import number

WIDTH = 680  # in units of the picture; pages scale it
FONT_SIZE = 12.5
LONGEST_LABEL = 34  # usual characters, or fewer wide ones; what is cut out stands in the legend or the table
# Widths of letters in squares.
LETTERS = (("ijlI|!.,:;'’ ", 0.32), ('frt()[]{}/\\-"*', 0.41), ("mwMW%@…—", 0.97))
CAPITAL, USUAL = 0.7, 0.61
# Okabe & Ito: told apart with every kind of colour blindness.
SERIES = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#6e7781")
# By Landis & Koch: orange below chance, then a blue that darkens with agreement. (fill, ink on it)
TONES = {
    "poor": ("#f6dcc4", "#1f2730"),
    "slight": ("#eaf1f9", "#1f2730"),
    "fair": ("#c9dff2", "#1f2730"),
    "moderate": ("#8fbde3", "#1f2730"),
    "substantial": ("#2f76b5", "#ffffff"),
    "almost_perfect": ("#0f4c81", "#ffffff"),
}


@dataclass(frozen=True, slots=True)
class Scale:
    """From values to units of the picture."""

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
    """Lines of a grid at multiples of `step`; `form` is a format, for example '.1f' or '.0%'."""
    first, last = round(scale.low / step), round(scale.high / step)
    values = (number * step for number in range(first, last + 1))
    return [Tick(scale.at(value), number(value, form), abs(value) < 1e-9) for value in values]


def text_width(text: str, size: float = FONT_SIZE) -> float:
    """About how wide a text is: there is no font to ask. Wide characters take a whole square."""
    return size * sum(map(_letter_width, text))


def _letter_width(letter: str) -> float:
    """In squares, as in DejaVu Sans: the widest of the fonts a picture asks for, so nothing runs out of it."""
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.0
    return next((width for letters, width in LETTERS if letter in letters), CAPITAL if letter.isupper() else USUAL)


def shortened(text: str, longest: int = LONGEST_LABEL) -> str:
    """Cut in the middle: versions of one model differ at the end of their names."""
    room = longest * FONT_SIZE * USUAL
    if text_width(text) <= room:
        return text
    head, tail = _fitting(text, room * 0.6), _fitting(text[::-1], room * 0.4 - FONT_SIZE)[::-1]
    return f"{head.rstrip()}…{tail.lstrip()}"


def _fitting(text: str, room: float) -> str:
    """As much of the beginning as has room."""
    widths = itertools.accumulate(text_width(letter) for letter in text)
    return text[: sum(width <= room for width in widths)]


def label_width(labels: Iterable[str], size: float = FONT_SIZE) -> float:
    return max((text_width(shortened(label), size) for label in labels), default=0.0)


def flowed(widths: Iterable[float], *, start: float, row: float) -> list[tuple[float, float]]:
    """(x, y) of the entries of a legend, each beside the one before or, where there is no room, on the next line."""
    placed, x, y = [], start, 0.0
    for width in widths:
        if x + width > WIDTH and x > start:
            x, y = start, y + row
        placed.append((round(x, 1), y))
        x += width
    return placed


def tone_of(value: float | None) -> str | None:
    """The name of a tone: the word of Landis and Koch."""
    return landis_koch(value)


def draw(template: str, **context: Any) -> SafeString:
    return render_to_string(f"reporting/charts/{template}.svg", {"font_size": FONT_SIZE, **context})
