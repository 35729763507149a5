"""Batch control in a browser: a finished batch, a controller who rates its sample blind, and the decision."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from annotation.models import Batch, Group
from qualification.acceptance.services.sweeping import sweep_control
from qualification.models import Inspection
from tests.browser.helpers import LOOKS, Screen, answer
from tests.qualification.acceptance.conftest import Control, make_control

pytestmark = pytest.mark.django_db(transaction=True)
LABELS = ["0", "1", "2"] * 40
SCREENSHOTS = Path(__file__).parents[2] / "var" / "screenshots" / "control"


@pytest.fixture
def control(transactional_db: None) -> Control:
    return make_control(n_sample=4, fewest_of_class=1, top_up_to=1)


def path(name: str, *args: object) -> str:
    return reverse(name, args=["wellbeing", *args])


def test_a_controller_takes_a_sample_rates_it_blind_and_reads_the_decision(
    open_screen: Callable[..., Screen], control: Control
):
    batch = control.finish("b1", LABELS)
    control.draw(batch)
    n_drawn = Inspection.objects.get().draws.count()
    screen = open_screen(control.cast.controller)
    page = screen.go(path("control"))
    assert screen.barriers() == ""
    page.get_by_role("link", name="b1").click()
    assert screen.barriers() == ""
    page.get_by_role("button", name="Check this sample").click()
    page.wait_for_url("**/work/**")
    for number in range(n_drawn):
        expect(page.locator("[data-progress-text]")).to_have_text(f"{number} of {n_drawn} steps")
        answer(page, "1")
    page.wait_for_url("**/submit/")
    page.get_by_role("button", name="Submit the batch").click()
    page.wait_for_url("**/thanks/")
    assert sweep_control(now=timezone.now()) == (0, 1)
    page.goto(path("control_inspection", Inspection.objects.get().pk))
    expect(page.get_by_role("heading", name="Batch b1, round 1")).to_contain_text("returned")
    expect(page.get_by_role("heading", name="Labels against the controller")).to_be_visible()
    expect(page.locator(".control-curve svg")).to_be_visible()
    assert Batch.objects.get(pk=batch.pk).round == 2


def test_the_curve_changes_with_the_form(open_screen: Callable[..., Screen], control: Control):
    page = open_screen(control.cast.researcher).go(path("control_plan"))
    before = page.locator("#curve .fig-path").get_attribute("points")
    page.get_by_label("Items drawn").fill("200")
    expect(page.locator("#curve .fig-path")).not_to_have_attribute("points", str(before))
    page.get_by_label("one by one until it is clear").check()
    expect(page.get_by_label("Items drawn")).to_be_hidden()
    page.locator("#curve summary").click()
    expect(page.locator("#curve")).to_contain_text("Items checked, on average")


@LOOKS
def test_no_page_of_control_has_barriers_and_each_fits(
    open_screen: Callable[..., Screen], control: Control, width: int, scheme: str
):
    Group.objects.create(study=control.cast.study, name="North")
    decided = decide(control)
    screen = open_screen(control.cast.owner, width=width, color_scheme=scheme)
    pages = {
        "overview": path("control"),
        "plan": path("control_plan"),
        "groups": path("control_groups"),
        "waiting": path("control_inspection", Inspection.objects.get(state="waiting").pk),
        "decision": path("control_inspection", decided.pk),
    }
    for name, address in pages.items():
        screen.go(address)
        assert screen.barriers() == "", name
        assert screen.page.evaluate("document.documentElement.scrollWidth") <= width, name
        screen.screenshot(SCREENSHOTS / f"{name}-{width}-{scheme}.png", full_page=True)


def decide(control: Control) -> Inspection:
    """Two batches that were decided, one in its second round, and one that waits."""
    control.plan.n_sample, control.plan.fewest_of_class, control.plan.top_up_to = 100, 10, 30
    control.plan.save()
    truth = [*LABELS[:-9], *["0"] * 9]
    bad = control.finish("north-01", LABELS, active_ms=40_000)
    control.check(control.draw(bad), ["2", "0", "1"] * 40)
    control.again(bad, LABELS)
    control.check(control.draw(bad), truth)
    good = control.check(control.draw(control.finish("north-02", LABELS)), truth)
    control.draw(control.finish("north-03", LABELS))
    return good


@pytest.mark.parametrize("width", [1280, 375])
def test_a_check_with_the_label_shown_has_no_barriers(open_screen: Callable[..., Screen], control: Control, width: int):
    control.plan.is_blind = False
    control.plan.save()
    inspection = control.draw(control.finish("b1", LABELS))
    screen = open_screen(control.cast.controller, width=width)
    page = screen.go(path("control_inspection", inspection.pk))
    page.get_by_role("button", name="Check this sample").click()
    expect(page.get_by_role("heading", name="Is the label right?")).to_be_visible()
    assert screen.barriers() == ""
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    screen.screenshot(SCREENSHOTS / f"check-{width}.png", full_page=True)
    page.get_by_role("button", name="Save and go on").click()
    expect(page.locator(".crumbs").last).to_contain_text("2 of")
