"""Lay out the order of the work: which question is asked about which item, one step after another.

These are pure functions from a version's spec, an annotator's seed and the items of one dialogue to steps. Each
dialogue is laid out separately, because a batch may have thousands.
"""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any, TypeVar
from uuid import UUID

from annotation.context import ContextPanel
from annotation.dependence import asked
from protocols.models import Criterion, Option, ProtocolVersion
from protocols.sides import SIDES
from protocols.specs import CriterionSpec, ExplanationSpec, OptionSpec, VersionSpec

# Letters that no command of the rating screen has: f flags, g goes, m shows the raw text, u marks as unsure.
LETTERS = "abcdehijklnopqrstvwxyz"
LETTERS_IN_ALL = LETTERS + LETTERS.upper()
NONE = "0"  # the key for no answer to an optional question
BOTH_BAD = "0"
ARROWS = {"ArrowLeft": "←", "ArrowRight": "→", "ArrowDown": "↓"}
KEYS = "123456789" + LETTERS_IN_ALL
NUMBER = re.compile(r"-?(0|[1-9]\d{0,2})")
LINE = 72  # characters of a description on the rating screen
MOST_LINES = 6
LENGTHS = (6, 7, 9)  # answers from which a row is laid out in another way
ROW = 40  # characters of options that stand beside each other on a phone: of each, those of its longest word
WIDE = "\u2e80"  # from here on, characters of Chinese and Japanese: as wide as two others


@dataclass(frozen=True, slots=True)
class ItemText:
    """An item as an annotator may see it: no source, no id. It has no texts if the dialogue itself is rated."""

    token: UUID
    texts: tuple[str, ...] = ()
    unit: str = ProtocolVersion.Unit.RESPONSE
    speaker: str = ""  # of a response or a whole set; empty where nobody can tell
    # of a model: what each of its texts responds to; of two whole dialogues in comparison: their turns
    histories: tuple[list[dict[str, Any]], ...] = ()
    speakers: tuple[str, ...] = ()  # of a model: who says each of its texts
    asks: tuple[str, ...] = ()  # of a training item: the keys of its questions; empty: all of its unit
    contexts: tuple[tuple[ContextPanel, ...], ...] = ()  # what to read above each of its texts

    @property
    def above(self) -> tuple[ContextPanel, ...]:
        """Return what to read above a response."""
        return self.contexts[0] if self.contexts else ()

    @property
    def shown(self) -> list[tuple[str, tuple[ContextPanel, ...]]]:
        """Return each text with what to read above it."""
        return list(zip(self.texts, self.contexts or repeat(()), strict=False))

    @property
    def compares_dialogues(self) -> bool:
        return self.unit == ProtocolVersion.Unit.COMPARISON and bool(self.histories)

    @property
    def sides(self) -> list[tuple[str, list[dict[str, Any]], tuple[ContextPanel, ...]]]:
        """Return both sides of a comparison, each with its text or its turns, and what to read above it."""
        texts, histories = self.texts or ("", ""), self.histories or ([], [])
        return list(zip(texts, histories, self.contexts or ((), ()), strict=True))

    @property
    def text(self) -> str | None:
        """Return the text of a response; None for other units."""
        return self.texts[0] if self.unit == ProtocolVersion.Unit.RESPONSE else None

    @property
    def dialogues(self) -> list[tuple[list[dict[str, Any]], str, str, tuple[ContextPanel, ...]]]:
        contexts = self.contexts or [()] * len(self.texts)
        return list(zip(self.histories, self.speakers, self.texts, contexts, strict=True))


@dataclass(frozen=True, slots=True)
class SavedAnswer:
    """An annotator's own answer, in the codes of the page."""

    option: str = ""
    explanations: frozenset[str] = frozenset()
    free_text: str = ""
    is_other: bool = False  # a reason in the annotator's own words
    options: frozenset[str] = frozenset()
    turns: frozenset[int] = frozenset()
    is_saved: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """An option with the keys to press for it and for its reasons. A key is empty if there are not enough keys."""

    key: str
    option: OptionSpec
    reasons: tuple[tuple[str, ExplanationSpec], ...] = ()
    own_reason: str = ""  # the key of a reason in one's own words
    arrow: str = ""  # of a comparison: the arrow key that chooses it too, by its name in browsers

    @property
    def arrow_sign(self) -> str:
        return ARROWS.get(self.arrow, "")

    @property
    def repeats_key(self) -> bool:
        """Return whether the label already names the key: `3`, `3 (fair)`, `3: okay`."""
        rest = self.option.label.removeprefix(self.key)
        return bool(self.key) and rest != self.option.label and not rest[:1].isalnum()


@dataclass(frozen=True, slots=True)
class AskedCriterion:
    """A question on screen. Names of its fields begin with `name`; `is_asked` is false if an answer rules it out."""

    criterion: CriterionSpec
    choices: tuple[Choice, ...]
    answer: SavedAnswer
    name: str
    is_asked: bool = True
    when: str = ""  # "criterion:1,2" in the page's codes: asked only while one of these options is chosen
    is_skipped: bool = False  # its item is flagged and needs no answer
    errors: Mapping[str, str] = field(default_factory=dict)

    @property
    def lines(self) -> int:
        """Return about how many lines the longest description has: that height is kept free, so that nothing moves."""
        texts = [(o.definition, *o.conditions) for o in self.criterion.options]
        return min(max((sum(-(-len(text) // LINE) for text in each) for each in texts), default=0), MOST_LINES)

    @property
    def length(self) -> int:
        """Return the largest of LENGTHS that the number of answers reaches, 0 for a short row.

        The page says it before the first answer. Rules of CSS that count what follows would change while the page
        still arrives, and Chromium then does not draw the answers that came first.
        """
        n_answers = len(self.choices) + (not self.criterion.required)
        return max((each for each in LENGTHS if each <= n_answers), default=0)

    @property
    def is_wordy(self) -> bool:
        """Return whether the labels are too long to stand beside each other on a phone."""
        words = (option.label.split() for option in self.criterion.options)
        return sum(max(map(_width, each), default=0) for each in words) > ROW

    @property
    def has_one_option_a_side(self) -> bool:
        """Return whether one option stands for each side of a comparison: they are laid out as the sides are."""
        roles = [option.role for option in self.criterion.options]
        return [role for role in roles if role in SIDES] == list(SIDES)

    @property
    def is_done(self) -> bool:
        return self.answer.is_saved or self.is_skipped or not self.is_asked

    @property
    def is_none(self) -> bool:
        """Return whether the annotator has said that no answer applies."""
        return self.answer == SavedAnswer(is_saved=True)

    @property
    def none_key(self) -> str:
        """Return the key that says so: 0, or, where that is the key of an option, the first one that is free."""
        reasons = (key for each in self.choices for key in (*(key for key, _reason in each.reasons), each.own_reason))
        taken = {*(each.key for each in self.choices), *reasons}
        return next((key for key in (NONE, *KEYS) if key not in taken), "")


@dataclass(frozen=True, slots=True)
class ItemOnScreen:
    """One item on the screen with its questions. Numbers count from 1, among the dialogue's items of this unit."""

    item: ItemText
    number: int
    n_items: int
    questions: tuple[AskedCriterion, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """Everything that is on the screen at once. Numbers count from 1 within the dialogue."""

    number: int
    parts: tuple[ItemOnScreen, ...]

    @property
    def part(self) -> ItemOnScreen:
        return self.parts[0]

    @property
    def only(self) -> AskedCriterion | None:
        """Return the question if there is only one, otherwise None."""
        is_one = len(self.parts) == 1 and len(self.part.questions) == 1
        return self.part.questions[0] if is_one else None

    @property
    def questions(self) -> list[tuple[ItemOnScreen, AskedCriterion]]:
        return [(part, question) for part in self.parts for question in part.questions]

    @property
    def is_answered(self) -> bool:
        return all(question.is_done for _, question in self.questions)

    @property
    def is_passed_over(self) -> bool:
        """Return whether to skip the step: nothing is asked, or only about flagged items and without an answer."""
        return not any(each.is_asked and (each.answer.is_saved or not each.is_skipped) for _, each in self.questions)


Answers = Mapping[tuple[UUID, str], SavedAnswer]  # by item and criterion key


def order_items(seed: int, items: Iterable[ItemText]) -> list[ItemText]:
    """Return the items in an order that differs between annotators and stays the same for each."""
    return sorted(items, key=lambda item: place_of(seed, item.token))


def place_of(seed: int, token: UUID | str) -> bytes:
    """Return the key by which the items of a dialogue are sorted."""
    return hashlib.sha256(f"{seed}:{token}".encode()).digest()


def steps_of(
    spec: VersionSpec, items: Sequence[ItemText], answers: Answers, skipped: Set[UUID] = frozenset()
) -> tuple[Step, ...]:
    """Return the steps of one dialogue, whose items are in the annotator's order.

    criterion_first: every item for the first criterion, then every item for the second. item_first: all questions of
    an item on one page. set_level: all items of a unit, each with all its questions, on one page. Questions about
    another unit begin new pages, in the order of the criteria: a unit that is asked about twice comes twice. `skipped`
    are the items that need no answer.
    """
    pages = [
        page for run in spec.runs for page in _pages(spec, run, [each for each in items if each.unit == run[0].unit])
    ]
    return tuple(
        Step(
            number,
            tuple(
                _part(spec, at, *entry, answers, is_alone=len(page) == 1, is_skipped=entry[0].token in skipped)
                for at, entry in enumerate(page)
            ),
        )
        for number, page in enumerate(pages, start=1)
    )


def step_numbers(spec: VersionSpec, n_items: Mapping[str, int]) -> dict[tuple[str, int], dict[str, int]]:
    """Return {(unit, item number): {criterion key: step}} for a dialogue with `n_items` items of each unit."""
    pages = [(run[0].unit, page) for run in spec.runs for page in _pages(spec, run, range(n_items.get(run[0].unit, 0)))]
    found: dict[tuple[str, int], dict[str, int]] = defaultdict(dict)
    for step, (unit, page) in enumerate(pages, start=1):
        for _item, number, _of, criteria in page:
            found[unit, number] |= {criterion.key: step for criterion in criteria}
    return found


Item = TypeVar("Item")
Entry = tuple[Item, int, int, tuple[CriterionSpec, ...]]  # item, its number, of how many, its questions


def _pages(spec: VersionSpec, criteria: tuple[CriterionSpec, ...], items: Sequence[Item]) -> list[list[Entry[Item]]]:
    is_by_criterion = spec.order == ProtocolVersion.Order.CRITERION_FIRST
    groups = [(criterion,) for criterion in criteria] if is_by_criterion else [criteria]
    numbered = list(enumerate(items, start=1))
    entries = []
    for group in groups:
        for at, item in numbered:
            # A training item may ask some questions; any other asks all of its unit.
            asks = item.asks if isinstance(item, ItemText) else ()
            if own := tuple(each for each in group if not asks or each.key in asks):
                entries.append((item, at, len(items), own))
    is_together = spec.order == ProtocolVersion.Order.SET_LEVEL
    return ([entries] if entries else []) if is_together else [[entry] for entry in entries]


def _part(
    spec: VersionSpec,
    at: int,
    item: ItemText,
    number: int,
    n_items: int,
    criteria: Sequence[CriterionSpec],
    answers: Answers,
    *,
    is_alone: bool,
    is_skipped: bool,
) -> ItemOnScreen:
    shown = {each.key for each in asked(spec, item.unit, _given(spec, item, answers))}
    questions = []
    for criterion in criteria:
        when = []
        for each in criterion.when:
            options = spec.by_key[each.criterion].options
            when.append(f"{each.criterion}:" + ",".join(o.code for o in options if o.key in each.options))
        questions.append(
            AskedCriterion(
                criterion,
                choices_of(criterion),
                answers.get((item.token, criterion.key), SavedAnswer()),
                name=criterion.key if is_alone else f"{criterion.key}-{at + 1}",
                is_asked=criterion.key in shown,
                when=" ".join(when),
                is_skipped=is_skipped,
            )
        )
    return ItemOnScreen(item, number, n_items, tuple(questions))


def _given(spec: VersionSpec, item: ItemText, answers: Answers) -> dict[str, str]:
    found = {}
    for criterion in spec.asked_of(item.unit):
        answer = answers.get((item.token, criterion.key))
        if answer and (option := criterion.option(answer.option)):
            found[criterion.key] = option.key
    return found


def first_unanswered(steps: Sequence[Step]) -> Step | None:
    return next((step for step in steps if not step.is_answered), None)


def choices_of(criterion: CriterionSpec) -> tuple[Choice, ...]:
    """Give every option and every reason its key. On a scale, the key is the option's number, whatever the order.

    A digit never stands for an option with another number, and `-2` and `10` are typed as they are written. Options
    without a number get the digits that are left, then letters; reasons get letters that no option of the question has.
    """
    own = [_number(option) for option in criterion.options]
    if criterion.kind != Criterion.Kind.SINGLE:  # the first digit of two would tick an answer of its own
        own = [each if len(each.lstrip("-")) == 1 else "" for each in own]
    if len(set(filter(None, own))) < len(list(filter(None, own))):
        own = [""] * len(own)  # two options have the same number
    arrows = _arrows(criterion)
    if arrows and not any(own):
        own = _comparison_keys(criterion)
    has_ten = criterion.required and not any(own)
    left = (key for key in ("1234567890" + LETTERS_IN_ALL if has_ten else KEYS) if key not in own)
    keys = [number or next(left, "") for number in own]
    letters = [letter for letter in LETTERS_IN_ALL if letter not in keys]
    choices = []
    for at, (key, option) in enumerate(zip(keys, criterion.options, strict=True)):
        free = iter(letters)
        reasons = tuple((next(free, ""), each) for each in option.explanations)
        choices.append(Choice(key, option, reasons, next(free, "") if reasons else "", arrows.get(at, "")))
    return tuple(choices)


def _arrows(criterion: CriterionSpec) -> dict[int, str]:
    """Return {place of an option: its arrow key}. Of several degrees, the arrow takes the one nearest to the middle."""
    places: dict[str, list[int]] = defaultdict(list)
    for at, option in enumerate(criterion.options):
        places[option.role].append(at)
    if not places[Option.Role.LEFT]:
        return {}
    found = {places[Option.Role.LEFT][-1]: "ArrowLeft", places[Option.Role.RIGHT][0]: "ArrowRight"}
    return found | dict.fromkeys(places[Option.Role.EQUAL][:1], "ArrowDown")


def _comparison_keys(criterion: CriterionSpec) -> list[str]:
    """Return the keys that are fixed in a comparison: 0 for both bad, and, without degrees, 1 and 2 for the sides."""
    roles = [option.role for option in criterion.options]
    fixed = {Option.Role.BOTH_BAD: BOTH_BAD}
    if roles.count(Option.Role.LEFT) == 1:
        fixed |= {Option.Role.LEFT: "1", Option.Role.RIGHT: "2"}
    return [fixed.get(Option.Role(role), "") if role not in roles[:at] else "" for at, role in enumerate(roles)]


def _width(word: str) -> int:
    return sum(2 if character >= WIDE else 1 for character in word)


def _number(option: OptionSpec) -> str:
    """Return the option's value, or a label that is a number, if it is a whole one up to 999; otherwise ''."""
    text = option.label.replace("−", "-") if option.value is None else f"{option.value:g}"
    return text if NUMBER.fullmatch(text) else ""
