"""Answers that wait together go in one request, and each is saved or refused by itself."""

from uuid import uuid4

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.api.answers import MOST_ANSWERS
from annotation.models import Assignment, Item, Rating, RatingRevision, Study
from tests.annotation.work_pages import sign_in
from tests.cast import Cast
from tests.factories import take_seat

pytestmark = pytest.mark.django_db


@pytest.fixture
def assignment(cast: Cast) -> Assignment:
    return take_seat(cast.annotator, cast.batch)


def answers(assignment: Assignment, *options: str) -> list[dict[str, object]]:
    """One to each item, in their order."""
    tokens = Item.objects.filter(batch=assignment.batch).order_by("pk").values_list("token", flat=True)
    return [
        {"item": str(token), "criterion": "appropriateness", "option": option, "client_key": str(uuid4())}
        for token, option in zip(tokens, options, strict=False)
    ]


def send(client: Client, assignment: Assignment, given: list[dict[str, object]]) -> HttpResponse:
    body = {"assignment": str(assignment.token), "answers": given}
    return client.post(reverse("api_several_answers"), body, content_type="application/json")


def test_each_answer_is_saved_and_acknowledged_in_its_place(cast: Cast, assignment: Assignment):
    given = answers(assignment, "1", "2", "1")
    results = send(sign_in(cast.annotator.user), assignment, given).json()["results"]
    assert [each["status"] for each in results] == [200, 200, 200]
    assert all(each["saved_at"] and each["is_counted"] and not each["is_repeat"] for each in results)
    stored = {str(each.item.token): each.option.position for each in Rating.objects.select_related("item", "option")}
    first = min(stored.values())
    assert stored == {each["item"]: first + int(each["option"]) - 1 for each in given}


def test_a_mistake_in_one_does_not_hold_up_the_others(cast: Cast, assignment: Assignment):
    given = answers(assignment, "1", "99", "2")
    results = send(sign_in(cast.annotator.user), assignment, given).json()["results"]
    assert [each["status"] for each in results] == [200, 400, 200]
    assert results[1]["error"]["code"] == "invalid"
    assert results[1]["error"]["fields"]["option"]
    assert Rating.objects.count() == 2


def test_answers_that_come_together_take_one_way_to_the_database(cast: Cast, assignment: Assignment):
    client, given = sign_in(cast.annotator.user), answers(assignment, "1", "2", "1")
    send(client, assignment, given)
    with CaptureQueriesContext(connection) as queries:
        send(client, assignment, [{**each, "client_key": str(uuid4())} for each in given])
    assert sum("annotation_record_answer" in each["sql"] for each in queries.captured_queries) == 1


def test_of_two_answers_to_one_question_the_later_stands(cast: Cast, assignment: Assignment):
    given = [answers(assignment, option)[0] for option in ("1", "2", "1", "2")]
    results = send(sign_in(cast.annotator.user), assignment, given).json()["results"]
    assert [each["revision"] for each in results] == [1, 2, 3, 4]
    rating = Rating.objects.select_related("option", "criterion").get()
    assert rating.option == list(rating.criterion.options.order_by("position"))[1]


def test_the_same_request_twice_saves_each_answer_once(cast: Cast, assignment: Assignment):
    client, given = sign_in(cast.annotator.user), answers(assignment, "1", "2")
    send(client, assignment, given)
    again = send(client, assignment, given).json()["results"]
    assert [each["is_repeat"] for each in again] == [True, True]
    assert RatingRevision.objects.count() == 2


def test_after_the_lease_each_answer_is_kept_and_says_so(cast: Cast):
    assignment = take_seat(cast.annotator, cast.batch, minutes=-1)
    results = send(sign_in(cast.annotator.user), assignment, answers(assignment, "1", "2")).json()["results"]
    assert [(each["status"], each["error"]["code"], each["error"]["kept"]) for each in results] == [
        (409, "lease_expired", True)
    ] * 2
    assert Rating.objects.count() == 2


def test_nobody_saves_into_the_work_of_somebody_else(cast: Cast, assignment: Assignment):
    for user in (cast.annotators[1].user, cast.owner, cast.stranger):
        assert send(sign_in(user), assignment, answers(assignment, "1", "2")).status_code == 404
    assert not Rating.objects.exists()


def test_nothing_is_taken_before_the_consent(cast: Cast, assignment: Assignment):
    Study.objects.update(consent_text="We keep what you answer.", consent_version="2")
    response = send(sign_in(cast.annotator.user), assignment, answers(assignment, "1", "2"))
    assert (response.status_code, response.json()["error"]["code"]) == (409, "consent_needed")
    assert not Rating.objects.exists()


def test_a_request_of_another_site_is_refused(cast: Cast, assignment: Assignment):
    client = Client(enforce_csrf_checks=True)
    client.force_login(cast.annotator.user)
    assert send(client, assignment, answers(assignment, "1", "2")).status_code == 403
    assert not Rating.objects.exists()


@pytest.mark.parametrize("n", [0, MOST_ANSWERS + 1])
def test_a_request_has_as_many_answers_as_the_schema_says(cast: Cast, assignment: Assignment, n: int):
    [one] = answers(assignment, "1")
    assert send(sign_in(cast.annotator.user), assignment, [one] * n).status_code == 400
    assert not Rating.objects.exists()
