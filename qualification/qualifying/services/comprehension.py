"""Ask the questions about the guidelines. Answers are judged here, never in a browser."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Participant
from annotation.services import activity
from annotation.services.refusals import Refused
from annotation.services.status import set_status
from qualification.models import ComprehensionQuestion, ComprehensionTry
from qualification.qualifying.selectors.progress import facts_of

PersonStatus = Participant.Status


@dataclass(frozen=True, slots=True)
class Asked:
    """Hold a question as one candidate sees it: each has another order of options, so that a place tells nothing."""

    pk: int
    text: str
    options: tuple[str, ...]


def asked_of(participant: Participant) -> list[Asked]:
    return [
        Asked(question.pk, question.text, tuple(question.options[at] for at in _order(participant, question)))
        for question in _questions(participant)
    ]


def _questions(participant: Participant) -> list[ComprehensionQuestion]:
    return list(ComprehensionQuestion.objects.filter(qualification__study=participant.study_id).order_by("position"))


def _order(participant: Participant, question: ComprehensionQuestion) -> list[int]:
    seed = f"{participant.token}:{question.pk}"
    return sorted(range(len(question.options)), key=lambda at: hashlib.sha256(f"{seed}:{at}".encode()).digest())


@transaction.atomic
def submit_try(participant: Participant, places: Mapping[int, int], *, now: datetime) -> ComprehensionTry:
    """Judge the answers, {question: place among the options shown}; all must be right.

    A failed last try ends the qualification. Raise Refused if no try is left, or an answer is missing.
    """
    locked = (
        Participant.objects.select_for_update(no_key=True, of=("self",)).select_related("study").get(pk=participant.pk)
    )
    facts = facts_of([locked])[locked.pk]
    if locked.status != PersonStatus.QUALIFYING or not facts.must_check:
        raise Refused("no_try", _("You have no tries left, or you have already answered these questions."))
    questions = _questions(locked)
    chosen = {}
    for each in questions:
        order, place = _order(locked, each), places.get(each.pk, -1)
        if not 0 <= place < len(order):
            raise Refused("incomplete", _("Answer every question."))
        chosen[each.pk] = order[place]
    n_right = sum(chosen[each.pk] == each.right for each in questions)
    made = ComprehensionTry.objects.create(
        participant=locked, number=facts.n_tries + 1, answers={str(pk): at for pk, at in chosen.items()},
        n_right=n_right, n_questions=len(questions), is_passed=n_right == len(questions), at=now,
    )  # fmt: skip
    details = {"number": made.number, "right": n_right, "of": made.n_questions}
    activity.log(locked.study, locked.user, "comprehension", about=locked.pseudonym, details=details, now=now)
    if not made.is_passed and facts.tries_left == 1:
        reason = _("Questions about the guidelines: %(right)s of %(of)s correct in the last try.") % details
        set_status(locked, status=PersonStatus.FAILED, reason=reason, now=now)
    return made


@dataclass(frozen=True, slots=True)
class Explained:
    """Hold what is said about an answer afterwards; the right one stays on the server."""

    text: str
    answer: str
    is_right: bool
    why: str


def explained(participant: Participant) -> list[Explained]:
    """Return the explanations of the last try, for questions that still exist."""
    last = ComprehensionTry.objects.filter(participant=participant).order_by("-number").first()
    if last is None:
        return []
    found = []
    for question in _questions(participant):
        if str(question.pk) in last.answers:
            chosen = last.answers[str(question.pk)]
            answer = question.options[chosen] if chosen < len(question.options) else ""
            found.append(Explained(question.text, answer, chosen == question.right, question.why))
    return found
