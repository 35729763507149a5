"""How fast answers come in, and when the study will be done."""

from datetime import UTC, datetime, timedelta

import pytest

from annotation.models import AgreementSnapshot
from reporting.board.rate import rate_of
from reporting.board.work import Progress


def total_with(hours: dict[datetime, int]) -> AgreementSnapshot:
    return AgreementSnapshot(hours={str(int(hour.timestamp() // 3600)): n for hour, n in hours.items()})


def test_the_rate_is_of_the_last_hours_and_the_finish_follows():
    now = datetime(2026, 3, 2, 12, 30, tzinfo=UTC)
    total = total_with({now - timedelta(hours=9): 900, now - timedelta(hours=2): 60, now: 10})
    rate = rate_of(total, Progress(970, 970 + 40), now=now)
    assert rate.per_hour == pytest.approx(70 / 3.5)
    assert (rate.n_by_hours, rate.n_by_days) == (70, 970)
    assert rate.finish == now + timedelta(hours=2)
    assert rate.finish_by_days is None  # of the first day


def test_a_study_of_half_an_hour_and_one_of_many_days():
    now = datetime(2026, 3, 20, 12, 30, tzinfo=UTC)
    assert rate_of(total_with({now: 50}), Progress(50, 100), now=now).per_hour == 50
    days = {now - timedelta(days=n): 240 for n in range(10)}
    rate = rate_of(total_with(days), Progress(2400, 4800), now=now)
    assert rate.per_day == pytest.approx(240, rel=0.05)
    assert rate.finish_by_days == pytest.approx(now + timedelta(days=10), abs=timedelta(days=1))


def test_nothing_given_lately_or_nothing_missing_has_no_finish():
    now = datetime(2026, 3, 2, 12, 30, tzinfo=UTC)
    old = total_with({now - timedelta(hours=5): 10})
    assert rate_of(old, Progress(10, 20), now=now).finish is None
    assert rate_of(total_with({now: 10}), Progress(10, 10), now=now).finish is None
    assert rate_of(None, Progress(0, 10), now=now).per_hour == 0
