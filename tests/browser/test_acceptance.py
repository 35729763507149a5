"""Batch acceptance in a browser: a finished batch, a controller who rates its sample blind, and the decision."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from annotation.models import Batch, Group
from qualification.acceptance.services.sweeping import sweep_acceptance
from qualification.models import Sample
from tests.browser.helpers import LOOKS, Screen, answer
from tests.qualification.acceptance.conftest import AcceptanceStudy, make_acceptance

pytestmark = pytest.mark.django_db(transaction=True)
LABELS = ["0", "1", "2"] * 40
SCREENSHOTS = Path(__file__).parents[2] / "var" / "screenshots" / "acceptance"


@pytest.fixture
def acceptance(transactional_db: None) -> AcceptanceStudy:
    return make_acceptance(n_sample=4, fewest_of_class=1, top_up_to=1)


def path(name: str, *args: object) -> str:
    return reverse(name, args=["wellbeing", *args])


@pytest.mark.journey
def test_a_controller_takes_a_sample_rates_it_blind_and_reads_the_decision(
    open_screen: Callable[..., Screen], acceptance: AcceptanceStudy
):
    batch = acceptance.finish("b1", LABELS)
    acceptance.draw(batch)
    n_sampled = Sample.objects.get().sampled_items.count()
    screen = open_screen(acceptance.cast.controller)
    page = screen.go(path("acceptance"))
    assert screen.barriers() == ""
    page.get_by_role("link", name="b1").click()
    assert screen.barriers() == ""
    page.get_by_role("button", name="Review this sample").click()
    page.wait_for_url("**/work/**")
    for number in range(n_sampled):
        expect(page.locator("[data-progress-text]")).to_have_text(f"{number} of {n_sampled} steps")
        answer(page, "1")
    page.wait_for_url("**/submit/")
    page.get_by_role("button", name="Submit the batch").click()
    page.wait_for_url("**/thanks/")
    assert sweep_acceptance(now=timezone.now()) == (0, 1)
    page.goto(path("sample", Sample.objects.get().pk))
    expect(page.get_by_role("heading", name="Batch b1, round 1")).to_contain_text("returned")
    expect(page.get_by_role("heading", name="Annotators' and controller's labels")).to_be_visible()
    expect(page.locator(".acceptance-curve svg")).to_be_visible()
    assert Batch.objects.get(pk=batch.pk).round == 2


def test_the_curve_changes_with_the_form(open_screen: Callable[..., Screen], acceptance: AcceptanceStudy):
    page = open_screen(acceptance.cast.researcher).go(path("acceptance_plan"))
    before = page.locator("#curve .fig-path").get_attribute("points")
    page.get_by_label("Sample size").fill("200")
    expect(page.locator("#curve .fig-path")).not_to_have_attribute("points", str(before))
    page.get_by_label("one by one until the result is clear").check()
    expect(page.get_by_label("Sample size")).to_be_hidden()
    page.locator("#curve summary").click()
    expect(page.locator("#curve")).to_contain_text("Items reviewed, on average")


@LOOKS
def test_no_page_of_acceptance_has_barriers_and_each_fits(
    open_screen: Callable[..., Screen], acceptance: AcceptanceStudy, width: int, scheme: str
):
    Group.objects.create(study=acceptance.cast.study, name="North")
    decided = decide(acceptance)
    screen = open_screen(acceptance.cast.owner, width=width, color_scheme=scheme)
    pages = {
        "overview": path("acceptance"),
        "plan": path("acceptance_plan"),
        "groups": path("acceptance_groups"),
        "waiting": path("sample", Sample.objects.get(state="waiting").pk),
        "decision": path("sample", decided.pk),
    }
    for name, address in pages.items():
        screen.go(address)
        assert screen.barriers() == "", name
        assert screen.page.evaluate("document.documentElement.scrollWidth") <= width, name
        screen.keep_picture(SCREENSHOTS / f"{name}-{width}-{scheme}.png")


def decide(acceptance: AcceptanceStudy) -> Sample:
    """Two batches that were decided, one in its second round, and one that waits."""
    acceptance.plan.n_sample, acceptance.plan.fewest_of_class, acceptance.plan.top_up_to = 100, 10, 30
    acceptance.plan.save()
    truth = [*LABELS[:-9], *["0"] * 9]
    bad = acceptance.finish("north-01", LABELS, active_ms=40_000)
    acceptance.review(acceptance.draw(bad), ["2", "0", "1"] * 40)
    acceptance.again(bad, LABELS)
    acceptance.review(acceptance.draw(bad), truth)
    good = acceptance.review(acceptance.draw(acceptance.finish("north-02", LABELS)), truth)
    acceptance.draw(acceptance.finish("north-03", LABELS))
    return good


@pytest.mark.parametrize("width", [1280, 375])
def test_a_review_with_the_label_shown_has_no_barriers(
    open_screen: Callable[..., Screen], acceptance: AcceptanceStudy, width: int
):
    acceptance.plan.is_blind = False
    acceptance.plan.save()
    sample = acceptance.draw(acceptance.finish("b1", LABELS))
    screen = open_screen(acceptance.cast.controller, width=width)
    page = screen.go(path("sample", sample.pk))
    page.get_by_role("button", name="Review this sample").click()
    expect(page.get_by_role("heading", name="Is the label right?")).to_be_visible()
    assert screen.barriers() == ""
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    screen.keep_picture(SCREENSHOTS / f"review-{width}.png")
    page.get_by_role("button", name="Save and continue").click()
    expect(page.locator(".crumbs").last).to_contain_text("2 of")
