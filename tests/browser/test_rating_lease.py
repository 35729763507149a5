"""The end of a lease on the rating screen, and the time that counts as active."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from annotation.models import Assignment, Rating, Seat
from tests.browser.helpers import Screen
from tests.browser.rating import begin, expect_saved, expect_step, press
from tests.cast import Cast
from tests.factories import take_seat
from tests.wait import wait_until

pytestmark = pytest.mark.django_db(transaction=True)


def test_ten_minutes_before_its_end_the_page_warns(open_screen, cast: Cast):
    screen = open_screen(cast.annotator.user)
    begin(screen, take_seat(cast.annotator, cast.batch, minutes=9.5))
    expect(screen.page.locator("[data-lease-note]")).to_contain_text("10 min left for this batch")


def test_when_the_lease_ends_the_answers_are_kept_and_a_seat_can_be_taken_again(screen: Screen):
    screen.allowed = ["409"]
    Seat.objects.exclude(assignment=None).update(lease_expires_at=timezone.now())
    press(screen.page, "1", "Enter")
    note = screen.page.locator("[data-lease-note]")
    expect(note).to_contain_text("Your answers are kept")
    assert Rating.objects.count() == 1
    note.get_by_role("button", name="Take a seat again").click()
    expect_step(screen.page, 0, 2)
    press(screen.page, "1", "Enter")
    expect_saved(screen.page)
    assert Assignment.objects.get().status == "active"
    assert Rating.objects.count() == 2


def test_active_time_leaves_out_pauses_and_hidden_tabs(open_screen, cast: Cast, assignment: Assignment):
    screen = open_screen(cast.annotator.user)
    screen.clock.install()
    begin(screen, assignment)
    screen.clock.pause_at(timezone.now() + timezone.timedelta(hours=1))
    with screen.page.expect_request("**/api/v1/answers/**"):
        press(screen.page, "1", "Enter")  # the next step begins while the clock stands still
    press(screen.page, "ArrowDown")
    # Jumps: while a clock runs, the browser's own scrolling may fall into the middle of it.
    screen.clock.fast_forward(10_000)
    press(screen.page, "ArrowDown")
    screen.clock.fast_forward(5 * 60_000)  # five minutes of nothing count as thirty seconds
    with screen.page.expect_request("**/api/v1/answers/**") as sent:
        press(screen.page, "1", "Enter")
    assert 40_000 <= sent.value.post_data_json["active_ms"] <= 75_000  # of an hour and five minutes


def test_a_changed_answer_adds_its_own_time_to_that_of_the_first(open_screen, cast: Cast, assignment: Assignment):
    screen = open_screen(cast.annotator.user)
    screen.clock.install()
    begin(screen, assignment)
    screen.clock.pause_at(timezone.now() + timezone.timedelta(hours=1))
    press(screen.page, "1", "Enter")
    expect_saved(screen.page)
    screen.clock.fast_forward(20_000)
    press(screen.page, "1", "Enter")
    expect_saved(screen.page)
    before = Rating.objects.order_by("pk")[1].active_ms
    press(screen.page, "Backspace")
    screen.clock.fast_forward(5_000)
    press(screen.page, "2", "Enter")
    expect_saved(screen.page)
    rating = Rating.objects.order_by("pk")[1]
    times = list(rating.revisions.order_by("number").values_list("active_ms", flat=True))
    assert (rating.active_ms, times) == (before + times[1], [before, times[1]])
    assert 20_000 <= before < 25_000
    assert 5_000 <= times[1] < 10_000


def test_time_on_a_page_is_not_added_to_an_answer_on_another(open_screen, cast: Cast, assignment: Assignment):
    screen = open_screen(cast.annotator.user)
    screen.clock.install()
    begin(screen, assignment)
    screen.clock.pause_at(timezone.now() + timezone.timedelta(hours=1))
    press(screen.page, "1", "Enter")
    screen.clock.fast_forward(20_000)
    press(screen.page, "Backspace")
    screen.clock.fast_forward(2_000)
    press(screen.page, "2", "Enter")
    expect_step(screen.page, 0, 2)
    screen.clock.fast_forward(3_000)
    press(screen.page, "1", "Enter")
    wait_until(lambda: Rating.objects.count() == 2, what="two answers")
    first, second = Rating.objects.order_by("pk")
    changed = first.revisions.order_by("number").last()
    assert 2_000 <= changed.active_ms < 5_000
    assert 23_000 <= second.active_ms < 26_000
