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
FORMATS = {"csv": "text/csv; charset=utf-8", "json": "application/json"}


def _chosen(study: Study, data: QueryDict) -> tuple[ActivityForm, dict[str, Any]]:
    """Return the form, and the filters that are set; none if one is invalid, which the form shows."""
    verbs = sorted(((verb, verb_name(verb)) for verb in verbs_in(study)), key=lambda pair: pair[1])
    people = [*people_in(study), (BY_RULE, _("a rule or a command"))]
    form = ActivityForm(data, verbs=verbs, people=people)
    return form, {name: value for name, value in form.cleaned_data.items() if value} if form.is_valid() else {}


@login_required
@require_safe
def activity(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.MEMBERS)
    form, chosen = _chosen(study, request.GET)
    context: dict[str, Any] = {
        "page_name": "activity",
        "form": form,
        "chosen": {name: str(value) for name, value in chosen.items()},
        "formats": list(FORMATS),
        "page": page_of(request, activities(study, **chosen)),
        "query": f"&{urlencode(chosen)}" if chosen else "",
    }
    return study_page(request, study, "qualification/activity/activity.html", **context)


@login_required
@require_POST
def activity_file(request: HttpRequest, slug: str, format: str) -> HttpResponse:
    """Return the chosen lines as a file. The download is logged before, so an unfiltered file begins with it."""
    study = study_for(request.user, slug, Right.MEMBERS)
    if format not in FORMATS:
        raise Http404("No such format.")
    _form, chosen = _chosen(study, request.POST)
    name = f"{study.slug}-activity.{format}"
    details = {each: str(value) for each, value in chosen.items()}
    log.log(study, signed_in(request.user), "activity_file", about=name, details=details, now=timezone.now())
    rows = list(activity_rows(activities(study, **chosen)))
    if format == "json":
        text = json.dumps(rows, ensure_ascii=False, indent=1)
    else:
        said = (row | {"details": json.dumps(row["details"], ensure_ascii=False, sort_keys=True)} for row in rows)
        text = csv_file(COLUMNS, ([row[name] for name in COLUMNS] for row in said))
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(text, content_type=FORMATS[format], headers=headers)
