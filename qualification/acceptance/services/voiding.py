"""Void a sample whose votes no longer all count: it decides nothing, and its batch is rated to the end."""

from datetime import datetime

from django.db import transaction

from annotation.models import Assignment, Batch, Participant
from annotation.services import activity
from annotation.services.private_batches import withdraw_private_batch
from annotation.services.studies import set_batch_status
from qualification.acceptance.selectors.due import broken_samples
from qualification.acceptance.services.reviewing import lock_sample
from qualification.models import Sample

State, Decision = Sample.State, Sample.Decision


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
    sample.state, sample.voided_at = State.VOID, now
    sample.save(update_fields=["state", "voided_at"])
    names = ", ".join(person.pseudonym for person in missing)
    details = {"round": sample.round, "decision": sample.outcome, "names": names}
    study, batch = sample.batch.study, sample.batch
    activity.log(study, None, "sample_voided", about=batch.key, details=details, now=now)
    if sample.outcome == Decision.ACCEPT and sample.carried_out_at:
        set_batch_status(study, keys=[batch.key], status=Batch.Status.OPEN, now=now)
    return True
