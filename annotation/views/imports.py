"""Pages of imports: upload a file, preview its first rows, and follow the job while a worker runs it."""

from pathlib import Path
from typing import Any
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.access import Right, import_for, metric_for, signed_in, study_for
from annotation.forms_import import COLUMN_LABELS, FIELDS_OF, PREDICTION_LABELS, ImportForm
from annotation.importing import ImportRejected, Preview, preview
from annotation.importing.columns import NONE, SEVERAL
from annotation.models import ImportJob, Study
from annotation.selectors import studies as selectors
from annotation.selectors.health import imports_are_stalled
from annotation.services import uploads
from annotation.services.metrics import delete_metric
from annotation.views.pages import STOP_POLLING, announced, errors_in, page_of, study_page
from protocols.specs import spec_of

FINISHED = (ImportJob.Status.DONE, ImportJob.Status.FAILED)
COUNT_LABELS = {
    "dialogues_new": _("New dialogues"),
    "dialogues_unchanged": _("Unchanged dialogues"),
    "candidates_new": _("New candidates"),
    "sources_new": _("New sources"),
    "ratings_new": _("New ratings"),
    "ratings_unchanged": _("Unchanged ratings"),
    "batches_new": _("New batches"),
    "items_new": _("New items"),
    "annotators_new": _("New annotators"),
    "seats_taken": _("Seats taken"),
    "seats_added": _("Added seats"),
    "marks_new": _("New marks"),
    "metrics_new": _("New metrics"),
    "predictions_new": _("New predictions"),
    "predictions_unchanged": _("Unchanged predictions"),
}


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def study_import(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.IMPORT)
    initial = {"kind": "predictions"} if request.GET.get("kind") == "predictions" else {}
    form = ImportForm(request.POST or None, request.FILES or None, initial=initial, study=study)
    if request.method == "POST" and form.is_valid():
        with errors_in(form):
            job = uploads.queue_import(
                study=study, user=signed_in(request.user), now=timezone.now(), **form.arguments()
            )
            return redirect("study_import_job", slug, job.token)
    columns = [
        (form[f"map_{name}"], name, " ".join(kind for kind, names in FIELDS_OF.items() if name in names) or "ratings")
        for name in (*COLUMN_LABELS, *form.criteria)
    ]
    return study_page(
        request,
        study,
        "annotation/import.html",
        status=422 if form.errors else 200,
        form=form,
        page=page_of(request, selectors.import_list(study)),
        columns=columns,
        worker_is_silent=imports_are_stalled(timezone.now()),
    )


@login_required
@require_POST
def study_import_preview(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the first rows of the chosen file before anything is queued. Nothing is stored."""
    study = study_for(request.user, slug, Right.IMPORT)
    form = ImportForm(request.POST, request.FILES, study=study)
    problems = [] if form.is_valid() else [text for texts in form.errors.values() for text in texts]
    found = {"problems": problems} if problems else look_at(form, study, is_part="is_part" in request.POST)
    return render(request, "annotation/_import_preview.html", {"study": study, **found})


def look_at(form: ImportForm, study: Study, *, is_part: bool) -> dict[str, Any]:
    """Return a preview of the upload, or the problems that prevent one."""
    values = form.cleaned_data
    options = uploads.make_options(values["kind"], form.options())
    path = Path(values["file"].temporary_file_path())  # FILE_UPLOAD_HANDLERS puts files of every size on disk
    spec = spec_of(study.protocol_version)
    try:
        found = preview(path, values["kind"], values["format"], options=options, spec=spec, is_part=is_part)
    except ImportRejected as rejected:
        return {"problems": [error.as_text(values["file"].name) for error in rejected.errors]}
    return {
        "preview": found,
        "choices": column_choices(form, found),
        "file_name": values["file"].name,
        "is_transcript": values["kind"] == ImportJob.Kind.DIALOGUES and values["transcript"],
    }


def column_choices(form: ImportForm, found: Preview) -> list[dict[str, Any]]:
    """Return what the page asks for each of our fields: which column of the file holds it, as far as it is known."""
    if not found.has_columns:
        return []
    kind = form.cleaned_data["kind"]
    labels: dict[str, Any] = {name: COLUMN_LABELS[name] for name in FIELDS_OF[kind]}
    labels |= PREDICTION_LABELS if kind == ImportJob.Kind.PREDICTIONS else {}
    if kind == ImportJob.Kind.RATINGS:
        labels |= form.criteria
    said = {name: column for name in labels if (column := form.cleaned_data[f"map_{name}"])}
    known = dict.fromkeys(labels, "") | found.mapping | said
    return [
        {
            "name": name,
            "label": label,
            "chosen": known[name].split(SEVERAL) if name == "response" else [known[name]],
            "none": NONE if known[name] else "",  # with an empty text, the column would be found again
            "has_several": name == "response",
        }
        for name, label in labels.items()
    ]


@login_required
@never_cache
@require_safe
def study_import_job(request: HttpRequest, slug: str, token: UUID) -> HttpResponse:
    job = import_for(request.user, slug, token)
    return study_page(request, job.study, "annotation/import_job.html", **_job_context(job))


@login_required
@never_cache
@require_safe
def study_import_job_status(request: HttpRequest, slug: str, token: UUID) -> HttpResponse:
    job = import_for(request.user, slug, token)
    context = {"study": job.study, **_job_context(job)}
    status = STOP_POLLING if job.status in FINISHED else 200
    return render(request, "annotation/_import_job.html", context, status=status)


def _job_context(job: ImportJob) -> dict[str, Any]:
    is_over = job.status in FINISHED
    return {
        "job": job,
        "is_over": is_over,
        "percent": 100 * job.n_done // job.n_total if job.n_total else 0,
        "counts": [(COUNT_LABELS.get(name, name), n) for name, n in job.summary.get("counts", {}).items()],
        "n_hidden_errors": job.n_errors - len(job.errors),
        "worker_is_silent": not is_over and imports_are_stalled(timezone.now()),
    }


@login_required
@require_POST
def metric_delete(request: HttpRequest, slug: str, token: UUID) -> HttpResponse:
    """Delete an imported metric or one of a judge. The pages of `reporting` show their values."""
    metric = metric_for(request.user, slug, token)
    with announced(request, gettext("%(name)s no longer appears in any table.") % {"name": metric.name}):
        delete_metric(metric, by=signed_in(request.user), now=timezone.now())
    return redirect("predictions", slug)
