"""Two candidates compared as somebody rates them: by arrows, digits and pointer, on a desk and on a phone."""

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from annotation.models import Assignment, Candidate, Rating
from annotation.services.claiming import claim_seat
from tests.browser.conftest import SCREENSHOTS
from tests.browser.geometry import expect_seen, watch
from tests.browser.helpers import wait_for_step
from tests.browser.rating import begin, press, step
from tests.comparing import deal, make_study
from tests.factories import make_annotator
from tests.wait import wait_until

pytestmark = pytest.mark.django_db(transaction=True)
SIDES = ".judged:not([hidden]) .compared-side"


@pytest.fixture
def begun() -> Assignment:
    study = make_study(3, 2)
    (batch,) = deal(study)
    return claim_seat(make_annotator(study, "anna"), batch, now=timezone.now())


def texts(page: Page) -> list[str]:
    """The candidates as they stand on screen, the left or upper one first."""
    boxes = [(side.bounding_box(), side.inner_text()) for side in page.locator(SIDES).all()]
    return [text.split("\n")[-1] for box, text in sorted(boxes, key=lambda each: (each[0]["y"] // 40, each[0]["x"]))]


def preferred() -> dict[int, str]:
    """{place of the dialogue: the text of the candidate that is stored as better, or the option}."""
    found = {}
    for rating in Rating.objects.select_related("item", "option"):
        shown = {"left": rating.item.shown[0], "right": rating.item.shown[1]}.get(rating.option.role)
        found[rating.item.position] = Candidate.objects.get(pk=shown).text if shown else rating.option.key
    return found


@pytest.mark.journey
@pytest.mark.parametrize("size", [(1280, 800), (900, 700), (375, 740)], ids=lambda size: f"{size[0]}px")
def test_what_is_chosen_is_stored_for_the_candidate_that_stood_there(open_screen, begun: Assignment, size):
    screen = open_screen(begun.participant.user, width=size[0], height=size[1])
    watch(screen.page)
    page = begin(screen, begun)
    read: dict[int, list[str]] = {}
    for place, key in ((1, "ArrowLeft"), (2, "ArrowRight"), (3, "ArrowDown")):
        wait_for_step(page)
        expect_seen(page, f"comparison {place}")
        left, right = (side.bounding_box() for side in page.locator(SIDES).all())
        if size[0] >= 900:
            assert left["y"] == right["y"]
            assert left["x"] + left["width"] <= right["x"]
        else:
            assert left["y"] + left["height"] <= right["y"]
        read[place] = texts(page)
        screen.keep_picture(SCREENSHOTS / f"comparison-{size[0]}-{place}.png")
        press(page, key)
        expect(step(page).locator("input:checked")).to_have_count(1)
        if place == 1:
            assert screen.barriers() == ""
        press(page, "Enter")
    wait_until(lambda: len(preferred()) == 3, what="three answers")
    assert preferred() == {1: read[1][0], 2: read[2][1], 3: "equal"}
