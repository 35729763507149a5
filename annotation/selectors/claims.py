"""Decide which batches somebody may take. The list of work and the claim itself both use this rule.

A reserved batch is for one person only. Otherwise main batches are for cleared annotators, pilots for the panel,
qualification for the panel and for people who are qualifying, and training for people who are qualifying. Batches of
any other kind are for nobody.
"""

from collections.abc import Iterable
from datetime import datetime

from django.db.models import Exists, OuterRef, Q

from annotation.models import Assignment, Batch, Participant, Seat

Kind = Batch.Kind
PersonStatus = Participant.Status

BY_STATUS: dict[str, frozenset[str]] = {
    PersonStatus.CLEARED: frozenset({Kind.MAIN}),
    PersonStatus.QUALIFYING: frozenset({Kind.TRAINING, Kind.QUALIFICATION}),
}
OF_PANEL = frozenset({Kind.PILOT, Kind.QUALIFICATION})
STOPPED = (PersonStatus.PAUSED, PersonStatus.EXCLUDED)
OPEN_ENDED = frozenset({Kind.TRAINING, Kind.QUALIFICATION})  # a seat is added for everybody who comes


def is_free(now: datetime) -> Q:
    """Return a filter of seats that nobody has or whose lease has ended."""
    return Q(assignment=None) | Q(lease_expires_at__lte=now)


def kinds_for(participant: Participant) -> frozenset[str]:
    if participant.status in STOPPED:
        return frozenset()
    own = BY_STATUS.get(participant.status, frozenset())
    return own | OF_PANEL if participant.panel else own


def may_claim(participant: Participant, batch: Batch) -> bool:
    if participant.study_id != batch.study_id or participant.status in STOPPED:
        return False
    if batch.reserved_for_id is not None:
        return batch.reserved_for_id == participant.pk
    is_of_group = batch.group_id is None or batch.group_id == participant.group_id
    return is_of_group and batch.kind in kinds_for(participant)


def claimable_by(participants: Iterable[Participant]) -> Q:
    """Return the rule of `may_claim` for many people at once, as a filter of batches."""
    found = Q(pk__in=[])
    for participant in participants:
        if participant.status in STOPPED:
            continue
        is_of_group = Q(group=None) | Q(group=participant.group_id) if participant.group_id else Q(group=None)
        is_open_to_all = Q(reserved_for=None, kind__in=kinds_for(participant)) & is_of_group
        found |= Q(study=participant.study_id) & (Q(reserved_for=participant) | is_open_to_all)
    return found


def has_a_full_round() -> Q:
    """Return a filter of batches whose seats are all held by submitted work."""
    seats = Seat.objects.filter(batch=OuterRef("pk"))
    unfinished = Q(assignment=None) | ~Q(assignment__status=Assignment.Status.SUBMITTED)
    return Q(Exists(seats)) & ~Q(Exists(seats.filter(unfinished)))
