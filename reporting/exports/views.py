"""The exports page: small exports are sent at once, large ones are written by a worker; owners also see the log."""

import tempfile
from dataclasses import asdict
from typing import IO, Any
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access import Right, export_for, rights_in, signed_in, study_for
from annotation.models import ActivityLog, ExportJob, Study
from annotation.selectors.health import imports_are_stalled
from annotation.services.refusals import Refused
from parley.progress import STOP_POLLING
from qualification.activity.labels import FILE_VERBS, VERBS
from reporting.exports import asking
from reporting.exports.cursors import count_ratings
from reporting.exports.formats import DIRECT_ROWS, FORMATS, file_name, no_tick, write_export
from reporting.exports.forms import ExportForm
from reporting.exports.options import ExportOptions

LISTED = 20
UNDER_WAY = (ExportJob.Status.QUEUED, ExportJob.Status.RUNNING)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def exports(request: HttpRequest, slug: str) -> HttpResponseBase:
    study = study_for(request.user, slug, Right.READ)
    is_owner = Right.MEMBERS in rights_in(request.user, study)
    if "with_names" in request.POST and not is_owner:
        raise PermissionDenied(_("Only an owner may export account names."))
    form = ExportForm(study, request.POST or None, is_owner=is_owner)
    if request.method == "POST" and form.is_valid():
        format, options, n_ratings = form.cleaned_data["format"], form.options(), count_ratings(study)
        user, now = signed_in(request.user), timezone.now()
        if n_ratings <= DIRECT_ROWS:
            asking.log_asked(study, user, format, options, n_ratings, now=now)
            return _direct(study, format, options)
        try:
            asking.queue(study, user, format, options, now=now)
            return redirect("exports", study.slug)
        except Refused as refusal:
            form.add_error(None, refusal.message)
    return _page(request, study, form, status=422 if request.method == "POST" else 200)


def _direct(study: Study, format: str, options: ExportOptions) -> HttpResponseBase:
    chosen, name = FORMATS[format], file_name(study, format)
    if chosen.pieces is not None:
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        pieces = chosen.pieces(study, options, no_tick)
        return StreamingHttpResponse(pieces, content_type=chosen.content_type, headers=headers)
    file: IO[bytes] = tempfile.TemporaryFile(buffering=1024 * 1024)  # noqa: SIM115 - the response closes it
    write_export(study, format, asdict(options), file)
    file.seek(0)
    return FileResponse(file, as_attachment=True, filename=name, content_type=chosen.content_type)


def _page(request: HttpRequest, study: Study, form: ExportForm, *, status: int) -> HttpResponse:
    n_ratings, rights = count_ratings(study), rights_in(request.user, study)
    taken = None
    if Right.MEMBERS in rights:  # the latest log lines on exported files; the log of quality control has all others
        lines = ActivityLog.objects.filter(study=study, verb__in=FILE_VERBS).select_related("actor").order_by("-pk")
        taken = [(line, str(VERBS[line.verb].name)) for line in lines[:LISTED]]
    formats = [
        {"key": key, "name": each.name, "about": each.about, "size": each.bytes_about(n_ratings) if n_ratings else 0}
        for key, each in FORMATS.items()
    ]
    context = {
        "study": study,
        "rights": rights,
        "form": form,
        "formats": formats,
        "chosen": form["format"].value(),
        "n_ratings": n_ratings,
        "is_large": n_ratings > DIRECT_ROWS,
        "taken": taken,
        **_jobs(study),
    }
    return render(request, "reporting/exports/exports.html", context, status=status)


def _jobs(study: Study) -> dict[str, Any]:
    jobs = list(study.exports.select_related("user").order_by("-pk")[:LISTED])
    for job in jobs:
        job.percent = 100 * job.n_done // job.n_total if job.n_total else 0  # type: ignore[attr-defined]
        job.format_name = FORMATS[job.format].name if job.format in FORMATS else job.format  # type: ignore[attr-defined]
    is_waiting = any(job.status in UNDER_WAY for job in jobs)
    return {
        "jobs": jobs,
        "is_waiting": is_waiting,
        "worker_is_silent": is_waiting and imports_are_stalled(timezone.now()),
    }


@login_required
@never_cache
@require_safe
def export_jobs(request: HttpRequest, slug: str) -> HttpResponse:
    """Return the list of jobs; the page polls it while one of them is unfinished."""
    study = study_for(request.user, slug, Right.READ)
    context = {"study": study, "rights": rights_in(request.user, study), **_jobs(study)}
    status = 200 if context["is_waiting"] else STOP_POLLING
    return render(request, "reporting/exports/_jobs.html", context, status=status)


@login_required
@never_cache
@require_safe
def export_file(request: HttpRequest, slug: str, token: UUID) -> HttpResponseBase:
    job = export_for(request.user, slug, token)
    if job.status != ExportJob.Status.DONE:
        return HttpResponse(_("This file no longer exists. Export it again."), status=410)
    if request.method == "GET":
        asking.log_fetched(job, signed_in(request.user), now=timezone.now())
    return asking.file_response(job)
