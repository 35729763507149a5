"""The qualification on the dialogues of a pilot: what the panel answered there is what candidates are compared with."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Batch, Participant, Rating, Study
from annotation.services.repeating import repeat_pilot
from qualification.models import Attempt
from qualification.qualifying.selectors.panel import same_items
from qualification.qualifying.selectors.votes import panel_figures, panel_state
from qualification.qualifying.services.results import sweep_attempts
from tests.factories import MembershipFactory, StudyFactory, make_batch
from tests.qualification.qualifying.factories import (
    QualificationFactory,
    finish,
    like,
    make_candidate,
    make_panel,
    mostly,
)

pytestmark = pytest.mark.django_db
NOW = timezone.now()


@pytest.fixture
def study() -> Study:
    """The panel has rated a pilot, which the qualification repeats."""
    study = StudyFactory(slug="he", has_qualification=True)
    QualificationFactory(study=study)
    pilot = make_batch(study, 4, 3, kind="pilot", key="pilot-1")
    make_panel(study, pilot, [like(0), mostly(like(0), 3), mostly(like(0), 4)])
    open_(repeat_pilot(study, pilot="pilot-1", kind="qualification", now=NOW))
    return study


def open_(batch: Batch) -> Batch:
    Batch.objects.filter(pk=batch.pk).update(status="open")
    return batch


def qualification(study: Study) -> Batch:
    return study.batches.get(key="qualification-1")


def decided(study: Study, name: str, **answers: object) -> Attempt:
    candidate = make_candidate(study, name)
    finish(candidate, qualification(study), answers.get("answer", like(0)))
    assert sweep_attempts(now=timezone.now()) == 1
    return Attempt.objects.get(participant=candidate)


def test_the_panel_need_not_rate_its_pilot_again(study: Study):
    state = panel_state(study.qualification, [qualification(study).pk])
    assert (state.n_done, state.waiting, state.reason) == (3, (), "")
    assert decided(study, "good").state == "passed"
    assert decided(study, "bad", answer=like(1)).state == "failed"


def test_a_result_is_that_of_a_panel_that_rated_the_qualification_itself(study: Study):
    there = decided(study, "one", answer=mostly(like(0), 5))
    kappa = panel_figures(study.qualification, study).kappa.value
    for member, answer in zip(members(study), (like(0), mostly(like(0), 3), mostly(like(0), 4)), strict=True):
        finish(member, qualification(study), answer)
    here = decided(study, "two", answer=mostly(like(0), 5))
    assert panel_figures(study.qualification, study).kappa.value == pytest.approx(kappa)
    assert (here.value, here.threshold, here.n_items) == pytest.approx((there.value, there.threshold, there.n_items))


def members(study: Study) -> list[Participant]:
    return list(study.participants.exclude(panel="").order_by("pseudonym", "pk"))


def test_what_a_member_answers_in_the_qualification_comes_before_the_pilot(study: Study):
    before = panel_figures(study.qualification, study).kappa.value
    finish(members(study)[0], qualification(study), like(1))
    assert panel_figures(study.qualification, study).kappa.value < before


def test_of_two_pilots_on_the_same_dialogues_the_newest_counts(study: Study):
    second = open_(repeat_pilot(study, pilot="pilot-1", kind="pilot", now=NOW))
    before = panel_figures(study.qualification, study).kappa.value
    for member in members(study):
        finish(member, second, like(0))
    assert panel_figures(study.qualification, study).kappa.value == pytest.approx(1)
    assert before < 1


def test_a_pilot_of_other_items_is_none_of_the_qualification(study: Study):
    batch = qualification(study)
    batch.items.last().delete()
    assert same_items([batch.pk]) == {batch.pk: {}}
    assert panel_state(study.qualification, [batch.pk]).reason == "panel_unfinished"


def test_answers_of_a_pilot_that_lost_its_seats_do_not_count(study: Study):
    pilot = study.batches.get(key="pilot-1")
    pilot.seats.update(assignment=None, lease_expires_at=None)
    assert panel_state(study.qualification, [qualification(study).pk]).reason == "panel_unfinished"
    assert Rating.objects.filter(batch=pilot).exists()


def test_the_page_says_whether_the_answers_of_a_pilot_count(study: Study, client: Client):
    client.force_login(MembershipFactory(study=study, role="owner").user)
    page = client.get(reverse("qualification", args=["he"])).content.decode()
    assert "same items as pilot-1: the panel's answers there count" in page
    assert "3 of 3 have finished the qualification" in page
    qualification(study).items.last().delete()
    page = client.get(reverse("qualification", args=["he"])).content.decode()
    assert "other items than the pilots: the panel rates it too" in page
