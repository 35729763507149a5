"""What is on screen and not stored says so, wherever one goes, and without a network every link stays on the page."""

from collections.abc import Callable

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Locator, Page, expect

from annotation.models import Assignment, Rating
from tests.browser.helpers import Screen, wait_for_step
from tests.browser.rating import answers, expect_saved, expect_step, press, step
from tests.cast import Cast
from tests.working import rate_everything

pytestmark = pytest.mark.django_db(transaction=True)
Open = Callable[..., Screen]


def state(page: Page) -> Locator:
    return page.locator("[data-save-state]")


def strip_item(page: Page, name: str) -> Locator:
    return page.get_by_role("navigation", name="Items of the batch").get_by_role("button", name=name)


def chosen(page: Page) -> Locator:
    return step(page).locator("input[type=radio]:checked")


def go_by_strip(page: Page) -> None:
    strip_item(page, "Dialogue 2, response 1").click()


def go_by_number(page: Page) -> None:
    press(page, "g")
    page.keyboard.type("2.1")
    press(page, "Enter")


@pytest.fixture
def changed(screen: Screen) -> Page:
    """The second answer is saved as 1, and 3 with some words is on screen."""
    press(screen.page, "1", "Enter", "1", "Enter", "Backspace")
    expect_saved(screen.page)
    expect_step(screen.page, 0, 2)
    press(screen.page, "3")
    screen.page.keyboard.type("I cannot tell")
    press(screen.page, "Escape")
    return screen.page


# --- on the screen -----------------------------------------------------------------------------------
def test_a_changed_answer_says_that_it_is_not_saved_until_it_is(changed: Page):
    expect(state(changed)).to_have_text("Not saved yet")
    expect(strip_item(changed, "Dialogue 1, response 2: partly answered, not saved yet")).to_be_visible()
    press(changed, "Enter")
    expect_saved(changed)
    expect(strip_item(changed, "not saved yet")).to_have_count(0)
    assert answers() == [("appropriateness", "appropriate"), ("appropriateness", "unsure")]


def test_an_answer_put_back_as_it_was_is_saved(changed: Page):
    press(changed, "1")
    expect_saved(changed)
    expect(strip_item(changed, "not saved yet")).to_have_count(0)


def test_an_answer_chosen_for_the_first_time_is_not_saved_either(screen: Screen):
    press(screen.page, "1")
    expect(state(screen.page)).to_have_text("Not saved yet")
    expect(strip_item(screen.page, "Dialogue 1, response 1: not answered, not saved yet")).to_be_visible()


def go_back(page: Page) -> None:
    press(page, "Backspace")


@pytest.mark.parametrize(("leave", "position"), [(go_by_strip, 1), (go_by_number, 1), (go_back, 0)])
def test_whoever_leaves_a_change_finds_it_again_and_is_told(
    changed: Page, leave: Callable[[Page], None], position: int
):
    leave(changed)
    expect_step(changed, position, 1)
    expect(state(changed)).to_have_text("Saved")
    left = strip_item(changed, "Dialogue 1, response 2: partly answered, not saved yet")
    pencil = left.evaluate("(each) => getComputedStyle(each, '::after').content")
    assert "✎" in pencil, "a sign, and not by its colour alone"
    left.click()
    expect(chosen(changed)).to_have_value("3")
    expect(step(changed).locator("[data-why='3'] textarea")).to_have_value("I cannot tell")
    expect(state(changed)).to_have_text("Not saved yet")
    assert answers() == [("appropriateness", "appropriate")] * 2


def test_a_change_in_a_dialogue_that_is_not_loaded_is_shown_in_the_strip(changed: Page, assignment: Assignment):
    changed.route("**/0/", lambda route: route.abort())
    changed.goto(reverse("rate", args=[assignment.token, 1, 1]))
    expect(strip_item(changed, "Dialogue 1, response 2: partly answered, not saved yet")).to_be_visible()


# --- the page that submits -----------------------------------------------------------------------------
@pytest.fixture
def rated(open_screen: Open, cast: Cast, assignment: Assignment) -> Screen:
    rate_everything(assignment, now=timezone.now())
    return open_screen(cast.annotator.user)


def test_the_submit_page_names_what_is_not_saved_and_leads_there_and_back(rated: Screen, assignment: Assignment):
    page = rated.go(reverse("rate", args=[assignment.token, 1, 2]))
    press(page, "3")
    page.keyboard.type("I cannot tell")
    page.get_by_role("link", name="Review").click()
    unsaved = page.get_by_role("region", name="Not saved yet")
    unsaved.get_by_role("link", name="Dialogue 2, Response 2 of 3: Appropriateness").click()
    expect(chosen(page)).to_have_value("3")
    press(page, "Enter")
    expect(page.get_by_role("heading", name="Your answers")).to_be_visible()
    expect(unsaved).to_be_hidden()
    assert Rating.objects.filter(free_text="I cannot tell").count() == 1


def test_nothing_is_named_when_all_is_saved(rated: Screen, assignment: Assignment):
    page = rated.go(reverse("submit", args=[assignment.token]))
    expect(page.get_by_role("heading", name="Your answers")).to_be_visible()
    expect(page.get_by_role("heading", name="Not saved yet")).to_be_hidden()


def test_the_comment_survives_a_reload_and_is_forgotten_once_submitted(rated: Screen, assignment: Assignment):
    page = rated.go(reverse("submit", args=[assignment.token]))
    comment = page.get_by_label("Anything you want to tell")
    comment.fill("A clear task.")
    page.reload()
    expect(comment).to_have_value("A clear task.")
    page.get_by_role("button", name="Submit the batch").click()
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    # A function, for the page's own policy refuses the string that a second look would have to evaluate.
    page.wait_for_function("() => !Object.keys(localStorage).some((key) => key.startsWith('parley-comment:'))")
    assignment.refresh_from_db()
    assert assignment.feedback == "A clear task."


# --- without a network -----------------------------------------------------------------------------------
def offline(page: Page) -> Locator:
    return page.get_by_text("You are offline, so you stay on this page.")


@pytest.mark.parametrize("name", ["Review", "My work"])
def test_without_a_network_a_link_stays_on_the_screen_and_says_so(screen: Screen, name: str):
    page = screen.page
    wait_for_step(page)
    page.wait_for_load_state("networkidle")
    screen.context.set_offline(True)
    page.get_by_role("link", name=name).click()
    expect(offline(page)).to_be_in_viewport()
    expect_step(page, 0, 1)
    press(page, "1")
    expect(chosen(page)).to_have_value("1")
    screen.context.set_offline(False)
    expect(offline(page)).to_be_hidden()
    page.get_by_role("link", name=name).click()
    expect(page.locator("#rate")).to_have_count(0)


def test_the_full_guidelines_open_no_empty_tab_without_a_network(screen: Screen):
    page = screen.page
    wait_for_step(page)
    page.wait_for_load_state("networkidle")
    screen.allowed = ["ERR_INTERNET_DISCONNECTED"]
    screen.context.set_offline(True)
    press(page, "?")
    page.get_by_role("link", name="Full guidelines with examples").click()
    expect(offline(page)).to_be_in_viewport()
    assert len(screen.context.pages) == 1


def test_the_last_answer_confirmed_without_a_network_stays_on_the_screen(rated: Screen, assignment: Assignment):
    page = rated.go(reverse("rate", args=[assignment.token, 1, 12]))
    wait_for_step(page)
    page.wait_for_load_state("networkidle")
    rated.context.set_offline(True)
    press(page, "Enter")
    expect(offline(page)).to_be_in_viewport()
    rated.context.set_offline(False)
    expect(offline(page)).to_be_hidden()
    press(page, "Enter")
    expect(page.get_by_role("heading", name="Everything is rated")).to_be_visible()


def test_the_batch_submitted_without_a_network_keeps_its_page_and_comment(rated: Screen, assignment: Assignment):
    page = rated.go(reverse("submit", args=[assignment.token]))
    page.get_by_label("Anything you want to tell").fill("A clear task.")
    rated.context.set_offline(True)
    page.get_by_role("button", name="Submit the batch").click()
    expect(offline(page)).to_be_in_viewport()
    rated.context.set_offline(False)
    expect(offline(page)).to_be_hidden()
    page.get_by_role("button", name="Submit the batch").click()
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    assignment.refresh_from_db()
    assert assignment.feedback == "A clear task."
