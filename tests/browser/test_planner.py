"""The planner in a browser: readable on any screen, open to everybody, and an address that keeps the plan."""

import os

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import SCREENSHOTS
from tests.browser.helpers import LOOKS
from tests.cast import Cast, make_cast

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def cast() -> Cast:
    return make_cast(pay_amount="3.50", pay_currency="GBP")


@pytest.mark.journey
@LOOKS
def test_somebody_plans_a_study_and_the_address_keeps_it(cast: Cast, open_screen, width: int, scheme: str):
    screen = open_screen(cast.researcher, width=width, color_scheme=scheme)
    page = screen.go("/studies/wellbeing/")
    page.get_by_role("link", name="Plan", exact=True).click()
    page.get_by_label("Comparisons").fill("1")
    page.get_by_role("spinbutton", name="Annotators in total").fill("12")
    expect(page.get_by_label("Turns per dialogue")).to_be_visible()
    expect(page.get_by_label("Pairs per dialogue")).to_be_hidden()
    page.get_by_role("button", name="Plan").click()
    expect(
        page.get_by_text("119 dialogues with 3 annotators each detect a difference of 10 points with 80 % power.").first
    ).to_be_visible()

    expect(page.locator("p.quiet", has_text="goes to 3 of the 12 annotators")).to_be_visible()

    number = page.locator("#planner-needed td.asked .figure")
    number.focus()
    expect(page.locator("#planner-needed .why:visible")).to_contain_text("119 dialogues with 3 annotators each")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#planner-needed .figure:focus")).to_have_text("84")
    page.keyboard.press("Escape")
    expect(page.locator("#planner-needed .why:visible")).to_have_count(0)

    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert screen.barriers() == ""
    if os.environ.get("LOOK"):
        screen.keep_picture(SCREENSHOTS / f"planner-{width}-{scheme}.png")
    again = screen.go(page.url.split("testserver")[-1])
    expect(again.get_by_label("Comparisons")).to_have_value("1")
