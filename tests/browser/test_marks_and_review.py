"""Flags, unsure marks, the strip and the review in a browser: by keyboard, by touch, offline; and the team's desk."""

import re
from collections.abc import Callable

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from annotation.models import Assignment, ItemMark, Rating
from tests.browser.helpers import LOOKS, Screen
from tests.browser.rating import answers, begin, expect_saved, expect_step, press, step, wait_until_looked_at
from tests.cast import Cast
from tests.factories import HeartbeatFactory, make_annotator, take_seat
from tests.marking import be_unsure, flag, make_skipping_batch
from tests.wait import wait_until
from tests.working import rate_everything

pytestmark = pytest.mark.django_db(transaction=True)
PHONE = {"width": 375, "height": 740, "has_touch": True, "is_mobile": True}
Open = Callable[..., Screen]
# The browser's own controls take part in the round: then nothing of the page has the focus.
INSIDE = "[document.body, ...document.querySelectorAll('dialog, dialog *')].includes(document.activeElement)"


def dialog(page: Page):
    return page.get_by_role("dialog", name=re.compile("What is wrong with this item?|Change the flag"))


def flag_button(page: Page):
    return page.get_by_role("button", name="Flag f", exact=True).or_(
        page.get_by_role("button", name="Flag", exact=True)
    )


def current_item(page: Page) -> str:
    return step(page).locator("[data-item]").first.get_attribute("data-item")


def wait_for_flag(**wanted: object) -> None:
    wait_until(lambda: ItemMark.objects.filter(**wanted).exists(), what=f"the mark {wanted}")


# --- the flag ----------------------------------------------------------------------------------------
def test_an_item_is_flagged_by_keyboard_alone_and_no_digit_reaches_the_question(screen: Screen):
    page = screen.page
    item = current_item(page)
    press(page, "f")
    expect(dialog(page)).to_be_visible()
    press(page, "1")  # inside the dialog it answers nothing
    press(page, "Space", "ArrowDown", "Enter")
    expect(dialog(page)).to_be_hidden()
    expect(flag_button(page)).to_have_attribute("aria-pressed", "true")
    wait_for_flag(item__token=item, reason="personal")
    expect(step(page).locator("input[type=radio]:checked")).to_have_count(0)
    assert not Rating.objects.exists()


def test_the_dialog_keeps_the_focus_and_gives_it_back_on_escape(screen: Screen):
    page = screen.page
    press(page, "1")
    before = page.evaluate("document.activeElement.name")
    press(page, "f")
    for _ in range(12):
        press(page, "Tab")
        assert page.evaluate(INSIDE)
    press(page, "Escape")
    expect(dialog(page)).to_be_hidden()
    assert page.evaluate("document.activeElement.name") == before
    assert not ItemMark.objects.exists()


def test_something_else_needs_words_and_says_so_beside_the_field(screen: Screen):
    page = screen.page
    press(page, "f")
    dialog(page).get_by_label("Something else").check()
    dialog(page).get_by_role("button", name="Flag the item").click()
    expect(dialog(page).get_by_text("Say in your own words what is wrong.")).to_be_visible()
    expect(dialog(page).get_by_label("In your own words")).to_be_focused()
    page.keyboard.type("It is an advert, f and u are letters.")
    press(page, "Control+Enter")
    wait_for_flag(reason="other", words="It is an advert, f and u are letters.")


def test_a_reason_has_a_number_and_a_flag_is_changed_not_given_again(screen: Screen):
    page = screen.page
    press(page, "f", "4", "Enter")
    wait_for_flag(reason="offensive")
    press(page, "f")
    expect(dialog(page).get_by_role("heading", name="Change the flag")).to_be_visible()
    expect(dialog(page).get_by_role("heading", name="What is wrong with this item?")).to_have_count(0)
    press(page, "5")
    expect(dialog(page).get_by_label("In your own words")).to_be_focused()
    page.keyboard.type("Offer 1 of 3")
    dialog(page).get_by_role("button", name="Change the flag").click()
    wait_for_flag(reason="other", words="Offer 1 of 3")


def test_an_item_that_is_unsure_and_flagged_shows_both(screen: Screen):
    press(screen.page, "u", "f", "1", "Enter")
    expect(screen.page.locator(".strip-item[aria-current]")).to_have_text("⚑?")


def test_a_flag_without_a_reason_is_asked_for_one(screen: Screen):
    press(screen.page, "f")
    dialog(screen.page).get_by_role("button", name="Flag the item").click()
    expect(dialog(screen.page).get_by_text("Choose what is wrong with it.")).to_be_visible()


def test_a_flag_is_taken_back_after_the_page_was_loaded_again(screen: Screen, assignment: Assignment):
    page = screen.page
    press(page, "f")
    dialog(page).get_by_label("Offensive").check()
    dialog(page).get_by_label("In your own words").fill("An insult")
    dialog(page).get_by_role("button", name="Flag the item").click()
    wait_for_flag(reason="offensive")
    begin(screen, assignment)
    expect(flag_button(page)).to_have_attribute("aria-pressed", "true")
    press(page, "f")
    expect(dialog(page).get_by_label("Offensive")).to_be_checked()
    expect(dialog(page).get_by_label("In your own words")).to_have_value("An insult")
    dialog(page).get_by_role("button", name="Remove the flag").click()
    wait_for_flag(reason="")
    expect(flag_button(page)).to_have_attribute("aria-pressed", "false")


def test_a_flag_given_offline_is_sent_when_there_is_a_connection(screen: Screen):
    screen.allowed = ["ERR_INTERNET_DISCONNECTED"]
    screen.context.set_offline(True)
    press(screen.page, "f")
    dialog(screen.page).get_by_label("The text is broken").check()
    press(screen.page, "Enter")
    press(screen.page, "u")
    expect(screen.page.locator("[data-save-state]")).to_contain_text("2 kept here")
    screen.context.set_offline(False)
    wait_for_flag(reason="broken", is_unsure=True)
    expect_saved(screen.page)


def test_a_reason_s_letter_stays_a_reason_s_letter(screen: Screen):
    press(screen.page, "u")
    wait_for_flag(is_unsure=True)
    press(screen.page, "u")
    wait_for_flag(is_unsure=False)
    press(screen.page, "2", "a", "Enter")
    expect_step(screen.page, 0, 2)
    assert ItemMark.objects.get().reason == ""


def test_a_flag_is_given_by_touch(open_screen: Open, cast: Cast, assignment: Assignment):
    page = begin(open_screen(cast.annotator.user, **PHONE), assignment)
    flag_button(page).tap()
    dialog(page).get_by_label("Wrong language").tap()
    for acceptance in dialog(page).locator("button:visible, label:has(input)").all():
        assert acceptance.bounding_box()["height"] >= 44
    dialog(page).get_by_role("button", name="Flag the item").tap()
    wait_for_flag(reason="language")


def test_a_flagged_item_is_left_without_an_answer_where_the_protocol_says_so(open_screen: Open):
    batch = make_skipping_batch(1)
    assignment = take_seat(make_annotator(batch.study, "ann"), batch)
    page = begin(open_screen(assignment.participant.user), assignment)
    expect(page.locator("[data-progress-text]")).to_have_text("0 of 11 steps")
    press(page, "f")
    dialog(page).get_by_label("The text is broken").check()
    press(page, "Enter")
    expect(page.locator("[data-progress-text]")).to_have_text("5 of 11 steps")
    press(page, "Enter", "1", "Enter")
    expect(step(page).locator("[data-active] legend strong")).to_have_text("Clear")
    press(page, "1", "Enter")
    expect(step(page).locator("[data-active] legend strong")).to_have_text("Extra")
    wait_until_looked_at(page)
    press(page, "Enter")
    expect(step(page).locator("[data-active] legend strong")).to_have_text("Whole")
    press(page, "1", "Enter")
    expect(page.get_by_role("heading", name="Everything is rated")).to_be_visible()
    page.get_by_role("button", name="Submit the batch").click()
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    assert [key for key, _ in answers()] == ["fit", "clear", "extra", "whole"]


# --- the team's desk -----------------------------------------------------------------------------------
def test_a_flag_is_on_the_page_of_quality_within_two_seconds(open_screen: Open, cast: Cast, assignment: Assignment):
    HeartbeatFactory()
    page = open_screen(cast.lead).go(reverse("quality", args=[cast.study.slug]))
    expect(page.get_by_text("There are no flagged items to settle.")).to_be_visible()
    item = cast.batch.items.first()
    flag(assignment, item, "personal", "A phone number")
    expect(page.locator("#flagged").get_by_text("A phone number")).to_be_visible(timeout=2000)
    page.get_by_role("link", name=f"Batch 1, dialogue {item.dialogue.key}").click()
    page.get_by_label("What you decided").fill("Left in.")
    page.get_by_role("button", name="Settle the flags").click()
    expect(page.get_by_text("The flags are settled.")).to_be_visible()


# --- the strip -----------------------------------------------------------------------------------------
def strip_item(page: Page, name: str):
    return page.get_by_role("navigation", name="Items of the batch").get_by_role("button", name=name)


def test_the_strip_shows_what_is_done_at_once_and_jumps(screen: Screen):
    page = screen.page
    expect(strip_item(page, "Dialogue 1, response 1: not answered")).to_have_attribute("aria-current", "step")
    for _ in range(4):
        press(page, "1", "Enter", *["1", "Enter"] * 2)
    expect(strip_item(page, "Dialogue 1, response 1: answered")).to_be_visible()
    expect_step(page, 1, 1)
    press(page, "u")
    expect(strip_item(page, "Dialogue 2, response 1: not answered, unsure")).to_have_attribute("aria-current", "step")
    strip_item(page, "Dialogue 1, response 2: answered").click()
    expect_step(page, 0, 2)
    press(page, "2", "Enter")
    expect(strip_item(page, "Dialogue 1, response 2: answered, changed")).to_be_visible()


def test_g_and_a_number_lead_to_an_item_and_escape_leaves(screen: Screen):
    page = screen.page
    press(page, "g")
    page.keyboard.type("2.3")
    press(page, "Enter")
    expect_step(page, 1, 3)
    press(page, "g")
    page.keyboard.type("9")
    press(page, "Enter")
    expect(page.get_by_text("There is no dialogue 9: this batch has dialogues 1 to 2.")).to_be_visible()
    page.get_by_label("Type 2 for dialogue 2").fill("2.9")
    press(page, "Enter")
    expect(page.get_by_text("There is no item 2.9: there are 2.1 to 2.3.")).to_be_visible()
    page.get_by_label("Type 2 for dialogue 2").fill("two")
    press(page, "Enter")
    expect(page.get_by_text("Enter the number of a dialogue, such as 2")).to_be_visible()
    press(page, "Escape")
    expect(page.get_by_label("Type 2 for dialogue 2")).to_be_hidden()
    press(page, "1", "Enter")
    expect_step(page, 1, 4)


def test_a_key_right_after_the_field_was_left_is_heard(screen: Screen):
    press(screen.page, "g", "Escape", "f")
    expect(dialog(screen.page)).to_be_visible()


def test_of_many_dialogues_only_those_near_are_in_the_page(open_screen: Open):
    batch = make_skipping_batch(300)
    assignment = take_seat(make_annotator(batch.study, "ann"), batch)
    page = begin(open_screen(assignment.participant.user), assignment)
    expect(strip_item(page, "Dialogue 1, response 1")).to_be_visible()
    assert page.locator(".strip-item").count() < 150
    press(page, "g")
    page.keyboard.type("250")
    press(page, "Enter")
    expect(strip_item(page, "Dialogue 250, response 1")).to_have_attribute("aria-current", "step")
    expect(strip_item(page, "Dialogue 250, response 1")).to_be_in_viewport()
    assert page.locator(".strip-item").count() < 150


def test_on_a_phone_the_strip_is_a_list_behind_a_button(open_screen: Open, cast: Cast, assignment: Assignment):
    page = begin(open_screen(cast.annotator.user, **PHONE), assignment)
    expect(strip_item(page, "Dialogue 2, response 1")).to_be_hidden()
    page.get_by_role("button", name="Items 1.1").tap()
    strip_item(page, "Dialogue 2, response 1").tap()
    expect_step(page, 1, 1)
    expect(strip_item(page, "Dialogue 2, response 1")).to_be_hidden()


# --- the review ----------------------------------------------------------------------------------------
def finished(cast: Cast, assignment: Assignment) -> None:
    rate_everything(assignment, now=timezone.now())
    items = list(cast.batch.items.order_by("pk"))
    be_unsure(assignment, items[0])
    flag(assignment, items[1], "other", "An advert")


@pytest.mark.journey
def test_from_the_review_any_answer_is_changed_and_one_comes_back(
    open_screen: Open, cast: Cast, assignment: Assignment
):
    finished(cast, assignment)
    page = open_screen(cast.annotator.user).go(reverse("submit", args=[assignment.token]))
    page.get_by_role("link", name="1 marked as unsure").click()
    expect(page.locator(".review-item")).to_have_count(1)
    page.locator(".review-item").get_by_role("link", name="Listening: Listening").click()
    expect(step(page).locator("[data-active] legend strong")).to_have_text("Listening")
    expect(page.locator("[data-mark-unsure]")).to_have_attribute("aria-pressed", "true")
    press(page, "2", "Enter")
    expect(page.get_by_role("heading", name="Your answers")).to_be_visible()
    expect(page.locator(".review-item")).to_have_count(1)
    expect(page.locator(".review-item")).to_contain_text("Not listening")
    expect(page.locator(".review-item h4")).to_contain_text("changed")


def test_the_answer_that_is_chosen_in_the_review_is_the_one_that_a_key_changes(
    open_screen: Open, cast: Cast, assignment: Assignment
):
    finished(cast, assignment)
    page = open_screen(cast.annotator.user).go(reverse("submit", args=[assignment.token]))
    names = page.locator(".review-item").first.locator(".review-answers dt").all_inner_texts()
    for at in range(len(names)):
        before = page.locator(".review-item").first.locator(".review-answers dd").all_inner_texts()
        page.locator(".review-item").first.locator(".review-answers a").nth(at).click()
        expect(step(page).locator("[data-active] legend strong")).to_have_text(names[at])
        press(page, "2", "Enter")
        expect(page.get_by_role("heading", name="Your answers")).to_be_visible()
        after = page.locator(".review-item").first.locator(".review-answers dd").all_inner_texts()
        assert [n for n, (old, new) in enumerate(zip(before, after, strict=True)) if old != new] == [at]
    assert len(names) > 1


def test_the_review_works_without_javascript(open_screen: Open, cast: Cast, assignment: Assignment):
    finished(cast, assignment)
    page = open_screen(cast.annotator.user, java_script_enabled=False).go(reverse("submit", args=[assignment.token]))
    page.get_by_label("Items").select_option("flagged")
    page.get_by_role("button", name="Show").click()
    expect(page.locator(".review-item")).to_have_count(1)
    page.locator(".review-answers a").first.click()
    page.locator(".step:visible input[type=radio]").nth(1).check()
    page.get_by_role("button", name="Save and continue").click()
    expect(page.get_by_role("heading", name="Your answers")).to_be_visible()
    expect(page.locator(".review-item")).to_have_count(1)


def expect_no_barriers(screen: Screen) -> None:
    assert screen.barriers() == ""
    assert screen.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@LOOKS
def test_the_pages_have_no_barriers_and_do_not_scroll_sideways(
    open_screen: Open, cast: Cast, assignment: Assignment, width: int, scheme: str
):
    HeartbeatFactory()
    finished(cast, assignment)
    screen = open_screen(cast.annotator.user, width=width, color_scheme=scheme)
    page = screen.go(reverse("submit", args=[assignment.token]))
    expect_no_barriers(screen)
    page = screen.go(reverse("rate", args=[assignment.token, 0, 1]) + "?review=1")
    expect(page.get_by_role("navigation", name="Items of the batch")).to_be_visible()
    expect_no_barriers(screen)
    press(page, "f")
    expect_no_barriers(screen)
    desk = open_screen(cast.lead, width=width, color_scheme=scheme)
    item = ItemMark.objects.exclude(reason="").get().item
    for place in (
        reverse("quality", args=[cast.study.slug]),
        reverse("flagged_items", args=[cast.study.slug]),
        reverse("flagged_item", args=[cast.study.slug, item.token]),
    ):
        desk.go(place)
        expect_no_barriers(desk)
