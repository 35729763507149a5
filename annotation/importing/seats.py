"""Create imported annotators, each with a submitted assignment and a seat in every batch they rated."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Max
from django.utils.translation import gettext as _

from annotation.importing.copying import fetch
from annotation.importing.outcome import refuse
from annotation.models import Assignment, Participant, Seat, Study


@dataclass(frozen=True, slots=True)
class Share:
    """The work of one annotator in one batch. The times are None if the file has none."""

    batch_id: int
    annotator: str
    line: int
    began_at: datetime | None
    ended_at: datetime | None


def seat_annotators(study: Study, now: datetime) -> dict[str, int]:
    """Create assignments and give them seats, locking seats first. Return counts by name. Raise ImportRejected."""
    rows = fetch(
        """SELECT u.batch_id, r.annotator, min(r.line), min(r.answered_at), max(r.answered_at)
           FROM import_row r JOIN import_unit u USING (dialogue, item, source, batch, unit)
           GROUP BY u.batch_id, r.annotator ORDER BY u.batch_id, min(r.line)"""
    )
    shares = [Share(*row) for row in rows]
    participants, n_new = _participants(study, shares)
    known = set(
        Assignment.objects.filter(participant__study=study, participant__is_imported=True).values_list(
            "batch_id", "participant_id"
        )
    )
    fresh = [share for share in shares if (share.batch_id, participants[share.annotator].pk) not in known]
    text = _("%(name)r was excluded from this study: leave out these rows")
    refuse(
        (share.line, "annotator", text % {"name": share.annotator})
        for share in fresh
        if participants[share.annotator].status == Participant.Status.EXCLUDED
    )
    free: dict[int, list[Seat]] = defaultdict(list)
    seats = Seat.objects.filter(batch_id__in={share.batch_id for share in fresh}, assignment__isnull=True)
    for seat in seats.select_for_update().order_by("batch_id", "number"):
        free[seat.batch_id].append(seat)
    assignments = Assignment.objects.bulk_create(
        Assignment(
            batch_id=share.batch_id,
            participant=participants[share.annotator],
            status=Assignment.Status.SUBMITTED,
            claimed_at=share.began_at or now,
            submitted_at=share.ended_at or now,
            is_imported=True,
        )
        for share in fresh
    )
    n_added = _take_seats(assignments, free)
    return {"annotators_new": n_new, "seats_taken": len(assignments), "seats_added": n_added}


def _participants(study: Study, shares: list[Share]) -> tuple[dict[str, Participant], int]:
    names = list(dict.fromkeys(share.annotator for share in shares))
    known = {each.pseudonym: each for each in study.participants.filter(pseudonym__in=names)}
    text = _("%(name)r is already an annotator of this study: rename the one in the file")
    refuse(
        (share.line, "annotator", text % {"name": share.annotator})
        for share in shares
        if share.annotator in known and not known[share.annotator].is_imported
    )
    new = Participant.objects.bulk_create(
        Participant(study=study, pseudonym=name, is_imported=True, status=Participant.Status.CLEARED)
        for name in names
        if name not in known
    )
    return known | {each.pseudonym: each for each in new}, len(new)


def _take_seats(assignments: list[Assignment], free: dict[int, list[Seat]]) -> int:
    """Take free seats first, then add new ones. Return how many were added to batches that had seats already."""
    batch_ids = {each.batch_id for each in assignments}
    numbered = Seat.objects.filter(batch_id__in=batch_ids).values_list("batch_id")
    last = dict(numbered.annotate(last=Max("number")))
    had_seats = frozenset(last)
    taken, added = [], []
    for assignment in assignments:
        if free[assignment.batch_id]:
            seat = free[assignment.batch_id].pop(0)
            seat.assignment = assignment
            taken.append(seat)
        else:
            last[assignment.batch_id] = number = last.get(assignment.batch_id, 0) + 1
            added.append(Seat(batch_id=assignment.batch_id, number=number, assignment=assignment))
    Seat.objects.bulk_update(taken, ["assignment"], batch_size=500)
    Seat.objects.bulk_create(added)
    return sum(seat.batch_id in had_seats for seat in added)
