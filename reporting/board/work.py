"""The progress of a study and of one page of batches: answers, seats and their holders."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Q, Sum

from annotation.models import AgreementSnapshot, Batch, Seat, Study

SHOWN_SEATS = 20  # of each batch


@dataclass(frozen=True, slots=True)
class SeatLine:
    """A seat. `state` is free, rating or finished; `until` is the end of the lease while the holder is rating."""

    state: str
    pseudonym: str = ""
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class SeatCounts:
    n_free: int
    n_rating: int
    n_finished: int

    @property
    def n(self) -> int:
        return self.n_free + self.n_rating + self.n_finished


@dataclass(frozen=True, slots=True)
class Progress:
    n_ratings: int
    n_wanted: int

    @property
    def percent(self) -> int:
        """Return the share of answers given, rounded down: 100 means that nothing is missing."""
        return 100 * self.n_ratings // self.n_wanted if self.n_wanted else 0


@dataclass(frozen=True, slots=True)
class BatchLine:
    batch: Batch
    progress: Progress
    seats: tuple[SeatLine, ...]
    counts: SeatCounts

    @property
    def held(self) -> tuple[SeatLine, ...]:
        """Return the first taken seats, those of people rating first; imported studies may have hundreds."""
        held = sorted((seat for seat in self.seats if seat.state != "free"), key=lambda seat: seat.state != "rating")
        return tuple(held[:SHOWN_SEATS])

    @property
    def n_more(self) -> int:
        return self.counts.n - self.counts.n_free - len(self.held)


def progress_of(snapshot: AgreementSnapshot | None, n_unmeasured: int) -> Progress:
    if snapshot is None:
        return Progress(0, n_unmeasured)
    return Progress(snapshot.n_ratings, snapshot.n_wanted + n_unmeasured)


def seats_of(study: Study) -> tuple[SeatCounts, int]:
    """Return seat counts of the main batches, and the answers wanted per criterion in batches without a snapshot."""
    rows = Seat.objects.filter(batch__study=study, batch__kind=Batch.Kind.MAIN)
    found = rows.aggregate(
        n=Count("pk"),
        n_held=Count("assignment"),
        n_rating=Count("lease_expires_at"),
        unmeasured=Sum("batch__n_items", filter=Q(batch__snapshot__isnull=True)),
    )
    counts = SeatCounts(found["n"] - found["n_held"], found["n_rating"], found["n_held"] - found["n_rating"])
    return counts, found["unmeasured"] or 0


def batch_lines(batches: list[Batch], n_criteria: int) -> list[BatchLine]:
    seats: dict[int, list[SeatLine]] = {batch.pk: [] for batch in batches}
    for row in Seat.objects.filter(batch__in=batches).select_related("assignment__participant").order_by("number"):
        seat = SeatLine("free")
        if row.assignment is not None:
            state = "rating" if row.lease_expires_at else "finished"
            seat = SeatLine(state, row.assignment.participant.pseudonym, row.lease_expires_at)
        seats[row.batch_id].append(seat)
    lines = []
    for batch in batches:
        snapshot, own = getattr(batch, "snapshot", None), tuple(seats[batch.pk])
        unmeasured = 0 if snapshot else batch.n_items * len(own) * n_criteria
        states = [seat.state for seat in own]
        counts = SeatCounts(states.count("free"), states.count("rating"), states.count("finished"))
        lines.append(BatchLine(batch, progress_of(snapshot, unmeasured), own, counts))
    return lines
