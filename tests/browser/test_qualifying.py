"""The whole way of a candidate in Chromium, and the pages of those who decide."""

import re
from collections.abc import Callable

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from annotation.models import Batch, Participant, Study
from qualification.models import PayPlan
from qualification.qualifying.services.results import sweep_attempts
from qualification.qualifying.services.training import make_training
from tests.browser.helpers import Screen, answer, wait_for_step
from tests.factories import MembershipFactory, StudyFactory, UserFactory, make_batch
from tests.factories_protocols import CriterionFactory, ExampleFactory, OptionFactory, VersionFactory, publish
from tests.qualification.qualifying.factories import (
    QualificationFactory,
    QuestionFactory,
    finish,
    like,
    make_candidate,
    make_panel,
    mostly,
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def qualifying() -> tuple[Study, Participant]:
    """One question of two answers, an example to train with, 12 dialogues to qualify, and one question about it all."""
    version = VersionFactory(order="criterion_first")
    criterion = CriterionFactory(version=version, key="fitting", name="Fitting")
    for at, (key, role) in enumerate((("fits", "positive"), ("fits-not", "negative"))):
        OptionFactory(criterion=criterion, key=key, label=f"It {key.replace('-', ' ')}", role=role, position=at)
    why = "It answers what was asked."
    ExampleFactory(criterion=criterion, candidates=[{"text": "Well, thank you.", "option": "fits", "why": why}])
    study = StudyFactory(
        slug="plans", name="Plans", protocol_version=publish(version), has_qualification=True, pay_currency="GBP"
    )
    QualificationFactory(study=study, is_trained=True, has_comprehension_check=True)
    QuestionFactory(qualification=study.qualification)
    PayPlan.objects.create(study=study, qualification_amount="1.20")
    make_training(study, by=UserFactory(), now=timezone.now())
    batch = make_batch(study, 12, 1, position=3, kind="qualification", key="qualification-1")
    make_batch(study, 2, 1, position=4, key="main-1")
    make_panel(study, batch, [like(0), mostly(like(0), 3), mostly(like(0), 4)])
    return study, make_candidate(study)


def no_barriers(screen: Screen) -> None:
    assert screen.barriers() == ""


def answer_question(screen: Screen, option: str) -> None:
    screen.page.get_by_role("radio", name=option).check()
    screen.page.get_by_role("button", name="Submit the answers").click()


def qualify(page: Page, study: Study) -> None:
    """By the keys of the rating screen, as the panel answered."""
    criterion = study.protocol_version.criteria.get()
    for at in range(12):
        expect(page.locator(".context-head h2")).to_contain_text(f"Dialogue {at + 1}")
        answer(page, str(like(0)(at, criterion) + 1))
    page.wait_for_url("**/submit/")


@pytest.mark.parametrize("width", [1280, 375])
def test_a_candidate_understands_trains_qualifies_and_reads_the_result(
    qualifying: tuple[Study, Participant], open_screen: Callable[..., Screen], width: int
):
    study, candidate = qualifying
    screen = open_screen(candidate.user, width=width)
    page = screen.go("/work/")
    expect(page.get_by_role("listitem").filter(has_text="Questions about the guidelines")).to_have_attribute(
        "aria-current", "step"
    )
    no_barriers(screen)
    page.get_by_role("button", name="Answer the questions").click()
    no_barriers(screen)
    answer_question(screen, "The speaker")
    expect(page.get_by_text("You have 1 try left.")).to_be_visible()
    no_barriers(screen)
    answer_question(screen, "The response")
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("button", name=re.compile("^Start batch training")).click()
    expect(page.get_by_text("This is training")).to_be_visible()
    wait_for_step(page)
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Not quite")).to_be_visible()
    expect(page.get_by_text("It answers what was asked.")).to_be_visible()
    no_barriers(screen)
    expect(page.get_by_role("button", name="Continue")).to_be_focused()
    page.keyboard.press("Enter")
    page.get_by_role("button", name=re.compile("^Submit")).click()
    page.get_by_role("button", name=re.compile("^Start batch qualification")).click()
    qualify(page, study)
    page.get_by_role("button", name=re.compile("^Submit")).click()
    expect(page.get_by_text("is being decided")).to_be_visible()
    no_barriers(screen)
    assert sweep_attempts(now=timezone.now()) == 1
    expect(page.get_by_text("You qualified.")).to_be_visible()
    expect(page.get_by_text("The qualification is paid 1.20 GBP")).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("^Start batch main-1"))).to_be_visible()
    no_barriers(screen)


def test_the_training_works_without_javascript(
    qualifying: tuple[Study, Participant], open_screen: Callable[..., Screen]
):
    study, candidate = qualifying
    study.qualification.questions.all().delete()
    page = open_screen(candidate.user, java_script_enabled=False).go("/work/")
    page.get_by_role("button", name=re.compile("^Start batch training")).click()
    page.locator("label.choice").filter(has_text=re.compile("It fits")).first.click()
    page.get_by_role("button", name="Save and continue").click()
    expect(page.get_by_role("heading", name="Correct")).to_be_visible()
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("button", name=re.compile("^Submit"))).to_be_visible()


@pytest.mark.journey
def test_the_curve_is_redrawn_while_the_rule_is_changed(
    qualifying: tuple[Study, Participant], open_screen: Callable[..., Screen]
):
    study, _candidate = qualifying
    owner = MembershipFactory(study=study, role="owner").user
    screen = open_screen(owner)
    page = screen.go("/studies/plans/qualification/")
    expect(page.get_by_text("are turned away")).to_be_visible()
    no_barriers(screen)
    page.get_by_label("Decided").select_option("interval")
    expect(page.get_by_text("Second line: undecided")).to_be_visible()
    page.get_by_label("Threshold", exact=True).select_option("fixed")
    page.get_by_role("spinbutton", name="Fixed threshold").fill("0.4")
    page.get_by_role("button", name="Save the qualification").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    study.qualification.refresh_from_db()
    assert (study.qualification.decision, study.qualification.threshold) == ("interval", 0.4)


@pytest.mark.parametrize("width", [1280, 375])
def test_a_lead_sees_every_result_and_decides_on_the_doubtful(
    qualifying: tuple[Study, Participant], open_screen: Callable[..., Screen], width: int
):
    study, candidate = qualifying
    study.qualification.questions.all().delete()
    study.qualification.decision, study.qualification.is_trained = "interval", False
    study.qualification.save()
    batch = Batch.objects.get(key="qualification-1")
    finish(candidate, batch, mostly(like(0), 4, 1))
    sweep_attempts(now=timezone.now())
    lead = MembershipFactory(study=study, role="lead").user
    screen = open_screen(lead, width=width)
    page = screen.go("/studies/plans/quality/")
    expect(page.get_by_text("1 candidate is waiting for your decision")).to_be_visible()
    no_barriers(screen)
    page.get_by_role("link", name=re.compile("^Decide")).click()
    page.get_by_role("link", name="Candidates and their results").click()
    expect(page.get_by_text("you decide")).to_be_visible()
    no_barriers(screen)
    page.get_by_label("Reason").fill("A careful reader.")
    page.get_by_role("button", name=re.compile("^Decide on")).click()
    expect(page.get_by_text("by the rule")).to_have_count(0)
    candidate.refresh_from_db()
    assert candidate.status == "cleared"
    no_barriers(screen)
    screen.go("/studies/plans/people/")
    no_barriers(screen)
