"""Somebody with open flags who is excluded on the People page: the sweep settles them by that."""

from decimal import Decimal
from functools import partial

import pytest

from annotation.models import ActivityLog
from annotation.services.status import decide_status, set_status
from qualification.checks.services.signals import sweep_signals
from qualification.models import Flag
from tests.cast import Cast, make_cast
from tests.clock import NOW
from tests.qualification.checks.factories import FlagFactory
from tests.qualification.pay.factories import finish
from tests.races.threads import run_together


def exclude(cast: Cast) -> None:
    decide_status(cast.annotator, status="excluded", reason="Two accounts.", by=cast.lead, now=NOW)


@pytest.mark.django_db
def test_open_flags_are_settled_with_the_reason_and_what_stays_to_be_paid():
    cast = make_cast(pay_amount=Decimal("4.67"), pay_currency="GBP")
    finish(cast.annotator, cast.batch)
    flags = [FlagFactory(participant=cast.annotator, kind=kind) for kind in ("gold", "speed")]
    other = FlagFactory(participant=cast.annotators[1])
    exclude(cast)
    sweep_signals(now=NOW)
    for flag in flags:
        flag.refresh_from_db()
        assert (flag.state, flag.decision_reason) == ("excluded", "Two accounts.")
        assert (flag.decided_by, flag.decided_at) == (cast.lead, NOW)
    assert flags[0].payable == {"batches": 1, "amount": "4.67", "currency": "GBP"}
    other.refresh_from_db()
    assert other.state == "open"
    log = ActivityLog.objects.get(verb="flag_decided")
    assert (log.actor, log.details["decision"]) == (cast.lead, "excluded")


@pytest.mark.django_db
def test_who_is_taken_back_in_before_the_sweep_keeps_the_open_flag(cast: Cast):
    FlagFactory(participant=cast.annotator)
    exclude(cast)
    set_status(cast.annotator, status="cleared", now=NOW)
    sweep_signals(now=NOW)
    assert Flag.objects.get().state == "open"


@pytest.mark.django_db(transaction=True)
def test_sweeps_at_once_settle_once():
    cast = make_cast()
    FlagFactory(participant=cast.annotator)
    exclude(cast)
    results = run_together([partial(sweep_signals, now=NOW)] * 4)
    assert not [each for each in results if isinstance(each, Exception)]
    assert ActivityLog.objects.filter(verb="flag_decided").count() == 1
