"""Two of everything at once: work is earned once, money is taken back once, and ticked off once."""

from decimal import Decimal
from functools import partial

import pytest
from django.utils import timezone

from annotation.services.refusals import Refused
from qualification.models import PayEntry
from qualification.pay.selectors.ledger import open_lines
from qualification.pay.services import ledger
from qualification.pay.services.ledger import correct, mark_paid_out, sweep_pay
from tests.cast import make_cast
from tests.clock import NOW
from tests.factories import make_batch
from tests.qualification.pay.factories import earned, finish
from tests.races.threads import run_together

pytestmark = pytest.mark.django_db(transaction=True)


def test_six_sweeps_at_once_pay_every_batch_once():
    cast = make_cast(pay_amount=Decimal("4.67"), pay_currency="GBP")
    for place in range(20):
        batch = make_batch(cast.study, 1, 1, position=place + 5)
        for annotator in cast.annotators:
            finish(annotator, batch)

    results = run_together([partial(sweep_pay, now=timezone.now())] * 6)

    assert sum(results) == 60
    assert PayEntry.objects.values("assignment").distinct().count() == PayEntry.objects.count() == 60


def test_sweeps_that_see_the_same_part_of_the_work_do_not_take_it_for_all_of_it(monkeypatch):
    monkeypatch.setattr(ledger, "AT_ONCE", 5)
    cast = make_cast(pay_amount=Decimal("4.67"), pay_currency="GBP")
    for place in range(10):
        batch = make_batch(cast.study, 1, 1, position=place + 5)
        for annotator in cast.annotators:
            finish(annotator, batch, submitted_at=NOW)

    n = sum(run_together([partial(sweep_pay, now=timezone.now())] * 6))
    while more := sweep_pay(now=timezone.now()):
        n += more
    assert n == PayEntry.objects.count() == 30


def test_of_two_corrections_that_take_everything_one_is_refused():
    cast = make_cast()
    earned(cast.annotator)
    take = partial(correct, cast.annotator, amount=Decimal("-4.67"), currency="GBP", now=timezone.now())

    results = run_together([partial(take, reason=f"Reason {n}", by=cast.owner) for n in range(4)])

    assert [result.code for result in results if isinstance(result, Refused)] == ["below_zero"] * 3
    assert sum(PayEntry.objects.values_list("amount", flat=True)) == 0


def test_a_tick_pressed_by_two_people_ticks_once():
    cast = make_cast()
    earned(cast.annotator)
    seen = open_lines(cast.study)
    tick = partial(mark_paid_out, cast.study, up_to=seen.up_to, n_lines=seen.n_lines, now=timezone.now())

    results = run_together([partial(tick, by=user) for user in (cast.owner, cast.researcher)])

    assert sorted(results) == [0, 1]
