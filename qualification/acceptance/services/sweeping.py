"""Sweep batch acceptance regularly: void samples that lost votes, draw new ones and count finished reviews."""

from datetime import datetime
from functools import partial
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from annotation.models import Assignment, Batch, Participant
from annotation.services import activity
from annotation.services.private_batches import withdraw_private_batch
from annotation.services.studies import set_batch_status
from annotation.services.sweeping import AT_ONCE, sweep_each
from qualification.acceptance.selectors.due import (
    broken_samples,
    finished_batches,
    finished_reviews,
    stale_review_batches,
    under_way,
)
from qualification.acceptance.services.deciding import count_review
from qualification.acceptance.services.drawing import make_sample
from qualification.acceptance.services.reviewing import lock_sample
from qualification.models import AcceptancePlan, Sample


def sweep_acceptance(*, now: datetime) -> tuple[int, int]:
    """Draw and decide what is due. Return how many samples were drawn, and how many reviews were counted.

    Calling it often is safe: each step takes a lock and is done once.
    """
    # Planning the queries below takes longer than running them, and most installations review nothing.
    has_samples = Sample.objects.exists()
    if has_samples:  # before anything is decided from labels that no longer count
        broken = broken_samples().values_list("pk", flat=True)
        sweep_each("voiding a sample", broken, partial(void_sample, now=now))
    is_reviewed = has_samples and under_way().exists()
    if is_reviewed:
        for batch in stale_review_batches()[:AT_ONCE]:
            withdraw_private_batch(batch)
    drawn, counted = [], []
    if AcceptancePlan.objects.filter(is_on=True).exists():
        finished = finished_batches().values_list("pk", flat=True)
        drawn = sweep_each("drawing the sample of a batch", finished, partial(make_sample, now=now))
    if is_reviewed:
        reviewed = finished_reviews().values_list("pk", flat=True)
        counted = sweep_each("counting a check", reviewed, partial(count_review, now=now))
    return sum(map(bool, drawn)), sum(map(bool, counted))


@transaction.atomic
def void_sample(sample_id: int, *, now: datetime) -> bool:
    """Void the sample, so that another is drawn once the round is complete. Return whether this call has done it.

    The sample is kept as history and its reviews end. A batch closed as accepted is opened for the missing vote.
    """
    sample = lock_sample(sample_id)
    if not broken_samples().filter(pk=sample_id).exists():
        return False
    lost = sample.votes.filter(seat__isnull=True, status=Assignment.Status.EXCLUDED)
    missing = list(Participant.objects.filter(assignments__in=lost).order_by("pseudonym"))
    begun = sample.reviews.filter(counted_at=None, given_back_at=None)
    for review in begun.select_related("batch"):
        withdraw_private_batch(review.batch)
    begun.update(given_back_at=now)
    sample.missing.set(missing)
    sample.state, sample.voided_at = Sample.State.VOID, now
    sample.save(update_fields=["state", "voided_at"])
    names = ", ".join(person.pseudonym for person in missing)
    details = {"round": sample.round, "decision": sample.outcome, "names": names}
    study, batch = sample.batch.study, sample.batch
    activity.log(study, None, "sample_voided", about=batch.key, details=details, now=now)
    if sample.outcome == Sample.Decision.ACCEPT and sample.carried_out_at:
        set_batch_status(study, keys=[batch.key], status=Batch.Status.OPEN, now=now)
    return True


@transaction.atomic
def save_plan(plan: AcceptancePlan, *, by: User, now: datetime) -> AcceptancePlan:
    """Validate and store a plan that its form has filled. Samples drawn before keep their plan."""
    plan.full_clean()
    before: dict[str, Any] = dict(AcceptancePlan.objects.filter(pk=plan.pk).values().first() or {})
    plan.save()
    after = AcceptancePlan.objects.filter(pk=plan.pk).values().get()
    changed = {name: [before.get(name), value] for name, value in after.items() if before.get(name) != value}
    activity.log(plan.study, by, "acceptance_plan", details={"changed": changed}, now=now)
    return plan
