"""One count of steps on every page, whose total stays the same while questions open and close."""

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.models import Rating
from tests.browser.helpers import answer, wait_for_step
from tests.browser.rating import begin, expect_saved, press, step
from tests.factories import make_annotator, take_seat
from tests.marking import make_skipping_batch
from tests.shipped import Work

pytestmark = pytest.mark.django_db(transaction=True)


def expect_done(page: Page, text: str) -> None:
    expect(page.locator("[data-progress-text]")).to_have_text(text)


def test_the_total_stays_while_questions_open_and_close_and_every_page_says_the_same(open_screen):
    assignment = take_seat(make_annotator((batch := make_skipping_batch(1)).study, "ann"), batch)
    page = begin(open_screen(assignment.participant.user), assignment)
    expect_done(page, "0 of 11 steps")
    wait_for_step(page)
    press(page, "2")
    expect_done(page, "0 of 11 steps")  # chosen, not saved
    press(page, "1")
    press(page, "Enter")
    expect_done(page, "3 of 11 steps")  # two questions are not asked after this answer
    answer(page, "2")
    expect_done(page, "4 of 11 steps")
    expect(step(page).locator("h2")).to_contain_text("Response 2")
    answer(page, "2")
    expect_done(page, "5 of 11 steps")
    expect_saved(page)
    page.reload()
    expect_done(page, "5 of 11 steps")
    for path, text in (("work", "5 of 11 steps"), ("submit", "5 of 11 steps"), ("submit", "6 steps are left.")):
        page.goto(reverse(path, args=[assignment.token] if path == "submit" else []))
        expect(page.get_by_role("main")).to_contain_text(text)


def test_an_answer_that_is_changed_opens_its_steps_again(open_screen):
    assignment = take_seat(make_annotator((batch := make_skipping_batch(1)).study, "ann"), batch)
    page = begin(open_screen(assignment.participant.user), assignment)
    answer(page, "1")
    expect_done(page, "3 of 11 steps")
    press(page, "Backspace")
    wait_for_step(page)
    press(page, "2")
    press(page, "Enter")
    expect_done(page, "1 of 11 steps")
    expect_saved(page)
    page.reload()
    expect_done(page, "1 of 11 steps")


def test_answers_that_were_on_their_way_when_the_page_was_made_are_counted_once_they_are_there(open_screen):
    work = Work("three-point-coherence-1.0", n_dialogues=6, n_sources=1)
    screen = open_screen(work.participant.user)
    screen.allowed = ["ERR_FAILED", "ERR_INTERNET_DISCONNECTED"]
    page = screen.page
    page.route("**/api/v1/answers/**", lambda route: route.abort())
    begin(screen, work.assignment)
    for _ in range(10):
        answer(page, "2")
    expect_done(page, "10 of 12 steps")
    page.goto(reverse("rate", args=[work.assignment.token, 1, 1]))
    wait_for_step(page)
    page.unroute("**/api/v1/answers/**")
    page.evaluate("dispatchEvent(new Event('online'))")
    expect_saved(page)
    assert Rating.objects.count() == 10
    expect_done(page, "10 of 12 steps")
    expect(page.get_by_role("button", name="Dialogue 5, response 2: answered")).to_have_count(1)
