"""Claim seats under a row lock and free them when their lease ends. Seats never exceed the wanted votes.

Lock order everywhere: participant, seat, assignment, rating, batch counter last.
"""

import hashlib
from collections.abc import Collection
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F, Max, QuerySet
from django.utils.module_loading import import_string
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from annotation.models import Assignment, Batch, Participant, Seat, Study
from annotation.nudging import raise_version
from annotation.selectors.claims import OPEN_ENDED, is_free, may_claim
from annotation.selectors.progress import read_progress
from annotation.services.refusals import Refused
from annotation.services.siding import give_sides

HOLDING = (Assignment.Status.ACTIVE, Assignment.Status.SUBMITTED)
MOVED = _("This batch has changed in the meantime. Check your list of batches again.")
MAX_OPEN_SEATS = 32_000  # the most that the column of seat numbers can hold
PERSON_STATUSES = {
    Participant.Status.PENDING: _(
        "A team lead must clear you for this study first. Your batches will then appear here."
    ),
    Participant.Status.QUALIFYING: _("You are not qualified for this batch yet. Your next step is shown here."),
    Participant.Status.FAILED: _(
        "You did not qualify for this study, so there are no batches for you. Thank you for taking part."
    ),
    Participant.Status.PAUSED: _("You are paused in this study. Ask the team lead what to do next."),
    Participant.Status.EXCLUDED: _("You no longer take part in this study."),
}


@transaction.atomic
def claim_seat(participant: Participant, batch: Batch, *, now: datetime) -> Assignment:
    """Give the participant a seat of the batch, or the assignment they already hold there.

    Raise Refused if the status, the study, the batch or the seats do not allow it.
    """
    batch = _check_claim(participant, batch)
    mine = Seat.objects.filter(assignment__participant=participant, lease_expires_at__lte=now).order_by("pk")
    lapsed = list(mine.select_for_update(of=("self",)))
    for each in lapsed:
        _free(each, Assignment.Status.EXPIRED)
    assignment = Assignment.objects.filter(participant=participant, batch=batch, round=batch.round).first()
    if assignment is not None and assignment.status in HOLDING:
        return assignment
    if Assignment.objects.filter(participant=participant, status=Assignment.Status.ACTIVE).exists():
        raise Refused("busy", _("Finish the batch you have started before you take another one."))
    seat = _lock_free_seat(batch, now)
    # Compared with the seat locked, because the next round waits for that.
    seen = (batch.round, batch.status, batch.group_id, batch.study.status)
    if Batch.objects.values_list("round", "status", "group", "study__status").get(pk=batch.pk) != seen:
        raise Refused("moved", MOVED)
    _free(seat, Assignment.Status.EXPIRED)
    seat.assignment = _activate(assignment, participant, batch, now)
    if assignment is None:  # work that is taken up again keeps its sides
        give_sides(seat.assignment, [each.batch_id for each in lapsed])
    seat.lease_expires_at = now + timedelta(minutes=batch.minutes_at_most)
    seat.save(update_fields=["assignment", "lease_expires_at"])
    for batch_id in sorted({batch.pk, *(each.batch_id for each in lapsed)}):
        raise_version(batch_id)
    return seat.assignment


def _check_claim(participant: Participant, batch: Batch) -> Batch:
    """Return the batch as it is now. Raise Refused if the participant may not claim it."""
    # The lock lets one claim of an annotator run at a time: two tabs get the same assignment.
    fresh_participant = Participant.objects.select_for_update(no_key=True).get(pk=participant.pk)
    fresh = Batch.objects.select_related("study__protocol_version").get(pk=batch.pk)
    if not may_claim(fresh_participant, fresh):
        status = Participant.Status(fresh_participant.status)
        raise Refused("not_cleared", PERSON_STATUSES.get(status, _("This batch is for other people.")))
    if fresh.study.status != Study.Status.OPEN or fresh.status != Batch.Status.OPEN:
        raise Refused("not_open", _("This batch is not open for rating at the moment."))
    for guard in settings.CLAIM_GUARDS:
        import_string(guard)(fresh_participant, fresh)
    group = fresh_participant.group_id
    if fresh.study.is_dealt_to_groups and group and fresh.kind == Batch.Kind.MAIN:
        # Where groups take batches, the group of the first claimant gets the batch.
        Batch.objects.filter(pk=batch.pk, group=None).update(group=group)
        fresh.refresh_from_db(fields=["group"])
        if fresh.group_id != group:
            raise Refused("other_group", _("Another group has taken this batch in the meantime. Take another one."))
    return fresh


def _lock_free_seat(batch: Batch, now: datetime) -> Seat:
    """Return a free or lapsed seat, locked. Seats that others are claiming now are skipped. Raise Refused if full."""
    seats = Seat.objects.filter(is_free(now), batch=batch).order_by(F("assignment").asc(nulls_first=True), "number")
    seat = seats.select_for_update(skip_locked=True, of=("self",)).first()
    if seat is None and batch.kind in OPEN_ENDED:  # one more candidate
        seat = add_seat(batch.pk)
    if seat is None:
        raise Refused("full", _("All seats of this batch are taken. One may become free, so check again later."))
    return seat


def add_seat(batch_id: int) -> Seat | None:
    """Add a seat to the batch, or return None if it has as many as can be numbered."""
    Batch.objects.select_for_update(no_key=True).get(pk=batch_id)  # keeps seat numbers unique
    last = Seat.objects.filter(batch_id=batch_id).aggregate(last=Max("number"))["last"] or 0
    return None if last >= MAX_OPEN_SEATS else Seat.objects.create(batch_id=batch_id, number=last + 1)


def _activate(assignment: Assignment | None, participant: Participant, batch: Batch, now: datetime) -> Assignment:
    """Return a new assignment, or reactivate the expired one with its answers. Raise Refused for superseded work."""
    if assignment is None:
        return Assignment.objects.create(
            participant=participant, batch=batch, round=batch.round, seed=_seed(participant, batch), claimed_at=now
        )
    left = Assignment.objects.filter(pk=assignment.pk).exclude(status=Assignment.Status.SUPERSEDED)
    if not left.update(status=Assignment.Status.ACTIVE):
        raise Refused("moved", MOVED)
    assignment.status = Assignment.Status.ACTIVE
    return assignment


def _seed(participant: Participant, batch: Batch) -> int:
    """Return a seed of their work that the same study gives again."""
    name = f"{batch.study.seed} order {batch.key} {batch.round} {participant.pseudonym}"
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:4]) >> 1


def _free(seat: Seat, status: str) -> None:
    """Take the seat from its assignment. Its answers are kept but no longer count.

    A seat that was added for an imported annotator alone goes with them.
    """
    if seat.assignment_id is None:
        return
    Assignment.objects.filter(pk=seat.assignment_id).update(status=status)
    if Assignment.objects.filter(pk=seat.assignment_id, has_added_seat=True).exists():
        seat.delete()
        return
    seat.assignment = None
    seat.lease_expires_at = None
    seat.save(update_fields=["assignment", "lease_expires_at"])


def expire_leases(*, now: datetime) -> list[int]:
    """Free every seat whose lease has ended, one transaction per seat. Return the ids of the batches."""
    lapsed = Seat.objects.filter(lease_expires_at__lte=now).values_list("pk", flat=True)
    return sorted({batch for batch in (_expire(pk, now) for pk in lapsed) if batch is not None})


@transaction.atomic
def _expire(seat_id: int, now: datetime) -> int | None:
    seats = Seat.objects.filter(pk=seat_id, lease_expires_at__lte=now)
    seat = seats.select_for_update(skip_locked=True).first()
    if seat is None:  # renewed, freed or being claimed by somebody at this moment
        return None
    _free(seat, Assignment.Status.EXPIRED)
    raise_version(seat.batch_id)
    return seat.batch_id


@transaction.atomic
def release_seats(
    participant: Participant, status: str, *, is_finished_kept: bool = False, kinds: Collection[str] | None = None
) -> list[int]:
    """Take every seat that the participant holds, or with `kinds` only those in unreserved batches of these kinds.

    Return the ids of the batches whose results changed.
    """
    seats: QuerySet[Seat] = Seat.objects.filter(assignment__participant=participant).order_by("pk")
    if kinds is not None:
        seats = seats.filter(batch__kind__in=kinds, batch__reserved_for=None)
    if is_finished_kept:  # by the seat's own column, which is read again after waiting for a submission's lock
        seats = seats.filter(lease_expires_at__isnull=False)
    batches = []
    for seat in seats.select_for_update(of=("self",)):
        _free(seat, status)
        batches.append(seat.batch_id)
    for batch_id in sorted(set(batches)):
        raise_version(batch_id)
    return batches


@transaction.atomic
def submit_assignment(assignment: Assignment, *, feedback: str, now: datetime, needs_all: bool = True) -> Assignment:
    """Finish a complete batch: the seat is kept for good. Raise Refused while answers are missing.

    `needs_all` is False if the caller knows that not every question of the protocol was asked.
    """
    seat = Seat.objects.select_for_update().filter(assignment=assignment).first()
    locked = Assignment.objects.select_for_update().get(pk=assignment.pk)
    if locked.status == Assignment.Status.SUBMITTED:
        return locked
    if seat is None:
        raise Refused("lease_expired", _("Your time for this batch has ended. Take a seat again to finish it."))
    progress = read_progress(assignment) if needs_all else None
    missing = progress.n_wanted - progress.n_done if progress else 0
    if missing > 0:
        text = ngettext("%(n)s answer is still missing.", "%(n)s answers are still missing.", missing)
        raise Refused("incomplete", text % {"n": missing}, missing=missing)
    locked.status = Assignment.Status.SUBMITTED
    locked.submitted_at = now
    locked.feedback = feedback.strip()
    locked.save(update_fields=["status", "submitted_at", "feedback"])
    seat.lease_expires_at = None
    seat.save(update_fields=["lease_expires_at"])
    raise_version(seat.batch_id)
    return locked
