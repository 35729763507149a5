"""The line on top, the dock and what opens from them: everything in its place, on every width and in longer words."""

from collections.abc import Callable

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.models import Assignment, Candidate, Dialogue, Study
from tests.browser.helpers import Screen
from tests.browser.rating import press, step
from tests.shipped import Work
from tests.wait import wait_until

pytestmark = pytest.mark.django_db(transaction=True)
Open = Callable[..., Screen]
SIZES = {
    "desktop": {"width": 1280, "height": 800},
    "tablet": {"width": 1024, "height": 768},
    "phone": {"width": 375, "height": 740, "has_touch": True, "is_mobile": True},
    "narrow": {"width": 375, "height": 740},
    "zoomed": {"width": 320, "height": 256},
}
# Whatever can be pressed in a line: whole, its words inside it, and no two of them over one another.
CROWDED = """
(lines) => {
  const shown = (each) => each.checkVisibility({ visibilityProperty: true }) && each.getBoundingClientRect().width > 2;
  const tools = lines.flatMap((line) => [...document.querySelectorAll(`${line} :is(a, button)`)])
    .filter((each) => shown(each) && !each.closest("dialog, form.strip-form, .strip-scroll"));
  const name = (each) => each.textContent.trim().replace(/\\s+/g, " ") || each.getAttribute("aria-label");
  const problems = tools.map((each) => isWhole(each) && `${name(each)}: ${isWhole(each)}`);
  const isTooLong = (each) => each.scrollWidth > each.clientWidth + 1;
  tools.filter(isTooLong).forEach((each) => problems.push(`${name(each)} overflows`));
  tools.filter((each) => !name(each)).forEach((each) => problems.push(`${each.outerHTML} has no name`));
  const boxes = tools.map((each) => each.getBoundingClientRect());
  boxes.forEach((one, at) => boxes.slice(at + 1).forEach((two, by) => {
    const isBeside = one.right <= two.left + 1 || two.right <= one.left + 1;
    const isBelow = one.bottom <= two.top + 1 || two.bottom <= one.top + 1;
    if (!isBeside && !isBelow) problems.push(`${name(tools[at])} lies over ${name(tools[at + 1 + by])}`);
  }));
  return [tools.length, problems.filter(Boolean)];
}
"""
# Of the text of an element with what lies behind it, as WCAG reckons it.
CONTRAST = """
(element) => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const light = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const part = (each) => (each / 255 <= 0.04045 ? each / 255 / 12.92 : ((each / 255 + 0.055) / 1.055) ** 2.4);
    const [red, green, blue] = [...canvas.getImageData(0, 0, 1, 1).data].map(part);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const isClear = (each) => /transparent|rgba\\(.*, 0\\)/.test(getComputedStyle(each).backgroundColor);
  let ground = element;
  while (isClear(ground)) ground = ground.parentElement;
  const [ink, paper] = [getComputedStyle(element).color, getComputedStyle(ground).backgroundColor].map(light);
  return (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
}
"""


def opened(open_screen: Open, protocol: str, size: str, language: str = "en") -> Page:
    work = Work(protocol, n_dialogues=3, n_sources=3).has_read_all()
    Study.objects.update(pay_amount="12.50", pay_currency="EUR")
    screen = open_screen(work.participant.user, **SIZES[size])
    screen.context.add_cookies([{"name": "django_language", "value": language, "url": screen.url}])
    page = screen.go(reverse("rate_start", args=[work.assignment.token]))
    expect_ready(page)
    return page


def expect_ready(page: Page) -> None:
    expect(page.locator("#rate[data-ready]")).to_have_count(1)
    expect(page.locator("[data-strip]")).to_be_visible()


def expect_room(page: Page, *lines: str, least: int) -> None:
    n_tools, problems = page.evaluate(CROWDED, list(lines))
    assert problems == []
    assert n_tools >= least
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def press_tool(page: Page, name: str) -> None:
    if page.locator("[data-tools-toggle]").is_visible():
        page.locator("[data-tools-toggle]").click()
        expect_room(page, ".rate-bar", least=5)
    page.locator(name).click()


@pytest.mark.parametrize("language", ["en", "it", "zh-hans"])
@pytest.mark.parametrize("size", SIZES)
def test_no_tool_lies_over_another(open_screen: Open, size: str, language: str):
    page = opened(open_screen, "he-protocol-1.0", size, language)
    expect_room(page, ".rate-bar", ".rate-dock", least=4)
    before = page.locator(".rate-dock").bounding_box()
    page.locator("fieldset[data-active] .choice").nth(1).click()
    expect(page.locator("[data-save-state][data-unsaved]")).to_be_visible()
    expect_room(page, ".rate-bar", ".rate-dock", least=4)
    assert page.locator(".rate-dock").bounding_box() == before, "the dock never moves"
    page.locator("[data-save]").click()
    expect(page.locator("[data-save-state]")).to_have_attribute("data-save-state", "saved")
    assert page.locator(".rate-dock").bounding_box() == before
    expect_room(page, ".rate-bar", ".rate-dock", least=4)
    page.goto(f"{page.url}?review=1")
    expect_ready(page)
    expect_room(page, ".rate-bar", ".rate-dock", least=4)


@pytest.mark.parametrize("protocol", ["he-protocol-1.0", "persona-quality-1.0"])
@pytest.mark.parametrize("size", SIZES)
def test_the_guidelines_that_were_asked_for_can_be_read_and_closed(open_screen: Open, size: str, protocol: str):
    page = opened(open_screen, protocol, size)
    press_tool(page, "[data-guide-toggle]")
    guide = page.locator("[data-guide-pane]")
    expect(guide.locator("[data-guide-criterion] h2, [data-guide-criterion] h3").first).to_be_visible()
    assert guide.evaluate("(each) => beginsInView(each.querySelector('[data-guide-criterion] :is(h2, h3)'))") == ""
    assert guide.evaluate("(each) => each.querySelector('[data-guide-criterion]').clientWidth") >= 240
    assert guide.evaluate("(each) => each.scrollWidth <= each.clientWidth")
    close = page.locator("[data-guide-close]")
    assert close.evaluate("isWhole") == "", "in view before anything is scrolled"
    guide.evaluate("(each) => (each.scrollTop = each.scrollHeight)")
    assert close.evaluate("isWhole") == ""
    close.click()
    expect(page.locator("#rate[data-guide-open]")).to_have_count(0)
    expect(page.locator("fieldset[data-active] input:focus, fieldset[data-active]:focus")).to_have_count(1)


@pytest.mark.parametrize("size", SIZES)
def test_the_form_of_a_flag_fits_the_window(open_screen: Open, size: str):
    page = opened(open_screen, "persona-quality-1.0", size)
    press_tool(page, "[data-mark-flag]")
    dialog = page.locator("[data-flag-dialog]")
    expect(dialog).to_be_visible()
    for part in ("h2", "label >> nth=0", "textarea", "button[type=submit]", "[data-flag-cancel]"):
        dialog.locator(part).scroll_into_view_if_needed()
        assert dialog.locator(part).evaluate("isWhole") == ""
    assert dialog.evaluate("(each) => each.scrollWidth <= each.clientWidth")


def test_the_tap_beside_the_dialog_of_a_flag_closes_it_and_answers_nothing(open_screen: Open):
    page = opened(open_screen, "persona-quality-1.0", "phone")
    page.set_viewport_size({"width": 375, "height": 1100})
    press_tool(page, "[data-mark-flag]")
    dialog = page.locator("[data-flag-dialog]")
    expect(dialog).to_be_visible()
    box = page.locator("fieldset[data-active] .choice").last.bounding_box()
    below = dialog.bounding_box()["y"] + dialog.bounding_box()["height"]
    assert box["y"] + box["height"] - 4 > below, "an answer lies beneath the edge of the dialog"
    page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] - 4)
    expect(dialog).to_be_hidden()
    expect(page.locator("fieldset[data-active] input:checked")).to_have_count(0)


def test_a_phone_shows_how_far_one_is_and_the_time_left(open_screen: Open):
    page = opened(open_screen, "persona-quality-1.0", "phone")
    for text in ("Batch: 0 of", "seat kept for"):
        seen = page.locator(".rate-bar").get_by_text(text)
        assert seen.evaluate("isWhole") == ""
    assert page.locator("[data-context]").bounding_box()["height"] > 740 / 3


def test_a_desktop_shows_what_the_batch_earns(open_screen: Open):
    page = opened(open_screen, "persona-quality-1.0", "desktop")
    assert page.locator(".rate-bar").get_by_text("12.50 EUR for the batch", exact=True).evaluate("isWhole") == ""


def test_reasons_that_open_leave_the_response_whole_on_a_phone(open_screen: Open):
    page = opened(open_screen, "he-protocol-1.0", "phone")
    turns = [
        {"speaker": "AB"[n % 2], "text": "Only my brother, he always listens, and then he says so. " * 2}
        for n in range(4)
    ]
    Dialogue.objects.update(turns=turns)
    Candidate.objects.update(
        text="It makes sense that the exam still leaves you hopeful; would you like to plan something?"
    )
    page.reload()
    expect_ready(page)
    response = page.locator("[data-judged]:not([hidden])")
    assert response.evaluate("isWhole") == ""
    before = page.locator("[data-context]").bounding_box()["height"]
    page.locator("fieldset[data-active] .choice").nth(1).tap()
    expect(page.locator("fieldset[data-active] .why:visible")).to_have_count(1)
    assert page.locator("[data-context]").bounding_box()["height"] < before, "the reasons take room"
    wait_until(lambda: response.evaluate("isWhole") == "")


def test_with_the_keyboard_of_a_phone_the_field_and_the_response_are_in_view(open_screen: Open):
    page = opened(open_screen, "he-protocol-1.0", "phone")
    page.locator("fieldset[data-active] .choice").nth(1).tap()
    page.locator("fieldset[data-active] [data-other]:visible").tap()
    field = page.locator("fieldset[data-active] textarea:visible")
    expect(field).to_be_focused()
    page.set_viewport_size({"width": 375, "height": 400})
    wait_until(lambda: field.evaluate("isWhole") == "", what="the field in view")
    assert page.locator(".rate-steps").bounding_box()["height"] <= 0.6 * 400
    judged = page.locator(".judged:not([hidden])")
    wait_until(lambda: judged.evaluate("beginsInView") == "", what="the response in view")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_number_of_an_item_that_is_begun_can_be_read(open_screen: Open, scheme: str):
    page = opened(open_screen, "he-protocol-1.0", "desktop")
    page.emulate_media(color_scheme=scheme)
    page.locator("fieldset[data-active] .choice").nth(0).click()
    page.locator("[data-save]").click()
    begun = page.locator(".strip-item[data-state=partly]")
    expect(begun).to_have_text("1")
    assert begun.evaluate(CONTRAST) >= 4.5


@pytest.mark.parametrize("size", ["phone", "narrow", "zoomed"])
def test_all_items_come_when_asked_on_a_narrow_screen(open_screen: Open, size: str):
    page = opened(open_screen, "persona-quality-1.0", size)
    page.locator("[data-strip-open]").click()
    item = page.locator(".strip-item").nth(1)
    assert item.evaluate("isWhole") == ""
    item.click()
    expect(page.locator(".strip-item[aria-current]")).to_have_text("2")
    expect(page.locator("[data-strip][data-open]")).to_have_count(0)


# --- words and keys ----------------------------------------------------------------------------------------
def test_after_a_refusal_the_focus_follows_the_key(screen: Screen):
    error = step(screen.page).locator("[data-error=option]")
    wait_until(lambda: (press(screen.page, "Enter"), error.is_visible())[1], what="the refusal")
    press(screen.page, "2")
    expect(step(screen.page).locator("input[value='2']:checked")).to_be_focused()
    press(screen.page, "Space")
    expect(step(screen.page).locator("input[type=radio]:checked")).to_have_value("2")


def test_a_text_says_how_it_is_saved_from_the_keyboard(screen: Screen):
    press(screen.page, "3")
    expect(step(screen.page).locator("[data-why='3']").get_by_text("Ctrl+Enter saves")).to_be_visible()


def test_the_last_button_says_where_it_leads(screen: Screen, assignment: Assignment):
    expect(screen.page.get_by_role("button", name="Save and continue")).to_be_visible()
    expect(step(screen.page).locator("h2")).to_contain_text("step 1 of 12 in this dialogue")
    screen.go(reverse("rate", args=[assignment.token, 1, 12]))
    expect(screen.page.get_by_role("button", name="Review and submit")).to_be_visible()
