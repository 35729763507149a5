"""The pace of answers, and when the study will be finished at this pace."""

import math
from dataclasses import dataclass
from datetime import datetime, timedelta

from annotation.models import AgreementSnapshot
from reporting.board.work import Progress

HOURS = 4  # the current hour and the three before it
DAYS = 7
LATEST = timedelta(days=3650)  # a later finish is not shown


@dataclass(frozen=True, slots=True)
class Rate:
    """The pace of the answers that count now, by the hour in which they were given.

    `finish` is None if no answers came in, none are missing, or it would be ten years away. `n_by_hours` and
    `n_by_days` are the numbers of answers behind each pace.
    """

    per_hour: float
    per_day: float
    finish: datetime | None
    finish_by_days: datetime | None
    n_by_hours: int
    n_by_days: int


def rate_of(total: AgreementSnapshot | None, progress: Progress, *, now: datetime) -> Rate:
    given = {int(hour): n for hour, n in (total.hours if total else {}).items()}
    left = progress.n_wanted - progress.n_ratings
    n_by_hours, n_by_days = _n_given(given, HOURS, now), _n_given(given, 24 * DAYS, now)
    per_hour = n_by_hours / _hours(given, HOURS, now)
    # Within the first day, a daily pace would add nothing to the hourly one.
    is_older = min(given, default=math.inf) < now.timestamp() / 3600 - 24
    by_days = n_by_days / _hours(given, 24 * DAYS, now) if is_older else 0.0
    return Rate(
        per_hour, 24 * by_days, _finish(left, per_hour, now), _finish(left, by_days, now), n_by_hours, n_by_days
    )


def _n_given(given: dict[int, int], n_hours: int, now: datetime) -> int:
    return sum(n for hour, n in given.items() if hour > int(now.timestamp() / 3600) - n_hours)


def _hours(given: dict[int, int], n_hours: int, now: datetime) -> float:
    """Return the hours since the first answer: at least one, and at most `n_hours`."""
    ended = now.timestamp() / 3600
    # In a study that began an hour ago, the three hours before that would make the rate too low.
    began = max(min(given, default=0), int(ended) - n_hours + 1)
    return max(ended - began, 1.0)


def _finish(left: int, per_hour: float, now: datetime) -> datetime | None:
    if left <= 0 or per_hour <= 0 or left / per_hour > LATEST / timedelta(hours=1):
        return None
    return now + timedelta(hours=left / per_hour)
