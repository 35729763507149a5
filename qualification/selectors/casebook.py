"""The casebook's pages: disagreements with everything that was said of them, and the cases the team learned from."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count, F, Q, QuerySet

from annotation.models import Assignment, Batch, Candidate, Item, Rating, Study
from protocols.models import Explanation, ProtocolVersion
from protocols.specs import VersionSpec, spec_of
from qualification.models import Case, Disagreement
from qualification.selectors.confirming import current_comparisons, disagreements_of

State, Unit = Disagreement.State, ProtocolVersion.Unit
UNITS_SHOWN_ALONE = (Unit.RESPONSE, Unit.DIALOGUE)


@dataclass(frozen=True, slots=True)
class Said:
    """One annotator's answer, as a person reads it."""

    annotator: str
    answer: str
    reasons: tuple[str, ...]
    free_text: str
    turns: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """What was rated, without its source: who decides about an answer must not be led by it."""

    turns: list[dict[str, Any]]
    texts: tuple[str, ...]
    unit: str

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


# --- disagreements ---------------------------------------------------------------------------------
def counts_by_state(study: Study) -> dict[str, int]:
    """How many disagreements are in each state, and how many cases are in use ("cases")."""
    states = {state: Count("pk", filter=Q(state=state)) for state in State.values}
    n_cases = Case.objects.filter(study=study, is_active=True).count()
    return disagreements_of(study).aggregate(**states) | {"cases": n_cases}


def listed(study: Study, state: str) -> QuerySet[Disagreement]:
    """Those in one state: the ones that wait longest come first, settled ones last settled first."""
    order = ("-settled_at", "-pk") if state == State.SETTLED else ("found_at", "pk")
    return with_texts(disagreements_of(study).filter(state=state)).order_by(*order)


def with_texts(disagreements: QuerySet[Disagreement]) -> QuerySet[Disagreement]:
    return disagreements.select_related(
        "item__dialogue", "item__candidate", "item__batch", "criterion", "option", "settled_by"
    )


def cards_of(study: Study, disagreements: Sequence[Disagreement]) -> list[Card]:
    """In a number of queries that does not grow with them. They come from `with_texts`."""
    spec, said = spec_of(study.protocol_version), _said(disagreements)
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
        )
        for each in disagreements
    ]


def options_of(spec: VersionSpec, criterion_id: int) -> tuple[tuple[int, str], ...]:
    criterion = spec.by_id.get(criterion_id)
    return tuple((option.id, option.label) for option in criterion.options) if criterion else ()


def shown_items(items: Iterable[Item]) -> dict[int, Shown]:
    """By item. They need their dialogue and candidate."""
    found = list(items)
    together = Candidate.objects.in_bulk({pk for item in found for pk in item.shown})
    return {item.pk: _shown(item, together) for item in found}


def _shown(item: Item, together: dict[int, Candidate]) -> Shown:
    texts = [item.candidate.text] if item.candidate else [together[pk].text for pk in item.shown if pk in together]
    return Shown(item.dialogue.turns if item.dialogue else [], tuple(texts), item.unit)


def _said(disagreements: Sequence[Disagreement]) -> dict[tuple[int, bool], list[Said]]:
    """By disagreement and whether it is of the second look."""
    comparisons = current_comparisons().filter(batch__in={each.item.batch_id for each in disagreements})
    rows = (
        Rating.objects.filter(_first_looks(comparisons) | _second_looks(comparisons), is_active=True)
        .filter(criterion__in={each.criterion_id for each in disagreements}, item__in=_items_like(disagreements))
        .select_related("option", "item", "assignment__participant")
        .annotate(of_batch=F("batch__second_look__comparison__batch"))
        .order_by("assignment__participant__pseudonym", "pk")
    )
    by_unit: dict[tuple[Any, ...], list[Rating]] = defaultdict(list)
    for row in rows:
        by_unit[row.of_batch or row.batch_id, row.of_batch is not None, *_unit(row.item), row.criterion_id].append(row)
    reasons = Explanation.objects.in_bulk({pk for row in rows for pk in row.explanations})
    said: dict[tuple[int, bool], list[Said]] = defaultdict(list)
    for each in disagreements:
        for is_second in (False, True):
            key = (each.item.batch_id, is_second, *_unit(each.item), each.criterion_id)
            said[each.pk, is_second] = [_in_words(row, reasons) for row in by_unit[key]]
    return said


def _first_looks(comparisons: QuerySet) -> Q:
    return Q(assignment__in=comparisons.values("first")) | Q(assignment__in=comparisons.values("second"))


def _second_looks(comparisons: QuerySet) -> Q:
    """Those submitted: an answer that may still change is nobody's to read."""
    status = Assignment.Status.SUBMITTED
    return Q(batch__second_look__comparison__in=comparisons, assignment__status=status)


def _items_like(disagreements: Sequence[Disagreement]) -> QuerySet[Item]:
    """The items and their copies, by what they show; `_unit` tells them apart."""
    dialogues = {each.item.dialogue_id for each in disagreements if each.item.dialogue_id}
    sources = {each.item.source_id for each in disagreements if not each.item.dialogue_id}
    return Item.objects.filter(Q(dialogue__in=dialogues) | Q(dialogue=None, source__in=sources))


def _unit(item: Item) -> tuple[Any, ...]:
    return item.unit, item.dialogue_id, item.candidate_id, item.source_id


def _in_words(row: Rating, reasons: dict[int, Explanation]) -> Said:
    return Said(
        annotator=row.assignment.participant.pseudonym,
        answer=row.option.label if row.option else "",
        reasons=tuple(reasons[pk].text for pk in row.explanations if pk in reasons),
        free_text=row.free_text,
        turns=tuple(row.turns),
    )


# --- cases -----------------------------------------------------------------------------------------
def cases_of(study: Study, *, criterion: str = "", is_active: bool = True) -> QuerySet[Case]:
    """The newest first; of the question with this key, whatever version it is of."""
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
        """As an example, or to train with. A set of responses is neither."""
        return self.case.option_id is not None and self.shown.unit in UNITS_SHOWN_ALONE and bool(self.shown.turns)


def case_rows(cases: Sequence[Case]) -> list[CaseRow]:
    """In one query, however many they are."""
    shown = shown_items([case.item for case in cases])
    return [CaseRow(case, shown[case.item_id]) for case in cases]


def criteria_in_book(study: Study) -> list[tuple[str, str]]:
    """(key, name) of the questions that cases are about."""
    rows = Case.objects.filter(study=study).order_by("criterion__key", "-criterion__pk")
    return list(rows.distinct("criterion__key").values_list("criterion__key", "criterion__name"))


def items_of_dialogue(study: Study, key: str) -> list[Item]:
    """Everything of a dialogue that was rated, each once; copies in private batches are none of it."""
    rows = Item.objects.filter(batch__study=study, batch__reserved_for=None, dialogue__key=key)
    rows = rows.filter(batch__kind__in=Batch.DEALT, unit__in=UNITS_SHOWN_ALONE)
    return list(
        rows.select_related("dialogue", "candidate").order_by("unit", "candidate", "pk").distinct("unit", "candidate")
    )
