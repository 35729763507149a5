"""Nobody without a password is lost, and nobody gets a second account by accident: in Chromium, with its cookies."""

import re
from collections.abc import Callable

import pytest
from django.core.cache import cache
from django.urls import reverse
from playwright.sync_api import Locator, Page, expect

from annotation.models import Assignment, Participant, Rating, RatingRevision, Study
from tests.browser.helpers import LOOKS, Screen, answer, read_and_start, wait_for_step
from tests.cast import Cast
from tests.wait import wait_until

pytestmark = pytest.mark.django_db(transaction=True)
Open = Callable[..., Screen]


@pytest.fixture
def invitation(cast: Cast) -> str:
    cache.clear()
    Study.objects.update(is_joinable=True, is_clearing_on_join=True)
    return reverse("join", args=[cast.study.join_token])


def joined() -> list[str]:
    rows = Participant.objects.exclude(joined_on=None).order_by("pk")
    return list(rows.values_list("user__username", flat=True))


def take_part(page: Page) -> str:
    page.get_by_role("button", name="Take part").click()
    page.wait_for_url("**/work/")
    return joined()[-1]


def continue_as(page: Page, name: str) -> None:
    page.get_by_role("button", name=f"Continue as {name}").click()


def test_the_session_ends_in_the_middle_and_the_invitation_leads_back_to_the_same_work(
    open_screen: Open, invitation: str
):
    screen = open_screen()
    page = screen.go(invitation)
    name = take_part(page)
    read_and_start(page, "1")
    answer(page, "1")
    expect(page.locator("[data-save-state]")).to_have_text("Saved")
    screen.sign_out()

    screen.go(invitation)
    expect(page.get_by_role("button", name="Take part")).to_have_count(0)
    continue_as(page, name)
    page.wait_for_url("**/work/")
    page.get_by_role("button", name="Continue").click()
    answer(page, "1")
    expect(page.locator("[data-save-state]")).to_have_text("Saved")

    assert joined() == [name]
    assert Assignment.objects.count() == 1
    assert Rating.objects.count() == 2


# What the eye sees of the answer on screen: the item, the question and the label of the chosen answer.
CHOSEN = """
() => {
  const input = document.querySelector(".step:not([hidden]) input[type=radio]:checked");
  const { question } = input.closest("fieldset.asked");
  return [question.item, question.criterion, input.closest(".choice").querySelector(".choice-text").textContent];
}
"""
MINUTE = 60_000


class Offline:
    """One annotator at the end of a batch: the network goes, ten minutes later it is back, and the session is not."""

    def __init__(self, screen: Screen, invitation: str) -> None:
        self.screen = screen
        self.page = screen.page
        self.chosen: dict[tuple[str, str], str] = {}
        screen.allowed += ["ERR_INTERNET_DISCONNECTED", "401", "403"]
        self.screen.clock.install()
        screen.go(invitation)
        self.name = take_part(self.page)
        self.personal_link = self.page.get_by_label("Your personal link").input_value()
        read_and_start(self.page, "1")

    def answer(self, n: int) -> None:
        for at in range(n):
            wait_for_step(self.page)
            path = self.page.url
            self.page.keyboard.press("12"[at % 2])
            item, criterion, label = self.page.evaluate(CHOSEN)
            self.chosen[item, criterion] = label
            self.page.keyboard.press("Enter")
            if len(self.chosen) < 24:
                expect(self.page).not_to_have_url(path)

    def finish(self) -> None:
        """Over the end of the batch, with the end of the session in the middle of ten minutes."""
        self.answer(8)
        expect(self.page.locator("[data-save-state]")).to_have_text("Saved")
        self.page.wait_for_load_state("networkidle")
        self.screen.context.set_offline(True)
        self.answer(8)
        self.screen.clock.fast_forward(5 * MINUTE)
        self.screen.sign_out()
        self.screen.clock.fast_forward(5 * MINUTE)
        self.answer(8)
        expect(self.problem).to_contain_text("All done. 16 answers are waiting to be sent. Keep this page open")

    @property
    def problem(self) -> Locator:
        return self.page.locator("[data-problem]")

    def on_server(self) -> dict[tuple[str, str], str]:
        rows = Rating.objects.values_list("item__token", "criterion__key", "option__label")
        return {(str(item), criterion): label for item, criterion, label in rows}

    def expect_nothing_lost(self) -> None:
        wait_until(lambda: Rating.objects.count() == 24, what="all answers")
        assert self.on_server() == self.chosen
        assert RatingRevision.objects.count() == 24, "no answer came twice"
        assert joined() == [self.name]
        assert Assignment.objects.count() == 1

    def submit(self) -> None:
        self.page.get_by_role("button", name="Submit the batch").click()
        wait_until(lambda: Assignment.objects.filter(status="submitted").exists(), what="the batch submitted")


@pytest.fixture
def offline(open_screen: Open, invitation: str) -> Offline:
    return Offline(open_screen(), invitation)


@pytest.mark.parametrize("way", ["the invitation", "the personal link"])
def test_a_batch_finished_offline_survives_the_end_of_the_session(offline: Offline, invitation: str, way: str):
    offline.finish()
    assert Rating.objects.count() == 8
    offline.screen.context.set_offline(False)
    expect(offline.problem).to_contain_text("16 answers are waiting on this device. You are signed out")

    offline.screen.go(invitation if way == "the invitation" else offline.personal_link)
    continue_as(offline.page, offline.name)
    offline.page.wait_for_url("**/work/")
    offline.expect_nothing_lost()
    expect(offline.page.locator("[data-outbox]")).to_be_hidden()
    offline.page.get_by_role("button", name="Continue").click()
    offline.submit()


def test_when_all_is_done_the_end_of_the_session_is_said_with_the_way_on(offline: Offline):
    offline.finish()
    offline.screen.context.set_offline(False)
    expect(offline.problem).to_contain_text("All done. 16 answers are waiting on this device. You are signed out")
    expect(offline.problem).not_to_contain_text("Keep this page open")
    offline.problem.get_by_role("link", name="Sign in again").click()
    continue_as(offline.page, offline.name)
    offline.expect_nothing_lost()


def test_on_my_work_too_the_end_of_the_session_is_said_with_the_way_on(offline: Offline):
    offline.finish()
    offline.page.route("**/api/v1/answers/**", lambda route: route.abort())
    offline.screen.context.set_offline(False)
    offline.screen.allowed.append("ERR_FAILED")
    offline.screen.go(offline.personal_link)
    continue_as(offline.page, offline.name)
    note = offline.page.locator("[data-outbox]")
    expect(note).to_contain_text("16 answers are waiting on this device. There is no connection")
    offline.screen.sign_out()
    offline.page.unroute("**/api/v1/answers/**")
    offline.screen.clock.fast_forward(MINUTE)
    expect(note).to_contain_text("You are signed out. Sign in to send your answers.")
    note.get_by_role("link", name="Sign in again").click()
    continue_as(offline.page, offline.name)
    offline.page.wait_for_url("**/work/")
    offline.expect_nothing_lost()


def test_the_sign_in_page_leads_back_to_the_question_one_was_at(open_screen: Open, invitation: str):
    screen = open_screen()
    page = screen.go(invitation)
    name = take_part(page)
    read_and_start(page, "1")
    question = page.url
    screen.sign_out()

    page.reload()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    expect(page.get_by_text("open your personal link, or open the invitation link")).to_be_visible()
    continue_as(page, name)
    expect(page).to_have_url(question)
    assert joined() == [name]


def test_a_click_too_many_makes_one_account(open_screen: Open, invitation: str):
    page = open_screen().go(invitation)
    page.get_by_role("button", name="Take part").dblclick()
    page.wait_for_url("**/work/")
    assert len(joined()) == 1


def test_two_tabs_make_one_account(open_screen: Open, invitation: str):
    screen = open_screen()
    first = screen.go(invitation)
    second = screen.new_tab()
    second.goto(invitation)
    name = take_part(first)
    second.get_by_role("button", name="Take part").click()
    continue_as(second, name)
    second.wait_for_url("**/work/")
    assert joined() == [name]


def test_two_people_share_a_device(open_screen: Open, invitation: str):
    screen = open_screen()
    page = screen.go(invitation)
    first = take_part(page)
    screen.sign_out()
    screen.go(invitation)
    page.get_by_role("link", name="I am somebody else").click()
    expect(page.get_by_text("You get a new account.")).to_be_visible()
    second = take_part(page)
    screen.sign_out()

    screen.go(reverse("account_login"))
    buttons = page.get_by_role("button", name=re.compile("^Continue as"))
    expect(buttons).to_have_text([f"Continue as {second}", f"Continue as {first}"])
    continue_as(page, first)
    expect(page.locator(".site-user")).to_contain_text(first)

    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("button", name="Not my device").click()
    expect(buttons).to_have_text([f"Continue as {second}"])


@pytest.mark.journey
def test_the_personal_link_is_shown_copied_and_opens_the_account_elsewhere(open_screen: Open, invitation: str):
    screen = open_screen(permissions=["clipboard-read", "clipboard-write"])
    page = screen.go(invitation)
    name = take_part(page)
    expect(page.get_by_text("Keep this link to come back later")).to_be_visible()
    page.reload()
    field = page.get_by_label("Your personal link")
    expect(field).to_be_hidden()
    page.get_by_text("Show my personal link").click()
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("status").filter(has_text="Copied.")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == field.input_value()

    elsewhere = open_screen().go(copied)
    continue_as(elsewhere, name)
    expect(elsewhere.locator(".site-user")).to_contain_text(name)
    assert joined() == [name]


def test_without_a_script_the_link_stands_in_a_field(open_screen: Open, invitation: str):
    page = open_screen(java_script_enabled=False).go(invitation)
    take_part(page)
    expect(page.get_by_label("Your personal link")).to_have_value(re.compile("/return/"))
    expect(page.get_by_role("button", name="Copy")).to_have_count(0)


@LOOKS
def test_axe_finds_no_barrier_on_the_ways_back(open_screen: Open, invitation: str, width: int, scheme: str):
    screen = open_screen(width=width, color_scheme=scheme)
    page = screen.go(invitation)
    name = take_part(page)
    found = {"work": screen.barriers()}
    for path in (reverse("account_logout"), invitation, f"{invitation}?somebody-else"):
        screen.go(path)
        found[path] = screen.barriers()
    screen.sign_out()
    for path in (invitation, reverse("account_login")):
        screen.go(path)
        expect(page.get_by_role("button", name=f"Continue as {name}")).to_be_visible()
        found[f"{path} signed out"] = screen.barriers()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert {path: report for path, report in found.items() if report} == {}
