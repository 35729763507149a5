"""What comes before the first batch: consent, welcome, the full guidelines, the training. Once, and in this order."""

import re

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Assignment, Batch, Participant, Study
from annotation.selectors.first_steps import first_steps
from protocols.bundles import load_bundle
from protocols.selectors import BUILTIN
from protocols.services import store_bundle
from tests.annotation.work_pages import sign_in, text_of
from tests.cast import Cast
from tests.factories import AssignmentFactory, make_batch

pytestmark = pytest.mark.django_db


@pytest.fixture
def newcomer(cast: Cast) -> Client:
    """Somebody who has not read the guidelines."""
    Participant.objects.update(briefed_version=None)
    return sign_in(cast.annotator.user)


@pytest.fixture
def welcoming(cast: Cast) -> None:
    bundle = load_bundle(BUILTIN / "dialogue-hit-1.0.yaml")
    Study.objects.update(protocol_version=store_bundle(bundle, publish=True, now=timezone.now())[0])


def claim(client: Client, cast: Cast, **data: str):
    return client.post(reverse("claim", args=[cast.batch.token]), data)


def steps_on(page: str) -> list[str]:
    found = re.search(r'<ol class="qualification-steps".*?</ol>', page)
    items = re.findall(r"<li(?: class=\"(\w+)\")?[^>]*>([\w ]+)", found.group(0)) if found else []
    return [f"{name.strip()}: {state or 'to come'}" for state, name in items]


def test_the_guidelines_come_before_the_first_batch(cast: Cast, newcomer: Client):
    guidelines = reverse("guidelines", args=["wellbeing"])
    work = text_of(newcomer.get(reverse("work")))
    assert "Before your first batch, please read the guidelines." in work
    assert f'href="{guidelines}">Read the guidelines and start' in work
    assert claim(newcomer, cast).url == guidelines
    assert not Assignment.objects.exists()

    page = text_of(newcomer.get(guidelines))
    assert "I have read them: start batch 1" in page
    assert "Expected time" in page
    assert steps_on(page) == ["Guidelines: now", "Rate: to come"]


def test_who_has_read_them_starts_at_once_and_is_never_asked_again(cast: Cast, newcomer: Client):
    started = claim(newcomer, cast, has_read="1")
    assignment = Assignment.objects.get()
    assert started.url == reverse("rate_start", args=[assignment.token])
    assert "I have read them" not in text_of(newcomer.get(reverse("guidelines", args=["wellbeing"])))

    Assignment.objects.update(status="submitted", submitted_at=timezone.now())
    make_batch(cast.study, position=1)
    page = text_of(newcomer.get(reverse("work")))
    assert "Start batch 2" in page
    assert "Before your first batch" not in page


def test_who_has_worked_before_is_not_made_to_read(cast: Cast, newcomer: Client):
    """People of studies that began before the guidelines came first."""
    earlier = make_batch(cast.study, 1, 1, position=9, status="closed")
    AssignmentFactory(batch=earlier, participant=cast.annotator, status="superseded")
    assert "Start batch 1" in text_of(newcomer.get(reverse("work")))
    assert claim(newcomer, cast).status_code == 302
    assert "I have read them" not in text_of(newcomer.get(reverse("guidelines", args=["wellbeing"])))


def test_the_welcome_comes_first_where_the_protocol_has_one(welcoming: None, cast: Cast, newcomer: Client):
    welcome, guidelines = reverse("welcome", args=["wellbeing"]), reverse("guidelines", args=["wellbeing"])
    assert f'href="{welcome}">Read the guidelines and start' in text_of(newcomer.get(reverse("work")))
    assert claim(newcomer, cast).url == welcome
    page = text_of(newcomer.get(welcome))
    assert f'href="{guidelines}">Continue to the guidelines' in page
    assert steps_on(page) == ["Welcome: now", "Guidelines: to come", "Rate: to come"]


def test_the_guidelines_do_not_repeat_the_welcome(welcoming: None, newcomer: Client):
    first = "Welcome, and thank you for your help."
    assert first in text_of(newcomer.get(reverse("welcome", args=["wellbeing"])))
    assert first not in text_of(newcomer.get(reverse("guidelines", args=["wellbeing"])))


def test_later_the_welcome_leads_back_to_the_work(welcoming: None, cast: Cast):
    page = text_of(sign_in(cast.annotator.user).get(reverse("welcome", args=["wellbeing"])))
    assert "Continue to the guidelines" not in page
    assert steps_on(page) == []


def test_the_consent_is_the_first_step(welcoming: None, cast: Cast, newcomer: Client):
    Study.objects.update(consent_text="We keep what you answer.", is_joinable=True)
    line = ["Consent: now", "Welcome: to come", "Guidelines: to come", "Rate: to come"]
    assert steps_on(text_of(newcomer.get(reverse("consent", args=["wellbeing"])))) == line
    assert steps_on(text_of(Client().get(reverse("join", args=[cast.study.join_token])))) == line
    assert claim(newcomer, cast, has_read="1").url == reverse("consent", args=["wellbeing"])


def test_a_training_is_a_step_where_newcomers_have_to_qualify(cast: Cast):
    batch = make_batch(cast.study, position=5, kind="training")
    assert [step.name for step in first_steps(cast.study, "guidelines")] == ["Guidelines", "Rate"]
    cast.study.has_qualification = True
    assert [step.name for step in first_steps(cast.study, "guidelines")] == ["Guidelines", "Training", "Rate"]
    Batch.objects.filter(pk=batch.pk).update(status="closed")
    assert [step.name for step in first_steps(cast.study, "guidelines")] == ["Guidelines", "Rate"]


def test_who_waits_to_be_cleared_can_read_already(cast: Cast, newcomer: Client):
    Participant.objects.update(status="pending")
    page = text_of(newcomer.get(reverse("guidelines", args=["wellbeing"])))
    assert "I have read them" in page
    assert "start batch" not in page
    assert newcomer.post(reverse("briefed", args=["wellbeing"])).url == reverse("work")
    Participant.objects.update(status="cleared")
    assert "Start batch 1" in text_of(newcomer.get(reverse("work")))


def test_the_menu_of_an_annotator_has_only_what_leads_somewhere(cast: Cast):
    studies = f'href="{reverse("studies")}"'
    assert studies not in text_of(sign_in(cast.annotator.user).get(reverse("work")))
    assert studies not in text_of(sign_in(cast.stranger).get(reverse("work")))
    for who in ("owner", "researcher", "lead", "controller", "observer"):
        assert studies in text_of(sign_in(getattr(cast, who)).get(reverse("work")))


def test_staff_and_who_may_create_studies_find_them_in_the_menu(cast: Cast):
    studies = f'href="{reverse("studies")}"'
    cast.researcher.memberships.all().delete()  # still in the group
    assert studies in text_of(sign_in(cast.researcher).get(reverse("work")))
    cast.stranger.is_staff = True
    cast.stranger.save()
    assert studies in text_of(sign_in(cast.stranger).get(reverse("work")))
