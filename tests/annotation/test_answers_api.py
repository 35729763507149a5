"""The hot path: what it takes, what it refuses, and that nothing entered is lost."""

import json
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db.models import F
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Assignment, Item, Rating, RatingRevision, Reading, Study
from tests.cast import Cast
from tests.factories import make_batch, take_seat
from tests.shipped import Work

pytestmark = pytest.mark.django_db


@pytest.fixture
def assignment(cast: Cast) -> Assignment:
    return take_seat(cast.annotator, cast.batch)


@pytest.fixture
def client_of(cast: Cast):
    def make(user) -> Client:
        client = Client()
        client.force_login(user)
        return client

    return make


@pytest.fixture
def annotator(cast: Cast, client_of) -> Client:
    return client_of(cast.annotator.user)


def answer(assignment: Assignment, /, **changes: object) -> dict:
    item = Item.objects.filter(batch=assignment.batch).order_by("pk").first()
    return {
        "assignment": str(assignment.token),
        "item": str(item.token),
        "criterion": "appropriateness",
        "option": "1",
        "explanations": ["a"],
        "free_text": "",
        "client_key": str(uuid4()),
        "age_ms": 0,
        "active_ms": 1200,
    } | changes


def send(client: Client, body: object):
    return client.post(reverse("api_answers"), body, content_type="application/json")


def error_of(response) -> dict:
    return response.json()["error"]


def test_an_answer_is_saved_and_acknowledged(annotator: Client, assignment: Assignment):
    response = send(annotator, answer(assignment))
    assert response.status_code == 200, response.content
    body = response.json()
    assert (body["revision"], body["is_repeat"], body["is_counted"]) == (1, False, True)
    assert body["saved_at"]
    rating = Rating.objects.get()
    assert (rating.option.key, rating.active_ms, len(rating.explanations)) == ("appropriate", 1200, 1)


def test_the_same_request_twice_is_one_answer(annotator: Client, assignment: Assignment):
    body = answer(assignment)
    send(annotator, body)
    again = send(annotator, body).json()
    assert (again["revision"], again["is_repeat"]) == (1, True)
    assert RatingRevision.objects.count() == 1


def test_a_changed_answer_is_a_revision_and_the_old_one_stays(annotator: Client, assignment: Assignment):
    send(annotator, answer(assignment))
    assert send(annotator, answer(assignment, option="2", explanations=[])).json()["revision"] == 2
    assert Rating.objects.get().option.key == "not-appropriate"
    assert [each.option.key for each in RatingRevision.objects.order_by("number")] == ["appropriate", "not-appropriate"]


def test_the_time_of_an_answer_is_reckoned_back_from_its_age(annotator: Client, assignment: Assignment):
    send(annotator, answer(assignment, age_ms=3_600_000))
    assert timedelta(minutes=59) < timezone.now() - Rating.objects.get().answered_at < timedelta(minutes=61)


def test_an_answer_held_offline_does_not_replace_a_newer_one(annotator: Client, assignment: Assignment):
    send(annotator, answer(assignment, option="2", explanations=[]))
    send(annotator, answer(assignment, age_ms=60_000))
    assert Rating.objects.get().option.key == "not-appropriate"
    assert RatingRevision.objects.count() == 2


def test_an_answer_after_the_lease_is_kept_and_refused_with_the_way_on(cast: Cast, annotator: Client):
    response = send(annotator, answer(take_seat(cast.annotator, cast.batch, minutes=-1)))
    assert response.status_code == 409
    assert error_of(response)["code"] == "lease_expired"
    assert error_of(response)["kept"] is True
    assert Rating.objects.count() == 1


def test_an_answer_after_submission_is_refused_and_not_kept(annotator: Client, assignment: Assignment):
    Assignment.objects.update(status="submitted", submitted_at=timezone.now())
    response = send(annotator, answer(assignment))
    assert (response.status_code, error_of(response)["code"]) == (409, "submitted")
    assert "kept" not in error_of(response)
    assert not Rating.objects.exists()


def test_nothing_is_taken_before_the_consent(cast: Cast, annotator: Client, assignment: Assignment):
    Study.objects.update(consent_text="We keep what you answer.", consent_version="2")
    response = send(annotator, answer(assignment))
    assert (response.status_code, error_of(response)["code"]) == (409, "consent_needed")
    assert not Rating.objects.exists()


def test_an_unsure_answer_without_a_reason_names_the_field(annotator: Client, assignment: Assignment):
    response = send(annotator, answer(assignment, option="3", explanations=[]))
    assert response.status_code == 400
    assert list(error_of(response)["fields"]) == ["free_text"]


def test_other_needs_a_text_and_a_text_alone_is_taken(annotator: Client, assignment: Assignment):
    ticked = {"option": "2", "explanations": ["a"], "other": True}
    response = send(annotator, answer(assignment, **ticked))
    assert (response.status_code, list(error_of(response)["fields"])) == (400, ["free_text"])
    assert send(annotator, answer(assignment, **ticked, free_text="It mixes two stories.")).status_code == 200
    assert send(annotator, answer(assignment, option="2", free_text="It mixes up names.")).status_code == 200
    assert Rating.objects.get().free_text == "It mixes up names."


def test_an_explanation_of_another_option_is_refused(annotator: Client, assignment: Assignment):
    response = send(annotator, answer(assignment, explanations=["z"]))
    assert (response.status_code, list(error_of(response)["fields"])) == (400, ["explanations"])


@pytest.mark.parametrize("who", ["owner", "researcher", "lead", "controller", "observer", "stranger"])
def test_nobody_else_can_answer_for_the_annotator(cast: Cast, client_of, assignment: Assignment, who: str):
    assert send(client_of(getattr(cast, who)), answer(assignment)).status_code == 404
    assert not Rating.objects.exists()


def test_another_annotator_cannot_answer_for_the_annotator(cast: Cast, client_of, assignment: Assignment):
    assert send(client_of(cast.annotators[1].user), answer(assignment)).status_code == 404


def test_who_is_not_signed_in_is_told_so(assignment: Assignment):
    assert send(Client(), answer(assignment)).status_code in {401, 403}


def test_a_session_needs_the_csrf_token(cast: Cast, assignment: Assignment):
    client = Client(enforce_csrf_checks=True)
    client.force_login(cast.annotator.user)
    assert send(client, answer(assignment)).status_code == 403
    assert not Rating.objects.exists()


def test_an_item_of_another_batch_is_refused(cast: Cast, annotator: Client, assignment: Assignment):
    other = make_batch(cast.study, position=1).items.first()
    response = send(annotator, answer(assignment, item=str(other.token)))
    assert (response.status_code, error_of(response)["code"]) == (409, "unknown_item")


WRONG_TYPES = [None, [], {}, 10**40, -1, 1.5, True, "\x00", "x" * 30_000, "é", "00000000-0000-0000-0000-00000000000g"]


FIELDS = ["assignment", "item", "criterion", "option", "explanations", "free_text", "client_key", "age_ms", "active_ms"]


@pytest.mark.parametrize("field", FIELDS)
def test_no_malformed_value_is_an_error_of_the_server(annotator: Client, assignment: Assignment, field: str):
    responses = {repr(value): send(annotator, answer(assignment, **{field: value})) for value in WRONG_TYPES}
    assert {value: each.status_code for value, each in responses.items() if each.status_code >= 500} == {}


@pytest.mark.parametrize(
    "body",
    ["", "null", "[]", "7", '"x"', "{", "[" * 200_000, '{"option": "\\ud800"}', '{"a":' * 50_000, "9" * 5000, "\xff"],
    ids=lambda body: body[:8],
)
def test_no_malformed_body_is_an_error_of_the_server(annotator: Client, body: str):
    response = send(annotator, body.encode("latin-1"))
    assert response.status_code == 400
    assert set(error_of(response)) >= {"code", "message", "fields"}


@pytest.mark.parametrize("field", ["criterion", "option", "free_text"])
def test_half_a_character_is_refused(annotator: Client, assignment: Assignment, field: str):
    body = json.dumps(answer(assignment) | {field: "\ud800"})  # as \ud800, which is valid JSON for half a character
    assert send(annotator, body).status_code == 400


def test_a_body_without_end_is_refused(annotator: Client, assignment: Assignment):
    assert send(annotator, b'"' + b"x" * (1024 * 1024)).status_code == 400


def test_a_saved_answer_costs_a_fixed_number_of_queries(
    cast: Cast, annotator: Client, assignment: Assignment, django_assert_max_num_queries
):
    send(annotator, answer(assignment))
    with django_assert_max_num_queries(11):  # session, user, assignment, savepoints, lock, item, two inserts, counter
        assert send(annotator, answer(assignment, criterion="listening", explanations=[])).status_code == 200


def test_the_answer_to_the_browser_names_no_row(annotator: Client, assignment: Assignment):
    body = send(annotator, answer(assignment)).json()
    assert set(body) == {"revision", "is_repeat", "is_counted", "saved_at"}


def test_an_answer_given_offline_starts_the_clock_of_its_dialogue_and_is_taken_after_it(db, client_of):
    work = Work("diqad-1.0", n_dialogues=2, reading_seconds=300)
    client = client_of(work.participant.user)
    one, two = ({"assignment": str(work.assignment.token), "item": str(item.token), "criterion": "knowledge",
                 "option": "1", "client_key": str(uuid4())} for item in work.items("dialogue"))  # fmt: skip
    waits = [error_of(send(client, body)) for body in (one, two)]
    assert [wait["code"] for wait in waits] == ["too_soon"] * 2
    assert [round(wait["seconds"] / 300) for wait in waits] == [1, 2]
    Reading.objects.update(opened_at=F("opened_at") - timedelta(seconds=301))
    assert send(client, one).status_code == 200
    assert error_of(send(client, two))["code"] == "too_soon"


def test_none_beside_another_reason_is_refused(db, client_of):
    work = Work("diqad-1.0", n_dialogues=1).has_read_all()
    item = work.items("dialogue")[0]
    body = {"assignment": str(work.assignment.token), "item": str(item.token), "criterion": "reasons_0"}
    refused = send(client_of(work.participant.user), body | {"options": ["1", "6"], "client_key": str(uuid4())})
    assert refused.status_code == 400
    assert "“none” cannot be combined with other answers" in str(error_of(refused)["fields"]["options"])
