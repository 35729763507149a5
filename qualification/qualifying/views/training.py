"""The candidate's pages: questions about the guidelines, explanations after training answers, and the result."""

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from annotation.access import assignment_for, participant_for
from annotation.models import Batch, Participant
from annotation.selectors.work import needs_consent, texts_of_assignment, work_of
from annotation.services.claiming import PERSON_STATUSES
from annotation.services.refusals import Refused
from annotation.views.work import next_url, step_or_404
from qualification.qualifying.selectors.progress import COMPREHENSION, qualification_states
from qualification.qualifying.selectors.training import explained_answers
from qualification.qualifying.services.comprehension import asked_of, explained, submit_try


@login_required
@never_cache
@require_GET
def qualification_state(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what is next in one study. The page requests this every second while a result is computed."""
    participant = participant_for(request.user, slug)
    works = work_of(request.user.pk, PERSON_STATUSES, timezone.now())
    work = next(each for each in works if each.participant == participant)
    return render(request, "qualification/qualifying/next.html", {"work": work})


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def comprehension(request: HttpRequest, slug: str) -> HttpResponse:
    participant = participant_for(request.user, slug)
    if needs_consent(participant, participant.study):
        return redirect("consent", slug)
    if request.method == "POST":
        places = {each.pk: _place(request.POST, each.pk) for each in asked_of(participant)}
        try:
            submit_try(participant, places, now=timezone.now())
        except Refused as refused:
            messages.error(request, refused.message)
            return _comprehension_page(request, participant, status=422)
        return redirect("comprehension", slug)
    return _comprehension_page(request, participant)


def _place(data: QueryDict, question: int) -> int:
    value = data.get(f"question-{question}", "")
    return int(value) if value.isdecimal() and len(value) < 4 else -1


def _comprehension_page(request: HttpRequest, participant: Participant, status: int = 200) -> HttpResponse:
    state = qualification_states([participant]).get(participant.pk)
    results = explained(participant)
    is_asked = state is not None and state.stage == COMPREHENSION
    if not is_asked and not results:
        return redirect("work")
    asked = asked_of(participant) if is_asked else []
    context = {
        "study": participant.study,
        "state": state,
        "asked": [(each, request.POST.get(f"question-{each.pk}")) for each in asked],
        "results": results,
        "is_passed": all(each.is_right for each in results),
    }
    return render(request, "qualification/qualifying/comprehension.html", context, status=status)


@login_required
@never_cache
@require_GET
def training_answer(request: HttpRequest, token: UUID, position: int, number: int) -> HttpResponse:
    """Explain an answer of a training batch. If there is nothing to explain, redirect to the next step."""
    assignment = assignment_for(request.user, token)
    if assignment.batch.kind != Batch.Kind.TRAINING:
        raise Http404("No training.")
    page, step = step_or_404(assignment, position, number)
    answers = explained_answers(assignment, step)
    following = next_url(assignment, page, step)
    if not answers:
        return redirect(following)
    is_again = any(answer.leads_to for answer in answers)
    context = {
        "study": assignment.batch.study,
        "page": page,
        "answers": answers,
        "is_again": is_again,
        "next": reverse("rate", args=[token, position, number]) if is_again else following,
        "words": texts_of_assignment(assignment),
        "language": assignment.batch.study.protocol_version.language,
    }
    return render(request, "qualification/qualifying/training_answer.html", context)
