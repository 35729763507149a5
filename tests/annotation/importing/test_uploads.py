"""Imports as jobs: kept in the database, run once, taken over when a worker dies."""

import gzip
import hashlib
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, connections

from annotation.models import ImportChunk, ImportJob, Rating, Study
from annotation.services import uploads
from annotation.services.refusals import Refused
from annotation.services.uploads import queue_import, requeue_lost_imports, run_import_job
from tests.annotation.importing.conftest import DIQAD, HE_DIALOGUES, HE_RATINGS, NOW
from tests.factories import ImportJobFactory, StudyFactory, UserFactory
from tests.races.threads import run_together

Status = ImportJob.Status


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """No broker: the jobs that would have been queued."""
    sent: list[int] = []
    monkeypatch.setattr(uploads, "_send", sent.append)
    return sent


def queue(study: Study, path: Path = HE_DIALOGUES, kind: str = "dialogues", **kwargs: object) -> ImportJob:
    upload = SimpleUploadedFile(path.name, path.read_bytes())
    return queue_import(study, UserFactory(), kind, upload, **kwargs, now=NOW)


def test_an_upload_waits_in_the_database_and_is_sent_after_commit(
    study: Study, sent: list[int], django_capture_on_commit_callbacks: Callable
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        job = queue(study)
        assert sent == []
    assert sent == [job.pk]
    assert (job.status, job.file_name, job.n_total) == (Status.QUEUED, "dialogues.jsonl", HE_DIALOGUES.stat().st_size)
    assert job.file_sha256 == hashlib.sha256(HE_DIALOGUES.read_bytes()).hexdigest()
    assert job.chunks.count() == 1


def test_a_large_upload_is_kept_in_pieces(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "CHUNK", 1000)
    job = queue(study, DIQAD)
    assert list(job.chunks.order_by("number").values_list("number", flat=True)) == list(range(job.chunks.count()))
    assert max(len(data) for data in job.chunks.values_list("data", flat=True)) == 1000
    assert run_import_job(job.pk, NOW) == Status.DONE
    assert study.dialogues.count() == 100


def test_a_job_imports_says_what_it_did_and_drops_the_file(study: Study) -> None:
    job = queue(study)
    assert run_import_job(job.pk, NOW) == Status.DONE
    job.refresh_from_db()
    assert job.summary["counts"]["dialogues_new"] == 42
    assert job.format == "jsonl-history"
    assert (job.n_done, job.phase, job.errors) == (job.n_total, "", [])
    assert job.started_at == NOW <= job.finished_at < NOW + timedelta(minutes=1)
    assert not ImportChunk.objects.exists()


def test_a_packed_upload_is_imported(study: Study) -> None:
    upload = SimpleUploadedFile("d.jsonl.gz", gzip.compress(HE_DIALOGUES.read_bytes()))
    job = queue_import(study, UserFactory(), "dialogues", upload, now=NOW)
    assert run_import_job(job.pk, NOW) == Status.DONE
    assert study.dialogues.count() == 42


def test_options_reach_the_import(he_study: Study) -> None:
    job = queue(he_study, HE_RATINGS, "ratings", options={"create_missing": True}, is_dry_run=True)
    run_import_job(job.pk, NOW)
    job.refresh_from_db()
    assert job.summary["counts"]["candidates_new"] == 210
    assert not Rating.objects.exists()


def test_a_refused_file_is_reported_line_by_line(study: Study) -> None:
    upload = SimpleUploadedFile("bad.jsonl", b"{\n" * 250)
    job = queue_import(study, UserFactory(), "dialogues", upload, now=NOW)
    assert run_import_job(job.pk, NOW) == Status.FAILED
    job.refresh_from_db()
    assert (job.n_errors, len(job.errors), job.errors[0]["line"]) == (250, 200, 1)
    assert "is not JSON" in job.errors[0]["reason"]
    assert not ImportChunk.objects.exists()


def test_a_fault_of_the_program_ends_the_job_with_a_sentence(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setitem(uploads.KINDS, "dialogues", (fail, uploads.DialogueOptions))
    job = queue(study)
    assert run_import_job(job.pk, NOW) == Status.FAILED
    job.refresh_from_db()
    assert "because of a program error" in job.errors[0]["reason"]


def test_a_second_delivery_of_a_finished_job_does_nothing(study: Study) -> None:
    job = queue(study)
    run_import_job(job.pk, NOW)
    before = ImportJob.objects.values().get()
    assert run_import_job(job.pk, NOW + timedelta(hours=1)) is None
    assert ImportJob.objects.values().get() == before


def test_a_job_whose_worker_died_is_taken_over(study: Study) -> None:
    job = queue(study)
    ImportJob.objects.update(status=Status.RUNNING, started_at=NOW, n_attempts=1)
    assert run_import_job(job.pk, NOW + timedelta(seconds=10)) == Status.DONE
    job.refresh_from_db()
    assert job.n_attempts == 2


def test_a_job_that_kills_every_worker_is_given_up(study: Study) -> None:
    job = queue(study)
    ImportJob.objects.update(status=Status.RUNNING, started_at=NOW, n_attempts=uploads.MOST_ATTEMPTS)
    assert run_import_job(job.pk, NOW) == Status.FAILED
    job.refresh_from_db()
    assert "interrupted at every attempt" in job.errors[0]["reason"]


def test_an_unknown_job_is_left_alone(db: None) -> None:
    assert run_import_job(404, NOW) is None


@pytest.mark.parametrize(
    ("kind", "content", "options", "code"),
    [
        ("pictures", b"x", {}, "unknown_kind"),
        ("dialogues", b"", {}, "empty"),
        ("dialogues", b"x" * 2000, {}, "too_large"),
        ("dialogues", b"x", {"create_missing": True}, "unknown_option"),
    ],
)
def test_an_upload_that_cannot_be_right_is_refused_at_once(
    study: Study, settings: object, kind: str, content: bytes, options: dict, code: str
) -> None:
    settings.UPLOAD_MAX_BYTES = 1000
    with pytest.raises(Refused) as refused:
        queue_import(study, UserFactory(), kind, SimpleUploadedFile("f", content), options=options, now=NOW)
    assert refused.value.code == code
    assert not ImportJob.objects.exists()


def test_lost_jobs_are_sent_again(sent: list[int], db: None) -> None:
    for status in Status.values:
        ImportJobFactory(status=status, started_at=NOW)
    ImportJob.objects.update(created_at=NOW)
    assert requeue_lost_imports(now=NOW + timedelta(minutes=1)) == 0
    assert requeue_lost_imports(now=NOW + timedelta(minutes=3)) == 2
    found = ImportJob.objects.filter(pk__in=sent).values_list("status", flat=True)
    assert set(found) == {Status.QUEUED, Status.RUNNING}


@pytest.mark.django_db(transaction=True)
def test_a_job_that_is_only_slow_is_not_sent_again(sent: list[int]) -> None:
    job = ImportJobFactory(status=Status.RUNNING, started_at=NOW)
    worker = connections.create_connection("default")
    try:
        with worker.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s, %s)", [uploads.LOCK_SPACE, job.pk])
        assert requeue_lost_imports(now=NOW + timedelta(hours=1)) == 0
        assert run_import_job(job.pk, NOW) is None
    finally:
        worker.close()


@pytest.mark.django_db(transaction=True)
def test_two_workers_with_the_same_job_import_it_once(sent: list[int]) -> None:
    job = queue(StudyFactory())
    results = run_together([lambda: run_import_job(job.pk, NOW)] * 4)
    assert sorted(results, key=str) == [None, None, None, Status.DONE]
    assert ImportJob.objects.get().n_attempts == 1


@pytest.mark.django_db(transaction=True)
def test_progress_can_be_seen_from_outside_while_the_job_runs(sent: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, bool]] = []
    real = uploads.import_dialogues

    def watched(*args: object, progress: Callable, **kwargs: object) -> object:
        def report(*at: object) -> None:
            progress(*at)
            seen.append((ImportJob.objects.get().phase, connection.in_atomic_block))

        return real(*args, progress=report, **kwargs)

    monkeypatch.setitem(uploads.KINDS, "dialogues", (watched, uploads.DialogueOptions))
    run_import_job(queue(StudyFactory()).pk, NOW)
    assert ("reading", False) in seen
    assert seen[-1] == ("storing", False)
