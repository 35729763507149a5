"""The People page in a browser: a decision with its reason, by pointer and by keyboard, with scripts and without."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from annotation.models import StatusChange
from annotation.services.status import set_status
from tests.browser.helpers import LOOKS, Screen
from tests.cast import Cast, make_cast
from tests.factories import make_annotator

pytestmark = pytest.mark.django_db(transaction=True)
SCREENSHOTS = Path(__file__).parents[2] / "var" / "screenshots" / "people"
PEOPLE = reverse("study_people", args=["wellbeing"])


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    """One annotator of each status."""
    cast = make_cast()
    for status in ("pending", "qualifying", "failed", "paused", "excluded"):
        person = make_annotator(cast.study, status, pseudonym=f"a-{status}")
        set_status(person, status=status, now=timezone.now())
    return cast


def reason_of(screen: Screen, name: str):
    return screen.page.get_by_label(f"Reason ({name})")


@pytest.mark.parametrize("has_scripts", [True, False])
def test_a_reason_is_asked_for_where_it_is_needed_and_the_field_is_waiting(
    open_screen: Callable[..., Screen], cast: Cast, has_scripts: bool
):
    screen = open_screen(cast.lead, java_script_enabled=has_scripts)
    screen.allowed.append("422")
    page = screen.go(PEOPLE)
    page.get_by_role("button", name="Clear a-failed").click()
    expect(page.get_by_role("alert")).to_contain_text("a-failed has not qualified: say why")
    expect(reason_of(screen, "a-failed")).to_be_focused()
    reason_of(screen, "a-failed").fill("I read the answers again.")
    page.get_by_role("button", name="Clear a-failed").click()
    expect(page.get_by_text("a-failed may rate.")).to_be_visible()
    change = StatusChange.objects.order_by("-pk").first()
    assert change is not None
    assert (change.after, change.reason) == ("cleared", "I read the answers again.")


@pytest.mark.journey
def test_enter_in_the_reason_decides_nothing_and_the_next_buttons_are_a_tab_away(
    open_screen: Callable[..., Screen], cast: Cast
):
    screen, before = open_screen(cast.lead), StatusChange.objects.count()
    page = screen.go(PEOPLE)
    reason_of(screen, "a-pending").fill("Asked to leave.")
    page.keyboard.press("Enter")
    expect(page).to_have_url(screen.url + PEOPLE)
    assert StatusChange.objects.count() == before
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Clear a-pending")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("a-pending is excluded")).to_be_visible()


@LOOKS
def test_the_page_has_no_barriers_and_fits(open_screen: Callable[..., Screen], cast: Cast, width: int, scheme: str):
    screen = open_screen(cast.owner, width=width, color_scheme=scheme)
    screen.allowed.append("422")
    page = screen.go(PEOPLE)
    for name in ("page", "refused"):
        assert screen.barriers() == "", name
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        screen.keep_picture(SCREENSHOTS / f"{name}-{width}-{scheme}.png")
        page.get_by_role("button", name="Exclude a-pending").click()


def test_the_words_beside_a_box_stay_beside_it_in_every_line(open_screen: Callable[..., Screen], cast: Cast):
    page = open_screen(cast.owner, width=320).go(PEOPLE)
    page.locator("details").evaluate_all("(sections) => sections.forEach((each) => (each.open = true))")
    lefts = page.locator(".field > label:has(> [type=checkbox])").evaluate_all("""(labels) => labels.map((label) => {
        const words = document.createRange();
        words.selectNodeContents(label.lastChild);
        const lines = [...words.getClientRects()].filter((each) => each.width > 0);
        const edge = label.querySelector("input").getBoundingClientRect().right;
        return [lines.length, Math.min(...lines.map((each) => each.left)) >= edge];
    })""")
    assert any(n > 1 for n, _is_beside in lefts)
    assert all(is_beside for _n, is_beside in lefts)
