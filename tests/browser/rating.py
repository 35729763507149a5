"""What tests of the rating screen do with it."""

import re

from django.urls import reverse
from playwright.sync_api import Locator, Page, expect

from annotation.models import Assignment, Rating
from tests.browser.helpers import Screen


def begin(screen: Screen, assignment: Assignment) -> Page:
    return screen.go(reverse("rate_start", args=[assignment.token]))


def step(page: Page) -> Locator:
    return page.locator(".step:visible")


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def wait_until_looked_at(page: Page) -> None:
    """A press within 400 ms may be meant for the question before: wait until the screen takes one for its own."""
    shown = page.evaluate("performance.now()")
    page.wait_for_function("shown => performance.now() - shown > 400", arg=shown)


def expect_step(page: Page, position: int, number: int) -> None:
    expect(page).to_have_url(re.compile(rf"/{position}/{number}/$"))


def expect_saved(page: Page) -> None:
    expect(page.locator("[data-save-state]")).to_have_text("Saved")


def answers() -> list[tuple[str, str]]:
    return list(Rating.objects.order_by("pk").values_list("criterion__key", "option__key"))
