"""The planner: a plan from the query string. Nothing is stored, so a plan is a link."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.access import Right, rights_in, study_for
from reporting.planner.page import as_json, planner_document, planner_page


@require_safe
@login_required
def planner(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.WATCH)
    context = {"study": study, "rights": rights_in(request.user, study)}
    return render(request, "reporting/planner/planner.html", context | planner_page(study, request.GET.dict()))


@require_safe
@login_required
def planner_json(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.WATCH)
    document = planner_document(study, request.GET.dict())
    headers = {"Content-Disposition": f'attachment; filename="{study.slug}-plan.json"'}
    status = 400 if "errors" in document else 200
    return HttpResponse(as_json(document), content_type="application/json", headers=headers, status=status)
