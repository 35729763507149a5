"""Pay, the log and the pilot, in a browser: nothing in the way of anybody, and the way from a pilot to a setting."""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotation.models import Assignment, Rating
from annotation.services import activity
from annotation.services.claiming import claim_seat, submit_assignment
from annotation.services.status import set_status
from qualification.models import PayEntry
from qualification.pay.services.ledger import sweep_pay
from tests.browser.helpers import LOOKS, Screen
from tests.browser.test_study_pages import barriers_on
from tests.cast import Cast, make_cast
from tests.clock import NOW
from tests.factories import HeartbeatFactory, make_annotator, make_batch
from tests.qualification.pay.factories import PayEntryFactory, PayPlanFactory, earned
from tests.working import rate_everything

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    """A pilot that a panel of four has rated, work that was paid, and a log."""
    cast = make_cast(pay_amount=Decimal("3.00"), pay_currency="GBP", expected_minutes=35, status="open")
    PayPlanFactory(study=cast.study)
    HeartbeatFactory()
    rate_pilot(cast)
    for number, annotator in enumerate(cast.annotators[:2]):
        finish(annotator, cast.batch, option=number, seconds=60 + 40 * number)
    sweep_pay(now=NOW + timedelta(hours=2))
    PayEntryFactory(participant=cast.annotators[0], amount=Decimal("1.50"), actor=cast.owner)
    earned(cast.annotators[1], "EUR")
    set_status(cast.annotators[1], status="excluded", by=cast.lead, reason="Asked to leave.", now=NOW)
    for n in range(60):
        activity.log(cast.study, cast.owner, "batches_open", about=f"main-{n}", details={"n": 1}, now=NOW)
    return cast


def rate_pilot(cast: Cast) -> None:
    batch = make_batch(cast.study, n_dialogues=3, position=5, kind="pilot", key="pilot-1")
    batch.seats.create(number=9)
    for number in range(4):
        panel = ("expert", "non_expert")[number % 2]
        member = make_annotator(cast.study, f"panel-{number}", panel=panel, status="pending")
        finish(
            member, batch, option=number % 3, seconds=12 + number, feedback=f"Question {number + 1} is unclear to me."
        )
    # Some agree on most, so that there is something to measure.
    for rating in Rating.objects.filter(batch=batch, assignment__participant__panel="expert").order_by("pk")[::2]:
        Rating.objects.filter(pk=rating.pk).update(option=rating.criterion.options.first())


def finish(participant, batch, *, option: int, seconds: int, feedback: str = "") -> Assignment:
    work = claim_seat(participant, batch, now=NOW)
    rate_everything(work, now=NOW, option=option)
    work.ratings.update(active_ms=seconds * 1000)
    return submit_assignment(work, feedback=feedback, now=NOW + timedelta(minutes=40))


@LOOKS
def test_the_pages_have_no_barriers_and_do_not_scroll_sideways(
    open_screen: Callable[..., Screen], cast: Cast, width: int, scheme: str
):
    paths = [reverse(name, args=["wellbeing"]) for name in ("pay", "activity", "pilot")]
    paths += [reverse("pay_annotator", args=["wellbeing", each.token]) for each in cast.annotators]
    found = barriers_on(open_screen(cast.owner, width=width, color_scheme=scheme), paths)
    own = open_screen(cast.annotators[0].user, width=width, color_scheme=scheme)
    assert found | barriers_on(own, [reverse("work")]) == {}


def test_a_lead_researcher_goes_from_the_pilot_to_the_setting(open_screen: Callable[..., Screen], cast: Cast):
    page = open_screen(cast.researcher).go(reverse("pilot", args=["wellbeing"]))
    page.get_by_label("Items per batch").fill("25")
    page.get_by_role("button", name="Compute").click()
    expect(page.get_by_label("Items per batch")).to_have_value("25")

    page.get_by_role("button", name="Use these minutes").click()

    expect(page.get_by_text("The setting is applied.")).to_be_visible()
    cast.study.refresh_from_db()
    assert cast.study.expected_minutes == 25  # 25 items x 4 criteria x 13.5 seconds are 22.5 minutes


@pytest.mark.journey
def test_a_bonus_is_given_and_the_annotator_sees_it(open_screen: Callable[..., Screen], cast: Cast):
    page = open_screen(cast.researcher).go(reverse("pay", args=["wellbeing"]))
    page.get_by_role("link", name=cast.annotators[2].pseudonym).click()
    page.get_by_label("Bonus").fill("2.50")
    page.get_by_label("Reason").first.fill("Very good comments")
    page.get_by_role("button", name="Give the bonus").click()
    expect(page.get_by_text("The bonus is in the ledger.")).to_be_visible()

    own = open_screen(cast.annotators[2].user).go(reverse("work"))
    expect(own.get_by_text("You have earned 2.50")).to_be_visible()
    assert PayEntry.objects.filter(kind="bonus").count() == 2


def test_the_log_is_narrowed_and_taken_away(open_screen: Callable[..., Screen], cast: Cast):
    page = open_screen(cast.owner).go(reverse("activity", args=["wellbeing"]))
    page.get_by_label("Action").select_option(label="status changed")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("table.activity tbody tr")).to_have_count(1)
    expect(page.get_by_text("Asked to leave.").first).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="As CSV").click()
    assert download.value.suggested_filename == "wellbeing-activity.csv"
