"""Queue and run imports from a page: the file waits in the database until a worker has imported it.

Workers share a database, not a disk. One worker at a time runs a job, and delivering a job several times is safe.
"""

import hashlib
import logging
import tempfile
import time
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.db.models import F, Q
from django.utils.translation import get_language, override
from django.utils.translation import gettext as _

from annotation.importing import (
    DialogueOptions,
    ImportRejected,
    ImportSummary,
    LineError,
    PredictionOptions,
    RatingOptions,
    import_dialogues,
    import_predictions,
    import_ratings,
)
from annotation.importing.outcome import Progress
from annotation.models import ImportChunk, ImportJob, Study
from annotation.nudging import queue
from annotation.services import activity
from annotation.services.refusals import Refused
from parley.advisory import is_locked, locked

logger = logging.getLogger(__name__)

CHUNK = 1024 * 1024
FAST = 1  # zlib's level: a request waits for it, and text shrinks to a quarter even so
SECONDS_PER_REPORT = 0.5
MOST_ATTEMPTS = 3  # a file that kills its worker every time must not be tried again and again
LOST_AFTER = timedelta(minutes=2)
LOCK_SPACE = 0x1A70  # first half of the advisory lock's name; the second is the job
Options = DialogueOptions | RatingOptions | PredictionOptions
KINDS: dict[str, tuple[Any, type[Options]]] = {
    ImportJob.Kind.DIALOGUES: (import_dialogues, DialogueOptions),
    ImportJob.Kind.RATINGS: (import_ratings, RatingOptions),
    ImportJob.Kind.PREDICTIONS: (import_predictions, PredictionOptions),
}


# --- queueing ------------------------------------------------------------------------------------
@transaction.atomic
def queue_import(
    study: Study,
    user: User,
    kind: str,
    upload: UploadedFile,
    format: str = "",
    options: Mapping[str, Any] | None = None,
    is_dry_run: bool = False,
    *,
    now: datetime,
) -> ImportJob:
    """Store the file and queue it for a worker. Raise Refused for a file or options that cannot be right."""
    if kind not in KINDS:
        text = _("Dialogues, ratings and predictions can be imported, not %(kind)r.")
        raise Refused("unknown_kind", text % {"kind": kind})
    if not upload.size:
        raise Refused("empty", _("The file is empty. Choose another one."))
    if upload.size > settings.UPLOAD_MAX_BYTES:
        most = settings.UPLOAD_MAX_BYTES >> 20
        text = _("The file is larger than %(most)s MB. Compress it (.gz) or split it.")
        raise Refused("too_large", text % {"most": most})
    make_options(kind, options or {})
    job = ImportJob.objects.create(
        study=study,
        user=user,
        kind=kind,
        format=format,
        options=dict(options or {}),
        file_name=Path(upload.name or "upload").name[-255:],
        language=get_language() or settings.LANGUAGE_CODE,
        is_dry_run=is_dry_run,
        n_total=upload.size or 0,
    )
    job.file_sha256 = _store_chunks(job, upload)
    job.created_at = now
    job.save(update_fields=["file_sha256", "created_at"])
    transaction.on_commit(partial(_send, job.pk), robust=True)
    return job


def make_options(kind: str, options: Mapping[str, Any]) -> Options:
    try:
        return KINDS[kind][1](**options)
    except TypeError as error:
        text = _("Unknown import options: %(error)s.")
        raise Refused("unknown_option", text % {"error": error}) from None


def _store_chunks(job: ImportJob, upload: UploadedFile) -> str:
    """Write the file compressed, piece by piece. Return the SHA-256 of the original file."""
    digest, packer = hashlib.sha256(), zlib.compressobj(FAST)
    waiting = bytearray()
    number = 0
    for piece in _pieces(upload, digest, packer):
        waiting += piece
        while len(waiting) >= CHUNK:
            ImportChunk.objects.create(job=job, number=number, data=bytes(waiting[:CHUNK]))
            del waiting[:CHUNK]
            number += 1
    ImportChunk.objects.create(job=job, number=number, data=bytes(waiting))
    return digest.hexdigest()


def _pieces(upload: UploadedFile, digest: Any, packer: Any) -> Iterator[bytes]:
    for piece in upload.chunks(CHUNK):
        digest.update(piece)
        yield packer.compress(piece)
    yield packer.flush()


def _send(job_id: int) -> None:
    queue("annotation.tasks.run_import", job_id)


def requeue_lost_imports(*, now: datetime) -> int:
    """Queue jobs again that wait too long or lost their worker. Return how many. Call it at most once a minute.

    A second delivery of a job that is only slow does no harm: its lock is taken.
    """
    since = now - LOST_AFTER
    lost = ImportJob.objects.filter(
        Q(status=ImportJob.Status.QUEUED, created_at__lte=since)
        | Q(status=ImportJob.Status.RUNNING, started_at__lte=since)
    )
    ids = [pk for pk in lost.order_by("pk").values_list("pk", flat=True) if not is_locked(LOCK_SPACE, pk)]
    for pk in ids:
        _send(pk)
    return len(ids)


# --- running -------------------------------------------------------------------------------------
def run_import_job(job_id: int, now: datetime) -> ImportJob.Status | None:
    """Import the job's file. Return None if it is done or another worker is at it.

    The lock belongs to the worker's connection: when a worker is killed, it becomes free and another takes over.
    """
    with locked(LOCK_SPACE, job_id) as is_mine:
        jobs = ImportJob.objects.filter(pk=job_id, status__in=(ImportJob.Status.QUEUED, ImportJob.Status.RUNNING))
        beginning = {"status": ImportJob.Status.RUNNING, "started_at": now, "n_done": 0}
        if not is_mine or not jobs.update(**beginning, n_attempts=F("n_attempts") + 1):
            return None
        job = ImportJob.objects.select_related("study__protocol_version").get(pk=job_id)
        if job.n_attempts > MOST_ATTEMPTS:
            reason = _("The import was interrupted at every attempt. Split the file or ask the administrator.")
            return _finish(job, now, errors=[LineError(0, "", reason)])
        began = time.monotonic()
        with override(job.language):
            outcome = _run(job, now)
        return _finish(job, now + timedelta(seconds=time.monotonic() - began), **outcome)


def _run(job: ImportJob, now: datetime) -> dict[str, Any]:
    run = KINDS[job.kind][0]
    try:
        with _restored(job) as path:
            summary = run(
                job.study,
                path,
                format=job.format,
                options=make_options(job.kind, job.options),
                is_dry_run=job.is_dry_run,
                progress=_reporter(job),
                now=now,
                **({"user": job.user} if job.kind == ImportJob.Kind.PREDICTIONS else {}),
                **({"job": job} if job.kind != ImportJob.Kind.PREDICTIONS else {}),
            )
    except ImportRejected as error:
        return {"errors": error.errors, "n_errors": error.n_errors, "beside": error.beside}
    except Refused as error:
        return {"errors": [LineError(0, "", error.message)]}
    except Exception:
        # The person who waits must see that it ended; the log has the error itself.
        logger.exception("import %s failed", job.pk)
        reason = _("Nothing was imported, because of a program error. The administrator can find it in the log.")
        return {"errors": [LineError(0, "", reason)]}
    return {"summary": summary}


@contextmanager
def _restored(job: ImportJob) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="parley-import-") as directory:
        path = Path(directory) / "upload"
        unpacker = zlib.decompressobj()
        with path.open("wb") as file:
            for data in job.chunks.order_by("number").values_list("data", flat=True).iterator(chunk_size=1):
                file.write(unpacker.decompress(data))
            file.write(unpacker.flush())
        yield path


def _reporter(job: ImportJob) -> Progress:
    """Return a function that writes progress to the job's row now and then, outside the import's transaction."""
    last_tick, last_phase = 0.0, ""

    def report(done: int, total: int, phase: str) -> None:
        nonlocal last_tick, last_phase
        tick = time.monotonic()
        if phase != last_phase or tick - last_tick >= SECONDS_PER_REPORT:
            last_tick, last_phase = tick, phase
            ImportJob.objects.filter(pk=job.pk).update(n_done=done, n_total=total, phase=phase)

    return report


def _known(beside: ImportSummary | None) -> dict[str, Any]:
    known = asdict(beside) if beside else {}
    return {name: known[name] for name in ("sources", "warnings") if name in known}


@transaction.atomic
def _finish(
    job: ImportJob,
    finished_at: datetime,
    *,
    summary: ImportSummary | None = None,
    errors: list[LineError] | None = None,
    n_errors: int | None = None,
    beside: ImportSummary | None = None,
) -> ImportJob.Status:
    """Store the outcome. `beside` is what is known of the sources of a file with errors."""
    status = ImportJob.Status.DONE if summary else ImportJob.Status.FAILED
    found = [each.stored() for each in errors or []]
    ImportJob.objects.filter(pk=job.pk).update(
        status=status,
        phase="",
        n_done=F("n_total"),
        summary=asdict(summary) if summary else _known(beside),
        format=summary.format if summary else job.format,
        errors=found,
        n_errors=len(found) if n_errors is None else n_errors,
        finished_at=finished_at,
    )
    if summary and not job.is_dry_run:
        details = {"kind": job.kind, "sha256": job.file_sha256} | dict(summary.counts)
        activity.log(job.study, job.user, "import", about=job.file_name, details=details, now=finished_at)
    job.chunks.all().delete()
    return status
