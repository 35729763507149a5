"""Open a new round of a returned batch, which is rated again. Earlier answers no longer count but are kept."""

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from annotation.models import Assignment, Batch, Group, Seat
from annotation.nudging import raise_version
from annotation.services import activity

Status = Assignment.Status


@transaction.atomic
def open_next_round(
    batch: Batch, *, now: datetime, group: Group | None = None, by: User | None = None, reason: str = ""
) -> Batch:
    """Supersede all work of the round, free its seats and open the batch once more, for `group` or for everybody.

    Answers count while their assignment holds a seat, so freeing the seats is enough to update the results.
    """
    # Lock free seats too: otherwise somebody could claim one and begin work of the round that ends here.
    seats = Seat.objects.filter(batch=batch).order_by("pk").select_for_update()
    held = [seat.assignment_id for seat in seats if seat.assignment_id is not None]
    locked = Batch.objects.select_for_update(no_key=True, of=("self",)).select_related("study").get(pk=batch.pk)
    of_round = Assignment.objects.filter(batch=batch, round=locked.round)
    of_round.filter(status__in=(Status.ACTIVE, Status.SUBMITTED, Status.EXPIRED)).update(status=Status.SUPERSEDED)
    Seat.objects.filter(assignment__in=held).update(assignment=None, lease_expires_at=None)
    locked.round += 1
    locked.group, locked.status = group, Batch.Status.OPEN
    locked.save(update_fields=["round", "group", "status"])
    details = {"round": locked.round, "reason": reason, "group": group.name if group else ""}
    activity.log(locked.study, by, "next_round", about=locked.key, details=details, now=now)
    raise_version(locked.pk)
    return locked
