"""Downloads of one chart: as SVG for editing, or as PNG for a document."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from annotation.access import Right, study_for
from parley.pdf import PdfUnavailable
from reporting.chart_files.charts import FIGURES
from reporting.charts.files import as_png, as_svg

KINDS = {"svg": ("image/svg+xml", as_svg), "png": ("image/png", as_png)}


@require_safe
@login_required
def download(request: HttpRequest, slug: str, figure: str, suffix: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.WATCH)
    if figure not in FIGURES:
        raise Http404(_("This chart does not exist."))
    wanted = FIGURES[figure]
    picture = wanted.draw(study, request.GET)
    if not picture:
        messages.info(request, _("This chart has nothing to show yet."))
        return redirect(wanted.page, study.slug)
    content_type, make = KINDS[suffix]
    try:
        body = make(picture)
    except PdfUnavailable as missing:
        messages.error(request, str(missing))
        return redirect(wanted.page, study.slug)
    headers = {"Content-Disposition": f'attachment; filename="{study.slug}-{figure}.{suffix}"'}
    return HttpResponse(body, content_type=content_type, headers=headers)
