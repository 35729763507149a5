"""How far an annotator is with a batch, and where the first answer is missing.

What is wanted is what the protocol requires of everybody: an optional question is never missing, and one that depends
on an answer is wanted as often as that answer was given. Where flagged items may be skipped, what is not answered about
one is not wanted, and what is answered stays an answer: nothing counts as one that nobody gave.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Sum

from annotation.models import Assignment, Batch, Item, Rating
from annotation.selectors.marks import skips, standing_flags
from protocols.specs import CriterionSpec, VersionSpec, spec_of

Asks = tuple[str, ...]  # the questions of a training item, by their keys; empty: all of its unit
LEAST_TIMED = 10  # answers after which an annotator's own pace is known


@dataclass(frozen=True, slots=True)
class Progress:
    n_done: int
    n_wanted: int
    pace_ms: int  # what one answer takes this annotator; 0 while that is not known

    @property
    def minutes_left(self) -> int | None:
        """None while the annotator's own pace is not known: somebody else's would be a guess."""
        return math.ceil(max(self.n_wanted - self.n_done, 0) * self.pace_ms / 60_000) if self.pace_ms else None


@dataclass(slots=True)
class Tally:
    """The answers to items that ask the same, counted by criterion and option, without those not asked any more."""

    answers: Counter[tuple[int, int | None]] = field(default_factory=Counter)
    n_timed: int = 0
    active_ms: int = 0

    def of(self, criterion: CriterionSpec) -> int:
        return sum(n for (each, _), n in self.answers.items() if each == criterion.id)

    def n_asked(self, criterion: CriterionSpec, spec: VersionSpec, n_items: int) -> int:
        """How many items the question is asked of."""
        for condition in criterion.when:
            parent = spec.by_key[condition.criterion]
            return sum(self.answers[parent.id, o.id] for o in parent.options if o.key in condition.options)
        return n_items


def read_progress(assignment: Assignment) -> Progress:
    return progresses([assignment])[assignment.pk]


def progresses(assignments: Iterable[Assignment]) -> dict[int, Progress]:
    """By assignment, in two queries however many there are. They need their batch, study and version."""
    found = list(assignments)
    is_training = any(_is_training(each) for each in found)
    tallies = _tallies(_answers(found), ["item__asks"] if is_training else [])
    units = _units([assignment.batch_id for assignment in found], ["asks"] if is_training else [])
    skipped = _skipped([each for each in found if skips(each)])
    return {each.pk: _progress(each, tallies[each.pk], units[each.batch_id], skipped.get(each.pk, 0)) for each in found}


def _is_training(assignment: Assignment) -> bool:
    """Whether its items may ask less than the protocol does; the answers of others are counted without their items."""
    return assignment.batch.kind == Batch.Kind.TRAINING


def _answers(assignments: list[Assignment]) -> QuerySet[Rating]:
    return Rating.objects.filter(assignment__in=assignments, is_active=True)


def _skipped(assignments: list[Assignment]) -> dict[int, int]:
    """How many answers about flagged items are not given, and need not be. {assignment: n}, in two queries or none."""
    if not assignments:
        return {}
    flags = standing_flags(assignments)
    flag = flags.filter(assignment=OuterRef("assignment"), item=OuterRef("item"))
    given = _tallies(_answers(assignments).filter(Exists(flag)), [])
    units: dict[int, Counter[str]] = defaultdict(Counter)
    for assignment, unit, n in flags.order_by().values_list("assignment", "item__unit").annotate(n=Count("pk")):
        units[assignment][unit] = n
    found = {}
    for each in assignments:
        spec, tally = spec_of(each.batch.study.protocol_version), given[each.pk][()]
        criteria = _required(spec)
        wanted = sum(tally.n_asked(criterion, spec, units[each.pk][criterion.unit]) for criterion in criteria)
        found[each.pk] = wanted - sum(tally.of(criterion) for criterion in criteria)
    return found


def _tallies(answers: QuerySet[Rating], asks: list[str]) -> Mapping[int, Mapping[Asks, Tally]]:
    tallies: dict[int, dict[Asks, Tally]] = defaultdict(lambda: defaultdict(Tally))
    counted = (
        answers.order_by()
        .values_list("assignment", "criterion", "option", *asks)
        .annotate(n=Count("pk"), n_timed=Count("pk", filter=Q(active_ms__gt=0)), ms=Sum("active_ms"))
    )
    for assignment, criterion, option, *of, n, n_timed, active_ms in counted:
        tally = tallies[assignment][_asks(of)]
        tally.answers[criterion, option] += n
        tally.n_timed += n_timed
        tally.active_ms += active_ms
    return tallies


def _units(batches: list[int], asks: list[str]) -> Mapping[int, Mapping[Asks, Counter[str]]]:
    """{batch: {questions: {unit: items}}}"""
    units: dict[int, dict[Asks, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    rows = Item.objects.filter(batch__in=batches).order_by()
    for batch, unit, *of, n in rows.values_list("batch", "unit", *asks).annotate(n=Count("pk")):
        units[batch][_asks(of)][unit] = n
    return units


def _asks(read: list[list[str]]) -> Asks:
    """Of a row's columns: the one that was asked for, or none."""
    return tuple(read[0]) if read else ()


def _progress(
    assignment: Assignment, tallies: Mapping[Asks, Tally], units: Mapping[Asks, Mapping[str, int]], n_skipped: int
) -> Progress:
    spec = spec_of(assignment.batch.study.protocol_version)
    done = wanted = n_timed = active_ms = 0
    for asks, n_items in units.items():
        tally = tallies[asks]
        criteria = [each for each in _required(spec) if not asks or each.key in asks]
        done += sum(tally.of(each) for each in criteria)
        wanted += sum(tally.n_asked(each, spec, n_items[each.unit]) for each in criteria)
        n_timed, active_ms = n_timed + tally.n_timed, active_ms + tally.active_ms
    return Progress(done, wanted - n_skipped, round(active_ms / n_timed) if n_timed >= LEAST_TIMED else 0)


def _required(spec: VersionSpec) -> list[CriterionSpec]:
    return [each for each in spec.criteria if each.is_asked and each.required]


def first_missing(assignment: Assignment) -> int | None:
    """The position of the first dialogue with an answer missing."""
    spec = spec_of(assignment.batch.study.protocol_version)
    mine = Rating.objects.filter(assignment=assignment, item=OuterRef("pk"), is_active=True)
    missing = Q(pk__in=[])
    for criterion in _required(spec):
        missing |= (
            Q(unit=criterion.unit) & ~Q(Exists(mine.filter(criterion=criterion.id))) & _is_asked(criterion, spec, mine)
            & (Q(asks=[]) | Q(asks__contains=[criterion.key]) if _is_training(assignment) else Q())
        )  # fmt: skip
    items = Item.objects.filter(missing, batch=assignment.batch_id)
    if skips(assignment):
        items = items.exclude(Exists(standing_flags([assignment]).filter(item=OuterRef("pk"))))
    return items.order_by("position").values_list("position", flat=True).first()


def _is_asked(criterion: CriterionSpec, spec: VersionSpec, mine: QuerySet[Rating]) -> Q:
    holds = Q()
    for condition in criterion.when:
        parent = spec.by_key[condition.criterion]
        options = [option.id for option in parent.options if option.key in condition.options]
        holds &= Q(Exists(mine.filter(criterion=parent.id, option__in=options)))
    return holds
