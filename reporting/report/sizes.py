"""The sizes of what was rated: items, dialogues, sources, and votes per item; and the batches one by one."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from django.db.models import Count, Exists, OuterRef, Q

from annotation.agreement_cells import alike, for_agreement
from annotation.models import Assignment, Batch, Rating, Seat, Study
from annotation.pairings import in_orders_of
from annotation.selectors.comparisons import pairs_of_kind
from measures.agreement import fleiss_kappa
from measures.arrays import IntArray
from measures.histograms import total_of_json
from protocols.models import ProtocolVersion
from reporting.datasheet.selectors import Setting
from reporting.labels import DIFFERENT_ANSWERS, NO_SINGLE_CHOICE
from reporting.study.cells import StudyCells
from reporting.study.rules import Unit
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
class AnswersPerItem:
    """The answers to a criterion that fewer people answered than rated the item; `missing` counts what they left out.

    An answer is missing if the annotator gave none or was not asked.
    """

    criterion: str
    name: str
    low: int
    high: int
    mean: float
    missing: int


@dataclass(frozen=True, slots=True)
class Seats:
    """The lowest and highest number of seats planned for a batch, None without batches.

    Seats that an import adds are not planned. Batches that have no others were to have as many as the study's setting,
    unless all answers of the study were collected elsewhere: then nobody planned seats here.
    """

    low: int | None
    high: int | None


@dataclass(frozen=True, slots=True)
class Material:
    """The sizes of what was rated: only items with an answer count, and `items_without_answers` are the others.

    Of these, `items_with_two_votes` and `items_with_even_votes` were rated by two people, and by an even number.
    """

    items: int
    dialogues: int
    conversations: int
    scenarios: int
    sources: int
    batches: int
    by_source: list[SourceItems]
    votes_per_item: VotesPerItem
    items_without_answers: int
    items_with_two_votes: int
    items_with_even_votes: int
    answers_per_item: list[AnswersPerItem]
    seats_per_batch: Seats

    @property
    def votes_missing(self) -> int:
        """Return how many votes items have fewer than seats; 0 if batches have unequal seats.

        If no item has as many votes as seats, or one has more, these answers were planned otherwise.
        """
        votes, seats = self.votes_per_item, self.seats_per_batch
        if votes.high is None or votes.mean is None or seats.low is None or seats.low != seats.high:
            return 0
        return seats.low * self.items - round(votes.mean * self.items) if votes.high == seats.low else 0

    @property
    def has_dialogues_by_source(self) -> bool:
        """Return whether each source has dialogues of its own, with one item each."""
        named = [row for row in self.by_source if row.source is not None]
        return (
            len(named) > 1 and len(named) == len(self.by_source) and sum(row.items for row in named) == self.dialogues
        )

    @property
    def is_by_scenario(self) -> bool:
        """Return whether scenarios, not conversations, are the units of intervals and tests."""
        return self.scenarios < self.conversations

    @property
    def unit(self) -> Unit:
        """Return what intervals and tests take as independent."""
        if self.is_by_scenario:
            return Unit.SCENARIO
        return Unit.DIALOGUE if self.has_dialogues_as_units else Unit.CONVERSATION

    @property
    def has_dialogues_as_units(self) -> bool:
        """Return whether every dialogue is a conversation of its own, and thus the unit of intervals and tests."""
        return self.conversations == self.dialogues and not self.is_by_scenario


@dataclass(frozen=True, slots=True)
class BatchSizes:
    """The items of a batch that have an answer, its answers of every kind, and Fleiss' kappa of all its judgements.

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
    n_seats = _planned_seats(cells)
    return Material(
        items=len(rated),
        dialogues=_n_read(items.dialogue[rated], items.other[rated]),
        conversations=_n_read(items.conversation[rated], items.other_conversation[rated]),
        scenarios=len(np.setdiff1d(items.scenario[rated], [0])),
        sources=len(set(items.source[rated].tolist()) - {0} | _compared_sources(cells, items.id[rated])),
        batches=len(cells.batches),
        by_source=[row for row in by_source if row.items],
        votes_per_item=VotesPerItem(
            low=int(n_votes.min()) if len(rated) else None,
            high=int(n_votes.max()) if len(rated) else None,
            mean=float(n_votes.mean()) if len(rated) else None,
        ),
        items_without_answers=len(items.id) - len(rated),
        items_with_two_votes=int((n_votes == 2).sum()),
        items_with_even_votes=int((n_votes % 2 == 0).sum()),
        answers_per_item=list(_answers_per_item(votes, rated, n_votes)),
        seats_per_batch=Seats(min(n_seats, default=None), max(n_seats, default=None)),
    )


def _planned_seats(cells: StudyCells) -> list[int]:
    if Setting(cells.study).is_elsewhere:
        return []
    added = Q(assignment__has_added_seat=True)
    seats = Seat.objects.filter(batch__in=cells.batches).values("batch").annotate(n=Count("pk", filter=~added))
    return [n or cells.study.seats for n in seats.values_list("n", flat=True)]


def _answers_per_item(votes: StudyVotes, rated: IntArray, n_votes: IntArray) -> Iterable[AnswersPerItem]:
    """Yield the single-choice criteria that not all annotators of an item answered. `rated` are indices of items."""
    for criterion in votes.spec.voted:
        n_answers = votes.by_criterion[criterion.id].tallies.sum(axis=1)[rated]
        asked = n_answers > 0
        missing = int((n_votes - n_answers)[asked].sum())
        if missing > 0:
            given = n_answers[asked]
            sizes = int(given.min()), int(given.max()), float(given.mean())
            yield AnswersPerItem(criterion.key, criterion.name, *sizes, missing)


def _compared_sources(cells: StudyCells, rated: IntArray) -> set[int]:
    """Return the ids of the sources of the pairs among these items."""
    if ProtocolVersion.Unit.COMPARISON not in cells.spec.units:
        return set()
    pairs = pairs_of_kind(cells.study.pk, Batch.Kind.MAIN)
    return {source for pk in rated.tolist() for source in pairs.get(pk, ())}


def _n_read(ids: IntArray, others: IntArray) -> int:
    """Return how many were read: an item may compare one with another."""
    return len(np.setdiff1d(np.concatenate([ids, others]), [0]))


def unrated_sources(cells: StudyCells, votes: StudyVotes) -> list[str]:
    """Return the names of sources that are in the batches and have no counted answer."""
    items, rated = votes.items, np.unique(votes.item)
    asked = set(items.source.tolist()) | _compared_sources(cells, items.id)
    found = set(items.source[rated].tolist()) | _compared_sources(cells, items.id[rated])
    return [source.name for source in cells.sources if source.pk in asked - found]


def answered_criteria(votes: StudyVotes) -> list[str]:
    return [each.key for each in votes.spec.criteria if votes.of(each).any()]


def batch_sizes(cells: StudyCells, votes: StudyVotes, work: dict[int, set[int]]) -> list[BatchSizes]:
    """Return a row per batch. `work` has the annotators of each batch."""
    return [_batch_sizes(cells, votes, batch, len(work.get(batch.pk, ()))) for batch in cells.batches]


def _batch_sizes(cells: StudyCells, votes: StudyVotes, batch: Batch, n_annotators: int) -> BatchSizes:
    own = cells.by_batch.get(batch.pk, {})
    items = votes.item[votes.items.batch[votes.item] == batch.pk]
    groups = alike(tuple(cells.spec.by_id[key] for key in dict.fromkeys(criterion for criterion, _ in own)))
    kappa: float | None = None
    reason: str | None = DIFFERENT_ANSWERS if groups else NO_SINGLE_CHOICE if len(items) else "no_ratings"
    if len(groups) == 1:
        criterion = in_orders_of(groups[0][0], [cell.pairings for cell in own.values()])
        whole = total_of_json((cell.histogram for cell in own.values()), len(criterion.options))
        found = fleiss_kappa(for_agreement(whole, criterion)[0])
        kappa, reason = found.value, found.reason
    return BatchSizes(batch.key, len(np.unique(items)), len(items), n_annotators, kappa, reason)


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
