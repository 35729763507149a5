"""The time that the work took, its distribution over people, and its pay per hour."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from annotation.models import Study
from measures.arrays import FloatArray, IntArray
from reporting.study.votes import StudyVotes

NO_TIMES, NO_PAY, OTHER_CURRENCY = "no_times", "no_pay", "other_currency"


@dataclass(frozen=True, slots=True)
class Quartiles:
    """The quartiles of `n` numbers; without any, they are None and `reason` says why."""

    n: int
    q1: float | None
    median: float | None
    q3: float | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class TimeQuartiles(Quartiles):
    """Quartiles of times; `n_left_out` answers have none, such as imported ones."""

    n_left_out: int


@dataclass(frozen=True, slots=True)
class TimeAndPay:
    """Times as browsers report them (`active`), and from claim to end by the server's clock (`elapsed`), with the pay.

    Amounts are texts, in `currency`; both are None if no pay is set, and a currency that is not set is None.
    `paid_batches` counts finished assignments by kind of batch. Rates per hour are None without a pay or a time. The
    floor is the minimum per hour: `is_below_floor` compares the median active batch, and `batches_below_floor` counts
    batches; they are None if they cannot be compared, and `floor_reason` says why, if there is a floor. `ledger` is
    that of the study record, None while it is empty.
    """

    judgement_seconds: TimeQuartiles
    batch_minutes_active: Quartiles
    batch_minutes_elapsed: Quartiles
    expected_minutes: int
    judgements_per_annotator: Quartiles
    pay_per_batch: str | None
    currency: str | None
    paid_batches: dict[str, int]
    total_paid: str | None
    hourly_expected: float | None
    hourly_active: float | None
    hourly_elapsed: float | None
    floor: str
    floor_currency: str
    is_below_floor: bool | None
    batches_below_floor: int | None
    floor_reason: str | None
    ledger: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class Workload:
    """The work of an annotator. `active_minutes` is that of the timed judgements, None without any."""

    annotator: str
    judgements: int
    batches: int
    active_minutes: float | None
    timed_judgements: int


def time_and_pay(
    study: Study, votes: StudyVotes, finished: Mapping[str, int], elapsed: Mapping[int, float], pay: dict[str, Any]
) -> TimeAndPay:
    """Return times and pay. `pay` is that part of the study record."""
    timed = votes.active_ms > 0
    seconds = votes.active_ms[timed] / 1000
    per_batch = np.bincount(votes.assignment[timed], seconds, len(votes.work.id)) / 60
    active = per_batch[np.isin(votes.work.id, list(elapsed)) & (per_batch > 0)]
    minutes = np.array(list(elapsed.values())) / 60
    amount = study.pay_amount
    is_below, n_below, reason = _against_floor(study, active, Decimal(pay["floor"]), pay["floor_currency"])
    return TimeAndPay(
        judgement_seconds=TimeQuartiles(**asdict(quartiles(seconds)), n_left_out=int((~timed).sum())),
        batch_minutes_active=quartiles(active),
        batch_minutes_elapsed=quartiles(minutes),
        expected_minutes=study.minutes_expected,
        judgements_per_annotator=quartiles(_judgements(votes)[1]),
        pay_per_batch=None if amount is None else str(amount),
        currency=study.pay_currency or None,
        paid_batches=dict(finished),
        total_paid=None if amount is None else str(amount * sum(finished.values())),
        hourly_expected=_hourly(amount, float(study.minutes_expected)),
        hourly_active=_hourly(amount, _median(active)),
        hourly_elapsed=_hourly(amount, _median(minutes)),
        floor=pay["floor"],
        floor_currency=pay["floor_currency"],
        is_below_floor=is_below,
        batches_below_floor=n_below,
        floor_reason=reason,
        ledger=pay["ledger"],
    )


def quartiles(values: FloatArray | IntArray) -> Quartiles:
    if not len(values):
        return Quartiles(0, None, None, None, NO_TIMES)
    low, middle, high = np.quantile(values, [0.25, 0.5, 0.75]).tolist()
    return Quartiles(len(values), low, middle, high, None)


def _judgements(votes: StudyVotes) -> tuple[IntArray, IntArray]:
    """Return the indices in `votes.work` of assignments with answers, and the number of answers by annotator."""
    per_batch = np.bincount(votes.assignment, minlength=len(votes.work.id))
    present = np.flatnonzero(per_batch)
    row = np.unique(votes.work.annotator[present], return_inverse=True)[1]
    return present, np.bincount(row, per_batch[present]).astype(np.int64)


def _against_floor(
    study: Study, active: FloatArray, floor: Decimal, currency: str
) -> tuple[bool | None, int | None, str | None]:
    """Return whether the median rate is below the floor, and how many batches were; or the reason why not."""
    reason = NO_PAY if study.pay_amount is None else NO_TIMES if not len(active) else None
    if reason is None and study.pay_currency != currency:
        reason = OTHER_CURRENCY
    if reason or study.pay_amount is None or not floor:
        return None, None, reason
    enough = float(study.pay_amount) * 60 / float(floor)  # minutes that the pay is enough for
    return bool(np.median(active) > enough), int((active > enough).sum()), None


def _hourly(amount: Decimal | None, minutes: float | None) -> float | None:
    return None if amount is None or not minutes else round(float(amount) * 60 / minutes, 2)


def _median(values: FloatArray) -> float | None:
    return float(np.median(values)) if len(values) else None


def workload(votes: StudyVotes, names: Mapping[int, str]) -> list[Workload]:
    """Return a row per annotator, sorted by pseudonym."""
    present, judgements = _judgements(votes)
    people, row, n_batches = np.unique(votes.work.annotator[present], return_inverse=True, return_counts=True)
    times = np.bincount(votes.assignment, votes.active_ms / 60_000, len(votes.work.id))[present]
    timed = np.bincount(votes.assignment, votes.active_ms > 0, len(votes.work.id))[present]
    n_timed, minutes = np.bincount(row, timed, len(people)), np.bincount(row, times, len(people))
    lines = zip(people.tolist(), judgements.tolist(), n_batches.tolist(), n_timed, minutes, strict=True)
    found = [
        Workload(names[who], n, batches, round(float(active), 2) if with_time else None, int(with_time))
        for who, n, batches, with_time, active in lines
    ]
    return sorted(found, key=lambda line: line.annotator)
