"""Exports over the API: asked for, watched, fetched, by the rules of the page and with the same log."""

import csv
import hashlib
import io
import zipfile

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.models import ActivityLog, ExportJob
from reporting.exports import jobs
from reporting.exports.formats import FORMATS
from reporting.exports.jobs import MOST_WAITING, run_export_job
from tests.api import Api, error
from tests.cast import Cast
from tests.factories import ExportJobFactory, StudyFactory

SLUG = "wellbeing"
Status = ExportJob.Status


@pytest.fixture(autouse=True)
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Jobs on their way to a worker."""
    sent: list[int] = []
    monkeypatch.setattr(jobs, "_send", sent.append)
    return sent


def ask(api: Api, **data: object):
    return api.ask("POST", "api_exports", SLUG, data=data)


def body_of(answer) -> bytes:
    return b"".join(answer.streaming_content)


def written(token: str) -> None:
    assert run_export_job(ExportJob.objects.get(token=token).pk, now=timezone.now()) == Status.DONE


def test_the_formats_are_those_of_the_page_with_their_sizes(rated: Cast) -> None:
    rows = Api(rated.observer).get("api_export_formats", SLUG).json()

    assert [row["format"] for row in rows] == list(FORMATS)
    sizes = {row["format"]: row["n_bytes_about"] for row in rows}
    assert sizes["long-csv"] == FORMATS["long-csv"].bytes_about(72)
    assert all(row["name"] and row["about"] and row["content_type"] for row in rows)


@pytest.mark.parametrize("format", FORMATS)
def test_an_export_is_asked_for_watched_and_fetched(
    rated: Cast,
    format: str,
    django_capture_on_commit_callbacks,
    sent: list[int],
) -> None:
    api = Api(rated.observer)

    with django_capture_on_commit_callbacks(execute=True):
        asked = ask(api, format=format)
    token = asked.json()["token"]
    assert (asked.status_code, asked.json()["status"]) == (202, "queued")
    assert asked["Location"].endswith(reverse("api_export", args=[SLUG, token]))
    assert sent == [ExportJob.objects.get().pk]
    written(token)

    job = api.get("api_export", SLUG, token).json()
    assert (job["status"], job["n_done"], job["n_total"], job["error"]) == ("done", 72, 72, "")
    file = api.get("api_export_file", SLUG, token)
    data = body_of(file)
    assert file["Content-Type"] == FORMATS[format].content_type
    assert (len(data), hashlib.sha256(data).hexdigest()) == (job["n_bytes"], job["sha256"])
    assert file["Content-Disposition"] == f'attachment; filename="{job["file_name"]}"'


def test_progress_is_told_while_a_worker_writes(rated: Cast) -> None:
    job = ExportJobFactory(study=rated.study, status=Status.RUNNING, n_done=40, n_total=72)

    told = Api(rated.observer).get("api_export", SLUG, job.token).json()

    assert (told["status"], told["n_done"], told["n_total"]) == ("running", 40, 72)


def test_annotators_have_their_pseudonyms_alone_and_the_log_says_who_asked(rated: Cast) -> None:
    token = ask(Api(rated.researcher), format="long-csv").json()["token"]
    written(token)

    data = body_of(Api(rated.researcher).get("api_export_file", SLUG, token)).decode("utf-8-sig")

    names = {row["annotator"] for row in csv.DictReader(io.StringIO(data))}
    assert names == {annotator.pseudonym for annotator in rated.annotators}
    assert rated.annotator.user.username not in data
    line = ActivityLog.objects.get()
    assert (line.actor, line.verb) == (rated.researcher, "export")
    assert line.details == {"format": "long-csv", "ratings": 72, "names": False}


def test_an_owner_may_ask_for_account_names_and_each_fetch_is_logged(rated: Cast) -> None:
    refused = ask(Api(rated.researcher), format="long-csv", with_names=True)
    assert (refused.status_code, error(refused)["code"]) == (403, "permission_denied")
    assert not ActivityLog.objects.exists()

    owner = Api(rated.owner)
    token = ask(owner, format="long-csv", with_names=True).json()["token"]
    written(token)

    assert rated.annotator.user.username in body_of(owner.get("api_export_file", SLUG, token)).decode()
    owner.ask("HEAD", "api_export_file", SLUG, token)
    assert list(ActivityLog.objects.order_by("pk").values_list("verb", flat=True)) == ["export", "fetch"]
    for name in ("api_export", "api_export_file"):
        assert Api(rated.researcher).get(name, SLUG, token).status_code == 403


def test_options_are_those_of_the_page(rated: Cast) -> None:
    asked = {"format": "diqad", "kind": "main", "criterion": "appropriateness", "train": 50, "validation": 50,
             "seed": 7, "ties": "lower", "cell": "label"}  # fmt: skip

    token = ask(Api(rated.observer), **asked).json()["token"]

    job = ExportJob.objects.get(token=token)
    assert job.options | {"format": job.format} == asked | {"with_names": False}
    written(token)
    data = body_of(Api(rated.observer).get("api_export_file", SLUG, token))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.read("test.jsonl") == b""
        assert archive.read("train.jsonl")


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({}, "format"),
        ({"format": "pdf"}, "format"),
        ({"format": "diqad", "criterion": "charm"}, "criterion"),
        ({"format": "diqad", "train": 80, "validation": 30}, "validation"),
        ({"format": "diqad", "seed": 2**31}, "seed"),
        ({"format": "wide-csv", "cell": "colour"}, "cell"),
        ({"format": "long-csv", "kind": "\x00"}, "kind"),
        ({"format": "long-csv", "with_names": "maybe"}, "with_names"),
    ],
)
def test_what_cannot_be_exported_is_named(rated: Cast, asked: dict, field: str) -> None:
    answer = ask(Api(rated.owner), **asked)

    assert answer.status_code == 400
    assert field in error(answer)["fields"]
    assert not ExportJob.objects.exists()


def test_a_file_that_is_not_there_is_refused_with_a_reason(rated: Cast) -> None:
    for status, code in ((Status.QUEUED, "not_ready"), (Status.FAILED, "no_file"), (Status.EXPIRED, "no_file")):
        job = ExportJobFactory(study=rated.study, status=status)
        answer = Api(rated.observer).get("api_export_file", SLUG, job.token)
        assert (answer.status_code, error(answer)["code"]) == (409, code)


def test_a_client_that_accepts_only_the_kind_of_the_file_gets_it(rated: Cast) -> None:
    api = Api(rated.observer)
    token = ask(api, format="archive").json()["token"]
    written(token)
    api.headers["Accept"] = "application/zip"

    assert api.get("api_export_file", SLUG, token)["Content-Type"] == "application/zip"
    job = ExportJobFactory(study=rated.study, status=Status.QUEUED)
    assert error(api.get("api_export_file", SLUG, job.token))["code"] == "not_ready"


def test_only_so_many_exports_of_one_person_are_under_way(rated: Cast) -> None:
    answers = [ask(Api(rated.observer), format="long-csv") for _ in range(MOST_WAITING + 1)]

    assert [answer.status_code for answer in answers] == [202] * MOST_WAITING + [409]
    assert error(answers[-1])["code"] == "too_many"


def test_an_export_of_another_study_is_not_found(rated: Cast) -> None:
    job = ExportJobFactory(study=StudyFactory())

    for name in ("api_export", "api_export_file"):
        assert Api(rated.owner).get(name, SLUG, job.token).status_code == 404


def test_the_list_takes_the_same_queries_however_long_it_is(
    rated: Cast,
    django_assert_max_num_queries,
) -> None:
    ExportJobFactory.create_batch(20, study=rated.study)
    api = Api(rated.observer)

    with django_assert_max_num_queries(8):
        rows = api.get("api_exports", SLUG).json()["results"]
    assert len(rows) == 20
    assert rows[0]["created_at"] >= rows[-1]["created_at"]
