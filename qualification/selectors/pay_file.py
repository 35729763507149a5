"""The whole ledger as a file for spreadsheets: pseudonyms, amounts as text of two decimals, times in minutes."""

import csv
import io
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from annotation.models import Study
from parley.formulas import cell_of
from qualification.models import PayEntry
from qualification.selectors.pay_ledger import lines_of, note_of

COLUMNS = (
    "line", "at", "annotator", "kind", "batch", "round", "amount", "currency", "reason", "note", "entered_by",
    "active_minutes", "elapsed_minutes", "paid_out_at",
)  # fmt: skip
MS_PER_MINUTE = 60_000


def ledger_csv(study: Study) -> tuple[str, int]:
    """The file with the mark spreadsheets know UTF-8 by, and how many lines it has."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    n_lines = 0
    for entry in lines_of(study).iterator(chunk_size=2000):
        writer.writerow(_row(entry))
        n_lines += 1
    return "\ufeff" + out.getvalue(), n_lines


def _row(entry: PayEntry) -> Iterable[Any]:
    work = entry.assignment
    yield from (entry.pk, entry.at.isoformat(), cell_of(entry.participant.pseudonym), entry.kind)
    yield from (cell_of(work.batch.key), work.round) if work else ("", "")
    yield from (entry.amount, entry.currency, cell_of(entry.reason), cell_of(note_of(entry)))
    yield cell_of(entry.actor.get_username()) if entry.actor else ""
    yield from (_minutes(entry.active_ms), _minutes(entry.elapsed_ms))
    yield entry.paid_out_at.isoformat() if entry.paid_out_at else ""


def _minutes(ms: int | None) -> Decimal | str:
    return "" if ms is None else round(Decimal(ms) / MS_PER_MINUTE, 2)
