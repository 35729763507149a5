"""A save that is refused: the screen says why, keeps what was typed, and has a link to the next step."""

import re
from collections.abc import Callable

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from annotation.models import Assignment, Rating, Study
from annotation.services.status import set_status
from tests.browser.helpers import Screen, wait_for_step
from tests.browser.rating import expect_saved, press
from tests.cast import Cast

pytestmark = pytest.mark.django_db(transaction=True)


def exclude(assignment: Assignment) -> None:
    set_status(assignment.participant, status="excluded", now=timezone.now())


def close(assignment: Assignment) -> None:
    Study.objects.filter(pk=assignment.batch.study_id).update(status="closed")


def submit(assignment: Assignment) -> None:
    Assignment.objects.filter(pk=assignment.pk).update(status="submitted", submitted_at=timezone.now())


def problem(page: Page):
    return page.locator("[data-problem]")


@pytest.mark.parametrize(
    ("end", "sentence"),
    [
        (exclude, "You no longer take part in this study."),
        (close, "This study is closed."),
        (submit, "You have finished this batch: its answers can no longer be changed."),
    ],
)
def test_once_the_work_is_over_nothing_can_be_typed_and_a_link_leads_on(
    screen: Screen, assignment: Assignment, end: Callable[[Assignment], None], sentence: str
):
    screen.allowed = ["409"]
    page = screen.page
    wait_for_step(page)
    page.wait_for_load_state("networkidle")
    end(assignment)
    press(page, "1", "Enter")
    expect(problem(page)).to_contain_text(f"{sentence} The last thing you typed is kept on this device.")
    expect(page.locator("[data-save-state]")).to_have_text("Not saved")
    expect(page.locator(".step:visible input:enabled:not([type=hidden])")).to_have_count(0)
    problem(page).get_by_role("link", name="Back to my work").click()
    page.wait_for_url("**/work/")
    expect(page.get_by_role("heading", name="My work")).to_be_visible()


def test_words_that_come_after_the_end_are_shown_to_be_copied(screen: Screen, assignment: Assignment):
    screen.allowed = ["409"]
    page = screen.page
    wait_for_step(page)
    press(page, "2", "b")
    page.keyboard.type("It mixes two names")
    submit(assignment)
    press(page, "Control+Enter")
    expect(problem(page)).to_contain_text("You have finished this batch")
    expect(problem(page)).to_contain_text("You wrote: It mixes two names")


def test_a_page_that_is_too_old_leads_to_a_new_one(screen: Screen):
    screen.allowed = ["409"]
    page = screen.page
    wait_for_step(page)
    error = {"code": "protocol_changed", "message": "The questions of this study have changed.", "fields": {}}
    page.route("**/api/v1/answers/**", lambda route: route.fulfill(status=409, json={"error": error}))
    press(page, "1", "Enter")
    expect(problem(page)).to_contain_text("The questions of this study have changed.")
    expect(page.locator(".step:visible input:enabled:not([type=hidden])")).to_have_count(0)
    page.unroute("**/api/v1/answers/**")
    problem(page).get_by_role("link", name="Reload the page").click()
    expect_saved(page)
    expect(problem(page)).to_be_hidden()


def test_an_answer_to_the_questions_of_before_is_given_up_and_its_words_are_shown(screen: Screen):
    screen.allowed = ["409", "ERR_FAILED"]
    page = screen.page
    wait_for_step(page)
    page.route("**/api/v1/answers/**", lambda route: route.abort())
    press(page, "3")
    page.get_by_role("textbox", name="Say why").fill("I cannot tell from this.")
    press(page, "Control+Enter")
    expect(page.locator("[data-save-state]")).to_contain_text("1 kept here")
    page.evaluate(AS_IF_OLDER)
    page.unroute("**/api/v1/answers/**")
    page.goto(re.sub(r"/2/$", "/1/", page.url))
    expect(problem(page)).to_contain_text("Answer again. You wrote: I cannot tell from this.")
    expect(page.locator(".step:visible input:checked")).to_have_count(0)
    press(page, "1", "Enter")
    expect_saved(page)
    assert Rating.objects.get().option.key == "appropriate"
    assert not page.evaluate("() => Object.keys(localStorage).filter((key) => key.startsWith('parley-outbox:')).length")


# What waits on the device was answered under another version of the questions.
AS_IF_OLDER = """() => {
  Object.keys(localStorage).filter((key) => key.startsWith("parley-outbox:")).forEach((key) => {
    localStorage[key] = JSON.stringify({ ...JSON.parse(localStorage[key]), protocol: "ffffffffffff" });
  });
}"""


def test_while_the_server_is_replaced_the_page_stays_and_tries_again(screen: Screen):
    screen.allowed = ["503"]
    page = screen.page
    wait_for_step(page)
    page.wait_for_load_state("networkidle")
    here = page.url
    page.route(re.compile("/work/|/api/"), lambda route: route.fulfill(status=503, body="down"))
    press(page, "1", "Enter")
    expect(page.locator("[data-save-state]")).to_have_text("Trying again: 1 kept here")
    page.unroute(re.compile("/work/|/api/"))
    page.evaluate("dispatchEvent(new Event('online'))")
    expect_saved(page)
    assert page.url.rsplit("/", 3)[0] == here.rsplit("/", 3)[0]


def test_a_dialogue_that_the_server_cannot_give_is_asked_for_again(screen: Screen, assignment: Assignment):
    screen.allowed = ["503"]
    page = screen.page
    pattern = re.compile(r"/work/[0-9a-f-]+/1/$")
    page.route(pattern, lambda route: route.fulfill(status=503, body="down"))
    page.goto(reverse("rate", args=[assignment.token, 0, 12]))
    wait_for_step(page)
    press(page, "1", "Enter")
    expect(problem(page)).to_contain_text("the server is not ready. Your answers are kept.")
    page.unroute(pattern)
    problem(page).get_by_role("button", name="Try again").click()
    page.wait_for_url("**/1/1/")


def test_without_javascript_too_there_is_a_next_step_and_the_words_are_kept(open_screen, cast: Cast, assignment):
    screen = open_screen(cast.annotator.user, java_script_enabled=False)
    page = screen.go(reverse("rate_start", args=[assignment.token]))
    page.locator('.step:visible [name="appropriateness-option"][value="3"]').check(force=True)
    page.get_by_role("textbox", name="Say why").fill("I cannot tell from this.")
    close(assignment)
    page.get_by_role("button", name="Save and continue").click()
    page.wait_for_url("**/work/")
    expect(page.get_by_role("status").first).to_contain_text(
        "This study is closed. You wrote: I cannot tell from this."
    )
