from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.access import Right, rights_in, study_for
from annotation.models import Study
from annotation.selectors.health import imports_are_stalled
from parley.progress import STOP_POLLING
from reporting.report.build import Report, open_report
from reporting.report.downloads import FORMATS, as_json, as_xlsx
from reporting.report.frames import TABLES
from reporting.report.kept import Shown, report_page
from reporting.report.latex import as_latex
from reporting.report.page import page_of
from reporting.report.pdf import PdfUnavailable, as_pdf, styles_of_file
from reporting.report.readers import SINGLE_ANSWERS, report_for


@require_safe
@login_required
def report(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.WATCH)
    rights = rights_in(request.user, study)
    shown = report_page(study, rights, now=timezone.now())
    context = {"study": study, "rights": rights, "shown": shown, **_as_of(shown)}
    return render(request, "reporting/report/report.html", context)


def _as_of(shown: Shown) -> dict[str, Any]:
    return {"worker_is_silent": shown.is_waiting and imports_are_stalled(timezone.now())}


@require_safe
@never_cache
@login_required
def report_state(request: HttpRequest, slug: str) -> HttpResponse:
    """Return the line that says as of when the report is; its page polls it while a newer one is made."""
    study = study_for(request.user, slug, Right.WATCH)
    shown = report_page(study, rights_in(request.user, study), now=timezone.now())
    seen = request.GET.get("seen", "")
    context = {"study": study, "shown": shown, "seen": seen, "is_newer": shown.version != seen, **_as_of(shown)}
    is_over = context["is_newer"] or not shown.is_waiting
    response = render(request, "reporting/report/_as_of.html", context, status=STOP_POLLING if is_over else 200)
    if context["is_newer"] and not seen:
        response["HX-Refresh"] = "true"  # nobody reads the page yet
    return response


@require_safe
@login_required
def report_json(request: HttpRequest, slug: str) -> HttpResponse:
    study, report = _read(request, slug)
    return _download(as_json(report).encode(), "application/json", f"{study.slug}-report.json")


@require_safe
@login_required
def report_table(request: HttpRequest, slug: str, table: str, ending: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.READ if table in SINGLE_ANSWERS else Right.WATCH)
    if table not in TABLES or ending not in FORMATS:
        raise Http404(_("This table does not exist."))
    write, kind = FORMATS[ending]
    return _download(write(open_report(study, now=timezone.now()), table), kind, f"{study.slug}-{table}.{ending}")


@require_safe
@login_required
def report_pdf(request: HttpRequest, slug: str) -> HttpResponse:
    study, report = _read(request, slug)
    try:
        context = {"study": study, "is_paper": True} | page_of(report)
        body = as_pdf(render_to_string("reporting/report/print.html", context))
    except PdfUnavailable as missing:
        messages.error(request, str(missing))
        return redirect("report", study.slug)
    return _download(body, "application/pdf", f"{study.slug}-report.pdf")


@require_safe
@login_required
def report_html(request: HttpRequest, slug: str) -> HttpResponse:
    """Return one file that includes styles and charts, to keep with a paper and open without a server."""
    study, report = _read(request, slug)
    context = {"study": study, "styles": styles_of_file()} | page_of(report)
    body = render_to_string("reporting/report/print.html", context).encode()
    return _download(body, "text/html; charset=utf-8", f"{study.slug}-report.html")


@require_safe
@login_required
def report_latex(request: HttpRequest, slug: str) -> HttpResponse:
    study, report = _read(request, slug)
    return _download(as_latex(report).encode(), "application/x-tex; charset=utf-8", f"{study.slug}-report.tex")


@require_safe
@login_required
def report_xlsx(request: HttpRequest, slug: str) -> HttpResponse:
    study, report = _read(request, slug)
    return _download(as_xlsx(report), FORMATS["xlsx"][1], f"{study.slug}-report.xlsx")


def _read(request: HttpRequest, slug: str) -> tuple[Study, Report]:
    study = study_for(request.user, slug, Right.WATCH)
    return study, report_for(rights_in(request.user, study), study, now=timezone.now())


def _download(body: bytes, content_type: str, name: str) -> HttpResponse:
    return HttpResponse(body, content_type, headers={"Content-Disposition": f'attachment; filename="{name}"'})
