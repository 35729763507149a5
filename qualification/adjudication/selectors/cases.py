"""Collect what the adjudication pages show: disagreements with all answers about them, and the case library."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count, F, Q, QuerySet

from annotation.context import ContextPanel, context_above, context_of
from annotation.models import Batch, Item, Rating, Study
from annotation.numbering import numbered_turns
from annotation.selectors.item_texts import dialogues_of, other_dialogues_of, responses_of
from protocols.models import Explanation, Option, ProtocolVersion
from protocols.specs import VersionSpec, spec_of
from qualification.adjudication.selectors.disagreements import (
    current_comparisons,
    disagreements_of,
    first_looks,
    re_ratings,
    unit_of,
)
from qualification.models import Case, Disagreement

State, Unit = Disagreement.State, ProtocolVersion.Unit
UNITS_SHOWN_ALONE = (Unit.RESPONSE, Unit.DIALOGUE)


@dataclass(frozen=True, slots=True)
class Said:
    """Hold one annotator's answer in words. `others` are (question, answer) of their other answers about the item."""

    annotator: str
    answer: str
    reasons: tuple[str, ...]
    free_text: str
    turns: tuple[str, ...]  # the labels of the marked turns
    others: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Shown:
    """Hold what was rated, without its source: the source must not influence the decision."""

    turns: list[dict[str, Any]]
    texts: tuple[str, ...]
    unit: str
    speaker: str = ""  # only of a response
    context: tuple[ContextPanel, ...] = ()
    above: tuple[tuple[ContextPanel, ...], ...] = ()  # what stands above each of the texts
    # Of a model: turns, speaker, response and what stands above it. Of two dialogues in comparison: turns and context.
    dialogues: tuple[tuple[list[dict[str, Any]], str, str, tuple[ContextPanel, ...]], ...] = ()

    @property
    def is_numbered(self) -> bool:
        """Return whether turns have numbers: as for annotators, they do where the dialogue itself is rated."""
        return self.unit == Unit.DIALOGUE

    @property
    def responses(self) -> list[tuple[str, tuple[ContextPanel, ...]]]:
        """Return each text with what stands above it."""
        return list(zip(self.texts, self.above, strict=True))

    @property
    def text(self) -> str:
        return self.texts[0] if self.texts else ""


@dataclass(frozen=True, slots=True)
class Card:
    disagreement: Disagreement
    shown: Shown
    options: tuple[tuple[int, str], ...]
    case: Case | None
    first: list[Said] = field(default_factory=list)
    second: list[Said] = field(default_factory=list)
    kept: list[Said] = field(default_factory=list)  # answers kept with the settled label


# --- disagreements ---------------------------------------------------------------------------------
def counts_by_state(study: Study) -> dict[str, int]:
    """Count the disagreements in each state, and the cases in use under "cases"."""
    states = {state: Count("pk", filter=Q(state=state)) for state in State.values}
    n_cases = Case.objects.filter(study=study, is_active=True).count()
    return disagreements_of(study).aggregate(**states) | {"cases": n_cases}


def listed(study: Study, state: str) -> QuerySet[Disagreement]:
    """Return the disagreements in one state, the longest waiting first; settled ones, the last settled first."""
    order = ("-settled_at", "-pk") if state == State.SETTLED else ("found_at", "pk")
    found = disagreements_of(study).filter(state=state).order_by(*order)
    texts = ("item__dialogue", "item__candidate", "item__batch", "criterion", "option", "settled_by")
    return found.select_related(*texts)


def cards_of(study: Study, disagreements: Sequence[Disagreement]) -> list[Card]:
    """Return the cards in a fixed number of queries. Disagreements need what `listed` loads with them."""
    spec, said, kept = spec_of(study.protocol_version), _said(disagreements), _kept(disagreements)
    shown = shown_items([each.item for each in disagreements])
    in_book = Case.objects.filter(item__in=[each.item_id for each in disagreements], is_active=True)
    cases = {(case.item_id, case.criterion_id): case for case in in_book}
    return [
        Card(
            disagreement=each,
            shown=shown[each.item_id],
            options=options_of(spec, each.criterion_id),
            case=cases.get((each.item_id, each.criterion_id)),
            first=said[each.pk, False],
            second=said[each.pk, True],
            kept=kept[each.pk],
        )
        for each in disagreements
    ]


def options_of(spec: VersionSpec, criterion_id: int) -> tuple[tuple[int, str], ...]:
    criterion = spec.by_id.get(criterion_id)
    return tuple((option.id, option.label) for option in criterion.options) if criterion else ()


def shown_items(items: Iterable[Item]) -> dict[int, Shown]:
    """Return {item id: what is shown}. The items need their dialogue and candidate loaded."""
    all_items = list(items)
    together, others = responses_of(all_items), other_dialogues_of(all_items)
    found = {}
    for item in all_items:
        shown = [item.candidate] if item.candidate else [together[pk] for pk in item.shown if pk in together]
        texts = tuple(each.text for each in shown)
        if pair := dialogues_of(item, others):
            dialogues = tuple((numbered_turns(each.turns, each.asker), "", "", context_of(each)) for each in pair)
            found[item.pk] = Shown([], (), item.unit, dialogues=dialogues)
        elif item.dialogue is None:
            dialogues = tuple((each.dialogue.turns, each.speaker, each.text, context_above(each)) for each in shown)
            found[item.pk] = Shown([], texts, item.unit, dialogues=dialogues)
        else:
            turns = numbered_turns(item.dialogue.turns, item.dialogue.asker)
            speaker = item.candidate.speaker if item.candidate else ""
            above = tuple(map(context_above, shown))
            found[item.pk] = Shown(turns, texts, item.unit, speaker, context_of(item.dialogue), above)
    return found


def _said(disagreements: Sequence[Disagreement]) -> dict[tuple[int, bool], list[Said]]:
    """Return the answers about each disagreement by (its id, whether they are of the re-rating)."""
    comparisons = current_comparisons().filter(batch__in={each.item.batch_id for each in disagreements})
    # The items and their copies are matched by what they show; `unit_of` tells them apart.
    dialogues = {each.item.dialogue_id for each in disagreements if each.item.dialogue_id}
    sources = {each.item.source_id for each in disagreements if not each.item.dialogue_id}
    items = Item.objects.filter(Q(dialogue__in=dialogues) | Q(dialogue=None, source__in=sources))
    rows = (
        with_words(Rating.objects.filter(first_looks(comparisons) | re_ratings(comparisons)))
        .filter(item__in=items)
        .annotate(of_batch=F("batch__re_rating__comparison__batch"))
    )
    by_unit: dict[tuple[Any, ...], list[Rating]] = defaultdict(list)
    for row in rows:
        by_unit[row.of_batch or row.batch_id, row.of_batch is not None, *unit_of(row.item)].append(row)
    words = words_of(rows)
    said: dict[tuple[int, bool], list[Said]] = defaultdict(list)
    for each in disagreements:
        for is_second in (False, True):
            found = by_unit[each.item.batch_id, is_second, *unit_of(each.item)]
            said[each.pk, is_second] = said_by_each(found, each.criterion_id, words)
    return said


def _kept(disagreements: Sequence[Disagreement]) -> dict[int, list[Said]]:
    """Return the answers kept with each settled label, by disagreement id."""
    through = Disagreement.answers.through.objects.filter(disagreement__in=disagreements)
    of_rating: dict[int, list[int]] = defaultdict(list)
    for pk, rating in through.values_list("disagreement", "rating"):
        of_rating[rating].append(pk)
    rows = list(with_words(Rating.objects.filter(pk__in=of_rating)))
    words = words_of(rows)
    kept: dict[int, list[Rating]] = defaultdict(list)
    for row in rows:
        for pk in of_rating[row.pk]:
            kept[pk].append(row)
    return {each.pk: said_by_each(kept[each.pk], each.criterion_id, words) for each in disagreements}


# --- answers in words ------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Words:
    reasons: dict[int, Explanation]
    options: dict[int, Option]


def with_words(ratings: QuerySet[Rating]) -> QuerySet[Rating]:
    """Return the active ones of these ratings, grouped by annotator, with all that `said_by_each` reads."""
    rows = ratings.filter(is_active=True).select_related(
        "option", "criterion", "item__dialogue", "assignment__participant"
    )
    return rows.order_by("assignment__participant__pseudonym", "assignment", "criterion__position", "pk")


def words_of(rows: Iterable[Rating]) -> Words:
    """Return the reasons and choices of all these answers by id, in two queries."""
    found = list(rows)
    return Words(
        Explanation.objects.in_bulk({pk for row in found for pk in row.explanations}),
        Option.objects.in_bulk({pk for row in found for pk in row.choices}),
    )


def said_by_each(rows: Iterable[Rating], criterion_id: int, words: Words) -> list[Said]:
    """Return each annotator's answer to one question about one item, with the other answers about the item."""
    of_work: dict[int, list[Rating]] = defaultdict(list)
    for row in rows:
        of_work[row.assignment_id].append(row)
    return [
        Said(
            annotator=row.assignment.participant.pseudonym,
            answer=row.option.label if row.option else "",
            reasons=_reasons(row, words),
            free_text=row.free_text,
            turns=_labels(row),
            others=tuple((each.criterion.name, _answer(each, words)) for each in own if each is not row),
        )
        for own in of_work.values()
        for row in own
        if row.criterion_id == criterion_id
    ]


def _answer(row: Rating, words: Words) -> str:
    choices = [words.options[pk].label for pk in row.choices if pk in words.options]
    label = [row.option.label] if row.option else []
    parts = [*label, *choices, *_labels(row), *_reasons(row, words), row.free_text]
    return ", ".join(filter(None, parts)) or "–"


def _labels(row: Rating) -> tuple[str, ...]:
    """Return the labels of the marked turns; a turn without a label gets its number."""
    dialogue = row.item.dialogue
    if dialogue is None or not row.turns:
        return tuple(map(str, row.turns))
    turns = numbered_turns(dialogue.turns, dialogue.asker)
    return tuple(turn["label"] or str(turn["number"]) for turn in turns if turn["number"] in row.turns)


def _reasons(row: Rating, words: Words) -> tuple[str, ...]:
    return tuple(words.reasons[pk].text for pk in row.explanations if pk in words.reasons)


# --- cases -----------------------------------------------------------------------------------------
def cases_of(study: Study, *, criterion: str = "", is_active: bool = True) -> QuerySet[Case]:
    """Return cases, newest first; with a `criterion`, those about the question with this key in any version."""
    found = Case.objects.filter(study=study, is_active=is_active)
    if criterion:
        found = found.filter(criterion__key=criterion)
    return found.select_related(
        "item__dialogue", "item__candidate", "criterion", "option", "author", "version__protocol"
    ).order_by("-created_at", "-pk")


@dataclass(frozen=True, slots=True)
class CaseRow:
    case: Case
    shown: Shown

    @property
    def can_be_shown_alone(self) -> bool:
        """Return whether the case can become an example or a training item. A set of responses cannot."""
        return self.case.option_id is not None and self.shown.unit in UNITS_SHOWN_ALONE and bool(self.shown.turns)


def case_rows(cases: Sequence[Case]) -> list[CaseRow]:
    """Return the rows in one query."""
    shown = shown_items([case.item for case in cases])
    return [CaseRow(case, shown[case.item_id]) for case in cases]


def criteria_in_book(study: Study) -> list[tuple[str, str]]:
    """Return (key, name) of the questions that cases are about."""
    rows = Case.objects.filter(study=study).order_by("criterion__key", "-criterion__pk")
    return list(rows.distinct("criterion__key").values_list("criterion__key", "criterion__name"))


def items_of_dialogue(study: Study, key: str) -> list[Item]:
    """Return the dialogue's items that batches hold, each once, without the copies in private batches."""
    rows = Item.objects.filter(batch__study=study, batch__reserved_for=None, dialogue__key=key)
    rows = rows.filter(batch__kind__in=Batch.DEALT, unit__in=UNITS_SHOWN_ALONE)
    return list(
        rows.select_related("dialogue", "candidate").order_by("unit", "candidate", "pk").distinct("unit", "candidate")
    )
