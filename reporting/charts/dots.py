"""Dots with intervals: one row per value, in groups, with the values of parts behind the dot."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from parley.numbers import number
from reporting.charts.drawing import Rows, Scale, draw, flowed, rows_of, scale_ticks, sheet_width, shortened, text_width
from reporting.charts.forest import interval_text
from reporting.labels import strength

ROW, GROUP, TOP, BOTTOM = 24, 36, 36, 30
HEADING = 26  # within the group: nearer to its own rows than to those above
LINE = 20  # of the legend
WORD_SIZE, WORD_GAP = 11, 4
WORDS = (("slight", 0.0, 0.2), ("fair", 0.2, 0.4), ("moderate", 0.4, 0.6), ("substantial", 0.6, 0.8))
LOWEST = -1.0  # of the axis: a lower value is an arrow at its edge, never a dot in the wrong place
WORDS_ABOVE = (*WORDS, ("almost_perfect", 0.8, 1.0))


@dataclass(frozen=True, slots=True)
class Dot:
    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class DotRow:
    """`dot` has the interval, `parts` are small marks behind it, `mean` is a diamond, `note` explains a missing dot."""

    label: str
    dot: Dot | None
    parts: tuple[float, ...] = ()
    mean: float | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class DotGroup:
    label: str
    rows: tuple[DotRow, ...]


def dot_figure(
    *,
    name: str,
    title: str,
    description: str,
    groups: Sequence[DotGroup],
    dot_means: str,
    part_means: str = "",
    has_words: bool = False,
    form: str = ".2f",
    has_intervals_in_words: bool = False,
    middle_means: str = "",
) -> SafeString:
    """Draw the rows as SVG. `name` makes ids unique on a page; `dot_means` and `part_means` are for the legend.

    `has_intervals_in_words` prints intervals beside the values. With `middle_means`, a line is drawn at one half.
    """
    rows = [row for group in groups for row in group.rows]
    texts = [_text(row, form, has_interval=has_intervals_in_words) for row in rows]
    room = max([56.0, *(text_width(text) + 16 for text in texts)]) if has_intervals_in_words else 56
    at = rows_of([row.label for row in rows], texts, row=ROW, room=room)
    # The axis begins at 0, or at the multiple of 0.2 below the lowest value; longer intervals are cut off there.
    values = [value for row in rows for value in (*row.parts, *([row.dot.value] if row.dot else []))]
    lowest = min([0.0, *values])
    low = 0.0 if lowest >= 0 else max(LOWEST, -0.2 * int(-lowest / 0.2 + 0.999))
    scale = Scale(low, 1.0, at.start, at.end)
    legend, top = _legend(rows, dot_means, part_means, middle_means)
    words = _words(scale) if has_words else []
    placed, height = _placed(groups, scale, iter(texts), top + (TOP if words else LINE), at)
    return draw(
        "dots",
        name=name,
        title=title,
        description=description,
        groups=placed,
        width=sheet_width(),
        height=height + BOTTOM,
        plot_bottom=height,
        words_y=top + 28,
        **at.shared,
        middle=scale.at(0.5) if middle_means else None,
        ticks=scale_ticks(scale, 0.2, ".1f" if form == ".2f" else form),
        words=words,
        legend=legend,
    )


def _words(scale: Scale) -> list[tuple[str, float]]:
    """Landis and Koch's words above their stretch of the axis, where there is room for all of them."""
    words = [strength(word) for word, _low, _high in WORDS_ABOVE]
    widths = [text_width(word, WORD_SIZE) for word in words]
    room = scale.at(0.2) - scale.at(0.0) - WORD_GAP
    if any((one + other) / 2 > room for one, other in itertools.pairwise(widths)):
        return []
    return [(word, scale.at((low + high) / 2)) for word, (_name, low, high) in zip(words, WORDS_ABOVE, strict=True)]


def _placed(
    groups: Sequence[DotGroup], scale: Scale, texts: Iterator[str], y: float, at: Rows
) -> tuple[list[dict[str, Any]], float]:
    placed = []
    for group in groups:
        heading = y + HEADING
        y += GROUP if group.label else 0
        top, rows = y, []
        for row in group.rows:
            dot, middle, mark = row.dot, y + at.mark_y, None
            if row.mean is not None:
                mark = _diamond(scale.at(row.mean), middle) if row.mean >= scale.low else _arrow(scale.start, middle)
            rows.append(
                {
                    "label": shortened(row.label),
                    "title": row.label,
                    "y": middle,
                    "text_y": middle + 4,
                    "label_y": y + at.label_y,
                    "value_y": y + at.value_y,
                    "parts": [scale.at(part) for part in row.parts if part >= scale.low],
                    "part_top": middle - 6,
                    "part_bottom": middle + 6,
                    "x": scale.at(dot.value) if dot and dot.value >= scale.low else None,
                    "beyond": _arrow(scale.start, middle) if dot and dot.value < scale.low else None,
                    "low": scale.at(dot.low) if dot and dot.low is not None else None,
                    "high": scale.at(dot.high) if dot and dot.high is not None else None,
                    "diamond": mark,
                    "text": next(texts),
                    "note": row.note,
                    "note_x": scale.start + 8,
                }
            )
            y += at.height
        bands = at.bands(top, y, len(rows))
        placed.append({"label": group.label, "y": heading, "rows": rows, "bands": bands})
    return placed, y


def _arrow(x: float, y: float, size: float = 6) -> str:
    """Return the points of an arrow to the left with its tip at x."""
    return f"{x},{y} {x + size * 1.6},{y - size} {x + size * 1.6},{y + size}"


def _diamond(x: float, y: float, size: float = 4.5) -> str:
    return f"{x},{y - size} {x + size},{y} {x},{y + size} {x - size},{y}"


def _text(row: DotRow, form: str, *, has_interval: bool) -> str:
    if row.dot and has_interval:
        return interval_text(row.dot.value, row.dot.low, row.dot.high, form)
    return number(row.dot.value if row.dot else None, form)


def _legend(
    rows: Sequence[DotRow], dot_means: str, part_means: str, middle_means: str
) -> tuple[list[dict[str, Any]], float]:
    """Return the entries for the kinds of marks that occur, and the bottom of the legend."""
    has_intervals = any(row.dot and row.dot.low is not None for row in rows)
    entries = [("dot", _("%(dot_means)s, 95 %% interval") % {"dot_means": dot_means} if has_intervals else dot_means)]
    if any(row.mean is not None for row in rows):
        entries.append(("diamond", _("mean over batches")))
    if part_means and any(row.parts for row in rows):
        entries.append(("part", part_means))
    if middle_means:
        entries.append(("middle", middle_means))
    drawn = [*(row.dot.value for row in rows if row.dot), *(row.mean for row in rows if row.mean is not None)]
    if min(drawn, default=0.0) < LOWEST:
        entries.append(("beyond", _("below %(lowest)s") % {"lowest": number(LOWEST, ".0f")}))
    places = flowed((48 + text_width(words) for _kind, words in entries), start=0.0, row=LINE)
    placed = [
        {
            "kind": kind,
            "words": words,
            "x": x + 12,
            "y": y + 14,
            "low": x,
            "high": x + 24,
            "top": y + 8,
            "bottom": y + 20,
            "text_x": x + 30,
            "text_y": y + 18,
            "points": _arrow(x + 7, y + 14) if kind == "beyond" else _diamond(x + 12, y + 14),
        }
        for (kind, words), (x, y) in zip(entries, places, strict=True)
    ]
    return placed, places[-1][1] + LINE
