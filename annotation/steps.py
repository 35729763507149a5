"""The order of the work, as values: which question is asked of which item, one step after another.

Pure: a version's spec, an annotator's seed and the items of one dialogue go in, steps come out. A batch of thousands of
dialogues is never laid out at once: its dialogues follow each other, and each is laid out by itself.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from protocols.models import ProtocolVersion
from protocols.specs import CriterionSpec, OptionSpec, VersionSpec


@dataclass(frozen=True, slots=True)
class ItemText:
    """An item as an annotator may see it: no source, no id (X-5). Text is None when the dialogue itself is rated."""

    token: UUID
    text: str | None


@dataclass(frozen=True, slots=True)
class SavedAnswer:
    """An annotator's own answer, in the codes of the page."""

    option: str = ""
    explanations: frozenset[str] = frozenset()
    free_text: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    key: str  # what is pressed, and printed on the option
    option: OptionSpec


@dataclass(frozen=True, slots=True)
class Question:
    criterion: CriterionSpec
    choices: tuple[Choice, ...]
    answer: SavedAnswer
    errors: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Step:
    """What is on the screen at once. Numbers count from 1, within the dialogue."""

    number: int
    item: ItemText
    item_number: int
    n_items: int
    questions: tuple[Question, ...]

    @property
    def only(self) -> Question | None:
        return self.questions[0] if len(self.questions) == 1 else None

    @property
    def is_answered(self) -> bool:
        return all(question.answer.option for question in self.questions)


Answers = Mapping[tuple[UUID, str], SavedAnswer]  # by item and criterion key


def order_items(seed: int, items: Iterable[ItemText]) -> list[ItemText]:
    """X-6: another order for every annotator, and the same one whenever they come back."""
    return sorted(items, key=lambda item: hashlib.sha256(f"{seed}:{item.token}".encode()).digest())


def n_steps(spec: VersionSpec, n_items: int) -> int:
    return n_items * len(_pages(spec))


def steps_of(spec: VersionSpec, items: Sequence[ItemText], answers: Answers) -> tuple[Step, ...]:
    """The steps of one dialogue, whose items are in the annotator's order.

    criterion_first: every item for the first criterion, then every item for the second. item_first: all questions of
    an item on one page. One rule covers both: for each page of questions, each item.
    """
    steps: list[Step] = []
    for page in _pages(spec):
        for place, item in enumerate(items, start=1):
            questions = tuple(_question(criterion, item, answers) for criterion in page)
            steps.append(Step(len(steps) + 1, item, place, len(items), questions))
    return tuple(steps)


def first_unanswered(steps: Sequence[Step]) -> Step | None:
    return next((step for step in steps if not step.is_answered), None)


def _pages(spec: VersionSpec) -> list[tuple[CriterionSpec, ...]]:
    if spec.order == ProtocolVersion.Order.CRITERION_FIRST:
        return [(criterion,) for criterion in spec.criteria]
    return [spec.criteria] if spec.criteria else []


def _question(criterion: CriterionSpec, item: ItemText, answers: Answers) -> Question:
    return Question(criterion, choices_of(criterion), answers.get((item.token, criterion.key), SavedAnswer()))


def choices_of(criterion: CriterionSpec) -> tuple[Choice, ...]:
    """On a scale of digits one presses the digit one means, whatever the order on screen; otherwise the place."""
    digits = [_digit(option.value) for option in criterion.options]
    is_scale = all(digits) and len(set(digits)) == len(digits)
    return tuple(
        Choice(digit if is_scale else option.code, option)
        for digit, option in zip(digits, criterion.options, strict=True)
    )


def _digit(value: float | None) -> str:
    return str(int(value)) if value is not None and value in range(10) else ""
