"""Large exports as jobs: a worker writes the file, and the database keeps it for some days.

Only one worker runs a job at a time. Delivering a job several times is safe.
"""

import hashlib
import logging
import tempfile
import time
import zlib
from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime, timedelta
from functools import partial
from typing import IO, Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F, Q
from django.utils.translation import get_language, override
from django.utils.translation import gettext as _

from annotation.models import ExportChunk, ExportJob, Study
from annotation.nudging import queue
from annotation.services.refusals import Refused
from parley.advisory import is_locked, locked
from parley.progress import now_and_then
from reporting.exports.formats import file_name, write_export
from reporting.exports.options import ExportOptions
from reporting.exports.tables import Tick

logger = logging.getLogger(__name__)


CHUNK = 1024 * 1024
FAST = 1  # zlib's level
SECONDS_PER_REPORT = 0.5
MOST_ATTEMPTS = 3
LOST_AFTER = timedelta(minutes=2)
KEPT_FOR = timedelta(days=7)
MOST_WAITING = 5  # per person and study: each job occupies a worker and then space in the database
LOCK_SPACE = 0x1A71
Status = ExportJob.Status
OPEN = (Status.QUEUED, Status.RUNNING)


# --- queueing ------------------------------------------------------------------------------------
@transaction.atomic
def queue_export(
    study: Study,
    user: User,
    *,
    format: str,
    options: ExportOptions,
    n_total: int,
    now: datetime,
) -> ExportJob:
    """Queue an export for a worker. Raises Refused if the person has too many unfinished exports."""
    if study.exports.filter(user=user, status__in=OPEN).count() >= MOST_WAITING:
        raise Refused("too_many", _("Several of your exports are still running. Wait until one is done."))
    job = ExportJob.objects.create(
        study=study,
        user=user,
        format=format,
        options=asdict(options),
        file_name=file_name(study, format),
        has_names=options.with_names,
        n_total=n_total,
        language=get_language() or settings.LANGUAGE_CODE,
        created_at=now,
    )
    transaction.on_commit(partial(_send, job.pk), robust=True)
    return job


def _send(job_id: int) -> None:
    queue("reporting.tasks.run_export", job_id)


def tend_exports(*, now: datetime) -> tuple[int, int]:
    """Send lost jobs again and delete old files. Return the number of each."""
    since = now - LOST_AFTER
    lost = ExportJob.objects.filter(
        Q(status=Status.QUEUED, created_at__lte=since) | Q(status=Status.RUNNING, started_at__lte=since)
    )
    ids = [pk for pk in lost.order_by("pk").values_list("pk", flat=True) if not is_locked(LOCK_SPACE, pk)]
    for pk in ids:
        _send(pk)
    return len(ids), _expire_old(now)


@transaction.atomic
def _expire_old(now: datetime) -> int:
    """Delete the files of old jobs, but keep the jobs as a record."""
    old = ExportJob.objects.filter(status=Status.DONE, finished_at__lte=now - KEPT_FOR)
    ids = list(old.select_for_update(skip_locked=True).values_list("pk", flat=True))
    ExportJob.objects.filter(pk__in=ids).update(status=Status.EXPIRED)
    ExportChunk.objects.filter(job__in=ids).delete()
    return len(ids)


# --- running -------------------------------------------------------------------------------------
def run_export_job(job_id: int, now: datetime) -> ExportJob.Status | None:
    """Write the job's file and return its status, or None if it is done or another worker is writing it."""
    with locked(LOCK_SPACE, job_id) as is_mine:
        jobs = ExportJob.objects.filter(pk=job_id, status__in=OPEN)
        begun = {"status": Status.RUNNING, "started_at": now, "n_done": 0, "n_attempts": F("n_attempts") + 1}
        if not is_mine or not jobs.update(**begun):
            return None
        job = ExportJob.objects.select_related("study__protocol_version__protocol").get(pk=job_id)
        began = time.monotonic()
        with override(job.language), tempfile.TemporaryFile(buffering=CHUNK) as file:
            error = _write(job, file)
            return _finish(job, file, error, now + timedelta(seconds=time.monotonic() - began))


def _write(job: ExportJob, file: IO[bytes]) -> str:
    """Write the file. Return the sentence to show if that failed, otherwise an empty string."""
    if job.n_attempts > MOST_ATTEMPTS:
        return _("The export was interrupted on every attempt. Ask the administrator.")
    try:
        write_export(job.study, job.format, job.options, file, _reporter(job))
    except Exception:
        # The waiting person must see that it ended; the log has the error itself.
        logger.exception("export %s failed", job.pk)
        return _("The file was not created because of a program error. The administrator can find it in the log.")
    return ""


def _reporter(job: ExportJob) -> Tick:
    own = ExportJob.objects.filter(pk=job.pk)
    return now_and_then(SECONDS_PER_REPORT, lambda n_done: own.update(n_done=n_done))


@transaction.atomic
def _finish(job: ExportJob, file: IO[bytes], error: str, finished_at: datetime) -> ExportJob.Status:
    values: dict[str, Any] = {"status": Status.FAILED, "error": error}
    if not error:
        n_bytes, digest = _store_chunks(job, file)
        values = {"status": Status.DONE, "n_bytes": n_bytes, "sha256": digest, "n_done": F("n_total")}
    ExportJob.objects.filter(pk=job.pk).update(finished_at=finished_at, **values)
    return values["status"]


def _store_chunks(job: ExportJob, file: IO[bytes]) -> tuple[int, str]:
    """Store the file compressed, in chunks. Return its uncompressed length and SHA-256."""
    digest, waiting, number = hashlib.sha256(), bytearray(), 0
    file.seek(0)
    for piece in _packed(file, digest):
        waiting += piece
        while len(waiting) > CHUNK:
            ExportChunk.objects.create(job=job, number=number, data=bytes(waiting[:CHUNK]))
            del waiting[:CHUNK]
            number += 1
    ExportChunk.objects.create(job=job, number=number, data=bytes(waiting))
    return file.tell(), digest.hexdigest()


def _packed(file: IO[bytes], digest: Any) -> Iterator[bytes]:
    packer = zlib.compressobj(FAST)
    while piece := file.read(CHUNK):
        digest.update(piece)
        yield packer.compress(piece)
    yield packer.flush()


def export_pieces(job: ExportJob) -> Iterator[bytes]:
    """Yield the finished file in pieces. Each has its own query, so that a slow reader does not keep a cursor open."""
    unpacker = zlib.decompressobj()
    number = 0
    while data := ExportChunk.objects.filter(job=job, number=number).values_list("data", flat=True).first():
        yield unpacker.decompress(data)
        number += 1
    yield unpacker.flush()
