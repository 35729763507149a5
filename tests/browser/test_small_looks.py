"""Small things that people stumble over on screen: weights, breaks, distances, and signs that look alike."""

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from tests.browser.editor import TINY, Open, begin, draft_of, field, node
from tests.browser.helpers import wait_for_step
from tests.browser.rating import begin as begin_rating
from tests.comparing import deal, make_study
from tests.factories import MembershipFactory
from tests.shipped import Work

pytestmark = pytest.mark.django_db(transaction=True)
LINES = """cell => {
  const range = document.createRange();
  range.selectNodeContents(cell);
  return new Set([...range.getClientRects()].map(each => Math.round(each.top))).size;
}"""


def gap(page: Page, above: str, below: str) -> float:
    upper, lower = page.locator(above).first.bounding_box(), page.locator(below).first.bounding_box()
    return lower["y"] - upper["y"] - upper["height"]


def test_worked_responses_beside_the_question_are_all_of_one_weight(open_screen: Open):
    work = Work("abc-eval-1.1", n_dialogues=1, n_sources=1)
    page = begin_rating(open_screen(work.participant.user), work.assignment)
    wait_for_step(page)
    page.get_by_role("button", name="Guidelines").or_(page.get_by_role("link", name="Guidelines")).first.click()
    rated = page.locator(".rate-guide .example-rated > .preserve")
    expect(rated.first).to_be_visible()
    weights = rated.evaluate_all("all => all.map(each => getComputedStyle(each).fontWeight)")
    assert len(weights) > 1
    assert set(weights) == {"400"}


def test_the_labels_of_a_table_stay_whole_on_a_phone(open_screen: Open):
    work = Work("abc-eval-1.1", n_dialogues=1, n_sources=1)
    screen = open_screen(work.participant.user, width=375, height=740)
    page = screen.go(reverse("guidelines", args=[work.study.slug]))
    cells = page.locator(".prose table td:first-child, .prose table td:nth-child(2)")
    words = {cell.inner_text(): cell.evaluate(LINES) for cell in cells.all() if " " not in cell.inner_text().strip()}
    assert words["Interpretability"] == words["Uninterpretable"] == 1
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")


def test_the_way_to_my_work_is_a_word_on_a_phone(open_screen: Open):
    work = Work("abc-eval-1.1", n_dialogues=1, n_sources=1)
    page = begin_rating(open_screen(work.participant.user, width=375, height=740), work.assignment)
    wait_for_step(page)
    name = page.locator(".rate-home .tool-name")
    expect(name).to_be_in_viewport()
    assert name.bounding_box()["width"] > 40
    assert page.locator(".rate-home .arrow").inner_text() != page.locator("[data-back] .arrow").inner_text()


def test_what_unfolds_below_buttons_keeps_a_distance_from_them(open_screen: Open):
    study = make_study(2, 2)
    study.batches.all().delete()
    (batch,) = deal(study)
    study.batches.update(status="draft")
    page = open_screen(MembershipFactory(study=study, role="owner").user).go(
        reverse("study_batches", args=[study.slug])
    )
    assert batch.n_items == 2
    assert gap(page, ".toolbar button", ".toolbar > details") >= 8


def test_the_bullet_of_a_long_error_stands_beside_its_first_line(open_screen: Open):
    page = begin(open_screen, draft_of(TINY)).page
    first = node(page, "criterion")
    first.get_by_role("button", name="Two sides to compare").click()
    first.get_by_text("When to ask, and more").click()
    field(first, "unit").select_option(label="Same as the protocol")
    page.get_by_role("button", name="Check", exact=True).click()
    button = page.locator("[data-summary] li button").first
    expect(button).to_be_visible()
    assert button.evaluate("each => getComputedStyle(each).verticalAlign") == "top"
