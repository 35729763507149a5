"""What a phone shows around the question: its number among the others, what it is about, where one is."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.helpers import wait_for_step
from tests.browser.rating import begin, press, step
from tests.shipped import Work, bundle_of
from tests.sittings import AT_THE_END, begin_conversation

pytestmark = pytest.mark.django_db(transaction=True)
PHONE = {"width": 375, "height": 740}
TURNS = [{"speaker": "AB"[at % 2], "text": f"turn {at}."} for at in range(7)]


def is_whole(part: Locator) -> str:
    """Return what is wrong with how much of it one sees; empty if nothing is."""
    return part.evaluate("each => isWhole(each)")


def active_number(page: Page) -> Locator:
    return page.locator("[data-question-strip] [aria-current=true]")


def expect_number(page: Page, number: int) -> None:
    """It is the active one, and no pixel of it is beyond the ends of the strip."""
    expect(active_number(page)).to_have_text(str(number))
    box, strip = active_number(page).bounding_box(), page.locator("[data-question-strip]:visible").bounding_box()
    assert box["x"] >= strip["x"] - 1
    assert box["x"] + box["width"] <= strip["x"] + strip["width"] + 1


def test_the_number_of_the_active_question_is_in_view_however_many_there_are(open_screen):
    work = Work("dialogue-questionnaire-1.0", 1)
    page = begin(open_screen(work.participant.user, **PHONE), work.assignment)
    wait_for_step(page)
    for number in range(1, 9):
        expect_number(page, number)
        press(page, "4")
    press(page, *["ArrowUp"] * 8)
    expect_number(page, 1)


def test_how_the_answers_are_saved_stands_on_one_line(open_screen):
    work = Work("dialogue-questionnaire-1.0", 12)
    page = begin(open_screen(work.participant.user, **PHONE), work.assignment)
    wait_for_step(page)
    state = page.locator("[data-save-state]")
    press(page, *"44444444")
    expect(state).to_have_text("Not saved yet")
    assert lines(state) == 1
    press(page, "Enter")
    expect(state).to_have_text("Saved")
    assert lines(state) == 1
    assert is_whole(state) == ""


def lines(part: Locator) -> int:
    """Return on how many lines its text stands."""
    return part.evaluate(
        """each => {
        const range = document.createRange();
        range.selectNodeContents(each);
        return new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size; }"""
    )


def test_a_question_about_the_whole_dialogue_says_so_and_the_heading_fits(open_screen):
    work = begin_conversation(AT_THE_END, whole=TURNS)
    page = begin(open_screen(work.participant.user, **PHONE), work)
    for at in range(1, 5):
        wait_for_step(page)
        heading = page.locator(".context-head h2")
        expect(heading).to_have_text(f"Conversation 1 of 1 · {f'turn {at} of 3' if at < 4 else 'as a whole'}")
        assert heading.evaluate("each => each.scrollWidth <= each.clientWidth")
        if at < 4:
            assert is_whole(step(page).locator(".step-place")) != ""
            press(page, "1", "Enter")
    place = step(page).locator(".step-place")
    expect(place).to_have_text("The whole dialogue")
    assert is_whole(place) == ""
    expect(page.locator("[data-announce]")).to_contain_text("The whole dialogue")


def test_the_sheet_drawn_up_shows_what_every_answer_means(open_screen):
    bundle = bundle_of("abc-eval-1.1")
    work = begin_conversation([each for each in bundle["criteria"] if each["key"] == "turn_taking"])
    page = begin(open_screen(work.participant.user, **PHONE), work)
    wait_for_step(page)
    meanings = step(page).locator(".means")
    expect(meanings).to_have_count(4)
    assert not any(each.is_visible() for each in meanings.all())
    page.locator("[data-draw]:visible").click()
    for meaning, option in zip(meanings.all(), bundle["criteria"][7]["options"], strict=True):
        expect(meaning).to_contain_text(option["definition"])
        assert is_whole(meaning) == ""


def test_the_button_that_closes_the_guidelines_stands_below_their_text(open_screen):
    work = Work("dialogue-questionnaire-1.0", 1)
    page = begin(open_screen(work.participant.user, **PHONE), work.assignment)
    wait_for_step(page)
    press(page, "?")
    guide = page.locator("[data-guide-pane]")
    expect(guide.get_by_text("Worked examples")).to_be_visible()
    guide.evaluate("pane => pane.scrollTo(0, pane.scrollHeight)")
    close, foot = guide.get_by_role("button", name="Close"), guide.locator(".guide-foot")
    assert is_whole(close) == ""
    assert foot.bounding_box()["width"] == pytest.approx(guide.bounding_box()["width"], abs=2)
    last = guide.get_by_role("link", name="Full guidelines")
    assert last.bounding_box()["y"] + last.bounding_box()["height"] <= foot.bounding_box()["y"]


def test_the_guidelines_of_a_question_name_it_once(open_screen):
    work = Work("dialogue-questionnaire-1.0", 1)
    page = begin(open_screen(work.participant.user, **PHONE), work.assignment)
    wait_for_step(page)
    press(page, "?")
    heading = page.locator("[data-guide-criterion] h2")
    expect(heading).to_have_text(re.compile("^Coherence"))
    expect(heading.locator(".short")).to_be_hidden()
