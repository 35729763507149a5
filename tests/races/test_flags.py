"""Flags that are raised or decided twice at once are raised and decided once."""

from functools import partial

import pytest
from django.utils import timezone

from annotation.models import Participant, Seat, StatusChange
from annotation.services.agreement import sweep
from annotation.services.claiming import claim_seat
from annotation.services.refusals import Refused
from qualification.checks.selectors.signals import Signal
from qualification.checks.services.flags import decide_flag, raise_flag
from qualification.checks.services.inserting import insert_checks
from qualification.checks.services.signals import sweep_signals
from qualification.models import Flag
from tests.cast import make_cast
from tests.factories import make_batch
from tests.qualification.checks.factories import CheckPlanFactory, FlagFactory, make_checks
from tests.qualification.checks.simulated import make_batches, make_people, rate_all
from tests.races.threads import run_together

pytestmark = pytest.mark.django_db(transaction=True)


def test_two_sweeps_at_once_raise_each_flag_once():
    cast = make_cast(kappa_floor=0.2)
    CheckPlanFactory(study=cast.study, pauses_automatically=True)
    make_batches(cast.study, 2, 5)
    rate_all(cast.study, make_people(cast.study, ("good-1", "good-2", "good-3", "uniform")), timezone.now())
    sweep(now=timezone.now())

    results = run_together([partial(sweep_signals, now=timezone.now())] * 3)

    assert not [result for result in results if isinstance(result, Exception)]
    assert sum(n_flags for _, n_flags in results) == Flag.objects.count() > 0
    person = Participant.objects.get(pseudonym="uniform")
    assert person.status == "paused"
    assert StatusChange.objects.filter(participant=person).count() == 1


def test_two_people_who_decide_at_once_decide_once():
    cast = make_cast()
    for person in cast.annotators:
        flag = FlagFactory(participant=person)
        decisions = [
            partial(decide_flag, flag, decision=decision, reason="Seen.", by=by, now=timezone.now())
            for decision, by in (("dismissed", cast.lead), ("excluded", cast.owner))
        ]

        results = run_together(decisions)

        assert [result.code for result in results if isinstance(result, Refused)] == ["decided"]
        decided = next(result for result in results if isinstance(result, Flag))
        expected = "excluded" if decided.state == "excluded" else "cleared"
        assert Participant.objects.get(pk=person.pk).status == expected


def test_a_sweep_that_pauses_and_a_lead_who_excludes_do_not_wait_for_each_other():
    cast = make_cast()
    plan = CheckPlanFactory(study=cast.study, pauses_automatically=True)
    for person in cast.annotators:
        flag = FlagFactory(participant=person)
        raising = partial(raise_flag, person, Signal("gold", {"n": 40}), plan=plan, now=timezone.now())
        deciding = partial(decide_flag, flag, decision="excluded", reason="Seen.", by=cast.lead, now=timezone.now())

        results = run_together([raising, deciding])

        assert not [result for result in results if isinstance(result, Exception)]
        assert Participant.objects.get(pk=person.pk).status == "excluded"


def test_somebody_who_claims_while_checks_are_inserted_meets_a_whole_batch():
    cast = make_cast()
    CheckPlanFactory(study=cast.study, gold_percent=50)
    make_checks(cast.study, 3)
    for number in range(4):
        batch = make_batch(cast.study, 4, position=10 + number, key=f"race-{number}")
        person = cast.annotators[number % 3]

        results = run_together(
            [
                partial(claim_seat, person, batch, now=timezone.now()),
                partial(insert_checks, cast.study, by=None, now=timezone.now()),
            ]
        )

        assert not [each for each in results if isinstance(each, Exception) and not isinstance(each, Refused)]
        places = sorted(set(batch.items.values_list("position", flat=True)))
        assert places == list(range(len(places)))
        assert len(places) in (4, 6)
        Seat.objects.filter(assignment__participant=person).update(assignment=None, lease_expires_at=None)
        person.assignments.update(status="expired")
