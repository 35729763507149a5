"""Change annotators' status, and nothing else does: update their seats, and keep who decided what and why."""

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Assignment, Batch, Membership, Participant, Seat, StatusChange, Study
from annotation.models.study import ROLE_WORDS
from annotation.nudging import raise_version
from annotation.selectors.claims import OPEN_ENDED, kinds_for
from annotation.selectors.team import is_of_team
from annotation.services import activity
from annotation.services.claiming import add_seat, release_seats
from annotation.services.refusals import Refused

Role = Membership.Role
PersonStatus = Participant.Status
LONGEST_REASON = 1000


def clear_waiting(study: Study, *, now: datetime, by: User | None = None) -> int:
    """Clear everybody who waits for it. Return how many."""
    pending = Participant.objects.filter(study=study, status=PersonStatus.PENDING)
    waiting = pending.exclude(is_of_team()).order_by("pk")
    for participant in waiting:
        set_status(participant, status=PersonStatus.CLEARED, by=by, now=now)
    return len(waiting)


@transaction.atomic
def decide_status(participant: Participant, *, status: str, by: User, now: datetime, reason: str = "") -> Participant:
    """Set the status that a team member has decided on. Raise Refused as `set_status`, and for a missing reason."""
    locked = Participant.objects.select_for_update(no_key=True).get(pk=participant.pk)
    missing = missing_reason(locked, status, reason)
    if missing:
        raise Refused("no_reason", missing)
    return set_status(locked, status=status, by=by, reason=reason.strip(), now=now)


def missing_reason(participant: Participant, status: str, reason: str) -> str:
    """Return the message for a decision that lacks its reason; empty if none is needed.

    Every change from `qualifying` or `failed` needs one: otherwise two steps would lead past the qualification.
    """
    if reason.strip() or status == participant.status:
        return ""
    if status == PersonStatus.EXCLUDED:
        return _("Say why you exclude %(name)s: the reason is kept.") % {"name": participant.pseudonym}
    if participant.status in (PersonStatus.QUALIFYING, PersonStatus.FAILED):
        text = _("%(name)s has not qualified: say why you decide otherwise. The reason is kept.")
        return text % {"name": participant.pseudonym}
    return ""


@transaction.atomic
def set_status(
    participant: Participant, *, status: str, now: datetime, by: User | None = None, reason: str = ""
) -> Participant:
    """Set the status, store the change with its reason, and log it. `by` is None if a rule decided.

    Cleared: unfinished training or qualification ends, and its answers are kept. Paused: the annotator gets no new
    seats but may finish those they hold. Excluded: their ratings are kept but stop counting, and their seats are free
    at once. Leaving `excluded` gives submitted batches their seats back where one is free.
    Raise Refused for clearing somebody whose role sees results.
    """
    # The study's row is not locked: a batch's next round locks it after seats, which this function locks later.
    rows = Participant.objects.select_for_update(no_key=True, of=("self",)).select_related("study")
    locked = rows.get(pk=participant.pk)
    if status == PersonStatus.CLEARED:
        memberships = Membership.objects.filter(study=locked.study_id, user=locked.user_id)
        role = memberships.values_list("role", flat=True).first()
        if role not in (None, Role.ANNOTATOR):
            message = _(
                "%(name)s cannot rate this study blind, because of their role in it: %(role)s. Make them an "
                "annotator first."
            )
            raise Refused("other_role", message % {"name": locked.pseudonym, "role": ROLE_WORDS[role]})
    before, locked.status = locked.status, status
    if before == status:
        return locked
    locked.full_clean(exclude=["user"])  # imported annotators have none
    locked.save(update_fields=["status"])
    StatusChange.objects.create(participant=locked, before=before, after=status, actor=by, reason=reason, at=now)
    details = {"before": before, "after": status, "reason": reason}
    activity.log(locked.study, by, "status", about=locked.pseudonym, details=details, now=now)
    if status == PersonStatus.EXCLUDED:
        release_seats(locked, Assignment.Status.EXCLUDED)
    elif before == PersonStatus.EXCLUDED:
        _restore_seats(locked)
    if status == PersonStatus.CLEARED:
        # Training and qualification are over: a seat there would keep them from taking another one.
        kinds = OPEN_ENDED - kinds_for(locked)
        release_seats(locked, Assignment.Status.EXPIRED, is_finished_kept=True, kinds=kinds)
    return locked


def _restore_seats(participant: Participant) -> None:
    left = Assignment.objects.filter(participant=participant, status=Assignment.Status.EXCLUDED)
    restored = []
    for assignment in left.order_by("batch_id"):
        seat = _seat_for(assignment) if assignment.submitted_at is not None else None
        # The round is read under the seat's lock, so it is final.
        if not Batch.objects.filter(pk=assignment.batch_id, round=assignment.round).exists():
            seat = None
        assignment.status = Assignment.Status.SUBMITTED if seat else Assignment.Status.EXPIRED
        assignment.save(update_fields=["status"])
        if seat is not None:
            seat.assignment = assignment
            seat.save(update_fields=["assignment"])
            restored.append(assignment.batch_id)
    for batch_id in restored:
        raise_version(batch_id)


def _seat_for(assignment: Assignment) -> Seat | None:
    """Return a seat for work that counts again: an added one where it had one, otherwise a free one."""
    return add_seat(assignment.batch_id) if assignment.has_added_seat else free_seat_of(assignment.batch_id)


def free_seat_of(batch_id: int) -> Seat | None:
    """Return a free seat of the batch, locked, or None."""
    free = Seat.objects.filter(batch_id=batch_id, assignment__isnull=True).order_by("number")
    return free.select_for_update(skip_locked=True).first()
