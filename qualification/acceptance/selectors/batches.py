"""Collect what the batch acceptance page shows: every batch with its state, and counts over all batches."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Sum

from annotation.models import Assignment, Batch, Group, Participant, Rating, Seat, Study
from annotation.selectors.team import is_of_team
from measures.cohen import cohen_kappa
from measures.estimate import Estimate
from measures.intervals import Interval, wilson
from protocols.specs import CriterionSpec
from qualification.acceptance.selectors.answers import second_table
from qualification.models import AcceptancePlan, Disagreement, Sample, SampledItem

Decision = Sample.Decision
HOUR_MS = 3_600_000


@dataclass(frozen=True, slots=True)
class BatchRow:
    """Hold a batch with the sample of its present round, if there is one, and its earlier and void samples.

    `void` is the void sample of the present round, where no other has replaced it yet.
    """

    batch: Batch
    sample: Sample | None
    earlier: tuple[Sample, ...]
    void: Sample | None = None

    @property
    def shown(self) -> Sample | None:
        """Return the sample whose results are shown: the present one if it has any, otherwise the last valid one."""
        found = self.sample if self.sample and self.sample.results else None
        return found or next((each for each in reversed(self.earlier) if not each.is_void), None)


def main_batches(study: Study) -> QuerySet[Batch]:
    """Return the main batches with `n_seats`, `n_submitted`, `is_begun` and `is_unsettled`.

    `is_begun`: a seat is taken. `is_unsettled`: a disagreement of the present round is not settled.
    """
    seats = Seat.objects.filter(batch=OuterRef("pk"))
    unsettled = Disagreement.objects.filter(item__batch=OuterRef("pk"), round=OuterRef("round"))
    submitted = Q(seats__assignment__status=Assignment.Status.SUBMITTED)
    return (
        study.batches.filter(kind=Batch.Kind.MAIN)
        .select_related("group")
        .annotate(
            n_seats=Count("seats"),
            n_submitted=Count("seats", filter=submitted),
            is_begun=Exists(seats.filter(assignment__isnull=False)),
            is_unsettled=Exists(unsettled.exclude(state=Disagreement.State.SETTLED)),
        )
        .order_by("position")
    )


def rows_of(batches: Sequence[Batch]) -> list[BatchRow]:
    """Return the rows in a fixed number of queries."""
    found: dict[int, list[Sample]] = defaultdict(list)
    samples = Sample.objects.filter(batch__in=batches).select_related("controller").order_by("round", "pk")
    samples = samples.prefetch_related("missing")
    for sample in samples:
        found[sample.batch_id].append(sample)
    rows = []
    for batch in batches:
        own = found[batch.pk]
        now = [each for each in own if each.round == batch.round and not each.is_void][-1:]
        earlier = tuple(each for each in own if each.round < batch.round or each.is_void)
        lost = [each for each in earlier if each.round == batch.round and not now][-1:]
        rows.append(BatchRow(batch, now[0] if now else None, earlier, lost[0] if lost else None))
    return rows


# --- over all batches ------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Rounds:
    """Count decided batches by rounds.

    `n_first`: batches whose first round was accepted or returned; `n_first_pass`: those of them that were accepted.
    `by_rounds`: (round, batches accepted in it).
    """

    n_first: int
    n_first_pass: int
    interval: Interval
    by_rounds: tuple[tuple[int, int], ...]

    @property
    def first_pass_yield(self) -> float | None:
        return self.n_first_pass / self.n_first if self.n_first else None

    @property
    def n_accepted(self) -> int:
        return sum(n for _, n in self.by_rounds)

    @property
    def mean_rounds(self) -> float | None:
        return sum(rounds * n for rounds, n in self.by_rounds) / self.n_accepted if self.n_accepted else None

    @property
    def more_than_one(self) -> float | None:
        """Return the share of accepted batches that needed more than one round; None without accepted batches."""
        more = sum(n for rounds, n in self.by_rounds if rounds > 1)
        return more / self.n_accepted if self.n_accepted else None


def rounds_of(study: Study) -> Rounds:
    """Count what was done with the batches: where a lead has overridden a decision, the override counts."""
    decided = Sample.objects.filter(batch__study=study, state=Sample.State.DECIDED)
    current = decided.filter(protocol_version=study.protocol_version_id)
    rows = [
        (batch, number, overridden or decision)
        for batch, number, decision, overridden in current.values_list("batch", "round", "decision", "overridden_to")
    ]
    first = [outcome for _, number, outcome in rows if number == 1 and outcome != Decision.NOT_ASSESSABLE]
    n_pass = first.count(Decision.ACCEPT)
    accepted = Counter(number for _, number, outcome in rows if outcome == Decision.ACCEPT)
    return Rounds(len(first), n_pass, wilson(n_pass, len(first)), tuple(sorted(accepted.items())))


def rework_hours(study: Study) -> float:
    """Return the active hours of superseded work, which is what returned batches have cost."""
    superseded = Rating.objects.filter(
        batch__study=study, batch__kind=Batch.Kind.MAIN, assignment__status=Assignment.Status.SUPERSEDED
    )
    return (superseded.aggregate(ms=Sum("active_ms"))["ms"] or 0) / HOUR_MS


def controllers_agree(study: Study, criterion: CriterionSpec) -> Estimate:
    """Return Cohen's kappa of first and second controllers over all samples reviewed twice, without void ones."""
    sampled_items = SampledItem.objects.filter(sample__batch__study=study, sample__plan__criterion=criterion.key)
    return kappa_of(sampled_items.exclude(sample__state=Sample.State.VOID), criterion)


def kappa_of(sampled_items: QuerySet[SampledItem], criterion: CriterionSpec) -> Estimate:
    return cohen_kappa(second_table(sampled_items, criterion))


# --- the plan and the groups -------------------------------------------------------------------------
def plan_of(study: Study) -> AcceptancePlan:
    """Return the study's plan, or a new one that is off and not stored yet."""
    return AcceptancePlan.objects.select_related("criterion").filter(study=study).first() or AcceptancePlan(study=study)


def known_sizes(study: Study) -> tuple[int, ...]:
    """Return the class sizes of the batch sampled last; empty before the first sample."""
    latest = Sample.objects.filter(batch__study=study, n_items__gt=0).order_by("-pk")
    sizes = latest.values_list("class_sizes", flat=True).first() or {}
    return tuple(sizes.values())


def groups_of(study: Study) -> QuerySet[Group]:
    people = Count("participants", distinct=True)
    return study.groups.annotate(n_people=people, n_batches=Count("batches", distinct=True)).order_by("name")


def annotators_of(study: Study) -> QuerySet[Participant]:
    """Return the annotators that can be in groups: members of the team get batches of their own."""
    here = study.participants.exclude(status=Participant.Status.EXCLUDED).filter(~is_of_team(), is_imported=False)
    return here.select_related("group").order_by("pseudonym")


def names_of(options: Iterable[int], criterion: CriterionSpec) -> list[str]:
    labels = {option.id: option.label for option in criterion.options}
    return [labels.get(pk, "–") for pk in options]
