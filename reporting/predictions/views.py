from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.access import Right, may, rights_in, study_for
from annotation.models import Study
from reporting.predictions.downloads import as_csv, as_json, beside_as_csv, distributions_as_csv
from reporting.predictions.forms import EpsilonForm
from reporting.predictions.page import index_page, metric_page
from reporting.predictions.selectors import criteria_of
from reporting.predictions.table import Comparison

CSV = "text/csv; charset=utf-8"
FILES = {  # the byte order mark (utf-8-sig) makes spreadsheets read names as UTF-8
    "predictions.csv": (as_csv, CSV, "utf-8-sig"),
    "predictions-distributions.csv": (distributions_as_csv, CSV, "utf-8-sig"),
    "predictions-people.csv": (beside_as_csv, CSV, "utf-8-sig"),
    "predictions.json": (as_json, "application/json", "utf-8"),
}


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
    form = EpsilonForm(request.GET if "epsilon" in request.GET else None)
    has_texts = may(request.user, study, Right.READ)
    context = metric_page(comparison, metric, about, epsilon=form.chosen, has_texts=has_texts)
    return _page(request, study, "reporting/predictions/metric.html", {**context, "epsilon_form": form})


def _page(request: HttpRequest, study: Study, template: str, context: dict[str, object]) -> HttpResponse:
    return render(request, template, {"study": study, "rights": rights_in(request.user, study), **context})


@require_safe
@login_required
def predictions_file(request: HttpRequest, slug: str, file: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.WATCH)
    write, content_type, encoding = FILES[file]
    headers = {"Content-Disposition": f'attachment; filename="{study.slug}-{file}"'}
    return HttpResponse(write(Comparison(study)).encode(encoding), content_type, headers=headers)
