"""How annotators are looked at: once for each answer, in turns, and looking twice changes nothing."""

from collections.abc import Callable

import pytest
from django.utils import timezone

from annotation.models import ActivityLog, Batch, Participant, StatusChange
from annotation.services.agreement import sweep
from measures.contributions import Contribution
from measures.estimate import Estimate
from qualification.checks.selectors.signals import Due, Look, speed_signals
from qualification.checks.services import signals
from qualification.checks.services.flags import raise_flag
from qualification.models import CheckPlan, Flag, SignalMark, SignalState
from tests.cast import Cast, make_cast
from tests.factories import StudyFactory, make_annotator
from tests.qualification.checks.factories import CheckPlanFactory
from tests.qualification.checks.looking import kinds, look
from tests.qualification.checks.simulated import GOOD, make_batches, make_people, rate_all

pytestmark = pytest.mark.django_db
NOW = timezone.now()
SMALL = (*GOOD[:3], "uniform")


@pytest.fixture(scope="module")
def make_small_cast(shared) -> Callable[[], Cast]:
    return shared(rated_cast)


def rated_cast() -> Cast:
    """Three good annotators and one who clicks, on 120 answers each."""
    cast = make_cast(kappa_floor=0.2)
    make_batches(cast.study, 2, 5)
    rate_all(cast.study, make_people(cast.study, SMALL), NOW, 5)
    sweep(now=timezone.now())
    return cast


@pytest.fixture
def small(make_small_cast: Callable[[], Cast], db: None) -> Cast:
    cast = make_small_cast()
    CheckPlanFactory(study=cast.study)
    return cast


def test_a_study_without_settings_of_checks_is_not_looked_at(small: Cast):
    small.study.check_plan.delete()

    assert look() == [(0, 0)]
    assert not SignalState.objects.exists()


def test_without_a_floor_kappa_flags_nobody(small: Cast):
    type(small.study).objects.update(kappa_floor=None)
    look()

    assert not Flag.objects.filter(kind="kappa").exists()


# --- how it looks ------------------------------------------------------------------------------------
def test_a_re_rating_finds_nothing_new_and_costs_two_queries(small: Cast, django_assert_num_queries):
    look()
    flags = Flag.objects.count()

    with django_assert_num_queries(2):  # changed batches, and flags of people who were excluded elsewhere
        assert look() == [(0, 0)]
    assert Flag.objects.count() == flags


def test_a_worker_killed_before_it_noted_what_it_saw_raises_no_flag_twice(small: Cast):
    look()
    flags = Flag.objects.count()
    SignalMark.objects.all().delete()
    SignalState.objects.all().delete()

    assert look() == [(2, 0)]
    assert Flag.objects.count() == flags


def test_only_some_people_are_looked_at_in_one_sweep_and_the_others_in_the_next(small: Cast, monkeypatch):
    monkeypatch.setattr(signals, "PEOPLE_AT_ONCE", 3)

    look()
    assert SignalState.objects.count() == 3
    look()
    assert SignalState.objects.count() == 4
    assert look() == [(0, 0)]


def test_somebody_is_looked_at_again_after_twenty_more_answers(small: Cast):
    look()
    state = SignalState.objects.get(participant__pseudonym="good-1")
    Batch.objects.filter(key="week-1").update(ratings_version=3)
    sweep(now=timezone.now())
    look()

    again = SignalState.objects.get(participant__pseudonym="good-1")
    assert again.looked_at == state.looked_at
    SignalState.objects.filter(pk=state.pk).update(n_answers=state.n_answers - 20)
    SignalMark.objects.all().delete()
    look()
    assert SignalState.objects.get(pk=state.pk).looked_at > state.looked_at


def test_one_person_whose_work_cannot_be_measured_does_not_hold_up_the_others(small: Cast, monkeypatch):
    whole = signals.look_at

    def broken(study, plan, due):
        if due.participant.pseudonym == "good-1":
            raise ValueError("cannot be measured")
        return whole(study, plan, due)

    monkeypatch.setattr(signals, "look_at", broken)
    look()

    assert "uniform" in kinds()
    assert look() == [(0, 0)]


def test_looking_takes_as_many_queries_for_many_batches(small: Cast, django_assert_max_num_queries):
    SignalState.objects.all().delete()
    look()
    SignalMark.objects.all().delete()  # everybody is known: only who is asked about changes

    with django_assert_max_num_queries(14):
        look()


# --- what follows ------------------------------------------------------------------------------------
def test_a_flagged_annotator_goes_on_unless_the_study_pauses_automatically(small: Cast):
    look()

    assert set(Participant.objects.filter(is_imported=True).values_list("status", flat=True)) == {"cleared"}


def test_the_study_may_pause_by_itself_and_the_rule_is_named_as_the_reason(small: Cast):
    CheckPlan.objects.update(pauses_automatically=True)
    look()

    person = Participant.objects.get(pseudonym="uniform")
    assert person.status == "paused"
    change = StatusChange.objects.get(participant=person)
    assert (change.actor, change.reason[:5]) == (None, "Flag:")
    assert Flag.objects.filter(participant=person, state="open").count() >= 1
    assert Flag.objects.filter(participant=person, has_paused=True).count() == 1
    assert Participant.objects.get(pseudonym="good-2").status == "cleared"
    assert ActivityLog.objects.filter(verb="flag_raised", object="uniform", actor=None).exists()


def test_who_is_excluded_is_flagged_no_more(small: Cast):
    look()
    flag = Flag.objects.filter(participant__pseudonym="uniform").first()
    Participant.objects.filter(pseudonym="uniform").update(status="excluded")
    Flag.objects.all().delete()
    signal = signals.Signal("kappa", {"n": 100, "value": 0.0})

    assert raise_flag(flag.participant, signal, plan=small.study.check_plan, now=NOW) is None


@pytest.mark.parametrize(("pace", "is_signal"), [(-0.08, False), (-0.2, True)])
def test_a_fast_one_of_seven_is_a_signal_only_if_chance_seldom_makes_one_as_fast(pace: float, is_signal: bool):
    study = StudyFactory()
    for at in range(6):
        other = make_annotator(study, f"other-{at}")
        SignalState.objects.create(participant=other, pace=at / 100, n_paced=40, looked_at=NOW)
    fast = make_annotator(study, "fast")
    seen = Look(Due(fast, Contribution(()), 0, 0), Estimate(pace, n_items=40), ())
    assert list(speed_signals(study, [seen])) == [fast.pk] * is_signal
