"""The time that the work took, its distribution over people, and its pay per hour."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

import numpy as np

from annotation.models import Study
from measures.arrays import FloatArray, IntArray
from reporting.study.votes import StudyVotes

Row = dict[str, Any]
NO_TIMES, NO_PAY, OTHER_CURRENCY = "no_times", "no_pay", "other_currency"


def time_and_pay(
    study: Study, votes: StudyVotes, finished: Mapping[str, int], elapsed: Mapping[int, float], pay: Row
) -> Row:
    """Return times as browsers report them (`active`), and from claim to end by the server's clock (`elapsed`).

    Answers without a time, such as imported ones, are left out and counted. `pay` is that part of the study record.
    """
    timed = votes.active_ms > 0
    seconds = votes.active_ms[timed] / 1000
    per_batch = np.bincount(votes.assignment[timed], seconds, len(votes.work.id)) / 60
    is_done = np.isin(votes.work.id, list(elapsed)) & (per_batch > 0)
    done = per_batch[is_done]
    minutes = np.array(list(elapsed.values())) / 60
    return {
        "judgement_seconds": quartiles(seconds) | {"n_left_out": int((~timed).sum())},
        "batch_minutes_active": quartiles(done),
        "batch_minutes_elapsed": quartiles(minutes),
        "expected_minutes": study.minutes_expected,
        "judgements_per_annotator": quartiles(_judgements(votes)[1]),
        **_pay(study, finished, done, minutes, pay),
    }


def quartiles(values: FloatArray | IntArray) -> Row:
    if not len(values):
        return {"n": 0, "q1": None, "median": None, "q3": None, "reason": NO_TIMES}
    low, middle, high = np.quantile(values, [0.25, 0.5, 0.75]).tolist()
    return {"n": len(values), "q1": low, "median": middle, "q3": high, "reason": None}


def _judgements(votes: StudyVotes) -> tuple[IntArray, IntArray]:
    """Return the indices in `votes.work` of assignments with answers, and the number of answers by annotator."""
    per_batch = np.bincount(votes.assignment, minlength=len(votes.work.id))
    present = np.flatnonzero(per_batch)
    row = np.unique(votes.work.annotator[present], return_inverse=True)[1]
    return present, np.bincount(row, per_batch[present]).astype(np.int64)


def _pay(study: Study, finished: Mapping[str, int], active: FloatArray, elapsed: FloatArray, pay: Row) -> Row:
    n_paid = sum(finished.values())
    amount = study.pay_amount
    return {
        "pay_per_batch": None if amount is None else str(amount),
        "currency": study.pay_currency or None,
        "paid_batches": dict(finished),
        "total_paid": None if amount is None else str(amount * n_paid),
        "hourly_expected": _hourly(amount, float(study.minutes_expected)),
        "hourly_active": _hourly(amount, _median(active)),
        "hourly_elapsed": _hourly(amount, _median(elapsed)),
        "floor": pay["floor"],
        "floor_currency": pay["floor_currency"],
        **_against_floor(study, active, Decimal(pay["floor"]), pay["floor_currency"]),
        "ledger": pay["ledger"],
    }


def _against_floor(study: Study, active: FloatArray, floor: Decimal, currency: str) -> Row:
    """Return whether the median rate is below the floor, and how many batches were; or the reason why not."""
    reason = NO_PAY if study.pay_amount is None else NO_TIMES if not len(active) else None
    if reason is None and study.pay_currency != currency:
        reason = OTHER_CURRENCY
    if reason or study.pay_amount is None or not floor:
        return {"is_below_floor": None, "batches_below_floor": None, "floor_reason": reason}
    enough = float(study.pay_amount) * 60 / float(floor)  # minutes that the pay is enough for
    below = int((active > enough).sum())
    return {"is_below_floor": bool(np.median(active) > enough), "batches_below_floor": below, "floor_reason": None}


def _hourly(amount: Decimal | None, minutes: float | None) -> float | None:
    return None if amount is None or not minutes else round(float(amount) * 60 / minutes, 2)


def _median(values: FloatArray) -> float | None:
    return float(np.median(values)) if len(values) else None


def workload(votes: StudyVotes, names: Mapping[int, str]) -> list[Row]:
    """Return a row per annotator, sorted by pseudonym."""
    present, judgements = _judgements(votes)
    people, row, n_batches = np.unique(votes.work.annotator[present], return_inverse=True, return_counts=True)
    times = np.bincount(votes.assignment, votes.active_ms / 60_000, len(votes.work.id))[present]
    timed = np.bincount(votes.assignment, votes.active_ms > 0, len(votes.work.id))[present]
    n_timed, minutes = np.bincount(row, timed, len(people)), np.bincount(row, times, len(people))
    lines = zip(people.tolist(), judgements.tolist(), n_batches.tolist(), n_timed, minutes, strict=True)
    return sorted(_workload(lines, names), key=lambda line: line["annotator"])


def _workload(lines: Iterable[tuple[int, int, int, float, float]], names: Mapping[int, str]) -> Iterable[Row]:
    for who, judgements, batches, n_timed, minutes in lines:
        yield {
            "annotator": names[who],
            "judgements": judgements,
            "batches": batches,
            "active_minutes": round(float(minutes), 2) if n_timed else None,
            "timed_judgements": int(n_timed),
        }
