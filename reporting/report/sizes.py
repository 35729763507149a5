"""The sizes of what was rated: items, dialogues, sources, and votes per item; and the batches one by one."""

from dataclasses import dataclass

import numpy as np
from django.db.models import Count, Exists, OuterRef

from annotation.agreement_cells import alike, counted
from annotation.models import Assignment, Batch, Rating, Seat, Study
from measures.agreement import fleiss_kappa
from measures.histograms import n_votes_of_json, total_of_json
from reporting.labels import DIFFERENT_ANSWERS
from reporting.study.cells import StudyCells
from reporting.study.votes import StudyVotes


@dataclass(frozen=True, slots=True)
class SourceItems:
    """The judged items of a source; that of whole dialogues is None."""

    source: str | None
    items: int


@dataclass(frozen=True, slots=True)
class VotesPerItem:
    """How many people rated an item; None without rated items."""

    low: int | None
    high: int | None
    mean: float | None


@dataclass(frozen=True, slots=True)
class Seats:
    """The lowest and highest number of seats of a batch, None without batches; the study's setting may differ."""

    low: int | None
    high: int | None


@dataclass(frozen=True, slots=True)
class Material:
    """The sizes of what was rated: only items with an answer count."""

    items: int
    dialogues: int
    conversations: int
    scenarios: int
    sources: int
    batches: int
    by_source: list[SourceItems]
    votes_per_item: VotesPerItem
    seats_per_batch: Seats


@dataclass(frozen=True, slots=True)
class BatchSizes:
    """The sizes of a batch, and Fleiss' kappa of all its judgements.

    Kappa is None if it is undefined, or if the criteria of the batch cannot be pooled; `kappa_reason` says why.
    """

    batch: str
    n_items: int
    n_ratings: int
    n_annotators: int
    kappa_all_judgements: float | None
    kappa_reason: str | None


@dataclass(frozen=True, slots=True)
class Comment:
    """What an annotator wrote in the feedback box when submitting a batch."""

    batch: str
    annotator: str
    comment: str


def material_of(cells: StudyCells, votes: StudyVotes) -> Material:
    items = votes.items
    # An assignment is one annotator's work on the batch of the item.
    pairs = np.unique(votes.item * max(len(votes.work.id), 1) + votes.assignment)
    rated, n_votes = np.unique(pairs // max(len(votes.work.id), 1), return_counts=True)
    by_source = [SourceItems(key, int((items.source[rated] == pk).sum())) for key, pk in cells.source_ids.items()]
    seats = Seat.objects.filter(batch__in=cells.batches).values("batch").annotate(n=Count("pk"))
    n_seats = list(seats.values_list("n", flat=True))
    return Material(
        items=len(rated),
        dialogues=len(np.setdiff1d(items.dialogue[rated], [0])),
        conversations=len(np.setdiff1d(items.conversation[rated], [0])),
        scenarios=len(np.setdiff1d(items.scenario[rated], [0])),
        sources=len(np.setdiff1d(items.source[rated], [0])),
        batches=len(cells.batches),
        by_source=[row for row in by_source if row.items],
        votes_per_item=VotesPerItem(
            low=int(n_votes.min()) if len(rated) else None,
            high=int(n_votes.max()) if len(rated) else None,
            mean=float(n_votes.mean()) if len(rated) else None,
        ),
        seats_per_batch=Seats(min(n_seats, default=None), max(n_seats, default=None)),
    )


def batch_sizes(cells: StudyCells, work: dict[int, set[int]]) -> list[BatchSizes]:
    """Return a row per batch. `work` has the annotators of each batch."""
    return [_batch_sizes(cells, batch, len(work.get(batch.pk, ()))) for batch in cells.batches]


def _batch_sizes(cells: StudyCells, batch: Batch, n_annotators: int) -> BatchSizes:
    own = cells.by_batch.get(batch.pk, {})
    asked = {criterion.id for criterion in cells.spec.counted}
    groups = alike(tuple(cells.spec.by_id[key] for key in dict.fromkeys(criterion for criterion, _ in own)))
    kappa: float | None = None
    reason: str | None = DIFFERENT_ANSWERS if groups else "no_ratings"
    if len(groups) == 1:
        criterion = groups[0][0]
        whole = total_of_json((cell.histogram for cell in own.values()), len(criterion.options))
        found = fleiss_kappa(counted(whole, criterion)[0])
        kappa, reason = found.value, found.reason
    n_ratings = sum(n_votes_of_json(cell.histogram) for key, cell in own.items() if key[0] in asked)
    return BatchSizes(batch.key, batch.n_items, n_ratings, n_annotators, kappa, reason)


def comments_of(study: Study) -> list[Comment]:
    done = Assignment.objects.filter(batch__study=study, batch__kind=Batch.Kind.MAIN)
    written = done.exclude(feedback="").order_by("batch__position", "pk")
    return [Comment(*row) for row in written.values_list("batch__key", "participant__pseudonym", "feedback")]


def annotators_by_batch(batches: list[Batch]) -> dict[int, set[int]]:
    """Return {batch id: ids of the annotators whose answers count}."""
    has_rated = Exists(Rating.objects.filter(assignment=OuterRef("pk")))
    working = Assignment.objects.filter(has_rated, batch__in=batches, seat__isnull=False)
    found: dict[int, set[int]] = {}
    for batch_id, participant_id in working.values_list("batch_id", "participant_id"):
        found.setdefault(batch_id, set()).add(participant_id)
    return found
