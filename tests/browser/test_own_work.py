"""My work, the finished batches and the first reading, as somebody sees them in Chromium."""

import re
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from annotation.models import Assignment, Participant, Rating, Study
from annotation.services.claiming import submit_assignment
from qualification.pay.services.ledger import sweep_pay
from tests.browser.helpers import LOOKS, Screen
from tests.cast import Cast
from tests.factories import make_batch
from tests.working import rate_everything

pytestmark = pytest.mark.django_db(transaction=True)
Open = Callable[..., Screen]
AT = datetime(2026, 2, 3, 22, 5, tzinfo=UTC)


@pytest.fixture
def finished(cast: Cast, assignment: Assignment) -> Assignment:
    Study.objects.update(pay_amount="4.67", pay_currency="GBP")
    rate_everything(assignment, now=timezone.now())
    Rating.objects.update(active_ms=60_000)
    done = submit_assignment(assignment, feedback="The fourth was hard.", now=timezone.now())
    sweep_pay(now=timezone.now())
    Assignment.objects.update(submitted_at=AT)
    return done


@pytest.mark.journey
def test_one_reads_what_one_answered_in_a_finished_batch(open_screen: Open, cast: Cast, finished: Assignment):
    page = open_screen(cast.annotator.user, timezone_id="America/New_York").go(reverse("work"))
    expect(page.get_by_text("You have earned 4.67 GBP here.")).to_be_visible()
    expect(page.get_by_text("That is 11.68 GBP per hour of measured work.")).to_be_visible()
    page.get_by_text("Your finished batches").click()
    row = page.get_by_role("row").filter(has_text="24")
    expect(row.locator("time")).to_have_text(re.compile(r"Feb 3, 2026, 17:05"))
    row.get_by_role("link").click()

    expect(page.get_by_role("heading", name="Your answers in batch 1")).to_be_visible()
    expect(page.get_by_role("heading", name="Dialogue 2")).to_be_visible()
    expect(page.locator(".own-answers dd strong")).to_have_count(24)
    expect(page.get_by_role("textbox")).to_have_count(0)
    expect(page.get_by_text("The fourth was hard.")).to_be_visible()
    page.get_by_text("Read the dialogue").first.click()
    expect(page.locator(".past-turns").first).to_be_visible()


def test_without_a_script_times_have_their_zone(open_screen: Open, cast: Cast, finished: Assignment):
    page = open_screen(cast.annotator.user, java_script_enabled=False).go(reverse("past_batches", args=["wellbeing"]))
    expect(page.locator("td time")).to_have_text(re.compile("UTC$"))


def test_the_first_reading_leads_by_the_keyboard_to_the_first_question(open_screen: Open, cast: Cast):
    Participant.objects.update(briefed_version=None)
    page = open_screen(cast.annotator.user).go(reverse("work"))
    page.get_by_role("button", name="Read the guidelines and start").press("Enter")
    line = page.get_by_role("list", name="Steps to your first batch")
    expect(line.locator("[aria-current=step]")).to_have_text("Guidelines")
    page.get_by_role("button", name="I have read them: start batch 1").press("Enter")
    page.wait_for_url("**/work/*/*/*/")
    assert Assignment.objects.get().participant == cast.annotator


def test_after_fifty_minutes_without_a_break_a_hint_can_be_put_away(open_screen: Open, cast: Cast):
    screen = open_screen(cast.annotator.user)
    screen.clock.install(time=AT)
    page = screen.go(reverse("work"))
    hint = page.get_by_text("50 minutes without a break")
    for _ in range(13):
        page.clock.run_for(4 * 60_000)
        expect(hint).to_be_hidden() if _ < 12 else None
        page.keyboard.press("Shift")
    expect(hint).to_be_visible()
    page.get_by_role("button", name="OK").click()
    expect(hint).to_be_hidden()
    page.clock.run_for(60_000)
    page.keyboard.press("Shift")
    expect(hint).to_be_hidden()


def test_five_quiet_minutes_are_a_break(open_screen: Open, cast: Cast):
    screen = open_screen(cast.annotator.user)
    screen.clock.install(time=AT)
    page = screen.go(reverse("work"))
    for minutes in (*[4] * 10, 6, *[4] * 10):
        page.clock.run_for(minutes * 60_000)
        page.keyboard.press("Shift")
    expect(page.get_by_text("50 minutes without a break")).to_be_hidden()


@LOOKS
def test_axe_finds_no_barrier_in_finished_work_and_the_first_reading(
    open_screen: Open, cast: Cast, finished: Assignment, width: int, scheme: str
):
    make_batch(cast.study, 1, 1, position=1)
    screen = open_screen(cast.annotator.user, width=width, color_scheme=scheme)
    found = {}
    for path in (
        reverse("work"),
        reverse("past_batches", args=["wellbeing"]),
        reverse("past_batch", args=[finished.token]),
    ):
        page = screen.go(path)
        for fold in page.locator("main details > summary").all():
            fold.click()
        found[path] = screen.barriers()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
    newcomer = open_screen(cast.annotators[1].user, width=width, color_scheme=scheme)
    Participant.objects.update(briefed_version=None)
    newcomer.go(reverse("guidelines", args=["wellbeing"]))
    found["guidelines"] = newcomer.barriers()
    lead = open_screen(cast.lead, width=width, color_scheme=scheme)
    lead.go(reverse("study_feedback", args=["wellbeing"]))
    found["feedback"] = lead.barriers()
    assert {path: report for path, report in found.items() if report} == {}, "\n".join(found.values())
