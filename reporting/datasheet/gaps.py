"""List what a paper about a study will have to say: what is known, and where to add the rest."""

from dataclasses import dataclass

from django.urls import reverse
from django.utils import timezone

from annotation.models import Study
from reporting.datasheet.build import MISSING, Answer, answers_of, known_of
from reporting.datasheet.facts import Known
from reporting.datasheet.question import DatasheetQuestion
from reporting.datasheet.standards import HEDS3, TWENTY
from reporting.report.build import open_report
from reporting.study.facts import people_of


@dataclass(frozen=True, slots=True)
class Gap:
    """A question without an answer: what to do, and a page for it with the right that it needs."""

    question: str
    to_do: str
    url: str
    right: str


@dataclass(frozen=True, slots=True)
class Gaps:
    """The gaps, and how many of `n` answers are known."""

    gaps: list[Gap]
    n_known: int
    n: int


def gaps_of(study: Study) -> Gaps:
    known = known_of(study, open_report(study, now=timezone.now()), people_of(study))
    pairs = list(zip(TWENTY.questions, answers_of(known, TWENTY), strict=True))
    gaps = [_gap(known, question, answer) for question, answer in pairs if answer.origin == MISSING]
    return Gaps(gaps, len(pairs) - len(gaps), len(pairs))


def _gap(known: Known, question: DatasheetQuestion, answer: Answer) -> Gap:
    """Return the gap. No setting describes work that was done elsewhere, so a question about it leads to its words."""
    place = question.place
    if place is not None and not (known.setting.is_elsewhere and question.related):
        url = reverse(place.route, args=[known.study.slug]) + (f"#{place.anchor}" if place.anchor else "")
        return Gap(answer.question, answer.hint, url, place.right)
    return Gap(answer.question, answer.hint, _page_of(known.study, question), "configure")


def _page_of(study: Study, question: DatasheetQuestion) -> str:
    """Return where it is answered in words: in HEDS 3.0 if that asks too, so that one answer counts in both."""
    own = {each.number for each in HEDS3.questions}
    number = next((number for number in question.related if number in own), None)
    standard, number = (TWENTY, question.number) if number is None else (HEDS3, number)
    return f"{reverse('datasheet', args=[study.slug])}?standard={standard.key}#q-{number.replace('.', '-')}"
