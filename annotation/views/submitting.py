"""Pages at the end of a batch: the list of its items, the submission, and the thanks."""

import re
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from annotation.access import assignment_for
from annotation.models import Assignment
from annotation.selectors import work as selectors
from annotation.selectors.item_states import ItemState, State, item_states
from annotation.selectors.progress import read_progress
from annotation.selectors.review import reviewed_items
from annotation.selectors.screens import CONVERSATION, PAIR
from annotation.selectors.work import DialoguePage
from annotation.services.claiming import PERSON_STATUSES, submit_assignment
from annotation.services.refusals import Refused
from annotation.steps import Step
from annotation.views.review import review_context
from annotation.views.work import detour
from parley.listing import both

LONGEST_FEEDBACK = 5_000
ITEMS = 60  # per page of the list
NUMBER = re.compile(r"(\d{1,6})(?:[.,/ ](\d{1,4}))?")  # as rate-strip.js reads it: 12, or 12.3


# --- the items ---------------------------------------------------------------------------------------------
@login_required
@never_cache
@require_GET
def item_list(request: HttpRequest, token: UUID) -> HttpResponse:
    """List every item as a link: without JavaScript, this replaces the strip of the rating screen."""
    assignment = assignment_for(request.user, token)
    if (away := detour(request, assignment)) is not None:
        return away
    states = [each for each in item_states(assignment) if each.is_asked]
    wanted, error = request.GET.get("number", "").strip(), ""
    if wanted and (found := _numbered(states, wanted)):
        return redirect("rate", token, found.position, reviewed_items(assignment, [found])[0].step)
    if wanted:
        error = _no_item(states, wanted)
    page = Paginator(states, ITEMS).get_page(request.GET.get("page"))
    context = {
        "assignment": assignment,
        "progress": read_progress(assignment),
        "page": page,
        "items": reviewed_items(assignment, list(page)),
        "wanted": wanted[:20],
        "error": error,
    }
    return render(request, "annotation/work_items.html", context, status=422 if error else 200)


def _numbered(states: list[ItemState], wanted: str) -> ItemState | None:
    """Return the item for a number: 12 is the first unanswered item of the 12th piece, and 12.3 its third item."""
    match = NUMBER.fullmatch(wanted)
    items = [each for each in states if match and each.piece == int(match[1])]
    if not match or not items:
        return None
    if match[2]:
        return next(iter(items[int(match[2]) - 1 :]), None) if int(match[2]) else None
    return next((each for each in items if each.state != State.DONE), items[0])


def _no_item(states: list[ItemState], wanted: str) -> str:
    """Return an error that names the valid numbers. The strip of the rating screen says the same."""
    n, word = (states[-1].screen.n_pieces, states[-1].screen.word) if states else (0, "")
    if word == PAIR:
        return _("Enter the number of a pair, from 1 to %(n)s.") % {"n": n}
    if not (match := NUMBER.fullmatch(wanted)):
        if word == CONVERSATION:
            return _("Enter the number of a conversation, such as 2, or of an item in a conversation, such as 2.3.")
        return _("Enter the number of a dialogue, such as 2, or of an item in a dialogue, such as 2.3.")
    piece, number = match[1], match[2]
    most = sum(each.piece == int(piece) for each in states)
    if not most:
        return _no_piece(word, piece, n)
    text = ngettext(
        "There is no item %(piece)s.%(number)s: the only item of %(piece)s is %(piece)s.1.",
        "There is no item %(piece)s.%(number)s: there are %(piece)s.1 to %(piece)s.%(most)s.",
        most,
    )
    return text % {"piece": piece, "number": number, "most": most}


def _no_piece(word: str, number: str, n: int) -> str:
    if word == CONVERSATION:
        text = ngettext(
            "There is no conversation %(number)s: this batch has only conversation 1.",
            "There is no conversation %(number)s: this batch has conversations 1 to %(n)s.",
            n,
        )
    else:
        text = ngettext(
            "There is no dialogue %(number)s: this batch has only dialogue 1.",
            "There is no dialogue %(number)s: this batch has dialogues 1 to %(n)s.",
            n,
        )
    return text % {"number": number, "n": n}


# --- the submission ----------------------------------------------------------------------------------------
@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def submit(request: HttpRequest, token: UUID) -> HttpResponse:
    assignment = assignment_for(request.user, token)
    if (away := detour(request, assignment)) is not None:
        return away
    missing = selectors.missing_step(assignment)
    if request.method == "POST" and missing is not None:
        page, step = missing
        messages.error(request, _("An answer is missing here: %(place)s.") % {"place": _name(page, step)})
        return redirect("rate", token, page.position, step.number)
    if request.method == "POST":
        feedback = request.POST.get("feedback", "").replace("\x00", "")[:LONGEST_FEEDBACK]
        try:
            submit_assignment(assignment, feedback=feedback, now=timezone.now())
        except Refused as refused:
            messages.error(request, refused.message)
            return redirect("rate_start", token)
        return redirect("thanks", token)
    context = {"assignment": assignment, "progress": read_progress(assignment)}
    context |= review_context(request, assignment) | {
        "words": selectors.texts_of_assignment(assignment),
        "version": assignment.batch.study.protocol_version,
    }
    if missing is not None:
        page, step = missing
        url = reverse("rate", args=[token, page.position, step.number])
        context |= {"missing": True, "missing_name": _name(page, step), "missing_url": url}
    return render(request, "annotation/work_submit.html", context)


def _name(page: DialoguePage, step: Step) -> str:
    questions = both(question.criterion.name for _part, question in step.questions if not question.is_done)
    names = {"place": page.screen.name, "response": step.part.number, "questions": questions}
    if step.part.item.text is None or (page.screen.turn and step.part.n_items == 1):
        return _("%(place)s, %(questions)s") % names
    return _("%(place)s, response %(response)s, %(questions)s") % names


@login_required
@never_cache
@require_GET
def thanks(request: HttpRequest, token: UUID) -> HttpResponse:
    assignment = assignment_for(request.user, token)
    if assignment.status != Assignment.Status.SUBMITTED:
        return redirect("rate_start", token)
    works = selectors.work_of(request.user.pk, PERSON_STATUSES, timezone.now())
    work = next(each for each in works if each.participant == assignment.participant)
    return render(request, "annotation/work_thanks.html", {"assignment": assignment, "work": work})
