"""The page of candidates, where team leads decide about them."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from annotation.access import Right, annotator_for, signed_in, study_for
from annotation.views.pages import announced, page_of, study_page
from qualification.access import last_attempt_for
from qualification.qualifying.forms import OverrideForm
from qualification.qualifying.selectors.candidates import candidate_list, qualification_counts
from qualification.qualifying.services.results import override


@login_required
@require_safe
def candidates(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.CLEAR)
    context: dict[str, Any] = {
        "page_name": "qualification",
        "page": page_of(request, candidate_list(study)),
        "counts": qualification_counts(study),
        "form": OverrideForm(),
    }
    return study_page(request, study, "qualification/qualifying/candidates.html", **context)


@login_required
@require_POST
def candidate_decide(request: HttpRequest, slug: str, token: UUID) -> HttpResponse:
    participant = annotator_for(request.user, slug, token)
    attempt, form = last_attempt_for(participant), OverrideForm(request.POST)
    if form.is_valid():
        with announced(request, _("Decided. The rule's result is kept beside it.")):
            override(attempt, **form.cleaned_data, by=signed_in(request.user), now=timezone.now())
    else:
        messages.error(request, _("Choose a decision and give a reason."))
    return redirect("candidates", slug)
