"""A check with the labels shown: one page per dialogue, each item with its label and what it should be."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
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
from annotation.steps import Part, Question, Step
from annotation.views.pages import study_page
from annotation.views.posted import posted_answers, submission, with_errors
from protocols.answers import InvalidAnswer
from qualification.acceptance.selectors.reviews import labels_by_token, unchecked_position
from qualification.acceptance.services.reviewing import finish_check
from qualification.access import labelled_check_for
from qualification.models import Check


@login_required
@never_cache
@require_safe
def control_check(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """To the first item that is not checked, or to the end."""
    check = labelled_check_for(request.user, slug, pk)
    position = unchecked_position(check)
    if position is not None:
        return redirect("control_check_item", slug, pk, position)
    return _finish(request, check)


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def control_check_item(request: HttpRequest, slug: str, pk: int, position: int) -> HttpResponse:
    check = labelled_check_for(request.user, slug, pk)
    assignment = _assignment_of(check)
    page = work.dialogue_page(assignment, position) if position < 2**31 else None
    if page is None:
        raise Http404("No such item.")
    labels = labels_by_token(check, position)
    step = _labelled_step(check, page, labels)
    if request.method == "POST":
        return _answer(request, check, assignment, page, step, labels)
    return _item_page(request, check, assignment, page, step, labels)


def _assignment_of(check: Check) -> Assignment:
    mine = check.batch.assignments.select_related("batch__study__protocol_version", "participant", "seat")
    assignment = mine.filter(participant=check.participant_id).first()
    if assignment is None:
        raise Http404("No such check.")
    return assignment


def _labelled_step(check: Check, page: work.DialoguePage, labels: Mapping[UUID, str]) -> Step:
    """The one question that is checked, of every item of the dialogue. Its label is chosen already."""
    key = check.inspection.plan["criterion"]
    asked = [(part.item, question) for step in page.steps for part, question in step.questions
             if question.criterion.key == key]  # fmt: skip
    parts = [
        Part(item, number, len(asked), (_labelled(question, number, labels[item.token]),))
        for number, (item, question) in enumerate(asked, start=1)
    ]
    return Step(1, tuple(parts))


def _labelled(question: Question, number: int, code: str) -> Question:
    answer = question.answer if question.answer.is_saved else replace(question.answer, option=code)
    return replace(question, answer=answer, name=f"{question.criterion.key}-{number}")


def _item_page(
    request: HttpRequest,
    check: Check,
    assignment: Assignment,
    page: work.DialoguePage,
    step: Step,
    labels: Mapping[UUID, str],
    status: int = 200,
) -> HttpResponse:
    study, spec = assignment.batch.study, work.spec_of_assignment(assignment)
    wait = open_dialogue(assignment, page.position, spec.reading_seconds, now=timezone.now())
    context: dict[str, Any] = {
        "page_name": "control", "inspection": check.inspection, "page": page, "step": step, "form_key": uuid4(),
        "fingerprint": study.protocol_version.sha256[:12], "version": study.protocol_version,
        "words": work.texts_of_assignment(assignment), "wait_seconds": round(wait.total_seconds()),
        "parts": [(part, part.questions[0].criterion.option(labels[part.item.token])) for part in step.parts],
    }  # fmt: skip
    return study_page(request, study, "qualification/acceptance/review.html", status=status, **context)


def _answer(
    request: HttpRequest,
    check: Check,
    assignment: Assignment,
    page: work.DialoguePage,
    step: Step,
    labels: Mapping[UUID, str],
) -> HttpResponse:
    answers, errors, now = posted_answers(step, request.POST), {}, timezone.now()
    spec = work.spec_of_assignment(assignment)
    try:
        for part, question in step.questions:
            try:
                given = submission(part, question, answers[question.name], request.POST)
                record_rating(assignment.pk, spec, given, now=now)
            except InvalidAnswer as invalid:
                errors[question.name] = invalid.errors
    except Refused as refused:
        messages.error(request, refused.message)
        return _item_page(request, check, assignment, page, step, labels, status=409)
    if errors:
        wrong = with_errors(step, answers, errors)
        return _item_page(request, check, assignment, page, wrong, labels, status=422)
    return redirect("control_check", assignment.batch.study.slug, check.inspection_id)


def _finish(request: HttpRequest, check: Check) -> HttpResponse:
    try:
        finish_check(check, _assignment_of(check), now=timezone.now())
        messages.success(request, _("Every item is checked. The decision follows within seconds."))
    except Refused as refused:
        messages.error(request, refused.message)
    return redirect("control_inspection", check.inspection.batch.study.slug, check.inspection_id)
