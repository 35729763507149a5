"""What programs get wrong is answered with what is wrong, and never with a fault of the server."""

import base64

import pytest
from django.test import Client
from django.urls import reverse

from tests.api import Api, error
from tests.cast import Cast

pytestmark = pytest.mark.django_db
SLUG = "wellbeing"


def cursor(position: str) -> str:
    return base64.b64encode(f"p={position}".encode()).decode()


@pytest.mark.parametrize("page", ["abc", "0", "-1", "9" * 400, "\x00", "1e3", ""])
def test_an_odd_page_is_no_fault_of_the_server(cast: Cast, page):
    assert Api(cast.owner).get("api_studies", page=page, page_size=page).status_code in {200, 404}


@pytest.mark.parametrize(
    "query",
    [
        {"cursor": "abc"}, {"cursor": cursor("abc")}, {"cursor": cursor("9" * 30)}, {"cursor": cursor("-1")},
        {"cursor": cursor("\u0663")}, {"cursor": "\x00"}, {"batch": "\x00"}, {"criterion": "x" * 500},
        {"page_size": "x"},
    ],
)  # fmt: skip
def test_odd_parameters_of_ratings_are_no_fault_of_the_server(cast: Cast, query):
    answer = Api(cast.owner).get("api_ratings", SLUG, **query)

    assert answer.status_code in {200, 400, 404}
    if answer.status_code != 200:
        error(answer)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff",
        b"[" * 100_000,
        b'"\\ud800"',
        b'{"name": "\\ud800"}',
        b'{"seats": 1' + b"0" * 5000 + b"}",
        b"NaN",
    ],
)
def test_a_broken_body_is_a_400_in_the_one_shape(cast: Cast, body):
    answer = Client().generic(
        "PATCH", reverse("api_study", args=[SLUG]), body, content_type="application/json",
        headers=Api(cast.owner).headers,
    )  # fmt: skip

    assert answer.status_code in {200, 400}
    if answer.status_code == 400:
        error(answer)


@pytest.mark.parametrize(
    "path",
    [
        "studies/%00/",
        "studies/wellbeing/batches/%00/",
        "studies/wellbeing/batches/%ED%A0%80/",
        "studies/wellbeing/participants/abc/",
        "studies/wellbeing/members/99999999999999999999/",
    ],
)
def test_an_address_of_nothing_is_a_404(cast: Cast, path):
    assert Client().get(f"/api/v1/{path}", headers=Api(cast.owner).headers).status_code in {404, 405}


def test_another_kind_of_body_is_refused(cast: Cast):
    answer = Client().patch(
        reverse("api_study", args=[SLUG]), "name=x", content_type="text/plain", headers=Api(cast.owner).headers
    )

    assert answer.status_code == 415
    error(answer)
