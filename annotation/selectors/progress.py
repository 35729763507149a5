"""How far an annotator is with a batch, and where the first answer is missing.

What is wanted is what the protocol requires of everybody: an optional question is never missing, and one that depends
on an answer is wanted as often as that answer was given.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Sum

from annotation.models import Assignment, Item, Rating
from protocols.specs import CriterionSpec, VersionSpec, spec_of

LEAST_TIMED = 10  # answers after which an annotator's own pace says more than the expected time


@dataclass(frozen=True, slots=True)
class Progress:
    n_done: int
    n_wanted: int
    pace_ms: int  # what one answer takes this annotator
    is_own_pace: bool = False  # else it is the expected time's, and tells nobody when they will be done

    @property
    def minutes_left(self) -> int:
        return math.ceil(max(self.n_wanted - self.n_done, 0) * self.pace_ms / 60_000)


@dataclass(slots=True)
class Tally:
    """The answers of one assignment, counted by criterion and option; those not asked any more are left out."""

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
    tallies = _tallies(found)
    units = _units([assignment.batch_id for assignment in found])
    return {each.pk: _progress(each, tallies[each.pk], units[each.batch_id]) for each in found}


def _tallies(assignments: list[Assignment]) -> Mapping[int, Tally]:
    tallies: dict[int, Tally] = defaultdict(Tally)
    rows = Rating.objects.filter(assignment__in=assignments, is_active=True).order_by()
    counted = rows.values_list("assignment", "criterion", "option").annotate(
        n=Count("pk"), n_timed=Count("pk", filter=Q(active_ms__gt=0)), ms=Sum("active_ms")
    )
    for assignment, criterion, option, n, n_timed, active_ms in counted:
        tally = tallies[assignment]
        tally.answers[criterion, option] += n
        tally.n_timed += n_timed
        tally.active_ms += active_ms
    return tallies


def _units(batches: list[int]) -> Mapping[int, Counter[str]]:
    """{batch: {unit: items}}"""
    units: dict[int, Counter[str]] = defaultdict(Counter)
    rows = Item.objects.filter(batch__in=batches).order_by()
    for batch, unit, n in rows.values_list("batch", "unit").annotate(n=Count("pk")):
        units[batch][unit] = n
    return units


def _progress(assignment: Assignment, tally: Tally, n_items: Mapping[str, int]) -> Progress:
    study = assignment.batch.study
    spec = spec_of(study.protocol_version)
    criteria = _required(spec)
    wanted = sum(tally.n_asked(each, spec, n_items[each.unit]) for each in criteria)
    expected = assignment.batch.minutes_expected * 60_000 / max(wanted, 1)
    is_own = tally.n_timed >= LEAST_TIMED
    pace = tally.active_ms / tally.n_timed if is_own else expected
    return Progress(sum(tally.of(each) for each in criteria), wanted, round(pace), is_own)


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
        )
    items = Item.objects.filter(missing, batch=assignment.batch_id)
    return items.order_by("position").values_list("position", flat=True).first()


def _is_asked(criterion: CriterionSpec, spec: VersionSpec, mine: QuerySet[Rating]) -> Q:
    holds = Q()
    for condition in criterion.when:
        parent = spec.by_key[condition.criterion]
        options = [option.id for option in parent.options if option.key in condition.options]
        holds &= Q(Exists(mine.filter(criterion=parent.id, option__in=options)))
    return holds
