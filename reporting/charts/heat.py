"""A heat map: numbers in coloured squares, with a legend of the colours."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString

from parley.numbers import number
from reporting.charts.drawing import TONES, draw, label_width, shortened, text_width
from reporting.labels import strength

CELL, ROW, LEGEND = 46, 30, 34
LABEL = 16  # usual characters
SLANT = 45  # degrees: names wider than a square are slanted
BEGINS = dict(zip(TONES, ("< 0", "0.0", "0.2", "0.4", "0.6", "0.8"), strict=True))
SINE = math.sin(math.radians(SLANT))


@dataclass(frozen=True, slots=True)
class HeatCell:
    """A square. `tone` is a key of TONES; None leaves it white, for a number that should not be read by its colour."""

    value: float | None
    tone: str | None = None
    title: str = ""


def heat_figure(
    *,
    name: str,
    title: str,
    description: str,
    rows: Sequence[str],
    columns: Sequence[str],
    cells: Sequence[Sequence[HeatCell | None]],
    form: str = ".2f",
    has_words: bool = True,
) -> SafeString:
    """Draw `cells[row][column]` as SVG; None leaves the place empty, as above the diagonal of pairs.

    The legend explains the colours with the words of Landis and Koch, or without words with the values where they
    begin.
    """
    names = [shortened(column, LABEL) for column in columns]
    is_slanted = label_width(names) > CELL - 4
    down = label_width(names) * SINE if is_slanted else 0.0
    start = max(label_width([shortened(row, LABEL) for row in rows]) + 14, down - CELL / 2)
    width = max(start + CELL * len(columns) + 4, 500)
    bottom = 8 + ROW * len(rows)
    legend, x, y = [], 4.0, bottom + down + 34
    for tone, (fill, _) in TONES.items():
        words = strength(tone) if has_words else BEGINS[tone]
        legend.append({"tone": tone, "fill": fill, "words": words, "x": x, "y": y, "text_x": x + 18, "text_y": y + 11})
        x += 30 + text_width(words, 11)
    return draw(
        "heat",
        name=name,
        title=title,
        description=description,
        width=round(width),
        height=round(bottom + down + 26 + LEGEND),
        label_x=start - 8,
        rows=[{"label": shortened(row, LABEL), "y": 8 + ROW * at + ROW / 2 + 4} for at, row in enumerate(rows)],
        columns=[
            {"label": label, "title": column, "x": round(start + CELL * at + CELL / 2, 1)}
            for at, (label, column) in enumerate(zip(names, columns, strict=True))
        ],
        column_y=bottom + 16,
        slant=SLANT if is_slanted else 0,
        cells=list(_placed(cells, start, form)),
        cell_width=CELL - 2,
        cell_height=ROW - 2,
        legend=legend,
    )


def _placed(cells: Sequence[Sequence[HeatCell | None]], start: float, form: str) -> Any:
    for at, line in enumerate(cells):
        for column, cell in enumerate(line):
            if cell is None:
                continue
            fill, ink = TONES.get(cell.tone or "", ("#ffffff", "#1f2730"))
            x, y = round(start + CELL * column, 1), 8 + ROW * at
            yield {
                "x": x,
                "y": y,
                "text_x": round(x + (CELL - 2) / 2, 1),
                "text_y": y + ROW / 2 + 3,
                "text": number(cell.value, form),
                "tone": cell.tone or "none",
                "fill": fill,
                "ink": ink,
                "title": cell.title,
            }
