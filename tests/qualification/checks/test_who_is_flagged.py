"""Simulated annotators: bad ones are flagged, good ones mostly are not."""

from collections.abc import Callable

import pytest
from django.utils import timezone

from annotation.models import Study
from annotation.services.agreement import sweep
from qualification.checks.services.inserting import insert_checks
from qualification.models import Flag
from tests.factories import StudyFactory
from tests.factories_protocols import make_he_version
from tests.qualification.checks.factories import CheckPlanFactory, make_checks
from tests.qualification.checks.looking import kinds, look
from tests.qualification.checks.simulated import GOOD, make_batches, make_people, rate_all

pytestmark = pytest.mark.django_db
NOW = timezone.now()


@pytest.fixture(scope="module")
def make_rated(shared) -> Callable[[], Study]:
    return shared(lambda: rated_by_all(StudyFactory(protocol_version=make_he_version(), kappa_floor=0.2)))


def rated_by_all(study: Study, seed: int = 5) -> Study:
    people = make_people(study)
    make_batches(study)
    if hasattr(study, "check_plan"):
        make_checks(study, 6)
        make_checks(study, 3, kind="attention", option=1)
        insert_checks(study, by=None, now=NOW)
    rate_all(study, people, NOW, seed)
    sweep(now=timezone.now())
    return study


@pytest.mark.parametrize("seed", [5, 11])
def test_bad_annotators_are_flagged_and_good_ones_are_not(make_rated: Callable[[], Study], seed: int):
    study = make_rated() if seed == 5 else rated_by_all(StudyFactory(kappa_floor=0.2), seed)
    CheckPlanFactory(study=study)
    look(2)

    found = kinds()
    assert "kappa" in found["uniform"]
    assert "lines" in found["modal"]
    assert "speed" in found["fast"]
    assert "drift" in found["drifting"]
    assert sum(name in found for name in GOOD) <= 1


def test_known_answers_find_who_clicks(db):
    plan = CheckPlanFactory(study__kappa_floor=0.2, gold_percent=20, attention_percent=10)
    rated_by_all(plan.study)
    look()

    found = kinds()
    assert {"gold", "attention"} <= found["uniform"]
    assert "attention" in found["modal"]
    assert not {"gold"} & set().union(*(found.get(name, set()) for name in GOOD))
    evidence = Flag.objects.get(participant__pseudonym="uniform", kind="gold").evidence
    assert evidence["n"] == 4 * evidence["n_items"] > 40
    assert evidence["low"] < evidence["value"] < evidence["high"] < evidence["threshold"] == 0.7


def test_ten_gold_items_decide_nothing(db):
    study = CheckPlanFactory(gold_percent=10, most_attention_missed=9).study
    make_batches(study, 3)
    make_checks(study, 3)
    insert_checks(study, by=None, now=NOW)
    rate_all(study, make_people(study), NOW)
    sweep(now=timezone.now())
    look()

    assert not Flag.objects.filter(kind="gold").exists()


@pytest.mark.parametrize(("setting", "name"), [("speed", "fast"), ("lines", "modal"), ("drift", "drifting")])
def test_what_the_study_does_not_look_at_is_not_flagged(make_rated: Callable[[], Study], setting: str, name: str):
    CheckPlanFactory(study=make_rated(), **{f"looks_at_{setting}": False})
    look()

    assert setting not in kinds().get(name, set())
    assert Flag.objects.exists()
