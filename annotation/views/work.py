"""The annotator's pages: the list of work, consent, and a batch step by step."""

import math
from collections.abc import Mapping
from typing import Any
from uuid import UUID, uuid4

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.access import assignment_for, claimable_batch_for, participant_for, signed_in
from annotation.models import Assignment, Batch, ItemMark, Participant, Study
from annotation.selectors import work as selectors
from annotation.selectors.first_steps import CONSENT, WELCOME, first_steps, has_welcome
from annotation.selectors.guidelines import paragraphs_of
from annotation.selectors.marks import OwnMarks, has_marks, marks_text, skips
from annotation.selectors.progress import read_progress
from annotation.selectors.work import DialoguePage
from annotation.services.claiming import PERSON_STATUSES, claim_seat
from annotation.services.joining import give_consent
from annotation.services.rating import record_rating
from annotation.services.reading import mark_briefed, open_dialogue
from annotation.services.refusals import Refused
from annotation.steps import Step
from annotation.views.devices import personal_link, remember
from annotation.views.posted import asked_now, is_empty, posted_answers, submission, with_errors
from annotation.views.posted_marks import Posted, record_posted_marks
from annotation.views.review import review_links
from protocols.answers import InvalidAnswer
from protocols.rendering import rendered
from protocols.translating import texts_in


# --- before the work -------------------------------------------------------------------------------
@login_required
@never_cache
@require_GET
def work_list(request: HttpRequest) -> HttpResponse:
    user = signed_in(request.user)
    context = {
        "works": selectors.work_of(user.pk, PERSON_STATUSES, timezone.now()),
        "link": personal_link(request, user),
        "has_joined": request.session.pop("has_joined", False),
    }
    return remember(request, render(request, "annotation/work.html", context), user)


@login_required
@require_GET
def welcome(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the welcome, which newcomers see after joining. The list of work leads back here."""
    participant = participant_for(request.user, slug)
    study = participant.study
    words = texts_in(study.protocol_version, study.content_language)
    is_first = selectors.is_reading_due(participant)
    context = {
        "study": study,
        "words": words,
        "paragraphs": paragraphs_of(words.welcome),
        "is_first": is_first,
        "steps": first_steps(study, WELCOME) if is_first else [],
    }
    return render(request, "annotation/work_welcome.html", context)


def after_joining(participant: Participant) -> HttpResponse:
    """Redirect to the welcome if there is one and no batch was begun, otherwise to the list of work."""
    if has_welcome(participant.study) and not participant.assignments.exists():
        return redirect("welcome", participant.study.slug)
    return redirect("work")


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def consent(request: HttpRequest, slug: str) -> HttpResponse:
    participant = participant_for(request.user, slug)
    study = participant.study
    if not selectors.needs_consent(participant, study):
        return redirect("work")
    if request.method == "POST" and "agree" in request.POST:
        give_consent(participant, study, now=timezone.now())
        return redirect("work")
    context = {
        "study": study,
        "text": rendered(study.consent_text),
        "is_refused": request.method == "POST",
        "steps": first_steps(study, CONSENT) if selectors.is_reading_due(participant) else [],
    }
    return render(request, "annotation/work_consent.html", context, status=422 if context["is_refused"] else 200)


@login_required
@require_POST
def claim(request: HttpRequest, token: UUID) -> HttpResponse:
    batch, participant = claimable_batch_for(request.user, token)
    if selectors.needs_consent(participant, batch.study):
        return redirect("consent", batch.study.slug)
    if "has_read" in request.POST:
        mark_briefed(participant, batch.study.protocol_version)
    elif selectors.is_reading_due(participant):
        return redirect("welcome" if has_welcome(batch.study) else "guidelines", batch.study.slug)
    try:
        assignment = claim_seat(participant, batch, now=timezone.now())
    except Refused as refused:
        messages.error(request, refused.message)
        return redirect("work")
    return redirect("rate_start", assignment.token)


@login_required
@require_POST
def briefed(request: HttpRequest, slug: str) -> HttpResponse:
    participant = participant_for(request.user, slug)
    mark_briefed(participant, participant.study.protocol_version)
    begun = participant.assignments.filter(status=Assignment.Status.ACTIVE).first()
    return redirect("rate_start", begun.token) if begun else redirect("work")


# --- rating ----------------------------------------------------------------------------------------
@login_required
@never_cache
@require_GET
def rate_start(request: HttpRequest, token: UUID) -> HttpResponse:
    """Redirect to the first missing answer, or to the submission if there is none."""
    assignment = assignment_for(request.user, token)
    if (away := detour(request, assignment)) is not None:
        return away
    missing = selectors.missing_step(assignment)
    if missing is None:
        return redirect("submit", token)
    page, step = missing
    return redirect("rate", token, page.position, step.number)


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def rate(request: HttpRequest, token: UUID, position: int, number: int) -> HttpResponse:
    """Show one step as a page, or save its form. With JavaScript, the browser loads further steps itself."""
    assignment = assignment_for(request.user, token)
    page, step = step_or_404(assignment, position, number)
    if request.method == "POST":
        return _answer(request, assignment, page, step)
    if (away := detour(request, assignment)) is not None:
        return away
    return _rate_page(request, assignment, page, step)


@login_required
@never_cache
@require_GET
def rate_dialogue(request: HttpRequest, token: UUID, position: int) -> HttpResponse:
    """Return all steps of one dialogue, for a browser that fetches them ahead and shows them one after another."""
    assignment = assignment_for(request.user, token)
    page, step = step_or_404(assignment, position, 1)
    if (away := detour(request, assignment)) is not None:
        return HttpResponse(away.get("Location", ""), status=409, content_type="text/plain")
    return render(request, "annotation/_rate_dialogue.html", _rate_context(assignment, page, step))


@login_required
@require_POST
def open_page(request: HttpRequest, token: UUID, position: int) -> JsonResponse:
    """Record that a dialogue fetched ahead is now on screen. Return the seconds until it may be answered."""
    assignment = assignment_for(request.user, token)
    step_or_404(assignment, position, 1)
    return JsonResponse({"seconds": _open(assignment, position)})


def _open(assignment: Assignment, position: int) -> float:
    seconds = selectors.spec_of_assignment(assignment).reading_seconds
    return open_dialogue(assignment, position, seconds, now=timezone.now()).total_seconds()


def detour(request: HttpRequest, assignment: Assignment) -> HttpResponse | None:
    """Return where to go instead if this annotator may not rate this batch at this moment, otherwise None."""
    away = _way_out(assignment)
    return away if away or selectors.lease_left(assignment, timezone.now()) else _over_page(request, assignment)


def _way_out(assignment: Assignment) -> HttpResponse | None:
    """Return where to go if not even a late answer is accepted, otherwise None."""
    study = assignment.batch.study
    if assignment.status == Assignment.Status.SUBMITTED:
        return redirect("thanks", assignment.token)
    if assignment.status == Assignment.Status.EXCLUDED or study.status != Study.Status.OPEN:
        return redirect("work")
    if selectors.needs_consent(assignment.participant, study):
        return redirect("consent", study.slug)
    return None


def _over_page(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    context = {"assignment": assignment, "progress": read_progress(assignment)}
    return render(request, "annotation/rate_over.html", context, status=409)


def step_or_404(assignment: Assignment, position: int, number: int) -> tuple[DialoguePage, Step]:
    """Return the page and the step, or raise Http404. Number 0 is the last step, for going back."""
    page = selectors.dialogue_page(assignment, position) if position < 2**31 else None
    if page is None or number > len(page.steps):
        raise Http404("No such step.")
    return page, page.steps[number - 1]


def _rate_page(
    request: HttpRequest,
    assignment: Assignment,
    page: DialoguePage,
    step: Step,
    status: int = 200,
    posted: Mapping[UUID, OwnMarks] | None = None,
) -> HttpResponse:
    lease, study = selectors.lease_left(assignment, timezone.now()), assignment.batch.study
    spec = selectors.spec_of_assignment(assignment)
    back_url = ""  # at the beginning of the batch
    if step.number > 1:
        back_url = reverse("rate", args=[assignment.token, page.position, step.number - 1])
    elif page.screen.previous is not None:
        back_url = reverse("rate", args=[assignment.token, page.screen.previous, 0])  # 0 is the last step
    context = _rate_context(assignment, page, step) | {
        "progress": read_progress(assignment),
        "lease_seconds": int(lease.total_seconds()),
        "guidelines_url": reverse("guidelines", args=[study.slug]),
        "back_url": back_url,
        "reading_seconds": spec.reading_seconds,
        "reading_left": str(_open(assignment, page.position)),  # a number for the browser, not localised
        "has_changed": selectors.has_changed_instructions(assignment.participant, study.protocol_version),
        "skips_flagged": skips(assignment),
        "flag_reasons": ItemMark.Reason.choices,
        "has_plain_marks": has_marks(assignment),
        **review_links(request, assignment, page.position),
    }
    context["own_marks"] |= posted or {}
    return render(request, "annotation/rate.html", context, status=status)


def _rate_context(assignment: Assignment, page: DialoguePage, step: Step) -> dict[str, Any]:
    version, words = assignment.batch.study.protocol_version, selectors.texts_of_assignment(assignment)
    return {
        "assignment": assignment,
        "study": assignment.batch.study,
        "version": version,
        "words": words,
        "short_guidelines": rendered(words.guidelines_short),
        "page": page,
        "marks": marks_text(page.marks),
        "own_marks": dict(page.marks),
        "current": step.number,
        "steps": [*page.steps[: step.number - 1], step, *page.steps[step.number :]],
        "form_key": uuid4(),
        "fingerprint": version.sha256[:12],
    }


def _answer(request: HttpRequest, assignment: Assignment, page: DialoguePage, step: Step) -> HttpResponse:
    if selectors.needs_consent(assignment.participant, assignment.batch.study):
        return redirect("consent", assignment.batch.study.slug)
    posted = Posted({})
    try:
        if has_marks(assignment):
            posted = record_posted_marks(assignment, page.position, step, request.POST, now=timezone.now())
        if posted.is_changed:  # a flagged item may need no answer now, or needs one again
            page, step = step_or_404(assignment, page.position, step.number)
        errors, is_counted = ({}, True) if "only_marks" in request.POST else _record(request, assignment, step)
    except Refused as refused:
        if refused.code == "too_soon":
            return _too_soon(request, assignment, page, step)
        return _refused(request, assignment, step, refused)
    if errors or posted.sentences or "only_marks" in request.POST:
        return _way_out(assignment) or _same_page(request, assignment, page, step, errors, posted)
    if not (is_counted and posted.is_held):
        return _over_page(request, assignment)
    following = next_url(assignment, page, step)
    if assignment.batch.kind == Batch.Kind.TRAINING:  # every answer is explained before the next question
        following = reverse("training_answer", args=[assignment.token, page.position, step.number])
    return redirect(review_links(request, assignment, page.position)["review_url"] or following)


def _same_page(
    request: HttpRequest,
    assignment: Assignment,
    page: DialoguePage,
    step: Step,
    errors: Mapping[str, Mapping[str, str]],
    posted: Posted,
) -> HttpResponse:
    """Show the page as the annotator left it, with errors beside their fields."""
    for sentence in posted.sentences:  # the fields may be out of sight
        messages.error(request, sentence)
    is_wrong, is_over = bool(errors or posted.sentences), not selectors.lease_left(assignment, timezone.now())
    if is_over and not is_wrong:
        return _over_page(request, assignment)
    if is_over:
        messages.warning(
            request, _("Your time for this batch has ended. The entries with errors below are not saved yet.")
        )
    elif not is_wrong:
        messages.success(request, _("The marks are saved. Your answers on this page are not saved yet."))
    step = with_errors(step, posted_answers(step, request.POST), errors)
    return _rate_page(request, assignment, page, step, status=422 if is_wrong else 200, posted=posted.marks)


def _refused(request: HttpRequest, assignment: Assignment, step: Step, refused: Refused) -> HttpResponse:
    """Redirect to where work goes on. The message repeats written texts, because their form is not shown again."""
    message, answers = refused.message, posted_answers(step, request.POST).values()
    if refused.code == "protocol_changed":
        message = _("The questions have changed since you gave one of your answers. Answer again.")
    if written := " ".join(each.free_text for each in answers if each.free_text):
        message += " " + _("You wrote: %(words)s") % {"words": written}
    messages.error(request, message)
    is_old = refused.code in ("protocol_changed", "unknown_item", "unknown_criterion")  # a newer page is accepted
    return redirect("rate_start", assignment.token) if is_old else redirect("work")


def _too_soon(request: HttpRequest, assignment: Assignment, page: DialoguePage, step: Step) -> HttpResponse:
    """Show the same page with the answers as they were given: they only need to be sent again."""
    seconds = max(math.ceil(_open(assignment, page.position)), 1)
    text = ngettext(
        "Read the whole dialogue first. Your answers are kept on this page: save them again in %(n)s second.",
        "Read the whole dialogue first. Your answers are kept on this page: save them again in %(n)s seconds.",
        seconds,
    )
    messages.error(request, text % {"n": seconds})
    kept = with_errors(step, posted_answers(step, request.POST), {})
    return _rate_page(request, assignment, page, kept, status=409)


def _record(request: HttpRequest, assignment: Assignment, step: Step) -> tuple[dict[str, dict[str, str]], bool]:
    """Save each answer separately, so that one mistake loses no other. Return errors, and whether all answers count."""
    errors, is_counted, now = {}, True, timezone.now()
    spec = selectors.spec_of_assignment(assignment)
    answers = posted_answers(step, request.POST)
    for part, question in asked_now(step, answers):
        answer = answers[question.name]
        if is_empty(answer) and question.is_skipped:
            continue
        try:
            given = submission(part, question, answer, request.POST)
            is_counted &= record_rating(assignment.pk, spec, given, now=now).is_counted
        except InvalidAnswer as invalid:
            errors[question.name] = invalid.errors
    return errors, is_counted


def next_url(assignment: Assignment, page: DialoguePage, step: Step) -> str:
    following = next((each for each in page.steps[step.number :] if not each.is_passed_over), None)
    if following is not None:
        return reverse("rate", args=[assignment.token, page.position, following.number])
    if page.screen.next is not None:
        return reverse("rate", args=[assignment.token, page.screen.next, 1])
    return reverse("submit", args=[assignment.token])
