"""Annotators over time in a browser: the table refreshes automatically, works by keyboard, and fits every window."""

import re
from collections.abc import Callable

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from annotation.models import Study
from annotation.services.agreement import refresh_batch, sweep
from annotation.services.claiming import claim_seat
from tests.browser.helpers import LOOKS, Screen
from tests.cast import Cast, make_cast
from tests.drifting import make_drifting_study
from tests.factories import HeartbeatFactory
from tests.working import rate_everything

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def cast() -> Cast:
    HeartbeatFactory()
    cast = make_cast()
    make_drifting_study(cast, now=timezone.now())
    sweep(now=timezone.now())
    return cast


def open_quality(open_screen: Callable[..., Screen], cast: Cast, query: str = "", **options: object) -> Screen:
    screen = open_screen(cast.lead, **options)
    screen.go(reverse("board_quality", args=[cast.study.slug]) + query)
    return screen


def test_the_page_keeps_itself_new_and_the_focus_stays(open_screen: Callable[..., Screen], cast: Cast):
    page = open_quality(open_screen, cast).page
    page.evaluate("window.isSamePage = true")
    figure = page.locator("#board-people .figure").nth(3)
    figure.focus()
    name = figure.get_attribute("id")
    assignment = claim_seat(cast.annotators[0], cast.batch, now=timezone.now())
    rate_everything(assignment, now=timezone.now())
    refresh_batch(cast.batch.pk, now=timezone.now())
    expect(page.locator("#board-people tbody tr")).to_have_count(8)
    assert page.evaluate("document.activeElement.id") == name
    assert page.evaluate("window.isSamePage") is True


def test_arrow_keys_move_in_each_table_and_numbers_explain_themselves(open_screen: Callable[..., Screen], cast: Cast):
    page = open_quality(open_screen, cast).page
    for table in ("#board-people", "#board-batch-drift"):
        figures = page.locator(f"{table} .figure")
        assert figures.evaluate_all("(all) => all.filter((each) => each.tabIndex === 0).length") == 1
        figures.first.focus()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowRight")
        name = page.evaluate("document.activeElement.getAttribute('aria-describedby')")
        expect(page.locator(f"[id='{name}']")).to_be_visible()
    expect(page.locator(f"[id='{name}']")).to_contain_text("Kappa of the batch")


def test_the_course_of_another_annotator_is_a_choice_away(open_screen: Callable[..., Screen], cast: Cast):
    page = open_quality(open_screen, cast).page
    page.get_by_label("Annotator over time", exact=True).select_option("drifter")
    expect(page.locator("#board-course-note")).to_contain_text("drifter: agreement")
    expect(page.locator("#board-course-note")).to_contain_text("Alarm at answer")
    expect(page.locator("#board-course svg .fig-alarm")).to_be_visible()
    expect(page).to_have_url(re.compile(r"\?annotator=drifter$"))


def test_the_ewma_is_a_choice_away_and_its_facts_explain_themselves(open_screen: Callable[..., Screen], cast: Cast):
    page = open_quality(open_screen, cast, "?annotator=drifter").page
    expect(page.locator("#board-course-note")).to_contain_text("A CUSUM")
    page.get_by_label("Control chart", exact=True).select_option("ewma")
    expect(page.locator("#board-course-note")).to_contain_text("An EWMA")
    expect(page.locator("#board-course svg .fig-beyond").first).to_be_visible()
    expect(page).to_have_url(re.compile(r"\?annotator=drifter&chart=ewma$"))
    page.locator("#board-course-note .figure").first.focus()
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    name = page.evaluate("document.activeElement.getAttribute('aria-describedby')")
    expect(page.locator(f"[id='{name}']")).to_contain_text("Alarm when the moving share is")
    page.reload()
    expect(page.get_by_label("Control chart", exact=True)).to_have_value("ewma")


@LOOKS
def test_the_page_has_no_barriers_and_fits_the_window(
    open_screen: Callable[..., Screen], cast: Cast, width: int, scheme: str
):
    Study.objects.filter(pk=cast.study.pk).update(kappa_floor=0.3)
    screen = open_quality(open_screen, cast, "?annotator=drifter&chart=ewma", width=width, color_scheme=scheme)
    expect(screen.page.locator("#board-people")).to_contain_text("below the threshold")
    assert screen.barriers() == ""
    assert screen.page.evaluate("document.documentElement.scrollWidth") <= width
    screen.page.locator("#board-people .figure").nth(4).focus()
    assert screen.page.evaluate("document.documentElement.scrollWidth") <= width


def test_an_empty_page_has_no_barriers(open_screen: Callable[..., Screen]):
    cast = make_cast()
    assert open_quality(open_screen, cast).barriers() == ""
