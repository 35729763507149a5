"""A sample of votes that do not all count any more decides nothing: it is void, and its batch is rated to the end."""

from datetime import datetime

from django.db import transaction

from annotation.models import Assignment, Batch, Participant
from annotation.services import activity
from annotation.services.private_batches import withdraw_private_batch
from annotation.services.studies import set_batch_status
from qualification.acceptance.selectors.due import broken_inspections
from qualification.acceptance.services.reviewing import lock_inspection
from qualification.models import Inspection

State, Verdict = Inspection.State, Inspection.Verdict


@transaction.atomic
def void_inspection(inspection_id: int, *, now: datetime) -> bool:
    """Keep it as history, so that another sample is drawn once the round is complete. Whether this call has done it.

    Checks that have begun are over. A batch that was closed as accepted is opened for whoever gives the missing vote.
    """
    inspection = lock_inspection(inspection_id)
    if not broken_inspections().filter(pk=inspection_id).exists():
        return False
    missing = _excluded_of(inspection)
    _end_checks(inspection, now)
    inspection.missing.set(missing)
    inspection.state, inspection.voided_at = State.VOID, now
    inspection.save(update_fields=["state", "voided_at"])
    names = ", ".join(person.pseudonym for person in missing)
    details = {"round": inspection.round, "verdict": inspection.outcome, "names": names}
    activity.log(inspection.batch.study, None, "control_voided", about=inspection.batch.key, details=details, now=now)
    if inspection.outcome == Verdict.ACCEPT and inspection.carried_out_at:
        _open_again(inspection.batch, now)
    return True


def _excluded_of(inspection: Inspection) -> list[Participant]:
    lost = inspection.votes.filter(seat__isnull=True, status=Assignment.Status.EXCLUDED)
    return list(Participant.objects.filter(assignments__in=lost).order_by("pseudonym"))


def _end_checks(inspection: Inspection, now: datetime) -> None:
    begun = inspection.checks.filter(counted_at=None, given_back_at=None)
    for check in begun.select_related("batch"):
        withdraw_private_batch(check.batch)
    begun.update(given_back_at=now)


def _open_again(batch: Batch, now: datetime) -> None:
    set_batch_status(batch.study, keys=[batch.key], status=Batch.Status.OPEN, now=now)
