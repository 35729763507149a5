"""Create imported annotators, each with a submitted assignment and a seat in every batch they rated."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Max, Q
from django.utils.translation import gettext as _

from annotation.importing.copying import execute, fetch
from annotation.importing.made import made_rows, note_made
from annotation.importing.outcome import ErrorLog
from annotation.models import Assignment, Batch, Participant, Seat, Study
from annotation.selectors.claims import OPEN_ENDED


@dataclass(frozen=True, slots=True)
class Share:
    """The work of one annotator in one batch. The times are None if the file has none."""

    batch_id: int
    annotator: str
    line: int
    began_at: datetime | None
    ended_at: datetime | None


def seat_annotators(study: Study, log: ErrorLog, now: datetime, *, is_own_export: bool) -> dict[str, int]:
    """Create assignments with their seats, and return counts by name.

    The rows of annotators who cannot be imported are logged and left out. With `is_own_export`, the pseudonyms of
    people who rate in the study mean these people, whose answers are compared and never added to.
    """
    shares = _shares()
    known = {each.pseudonym: each for each in study.participants.filter(pseudonym__in={s.annotator for s in shares})}
    work = Assignment.objects.filter(participant__study=study)
    if not is_own_export:
        work = work.filter(participant__is_imported=True)
    seated = set(work.values_list("batch_id", "participant__pseudonym"))
    shares = _allowed(shares, known, seated, log)
    participants, n_new = _participants(study, shares, known)
    fresh = [share for share in shares if (share.batch_id, share.annotator) not in seated]
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
    note_made(assignments)
    seatless = _take_seats(assignments)
    _add_seats(seatless)
    return {
        "annotators_new": n_new,
        "seats_taken": len(assignments) - len(seatless),
        "seats_added": len(seatless),
    }


def _shares() -> list[Share]:
    rows = fetch(
        """SELECT u.batch_id, r.annotator, min(r.line), min(r.answered_at), max(r.answered_at)
           FROM import_row r JOIN import_unit u USING (dialogue, item, source, batch, unit)
           GROUP BY u.batch_id, r.annotator ORDER BY u.batch_id, min(r.line)"""
    )
    return [Share(*row) for row in rows]


def _allowed(
    shares: list[Share], known: dict[str, Participant], seated: set[tuple[int, str]], log: ErrorLog
) -> list[Share]:
    """Return the shares of annotators who may be imported, and log those of the others."""
    live = _("%(name)r is already an annotator of this study: rename the one in the file")
    excluded = _("%(name)r was excluded from this study: leave out these rows")
    refused = set()
    for share in shares:
        person = known.get(share.annotator)
        is_excluded = person and person.status == Participant.Status.EXCLUDED
        if person and not person.is_imported and (share.batch_id, share.annotator) not in seated:
            log.add(share.line, "annotator", live % {"name": share.annotator})
        elif is_excluded and (share.batch_id, share.annotator) not in seated:
            log.add(share.line, "annotator", excluded % {"name": share.annotator})
        else:
            continue
        refused.add(share.annotator)
    execute("DELETE FROM import_row WHERE annotator = ANY(%s)", [list(refused)])
    return [share for share in shares if share.annotator not in refused]


def _participants(
    study: Study, shares: list[Share], known: dict[str, Participant]
) -> tuple[dict[str, Participant], int]:
    new = Participant.objects.bulk_create(
        Participant(study=study, pseudonym=name, is_imported=True, status=Participant.Status.CLEARED)
        for name in dict.fromkeys(share.annotator for share in shares)
        if name not in known
    )
    return known | {each.pseudonym: each for each in new}, note_made(new)


def _take_seats(assignments: list[Assignment]) -> list[Assignment]:
    """Give out the free seats of drafts, and return the assignments that got none.

    The free seats of an opened batch are for people who rate in Parley.
    """
    free = _free_seats({each.batch_id for each in assignments})
    taken, seatless = [], []
    for assignment in assignments:
        if seats := free[assignment.batch_id]:
            taken.append(seats.pop(0))
            taken[-1].assignment = assignment
        else:
            seatless.append(assignment)
    Seat.objects.bulk_update(taken, ["assignment"])
    return seatless


def _free_seats(batch_ids: Collection[int]) -> dict[int, list[Seat]]:
    """Return {draft: its free seats}. A draft is not opened, and no seat is added by others, until the import ends."""
    batches = Batch.objects.filter(Q(status=Batch.Status.DRAFT) | Q(kind__in=OPEN_ENDED), pk__in=batch_ids)
    locked = list(batches.order_by("pk").select_for_update(no_key=True))
    drafts = [batch.pk for batch in locked if batch.status == Batch.Status.DRAFT]
    free: dict[int, list[Seat]] = defaultdict(list)
    for seat in Seat.objects.filter(batch__in=drafts, assignment=None).order_by("batch", "number"):
        free[seat.batch_id].append(seat)
    return free


def _add_seats(assignments: list[Assignment]) -> None:
    """Add a seat for each, beside those of the batch."""
    batch_ids = {each.batch_id for each in assignments}
    numbered = Seat.objects.filter(batch_id__in=batch_ids).values_list("batch_id")
    last = dict(numbered.annotate(last=Max("number")))
    added = []
    for assignment in assignments:
        last[assignment.batch_id] = number = last.get(assignment.batch_id, 0) + 1
        added.append(Seat(batch_id=assignment.batch_id, number=number, assignment=assignment))
    Seat.objects.bulk_create(added)
    Assignment.objects.filter(pk__in=[each.pk for each in assignments]).update(has_added_seat=True)


def seats_were_added_elsewhere() -> bool:
    """Return whether this import added seats to a batch that it did not make."""
    added = made_rows(Assignment).filter(has_added_seat=True)
    return added.exclude(batch__in=made_rows(Batch)).exists()
