"""A browser that runs no scripts: a step is a plain form, and everything else is a link."""

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotation.models import Assignment, ItemMark, Rating
from tests.browser.helpers import Screen
from tests.cast import Cast

pytestmark = pytest.mark.django_db(transaction=True)


def begin(open_screen, cast: Cast, assignment: Assignment, width: int) -> tuple[Screen, Page]:
    screen = open_screen(cast.annotator.user, width=width, java_script_enabled=False)
    screen.allowed.append("422")  # a form that comes back with what is wrong
    return screen, screen.go(reverse("rate_start", args=[assignment.token]))


def choose(page: Page, code: str) -> None:
    page.locator(f'.step:visible [name="appropriateness-option"][value="{code}"]').check(force=True)


# Playwright's roles and texts pass over what stands in a noscript: these are found by their names.
@pytest.mark.journey
@pytest.mark.parametrize("width", [1280, 375])
def test_an_item_is_flagged_found_again_and_reviewed(open_screen, cast: Cast, assignment: Assignment, width: int):
    _screen, page = begin(open_screen, cast, assignment, width)
    page.locator(".plain-marks summary").click()
    page.locator(".plain-marks [value=other]").check()
    page.locator(".plain-marks [name$=-unsure]").check()
    choose(page, "1")
    page.get_by_role("button", name="Save and continue").click()
    expect(page.locator(".note.bad:visible")).to_have_text("Say in your own words what is wrong.")
    page.locator(".plain-marks textarea").fill("The name of the patient.")
    page.get_by_role("button", name="Save and continue").click()
    page.wait_for_url("**/0/2/")
    assert list(ItemMark.objects.values_list("is_unsure", "reason", "words")) == [
        (True, "other", "The name of the patient.")
    ]
    page.locator(".plain-ways a").first.click()
    first = page.get_by_role("listitem").filter(has=page.get_by_role("link", name="Response 1")).first
    expect(first).to_contain_text("flagged")
    page.get_by_role("link", name="Review").click()
    expect(page.locator(".review-item").first).to_contain_text("The name of the patient.")
    page.get_by_role("link", name="Appropriateness: Appropriate", exact=True).first.click()
    choose(page, "3")
    page.get_by_role("textbox", name="Say why").fill("I cannot tell from this.")
    page.get_by_role("button", name="Save and continue").click()
    page.wait_for_url("**/submit/*")
    assert Rating.objects.get().option.key == "unsure"


def test_nothing_that_needs_a_script_is_on_the_page(open_screen, cast: Cast, assignment: Assignment):
    _screen, page = begin(open_screen, cast, assignment, 375)
    for name in ("keys-open", "theme-toggle", "draw", "mark-unsure", "strip-open"):
        expect(page.locator(f"[data-{name}]").first).to_be_hidden()
    for link in page.locator(".plain-ways a").all():
        assert link.bounding_box()["height"] >= 44
