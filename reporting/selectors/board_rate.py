"""How fast the answers come in, and when the study will be done if it goes on like that."""

import math
from dataclasses import dataclass
from datetime import datetime, timedelta

from annotation.models import AgreementSnapshot
from reporting.selectors.board import Progress

HOURS = 4  # the running one and those before it
DAYS = 7
LATEST = timedelta(days=3650)  # a finish further away is none


@dataclass(frozen=True, slots=True)
class Rate:
    """Answers counted now, by when they were given. `finish` is None where nothing comes in, or nothing is missing."""

    per_hour: float
    per_day: float
    finish: datetime | None
    finish_by_days: datetime | None

    @property
    def hours(self) -> int:
        return HOURS

    @property
    def days(self) -> int:
        return DAYS


def rate_of(total: AgreementSnapshot | None, progress: Progress, *, now: datetime) -> Rate:
    given = {int(hour): n for hour, n in (total.hours if total else {}).items()}
    left = progress.n_wanted - progress.n_ratings
    per_hour = _rate(given, HOURS, now)
    # Of the first day a pace of days would say what that of hours says.
    by_days = _rate(given, 24 * DAYS, now) if min(given, default=math.inf) < now.timestamp() / 3600 - 24 else 0.0
    return Rate(per_hour, 24 * by_days, _finish(left, per_hour, now), _finish(left, by_days, now))


def _rate(given: dict[int, int], n_hours: int, now: datetime) -> float:
    """Per hour since the first answer of the last `n_hours`; less than one hour counts as one."""
    ended = now.timestamp() / 3600
    recent = {hour: n for hour, n in given.items() if hour > int(ended) - n_hours}
    # Of a study that began an hour ago, three hours without it would make a rate too low.
    began = max(min(given, default=0), int(ended) - n_hours + 1)
    return sum(recent.values()) / max(ended - began, 1.0)


def _finish(left: int, per_hour: float, now: datetime) -> datetime | None:
    if left <= 0 or per_hour <= 0 or left / per_hour > LATEST / timedelta(hours=1):
        return None
    return now + timedelta(hours=left / per_hour)
