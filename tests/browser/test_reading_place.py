"""What somebody reads stays where it is on the screen while they answer questions about it."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from annotation.models import Candidate, Study
from protocols.services import store_bundle
from tests.browser.geometry import expect_seen
from tests.browser.helpers import Screen, wait_for_step
from tests.browser.rating import begin, press, step
from tests.clock import NOW
from tests.comparing import deal, make_scenarios
from tests.factories import make_annotator, take_seat
from tests.shipped import Work, bundle_of

pytestmark = pytest.mark.django_db(transaction=True)
SIZES = pytest.mark.parametrize("size", [(1280, 800), (375, 740)], ids=["desk", "phone"])
SENTENCE = "It depends on the year in which you bought it, and on what you use it for. "

TWO_FRAMES = """
() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))
"""


def place_of(read: Locator) -> float:
    return read.bounding_box()["y"]


def answer_all(page: Page, read: Locator, *keys: str) -> None:
    """Look, after each answer, whether what is read has moved."""
    before = place_of(read)
    for key in keys:
        asked = step(page).locator("fieldset[data-active]").get_attribute("data-criterion")
        press(page, key)
        expect(step(page).locator(f"fieldset[data-criterion={asked}] input:checked")).to_have_count(1)
        expect_settled(page)
        assert abs(place_of(read) - before) <= 1, f"it moved after the answer to {asked}"


def expect_settled(page: Page) -> None:
    """Two frames: the panes have their new sizes, and the script has heard of them."""
    page.evaluate(
        "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))"
    )


def make_long_pairs() -> Study:
    version = store_bundle(bundle_of("acute-eval-1.0-dialogues"), publish=True, now=NOW)[0]
    study = make_scenarios(2, 2, version=version)
    for dialogue in study.dialogues.all():
        dialogue.turns = [{"speaker": "AB"[at % 2], "text": f"Turn {at}. {SENTENCE * 4}"} for at in range(10)]
        dialogue.turns[-1]["text"] += dialogue.key
        dialogue.save()
    return study


@SIZES
def test_the_place_in_a_pair_of_dialogues_is_kept_with_every_answer(open_screen: Callable[..., Screen], size):
    study = make_long_pairs()
    person = make_annotator(study, "anna")
    page = begin(open_screen(person.user, width=size[0], height=size[1]), take_seat(person, deal(study)[0]))
    wait_for_step(page)
    read = page.locator(".judged:not([hidden]) .compared-side").nth(1).get_by_text("Turn 6.")
    read.scroll_into_view_if_needed()
    expect_settled(page)
    answer_all(page, read, "1", "2", "1", "2")
    press(page, "Enter")
    wait_for_step(page)
    expect_seen(page, "the next pair")


@SIZES
def test_the_place_in_a_long_response_is_kept_with_every_answer(open_screen: Callable[..., Screen], size):
    work = Work("persona-quality-1.0", 2, 1)
    Candidate.objects.update(text=SENTENCE * 60)
    page = begin(open_screen(work.participant.user, width=size[0], height=size[1]), work.assignment)
    wait_for_step(page)
    read = page.locator(".judged:not([hidden]) .turn.next")
    page.locator("[data-context]").evaluate("pane => pane.scrollTo(0, pane.scrollHeight * 0.6)")
    expect_settled(page)
    answer_all(page, read, "1", "1", "1")
    press(page, "Enter")
    wait_for_step(page)
    expect_seen(page, "the next response")
