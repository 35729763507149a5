from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils import timezone
from django.views.decorators.http import require_safe

from annotation.access import Right, study_for
from annotation.models import Study
from reporting.report.build import build_report
from reporting.report.downloads import TABLES, as_csv, as_json
from reporting.report.page import page_of
from reporting.report.pdf import as_pdf


@require_safe
@login_required
def report(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.WATCH)
    found = build_report(study, now=timezone.now())
    return render(request, "reporting/report.html", {"study": study, **page_of(found)})


@require_safe
@login_required
def report_json(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.WATCH)
    text = as_json(build_report(study, now=timezone.now()))
    return _download(text.encode(), "application/json", f"{study.slug}-report.json")


@require_safe
@login_required
def report_csv(request: HttpRequest, slug: str, table: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.WATCH)
    if table not in TABLES:
        raise Http404("There is no such table.")
    text = as_csv(build_report(study, now=timezone.now()), table)
    # The mark at the front makes spreadsheets read the names of sources as UTF-8.
    return _download(text.encode("utf-8-sig"), "text/csv; charset=utf-8", f"{study.slug}-{table}.csv")


@require_safe
@login_required
def report_pdf(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.WATCH)
    html = _printed(study)
    return _download(as_pdf(html), "application/pdf", f"{study.slug}-report.pdf")


def _printed(study: Study) -> str:
    found = build_report(study, now=timezone.now())
    return render_to_string("reporting/report_print.html", {"study": study, **page_of(found)})


def _download(body: bytes, content_type: str, name: str) -> HttpResponse:
    return HttpResponse(
        body, content_type=content_type, headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )
