"""A scale from 1 to 10 by keyboard: a number is typed as it is written, and lands on its own question."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Rating
from tests.browser.helpers import wait_for_step
from tests.browser.rating import begin, press, step
from tests.shipped import Work
from tests.sittings import LIKED

pytestmark = pytest.mark.django_db(transaction=True)
TENS: list[dict[str, Any]] = [
    LIKED
    | {"key": key, "name": key.title(), "examples": [], "required": key != "clear"}
    | {"options": [{"key": f"p{at}", "label": str(at), "value": at} for at in range(1, 11)]}
    for key in ("liked", "clear", "kind")
]


@pytest.fixture
def page(open_screen) -> Page:
    work = Work("dialogue-questionnaire-1.0", 1, criteria=TENS, translations={})
    page = begin(open_screen(work.participant.user), work.assignment)
    wait_for_step(page)
    return page


def chosen(page: Page) -> dict[str, str]:
    """Return what is chosen, by name of the question."""
    found = {}
    for question in step(page).locator("fieldset.asked").all():
        box = question.locator("input[type=radio]:checked")
        if box.count():
            found[question.get_attribute("data-name")] = box.get_attribute("value")
    return found


def expect_active(page: Page, name: str) -> None:
    expect(step(page).locator("fieldset[data-active]")).to_have_attribute("data-name", name)


def test_one_and_nought_are_ten_and_the_next_question_comes(page: Page):
    press(page, "1", "0")
    expect_active(page, "Clear")
    assert chosen(page) == {"Liked": "10"}
    press(page, "0")  # it is optional: none
    expect_active(page, "Kind")
    assert chosen(page) == {"Liked": "10", "Clear": ""}
    press(page, "1", "0", "Enter")
    expect(page).to_have_url(re.compile("/submit/$"))
    assert sorted(Rating.objects.values_list("criterion__key", "option__key")) == [
        ("clear", None),
        ("kind", "p10"),
        ("liked", "p10"),
    ]


def test_a_one_alone_stays_for_a_moment_and_leads_on_by_itself(page: Page):
    press(page, "1")
    assert chosen(page) == {"Liked": "1"}
    expect_active(page, "Clear")
    press(page, "1", "3")  # no thirteen: 1, and then 3 for the next question
    expect_active(page, "Kind")
    assert chosen(page) == {"Liked": "1", "Clear": "1", "Kind": "3"}


def test_enter_after_a_one_leads_on_once(page: Page):
    press(page, "1", "Enter")
    expect_active(page, "Clear")
    assert chosen(page) == {"Liked": "1"}


def test_the_number_is_printed_on_its_answer(page: Page):
    tenth = step(page).locator("fieldset[data-active] .choice").nth(9)
    expect(tenth).to_have_text("10")
    assert tenth.bounding_box()["width"] >= 40
