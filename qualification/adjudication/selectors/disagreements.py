"""Select disagreements: what the sweep looks for, what was settled, and the counts a report prints.

Votes and agreement are always those of the first answers; settled labels are reported beside them.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery, Sum

from annotation.models import Assignment, Batch, Item, Participant, Rating, Seat, Study
from annotation.selectors.claims import has_a_full_round
from protocols.specs import CriterionSpec, spec_of
from qualification.models import AdjudicationPlan, Comparison, Disagreement, ReRating

State, How = Disagreement.State, Disagreement.How
SEATS = 2
Answers = dict[tuple[int, int], int]  # {(item, criterion): option}
BOTH_COUNT = {"first__seat__isnull": False, "second__seat__isnull": False}


# --- the plan --------------------------------------------------------------------------------------
def plan_of(study: Study) -> AdjudicationPlan:
    """Return the study's plan, or one that is not stored yet."""
    return AdjudicationPlan.objects.filter(study=study).first() or AdjudicationPlan(study=study)


def adjudicated_criteria(plan: AdjudicationPlan) -> tuple[CriterionSpec, ...]:
    """Return the adjudicated criteria of the present version: only questions that are asked of everybody."""
    counted = spec_of(plan.study.protocol_version).counted
    keys = set(plan.criteria.values_list("key", flat=True)) if plan.pk else set()
    return tuple(each for each in counted if not keys or each.key in keys)


def is_adjudicated(batch: Batch, criterion: CriterionSpec) -> bool:
    """Return whether two annotators have to agree on this label in this batch."""
    plan = (
        AdjudicationPlan.objects.filter(study=batch.study_id, is_on=True)
        .select_related("study__protocol_version")
        .first()
    )
    if plan is None or batch.seats.count() != SEATS:
        return False
    return criterion.id in {each.id for each in adjudicated_criteria(plan)}


def has_pairs(study: Study) -> bool:
    """Return whether a batch has two seats, or new batches will have two."""
    return study.seats == SEATS or SEATS in _seats_of_main_batches(study)


def n_other_batches(study: Study) -> int:
    """Return how many main batches do not have two seats: their labels are not adjudicated."""
    return sum(n != SEATS for n in _seats_of_main_batches(study))


def _seats_of_main_batches(study: Study) -> list[int]:
    batches = study.batches.filter(kind=Batch.Kind.MAIN).annotate(n=Count("seats"))
    return list(batches.values_list("n", flat=True))


# --- what the sweep looks for ----------------------------------------------------------------------
def uncompared_batches() -> QuerySet[Batch]:
    """Return main batches with two seats whose round is finished and whose annotators have not been compared."""
    compared = Comparison.objects.filter(
        batch=OuterRef("pk"), protocol_version=OuterRef("study__protocol_version"), **BOTH_COUNT
    )
    seats = Seat.objects.filter(batch=OuterRef("pk")).order_by().values("batch").annotate(n=Count("pk")).values("n")
    wanted = Batch.objects.filter(
        has_a_full_round(), ~Exists(compared), kind=Batch.Kind.MAIN, study__adjudication_plan__is_on=True
    )
    in_work = wanted.exclude(status=Batch.Status.DRAFT).annotate(n_seats=Subquery(seats))
    return in_work.filter(n_seats=SEATS).order_by("pk")


def current_comparisons() -> QuerySet[Comparison]:
    """Return comparisons of work that counts: of the present round and version, with nobody replaced."""
    return Comparison.objects.filter(
        round=F("batch__round"), protocol_version=F("batch__study__protocol_version"), **BOTH_COUNT
    )


def finished_comparisons() -> QuerySet[Comparison]:
    """Return unfinished comparisons for which no re-rating is still to come; imported annotators never re-rate."""
    to_come = ReRating.objects.filter(comparison=OuterRef("pk"), private_batch__status=Batch.Status.OPEN)
    to_come = to_come.exclude(participant__status=Participant.Status.EXCLUDED).filter(~Exists(_submitted()))
    return current_comparisons().filter(~Exists(to_come), looked_at=None).order_by("pk")


def _submitted() -> QuerySet[Assignment]:
    """Return the submitted work of a re-rating in an outer query."""
    status = Assignment.Status.SUBMITTED
    return Assignment.objects.filter(batch=OuterRef("private_batch"), status=status, seat__isnull=False)


def open_looks() -> QuerySet[ReRating]:
    return ReRating.objects.filter(private_batch__status=Batch.Status.OPEN)


def stale_looks() -> QuerySet[Batch]:
    """Return private batches that nobody has to finish: the round is over, or all was settled without them."""
    wanted = current_comparisons().filter(looked_at=None, pk=OuterRef("comparison"))
    looks = open_looks().filter(~Exists(wanted), ~Exists(_submitted()))
    return Batch.objects.filter(re_rating__in=looks).order_by("pk")


def looked_at_again(comparison: Comparison) -> QuerySet[Disagreement]:
    """Return the comparison's disagreements that are not settled and not with a trainer."""
    return Disagreement.objects.filter(
        item__batch=comparison.batch_id,
        round=comparison.round,
        criterion__version=comparison.protocol_version_id,
        state=State.RE_RATING,
    )


def answers_of(assignment: Assignment, criteria: Iterable[CriterionSpec]) -> Answers:
    """Return an annotator's answers to the adjudicated questions, without checks, which are no results."""
    rows = Rating.objects.filter(
        assignment=assignment, criterion__in=[each.id for each in criteria], is_active=True, item__is_check=False
    )
    found = rows.order_by("item__position", "item", "criterion__position").values_list("item", "criterion", "option")
    return {(item, criterion): option for item, criterion, option in found if option is not None}


def looked_again(comparison: Comparison) -> list[dict[tuple[object, ...], int]]:
    """Return for each submitted re-rating {(what the item shows, criterion): option}."""
    rows = Rating.objects.filter(
        batch__re_rating__comparison=comparison, is_active=True, option__isnull=False, assignment__seat__isnull=False,
        assignment__status=Assignment.Status.SUBMITTED,
    )  # fmt: skip
    found: dict[int, dict[tuple[object, ...], int]] = {}
    for row in rows.select_related("item"):
        if row.option_id is not None:
            found.setdefault(row.batch_id, {})[*unit_of(row.item), row.criterion_id] = row.option_id
    return list(found.values())


def unit_of(item: Item) -> tuple[object, ...]:
    """Return what tells an item apart from others of its batch, and is the same in a copy of it."""
    sides = (tuple(item.shown), item.other_dialogue_id)
    return item.unit, item.dialogue_id, item.candidate_id, item.source_id, *sides


def first_looks(comparisons: QuerySet[Comparison]) -> Q:
    """Match the ratings of the two who were compared."""
    return Q(assignment__in=comparisons.values("first")) | Q(assignment__in=comparisons.values("second"))


def re_ratings(comparisons: QuerySet[Comparison]) -> Q:
    """Match the ratings of submitted re-ratings: nobody reads answers that may still change."""
    status = Assignment.Status.SUBMITTED
    return Q(batch__re_rating__comparison__in=comparisons, assignment__status=status, assignment__seat__isnull=False)


def answers_behind(disagreement: Disagreement) -> list[Rating]:
    """Return all answers about the item by those who gave its settled label: in the re-rating, otherwise at first.

    The list is empty if a trainer settled on a label that nobody gave.
    """
    item = disagreement.item
    parts = {f"item__{part}": getattr(item, part) for part in item.CONTENT}
    comparisons = current_comparisons().filter(batch=item.batch_id)
    for looks in (re_ratings(comparisons), first_looks(comparisons)):
        found = Rating.objects.filter(looks, is_active=True, **parts)
        same = found.filter(criterion=disagreement.criterion_id, option=disagreement.option_id)
        if same.exists():
            return list(found.filter(assignment__in=same.values("assignment")))
    return []


# --- what came of it -------------------------------------------------------------------------------
def disagreements_of(study: Study) -> QuerySet[Disagreement]:
    """Return the disagreements that count: those of an earlier round or another version are history."""
    return Disagreement.objects.filter(
        item__batch__study=study, round=F("item__batch__round"), criterion__version=study.protocol_version_id
    )


class GivenAnswer(NamedTuple):
    """Hold an answer of somebody who gave a settled label; options and explanations are ids."""

    assignment_id: int
    criterion_id: int
    option_id: int | None
    choices: list[int]
    turns: list[int]
    explanations: list[int]


@dataclass(frozen=True, slots=True)
class Settled:
    """Hold a label that replaces two different votes, how it was settled, and the answers given with it."""

    option_id: int
    how: str
    answers: list[GivenAnswer]


SettledLabels = dict[tuple[int, int], Settled]  # by item and criterion


def settled_labels(study: Study) -> SettledLabels:
    """Return the settled labels by item and criterion, in two queries."""
    rows = disagreements_of(study).filter(state=State.SETTLED).values_list("pk", "item", "criterion", "option", "how")
    found = {pk: ((item, criterion), Settled(option, how, [])) for pk, item, criterion, option, how in rows if option}
    through = Disagreement.answers.through.objects.filter(disagreement__in=found)
    fields = (f"rating__{name}" for name in GivenAnswer._fields)
    for pk, *given in through.order_by("rating").values_list("disagreement", *fields):
        found[pk][1].answers.append(GivenAnswer._make(given))
    return dict(found.values())


@dataclass(frozen=True, slots=True)
class AdjudicationCounts:
    """`by_criterion`: {key: {"disagreements", "re_rating", "adjudicated", "replaced", "open": labels}}."""

    n_batches: int
    n_items: int
    n_labels: int
    n_items_disagreed: int
    by_criterion: dict[str, dict[str, int]]


def adjudication_counts(study: Study) -> AdjudicationCounts:
    """Return the counts, in a fixed number of queries; zeros where nothing was compared."""
    compared = current_comparisons().filter(batch__study=study)
    sums = compared.aggregate(batches=Count("pk"), items=Sum("n_items"), labels=Sum("n_labels"))
    found = disagreements_of(study)
    by_how = {how: Count("pk", filter=Q(state=State.SETTLED, how=how)) for how in How.values}
    rows = (
        found.order_by()
        .values_list("criterion__position", "criterion__key")
        .annotate(disagreements=Count("pk"), **by_how, open=Count("pk", filter=~Q(state=State.SETTLED)))
    )
    names = ("disagreements", *How.values, "open")
    return AdjudicationCounts(
        n_batches=sums["batches"],
        n_items=sums["items"] or 0,
        n_labels=sums["labels"] or 0,
        n_items_disagreed=found.aggregate(n=Count("item", distinct=True))["n"],
        by_criterion={
            key: dict(zip(names, counts, strict=True)) for _place, key, *counts in rows.order_by("criterion__position")
        },
    )
