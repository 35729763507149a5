"""A scale of seven points, as it stands on the screen."""

from typing import Any

import pytest

from tests.browser.helpers import Screen, wait_for_step
from tests.browser.rating import begin, step
from tests.shipped import Work
from tests.sittings import LIKED

pytestmark = pytest.mark.django_db(transaction=True)
PROTOCOL = "dialogue-questionnaire-1.0"
NUMBERS = {"criteria": [LIKED], "translations": {}}


def rows(screen: Screen, work: Work) -> list[int]:
    """Return how many answers each row has. Each is a target for a finger, and cuts no word."""
    page = begin(screen, work.assignment)
    wait_for_step(page)
    choices = step(page).locator("fieldset[data-active] .choice").all()
    boxes = [choice.bounding_box() for choice in choices]
    assert min(box["height"] for box in boxes) >= 44
    assert not any(choice.evaluate("each => each.scrollWidth > each.clientWidth + 1") for choice in choices)
    tops = [round(box["y"]) for box in boxes]
    return [tops.count(top) for top in sorted(set(tops))]


@pytest.mark.parametrize(
    ("size", "changes", "wanted"),
    [
        ((1280, 800), {}, [7]),
        ((1024, 768), {}, [7]),
        ((375, 740), {}, [4, 3]),
        ((1280, 800), NUMBERS, [7]),
        ((375, 740), NUMBERS, [7]),
    ],
)
def test_seven_answers_stand_in_one_row_or_in_two_of_about_one_length(
    open_screen, size: tuple[int, int], changes: dict[str, Any], wanted: list[int]
):
    work = Work(PROTOCOL, 1, **changes)
    assert rows(open_screen(work.participant.user, width=size[0], height=size[1]), work) == wanted
