"""The overview of quality control."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from annotation.access import Right, may, study_for
from annotation.views.pages import study_page
from qualification.flagged_items.views import list_context
from qualification.overview.selectors import parts_of


@login_required
@require_safe
def quality(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.WATCH)
    parts = parts_of(study)
    n_waiting = sum(part.n_waiting for part in parts)
    context: dict[str, Any] = {"page_name": "quality", "parts": parts, "n_waiting": n_waiting}
    if may(request.user, study, Right.READ):
        context |= list_context(study)
    return study_page(request, study, "qualification/overview/overview.html", **context)
