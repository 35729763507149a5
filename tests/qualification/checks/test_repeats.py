"""The page says when there are too few checks for what one annotator rates."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Participant, Study
from qualification.checks.selectors.repeats import Repeats, repeats_of
from qualification.checks.services.inserting import insert_checks
from qualification.models import CheckPlan
from tests.clock import NOW
from tests.factories import MembershipFactory, StudyFactory, make_annotator, make_batch
from tests.factories_protocols import make_he_version
from tests.qualification.checks.factories import CheckPlanFactory, make_checks

pytestmark = pytest.mark.django_db


@pytest.fixture
def plan() -> CheckPlan:
    """Four main batches of ten dialogues with two seats each; one gold dialogue in ten."""
    study = StudyFactory(protocol_version=make_he_version(), seats=2)
    for place in range(4):
        make_batch(study, 10, position=place + 1, key=f"b-{place}")
    return CheckPlanFactory(study=study, gold_percent=10)


def people(study: Study, n: int) -> None:
    for number in range(n):
        make_annotator(study, f"rater-{number}")


def test_with_a_dialogue_for_every_batch_nobody_meets_one_twice(plan: CheckPlan):
    make_checks(plan.study, 4)
    assert repeats_of(plan.study, plan) == []


def test_without_annotators_every_batch_is_expected_of_one(plan: CheckPlan):
    make_checks(plan.study, 3)
    assert repeats_of(plan.study, plan) == [Repeats("gold", 3, 1.0, 4, 3)]


def test_seats_are_shared_out_among_those_who_may_rate(plan: CheckPlan):
    make_checks(plan.study, 1)
    people(plan.study, 8)
    make_annotator(plan.study, "waiting", status="pending")
    assert repeats_of(plan.study, plan) == []  # a batch for each
    Participant.objects.filter(user__username__in=("rater-1", "rater-2", "rater-3")).update(status="excluded")
    assert repeats_of(plan.study, plan) == [Repeats("gold", 1, 1.0, 2, 1)]


def test_what_the_page_says_is_what_inserting_does(plan: CheckPlan):
    make_checks(plan.study, 3)
    (found,) = repeats_of(plan.study, plan)
    insert_checks(plan.study, by=None, now=NOW)
    checks = [
        set(batch.items.filter(is_check=True).values_list("dialogue", flat=True)) for batch in plan.study.batches.all()
    ]
    assert len(set().union(*checks)) == found.n_dialogues
    assert sum(map(len, checks)) == found.per_batch * 4
    assert len(set().union(*checks[: found.n_apart])) == sum(map(len, checks[: found.n_apart]))
    assert any(checks[found.n_apart] & each for each in checks[: found.n_apart])


def test_the_two_kinds_are_counted_apart_and_material_of_batches_is_none(plan: CheckPlan):
    make_checks(plan.study, 4)
    make_checks(plan.study, 1, kind="attention")
    plan.attention_percent = 20
    assert repeats_of(plan.study, plan) == [Repeats("attention", 1, 2.0, 4, 1)]
    plan.attention_percent = 0
    assert repeats_of(plan.study, plan) == []


def test_the_page_says_it_beside_the_button(plan: CheckPlan, client: Client, django_assert_max_num_queries):
    make_checks(plan.study, 3)
    client.force_login(MembershipFactory(study=plan.study, role="researcher").user)

    def read() -> tuple[str, int]:
        with django_assert_max_num_queries(40) as captured:
            html = client.get(reverse("checks_settings", args=[plan.study.slug])).content.decode()
        return " ".join(html.split()), len(captured)

    html, few = read()
    assert "There are 3 gold dialogues, and each batch uses 1." in html
    assert "Annotators who rate more than 3 batches see the same one" in html
    assert "An annotator here would rate 4 batches." in html
    for place in range(5):
        make_batch(plan.study, 10, position=place + 9, key=f"more-{place}")
    people(plan.study, 3)
    assert read()[1] == few
    make_checks(plan.study, 9)
    assert "see the same one again" not in read()[0]
