"""The page of the activity log, for the owners of a study, and the log as a file."""

import json
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from annotation.access import Right, signed_in, study_for
from annotation.models import Study
from annotation.services import activity as log
from annotation.views.pages import page_of, study_page
from parley.formulas import csv_file
from qualification.activity.forms import ActivityForm
from qualification.activity.labels import verb_name
from qualification.activity.selectors import BY_RULE, activities, activity_rows, people_in, verbs_in

COLUMNS = ("line", "at", "actor", "verb", "object", "details")


def _form(study: Study, data: QueryDict) -> ActivityForm:
    verbs = sorted(((verb, verb_name(verb)) for verb in verbs_in(study)), key=lambda pair: pair[1])
    people = [*people_in(study), (BY_RULE, _("a rule or a command"))]
    return ActivityForm(data, verbs=verbs, people=people)


def _chosen(form: ActivityForm) -> dict[str, Any]:
    """Return the filters that are set; none if one is invalid, which the form shows."""
    return {name: value for name, value in form.cleaned_data.items() if value} if form.is_valid() else {}


@login_required
@require_safe
def activity(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.MEMBERS)
    form = _form(study, request.GET)
    chosen = _chosen(form)
    context: dict[str, Any] = {
        "page_name": "activity",
        "form": form,
        "chosen": {name: str(value) for name, value in chosen.items()},
        "formats": list(WRITERS),
        "page": page_of(request, activities(study, **chosen)),
        "query": f"&{urlencode(chosen)}" if chosen else "",
    }
    return study_page(request, study, "qualification/activity/activity.html", **context)


@login_required
@require_POST
def activity_file(request: HttpRequest, slug: str, format: str) -> HttpResponse:
    """Return the chosen lines as a file. The download is logged before, so an unfiltered file begins with it."""
    study = study_for(request.user, slug, Right.MEMBERS)
    if format not in WRITERS:
        raise Http404("No such format.")
    chosen, name = _chosen(_form(study, request.POST)), f"{study.slug}-activity.{format}"
    details = {each: str(value) for each, value in chosen.items()}
    log.log(study, signed_in(request.user), "activity_file", about=name, details=details, now=timezone.now())
    text, content_type = WRITERS[format](list(activity_rows(activities(study, **chosen))))
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(text, content_type=content_type, headers=headers)


def _csv(rows: list[dict[str, Any]]) -> tuple[str, str]:
    said = (row | {"details": json.dumps(row["details"], ensure_ascii=False, sort_keys=True)} for row in rows)
    return csv_file(COLUMNS, ([row[name] for name in COLUMNS] for row in said)), "text/csv; charset=utf-8"


def _json(rows: list[dict[str, Any]]) -> tuple[str, str]:
    return json.dumps(rows, ensure_ascii=False, indent=1), "application/json"


WRITERS = {"csv": _csv, "json": _json}
