"""A reader of the report asks what a statistic is, by keyboard or by touch, and reads it beside the table."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.utils import timezone
from playwright.sync_api import Locator, Page, expect

from annotation.models import Study
from annotation.services.agreement import sweep
from reporting.report.build import build_report
from tests.browser.helpers import LOOKS, Screen
from tests.factories import MembershipFactory
from tests.he_study import load_he_study
from tests.reporting.report.test_behaviours import rated_study
from tests.reporting.report.test_rankings import make_answered

pytestmark = pytest.mark.django_db(transaction=True)
NOW = timezone.now()
# Heads of columns that count things, each as its head says.
COUNTS = {
    *("Items", "Answers", "Annotators", "Batches", "Conversations", "Turn", "Marks", "Answers with marks"),
    *("Answers in common", "Answers in common on these", "Negative answers", "With a free text"),
    *("With a predefined reason only", "Pairs of annotators", "Pairs without a mark", "Ticked", "Active minutes"),
    *("A is preferred", "B is preferred", "Equal", "Other answers", "Identical texts, not shown"),
    *("Utterances", "Tokens", "Tokens per dialogue", "Tokens per utterance", "Dialogues", "Share"),
    *("Parley", "krippendorff"),  # the two programs that compute alpha
}
# Return the heads of columns with numbers that are no button, in tables without a line of terms above them.
UNEXPLAINED = """() => [...document.querySelectorAll('main .scroll > table.striped')]
    .filter(table => !table.parentElement.previousElementSibling?.querySelector('.term'))
    .flatMap(table => [...table.querySelectorAll('thead th.number')])
    .filter(head => !head.querySelector('.term')).map(head => head.textContent.trim())"""


def sample(_folder: Path) -> Study:
    study = load_he_study(now=NOW, equivalence_margin=10)
    sweep(now=NOW)
    build_report(study, now=NOW)  # its models take seconds, which a worker spends before anybody looks
    return study


def ticked(folder: Path) -> Study:
    study = rated_study(folder)
    sweep(now=NOW)
    return study


def compared(_folder: Path) -> Study:
    return make_answered()


def report_of(study: Study, open_screen: Callable[..., Screen], **look: object) -> Screen:
    screen = open_screen(MembershipFactory(study=study, role="owner").user, **look)
    screen.go(f"/studies/{study.slug}/report/")
    return screen


@pytest.mark.parametrize("make", [sample, ticked, compared])
def test_every_statistic_at_the_head_of_a_column_is_explained(
    make: Callable[[Path], Study], open_screen: Callable[..., Screen], tmp_path: Path
):
    page = report_of(make(tmp_path), open_screen).page
    assert page.locator("thead .term").count() >= 10
    assert set(page.evaluate(UNEXPLAINED)) - COUNTS == set()


@LOOKS
def test_a_statistic_is_explained_by_keyboard_and_by_tap(open_screen: Callable[..., Screen], width: int, scheme: str):
    screen = report_of(sample(Path()), open_screen, width=width, color_scheme=scheme, has_touch=True)
    page = screen.page
    head = page.get_by_role("columnheader", name="p, Holm").first.get_by_role("button")
    note = page.get_by_role("dialog", name="p, Holm")
    expect(note).to_be_hidden()
    head.focus()
    page.keyboard.press("Enter")
    assert_readable(note, page)
    assert screen.barriers() == ""
    page.keyboard.press("Escape")
    expect(note).to_be_hidden()
    expect(head).to_be_focused()
    head.tap()
    assert_readable(note, page)
    note.get_by_role("button", name="Close").tap()
    expect(note).to_be_hidden()


def assert_readable(note: Locator, page: Page) -> None:
    expect(note).to_be_visible()
    expect(note).to_contain_text("corrected by Holm's method")
    expect(note).to_contain_text("docs/statistics.md, section “Sources in any design: the mixed model”")
    box, (width, height) = note.bounding_box(), page.evaluate("[innerWidth, innerHeight]")
    assert box is not None
    assert box["x"] >= 0
    assert box["y"] >= 0
    assert box["x"] + box["width"] <= width
    assert box["y"] + box["height"] <= height
    assert note.evaluate("each => each.scrollHeight <= each.clientHeight"), "all of it is shown"


def test_on_a_desk_an_explanation_stands_beside_the_head_that_was_asked(open_screen: Callable[..., Screen]):
    page = report_of(sample(Path()), open_screen).page
    note = page.get_by_role("dialog", name="Effect size")
    for head in (page.get_by_role("columnheader", name="Effect size").nth(place) for place in (0, 1)):
        head.get_by_role("button").click()
        expect(note).to_be_visible()
        at, box = head.get_by_role("button").bounding_box(), note.bounding_box()
        assert at is not None
        assert box is not None
        gap = max(box["y"] - at["y"] - at["height"], at["y"] - box["y"] - box["height"])
        assert 0 <= gap < 30
        page.keyboard.press("Escape")
