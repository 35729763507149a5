"""Marks on items: what is taken, what is refused, and that none is lost or given twice."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Assignment, ItemMark, MarkChange, Rating, Study
from tests.annotation.work_pages import sign_in
from tests.cast import Cast
from tests.factories import make_batch, take_seat

pytestmark = pytest.mark.django_db


def mark(assignment: Assignment, /, **changes: object) -> dict:
    item = assignment.batch.items.order_by("pk").first()
    return {
        "assignment": str(assignment.token),
        "item": str(item.token),
        "mark": "flag",
        "is_set": True,
        "reason": "broken",
        "words": "",
        "client_key": str(uuid4()),
        "age_ms": 0,
    } | changes


def send(client: Client, body: object):
    return client.post(reverse("api_marks"), body, content_type="application/json")


def error_of(response) -> dict:
    return response.json()["error"]


def test_a_flag_is_saved_acknowledged_and_no_answer(annotator: Client, assignment: Assignment):
    response = send(annotator, mark(assignment, words=" The last line is cut off. "))
    assert (response.status_code, response.json()["is_repeat"]) == (200, False)
    assert set(response.json()) == {"is_repeat", "saved_at"}
    stored = ItemMark.objects.get()
    assert (stored.reason, stored.words, stored.is_unsure) == ("broken", "The last line is cut off.", False)
    assert not Rating.objects.exists()


def test_a_flag_is_taken_back_and_its_history_stays(annotator: Client, assignment: Assignment):
    send(annotator, mark(assignment))
    assert send(annotator, mark(assignment, is_set=False)).status_code == 200
    assert ItemMark.objects.get().reason == ""
    assert list(MarkChange.objects.order_by("pk").values_list("is_set", "reason")) == [(True, "broken"), (False, "")]


def test_unsure_is_switched_on_and_off_and_leaves_the_flag(annotator: Client, assignment: Assignment):
    send(annotator, mark(assignment))
    send(annotator, mark(assignment, mark="unsure"))
    assert (ItemMark.objects.get().is_unsure, ItemMark.objects.get().reason) == (True, "broken")
    send(annotator, mark(assignment, mark="unsure", is_set=False))
    assert (ItemMark.objects.get().is_unsure, ItemMark.objects.get().reason) == (False, "broken")


def test_the_same_request_twice_is_one_mark(annotator: Client, assignment: Assignment):
    body = mark(assignment)
    send(annotator, body)
    assert send(annotator, body).json()["is_repeat"] is True
    assert MarkChange.objects.count() == 1


def test_a_repeat_that_comes_after_the_flag_was_taken_back_does_not_flag_again(annotator: Client, assignment):
    body = mark(assignment)
    send(annotator, body)
    send(annotator, mark(assignment, is_set=False))
    send(annotator, body)
    assert ItemMark.objects.get().reason == ""


def test_a_mark_held_offline_does_not_replace_a_newer_one(annotator: Client, assignment: Assignment):
    send(annotator, mark(assignment, is_set=False))
    send(annotator, mark(assignment, age_ms=60_000))
    assert ItemMark.objects.get().reason == ""
    assert MarkChange.objects.count() == 2


def test_the_time_of_a_flag_is_reckoned_back_from_its_age(annotator: Client, assignment: Assignment):
    send(annotator, mark(assignment, age_ms=3_600_000))
    assert timedelta(minutes=59) < timezone.now() - ItemMark.objects.get().flagged_at < timedelta(minutes=61)


def test_another_reason_needs_words(annotator: Client, assignment: Assignment):
    response = send(annotator, mark(assignment, reason="other", words="  "))
    assert (response.status_code, list(error_of(response)["fields"])) == (400, ["words"])
    assert not ItemMark.objects.exists()
    assert send(annotator, mark(assignment, reason="other", words="It is an advert.")).status_code == 200


def test_a_flag_without_a_reason_is_refused(annotator: Client, assignment: Assignment):
    response = send(annotator, mark(assignment, reason=""))
    assert (response.status_code, list(error_of(response)["fields"])) == (400, ["reason"])
    assert not ItemMark.objects.exists()


def test_a_mark_after_the_lease_is_kept_and_refused_with_the_way_on(cast: Cast, annotator: Client):
    response = send(annotator, mark(take_seat(cast.annotator, cast.batch, minutes=-1)))
    assert (response.status_code, error_of(response)["code"], error_of(response)["kept"]) == (
        409, "lease_expired", True,
    )  # fmt: skip
    assert ItemMark.objects.get().reason == "broken"


@pytest.mark.parametrize("status", ["submitted", "excluded"])
def test_no_mark_is_taken_once_the_work_is_over(annotator: Client, assignment: Assignment, status: str):
    Assignment.objects.update(status=status, submitted_at=timezone.now())
    response = send(annotator, mark(assignment))
    assert (response.status_code, error_of(response)["code"]) == (409, status)
    assert not ItemMark.objects.exists()


def test_no_mark_is_taken_in_a_closed_study(annotator: Client, assignment: Assignment):
    Study.objects.update(status="closed")
    response = send(annotator, mark(assignment))
    assert (response.status_code, error_of(response)["code"]) == (409, "closed")


def test_no_mark_is_taken_before_the_consent(annotator: Client, assignment: Assignment):
    Study.objects.update(consent_text="We keep what you answer.", consent_version="2")
    response = send(annotator, mark(assignment))
    assert (response.status_code, error_of(response)["code"]) == (409, "consent_needed")
    assert not ItemMark.objects.exists()


def test_an_item_of_another_batch_is_refused(cast: Cast, annotator: Client, assignment: Assignment):
    other = make_batch(cast.study, position=1).items.first()
    response = send(annotator, mark(assignment, item=str(other.token)))
    assert (response.status_code, error_of(response)["code"]) == (409, "unknown_item")
    assert not ItemMark.objects.exists()


@pytest.mark.parametrize("who", ["owner", "researcher", "lead", "controller", "observer", "stranger"])
def test_nobody_else_marks_for_the_annotator(cast: Cast, assignment: Assignment, who: str):
    assert send(sign_in(getattr(cast, who)), mark(assignment)).status_code == 404
    assert not ItemMark.objects.exists()


def test_another_annotator_marks_neither_for_nor_over_the_annotator(cast: Cast, assignment: Assignment):
    assert send(sign_in(cast.annotators[1].user), mark(assignment)).status_code == 404
    own = take_seat(cast.annotators[1], cast.batch)
    send(sign_in(cast.annotators[1].user), mark(own))
    assert list(ItemMark.objects.values_list("assignment", flat=True)) == [own.pk]


def test_a_session_needs_the_csrf_token(cast: Cast, assignment: Assignment):
    client = Client(enforce_csrf_checks=True)
    client.force_login(cast.annotator.user)
    assert send(client, mark(assignment)).status_code == 403
    assert not ItemMark.objects.exists()


FIELDS = ["assignment", "item", "mark", "is_set", "reason", "words", "client_key", "age_ms"]
WRONG_TYPES = [None, [], {}, 10**40, -1, 1.5, "\x00", "x" * 30_000, "é", "00000000-0000-0000-0000-00000000000g"]


@pytest.mark.parametrize("field", FIELDS)
def test_no_malformed_value_is_an_error_of_the_server(annotator: Client, assignment: Assignment, field: str):
    responses = {repr(value): send(annotator, mark(assignment, **{field: value})) for value in WRONG_TYPES}
    assert {value: each.status_code for value, each in responses.items() if each.status_code >= 500} == {}


def test_no_page_of_an_annotator_shows_the_marks_of_another(cast: Cast, annotator: Client, assignment: Assignment):
    other = take_seat(cast.annotators[1], cast.batch)
    send(sign_in(cast.annotators[1].user), mark(other, reason="other", words="Xylophones everywhere"))
    for name in ("rate", "submit"):
        place = [assignment.token, 0, 1] if name == "rate" else [assignment.token]
        assert "Xylophones" not in annotator.get(reverse(name, args=place)).content.decode()
