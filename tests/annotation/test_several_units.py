"""A protocol that asks about responses and about the whole dialogue: the order of its criteria is the order of work."""

from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.models import Assignment, Item
from annotation.selectors.guidelines import sections_of
from annotation.selectors.item_states import strip_of
from annotation.selectors.progress import read_progress
from annotation.selectors.review import reviewed_items, reviewed_states
from annotation.selectors.work import dialogue_page, missing_step
from annotation.steps import Step
from protocols.services import store_bundle
from qualification.qualifying.services.training import make_training
from tests.annotation.work_pages import heading_of, rate_url, sign_in, text_of
from tests.clock import NOW
from tests.factories import UserFactory
from tests.sittings import AROUND, AT_THE_END, FIRST, TURNS, begin_conversation, make_conversation, sitting

pytestmark = pytest.mark.django_db
ORDERS = [
    (AT_THE_END, ["behaviours", "liked, clear"]),
    (FIRST, ["liked, clear", "behaviours"]),
    (AROUND, ["liked", "behaviours", "clear"]),
]
every_order = pytest.mark.parametrize(("criteria", "wanted"), ORDERS)


def asked(step: Step) -> str:
    return ", ".join(question.criterion.key for _, question in step.questions)


def work_of(assignment: Assignment) -> list[tuple[int, str]]:
    """(turns to read, what is asked) from the first step to the last."""
    positions = sorted(set(assignment.batch.items.values_list("position", flat=True)))
    pages = [dialogue_page(assignment, position) for position in positions]
    return [(len(page.turns), asked(step)) for page in pages for step in page.steps]


@every_order
def test_the_last_turn_asks_in_the_order_of_the_criteria(criteria: list[dict[str, Any]], wanted: list[str]):
    assignment = begin_conversation(criteria)
    turns = [(1, "behaviours"), (3, "behaviours")]
    assert work_of(assignment) == [*turns, *((5, each) for each in wanted)]


@every_order
def test_steps_are_counted_as_they_are_shown(criteria: list[dict[str, Any]], wanted: list[str]):
    assignment = begin_conversation(criteria)
    progress = read_progress(assignment)
    assert (progress.n_steps_done, progress.n_steps) == (0, 2 + len(wanted))


@every_order
def test_the_strip_leads_from_each_item_to_the_steps_that_ask_about_it(criteria: list, wanted: list[str]):
    strip = strip_of(begin_conversation(criteria))
    *_, (_, shape, *_) = strip["screens"]
    found = {strip["units"][at]: steps for at, steps in strip["shapes"][shape]}
    steps = list(enumerate(wanted, start=1))
    assert found == {
        "response": [at for at, keys in steps if keys == "behaviours"],
        "dialogue": [at for at, keys in steps if keys != "behaviours"],
    }


@every_order
def test_the_guidelines_and_the_preview_keep_the_order(client, criteria: list, wanted: list[str]):
    version, _ = store_bundle(sitting(criteria), publish=True, now=NOW)
    assert [each.criterion.key for each in sections_of(version)] == [each["key"] for each in criteria]
    client.force_login(UserFactory(is_staff=True, is_superuser=True))
    page = client.get(reverse("protocol_preview", args=["sitting", "1.0"]))
    shown = [asked(step) for step in page.context["page"].steps]
    assert list(dict.fromkeys(shown)) == wanted


@every_order
def test_the_review_shows_items_and_answers_in_the_order_of_the_work(criteria: list, wanted: list[str]):
    assignment = begin_conversation(criteria)
    states = [each for each in reviewed_states(assignment) if each.position == 3]
    items = reviewed_items(assignment, states)
    assert [each.state.unit for each in items] == list(dict.fromkeys(each.get("unit", "response") for each in criteria))
    answers = sorted((answer.step, answer.criterion.key) for each in items for answer in each.answers)
    assert answers == sorted((at, key) for at, keys in enumerate(wanted, start=1) for key in keys.split(", "))


@every_order
def test_items_are_stored_in_the_order_of_the_units(criteria: list, wanted: list[str]):
    assignment = begin_conversation(criteria)
    last = assignment.batch.items.filter(position=3).order_by("pk").values_list("unit", flat=True)
    assert list(last) == list(dict.fromkeys(each.get("unit", "response") for each in criteria))


@every_order
def test_what_is_missing_is_found_step_by_step(criteria: list[dict[str, Any]], wanted: list[str]):
    assignment = begin_conversation(criteria)
    client, seen = sign_in(assignment.participant.user), []
    while found := missing_step(assignment):
        page, step = found
        seen.append((len(page.turns), asked(step)))
        given = {f"{key}-option": "1" for key in asked(step).split(", ")}  # of the optional question: none
        assert client.post(rate_url(assignment, page.position, step.number), given).status_code == 302
    assert seen == work_of(assignment)
    assert read_progress(assignment).n_steps_left == 0


# --- a whole dialogue of its own ------------------------------------------------------------------------
def with_whole(criteria: list[dict[str, Any]]) -> Assignment:
    return begin_conversation(criteria, whole=[*TURNS, {"speaker": "B", "text": "the last answer."}])


@pytest.mark.parametrize(
    ("criteria", "wanted"),
    [
        (AT_THE_END, [(1, "behaviours"), (3, "behaviours"), (5, "behaviours"), (6, "liked, clear")]),
        (FIRST, [(6, "liked, clear"), (1, "behaviours"), (3, "behaviours"), (5, "behaviours")]),
        (AROUND, [(1, "behaviours"), (3, "behaviours"), (5, "behaviours"), (6, "liked"), (6, "clear")]),
    ],
)
def test_a_whole_dialogue_that_is_asked_about_first_is_read_first(criteria: list, wanted: list[tuple[int, str]]):
    assert work_of(with_whole(criteria)) == wanted


def test_turns_of_a_dialogue_that_was_read_as_a_whole_are_not_called_new():
    assignment = with_whole(FIRST)
    client = sign_in(assignment.participant.user)
    for position in (1, 2, 3, 4):
        page = text_of(client.get(rate_url(assignment, position)))
        turn = f"turn {position - 1} of 3" if position > 1 else "as a whole"
        assert heading_of(page) == f"Conversation 1 of 1 · {turn}"
        assert "New since the last page" not in page


# --- training -------------------------------------------------------------------------------------------
@every_order
def test_training_asks_each_example_about_its_own_unit(criteria: list, wanted: list[str]):
    study = make_conversation(criteria)
    (batch,) = make_training(study, by=UserFactory(), now=timezone.now())
    items = Item.objects.filter(batch=batch).order_by("unit").values_list("unit", "asks")
    assert list(items) == [("dialogue", ["liked"]), ("response", ["behaviours"])]
    assert batch.n_items == 2
