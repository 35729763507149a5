"""Read what annotators check before they submit: their answers to every item, their marks, and what is missing."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from uuid import UUID

from annotation.dependence import asked
from annotation.models import Assignment, Dialogue, Item, Rating
from annotation.numbering import numbered_turns
from annotation.selectors.item_states import ItemState, item_states
from annotation.selectors.item_texts import dialogues_of, other_dialogues_of, responses_of, swapped_of
from annotation.selectors.work import SHOWN, spec_of_assignment
from annotation.steps import step_numbers
from protocols.models import Criterion, ProtocolVersion
from protocols.specs import CriterionSpec, VersionSpec

Unit = ProtocolVersion.Unit
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
    token: UUID
    excerpts: tuple[str, ...]  # of a comparison one for each side
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
    rows = Item.objects.select_related("dialogue", "candidate").only(
        "token", "unit", "shown", "other_dialogue", "position", *SHOWN
    )
    items = rows.in_bulk([state.pk for state in states])
    together, others = responses_of(items.values()), other_dialogues_of(items.values())
    swapped = swapped_of(assignment, items.values())
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
        texts = [item.candidate.text] if item.candidate else [together[pk].text for pk in shown if pk in together]
        if not texts:
            read = dialogues_of(item, others, item.pk in swapped) or ([item.dialogue] if item.dialogue else [])
            texts = _beginnings(read)
        flag = mark if mark and mark.reason else None
        found.append(
            ReviewedItem(
                state,
                item.token,
                _excerpts(texts if state.unit == Unit.COMPARISON else [" … ".join(texts)]),
                tuple(_answers(spec, state, item, ratings.get(state.pk, {}), steps, criterion, item.pk in swapped)),
                str(flag.get_reason_display()) if flag else "",
                flag.words if flag else "",
            )
        )
    return found


def _beginnings(dialogues: Sequence[Dialogue]) -> list[str]:
    """Return a turn of each dialogue: the first one, or of a pair the first one in which they differ."""
    texts = [[str(turn["text"]) for turn in each.turns] for each in dialogues if each.turns]
    together = zip(*texts, strict=False)
    return next((list(turns) for turns in together if len(set(turns)) == len(turns)), [each[0] for each in texts])


def _excerpts(texts: Sequence[str]) -> tuple[str, ...]:
    """Cut texts off: hundreds of words would hide the answers."""
    lines = (" ".join(text.split()) for text in texts)
    most = LONGEST_EXCERPT // max(len(texts), 1)
    return tuple(line if len(line) <= most else f"{line[:most]}…" for line in lines if line)


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
