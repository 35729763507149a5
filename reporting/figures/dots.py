"""Dots with intervals: one line per value, in groups, with the values of parts behind it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from reporting.figures.drawing import FONT_SIZE, WIDTH, Scale, draw, label_width, number, scale_ticks, shortened
from reporting.words import strength

ROW, GROUP, TOP, BOTTOM = 24, 34, 64, 30
ROOM_FOR_WORD = 66
WORDS = (("slight", 0.0, 0.2), ("fair", 0.2, 0.4), ("moderate", 0.4, 0.6), ("substantial", 0.6, 0.8))
WORDS_ABOVE = (*WORDS, ("almost_perfect", 0.8, 1.0))


@dataclass(frozen=True, slots=True)
class Dot:
    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class DotRow:
    """`dot` has the interval; `parts` are small marks behind it; `mean` is a diamond; `note`: why there is no dot."""

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
) -> SafeString:
    """`name` makes ids unique on a page; `dot_means` and `part_means` are the words of the legend."""
    rows = [row for group in groups for row in group.rows]
    headings = label_width([group.label for group in groups], FONT_SIZE * 1.1)  # they are bold
    start = max(90.0, headings + 8, label_width([row.label for row in rows]) + 16)
    scale = Scale(_lowest(rows), 1.0, start, WIDTH - 56)
    placed, height = _placed(groups, scale, form)
    return draw(
        "dots",
        name=name,
        title=title,
        description=description,
        groups=placed,
        width=WIDTH,
        height=height + BOTTOM,
        plot_bottom=height,
        plot_top=TOP - 12,
        label_x=start - 12,
        value_x=WIDTH - 4,
        ticks=scale_ticks(scale, 0.2, ".1f" if form == ".2f" else form),
        words=_words(scale) if has_words else [],
        legend=_legend(rows, start, dot_means, part_means),
    )


def _lowest(rows: Sequence[DotRow]) -> float:
    """Nought, or the multiple of .2 below the lowest value; long intervals are cut off there."""
    values = [value for row in rows for value in (*row.parts, *([row.dot.value] if row.dot else []))]
    lowest = min([0.0, *values])
    return 0.0 if lowest >= 0 else max(-1.0, -0.2 * int(-lowest / 0.2 + 0.999))


def _words(scale: Scale) -> list[tuple[str, float]]:
    """Landis and Koch's words above their stretch of the axis, where there is room for them."""
    if scale.at(0.2) - scale.at(0.0) < ROOM_FOR_WORD:
        return []
    return [(strength(word), scale.at((low + high) / 2)) for word, low, high in WORDS_ABOVE]


def _placed(groups: Sequence[DotGroup], scale: Scale, form: str) -> tuple[list[dict[str, Any]], int]:
    placed, y = [], TOP
    for group in groups:
        heading = y + 22 if group.label else None
        y += GROUP if group.label else 0
        rows = []
        for row in group.rows:
            rows.append(_placed_row(row, y, scale, form))
            y += ROW
        placed.append({"label": group.label, "y": heading, "rows": rows})
    return placed, y


def _placed_row(row: DotRow, y: int, scale: Scale, form: str) -> dict[str, Any]:
    dot = row.dot
    middle = y + ROW // 2
    return {
        "label": shortened(row.label),
        "y": middle,
        "text_y": middle + 4,
        "parts": [scale.at(part) for part in row.parts],
        "part_top": middle - 6,
        "part_bottom": middle + 6,
        "x": scale.at(dot.value) if dot else None,
        "low": scale.at(dot.low) if dot and dot.low is not None else None,
        "high": scale.at(dot.high) if dot and dot.high is not None else None,
        "diamond": _diamond(scale.at(row.mean), middle) if row.mean is not None else None,
        "text": number(dot.value if dot else None, form),
        "note": row.note,
        "note_x": scale.start + 8,
    }


def _diamond(x: float, y: float, size: float = 4.5) -> str:
    return f"{x},{y - size} {x + size},{y} {x},{y + size} {x - size},{y}"


def _legend(rows: Sequence[DotRow], x: float, dot_means: str, part_means: str) -> list[dict[str, Any]]:
    has_intervals = any(row.dot and row.dot.low is not None for row in rows)
    entries = [("dot", _("%(dot_means)s, 95 %% interval") % {"dot_means": dot_means} if has_intervals else dot_means)]
    if any(row.mean is not None for row in rows):
        entries.append(("diamond", _("mean over batches")))
    if part_means and any(row.parts for row in rows):
        entries.append(("part", part_means))
    placed = []
    for kind, words in entries:
        diamond = _diamond(x + 6, 14) if kind == "diamond" else None
        placed.append(
            {
                "kind": kind,
                "words": words,
                "x": x + 6,
                "low": x - 6,
                "high": x + 18,
                "text_x": x + 24,
                "points": diamond,
            }
        )
        x += 52 + label_width([words])
    return placed
