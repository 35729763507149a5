"""Simulated annotators: bad ones are flagged, good ones mostly are not. Looking twice changes nothing."""

import pytest
from django.utils import timezone

from annotation.models import ActivityLog, Batch, Participant, StatusChange
from annotation.services.agreement import sweep
from qualification.checks.services import signals
from qualification.checks.services.flags import raise_flag
from qualification.checks.services.inserting import insert_checks
from qualification.checks.services.signals import sweep_signals
from qualification.models import Flag, SignalMark, SignalState
from tests.cast import Cast, make_cast
from tests.qualification.checks.factories import CheckPlanFactory, make_checks
from tests.qualification.checks.simulated import GOOD, make_batches, make_people, rate_all

pytestmark = pytest.mark.django_db
NOW = timezone.now()
SMALL = (*GOOD[:3], "uniform")


def kinds() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for name, kind in Flag.objects.values_list("participant__pseudonym", "kind"):
        found.setdefault(name, set()).add(kind)
    return found


def look(n: int = 1) -> list[tuple[int, int]]:
    return [sweep_signals(now=timezone.now()) for _ in range(n)]


def make_small_study(**plan: object) -> Cast:
    """Three good annotators and one who clicks, on 120 answers each."""
    cast = make_cast(kappa_floor=0.2)
    CheckPlanFactory(study=cast.study, **plan)
    make_batches(cast.study, 2, 5)
    rate_all(cast.study, make_people(cast.study, SMALL), NOW, 5)
    sweep(now=timezone.now())
    return cast


def make_rated_study(seed: int = 5, **plan: object) -> Cast:
    cast = make_cast(kappa_floor=0.2)
    CheckPlanFactory(study=cast.study, **plan)
    people = make_people(cast.study)
    make_batches(cast.study)
    if plan.get("gold_percent") or plan.get("attention_percent"):
        make_checks(cast.study, 6)
        make_checks(cast.study, 3, kind="attention", option=1)
        insert_checks(cast.study, by=None, now=NOW)
    rate_all(cast.study, people, NOW, seed)
    sweep(now=timezone.now())
    return cast


# --- who is flagged ----------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", [5, 11])
def test_bad_annotators_are_flagged_and_good_ones_are_not(db, seed: int):
    make_rated_study(seed)
    look(2)

    found = kinds()
    assert "kappa" in found["uniform"]
    assert "lines" in found["modal"]
    assert "speed" in found["fast"]
    assert "drift" in found["drifting"]
    assert sum(name in found for name in GOOD) <= 1


def test_known_answers_find_who_clicks(db):
    make_rated_study(gold_percent=20, attention_percent=10)
    look()

    found = kinds()
    assert {"gold", "attention"} <= found["uniform"]
    assert "attention" in found["modal"]
    assert not {"gold"} & set().union(*(found.get(name, set()) for name in GOOD))
    evidence = Flag.objects.get(participant__pseudonym="uniform", kind="gold").evidence
    assert evidence["n"] == 4 * evidence["n_items"] > 40
    assert evidence["low"] < evidence["value"] < evidence["high"] < evidence["threshold"] == 0.7


def test_ten_gold_items_decide_nothing(db):
    cast = make_cast()
    CheckPlanFactory(study=cast.study, gold_percent=10, most_attention_missed=9)
    make_batches(cast.study, 3)
    make_checks(cast.study, 3)
    insert_checks(cast.study, by=None, now=NOW)
    rate_all(cast.study, make_people(cast.study), NOW)
    sweep(now=timezone.now())
    look()

    assert not Flag.objects.filter(kind="gold").exists()


@pytest.mark.parametrize(("setting", "name"), [("speed", "fast"), ("lines", "modal"), ("drift", "drifting")])
def test_what_the_study_does_not_look_at_is_not_flagged(db, setting: str, name: str):
    make_rated_study(**{f"looks_at_{setting}": False})
    look()

    assert setting not in kinds().get(name, set())
    assert Flag.objects.exists()


def test_a_study_without_settings_of_checks_is_not_looked_at(db):
    cast = make_small_study()
    cast.study.check_plan.delete()

    assert look() == [(0, 0)]
    assert not SignalState.objects.exists()


def test_without_a_floor_kappa_flags_nobody(db):
    cast = make_small_study()
    type(cast.study).objects.update(kappa_floor=None)
    look()

    assert not Flag.objects.filter(kind="kappa").exists()


# --- how it looks ------------------------------------------------------------------------------------
def test_a_re_rating_finds_nothing_new_and_costs_two_queries(db, django_assert_num_queries):
    make_small_study()
    look()
    flags = Flag.objects.count()

    with django_assert_num_queries(2):  # changed batches, and flags of people who were excluded elsewhere
        assert look() == [(0, 0)]
    assert Flag.objects.count() == flags


def test_a_worker_killed_before_it_noted_what_it_saw_raises_no_flag_twice(db):
    make_small_study()
    look()
    flags = Flag.objects.count()
    SignalMark.objects.all().delete()
    SignalState.objects.all().delete()

    assert look() == [(2, 0)]
    assert Flag.objects.count() == flags


def test_only_some_people_are_looked_at_in_one_sweep_and_the_others_in_the_next(db, monkeypatch):
    make_small_study()
    monkeypatch.setattr(signals, "PEOPLE_AT_ONCE", 3)

    look()
    assert SignalState.objects.count() == 3
    look()
    assert SignalState.objects.count() == 4
    assert look() == [(0, 0)]


def test_somebody_is_looked_at_again_after_twenty_more_answers(db):
    make_small_study()
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


def test_one_person_whose_work_cannot_be_measured_does_not_hold_up_the_others(db, monkeypatch):
    make_small_study()
    whole = signals.look_at

    def broken(study, plan, due):
        if due.participant.pseudonym == "good-1":
            raise ValueError("cannot be measured")
        return whole(study, plan, due)

    monkeypatch.setattr(signals, "look_at", broken)
    look()

    assert "uniform" in kinds()
    assert look() == [(0, 0)]


def test_looking_takes_as_many_queries_for_many_batches(db, django_assert_max_num_queries):
    make_small_study()
    SignalState.objects.all().delete()
    look()
    SignalMark.objects.all().delete()  # everybody is known: only who is asked about changes

    with django_assert_max_num_queries(14):
        look()


# --- what follows ------------------------------------------------------------------------------------
def test_a_flagged_annotator_goes_on_unless_the_study_pauses_automatically(db):
    make_small_study()
    look()

    assert set(Participant.objects.filter(is_imported=True).values_list("status", flat=True)) == {"cleared"}


def test_the_study_may_pause_by_itself_and_the_rule_is_named_as_the_reason(db):
    make_small_study(pauses_automatically=True)
    look()

    person = Participant.objects.get(pseudonym="uniform")
    assert person.status == "paused"
    change = StatusChange.objects.get(participant=person)
    assert (change.actor, change.reason[:5]) == (None, "Flag:")
    assert Flag.objects.filter(participant=person, state="open").count() >= 1
    assert Flag.objects.filter(participant=person, has_paused=True).count() == 1
    assert Participant.objects.get(pseudonym="good-2").status == "cleared"
    assert ActivityLog.objects.filter(verb="flag_raised", object="uniform", actor=None).exists()


def test_who_is_excluded_is_flagged_no_more(db):
    cast = make_small_study()
    look()
    flag = Flag.objects.filter(participant__pseudonym="uniform").first()
    Participant.objects.filter(pseudonym="uniform").update(status="excluded")
    Flag.objects.all().delete()
    signal = signals.Signal("kappa", {"n": 100, "value": 0.0})

    assert raise_flag(flag.participant, signal, plan=cast.study.check_plan, now=NOW) is None
