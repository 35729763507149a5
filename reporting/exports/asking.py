"""Asking for an export and fetching its file, from the page and over the API alike: the log has who did."""

from datetime import datetime

from django.contrib.auth.models import User
from django.http import StreamingHttpResponse

from annotation.models import ExportJob, Study
from annotation.services import activity
from reporting.exports import jobs
from reporting.exports.cursors import count_ratings
from reporting.exports.formats import FORMATS, file_name
from reporting.exports.options import ExportOptions


def queue(study: Study, user: User, format: str, options: ExportOptions, *, now: datetime) -> ExportJob:
    """Have a worker write it. Raises Refused when the person has enough exports under way."""
    n_ratings = count_ratings(study)
    job = jobs.queue_export(
        study,
        user,
        format=format,
        options=options.as_dict(),
        file_name=file_name(study, format),
        has_names=options.with_names,
        n_total=n_ratings,
        now=now,
    )
    log_asked(study, user, format, options, n_ratings, now=now)
    return job


def log_asked(study: Study, user: User, format: str, options: ExportOptions, n_ratings: int, *, now: datetime) -> None:
    details = {"format": format, "ratings": n_ratings, "names": options.with_names}
    activity.log(study, user, "export", about=file_name(study, format), details=details, now=now)


def log_fetched(job: ExportJob, user: User, *, now: datetime) -> None:
    """A file with account names, each time; the others were logged when they were asked for."""
    if job.has_names:
        activity.log(job.study, user, "fetch", about=job.file_name, details={"names": True}, now=now)


def file_response(job: ExportJob) -> StreamingHttpResponse:
    """The file of a job that is done, piece by piece."""
    headers = {
        "Content-Disposition": f'attachment; filename="{job.file_name}"',
        "Content-Length": str(job.n_bytes),
        "X-Content-SHA256": job.sha256,
    }
    content_type = FORMATS[job.format].content_type if job.format in FORMATS else "application/octet-stream"
    return StreamingHttpResponse(jobs.export_pieces(job), content_type=content_type, headers=headers)
