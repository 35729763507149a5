"""The rating screen without a network, in two tabs, after a crash: nothing is lost and nothing is doubled."""

import json
import re

import pytest
from django.urls import reverse
from playwright.sync_api import Route, expect

from annotation.models import Assignment, Rating, RatingRevision, Study
from tests.browser.helpers import Screen, wait_for_step
from tests.browser.rating import begin, expect_saved, expect_step, press, step
from tests.cast import Cast
from tests.factories import StudyFactory, make_annotator, make_batch, take_seat
from tests.factories_protocols import make_scale_version
from tests.wait import wait_until

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.journey
def test_answers_given_offline_are_kept_and_sent_when_the_network_is_back(screen: Screen):
    screen.allowed = ["ERR_INTERNET_DISCONNECTED"]
    screen.page.wait_for_load_state("networkidle")
    screen.context.set_offline(True)
    for _ in range(3):
        press(screen.page, "1", "Enter")
    expect(screen.page.locator("[data-save-state]")).to_have_text("Offline: 3 kept here")
    assert not Rating.objects.exists()
    screen.context.set_offline(False)
    expect_saved(screen.page)
    assert Rating.objects.count() == RatingRevision.objects.count() == 3


def test_own_words_wait_in_the_browser_and_come_back_ticked(screen: Screen):
    screen.allowed = ["ERR_INTERNET_DISCONNECTED"]
    screen.page.wait_for_load_state("networkidle")
    screen.context.set_offline(True)
    press(screen.page, "2", "b")
    screen.page.keyboard.type("It mixes names")
    press(screen.page, "Control+Enter")
    expect_step(screen.page, 0, 2)
    screen.context.set_offline(False)
    expect_saved(screen.page)
    screen.page.reload()
    press(screen.page, "Backspace")
    expect(step(screen.page).get_by_label("Other (in your own words)").locator("visible=true")).to_be_checked()
    assert Rating.objects.get().free_text == "It mixes names"


def test_a_tab_closed_offline_loses_nothing(screen: Screen, assignment: Assignment):
    screen.allowed = ["ERR_INTERNET_DISCONNECTED"]
    screen.page.wait_for_load_state("networkidle")
    screen.context.set_offline(True)
    press(screen.page, "2", "a", "Enter", "1", "Enter")
    screen.page.close()
    screen.context.set_offline(False)
    screen.page = screen.new_tab()
    begin(screen, assignment)
    expect(step(screen.page).locator("input[type=radio]:checked")).to_have_value("2")  # not sent yet, and shown
    expect(screen.page.locator("[data-progress-text]")).to_have_text("2 of 24 steps")
    expect_saved(screen.page)
    assert Rating.objects.count() == RatingRevision.objects.count() == 2


def test_what_was_typed_and_not_yet_saved_is_there_after_a_crash(screen: Screen, assignment: Assignment):
    press(screen.page, "3")
    screen.page.keyboard.type("I am still thinking")
    screen.page.close()
    screen.page = screen.new_tab()
    begin(screen, assignment)
    expect(step(screen.page).locator("[data-why='3'] textarea")).to_have_value("I am still thinking")
    assert not Rating.objects.exists()


def test_an_answer_whose_acknowledgement_was_lost_is_one_answer(screen: Screen):
    screen.allowed = ["ERR_FAILED"]
    lost = []

    def lose_the_answer(route: Route) -> None:
        if lost:
            route.continue_()
            return
        lost.append(route.fetch())  # the server has saved it
        route.abort()

    screen.page.route("**/api/v1/answers/**", lose_the_answer)
    press(screen.page, "1", "Enter")
    expect_saved(screen.page)
    assert len(lost) == 1
    assert RatingRevision.objects.count() == 1


def test_a_server_in_trouble_is_asked_again(screen: Screen):
    screen.allowed = ["503"]
    answers_given = []

    def be_busy_once(route: Route) -> None:
        answers_given.append(json.loads(route.request.post_data))
        if len(answers_given) == 1:
            route.fulfill(status=503, body="")
        else:
            route.continue_()

    screen.page.route("**/api/v1/answers/**", be_busy_once)
    press(screen.page, "1", "Enter")
    wait_until(lambda: (screen.page.wait_for_timeout(20), Rating.objects.exists())[1], what="the answer sent again")
    first, second = answers_given
    assert first["client_key"] == second["client_key"]
    assert second["age_ms"] >= first["age_ms"] + 500, "the age is reckoned when it is sent"


def test_two_tabs_send_each_answer_once(screen: Screen, assignment: Assignment):
    other = screen.new_tab()
    other.goto(screen.page.url)
    for page in (screen.page, other):
        page.bring_to_front()
        press(page, "1", "Enter", "1", "Enter")
    for page in (screen.page, other):
        expect_saved(page)
    wait_until(lambda: Rating.objects.count() == 2, what="both answers")
    assert set(Rating.objects.values_list("item__batch", flat=True)) == {assignment.batch_id}
    assert RatingRevision.objects.count() <= 4


def test_what_one_tab_saves_is_seen_in_the_other_and_covers_nothing_unsaved(screen: Screen):
    page, other = screen.page, screen.new_tab()
    other.goto(page.url)
    wait_for_step(other)
    wait_for_step(page)
    press(page, "2", "a", "Enter")
    expect(step(other).locator("input[type=radio]:checked")).to_have_value("2")
    expect(other.locator("[data-progress-text]")).to_have_text("1 of 24 steps")
    press(other, "1")
    press(page, "Backspace", "3")
    page.keyboard.type("I cannot tell from this")
    press(page, "Control+Enter")
    expect_saved(page)
    other.wait_for_load_state("networkidle")
    expect(step(other).locator("input[type=radio]:checked")).to_have_value("1")
    expect(other.locator("[data-save-state]")).to_have_text("Not saved yet")


def test_a_dialogue_that_another_tab_has_changed_is_not_shown_as_it_was(screen: Screen):
    page, other = screen.page, screen.new_tab()
    press(page, "1", "Enter")
    expect_saved(page)
    page.locator('.strip-item[data-at="1.0"]').click()
    expect_step(page, 1, 1)
    other.goto(page.url.replace("/1/1/", "/0/1/"))
    wait_for_step(other)
    press(other, "2", "a", "Enter")
    expect_saved(other)
    expect_step(other, 0, 2)
    page.bring_to_front()
    page.go_back()
    expect(page.get_by_role("heading", name="Dialogue 1 of 2")).to_be_visible()  # it is fetched again
    press(page, "Backspace")
    expect_step(page, 0, 1)
    expect(step(page).locator("input[type=radio]:checked")).to_have_value("2")
    press(page, "1", "Enter")
    expect_step(page, 0, 2)
    expect_saved(page)
    assert Rating.objects.get().option.position == 0, "what was chosen on screen is stored"


def test_a_lost_sign_in_keeps_the_answers_and_shows_the_way(screen: Screen, cast: Cast):
    screen.allowed = ["403", "401"]
    screen.page.wait_for_load_state("networkidle")
    screen.sign_out()
    press(screen.page, "1", "Enter")
    problem = screen.page.locator("[data-problem]")
    expect(problem).to_contain_text("Nothing is lost. 1 answer is waiting on this device.")
    expect(problem.get_by_role("link", name="Sign in again")).to_have_attribute(
        "href", re.compile(r"/accounts/login/\?next=")
    )
    screen.sign_in(cast.annotator.user)
    press(screen.page, "1", "Enter")
    expect_saved(screen.page)
    expect(problem).to_be_hidden()
    assert Rating.objects.count() == 2


def test_the_back_button_of_the_browser_shows_the_answer_before(screen: Screen):
    press(screen.page, "2", "Enter")
    expect_step(screen.page, 0, 2)
    screen.page.go_back()
    expect_step(screen.page, 0, 1)
    expect(step(screen.page).locator("input[type=radio]:checked")).to_have_value("2")
    expect_saved(screen.page)
    assert RatingRevision.objects.count() == 1


def test_the_batch_is_not_submitted_while_answers_wait(screen: Screen, assignment: Assignment):
    screen.allowed = ["ERR_FAILED"]
    screen.page.route("**/api/v1/answers/**", lambda route: route.abort())
    press(screen.page, "1", "Enter")
    expect(screen.page.locator("[data-save-state]")).to_contain_text("1 kept here")
    screen.go(reverse("submit", args=[assignment.token]))
    expect(screen.page.locator("[data-outbox]")).to_contain_text("1 answer is waiting on this device.")
    screen.page.unroute("**/api/v1/answers/**")
    screen.page.evaluate("dispatchEvent(new Event('online'))")
    expect(screen.page.locator("[data-outbox]")).to_be_hidden()
    expect(screen.page.get_by_text("1 of 24 steps")).to_be_visible()
    assert Rating.objects.count() == 1


def test_an_answer_refused_for_good_stays_on_the_device_and_the_page_stands_still(screen: Screen):
    screen.allowed = ["ERR_FAILED", "409"]
    screen.page.route("**/api/v1/answers/**", lambda route: route.abort())
    press(screen.page, "1", "Enter")
    expect(screen.page.locator("[data-save-state]")).to_contain_text("1 kept here")
    Study.objects.update(status="closed")
    screen.page.unroute("**/api/v1/answers/**")
    pages: list[str] = []
    screen.listen("framenavigated", lambda frame: pages.append(frame.url))
    screen.go(reverse("work"))
    expect(screen.page.locator("[data-outbox]")).to_contain_text("This study is closed.")
    screen.page.wait_for_load_state("networkidle")
    assert len(pages) == 1
    kept = screen.page.evaluate("Object.keys(localStorage)")
    assert len([key for key in kept if key.startswith("parley-outbox:")]) == 1


def test_the_answers_of_a_step_go_in_one_request(open_screen, cast: Cast):
    study = StudyFactory(protocol_version=make_scale_version(4))
    participant = make_annotator(study, "scaler")
    screen = open_screen(participant.user)
    sent: list[str] = []
    screen.listen("request", lambda request: "/api/v1/answers/" in request.url and sent.append(request.url))
    begin(screen, take_seat(participant, make_batch(study, 2, 2)))
    press(screen.page, "5", "4", "3", "1", "Enter")
    expect_step(screen.page, 0, 2)
    expect_saved(screen.page)
    assert Rating.objects.count() == 4
    assert sent == [f"{screen.url}/api/v1/answers/several/"]


def test_a_page_of_the_network_itself_is_no_acknowledgement(screen: Screen):
    """A hotel's sign-in page answers everything with 200."""
    page = screen.page
    page.route("**/api/v1/answers/**", lambda route: route.fulfill(status=200, body="<h1>Welcome, guest</h1>"))
    press(page, "1", "Enter")
    expect(page.locator("[data-save-state]")).to_have_text("Offline: 1 kept here")
    page.unroute("**/api/v1/answers/**")
    expect_saved(page)
    assert Rating.objects.count() == 1
