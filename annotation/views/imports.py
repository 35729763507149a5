"""Pages of imports: upload a file, preview its first rows, and follow the job while a worker runs it."""

from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.access import Right, import_for, metric_for, signed_in, study_for
from annotation.forms_import import SEVERAL_COLUMNS, ImportForm
from annotation.importing import ImportRejected, Preview, preview
from annotation.importing.alike import alike
from annotation.importing.columns import NONE, SEVERAL
from annotation.importing.files import ready
from annotation.importing.kinds import WORKBOOK, file_kind
from annotation.importing.layouts import TURNS
from annotation.importing.outcome import NAMED_SOURCES, LineError, in_words
from annotation.importing.panel_columns import OF_DIALOGUE, OF_RESPONSE
from annotation.importing.remedies import COLUMN_LABELS, NO_RESPONSE, PREDICTION_LABELS
from annotation.importing.sheets import sheet_names
from annotation.models import ImportJob, Study
from annotation.selectors import studies as selectors
from annotation.selectors.health import imports_are_stalled
from annotation.selectors.taking_back import can_be_taken_back, n_used_of, obstacles, unused_of
from annotation.services import uploads
from annotation.services.metrics import delete_metric
from annotation.services.rehearsing import Rehearsal, can_rehearse, rehearse
from annotation.services.taking_back import take_back
from annotation.views.pages import announced, errors_in, page_of, study_page
from parley.progress import STOP_POLLING
from protocols.specs import spec_of

MOST_SHOWN = 10  # errors beside a preview
FINISHED = (ImportJob.Status.DONE, ImportJob.Status.FAILED, ImportJob.Status.TAKEN_BACK)
NEEDED: dict[str, dict[str, Any]] = {
    ImportJob.Kind.DIALOGUES: {
        "history": _("needed, or the prompt"),
        "prompt": _("needed, or the dialogue so far"),
        "response": _("needed"),
    },
    ImportJob.Kind.RATINGS: {"annotator": _("needed"), "value": _("needed, or a column for each criterion")},
    ImportJob.Kind.PREDICTIONS: {},
}
SEVERAL_HELP = {
    "response": _("Choose several if each source has its own column."),
    OF_DIALOGUE: _("Annotators read it beside the dialogue, under the name of the column."),
    OF_RESPONSE: _("Annotators read it above the response. Choose several if each source has its own column."),
}
NEEDED_OF_TURNS: dict[str, Any] = {"dialogue": _("needed"), "text": _("needed")}
COUNT_LABELS = {
    "dialogues_new": _("New dialogues"),
    "dialogues_unchanged": _("Unchanged dialogues"),
    "dialogues_replaced": _("Replaced dialogues"),
    "candidates_new": _("New candidates"),
    "candidates_replaced": _("Replaced candidates"),
    "conversations_read": _("Conversations in the file"),
    "sources_new": _("New sources"),
    "ratings_new": _("New ratings"),
    "ratings_unchanged": _("Unchanged ratings"),
    "batches_new": _("New batches"),
    "items_new": _("New items"),
    "annotators_new": _("New annotators"),
    "seats_taken": _("Free seats taken"),
    "seats_added": _("Seats added"),
    "marks_new": _("New marks"),
    "metrics_new": _("New metrics"),
    "predictions_new": _("New predictions"),
    "predictions_unchanged": _("Unchanged predictions"),
}
REMOVED_LABELS = {
    "ratings": _("Ratings"),
    "seats": _("Seats"),
    "annotators": _("Annotators"),
    "items": _("Items"),
    "batches": _("Batches"),
    "candidates": _("Candidates"),
    "dialogues": _("Dialogues"),
    "sources": _("Sources"),
}


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def study_import(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.IMPORT)
    initial = {"kind": "predictions"} if request.GET.get("kind") == "predictions" else {}
    before = _earlier(study, request.GET.get("again", ""))
    initial = ImportForm.values_of(before) if before else initial
    form = ImportForm(request.POST or None, request.FILES or None, initial=initial, study=study)
    if request.method == "POST" and form.is_valid():
        with errors_in(form):
            job = uploads.queue_import(
                study=study, user=signed_in(request.user), now=timezone.now(), **form.arguments()
            )
            return redirect("study_import_job", slug, job.token)
    kinds = {
        name: " ".join(kind for kind, names in form.fields_of.items() if name in names) for name in COLUMN_LABELS
    } | dict.fromkeys(form.criteria, str(ImportJob.Kind.RATINGS))
    columns = [(form[f"map_{name}"], name, of_kinds) for name, of_kinds in kinds.items() if of_kinds]
    return study_page(
        request,
        study,
        "annotation/import.html",
        status=422 if form.errors else 200,
        form=form,
        before=before,
        has_dialogues=study.dialogues.exists(),
        page=page_of(request, selectors.import_list(study)),
        columns=columns,
        worker_is_silent=imports_are_stalled(timezone.now()),
    )


def _earlier(study: Study, token: str) -> ImportJob | None:
    """Return the import that is tried again, if it is one of the study."""
    try:
        return study.imports.filter(token=token).first()
    except ValidationError:  # not even a token
        return None


@login_required
@require_POST
def study_import_preview(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the first rows of the chosen file before anything is queued. Nothing is stored."""
    study = study_for(request.user, slug, Right.IMPORT)
    form = ImportForm(request.POST, request.FILES, study=study)
    problems = [] if form.is_valid() else [text for texts in form.errors.values() for text in texts]
    is_part = "is_part" in request.POST
    found = {"problems": problems} if problems else look_at(form, study, is_part=is_part, now=timezone.now())
    return render(request, "annotation/_import_preview.html", {"study": study, **found})


def look_at(form: ImportForm, study: Study, *, is_part: bool, now: datetime) -> dict[str, Any]:
    """Return a preview of the upload with what its import would say, or the problems that prevent one."""
    values = form.cleaned_data
    options = uploads.make_options(values["kind"], form.options())
    path = Path(values["file"].temporary_file_path())  # FILE_UPLOAD_HANDLERS puts files of every size on disk
    spec = spec_of(study.protocol_version)
    sheets: list[str] = []
    try:
        with ready(path, options.sheet) as file:
            sheets = sheet_names(file) if file_kind(file) == WORKBOOK else []
            found = preview(file, values["kind"], values["format"], options=options, spec=spec, is_part=is_part)
        check = None
        if can_rehearse(found.format, is_part=is_part):
            reading = {"format": values["format"], "options": options, "is_part": is_part}
            check = rehearse(study, values["kind"], path, **reading, now=now)
    except ImportRejected as rejected:
        problems = [error.for_page().as_text(values["file"].name) for error in rejected.errors]
        return {"problems": problems, "sheets": sheets, "sheet": options.sheet}
    summary = check.summary if check else None
    return {
        "sheets": sheets,
        "sheet": options.sheet,
        "preview": found,
        **_said(found, check),
        "warnings": _warnings(study, found, check),
        "choices": column_choices(form, found),
        "new_sources": summary.sources if summary else new_sources(study, found),
        "file_name": values["file"].name,
        "is_transcript": values["kind"] == ImportJob.Kind.DIALOGUES and values["transcript"],
    }


def _said(found: Preview, check: Rehearsal | None) -> dict[str, Any]:
    """Return the errors of the import, or those of the rows that are shown, and how far the file was checked."""
    errors = check.errors if check and not check.is_busy else found.errors
    n_errors = max(check.n_errors if check else 0, len(errors))
    shown = alike([error.for_page() for error in errors], n_errors)[:MOST_SHOWN]
    return {
        "check": check,
        "errors": shown,
        "n_more_errors": n_errors - sum(each.n for each in shown),
        "is_remedy_folded": any(error.remedy and error.remedy.is_folded for error in errors),
    }


def _warnings(study: Study, found: Preview, check: Rehearsal | None) -> list[str]:
    """Return the warnings of the import if it has read the whole file, otherwise also those of the first rows."""
    said = check.summary.warnings if check and check.summary else []
    if check and check.summary and check.is_whole and not check.errors:
        return [in_words(each, "page") for each in said]
    return list(dict.fromkeys(in_words(each, "page") for each in [*found.sides.warnings(study), *said]))


def new_sources(study: Study, found: Preview) -> list[str]:
    """Return the first sources of the previewed dialogues that the study does not have."""
    if not found.are_dialogues:
        return []
    keys = [key for row in found.rows for key in (row["source"], *(each["source"] for each in row["candidates"]))]
    known = {"", *study.sources.values_list("key", flat=True)}
    return [key for key in dict.fromkeys(keys) if key not in known][:NAMED_SOURCES]


def column_choices(form: ImportForm, found: Preview) -> list[dict[str, Any]]:
    """Return what the page asks for each of our fields: which column of the file holds it, as far as it is known."""
    if not found.has_columns:
        return []
    kind = form.cleaned_data["kind"]
    labels: dict[str, Any] = {name: COLUMN_LABELS[name] for name in form.fields_of[kind]}
    labels |= PREDICTION_LABELS if kind == ImportJob.Kind.PREDICTIONS else {}
    if kind == ImportJob.Kind.RATINGS:
        labels |= form.criteria
    said = {name: column for name in labels if (column := form.cleaned_data[f"map_{name}"])}
    known = dict.fromkeys(labels, "") | found.mapping | said
    return [
        {
            "name": name,
            "label": label,
            "chosen": known[name].split(SEVERAL) if name in SEVERAL_COLUMNS else [known[name]],
            "none": NONE if known[name] else "",  # with an empty text, the column would be found again
            "other": NO_RESPONSE if name == "response" and not known[name] else "",
            "has_several": name in SEVERAL_COLUMNS,
            "help": SEVERAL_HELP.get(name, ""),
            "asked": found.asked if name == OF_RESPONSE else [],
            "needed": NEEDED[kind].get(name, "") if found.format != TURNS else NEEDED_OF_TURNS.get(name, ""),
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


@login_required
@require_POST
def study_import_take_back(request: HttpRequest, slug: str, token: UUID) -> HttpResponse:
    job = import_for(request.user, slug, token)
    with announced(request, gettext("The import of %(file)s was taken back.") % {"file": job.file_name}):
        take_back(job, by=signed_in(request.user), now=timezone.now())
    return redirect("study_import_job", slug, token)


def _job_context(job: ImportJob) -> dict[str, Any]:
    is_over = job.status in FINISHED
    is_retractable = can_be_taken_back(job)
    removed = job.summary.get("removed", {})
    errors = alike([LineError.from_stored(each).for_page() for each in job.errors], job.n_errors)
    warnings = [in_words(each, "page") for each in job.summary.get("warnings", [])]
    are_dialogues = job.kind == ImportJob.Kind.DIALOGUES and not job.is_dry_run
    return {
        "job": job,
        "is_over": is_over,
        "percent": 100 * job.n_done // job.n_total if job.n_total else 0,
        "counts": [
            (COUNT_LABELS.get(name, name), n, job.summary.get("sources", []) if name == "sources_new" else [])
            for name, n in job.summary.get("counts", {}).items()
        ],
        "is_retractable": is_retractable,
        "obstacles": obstacles(job) if is_retractable else [],
        "are_dialogues": are_dialogues,
        "warnings": warnings,
        "n_kept": n_used_of(job) if is_retractable and are_dialogues else 0,
        "n_removable": unused_of(job).count() if is_retractable and are_dialogues else 0,
        "removed": [(label, removed[name]) for name, label in REMOVED_LABELS.items() if name in removed],
        "n_left": removed.get("left", 0),
        "errors": errors,
        "n_hidden_errors": job.n_errors - sum(each.n for each in errors),
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
