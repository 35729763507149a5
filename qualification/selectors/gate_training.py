"""What is said after an answer of a training batch: whether it was right, what would have been, and why."""

from dataclasses import dataclass

from annotation.models import Assignment, Item
from annotation.selectors.work import spec_of_assignment
from annotation.steps import Part, Question, Step
from protocols.specs import OptionSpec
from qualification.models import KnownAnswer


@dataclass(frozen=True, slots=True)
class Lesson:
    part: Part
    question: Question
    chosen: OptionSpec | None
    right: tuple[OptionSpec, ...]
    why: str

    @property
    def is_right(self) -> bool:
        return self.chosen is not None and self.chosen.id in {option.id for option in self.right}


def lessons_of(assignment: Assignment, step: Step) -> list[Lesson]:
    """Of the questions of one step that are answered, and whose right answer is known."""
    answered = [(part, question) for part, question in step.questions if question.answer.is_saved]
    known = _known(assignment, {part.item.token for part, _question in answered})
    found = []
    for part, question in answered:
        row = known.get((part.item.token, question.criterion.id))
        if row is not None:
            right = tuple(option for option in question.criterion.options if option.id in row.options)
            chosen = question.criterion.option(question.answer.option)
            found.append(Lesson(part, question, chosen, right, row.explanation))
    return found


def _known(assignment: Assignment, tokens: set) -> dict:
    """{(item's token, criterion id): KnownAnswer}"""
    items = list(Item.objects.filter(batch=assignment.batch_id, token__in=tokens))
    rows = KnownAnswer.objects.filter(
        study=assignment.batch.study_id,
        kind=KnownAnswer.Kind.TRAINING,
        is_active=True,
        criterion__in=spec_of_assignment(assignment).by_id,
        dialogue__in=[item.dialogue_id for item in items],
    )
    by_unit = {(row.dialogue_id, row.candidate_id, row.unit, row.criterion_id): row for row in rows}
    return {
        (item.token, criterion): row
        for item in items
        for (dialogue, candidate, unit, criterion), row in by_unit.items()
        if (dialogue, candidate, unit) == (item.dialogue_id, item.candidate_id, item.unit)
    }
