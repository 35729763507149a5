"""Read the answers of a study's pilots as arrays. Pilots are a kind of batch, so no other result counts them."""

from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np

from annotation.models import Batch, Participant, Rating, Study
from annotation.selectors.comparisons import pairs_of_kind
from measures.arrays import BoolArray, IntArray
from measures.histograms import Histogram
from qualification.qualifying.selectors.votes import Scale


@dataclass(frozen=True)
class PilotVotes:
    """Hold (N,) ids and milliseconds of the answers that count; `row` numbers what is judged: item x criterion.

    `sources` are (N, 2) ids of the two sources that an answer compares; 0 for other answers.
    """

    item: IntArray
    criterion: IntArray
    participant: IntArray
    option: IntArray
    active_ms: IntArray
    batch: IntArray
    sources: IntArray

    @cached_property
    def row(self) -> IntArray:
        if not len(self.item):
            return self.item
        pairs = np.stack([self.item, self.criterion], axis=1)
        return np.unique(pairs, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)

    def where(self, kept: BoolArray) -> "PilotVotes":
        return PilotVotes(*(getattr(self, each.name)[kept] for each in fields(self)))

    @property
    def in_both_orders(self) -> bool:
        """Return whether more than two sources are compared: which one of a pair is the first is then arbitrary."""
        return len(np.unique(self.sources[self.sources > 0])) > 2

    def of(self, participants: list[int]) -> "PilotVotes":
        return self.where(np.isin(self.participant, participants))

    def in_batch(self, batch: int) -> "PilotVotes":
        return self.where(self.batch == batch)

    def about(self, criterion: int) -> "PilotVotes":
        return self.where(self.criterion == criterion)

    def codes(self, scale: Scale) -> IntArray:
        """Return the codes of the answers on the scale; -1 for an option that excludes its item."""
        return np.array([scale.codes.get(option, -1) for option in self.option.tolist()], np.int64)

    def histogram(self, scale: Scale) -> Histogram:
        codes = self.codes(scale)
        kept = codes >= 0
        found = Histogram.from_votes(self.row[kept], codes[kept], scale.n_categories)
        return found.in_both_orders(scale.mirror)

    def tallies(self, scale: Scale) -> IntArray:
        """Return the (rows, categories) counts of votes."""
        codes, table = self.codes(scale), np.zeros((self.n_rows, scale.n_categories), np.int64)
        np.add.at(table, (self.row[codes >= 0], codes[codes >= 0]), 1)
        return table

    def table(self, scale: Scale, members: list[int]) -> IntArray:
        """Return the (rows, members) codes, -1 for no answer. All answers must be by these members."""
        table = np.full((self.n_rows, len(members)), -1, np.int64)
        columns = {member: at for at, member in enumerate(members)}
        table[self.row, [columns[each] for each in self.participant.tolist()]] = self.codes(scale)
        return table

    @property
    def n_rows(self) -> int:
        return int(self.row.max()) + 1 if len(self.row) else 0


def pilot_votes(study: Study) -> PilotVotes:
    """Return the answers that count: those whose assignment holds a seat, finished or not."""
    rows = Rating.objects.filter(
        batch__study=study,
        batch__kind=Batch.Kind.PILOT,
        assignment__seat__isnull=False,
        is_active=True,
        option__isnull=False,
        item__is_check=False,
        criterion__version=study.protocol_version_id,
    ).order_by("item", "criterion", "pk")
    columns = rows.values_list("item", "criterion", "assignment__participant", "option", "active_ms", "batch")
    pairs = pairs_of_kind(study.pk, Batch.Kind.PILOT)
    given = np.array([(*row, *pairs.get(row[0], (0, 0))) for row in columns], np.int64).reshape(-1, 8)
    return PilotVotes(*[*given[:, :6].T, given[:, 6:]])


def panel_members(study: Study) -> list[Participant]:
    """Return the panel, experts first, then by pseudonym."""
    return list(study.participants.exclude(panel="").select_related("user").order_by("panel", "pseudonym"))
