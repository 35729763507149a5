"""The button that leads on: a finger's way from question to question, and nothing answered that nobody has seen."""

import pytest
from playwright.sync_api import Locator, Page, expect

from annotation.models import Assignment, Rating
from tests.browser.helpers import LOOKS, wait_for_step
from tests.browser.rating import begin, press, step, wait_until_looked_at
from tests.factories import make_annotator, take_seat
from tests.optional import BEHAVIOURS, make_sheet_batch
from tests.shipped import Work
from tests.wait import wait_until

pytestmark = pytest.mark.django_db(transaction=True)
PHONE = {"width": 375, "height": 812, "has_touch": True, "is_mobile": True}
NAMES = [f"Behaviours {at}" for at in range(1, 9)]


@pytest.fixture
def begun() -> Assignment:
    """Eight questions on an item, each of which may be answered with none: more than a desktop shows at once."""
    meant = [option | {"definition": "What it means, at some length. " * 6} for option in BEHAVIOURS["options"]]
    criteria = [BEHAVIOURS | {"key": f"b{at}", "name": name, "options": meant} for at, name in enumerate(NAMES)]
    batch = make_sheet_batch(2, criteria=criteria, options="described")
    return take_seat(make_annotator(batch.study, "ann"), batch)


def button(page: Page) -> Locator:
    return page.locator("[data-save]")


def label(page: Page) -> Locator:
    return page.locator("[data-save-label]")


def has_key(page: Page) -> bool:
    """Whether the button names the key Enter, which it does where both do the same."""
    return button(page).locator("kbd").evaluate("each => each.checkVisibility({ visibilityProperty: true })")


def active(page: Page) -> Locator:
    return step(page).locator("fieldset[data-active]")


def expect_active(page: Page, name: str) -> None:
    """It has the frame and the focus, and its name is in view, covered by nothing."""
    expect(active(page)).to_have_attribute("data-name", name)
    expect(active(page).locator("legend strong")).to_be_in_viewport(ratio=1)
    assert active(page).evaluate("each => each.contains(document.activeElement)")
    assert active(page).locator("legend").evaluate("each => isWhole(each)") == ""


def n_stored() -> int:
    return Rating.objects.count()


def test_a_finger_goes_from_question_to_question_and_saves_after_the_last(open_screen, begun: Assignment):
    page = begin(open_screen(begun.participant.user, **PHONE), begun)
    wait_for_step(page)
    for at, name in enumerate(NAMES):
        expect_active(page, name)
        assert button(page).evaluate("each => isWhole(each)") == ""
        assert button(page).bounding_box()["height"] >= 44
        if at == 1:
            active(page).locator(".choice").first.tap()
        last = "Save, none for 1 question" if at == 7 else "Next question" if at == 1 else "None, next question"
        expect(label(page)).to_have_text(last)
        wait_until_looked_at(page)
        button(page).tap()
        assert at == 7 or n_stored() == 0
    wait_until(lambda: n_stored() == 8, what="eight answers")
    assert Rating.objects.exclude(choices=None).filter(choices__len=1).count() == 1


def test_a_finger_is_told_which_answer_is_missing_before_it_goes_on(open_screen):
    work = Work("dialogue-questionnaire-1.0", 1)
    page = begin(open_screen(work.participant.user, **PHONE), work.assignment)
    wait_for_step(page)
    wait_until_looked_at(page)
    expect(label(page)).to_have_text("Next question")
    button(page).tap()
    expect(active(page)).to_have_attribute("data-name", "Coherence")
    expect(active(page).get_by_role("alert").first).to_be_in_viewport(ratio=1)
    active(page).locator(".choice").first.tap()
    expect_active(page, "Understanding")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_numbers_of_eight_questions_are_all_in_view_on_a_phone(open_screen, scheme: str):
    work = Work("dialogue-questionnaire-1.0", 1)
    page = begin(open_screen(work.participant.user, **PHONE, color_scheme=scheme), work.assignment)
    wait_for_step(page)
    numbers = page.locator("[data-question-strip] button")
    expect(numbers).to_have_count(8)
    assert [each.evaluate("each => isWhole(each)") for each in numbers.all()] == [""] * 8
    assert all(each.bounding_box()["height"] >= 44 for each in numbers.all())
    numbers.last.tap()
    expect(numbers.last).to_have_attribute("aria-current", "true")


def test_where_more_questions_are_than_fit_the_current_one_comes_into_view(open_screen):
    criteria = [BEHAVIOURS | {"key": f"b{at}", "name": f"Behaviours {at}", "required": True} for at in range(14)]
    batch = make_sheet_batch(2, criteria=criteria)
    work = take_seat(make_annotator(batch.study, "ann"), batch)
    page = begin(open_screen(work.participant.user, **PHONE), work)
    wait_for_step(page)
    strip = page.locator("[data-question-strip]")
    expect(strip).to_have_attribute("data-after", "")
    for at in range(14):
        expect(strip.locator("[aria-current=true]")).to_have_text(str(at + 1))
        assert strip.locator("[aria-current=true]").evaluate("each => isWhole(each)") == ""
        active(page).locator(".choice").first.tap()
        if at == 12:
            wait_until_looked_at(page)
            button(page).tap()
            page.reload()
            wait_for_step(page)
            expect(strip.locator("[aria-current=true]")).to_have_text("14")
            assert strip.locator("[aria-current=true]").evaluate("each => isWhole(each)") == ""
            expect(strip).not_to_have_attribute("data-after", "")
            continue
        wait_until_looked_at(page)
        button(page).tap()


def test_saving_waits_for_the_questions_that_nobody_has_seen(open_screen, begun: Assignment):
    page = begin(open_screen(begun.participant.user), begun)
    wait_for_step(page)
    wait_until_looked_at(page)
    page.keyboard.press("1")
    seen = 0
    assert not has_key(page)
    while label(page).inner_text() == "Show more questions":
        button(page).click()
        assert active(page).locator("legend").evaluate("each => isWhole(each)") == ""
        seen += 1
        assert n_stored() == 0
        assert seen < 8
    assert seen > 3
    expect(label(page)).to_have_text("Save, none for 7 questions")
    assert not has_key(page)
    expect_active(page, NAMES[-1])
    button(page).click()
    wait_until(lambda: n_stored() == 8, what="eight answers")


def test_questions_that_were_scrolled_past_are_seen(open_screen, begun: Assignment):
    page = begin(open_screen(begun.participant.user), begun)
    wait_for_step(page)
    expect(label(page)).to_have_text("Show more questions")
    for name in NAMES:
        question = step(page).locator(f'fieldset[data-name="{name}"]')
        question.scroll_into_view_if_needed()
        for part in (question.locator("legend"), question.locator(".choice").last):
            part.scroll_into_view_if_needed()
            expect(part).to_be_in_viewport(ratio=1)
            page.evaluate("() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))")
    expect(label(page)).to_have_text("Save with none")


def test_the_dock_stays_as_it_is_when_an_answer_is_saved(open_screen):
    work = Work("three-point-coherence-1.0", 12, 2)
    page = begin(open_screen(work.participant.user), work.assignment)
    wait_for_step(page)
    strip = page.locator("[data-strip-scroll]")
    expect(strip).to_be_visible()
    parts = [page.locator(f"[data-{name}]") for name in ("strip-scroll", "strip-goto", "progress-text", "save")]
    before = [part.bounding_box() for part in parts]
    assert has_key(page)
    press(page, "1")
    expect(page.locator("[data-save-state]")).to_have_text("Not saved yet")
    assert [part.bounding_box() for part in parts] == before
    press(page, "Enter")
    expect(page.locator("[data-save-state]")).to_have_text("Saved")
    wait_for_step(page)
    after = [part.bounding_box() for part in parts]
    assert [(box["x"], box["width"]) for box in after] == [(box["x"], box["width"]) for box in before]
    assert strip.locator("[aria-current]").evaluate("each => isWhole(each)") == ""


def test_the_current_turn_of_a_long_conversation_is_in_view_in_the_strip(open_screen):
    work = Work("three-point-coherence-1.0", 2, 12)
    page = begin(open_screen(work.participant.user), work.assignment)
    for _ in range(20):
        wait_for_step(page)
        current = page.locator("[data-strip-scroll] [aria-current]")
        expect(current).to_have_count(1)
        assert current.evaluate("each => isWhole(each)") == ""
        path = page.url
        press(page, "1", "Enter")
        page.wait_for_function("path => location.href !== path", arg=path)


@LOOKS
def test_chosen_answers_and_keys_look_alike_in_every_kind_of_list(open_screen, width: int, scheme: str):
    looks = {chosen_look(open_screen, protocol, width, scheme) for protocol in ("ssa-1.0", "usr-1.1", "abc-eval-1.1")}
    looks |= {chosen_look(open_screen, "persona-quality-1.0", width, scheme)}
    assert len(looks) == 1


LOOK = """
(input) => {
  const isList = input.closest(".described") && !matchMedia("(max-width: 56.25rem)").matches;
  const box = getComputedStyle(input.closest(isList ? ".option" : ".choice"));
  const { backgroundColor, borderTopColor, borderTopWidth, borderTopLeftRadius, boxShadow } = box;
  return [backgroundColor, borderTopColor, borderTopWidth, borderTopLeftRadius, boxShadow].join(" / ");
}
"""


def chosen_look(open_screen, protocol: str, width: int, scheme: str) -> str:
    work = Work(protocol, 1, 1, annotator=protocol)
    page = begin(open_screen(work.participant.user, width=width, color_scheme=scheme), work.assignment)
    wait_for_step(page)
    first = step(page).locator(".choice").first
    first.click()
    return first.locator("input").evaluate(LOOK)
