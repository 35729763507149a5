"""Asking for exports: who may, what is sent at once, what a worker writes, and what the log keeps."""

import hashlib
import io
from datetime import timedelta

import pytest
from django.db import DatabaseError, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import ActivityLog, ExportChunk, ExportJob
from annotation.services import activity
from annotation.services.refusals import Refused
from reporting.exports import jobs, views
from reporting.exports.cursors import count_ratings
from reporting.exports.formats import FORMATS
from reporting.exports.jobs import queue_export, run_export_job, tend_exports
from reporting.exports.options import ExportOptions
from tests.cast import Cast
from tests.factories import ExportJobFactory, UserFactory
from tests.reporting.exports.conftest import NOW

Status = ExportJob.Status
PAGE = "/studies/wellbeing/exports/"


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    sent: list[int] = []
    monkeypatch.setattr(jobs, "_send", sent.append)
    return sent


@pytest.fixture
def everything_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "DIRECT_ROWS", 0)


def signed_in(user) -> Client:
    client = Client()
    client.force_login(user)
    return client


def body_of(answer) -> bytes:
    return b"".join(answer.streaming_content) if answer.streaming else answer.content


@pytest.mark.parametrize("format", FORMATS)
def test_a_small_export_is_sent_at_once_and_logged(rated: Cast, format: str) -> None:
    answer = signed_in(rated.observer).post(PAGE, {"format": format})
    assert answer.status_code == 200
    assert answer["Content-Disposition"].startswith('attachment; filename="wellbeing-')
    assert len(body_of(answer)) > 500
    line = ActivityLog.objects.get()
    assert (line.actor, line.verb, line.details["names"]) == (rated.observer, "export", False)
    assert not ExportJob.objects.exists()


def test_only_an_owner_gets_account_names_and_that_is_logged(rated: Cast) -> None:
    asked = {"format": "long-csv", "with_names": "on"}
    assert signed_in(rated.researcher).post(PAGE, asked).status_code == 403
    assert not ActivityLog.objects.exists()
    data = body_of(signed_in(rated.owner).post(PAGE, asked)).decode()
    assert rated.annotator.user.username in data
    assert ActivityLog.objects.get().details == {"format": "long-csv", "ratings": 72, "names": True}
    page = signed_in(rated.owner).get(PAGE).content.decode()
    assert "Export history" in page
    assert "account names" in page


def test_the_log_of_the_page_has_files_that_were_taken_and_nothing_else(rated: Cast) -> None:
    activity.log(rated.study, None, "status", about="whose-status", now=timezone.now())
    signed_in(rated.researcher).post(PAGE, {"format": "long-csv"})
    page = signed_in(rated.owner).get(PAGE)
    assert [(line.verb, what) for line, what in page.context["taken"]] == [("export", "export")]
    assert "whose-status" not in page.text


@pytest.mark.parametrize("format", ["long-csv", "long-parquet", "wide-csv", "diqad", "label-studio", "archive"])
def test_the_size_that_a_small_study_is_told_is_about_that_of_its_file(rated: Cast, format: str) -> None:
    told = FORMATS[format].bytes_about(count_ratings(rated.study))
    size = len(body_of(signed_in(rated.observer).post(PAGE, {"format": format})))
    assert 0.4 < told / size < 2.5


def test_the_box_for_names_and_the_log_are_for_owners(rated: Cast) -> None:
    page = signed_in(rated.researcher).get(PAGE).content.decode()
    assert "with_names" not in page
    assert "Export history" not in page


@pytest.mark.parametrize("verb", ["get", "post"])
def test_annotators_and_strangers_get_nothing(rated: Cast, verb: str) -> None:
    job = ExportJobFactory(study=rated.study)
    for user, status in ((rated.annotator.user, 403), (rated.stranger, 404)):
        client = signed_in(user)
        assert getattr(client, verb)(PAGE, {"format": "long-csv"}).status_code == status
        for name, args in (("export_jobs", []), ("export_file", [job.token])):
            assert client.get(reverse(name, args=["wellbeing", *args])).status_code == status


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"format": "pickle"},
        {"format": "diqad", "train": "80", "validation": "30"},
        {"format": "long-csv", "kind": "x"},
    ],
)
def test_what_cannot_be_is_said_and_not_exported(rated: Cast, wrong: dict[str, str]) -> None:
    assert signed_in(rated.lead).post(PAGE, wrong).status_code == 422
    assert not ActivityLog.objects.exists()


def test_a_large_export_is_written_by_a_worker_and_fetched(
    rated: Cast, sent: list[int], everything_is_large: None, django_capture_on_commit_callbacks, written
) -> None:
    client = signed_in(rated.lead)
    with django_capture_on_commit_callbacks(execute=True):
        assert client.post(PAGE, {"format": "long-csv"}).status_code == 302
    job = ExportJob.objects.get()
    assert sent == [job.pk]
    assert client.get(reverse("export_jobs", args=["wellbeing"])).status_code == 200
    assert client.get(reverse("export_file", args=["wellbeing", job.token])).status_code == 410
    assert run_export_job(job.pk, NOW) == Status.DONE
    assert run_export_job(job.pk, NOW) is None
    assert client.get(reverse("export_jobs", args=["wellbeing"])).status_code == views.STOP_POLLING
    answer = client.get(reverse("export_file", args=["wellbeing", job.token]))
    data = body_of(answer)
    job.refresh_from_db()
    assert data == written(rated.study, "long-csv")
    assert (job.n_bytes, job.sha256) == (len(data), hashlib.sha256(data).hexdigest())
    assert answer["Content-Length"] == str(len(data))


def test_a_file_of_several_pieces_comes_back_whole(rated: Cast, monkeypatch, written) -> None:
    monkeypatch.setattr(jobs, "CHUNK", 100)
    job = ExportJobFactory(study=rated.study, status=Status.QUEUED, format="archive")
    assert run_export_job(job.pk, NOW) == Status.DONE
    assert job.chunks.count() > 10
    assert b"".join(jobs.export_pieces(job)) == written(rated.study, "archive")


def test_a_file_with_names_is_fetched_by_owners_alone_and_logged(rated: Cast) -> None:
    job = ExportJobFactory(study=rated.study, has_names=True)
    path = reverse("export_file", args=["wellbeing", job.token])
    assert signed_in(rated.researcher).get(path).status_code == 403
    assert signed_in(rated.owner).get(path).status_code == 200
    assert [line.verb for line in ActivityLog.objects.all()] == ["fetch"]
    assert path not in signed_in(rated.researcher).get(PAGE).content.decode()


def test_a_file_of_another_study_is_not_there(rated: Cast) -> None:
    job = ExportJobFactory()
    assert signed_in(rated.owner).get(reverse("export_file", args=["wellbeing", job.token])).status_code == 404


def test_a_fault_of_the_program_ends_the_job_with_a_sentence(rated: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "write_export", fail)
    job = ExportJobFactory(study=rated.study, status=Status.QUEUED)
    assert run_export_job(job.pk, NOW) == Status.FAILED
    assert "because of a program error" in signed_in(rated.lead).get(PAGE).content.decode()


def fail(*_: object) -> None:
    raise ZeroDivisionError


def test_an_export_that_kills_its_worker_is_not_tried_for_ever(rated: Cast) -> None:
    job = ExportJobFactory(study=rated.study, status=Status.RUNNING, n_attempts=3)
    assert run_export_job(job.pk, NOW) == Status.FAILED


def test_files_go_after_seven_days_and_lost_jobs_are_sent_again(rated: Cast, sent: list[int]) -> None:
    old, young = (ExportJobFactory(study=rated.study, status=Status.QUEUED) for _ in range(2))
    run_export_job(old.pk, NOW - timedelta(days=7, minutes=1))
    run_export_job(young.pk, NOW - timedelta(days=6))
    lost = ExportJobFactory(study=rated.study, status=Status.QUEUED, created_at=NOW - timedelta(hours=1))
    assert tend_exports(now=NOW) == (1, 1)
    assert sent == [lost.pk]
    assert list(ExportChunk.objects.values_list("job", flat=True).distinct()) == [young.pk]
    old.refresh_from_db()
    assert old.status == Status.EXPIRED
    assert "deleted" in signed_in(rated.lead).get(PAGE).content.decode()


def test_one_person_has_only_so_many_exports_under_way(cast: Cast, sent: list[int]) -> None:
    ExportJobFactory.create_batch(jobs.MOST_WAITING, study=cast.study, user=cast.lead, status=Status.QUEUED)
    values = {"format": "long-csv", "options": ExportOptions(), "n_total": 1, "now": NOW}
    with pytest.raises(Refused):
        queue_export(cast.study, cast.lead, **values)
    assert queue_export(cast.study, UserFactory(), **values)


@pytest.mark.parametrize("change", ["update", "delete"])
def test_the_log_cannot_be_rewritten(cast: Cast, change: str) -> None:
    ActivityLog.objects.create(study=cast.study, verb="export", at=timezone.now())
    rows = ActivityLog.objects.filter(study=cast.study)
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        rows.update(verb="nothing") if change == "update" else rows.delete()
    assert rows.get().verb == "export"


def test_the_page_says_when_nothing_was_rated(cast: Cast) -> None:
    page = signed_in(cast.observer).get(PAGE).content.decode()
    assert "There are no ratings yet" in page
    assert "None yet." in page


def test_the_page_costs_the_same_for_many_jobs(rated: Cast, django_assert_max_num_queries) -> None:
    client = signed_in(rated.owner)
    ExportJobFactory.create_batch(30, study=rated.study)
    with django_assert_max_num_queries(20):
        client.get(PAGE)


def test_a_writer_gets_a_file_it_can_go_back_in(rated: Cast) -> None:
    from reporting.exports.formats import write_export

    ticks: list[int] = []
    write_export(rated.study, "archive", {"forgotten": 1}, io.BytesIO(), ticks.append)
    assert ticks == [72]
