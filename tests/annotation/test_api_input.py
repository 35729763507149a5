"""What programs get wrong is answered with what is wrong, and never with a fault of the server."""

import base64

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotation.models import ImportJob
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


def upload(cast: Cast, **fields):
    log = b'{"id": "c", "model": "m", "messages": [{"role": "user", "content": "Hi"}, '
    log += b'{"role": "assistant", "content": "Hello"}]}\n'
    return Api(cast.owner).upload("api_imports", SLUG, file=SimpleUploadedFile("log.jsonl", log), **fields)


@pytest.mark.parametrize("name", ["map_scenaro", "foo", "dry_run"])
def test_an_unknown_field_of_an_import_is_refused_with_the_known_ones(cast: Cast, name):
    answer = upload(cast, transcript="true", **{name: "when"})

    assert answer.status_code == 400
    ((field, (said,)),) = error(answer)["fields"].items()
    assert field == name
    assert said.startswith("This field is unknown. The fields are: kind, file, format, ")
    assert "csrf" not in said
    assert " map_scenario," in said
    assert not ImportJob.objects.exists()


@pytest.mark.parametrize(
    ("name", "value"), [("rate", "last"), ("roles", "user"), ("with_dialogue", "true"), ("show_system", "true")]
)
def test_an_option_of_chat_logs_needs_a_chat_log(cast: Cast, name, value):
    answer = upload(cast, **{name: value})

    assert answer.status_code == 400
    assert error(answer)["fields"] == {name: ["This field is for chat logs: send transcript=true too."]}
    assert not ImportJob.objects.exists()
    assert upload(cast, transcript="true", **{name: value}).status_code == 202


def test_what_an_import_does_anyway_may_be_said(cast: Cast):
    assert upload(cast, rate="all", roles="assistant", with_dialogue="false").status_code == 202


def test_an_unknown_field_of_batches_is_refused_with_the_known_ones(cast: Cast):
    n_batches = cast.study.batches.count()
    answer = Api(cast.owner).ask("POST", "api_batches", SLUG, data={"by": "given", "pairs": 2})

    assert answer.status_code == 400
    assert error(answer)["fields"] == {
        "pairs": [
            "This field is unknown. The fields are: by, size, counts, field, k, n_pairs, repeat_percent, seats, "
            "n_dialogues, kind, is_fresh_only, same_as."
        ]
    }
    assert cast.study.batches.count() == n_batches


def test_an_unknown_field_beside_the_status_of_a_batch_is_refused(cast: Cast):
    answer = Api(cast.owner).ask("PATCH", "api_batch", SLUG, cast.batch.key, data={"status": "open", "seats": 5})

    assert answer.status_code == 400
    assert error(answer)["fields"] == {"seats": ["This field is unknown. The fields are: status."]}


@pytest.mark.parametrize(
    ("method", "route", "data"),
    [
        ("PATCH", "api_study", {"seat": 3}),
        ("POST", "api_members", {"account": "lead", "role": "lead", "roles": "owner"}),
        ("POST", "api_exports", {"format": "long-csv", "criteria": "listening"}),
    ],
)
def test_an_unknown_field_is_refused_wherever_something_is_made_or_changed(cast: Cast, method, route, data):
    answer = Api(cast.owner).ask(method, route, SLUG, data=data)
    assert answer.status_code == 400
    ((_name, (said,)),) = error(answer)["fields"].items()
    assert said.startswith("This field is unknown. The fields are: ")


def test_an_unknown_field_of_a_new_study_is_refused(cast: Cast):
    data = {"slug": "new", "name": "New", "protocol": cast.version.protocol.slug, "seeds": 3}
    answer = Api(cast.owner).ask("POST", "api_studies", data=data)
    assert answer.status_code == 400
    assert list(error(answer)["fields"]) == ["seeds"]
