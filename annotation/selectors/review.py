"""Read what annotators check before they submit: their answers to every item, their marks, and what is missing."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.dependence import asked
from annotation.models import Assignment, Item, Rating
from annotation.numbering import numbered_turns
from annotation.selectors.item_states import ItemState, item_states
from annotation.selectors.work import SHOWN, responses_of, spec_of_assignment
from annotation.steps import step_numbers
from protocols.models import Criterion
from protocols.specs import CriterionSpec, VersionSpec

MARKS = ("missing", "unsure", "changed", "flagged")
LONGEST_EXCERPT = 160


@dataclass(frozen=True, slots=True)
class ReviewedAnswer:
    """An answer in the words of the annotator's page. `step` is where it can be changed."""

    criterion: CriterionSpec
    step: int
    labels: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    free_text: str = ""
    is_changed: bool = False
    is_missing: bool = False


@dataclass(frozen=True, slots=True)
class ReviewedItem:
    state: ItemState
    excerpt: str
    answers: tuple[ReviewedAnswer, ...]
    flag_reason: str = ""
    flag_words: str = ""

    @property
    def step(self) -> int:
        """Return the step of the first missing answer, otherwise of the first answer."""
        missing = (each.step for each in self.answers if each.is_missing)
        return next(missing, self.answers[0].step if self.answers else 1)


def reviewed_states(assignment: Assignment, *, criterion: str = "", mark: str = "") -> list[ItemState]:
    """Return the items that pass the filter, in the annotator's order; with a criterion, those that ask it."""
    spec = spec_of_assignment(assignment)
    chosen = [spec.by_key[criterion]] if criterion else None
    return [each for each in item_states(assignment, chosen) if each.is_asked and _has(each, mark)]


def _has(state: ItemState, mark: str) -> bool:
    if not mark:
        return True
    has = {
        "missing": state.is_missing, "unsure": state.is_unsure, "changed": state.is_changed,
        "flagged": state.flag != "",
    }  # fmt: skip
    return has[mark]


def reviewed_items(assignment: Assignment, states: Sequence[ItemState], *, criterion: str = "") -> list[ReviewedItem]:
    """Return the items of a page with their answers and flags, in a fixed number of queries."""
    spec = spec_of_assignment(assignment)
    rows = Item.objects.select_related("dialogue", "candidate").only("unit", "shown", "position", *SHOWN)
    items = rows.in_bulk([state.pk for state in states])
    together = responses_of(items.values())
    ratings: dict[int, dict[int, Rating]] = {}
    for rating in Rating.objects.filter(
        assignment=assignment, item__in=items, criterion__in=spec.by_id, is_active=True
    ):
        ratings.setdefault(rating.item_id, {})[rating.criterion_id] = rating
    marks = {mark.item_id: mark for mark in assignment.marks.filter(item__in=items)}
    steps = _steps(assignment, spec, states)
    found = []
    for state in states:
        item, mark = items[state.pk], marks.get(state.pk)
        text = item.candidate.text if item.candidate else " … ".join(
            together[pk].text for pk in item.shown if pk in together
        )  # fmt: skip
        flag = mark if mark and mark.reason else None
        found.append(
            ReviewedItem(
                state,
                _excerpt(text or _first_words(item)),
                tuple(_answers(spec, state, item, ratings.get(state.pk, {}), steps, criterion)),
                str(flag.get_reason_display()) if flag else "",
                flag.words if flag else "",
            )
        )
    return found


def _first_words(item: Item) -> str:
    turns = item.dialogue.turns if item.dialogue else []
    return str(turns[0]["text"]) if turns else ""


def _excerpt(text: str) -> str:
    """Return the text as one line, cut off: hundreds of words would hide the answers."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_EXCERPT else f"{line[:LONGEST_EXCERPT]}…"


Steps = dict[int, dict[tuple[str, int], dict[str, int]]]


def _steps(assignment: Assignment, spec: VersionSpec, states: Sequence[ItemState]) -> Steps:
    """Return {position: {(unit, number): {criterion: step}}}. Steps depend on the dialogue's items of each unit."""
    positions = {state.position for state in states}
    counts: dict[int, dict[str, int]] = {position: {} for position in positions}
    rows = Item.objects.filter(batch=assignment.batch_id, position__in=positions).values_list("position", "unit")
    for position, unit in rows:
        counts[position][unit] = counts[position].get(unit, 0) + 1
    return {position: step_numbers(spec, n_items) for position, n_items in counts.items()}


def _answers(
    spec: VersionSpec, state: ItemState, item: Item, ratings: dict[int, Rating], steps: Steps, only: str
) -> list[ReviewedAnswer]:
    given = {
        spec.by_id[pk].key: option.key
        for pk, rating in ratings.items()
        if (option := spec.by_id[pk].option_of(rating.option_id))
    }
    numbers = steps[state.position][state.unit, state.number]
    return [
        _answer(criterion, numbers[criterion.key], item, ratings.get(criterion.id), is_skipped=state.is_skipped)
        for criterion in asked(spec, state.unit, given)
        if only in ("", criterion.key)
    ]


def _answer(
    criterion: CriterionSpec, step: int, item: Item, rating: Rating | None, *, is_skipped: bool
) -> ReviewedAnswer:
    if rating is None:
        return ReviewedAnswer(criterion, step, is_missing=criterion.required and not is_skipped)
    option = criterion.option_of(rating.option_id)
    chosen = [each.label for each in criterion.options if each.id in rating.choices]
    reasons = [each.text for each in (option.explanations if option else ()) if each.id in rating.explanations]
    return ReviewedAnswer(
        criterion,
        step,
        labels=tuple([option.label] if option else chosen or _turns(criterion, item, rating)),
        reasons=tuple(reasons),
        free_text=rating.free_text,
        is_changed=rating.revision > 1,
    )


def _turns(criterion: CriterionSpec, item: Item, rating: Rating) -> list[str]:
    if criterion.kind != Criterion.Kind.TURNS or item.dialogue is None:
        return []
    turns = numbered_turns(item.dialogue.turns, item.dialogue.asker)
    return [turn["label"] or str(turn["number"]) for turn in turns if turn["number"] in rating.turns]


def counts_of(states: Sequence[ItemState]) -> dict[str, int]:
    """Return {mark: number of items that have it}."""
    return {mark: sum(_has(state, mark) for state in states) for mark in MARKS}
