"""The clock is put back an hour, or a day ahead: each decision is made once all the same, and nothing waits for it."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.models import Seat
from annotation.services import agreement
from annotation.services.claiming import claim_seat
from tests.faults.decisions import DECISIONS, Decision, decided, finish, stored

pytestmark = pytest.mark.django_db
JUMPS = {"an-hour-back": timedelta(hours=-1), "a-day-ahead": timedelta(days=1)}


@pytest.mark.parametrize("jump", JUMPS.values(), ids=JUMPS)
@pytest.mark.parametrize("decision", DECISIONS, ids=str)
def test_a_decision_is_made_at_once_whatever_the_clock_says_and_never_again(decision: Decision, jump: timedelta):
    work, now = decision.stage(), timezone.now()
    finish(work, now=now)
    before = stored(work.batch.study)

    decision.sweep(now=now + jump)
    assert decided(work.batch.study, before) == decision.decides
    for later in (timedelta(), -jump, jump, timedelta(seconds=1)):
        decision.sweep(now=now + later)
    assert decided(work.batch.study, before) == decision.decides


@pytest.mark.parametrize("decision", DECISIONS, ids=str)
def test_work_under_way_while_the_clock_is_a_day_ahead_is_finished_and_decided_once(decision: Decision):
    """All leases have ended then, and the seats are free: the same seat is taken again."""
    work, now = decision.stage(), timezone.now()
    before = stored(work.batch.study)
    agreement.sweep(now=now + timedelta(days=1))
    decision.sweep(now=now + timedelta(days=1))
    assert not Seat.objects.filter(assignment=work).exists()
    work = claim_seat(work.participant, work.batch, now=now)
    finish(work, now=now)

    for later in (timedelta(), *JUMPS.values()):
        decision.sweep(now=now + later)
    assert decided(work.batch.study, before) == decision.decides | {f"work {work.batch.kind} submitted": 1}
