"""Compute how far an annotator is with a batch, and where the first answer is missing.

Every question that is asked wants an answer, an optional one if only that none applies. A question that depends on an
answer is wanted once for each time that answer was given. Where flagged items may be skipped, their unanswered
questions are not wanted, and answers that were given still count.

Annotators see steps: the pages that hold a question. The number of steps stays the same while questions open
and close, and a step whose questions are ruled out by an answer or a flag is done.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Sum

from annotation.models import Assignment, Batch, Item, Rating
from annotation.selectors.marks import skips, status_flags
from annotation.selectors.screens import screens_of
from protocols.models import ProtocolVersion
from protocols.specs import CriterionSpec, VersionSpec, spec_of

Asks = tuple[str, ...]  # the keys of the questions that a training item asks; empty means all of its unit
LEAST_TIMED = 10  # answers after which an annotator's own pace is known


@dataclass(frozen=True, slots=True)
class Progress:
    """Answers given and wanted at this moment, and steps done and in total."""

    n_done: int
    n_wanted: int
    n_steps_done: int
    n_steps: int
    pace_ms: int  # how long this annotator takes for a step; 0 while unknown

    @property
    def minutes_left(self) -> int | None:
        """Return the minutes left at the annotator's own pace; None while that is unknown."""
        return math.ceil(self.n_steps_left * self.pace_ms / 60_000) if self.pace_ms else None

    @property
    def n_steps_left(self) -> int:
        return self.n_steps - self.n_steps_done


@dataclass(slots=True)
class Tally:
    """Answers to items that ask the same, counted by criterion and option, without questions no longer asked."""

    answers: Counter[tuple[int, int | None]] = field(default_factory=Counter)
    n_timed: int = 0
    active_ms: int = 0

    def of(self, criterion: CriterionSpec) -> int:
        return sum(n for (each, _), n in self.answers.items() if each == criterion.id)

    def n_asked(self, criterion: CriterionSpec, spec: VersionSpec, n_items: int) -> int:
        """Return for how many items the question is asked."""
        for condition in criterion.when:
            parent = spec.by_key[condition.criterion]
            return sum(self.answers[parent.id, o.id] for o in parent.options if o.key in condition.options)
        return n_items

    def n_open(self, criterion: CriterionSpec, criteria: list[CriterionSpec], spec: VersionSpec, n_items: int) -> int:
        """Return for how many items the question is neither answered nor ruled out by an answer above it."""
        asked = self.n_asked(criterion, spec, n_items)
        parent = spec.by_key[criterion.when[0].criterion] if criterion.when else None
        waiting = self.n_open(parent, criteria, spec, n_items) if parent in criteria else 0
        return asked - self.of(criterion) + waiting


def read_progress(assignment: Assignment) -> Progress:
    return progresses([assignment])[assignment.pk]


def progresses(assignments: Iterable[Assignment]) -> dict[int, Progress]:
    """Return progress by assignment, in a few queries and one for each assignment whose steps hold several questions.

    The assignments need their batch, study and version.
    """
    found = list(assignments)
    is_training = any(_is_training(each) for each in found)
    answers = Rating.objects.filter(assignment__in=found, is_active=True)
    tallies = _tallies(answers, ["item__asks"] if is_training else [])
    units: dict[int, dict[Asks, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    items = Item.objects.filter(batch__in=[each.batch_id for each in found]).order_by()
    columns = ["batch", "unit", *(["asks"] if is_training else [])]
    for batch, unit, *asks, n in items.values_list(*columns).annotate(n=Count("pk")):
        units[batch][tuple(chain(*asks))][unit] = n
    skipped = _skipped([each for each in found if skips(each)])
    return {
        each.pk: _progress(each, tallies[each.pk], units[each.batch_id], skipped.get(each.pk, (0, 0))) for each in found
    }


def _is_training(assignment: Assignment) -> bool:
    """Return whether its items may ask less than the protocol does. Only then are answers grouped by questions."""
    return assignment.batch.kind == Batch.Kind.TRAINING


def _skipped(assignments: list[Assignment]) -> dict[int, tuple[int, int]]:
    """Return {assignment: (answers, questions)} of flagged items that are skipped, in two queries or none.

    `answers` counts the missing answers that need not be given, `questions` the questions that are still open.
    """
    if not assignments:
        return {}
    flags = status_flags(assignments)
    flag = flags.filter(assignment=OuterRef("assignment"), item=OuterRef("item"))
    answers = Rating.objects.filter(Exists(flag), assignment__in=assignments, is_active=True)
    given = _tallies(answers, [])
    units: dict[int, Counter[str]] = defaultdict(Counter)
    for assignment, unit, n in flags.order_by().values_list("assignment", "item__unit").annotate(n=Count("pk")):
        units[assignment][unit] = n
    found = {}
    for each in assignments:
        spec, tally = spec_of(each.batch.study.protocol_version), given[each.pk][()]
        criteria = _asked(spec)
        wanted = sum(tally.n_asked(criterion, spec, units[each.pk][criterion.unit]) for criterion in criteria)
        n_open = sum(tally.n_open(criterion, criteria, spec, units[each.pk][criterion.unit]) for criterion in criteria)
        found[each.pk] = (wanted - sum(tally.of(criterion) for criterion in criteria), n_open)
    return found


def _tallies(answers: QuerySet[Rating], asks: list[str]) -> Mapping[int, Mapping[Asks, Tally]]:
    """Return {assignment: {questions: answers}}; the questions are empty unless `asks` names their column."""
    tallies: dict[int, dict[Asks, Tally]] = defaultdict(lambda: defaultdict(Tally))
    counted = (
        answers.order_by()
        .values_list("assignment", "criterion", "option", *asks)
        .annotate(n=Count("pk"), n_timed=Count("pk", filter=Q(active_ms__gt=0)), ms=Sum("active_ms"))
    )
    for assignment, criterion, option, *of, n, n_timed, active_ms in counted:
        tally = tallies[assignment][tuple(chain(*of))]
        tally.answers[criterion, option] += n
        tally.n_timed += n_timed
        tally.active_ms += active_ms
    return tallies


def _progress(
    assignment: Assignment,
    tallies: Mapping[Asks, Tally],
    units: Mapping[Asks, Mapping[str, int]],
    skipped: tuple[int, int],
) -> Progress:
    spec = spec_of(assignment.batch.study.protocol_version)
    done = wanted = n_timed = active_ms = n_questions = n_open = 0
    for asks, n_items in units.items():
        tally = tallies[asks]
        criteria = [each for each in _asked(spec) if not asks or each.key in asks]
        done += sum(tally.of(each) for each in criteria)
        wanted += sum(tally.n_asked(each, spec, n_items[each.unit]) for each in criteria)
        n_questions += sum(n_items[each.unit] for each in criteria)
        n_open += sum(tally.n_open(each, criteria, spec, n_items[each.unit]) for each in criteria)
        n_timed, active_ms = n_timed + tally.n_timed, active_ms + tally.active_ms
    if spec.order == ProtocolVersion.Order.CRITERION_FIRST:  # one question to a step
        n_steps, n_left = n_questions, n_open - skipped[1]
    else:
        n_steps, n_left = _pages(assignment, spec)
    pace = round(active_ms / (n_steps - n_left)) if n_timed >= LEAST_TIMED and n_steps > n_left else 0
    return Progress(done, wanted - skipped[0], n_steps - n_left, n_steps, pace)


def _pages(assignment: Assignment, spec: VersionSpec) -> tuple[int, int]:
    """Return how many steps there are and how many are open, if a step holds all questions of a run about its items."""
    is_together = spec.order == ProtocolVersion.Order.SET_LEVEL
    one, counts = "position" if is_together else "pk", {}
    for at, run in enumerate(spec.runs):
        asks = Q(unit=run[0].unit) & (Q(asks=[]) | Q(asks__overlap=[each.key for each in run]))
        counts[f"all_{at}"] = Count(one, distinct=is_together, filter=asks)
        missing = _missing(assignment, spec, _with_parents(spec, run))
        counts[f"open_{at}"] = Count(one, distinct=is_together, filter=asks & missing)
    found = Item.objects.filter(batch=assignment.batch_id).aggregate(**counts)
    sums = [sum(n for name, n in found.items() if name.startswith(part)) for part in ("all", "open")]
    return sums[0], sums[1]


def _with_parents(spec: VersionSpec, run: Iterable[CriterionSpec]) -> list[CriterionSpec]:
    """Return the questions and those of earlier runs whose answers decide whether they are asked."""
    found = list(run)
    for criterion in found:  # grows
        found += [spec.by_key[each.criterion] for each in criterion.when if spec.by_key[each.criterion] not in found]
    return found


def _asked(spec: VersionSpec) -> list[CriterionSpec]:
    """Return the questions that need an answer: an optional one, too, if only that none applies."""
    return [each for each in spec.criteria if each.is_asked]


def first_missing(assignment: Assignment) -> int | None:
    """Return the position of the first screen with a missing answer, in the annotator's order, or None."""
    spec = spec_of(assignment.batch.study.protocol_version)
    missing = _missing(assignment, spec, _asked(spec))
    positions = Item.objects.filter(missing, batch=assignment.batch_id).values_list("position", flat=True)
    if not assignment.is_shuffled:
        return positions.order_by("position").first()
    wanted = set(positions)
    return next((screen.position for screen in screens_of(assignment) if screen.position in wanted), None)


def _missing(assignment: Assignment, spec: VersionSpec, criteria: Iterable[CriterionSpec]) -> Q:
    """Return a filter of items with a missing answer to one of the criteria."""
    mine = Rating.objects.filter(assignment=assignment, item=OuterRef("pk"), is_active=True)
    missing = Q(pk__in=[])
    for criterion in criteria:
        found = Q(unit=criterion.unit) & ~Q(Exists(mine.filter(criterion=criterion.id)))
        for condition in criterion.when:
            parent = spec.by_key[condition.criterion]
            options = [option.id for option in parent.options if option.key in condition.options]
            found &= Q(Exists(mine.filter(criterion=parent.id, option__in=options)))
        if _is_training(assignment):
            found &= Q(asks=[]) | Q(asks__contains=[criterion.key])
        missing |= found
    if skips(assignment):
        missing &= ~Q(Exists(status_flags([assignment]).filter(item=OuterRef("pk"))))
    return missing
