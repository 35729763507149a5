"""Read the ledger: sums per annotator and currency, the lines, what is not paid out yet, and all of it as a file."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from django.db.models import Count, Max, Q, QuerySet, Sum
from django.utils.translation import gettext as _

from annotation.models import Assignment, Participant, Study
from parley.formulas import csv_file
from qualification.models import PayEntry
from qualification.pay.selectors.rates import MS_PER_HOUR, cents

Kind = PayEntry.Kind
WORK = (Kind.BATCH, Kind.QUALIFICATION)
NOTHING = Decimal(0)
COLUMNS = (
    "line", "at", "annotator", "kind", "batch", "round", "amount", "currency", "reason", "note", "entered_by",
    "active_minutes", "elapsed_minutes", "paid_out_at",
)  # fmt: skip
MS_PER_MINUTE = 60_000


@dataclass(frozen=True, slots=True)
class Sums:
    """Hold the sums of one currency."""

    currency: str
    n_work: int
    work: Decimal
    bonus: Decimal
    correction: Decimal
    open: Decimal
    timed: Decimal  # earned by work whose time is known
    timed_ms: int

    @property
    def hourly(self) -> Decimal | None:
        """Return what an hour of measured work has earned, without bonuses; None before any is measured."""
        return cents(Fraction(self.timed) * MS_PER_HOUR / self.timed_ms) if self.timed_ms else None

    @property
    def total(self) -> Decimal:
        return self.work + self.bonus + self.correction


def lines_of(study: Study) -> QuerySet[PayEntry]:
    """Return the lines, oldest first, with the related rows that a page shows."""
    lines = PayEntry.objects.filter(participant__study=study).order_by("pk")
    return lines.select_related("participant", "assignment__batch", "actor")


def unpaid_lines(study: Study) -> QuerySet[PayEntry]:
    return PayEntry.objects.filter(participant__study=study, paid_out_at=None)


def annotators_of(study: Study) -> QuerySet[Participant]:
    """Return everybody who can be paid: imported annotators have no account here."""
    return study.participants.filter(user__isnull=False).order_by("pseudonym")


def sums_of(study: Study) -> list[Sums]:
    """Return the sums of everybody together, one for each currency."""
    rows: Any = PayEntry.objects.filter(participant__study=study).values("currency").annotate(**_columns())
    return [Sums(**row) for row in rows.order_by("currency")]


def sums_by_participant(participants: Iterable[Participant]) -> dict[int, list[Sums]]:
    lines = PayEntry.objects.filter(participant__in=[each.pk for each in participants])
    rows: Any = lines.values("participant", "currency").annotate(**_columns())
    found: dict[int, list[Sums]] = defaultdict(list)
    for row in rows.order_by("participant", "currency"):
        found[row.pop("participant")].append(Sums(**row))
    return found


@dataclass(frozen=True, slots=True)
class Earnings:
    """Hold what annotators see of their pay: sums by currency, and bonuses and corrections, newest first."""

    sums: list[Sums]
    by_hand: list[PayEntry]


def earnings_of(participants: Sequence[Participant]) -> dict[int, Earnings]:
    """Return earnings by participant, for those who have any."""
    by_hand: dict[int, list[PayEntry]] = defaultdict(list)
    lines = PayEntry.objects.filter(participant__in=[each.pk for each in participants]).exclude(kind__in=WORK)
    for line in lines.order_by("-pk"):
        by_hand[line.participant_id].append(line)
    return {pk: Earnings(sums, by_hand[pk]) for pk, sums in sums_by_participant(participants).items()}


def _columns() -> dict[str, Any]:
    is_timed = Q(kind__in=WORK, active_ms__gt=0)
    return {
        "n_work": Count("pk", filter=Q(kind__in=WORK)),
        "work": Sum("amount", filter=Q(kind__in=WORK), default=NOTHING),
        "bonus": Sum("amount", filter=Q(kind=Kind.BONUS), default=NOTHING),
        "correction": Sum("amount", filter=Q(kind=Kind.CORRECTION), default=NOTHING),
        "open": Sum("amount", filter=Q(paid_out_at=None), default=NOTHING),
        "timed": Sum("amount", filter=is_timed, default=NOTHING),
        "timed_ms": Sum("active_ms", filter=is_timed, default=0),
    }


@dataclass(frozen=True, slots=True)
class Open:
    """Count the lines not paid out, with the last id, so that only lines that were seen are marked as paid."""

    n_lines: int
    up_to: int


def open_lines(study: Study) -> Open:
    found = unpaid_lines(study).aggregate(n=Count("pk"), last=Max("pk"))
    return Open(found["n"], found["last"] or 0)


def note_of(entry: PayEntry) -> str:
    """Return why finished work is paid although it is no result; empty for all other lines."""
    work = entry.assignment
    if work is None:
        return ""
    if work.status == Assignment.Status.EXCLUDED:
        return _("Excluded later: finished work stays paid.")
    if work.status == Assignment.Status.SUPERSEDED:
        return _("Round %(round)s was returned: finished work stays paid.") % {"round": work.round}
    if work.status != Assignment.Status.SUBMITTED:
        return _("No longer counts: finished work stays paid.")
    return ""


# --- the ledger as a file --------------------------------------------------------------------------
def ledger_csv(study: Study) -> tuple[str, int]:
    """Return the whole ledger as a file for spreadsheets, and its number of lines.

    It has pseudonyms, amounts with two decimals, times in minutes, and the mark that shows it is UTF-8.
    """
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
