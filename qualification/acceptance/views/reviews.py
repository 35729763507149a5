"""The pages of a review with the labels shown: one per dialogue, to confirm or correct each label."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotation.models import Assignment
from annotation.selectors import work
from annotation.services.rating import record_rating
from annotation.services.reading import open_dialogue
from annotation.services.refusals import Refused
from annotation.steps import ItemOnScreen, Step
from annotation.views.pages import study_page
from annotation.views.posted import Answers, Errors, posted_answers, submission, with_errors
from protocols.answers import InvalidAnswer
from qualification.acceptance.selectors.answers import labels_by_token, unreviewed_position
from qualification.acceptance.services.reviewing import finish_review
from qualification.access import labelled_review_for
from qualification.models import Review


@login_required
@never_cache
@require_safe
def sample_review(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Redirect to the first item that is not reviewed, or finish the review."""
    review = labelled_review_for(request.user, slug, pk)
    position = unreviewed_position(review)
    if position is not None:
        return redirect("sample_review_item", slug, pk, position)
    try:
        finish_review(review, _assignment_of(review), now=timezone.now())
        messages.success(request, _("Every item is reviewed. The decision follows within seconds."))
    except Refused as refused:
        messages.error(request, refused.message)
    return redirect("sample", slug, pk)


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def sample_review_item(request: HttpRequest, slug: str, pk: int, position: int) -> HttpResponse:
    review = labelled_review_for(request.user, slug, pk)
    assignment = _assignment_of(review)
    page = work.dialogue_page(assignment, position) if position < 2**31 else None
    if page is None:
        raise Http404("No such item.")
    labels = labels_by_token(review, position, assignment.swapped)
    step = _labelled_step(review, page, labels)
    study, spec, status = assignment.batch.study, work.spec_of_assignment(assignment), 200
    if request.method == "POST":
        answers = posted_answers(step, request.POST)
        try:
            errors = _record(assignment, step, answers, request.POST)
            if not errors:
                return redirect("sample_review", slug, pk)
            step, status = with_errors(step, answers, errors), 422
        except Refused as refused:
            messages.error(request, refused.message)
            status = 409
    wait = open_dialogue(assignment, page.position, spec.reading_seconds, now=timezone.now())
    context: dict[str, Any] = {
        "page_name": "acceptance", "sample": review.sample, "page": page, "step": step, "form_key": uuid4(),
        "fingerprint": study.protocol_version.sha256[:12], "version": study.protocol_version,
        "words": work.texts_of_assignment(assignment), "wait_seconds": round(wait.total_seconds()),
        "parts": [(part, part.questions[0].criterion.option(labels[part.item.token])) for part in step.parts],
    }  # fmt: skip
    return study_page(request, study, "qualification/acceptance/review.html", status=status, **context)


def _assignment_of(review: Review) -> Assignment:
    mine = review.batch.assignments.select_related("batch__study__protocol_version", "participant", "seat")
    assignment = mine.filter(participant=review.participant_id).first()
    if assignment is None:
        raise Http404("No such review.")
    return assignment


def _labelled_step(review: Review, page: work.DialoguePage, labels: Mapping[UUID, str]) -> Step:
    """Return a step with the question under review for each item of the dialogue, its label preselected."""
    key = review.sample.plan["criterion"]
    asked = [(part.item, question) for step in page.steps for part, question in step.questions
             if question.criterion.key == key]  # fmt: skip
    parts = []
    for number, (item, question) in enumerate(asked, start=1):
        answer = question.answer if question.answer.is_saved else replace(question.answer, option=labels[item.token])
        criterion = replace(question.criterion, required=True)  # a label is confirmed or changed, never left out
        labelled = replace(question, criterion=criterion, answer=answer, name=f"{key}-{number}")
        parts.append(ItemOnScreen(item, number, len(asked), (labelled,)))
    return Step(1, tuple(parts))


def _record(assignment: Assignment, step: Step, answers: Answers, data: QueryDict) -> Errors:
    """Store the valid answers. Return {question: errors} of the others."""
    errors, now, spec = {}, timezone.now(), work.spec_of_assignment(assignment)
    for part, question in step.questions:
        try:
            record_rating(assignment.pk, spec, submission(part, question, answers[question.name], data), now=now)
        except InvalidAnswer as invalid:
            errors[question.name] = invalid.errors
    return errors
