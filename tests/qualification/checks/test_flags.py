"""A flag is decided once, by a person, with a reason; what follows for the annotator follows in the same moment."""

from decimal import Decimal

import pytest
from django.utils import timezone

from annotation.models import ActivityLog, Assignment, Participant, Seat
from annotation.services.claiming import claim_seat, submit_assignment
from annotation.services.refusals import Refused
from annotation.services.status import set_status
from qualification.checks.selectors.signals import Signal
from qualification.checks.services.flags import decide_flag, raise_flag
from qualification.models import Flag
from tests.cast import Cast, make_cast
from tests.qualification.checks.factories import CheckPlanFactory, FlagFactory
from tests.working import rate_everything

pytestmark = [pytest.mark.django_db, pytest.mark.own_cast]
GOLD = Signal("gold", {"n": 44, "value": 0.4, "low": 0.3, "high": 0.5, "threshold": 0.7})


def decide(cast: Cast, flag: Flag, decision: str, reason: str = "I read the answers.") -> Flag:
    return decide_flag(flag, decision=decision, reason=reason, by=cast.lead, now=timezone.now())


def raise_one(cast: Cast, signal: Signal = GOLD, **plan: object) -> Flag | None:
    plan_row = getattr(cast.study, "check_plan", None) or CheckPlanFactory(study=cast.study, **plan)
    return raise_flag(cast.annotator, signal, plan=plan_row, now=timezone.now())


def status(cast: Cast) -> str:
    return Participant.objects.get(pk=cast.annotator.pk).status


# --- decisions ---------------------------------------------------------------------------------------
def test_a_dismissed_flag_changes_nothing_for_the_annotator(cast: Cast):
    flag = decide(cast, raise_one(cast), "dismissed")

    assert (flag.state, flag.decided_by, flag.decision_reason) == ("dismissed", cast.lead, "I read the answers.")
    assert status(cast) == "cleared"


def test_pausing_stops_new_batches_and_keeps_the_reason(cast: Cast):
    decide(cast, raise_one(cast), "paused")

    assert status(cast) == "paused"
    assert cast.annotator.status_changes.get().reason == "I read the answers."


def test_excluding_frees_the_seats_and_keeps_what_is_to_be_paid(db):
    cast = make_cast(pay_amount=Decimal("4.67"), pay_currency="GBP")
    assignment = claim_seat(cast.annotator, cast.batch, now=timezone.now())
    rate_everything(assignment, now=timezone.now())
    submit_assignment(assignment, feedback="", now=timezone.now())
    version = type(cast.batch).objects.get(pk=cast.batch.pk).ratings_version

    flag = decide(cast, raise_one(cast), "excluded")

    assert status(cast) == "excluded"
    assert not Seat.objects.filter(assignment__participant=cast.annotator).exists()
    assert Assignment.objects.get(pk=assignment.pk).submitted_at is not None
    assert flag.payable == {"batches": 1, "amount": "4.67", "currency": "GBP"}
    assert type(cast.batch).objects.get(pk=cast.batch.pk).ratings_version > version


def test_excluding_settles_all_open_flags_of_the_person_and_pausing_does_not(cast: Cast):
    first, second = raise_one(cast), raise_one(cast, Signal("lines", {"n": 60}))
    decide(cast, first, "paused")
    assert Flag.objects.get(pk=second.pk).state == "open"

    decide(cast, second, "excluded")
    third = FlagFactory(participant=cast.annotators[1])
    assert not Flag.objects.filter(participant=cast.annotator, state="open").exists()
    assert third.state == "open"


def test_a_flag_is_decided_once(cast: Cast):
    flag = raise_one(cast)
    decide(cast, flag, "dismissed")

    with pytest.raises(Refused, match="already decided"):
        decide(cast, flag, "excluded")
    assert status(cast) == "cleared"


@pytest.mark.parametrize(("decision", "reason"), [("dismissed", "  "), ("open", "Why not"), ("sacked", "Bad work")])
def test_a_decision_needs_a_reason_and_must_be_one_of_three(cast: Cast, decision: str, reason: str):
    flag = raise_one(cast)

    with pytest.raises(Refused):
        decide(cast, flag, decision, reason)
    assert Flag.objects.get(pk=flag.pk).state == "open"


def test_raising_and_deciding_are_both_logged(cast: Cast):
    decide(cast, raise_one(cast), "paused")

    raised, decided = ActivityLog.objects.filter(verb__startswith="flag_").order_by("pk")
    assert (raised.verb, raised.actor, raised.object) == ("flag_raised", None, cast.annotator.pseudonym)
    assert (decided.verb, decided.actor) == ("flag_decided", cast.lead)
    assert decided.details["reason"] == "I read the answers."


# --- once, and again ---------------------------------------------------------------------------------
def test_there_is_one_open_flag_of_a_kind(cast: Cast):
    assert raise_one(cast) is not None
    assert raise_one(cast, Signal("gold", {"n": 500})) is None
    assert raise_one(cast, Signal("drift", {"n": 500})) is not None


@pytest.mark.parametrize(("n", "is_raised"), [(44, False), (63, False), (64, True)])
def test_after_a_dismissal_the_same_comes_again_only_with_twenty_more_answers(cast: Cast, n: int, is_raised: bool):
    decide(cast, raise_one(cast), "dismissed")

    assert (raise_one(cast, Signal("gold", {"n": n})) is not None) is is_raised


@pytest.mark.parametrize(("missed", "is_raised"), [(3, False), (4, True)])
def test_attention_comes_again_after_as_many_further_misses_as_are_too_many(cast: Cast, missed: int, is_raised: bool):
    decide(cast, raise_one(cast, Signal("attention", {"n": 4, "value": 2, "threshold": 1})), "dismissed")
    signal = Signal("attention", {"n": 9, "value": missed, "threshold": 1})

    assert (raise_one(cast, signal) is not None) is is_raised


# --- paused by the rule ------------------------------------------------------------------------------
def test_dismissing_the_flag_that_paused_somebody_lets_them_go_on(cast: Cast):
    flag = raise_one(cast, pauses_automatically=True)
    assert status(cast) == "paused"

    decide(cast, flag, "dismissed")

    assert status(cast) == "cleared"


def test_somebody_paused_stays_so_while_another_flag_is_open(cast: Cast):
    first = raise_one(cast, pauses_automatically=True)
    second = raise_one(cast, Signal("lines", {"n": 60}))

    decide(cast, first, "dismissed")
    assert status(cast) == "paused"
    decide(cast, second, "dismissed")
    assert status(cast) == "cleared"


def test_a_pause_that_a_person_decided_outlasts_the_dismissal(cast: Cast):
    flag = raise_one(cast, pauses_automatically=True)
    set_status(cast.annotator, status="cleared", by=cast.lead, now=timezone.now())
    set_status(cast.annotator, status="paused", by=cast.lead, now=timezone.now())

    decide(cast, flag, "dismissed")

    assert status(cast) == "paused"


def test_who_is_paused_already_is_not_paused_by_the_flag(cast: Cast):
    set_status(cast.annotator, status="paused", by=cast.lead, now=timezone.now())

    flag = raise_one(cast, pauses_automatically=True)
    decide(cast, flag, "dismissed")

    assert (flag.has_paused, status(cast)) == (False, "paused")
