"""The clock is put back an hour, or a day ahead: each gate decides once all the same, and nothing waits for it."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.models import Seat
from annotation.services import agreement
from annotation.services.claiming import claim_seat
from tests.faults.gates import GATES, Gate, decided, finish, stored

pytestmark = pytest.mark.django_db
JUMPS = {"an-hour-back": timedelta(hours=-1), "a-day-ahead": timedelta(days=1)}


@pytest.mark.parametrize("jump", JUMPS.values(), ids=JUMPS)
@pytest.mark.parametrize("gate", GATES, ids=str)
def test_a_gate_decides_at_once_whatever_the_clock_says_and_never_again(gate: Gate, jump: timedelta):
    work, now = gate.stage(), timezone.now()
    finish(work, now=now)
    before = stored(work.batch.study)

    gate.sweep(now=now + jump)
    assert decided(work.batch.study, before) == gate.decides
    for later in (timedelta(), -jump, jump, timedelta(seconds=1)):
        gate.sweep(now=now + later)
    assert decided(work.batch.study, before) == gate.decides


@pytest.mark.parametrize("gate", GATES, ids=str)
def test_work_under_way_while_the_clock_is_a_day_ahead_is_finished_and_decided_once(gate: Gate):
    """All leases have ended then, and the seats are free: the same seat is taken again."""
    work, now = gate.stage(), timezone.now()
    before = stored(work.batch.study)
    agreement.sweep(now=now + timedelta(days=1))
    gate.sweep(now=now + timedelta(days=1))
    assert not Seat.objects.filter(assignment=work).exists()
    work = claim_seat(work.participant, work.batch, now=now)
    finish(work, now=now)

    for later in (timedelta(), *JUMPS.values()):
        gate.sweep(now=now + later)
    assert decided(work.batch.study, before) == gate.decides | {f"work {work.batch.kind} submitted": 1}
