"""Read what annotators check before they submit: their answers to every item, their marks, and what is missing."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from annotation.dependence import asked
from annotation.models import Assignment, Item, Rating
from annotation.numbering import numbered_turns
from annotation.selectors.item_states import ItemState, item_states
from annotation.selectors.work import SHOWN, responses_of, spec_of_assignment, swapped_of
from annotation.steps import step_numbers
from protocols.models import Criterion
from protocols.specs import CriterionSpec, VersionSpec

HAS: dict[str, Callable[[ItemState], bool]] = {
    "missing": lambda state: state.is_missing,
    "unsure": lambda state: state.is_unsure,
    "changed": lambda state: state.is_changed,
    "flagged": lambda state: state.flag != "",
}
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
    return [each for each in item_states(assignment, chosen) if each.is_asked and (not mark or HAS[mark](each))]


def reviewed_items(assignment: Assignment, states: Sequence[ItemState], *, criterion: str = "") -> list[ReviewedItem]:
    """Return the items of a page with their answers and flags, in a fixed number of queries."""
    spec = spec_of_assignment(assignment)
    rows = Item.objects.select_related("dialogue", "candidate").only("unit", "shown", "position", *SHOWN)
    items = rows.in_bulk([state.pk for state in states])
    together, swapped = responses_of(items.values()), swapped_of(assignment, items.values())
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
        shown = item.shown[::-1] if item.pk in swapped else item.shown
        text = item.candidate.text if item.candidate else " … ".join(
            together[pk].text for pk in shown if pk in together
        )  # fmt: skip
        if not text and item.dialogue and item.dialogue.turns:
            text = str(item.dialogue.turns[0]["text"])
        line = " ".join(text.split())  # cut off below: hundreds of words would hide the answers
        flag = mark if mark and mark.reason else None
        found.append(
            ReviewedItem(
                state,
                line if len(line) <= LONGEST_EXCERPT else f"{line[:LONGEST_EXCERPT]}…",
                tuple(_answers(spec, state, item, ratings.get(state.pk, {}), steps, criterion, item.pk in swapped)),
                str(flag.get_reason_display()) if flag else "",
                flag.words if flag else "",
            )
        )
    return found


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
    spec: VersionSpec,
    state: ItemState,
    item: Item,
    ratings: dict[int, Rating],
    steps: Steps,
    only: str,
    is_swapped: bool,
) -> list[ReviewedAnswer]:
    given = {
        spec.by_id[pk].key: option.key
        for pk, rating in ratings.items()
        if (option := spec.by_id[pk].option_of(rating.option_id))
    }
    numbers = steps[state.position][state.unit, state.number]
    return [
        _answer(
            criterion,
            numbers[criterion.key],
            item,
            ratings.get(criterion.id),
            is_skipped=state.is_skipped,
            is_swapped=is_swapped,
        )
        for criterion in asked(spec, state.unit, given)
        if only in ("", criterion.key)
    ]


def _answer(
    criterion: CriterionSpec, step: int, item: Item, rating: Rating | None, *, is_skipped: bool, is_swapped: bool
) -> ReviewedAnswer:
    if rating is None:
        return ReviewedAnswer(criterion, step, is_missing=not is_skipped)
    option = criterion.option_of(rating.option_id)
    seen = criterion.mirrors[option.id] if option and is_swapped else option  # on the side that was chosen
    labels = [seen.label] if seen else [each.label for each in criterion.options if each.id in rating.choices]
    if not labels and criterion.kind == Criterion.Kind.TURNS and item.dialogue:
        turns = numbered_turns(item.dialogue.turns, item.dialogue.asker)
        labels = [turn["label"] or str(turn["number"]) for turn in turns if turn["number"] in rating.turns]
    reasons = [each.text for each in (option.explanations if option else ()) if each.id in rating.explanations]
    return ReviewedAnswer(
        criterion,
        step,
        labels=tuple(labels),
        reasons=tuple(reasons),
        free_text=rating.free_text,
        is_changed=rating.revision > 1,
    )


def counts_of(states: Sequence[ItemState]) -> dict[str, int]:
    """Return {mark: number of items that have it}."""
    return {mark: sum(map(has, states)) for mark, has in HAS.items()}
