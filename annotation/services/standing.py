"""The one door to an annotator's standing: what it means for seats, and the history of who decided what, and why."""

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Assignment, Membership, Participant, Seat, StandingChange, Study
from annotation.models.study import ROLE_WORDS
from annotation.selectors.team import is_of_team
from annotation.services import activity
from annotation.services.claiming import release_seats
from annotation.services.nudging import raise_version
from annotation.services.refusals import Refused

Role = Membership.Role
Standing = Participant.Standing


def clear_waiting(study: Study, *, now: datetime, by: User | None = None) -> int:
    """Clear everybody who waits for it. Returns how many."""
    pending = Participant.objects.filter(study=study, standing=Standing.PENDING)
    waiting = pending.exclude(is_of_team()).order_by("pk")
    for participant in waiting:
        set_standing(participant, standing=Standing.CLEARED, by=by, now=now)
    return len(waiting)


@transaction.atomic
def set_standing(
    participant: Participant, *, standing: str, now: datetime, by: User | None = None, reason: str = ""
) -> Participant:
    """Set it, keep the change with its reason, and log it. `by` is None where a rule decided.

    Paused: no new seats, and what they hold they may finish. Excluded: their ratings stay in history and stop counting,
    and their seats are free at once. Leaving `excluded` gives submitted batches their seats back where one is free.
    Raises Refused for clearing somebody whose role sees the figures.
    """
    locked = Participant.objects.select_for_update(no_key=True).select_related("study").get(pk=participant.pk)
    if standing == Standing.CLEARED:
        _check_blind(locked)
    before, locked.standing = locked.standing, standing
    if before == standing:
        return locked
    locked.full_clean(exclude=["user"])  # imported annotators have none
    locked.save(update_fields=["standing"])
    _remember(locked, before, by, reason, now)
    if standing == Standing.EXCLUDED:
        release_seats(locked, Assignment.Status.EXCLUDED)
    elif before == Standing.EXCLUDED:
        _restore_seats(locked)
    return locked


def _remember(participant: Participant, before: str, by: User | None, reason: str, now: datetime) -> None:
    after = participant.standing
    StandingChange.objects.create(participant=participant, before=before, after=after, actor=by, reason=reason, at=now)
    details = {"before": before, "after": after, "reason": reason}
    activity.log(participant.study, by, "standing", about=participant.pseudonym, details=details, now=now)


def _check_blind(participant: Participant) -> None:
    memberships = Membership.objects.filter(study=participant.study_id, user=participant.user_id)
    role = memberships.values_list("role", flat=True).first()
    if role not in (None, Role.ANNOTATOR):
        message = _("%(name)s is %(role)s of this study, so they cannot rate it blind. Make them an annotator first.")
        raise Refused("other_role", message % {"name": participant.pseudonym, "role": ROLE_WORDS[role]})


def _restore_seats(participant: Participant) -> None:
    left = Assignment.objects.filter(participant=participant, status=Assignment.Status.EXCLUDED)
    restored = []
    for assignment in left.select_related("batch").order_by("batch_id"):
        seat = None
        if assignment.submitted_at is not None and assignment.round == assignment.batch.round:
            free = Seat.objects.filter(batch_id=assignment.batch_id, assignment__isnull=True).order_by("number")
            seat = free.select_for_update(skip_locked=True).first()
        assignment.status = Assignment.Status.SUBMITTED if seat else Assignment.Status.EXPIRED
        assignment.save(update_fields=["status"])
        if seat is not None:
            seat.assignment = assignment
            seat.save(update_fields=["assignment"])
            restored.append(assignment.batch_id)
    for batch_id in restored:
        raise_version(batch_id)
