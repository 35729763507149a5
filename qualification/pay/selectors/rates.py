"""Compute the hourly pay: as the study offers it, and as measured. Money is Decimal and names its currency.

Rates are exact until they are shown; then they are rounded to the cent, half up. They are compared unrounded.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Any, NamedTuple

from django.db.models import Count, F, Q, QuerySet, Window
from django.db.models.functions import RowNumber

from annotation.models import Study
from qualification.models import PayEntry, PayPlan

# The default floor is an amount in this currency; in others there is none until the study sets one.
FLOOR_CURRENCY = "GBP"
CENT = Decimal("0.01")
MS_PER_HOUR = 3_600_000
MINUTES_PER_HOUR = 60


def cents(value: Decimal | Fraction) -> Decimal:
    """Return the amount rounded to the cent, half up."""
    exact = Decimal(value.numerator) / value.denominator if isinstance(value, Fraction) else value
    return exact.quantize(CENT, ROUND_HALF_UP)


def plan_of(study: Study) -> PayPlan:
    """Return the stored plan, or the defaults that apply without one."""
    return PayPlan.objects.filter(study=study).first() or PayPlan(study=study)


class Paying(NamedTuple):
    """Hold a study whose finished work earns something, and the mark of the last look at all of it: see PayMark."""

    study: int
    amount: Decimal | None
    qualification_amount: Decimal | None
    currency: str
    marked_terms: str | None
    looked_at: datetime | None

    @property
    def terms(self) -> str:
        """Return the terms as text: if they change, work that has earned nothing may earn something."""
        return f"{self.amount} {self.qualification_amount} {self.currency}"


def paying_studies() -> list[Paying]:
    pays = Q(pay_amount__gt=0) | Q(pay_plan__qualification_amount__gt=0)
    columns = ("pay_amount", "pay_plan__qualification_amount", "pay_currency", "pay_mark__terms", "pay_mark__looked_at")
    rows = Study.objects.filter(pays).exclude(pay_currency="").order_by("pk").values_list("pk", *columns)
    return [Paying(*row) for row in rows]


def floor_of(study: Study, plan: PayPlan) -> Decimal | None:
    """Return the minimum hourly pay in the study's currency; None if nobody has set one in that currency."""
    return plan.floor_per_hour if plan.pk else _default_floor(study)


def _default_floor(study: Study) -> Decimal | None:
    return PayPlan(study=study).floor_per_hour if study.pay_currency == FLOOR_CURRENCY else None


# --- what is offered ---------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Offer:
    """Hold an amount and the minutes that the work for it is expected to take."""

    kind: str  # as in the ledger: batch or qualification
    amount: Decimal
    currency: str
    minutes: int
    floor: Decimal | None

    @property
    def _exact(self) -> Fraction:
        return Fraction(self.amount) * MINUTES_PER_HOUR / self.minutes

    @property
    def rate(self) -> Decimal:
        """Return the hourly rate, to the cent: 4.67 for 35 minutes is 8.01."""
        return cents(self._exact)

    @property
    def is_below(self) -> bool:
        return self.floor is not None and self._exact < Fraction(self.floor)


def offers_of(study: Study, plan: PayPlan) -> list[Offer]:
    """Return what the study pays for work whose expected time is known."""
    floor, currency = floor_of(study, plan), study.pay_currency
    named = (
        (PayEntry.Kind.BATCH, study.pay_amount, study.minutes_expected),
        (PayEntry.Kind.QUALIFICATION, plan.qualification_amount, plan.qualification_minutes),
    )
    return [
        Offer(kind, amount, currency, minutes, floor)
        for kind, amount, minutes in named
        if amount is not None and minutes and currency
    ]


# --- what is measured --------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Rates:
    """Hold medians over finished batches, to the cent; None if no batch has a time."""

    n: int  # batches with a measured active time
    n_untimed: int
    n_below: int  # batches whose active hour was paid below the floor
    active: Decimal | None
    elapsed: Decimal | None
    is_below: bool  # whether the median by active time is below the floor


Timed = tuple[Decimal, int | None, int | None]  # amount, active and elapsed milliseconds


def rates_from(rows: Sequence[Timed], floor: Decimal | None) -> Rates:
    active = [(amount, ms) for amount, ms, _elapsed in rows if ms]
    elapsed = [(amount, ms) for amount, _active, ms in rows if ms]
    middle, by_clock = _median_hour(active), _median_hour(elapsed)
    return Rates(
        n=len(active),
        n_untimed=len(rows) - len(active),
        n_below=0 if floor is None else sum(amount * MS_PER_HOUR < floor * ms for amount, ms in active),
        active=None if middle is None else cents(middle),
        elapsed=None if by_clock is None else cents(by_clock),
        is_below=floor is not None and middle is not None and middle < Fraction(floor),
    )


def _median_hour(paid: list[tuple[Decimal, int]]) -> Fraction | None:
    """Return the exact median. It is sorted as floats: sorting 100,000 lines as fractions would take seconds."""
    if not paid:
        return None
    ordered = sorted(paid, key=lambda pair: float(pair[0]) / pair[1])
    middle = (ordered[at] for at in ((len(paid) - 1) // 2, len(paid) // 2))
    return sum(Fraction(amount) * MS_PER_HOUR / ms for amount, ms in middle) / Fraction(2)


@dataclass(frozen=True, slots=True)
class Measured:
    """Hold rates of all paid batches in the study's currency, of qualifications, and of each annotator's batches."""

    all: Rates
    qualification: Rates
    by_participant: dict[int, Rates]


def measured_rates(study: Study, plan: PayPlan) -> Measured:
    """Measure the rates, without work paid in an earlier currency of the study, which cannot be compared."""
    rows = _work_of(study).values_list("kind", "participant", "amount", "active_ms", "elapsed_ms")
    by_participant: dict[int, list[Timed]] = defaultdict(list)
    qualified: list[Timed] = []
    for kind, participant, amount, active_ms, elapsed_ms in rows:
        mine = by_participant[participant] if kind == PayEntry.Kind.BATCH else qualified
        mine.append((amount, active_ms, elapsed_ms))
    floor = floor_of(study, plan)
    everything = [row for mine in by_participant.values() for row in mine]
    each = {participant: rates_from(mine, floor) for participant, mine in by_participant.items()}
    return Measured(rates_from(everything, floor), rates_from(qualified, floor), each)


def _work_of(study: Study) -> QuerySet[PayEntry]:
    kinds = (PayEntry.Kind.BATCH, PayEntry.Kind.QUALIFICATION)
    return PayEntry.objects.filter(participant__study=study, kind__in=kinds, currency=study.pay_currency)


@dataclass(frozen=True, slots=True)
class Slow:
    """Describe a kind of work whose median active hour was paid below the floor."""

    kind: str  # as in the ledger: batch or qualification
    rate: Decimal
    floor: Decimal
    currency: str


def slow_work(study: Study) -> list[Slow]:
    """Return the work paid below the floor. One query reads only the middle lines of each kind."""
    if not study.pay_currency:
        return []
    by_rate = Window(RowNumber(), partition_by="kind", order_by=(F("amount") / F("active_ms"), "pk"))
    timed = _work_of(study).filter(active_ms__gt=0).annotate(place=by_rate, n=Window(Count("pk"), partition_by="kind"))
    middle = timed.filter(Q(place=(F("n") + 1) / 2) | Q(place=(F("n") + 2) / 2)).order_by("kind")
    rows: Any = middle.values_list("kind", "amount", "active_ms", "participant__study__pay_plan__floor_per_hour")
    found: dict[tuple[str, Decimal | None], list[tuple[Decimal, int]]] = defaultdict(list)
    for kind, amount, ms, floor in rows:
        found[kind, floor].append((amount, ms))
    slow = []
    for (kind, stored), paid in found.items():
        floor, rate = _default_floor(study) if stored is None else stored, _median_hour(paid)
        if floor is not None and rate is not None and rate < Fraction(floor):
            slow.append(Slow(kind, cents(rate), floor, study.pay_currency))
    return slow


def low_offers(study: Study) -> list[Offer]:
    """Return the offers below the floor."""
    plan = plan_of(study)
    if not study.pay_currency or not floor_of(study, plan):
        return []
    return [offer for offer in offers_of(study, plan) if offer.is_below]
