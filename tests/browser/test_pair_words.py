"""Two responses or two whole dialogues are a pair: on the screen, in its strip, and on the pages around it."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.models import Assignment
from protocols.services import store_bundle
from tests.browser.helpers import wait_for_step
from tests.browser.rating import begin, press, step
from tests.clock import NOW
from tests.comparing import deal, make_scenarios, make_study
from tests.factories import make_annotator, take_seat
from tests.shipped import bundle_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def begun() -> Assignment:
    version = store_bundle(bundle_of("acute-eval-1.0-dialogues"), publish=True, now=NOW)[0]
    study = make_scenarios(2, 2, version=version)
    return take_seat(make_annotator(study, "anna"), deal(study)[0])


def submit_page(page: Page, work: Assignment) -> Page:
    page.goto(reverse("submit", args=[work.token]))
    return page


def test_the_screen_and_its_strip_count_pairs(open_screen, begun: Assignment):
    page = begin(open_screen(begun.participant.user), begun)
    wait_for_step(page)
    expect(page.locator(".context-head h2")).to_have_text("Pair 1 of 2")
    expect(step(page).locator("h2")).to_have_text("Both dialogues")
    expect(page.locator(".strip-item")).to_have_count(2)
    names = [button.get_attribute("aria-label") for button in page.locator(".strip-item").all()]
    assert names == ["Pair 1: not answered", "Pair 2: not answered"]
    press(page, "g")
    expect(page.get_by_label("Type 2 for pair 2")).to_be_focused()
    page.keyboard.type("7")
    press(page, "Enter")
    expect(page.locator("[data-strip-error]")).to_have_text("Enter the number of a pair, from 1 to 2.")


def test_the_review_names_pairs_and_shows_where_their_sides_differ(open_screen, begun: Assignment):
    page = begin(open_screen(begun.participant.user), begun)
    wait_for_step(page)
    press(page, "1")
    submit_page(page, begun)
    expect(page.locator("[data-unsaved-list]")).to_have_text(re.compile("^Pair 1: Engagingness$"))
    expect(page.get_by_text("The first missing answer: Pair 1, Engagingness")).to_be_visible()
    review = page.locator(".review")
    expect(review.locator("h3")).to_have_text(["Pair 1", "Pair 2"])
    expect(review.locator("h4").first).to_contain_text("Both dialogues of pair 1")
    for number, text in enumerate(review.locator("article").first.locator(".review-text").all(), start=1):
        expect(text).to_have_text(re.compile(rf"^{number} Answer \d, told in the [ab] way\.$"))
    expect(review).not_to_contain_text("Comparison")


def test_the_list_of_items_names_pairs(open_screen, begun: Assignment):
    screen = open_screen(begun.participant.user)
    screen.allowed = ["422"]
    page = screen.go(reverse("item_list", args=[begun.token]) + "?number=9")
    expect(page.get_by_role("heading", level=2)).to_have_text(["Pair 1", "Pair 2"])
    expect(page.get_by_role("alert")).to_have_text("Enter the number of a pair, from 1 to 2.")
    expect(page.get_by_role("link", name="Both dialogues")).to_have_count(2)


def test_two_responses_to_a_dialogue_of_their_own_are_counted_as_a_pair(open_screen):
    study = make_study(2, 2)
    begun = take_seat(make_annotator(study, "anna"), deal(study)[0])
    page = begin(open_screen(begun.participant.user, width=375, height=740), begun)
    wait_for_step(page)
    expect(page.locator(".context-head h2")).to_have_text("Pair 1 of 2")
    expect(step(page).locator("h2")).to_have_text("Both responses")
    expect(page.locator("[data-strip-open]")).to_have_text("Items 1")
    press(page, "1")
    submit_page(page, begun)
    expect(page.locator("[data-unsaved-list]")).to_have_text(re.compile("^Pair 1: Better$"))
    expect(page.locator(".review h3")).to_have_text(["Pair 1", "Pair 2"])
    expect(page.locator(".review h4").first).to_contain_text("Both responses of pair 1")


def test_dialogues_with_several_pairs_stay_dialogues(open_screen):
    study = make_study(2, 3)
    begun = take_seat(make_annotator(study, "anna"), deal(study)[0])
    page = begin(open_screen(begun.participant.user), begun)
    wait_for_step(page)
    expect(page.locator(".context-head h2")).to_have_text("Dialogue 1 of 2")
    expect(step(page).locator("h2")).to_contain_text("Pair 1 of 3")
    expect(page.locator(".strip-item").first).to_have_attribute("aria-label", "Dialogue 1, pair 1: not answered")
