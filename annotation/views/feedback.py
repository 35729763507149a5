"""The page of feedback that annotators wrote to the researchers when they submitted a batch."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from annotation.access import Right, study_for
from annotation.selectors.feedback import feedback_list
from annotation.views.pages import page_of, study_page


@login_required
@require_safe
def study_feedback(request: HttpRequest, slug: str) -> HttpResponse:
    study = study_for(request.user, slug, Right.CLEAR)
    page = page_of(request, feedback_list(study))
    return study_page(request, study, "annotation/people_feedback.html", page=page)
