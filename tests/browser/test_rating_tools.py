"""The line on top, the dock and what opens from them: everything in its place, on every width and in longer words."""

from collections.abc import Callable

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from tests.browser.geometry import watch
from tests.browser.helpers import Screen
from tests.shipped import Work

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


def opened(open_screen: Open, protocol: str, size: str, language: str = "en") -> Page:
    work = Work(protocol, n_dialogues=3, n_sources=3).has_read_all()
    screen = open_screen(work.participant.user, **SIZES[size])
    screen.context.add_cookies([{"name": "django_language", "value": language, "url": screen.url}])
    watch(screen.page)
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
    page.locator("fieldset[data-active] .choice").nth(1).click()
    page.locator("[data-save]").click()
    expect(page.locator("[data-save-state]")).to_have_attribute("data-save-state", "saved")
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
    close.scroll_into_view_if_needed()
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


@pytest.mark.parametrize("size", ["phone", "narrow", "zoomed"])
def test_all_items_come_when_asked_on_a_narrow_screen(open_screen: Open, size: str):
    page = opened(open_screen, "persona-quality-1.0", size)
    page.locator("[data-strip-open]").click()
    item = page.locator(".strip-item").nth(1)
    assert item.evaluate("isWhole") == ""
    item.click()
    expect(page.locator(".strip-item[aria-current]")).to_have_text("2")
    expect(page.locator("[data-strip][data-open]")).to_have_count(0)
