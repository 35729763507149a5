"""Marks and the list of items without JavaScript: fields of the step's form, and links."""

from uuid import UUID

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Assignment, ItemMark, MarkChange, Rating
from annotation.selectors.work import dialogue_page
from tests.annotation.work_pages import rate_url, sign_in, text_of
from tests.cast import Cast
from tests.factories import make_annotator, take_seat
from tests.marking import be_unsure, flag, make_skipping_batch

pytestmark = pytest.mark.django_db


def first_item(assignment: Assignment) -> UUID:
    """The item that the first step is about."""
    position = assignment.batch.items.order_by("position").values_list("position", flat=True)[0]
    return dialogue_page(assignment, position).steps[0].parts[0].item.token


def marks(assignment: Assignment, *, unsure: bool = False, reason: str = "", words: str = "", **more: str) -> dict:
    name = f"mark-{first_item(assignment)}"
    ticked = {f"{name}-unsure": "on"} if unsure else {}
    return {name: "1", f"{name}-reason": reason, f"{name}-words": words} | ticked | more


def stored() -> list[tuple]:
    return list(ItemMark.objects.values_list("is_unsure", "reason", "words"))


def test_marks_are_saved_with_the_answer_of_the_step(annotator: Client, assignment: Assignment):
    data = marks(assignment, unsure=True, reason="broken", words=" Cut off. ")
    response = annotator.post(rate_url(assignment), data | {"appropriateness-option": "1"})
    assert response.url == rate_url(assignment, 0, 2)
    assert (stored(), Rating.objects.count()) == ([(True, "broken", "Cut off.")], 1)
    assert ItemMark.objects.get().item.token == first_item(assignment)


def test_the_page_shows_ones_own_marks_and_nobody_elses(cast: Cast, annotator: Client, assignment: Assignment):
    item = assignment.batch.items.get(token=first_item(assignment))
    flag(take_seat(cast.annotators[1], cast.batch), item, "other", "Theirs alone.")
    assert "Theirs alone." not in text_of(annotator.get(rate_url(assignment)))
    flag(assignment, item, "other", "My own words.")
    assert "My own words.</textarea>" in text_of(annotator.get(rate_url(assignment)))


def test_what_the_form_leaves_as_it_is_makes_no_change(annotator: Client, assignment: Assignment):
    data = marks(assignment, reason="broken", form_key="5f1f6a5e-58d4-4c1c-9d0f-2f5f5b0c7d11")
    for _ in range(2):
        annotator.post(rate_url(assignment), data)
    assert MarkChange.objects.count() == 1


def test_a_form_without_the_fields_says_nothing_of_the_item(annotator: Client, assignment: Assignment):
    annotator.post(rate_url(assignment), marks(assignment, unsure=True, reason="broken"))
    annotator.post(rate_url(assignment), {"appropriateness-option": "1"})
    assert stored() == [(True, "broken", "")]


def test_marks_are_taken_back(annotator: Client, assignment: Assignment):
    annotator.post(rate_url(assignment), marks(assignment, unsure=True, reason="broken", words="Cut off."))
    annotator.post(rate_url(assignment), marks(assignment, words="Cut off."))
    assert stored() == [(False, "", "")]


def test_a_flag_that_lacks_its_words_comes_back_and_the_answer_is_saved(annotator: Client, assignment: Assignment):
    data = marks(assignment, unsure=True, reason="other") | {"appropriateness-option": "1"}
    response = annotator.post(rate_url(assignment), data)
    assert (response.status_code, Rating.objects.count(), stored()) == (422, 1, [(True, "", "")])
    page = text_of(response)
    assert page.count("Say in your own words what is wrong.") == 2, "on top, and beside the field"
    assert 'value="other" checked' in page


def test_marks_alone_are_saved_and_what_is_typed_stays_on_the_page(annotator: Client, assignment: Assignment):
    answer = {"appropriateness-option": "3", "appropriateness-text-3": "not yet"}
    response = annotator.post(rate_url(assignment), marks(assignment, unsure=True, only_marks="1") | answer)
    assert (response.status_code, stored(), Rating.objects.exists()) == (200, [(True, "", "")], False)
    page = text_of(response)
    assert "The marks are saved. Your answers on this page are not saved yet." in page
    assert "not yet</textarea>" in page


def test_an_item_of_another_step_is_not_marked(annotator: Client, assignment: Assignment):
    other = assignment.batch.items.exclude(token=first_item(assignment)).first()
    data = {f"mark-{other.token}": "1", f"mark-{other.token}-unsure": "on", "appropriateness-option": "1"}
    annotator.post(rate_url(assignment), data)
    assert stored() == []


def test_marks_without_a_seat_are_kept_and_the_page_says_how_to_go_on(cast: Cast, annotator: Client):
    assignment = take_seat(cast.annotator, cast.batch, minutes=-1)
    for more in ({"appropriateness-option": "1"}, {"only_marks": "1"}):
        response = annotator.post(rate_url(assignment), marks(assignment, unsure=True) | more)
        assert (response.status_code, "Take a seat again" in text_of(response)) == (409, True)
    assert stored() == [(True, "", "")]


def test_a_flagged_item_may_stay_without_an_answer_where_the_protocol_says_so():
    batch = make_skipping_batch()
    assignment = take_seat(make_annotator(batch.study, "skipper"), batch)
    client = sign_in(assignment.participant.user)
    first = client.get(reverse("rate_start", args=[assignment.token])).url
    response = client.post(first, marks(assignment, reason="broken"))
    assert (response.status_code, Rating.objects.exists()) == (302, False)
    assert client.post(response.url, {}).status_code == 422, "the next item is not flagged"


# --- the list of items -------------------------------------------------------------------------------------
def list_url(assignment: Assignment) -> str:
    return reverse("item_list", args=[assignment.token])


def test_the_list_links_every_item_with_its_state_and_marks(annotator: Client, assignment: Assignment):
    annotator.post(rate_url(assignment), {"appropriateness-option": "1"})
    be_unsure(assignment, assignment.batch.items.get(token=first_item(assignment)))
    page = text_of(annotator.get(list_url(assignment)))
    assert page.count("Response ") == 6
    assert (page.count("partly answered"), page.count("not answered"), page.count(">unsure<")) == (1, 5, 1)
    assert f'href="{rate_url(assignment, 1, 1)}"' in page


@pytest.mark.parametrize(("number", "place"), [("2", (1, 1)), ("2.3", (1, 3)), (" 1,2 ", (0, 2))])
def test_a_number_leads_to_its_item(annotator: Client, assignment: Assignment, number: str, place: tuple[int, int]):
    assert annotator.get(list_url(assignment), {"number": number}).url == rate_url(assignment, *place)


@pytest.mark.parametrize(
    ("number", "sentence"),
    [
        ("3", "There is no dialogue 3: this batch has dialogues 1 to 2."),
        ("0", "There is no dialogue 0: this batch has dialogues 1 to 2."),
        ("9" * 30, "Enter the number of a dialogue, such as 2, or of an item in a dialogue, such as 2.3."),
        ("1.0", "There is no item 1.0: there are 1.1 to 1.3."),
        ("1.4", "There is no item 1.4: there are 1.1 to 1.3."),
        ("x", "Enter the number of a dialogue, such as 2, or of an item in a dialogue, such as 2.3."),
        ("-1", "Enter the number of a dialogue, such as 2, or of an item in a dialogue, such as 2.3."),
    ],
)
def test_a_number_that_is_none_is_said(annotator: Client, assignment: Assignment, number: str, sentence: str):
    response = annotator.get(list_url(assignment), {"number": number})
    assert response.status_code == 422
    assert sentence in text_of(response)


def test_the_list_is_for_its_annotator_while_the_seat_is_held(cast: Cast, annotator: Client):
    assignment = take_seat(cast.annotator, cast.batch, minutes=-1)
    assert sign_in(cast.annotators[1].user).get(list_url(assignment)).status_code == 404
    assert annotator.get(list_url(assignment)).status_code == 409
