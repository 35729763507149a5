from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.access import Right, rights_in, study_for
from annotation.models import Study
from reporting.predictions.downloads import as_csv, as_json, distributions_as_csv
from reporting.predictions.page import index_page, metric_page
from reporting.predictions.selectors import criteria_of
from reporting.predictions.table import Comparison


@require_safe
@login_required
def predictions(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.WATCH)
    return _page(request, study, "reporting/predictions/predictions.html", index_page(Comparison(study)))


@require_safe
@login_required
def predictions_metric(request: HttpRequest, slug: str, token: UUID, criterion: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.WATCH)
    comparison = Comparison(study)
    metric = next((each for each in comparison.metrics if each.token == token), None)
    criteria = criteria_of(metric, comparison.spec) if metric else []
    about = next((each for each in criteria if each.key == criterion), None)
    if metric is None or about is None:
        raise Http404("No such metric.")
    return _page(request, study, "reporting/predictions/metric.html", metric_page(comparison, metric, about))


def _page(request: HttpRequest, study: Study, template: str, context: dict[str, object]) -> HttpResponse:
    return render(request, template, {"study": study, "rights": rights_in(request.user, study), **context})


@require_safe
@login_required
def predictions_csv(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.WATCH)
    # The byte order mark (utf-8-sig) makes spreadsheets read names as UTF-8.
    body = as_csv(Comparison(study)).encode("utf-8-sig")
    return _download(body, "text/csv; charset=utf-8", f"{study.slug}-predictions.csv")


@require_safe
@login_required
def predictions_distributions(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.WATCH)
    body = distributions_as_csv(Comparison(study)).encode("utf-8-sig")
    return _download(body, "text/csv; charset=utf-8", f"{study.slug}-predictions-distributions.csv")


@require_safe
@login_required
def predictions_json(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.WATCH)
    return _download(as_json(Comparison(study)).encode(), "application/json", f"{study.slug}-predictions.json")


def _download(body: bytes, content_type: str, name: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(body, content_type=content_type, headers=headers)
