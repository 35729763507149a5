"""Explain an answer of a training batch: whether it was right, what would have been right, and why."""

from collections.abc import Container, Iterable
from dataclasses import dataclass, replace
from uuid import UUID

from django.db.models import Q

from annotation.models import Assignment, Item
from annotation.selectors.work import spec_of_assignment
from annotation.steps import AskedCriterion, ItemOnScreen, Step
from protocols.models import Criterion, ProtocolVersion
from protocols.specs import OptionSpec, VersionSpec
from qualification.models import KnownAnswer

Unit = ProtocolVersion.Unit
Place = tuple[str, int | None, int | None, int | None]  # unit, dialogue, candidate, source of what is rated together


@dataclass(frozen=True, slots=True)
class ExplainedAnswer:
    """Explain one answer. `leads_to`: questions with a known answer that only the right answer to this one leads to."""

    part: ItemOnScreen
    question: AskedCriterion
    chosen: tuple[OptionSpec, ...]
    right: tuple[OptionSpec, ...]
    why: str
    leads_to: tuple[str, ...] = ()

    @property
    def is_right(self) -> bool:
        """Return whether a right option was chosen; of several choices, exactly the right ones."""
        chosen, right = ({option.id for option in options} for options in (self.chosen, self.right))
        return chosen == right if self.question.criterion.kind == Criterion.Kind.MULTIPLE else bool(chosen & right)


def explained_answers(assignment: Assignment, step: Step) -> list[ExplainedAnswer]:
    """Return the explanations of a step's answered questions whose right answer is known."""
    answered = [each for each in step.questions if each[1].is_asked and each[1].answer.is_saved]
    known = known_answers(assignment, {part.item.token for part, _question in answered})
    found = []
    for part, question in answered:
        row = known.get((part.item.token, question.criterion.id))
        if row is not None:
            codes, options = {question.answer.option, *question.answer.options}, question.criterion.options
            chosen = tuple(option for option in options if option.code in codes)
            right = tuple(option for option in options if option.id in row.options)
            found.append(ExplainedAnswer(part, question, chosen, right, row.explanation))
    spec = spec_of_assignment(assignment)
    return [each if each.is_right else replace(each, leads_to=_led_to(spec, each, known)) for each in found]


def _led_to(spec: VersionSpec, answer: ExplainedAnswer, known: Container[tuple[UUID, int]]) -> tuple[str, ...]:
    item, criterion = answer.part.item, answer.question.criterion
    right = {option.key for option in answer.right}
    return tuple(
        each.name
        for each in spec.asked_of(item.unit)
        if (item.token, each.id) in known
        and any(condition.criterion == criterion.key and right & condition.options for condition in each.when)
    )


def known_answers(assignment: Assignment, tokens: Iterable[UUID]) -> dict[tuple[UUID, int], KnownAnswer]:
    """Return the known answers to these items: {(token, criterion id): KnownAnswer}."""
    items = list(Item.objects.filter(batch=assignment.batch_id, token__in=tokens))
    dialogues, sources = ({getattr(item, name) for item in items} for name in ("dialogue_id", "source_id"))
    rows = KnownAnswer.objects.filter(
        Q(dialogue__in=dialogues - {None}) | Q(dialogue=None, source__in=sources - {None}),
        study=assignment.batch.study_id,
        kind=KnownAnswer.Kind.TRAINING,
        is_active=True,
        criterion__in=spec_of_assignment(assignment).by_id,
    )
    by_place = {(place_of(row), row.criterion_id): row for row in rows}
    return {
        (item.token, criterion): row
        for item in items
        for (place, criterion), row in by_place.items()
        if place == place_of(item)
    }


def place_of(row: Item | KnownAnswer) -> Place:
    """Return what an item or a known answer is about. A comparison is known by the first of its candidates."""
    if isinstance(row, Item) and row.unit == Unit.COMPARISON:
        return row.unit, row.dialogue_id, row.shown[0], None
    is_together = row.unit in (Unit.CANDIDATE_SET, Unit.MODEL)
    return row.unit, row.dialogue_id, row.candidate_id, row.source_id if is_together else None
