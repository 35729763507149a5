"""Labels that two confirm: what the sweep looks for, what was settled, and the counts a report prints.

Votes and figures of agreement are those of the first look. What is here stands beside them.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery, Sum

from annotation.models import Assignment, Batch, Participant, Rating, Seat, Study
from annotation.selectors.claims import has_a_full_round
from protocols.specs import CriterionSpec, spec_of
from qualification.models import AdjudicationPlan, Comparison, Disagreement, ReRating

State, How = Disagreement.State, Disagreement.How
SEATS = 2
Answers = dict[tuple[int, int], int]  # {(item, criterion): option}


# --- the plan --------------------------------------------------------------------------------------
def plan_of(study: Study) -> AdjudicationPlan:
    """The study's, or one that is not stored yet."""
    return AdjudicationPlan.objects.filter(study=study).first() or AdjudicationPlan(study=study)


def adjudicated_criteria(plan: AdjudicationPlan) -> tuple[CriterionSpec, ...]:
    """Those of the version the study follows now. A question that is not asked of everybody is not confirmed."""
    counted = spec_of(plan.study.protocol_version).counted
    keys = set(plan.criteria.values_list("key", flat=True)) if plan.pk else set()
    return tuple(each for each in counted if not keys or each.key in keys)


def is_adjudicated(batch: Batch, criterion: CriterionSpec) -> bool:
    """Whether two have to agree on this label of this batch."""
    plan = (
        AdjudicationPlan.objects.filter(study=batch.study_id, is_on=True)
        .select_related("study__protocol_version")
        .first()
    )
    if plan is None or batch.seats.count() != SEATS:
        return False
    return criterion.id in {each.id for each in adjudicated_criteria(plan)}


def has_pairs(study: Study) -> bool:
    """Whether there is a batch that two rate, or the next ones will be such."""
    return study.seats == SEATS or SEATS in _seats_of_main_batches(study)


def n_other_batches(study: Study) -> int:
    """Main batches with another number of seats than two: their labels are not confirmed."""
    return sum(n != SEATS for n in _seats_of_main_batches(study))


def _seats_of_main_batches(study: Study) -> list[int]:
    batches = study.batches.filter(kind=Batch.Kind.MAIN).annotate(n=Count("seats"))
    return list(batches.values_list("n", flat=True))


# --- what the sweep looks for ----------------------------------------------------------------------
def uncompared_batches() -> QuerySet[Batch]:
    """Main batches of two seats whose round is finished, and whose two have not been compared."""
    compared = Comparison.objects.filter(
        batch=OuterRef("pk"), protocol_version=OuterRef("study__protocol_version"), **_both_count()
    )
    seats = Seat.objects.filter(batch=OuterRef("pk")).order_by().values("batch").annotate(n=Count("pk")).values("n")
    wanted = Batch.objects.filter(
        has_a_full_round(), ~Exists(compared), kind=Batch.Kind.MAIN, study__adjudication_plan__is_on=True
    )
    in_work = wanted.exclude(status=Batch.Status.DRAFT).annotate(n_seats=Subquery(seats))
    return in_work.filter(n_seats=SEATS).order_by("pk")


def _both_count() -> dict[str, bool]:
    return {"first__seat__isnull": False, "second__seat__isnull": False}


def current_comparisons() -> QuerySet[Comparison]:
    """Those of work that counts: not of an earlier round or version, nor with somebody who was replaced."""
    return Comparison.objects.filter(
        round=F("batch__round"), protocol_version=F("batch__study__protocol_version"), **_both_count()
    )


def finished_comparisons() -> QuerySet[Comparison]:
    """Those where both look again, and no re-rating is still to come: of imported people there is none at all."""
    to_come = ReRating.objects.filter(comparison=OuterRef("pk"), private_batch__status=Batch.Status.OPEN)
    to_come = to_come.exclude(participant__status=Participant.Status.EXCLUDED).filter(~Exists(_submitted()))
    return current_comparisons().filter(~Exists(to_come), looked_at=None).order_by("pk")


def _submitted() -> QuerySet[Assignment]:
    """Of a re-rating."""
    status = Assignment.Status.SUBMITTED
    return Assignment.objects.filter(batch=OuterRef("private_batch"), status=status, seat__isnull=False)


def open_looks() -> QuerySet[ReRating]:
    return ReRating.objects.filter(private_batch__status=Batch.Status.OPEN)


def stale_looks() -> QuerySet[Batch]:
    """Private batches that nobody has to finish: the round is over, or all of it was settled without them."""
    wanted = current_comparisons().filter(looked_at=None, pk=OuterRef("comparison"))
    looks = open_looks().filter(~Exists(wanted), ~Exists(_submitted()))
    return Batch.objects.filter(re_rating__in=looks).order_by("pk")


def looked_at_again(comparison: Comparison) -> QuerySet[Disagreement]:
    """What nobody has settled yet, and no trainer is asked about."""
    return Disagreement.objects.filter(
        item__batch=comparison.batch_id,
        round=comparison.round,
        criterion__version=comparison.protocol_version_id,
        state=State.RE_RATING,
    )


def answers_of(assignment: Assignment, criteria: Iterable[CriterionSpec]) -> Answers:
    """One's answers to the confirmed questions; checks with a known answer are no results."""
    rows = Rating.objects.filter(
        assignment=assignment, criterion__in=[each.id for each in criteria], is_active=True, item__is_check=False
    )
    found = rows.order_by("item__position", "item", "criterion__position").values_list("item", "criterion", "option")
    return {(item, criterion): option for item, criterion, option in found if option is not None}


def looked_again(comparison: Comparison) -> list[dict[tuple[object, ...], int]]:
    """What each submitted re-rating says, {(unit, dialogue, candidate, source, criterion): option}."""
    rows = Rating.objects.filter(
        batch__re_rating__comparison=comparison, is_active=True, option__isnull=False, assignment__seat__isnull=False,
        assignment__status=Assignment.Status.SUBMITTED,
    )  # fmt: skip
    found: dict[int, dict[tuple[object, ...], int]] = {}
    unit = ("item__unit", "item__dialogue", "item__candidate", "item__source", "criterion")
    for batch, option, *key in rows.values_list("batch", "option", *unit):
        found.setdefault(batch, {})[tuple(key)] = option
    return list(found.values())


def first_looks(comparisons: QuerySet[Comparison]) -> Q:
    """Match the ratings of the two who were compared."""
    return Q(assignment__in=comparisons.values("first")) | Q(assignment__in=comparisons.values("second"))


def re_ratings(comparisons: QuerySet[Comparison]) -> Q:
    """Match the ratings of submitted re-ratings: an answer that may still change is nobody's to read."""
    status = Assignment.Status.SUBMITTED
    return Q(batch__re_rating__comparison__in=comparisons, assignment__status=status, assignment__seat__isnull=False)


def answers_behind(disagreement: Disagreement) -> list[Rating]:
    """Return all answers about the item by those who gave its settled label, at the re-rating or else at the first.

    None where a trainer settled on a label that nobody gave.
    """
    item = disagreement.item
    parts = {f"item__{part}": getattr(item, part) for part in ("unit", "dialogue", "candidate", "source")}
    comparisons = current_comparisons().filter(batch=item.batch_id)
    for looks in (re_ratings(comparisons), first_looks(comparisons)):
        found = Rating.objects.filter(looks, is_active=True, **parts)
        same = found.filter(criterion=disagreement.criterion_id, option=disagreement.option_id)
        if same.exists():
            return list(found.filter(assignment__in=same.values("assignment")))
    return []


# --- what came of it -------------------------------------------------------------------------------
def disagreements_of(study: Study) -> QuerySet[Disagreement]:
    """Those that count. What belongs to an earlier round, or another version, is history."""
    return Disagreement.objects.filter(
        item__batch__study=study, round=F("item__batch__round"), criterion__version=study.protocol_version_id
    )


class GivenAnswer(NamedTuple):
    """An answer of somebody who gave a settled label, in ids of rows."""

    assignment_id: int
    criterion_id: int
    option_id: int | None
    choices: list[int]
    turns: list[int]
    explanations: list[int]


@dataclass(frozen=True, slots=True)
class Settled:
    """A label in the place of two different votes, how it was settled, and what was answered together with it."""

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
    """`by_criterion`: {key: {"disagreements", "second_look", "replaced", "adjudicated", "open": labels}}."""

    n_batches: int
    n_items: int
    n_labels: int
    n_items_disagreed: int
    by_criterion: dict[str, dict[str, int]]


def adjudication_counts(study: Study) -> AdjudicationCounts:
    """In three queries. Zeros where nothing was compared."""
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
