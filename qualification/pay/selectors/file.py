"""Write the whole ledger as a file for spreadsheets: pseudonyms, amounts with two decimals, times in minutes."""

from decimal import Decimal

from annotation.models import Study
from parley.formulas import csv_file
from qualification.pay.selectors.ledger import lines_of, note_of

COLUMNS = (
    "line", "at", "annotator", "kind", "batch", "round", "amount", "currency", "reason", "note", "entered_by",
    "active_minutes", "elapsed_minutes", "paid_out_at",
)  # fmt: skip
MS_PER_MINUTE = 60_000


def ledger_csv(study: Study) -> tuple[str, int]:
    """Return the file, with the mark by which spreadsheets recognise UTF-8, and its number of lines."""
    rows = []
    for entry in lines_of(study).iterator(chunk_size=2000):
        work = entry.assignment
        rows.append((
            entry.pk, entry.at.isoformat(), entry.participant.pseudonym, entry.kind,
            *((work.batch.key, work.round) if work else ("", "")),
            entry.amount, entry.currency, entry.reason, note_of(entry),
            entry.actor.get_username() if entry.actor else "",
            _minutes(entry.active_ms), _minutes(entry.elapsed_ms),
            entry.paid_out_at.isoformat() if entry.paid_out_at else "",
        ))  # fmt: skip
    return csv_file(COLUMNS, rows), len(rows)


def _minutes(ms: int | None) -> Decimal | str:
    return "" if ms is None else round(Decimal(ms) / MS_PER_MINUTE, 2)
