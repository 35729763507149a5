"""Pages of an annotator's finished batches and of their answers in one of them, to read but not to change."""

from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from annotation.access import assignment_for, participant_for
from annotation.models import Assignment
from annotation.selectors import own_work
from annotation.selectors.screens import screens_of
from annotation.selectors.work import dialogue_page, texts_of_assignment
from annotation.views.pages import page_of

DIALOGUES = 10  # per page, because a batch may hold thousands


@login_required
@never_cache
@require_GET
def past_batches(request: HttpRequest, slug: str) -> HttpResponse:
    participant = participant_for(request.user, slug)
    page = page_of(request, own_work.finished_batches([participant]))
    return render(request, "annotation/work_past.html", {"study": participant.study, "page": page})


@login_required
@never_cache
@require_GET
def past_batch(request: HttpRequest, token: UUID) -> HttpResponse:
    assignment = assignment_for(request.user, token)
    if assignment.status != Assignment.Status.SUBMITTED:
        return redirect("rate_start", token)
    if not own_work.is_readable(assignment):
        raise Http404("Answers of a qualification are not shown again.")
    positions = [screen.position for screen in screens_of(assignment)]
    page = Paginator(positions, DIALOGUES).get_page(request.GET.get("page"))
    dialogues = []
    for position in page:
        shown = dialogue_page(assignment, position)
        if shown is None:
            raise Http404("No such dialogue.")
        dialogues.append({"page": shown, "items": own_work.own_items(shown)})
    version = assignment.batch.study.protocol_version
    context = {
        "assignment": assignment,
        "study": assignment.batch.study,
        "version": version,
        "words": texts_of_assignment(assignment),
        "page": page,
        "dialogues": dialogues,
    }
    return render(request, "annotation/work_past_batch.html", context)
