"""Write how hard each pilot item was, by criterion, to a file. As on the page, sources are left out."""

from typing import Any

from parley.formulas import csv_file
from qualification.pilot.selectors.page import HardText, texts_of
from qualification.pilot.selectors.results import Hardness, PilotFigures

COLUMNS = ("batch", "dialogue", "unit", "item", "text")
FIGURES = ("disagreeing", "entropy", "unsure")


def difficulty_csv(figures: PilotFigures) -> str:
    """Return a row per item, the hardest first: means over its criteria, then each criterion, as shares from 0 to 1."""
    keys = ("all", *(line.criterion.key for line in figures.criteria))
    heading = (*COLUMNS, *(f"{key}_{name}" for key in keys for name in FIGURES))
    return csv_file(heading, (_row(each) for each in texts_of(figures.items)))


def _row(each: HardText) -> tuple[Any, ...]:
    item = each.item
    dialogue, text = (item.dialogue.key if item.dialogue else "", item.candidate.text if item.candidate else "")
    shares = (share for part in (each.hardness, *each.by_criterion) for share in _shares(part))
    return item.batch.key, dialogue, item.unit, str(item.token), text, *shares


def _shares(part: Hardness | None) -> tuple[float | None, ...]:
    """Return the shares, or empty cells for a criterion that this item is not judged by."""
    found = (None,) * len(FIGURES) if part is None else (part.disagreeing, part.entropy, part.unsure)
    return tuple(None if share is None else round(share, 6) for share in found)
