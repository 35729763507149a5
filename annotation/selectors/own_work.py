"""Read what annotators see of their finished work: numbers of each study, their batches, their own answers."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Aggregate, Count, F, FloatField, Q, QuerySet, Window
from django.db.models.functions import RowNumber

from annotation.models import Assignment, Batch, Participant, Rating
from annotation.selectors.progress import LEAST_TIMED
from annotation.selectors.studies import count_of
from annotation.selectors.work import DialoguePage
from annotation.steps import ItemText

NEWEST = 5  # batches of a study on the list of work
# Qualification items are shown to others later, so their answers must not be there to copy.
NOT_READ = (Batch.Kind.QUALIFICATION,)


class Median(Aggregate):
    function = "PERCENTILE_CONT"
    template = "%(function)s(0.5) WITHIN GROUP (ORDER BY %(expressions)s)"
    output_field = FloatField()


@dataclass(frozen=True, slots=True)
class Record:
    n_answers: int
    pace_ms: float | None  # median; None before ten answers have a time


def records_of(participants: Iterable[Participant]) -> dict[int, Record]:
    """Return the records of participants who have answered anything, in one query."""
    mine = Rating.objects.filter(assignment__participant__in=list(participants), is_active=True)
    is_timed = Q(active_ms__gt=0)
    rows = mine.values("assignment__participant").annotate(
        n=Count("pk"), n_timed=Count("pk", filter=is_timed), pace=Median("active_ms", filter=is_timed)
    )
    return {
        row["assignment__participant"]: Record(row["n"], row["pace"] if row["n_timed"] >= LEAST_TIMED else None)
        for row in rows.order_by()
    }


def finished_batches(participants: Sequence[Participant]) -> QuerySet[Assignment]:
    """Return submitted assignments, newest first, with the number of answers."""
    done = Assignment.objects.filter(participant__in=participants, status=Assignment.Status.SUBMITTED)
    counted = done.annotate(n_answers=count_of(Rating.objects.filter(is_active=True), "assignment"))
    return counted.select_related("batch").order_by("-submitted_at", "-pk")


def newest_batches(participants: Sequence[Participant]) -> dict[int, list[Assignment]]:
    """Return the newest submitted assignments of each participation, in one query."""
    place = Window(RowNumber(), partition_by="participant", order_by=(F("submitted_at").desc(), F("pk").desc()))
    found: dict[int, list[Assignment]] = defaultdict(list)
    for each in finished_batches(participants).annotate(place=place).filter(place__lte=NEWEST):
        found[each.participant_id].append(each)
    return dict(found)


def is_readable(assignment: Assignment) -> bool:
    return assignment.status == Assignment.Status.SUBMITTED and assignment.batch.kind not in NOT_READ


@dataclass(frozen=True, slots=True)
class OwnAnswer:
    """An answer in the words of the study: what was chosen, and why."""

    name: str
    labels: list[str]
    reasons: list[str]
    free_text: str
    turns: list[int]


@dataclass(frozen=True, slots=True)
class OwnItem:
    item: ItemText
    number: int
    answers: list[OwnAnswer]


def own_items(page: DialoguePage) -> list[OwnItem]:
    """Return the items of a dialogue in the order of rating, each with only the annotator's own answers."""
    answers: dict[UUID, list[OwnAnswer]] = defaultdict(list)
    numbers: dict[UUID, int] = {}
    for part, question in (pair for step in page.steps for pair in step.questions):
        numbers[part.item.token] = part.number
        given = question.answer
        if question.is_asked and given.is_saved:
            codes = {given.option, *given.options}
            chosen = [choice.option for choice in question.choices if choice.option.code in codes]
            labels = [option.label for option in chosen]
            reasons = [one.text for option in chosen for one in option.explanations if one.code in given.explanations]
            name, turns = question.criterion.name, sorted(given.turns)
            answers[part.item.token].append(OwnAnswer(name, labels, reasons, given.free_text, turns))
    return [OwnItem(item, numbers.get(item.token, 0), answers[item.token]) for item in page.items]
