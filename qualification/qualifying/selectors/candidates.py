"""List the candidates for those who decide about them, and count what waits for a decision."""

from dataclasses import dataclass

from django.db.models import BooleanField, Case, Count, ExpressionWrapper, Prefetch, Q, QuerySet, Value, When

from annotation.models import Assignment, Batch, Participant, StatusChange, Study
from qualification.models import Attempt
from qualification.qualifying.selectors.progress import asks_a_lead

State = Attempt.State
PersonStatus = Participant.Status


def candidate_list(study: Study) -> QuerySet[Participant]:
    """Return everybody who is not in the panel: first those a lead is asked about, then by status and pseudonym."""
    finished = Q(assignments__batch__kind=Batch.Kind.TRAINING, assignments__status=Assignment.Status.SUBMITTED)
    attempts = Attempt.objects.order_by("number").select_related("overridden_by", "assignment__batch")
    changes = StatusChange.objects.order_by("-pk").select_related("actor")
    rows = Participant.objects.filter(study=study, panel="").annotate(
        n_trained=Count("assignments", filter=finished, distinct=True),
        asks=ExpressionWrapper(asks_a_lead(), output_field=BooleanField()),
    )
    order = (
        PersonStatus.QUALIFYING,
        PersonStatus.PENDING,
        PersonStatus.FAILED,
        PersonStatus.PAUSED,
        PersonStatus.CLEARED,
    )
    by_status = (When(status=status, then=Value(at)) for at, status in enumerate(order, start=1))
    urgency = Case(When(asks=True, then=Value(0)), *by_status, default=Value(len(order) + 1))
    return (
        rows.annotate(urgency=urgency)
        .order_by("urgency", "pseudonym")
        .prefetch_related(Prefetch("attempts", attempts), Prefetch("status_changes", changes), "comprehension_tries")
    )


@dataclass(frozen=True, slots=True)
class QualificationCounts:
    n_qualifying: int
    n_cleared: int
    n_failed: int
    n_asked: int  # wait for a lead's decision
    n_pending: int  # wait for the panel, or for the next sweep
    n_attempts: int
    n_passed: int  # by the override where there is one


def qualification_counts(study: Study) -> QualificationCounts:
    people = Participant.objects.filter(study=study, panel="").aggregate(
        n_qualifying=Count("pk", filter=Q(status=PersonStatus.QUALIFYING)),
        n_cleared=Count("pk", filter=Q(status=PersonStatus.CLEARED)),
        n_failed=Count("pk", filter=Q(status=PersonStatus.FAILED)),
        n_asked=Count("pk", filter=asks_a_lead()),
    )
    attempts = Attempt.objects.filter(participant__study=study).aggregate(
        n_pending=Count("pk", filter=Q(state=State.PENDING, overridden_to="")),
        n_attempts=Count("pk"),
        n_passed=Count("pk", filter=Q(overridden_to=State.PASSED) | Q(overridden_to="", state=State.PASSED)),
    )
    return QualificationCounts(**people, **attempts)
