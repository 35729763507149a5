"""Request an export and fetch its file, from the page or the API; the activity log records who did."""

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
    """Queue the export for a worker and log it. Raises Refused if the person has too many unfinished exports."""
    n_ratings = count_ratings(study)
    job = jobs.queue_export(study, user, format=format, options=options, n_total=n_ratings, now=now)
    log_asked(study, user, format, options, n_ratings, now=now)
    return job


def log_asked(study: Study, user: User, format: str, options: ExportOptions, n_ratings: int, *, now: datetime) -> None:
    details = {"format": format, "ratings": n_ratings, "names": options.with_names}
    activity.log(study, user, "export", about=file_name(study, format), details=details, now=now)


def log_fetched(job: ExportJob, user: User, *, now: datetime) -> None:
    """Log every download of a file with account names; other files are logged only when they are requested."""
    if job.has_names:
        activity.log(job.study, user, "fetch", about=job.file_name, details={"names": True}, now=now)


def file_response(job: ExportJob) -> StreamingHttpResponse:
    """Stream the file of a finished job."""
    headers = {
        "Content-Disposition": f'attachment; filename="{job.file_name}"',
        "Content-Length": str(job.n_bytes),
        "X-Content-SHA256": job.sha256,
    }
    content_type = FORMATS[job.format].content_type if job.format in FORMATS else "application/octet-stream"
    return StreamingHttpResponse(jobs.export_pieces(job), content_type=content_type, headers=headers)
