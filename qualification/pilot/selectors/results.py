"""Compute the results of a pilot: how long a judgement takes, what is hard, how the panel agrees."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from annotation.models import Participant, Study
from measures.agreement import fleiss_kappa
from measures.arrays import FloatArray, IntArray
from measures.cohen import cohen_kappa, confusion_matrix, in_both_orders
from measures.difficulty import difficulty_of, unique_modes
from measures.estimate import Estimate
from measures.intervals import guarded
from measures.leave_one_out import WithoutRater, leave_one_out
from protocols.models import Option
from protocols.specs import CriterionSpec, VersionSpec
from qualification.pilot.selectors.votes import PilotVotes
from qualification.qualifying.selectors.votes import Scale, pooled_scale, scale_of

HARDEST = 10
Panel = Participant.Panel


# --- time ------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Times:
    """Hold the median seconds of a judgement, as browsers report them; None if no answer has a time."""

    median: float | None
    n: int


def times_of(votes: PilotVotes) -> Times:
    seconds = votes.active_ms[votes.active_ms > 0] / 1000
    return Times(float(np.median(seconds)) if len(seconds) else None, len(seconds))


# --- difficulty ------------------------------------------------------------------------------------
class Hardness(NamedTuple):
    """Hold means, from 0 to 1, over what two or more judged (`unsure`: anybody); None if there is none."""

    disagreeing: float | None
    entropy: float | None
    unsure: float | None  # share of votes


@dataclass(frozen=True, slots=True)
class _Cells:
    """Hold (M,) item ids and difficulty, per item and criterion; NaN with fewer than two votes (`unsure`: without)."""

    item: IntArray
    disagreeing: FloatArray
    entropy: FloatArray
    unsure: FloatArray

    def hardness(self, kept: np.ndarray | slice) -> Hardness:
        return Hardness(*(_mean(values[kept]) for values in (self.disagreeing, self.entropy, self.unsure)))


def _mean(values: FloatArray) -> float | None:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else None


def _cells(votes: PilotVotes, criterion: CriterionSpec) -> _Cells:
    mine, scale = votes.about(criterion.id), scale_of(criterion)
    tallies = mine.tallies(scale)
    items = np.zeros(len(tallies), np.int64)
    items[mine.row] = mine.item
    unsure = [scale.codes[each.id] for each in criterion.options if each.role == Option.Role.UNSURE]
    found, n_votes = difficulty_of(tallies), tallies.sum(axis=1)
    shares = np.where(n_votes > 0, tallies[:, unsure].sum(axis=1) / np.maximum(n_votes, 1), np.nan)
    return _Cells(items, found.disagreeing, found.entropy, shares)


def hardness_of(votes: PilotVotes, spec: VersionSpec) -> Hardness:
    """Return the means over all criteria together."""
    cells = [_cells(votes, each) for each in _voted(votes, spec)]
    found = {name: [np.empty(0), *(getattr(each, name) for each in cells)] for name in Hardness._fields}
    return Hardness(**{name: _mean(np.concatenate(values)) for name, values in found.items()})


def _voted(votes: PilotVotes, spec: VersionSpec) -> list[CriterionSpec]:
    return [each for each in spec.voted if (votes.criterion == each.id).any()]


@dataclass(frozen=True, slots=True)
class CriterionLine:
    criterion: CriterionSpec
    times: Times
    hardness: Hardness
    kappa: Estimate


@dataclass(frozen=True, slots=True)
class HardItem:
    """`hardness` is the mean over the criteria; `by_criterion` has None for one that this item is not judged by."""

    item: int
    hardness: Hardness
    by_criterion: tuple[Hardness | None, ...]


def _items(cells: Sequence[_Cells]) -> list[HardItem]:
    """Return all judged items, hardest first: by the mean over criteria of disagreeing votes, then of entropy."""
    by_item = [{item: each.hardness(slice(at, at + 1)) for at, item in enumerate(each.item.tolist())} for each in cells]
    found = []
    for item in set[int]().union(*by_item):
        parts = tuple(mine.get(item) for mine in by_item)
        means = (_mean(np.array(values, float)) for values in zip(*filter(None, parts), strict=True))
        found.append(HardItem(item, Hardness(*means), parts))
    return sorted(
        found, key=lambda each: (-(each.hardness.disagreeing or 0.0), -(each.hardness.entropy or 0.0), each.item)
    )


# --- agreement -------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Beside:
    """Compare experts with non-experts where each group has one most frequent answer."""

    n: int
    same: float | None
    kappa: Estimate


@dataclass(frozen=True, slots=True)
class Agreement:
    panel: Estimate
    experts: Estimate
    non_experts: Estimate
    beside: Beside
    without: tuple[WithoutRater, ...]


def kappa_of(votes: PilotVotes, scale: Scale) -> Estimate:
    """Return Fleiss' kappa, with its t interval if there are enough judgements for one."""
    histogram = votes.histogram(scale)
    return guarded(fleiss_kappa(histogram), histogram)


def _agreement(votes: PilotVotes, spec: VersionSpec, members: Sequence[Participant], seed: int) -> Agreement:
    scale = pooled_scale(spec, in_both_orders=votes.in_both_orders)
    by_panel = {panel: votes.of([each.pk for each in members if each.panel == panel]) for panel in Panel}
    codes = votes.codes(scale)
    cell = (votes.row, votes.participant, codes, scale.n_categories, scale.mirror)
    without = leave_one_out(*cell, seed=seed) if len(codes) else []
    return Agreement(
        panel=kappa_of(votes, scale),
        experts=kappa_of(by_panel[Panel.EXPERT], scale),
        non_experts=kappa_of(by_panel[Panel.NON_EXPERT], scale),
        beside=_beside(votes, scale, members),
        without=tuple(without),
    )


def _beside(votes: PilotVotes, scale: Scale, members: Sequence[Participant]) -> Beside:
    codes, table = votes.codes(scale), np.zeros((2, votes.n_rows, scale.n_categories), np.int64)
    experts = np.isin(votes.participant, [each.pk for each in members if each.panel == Panel.EXPERT])
    kept = codes >= 0
    np.add.at(table, (np.where(experts, 0, 1)[kept], votes.row[kept], codes[kept]), 1)
    confusion = confusion_matrix(unique_modes(table[0]), unique_modes(table[1]), scale.n_categories)
    n = int(confusion.sum())
    kappa = cohen_kappa(in_both_orders(confusion, scale.mirror))
    return Beside(n, float(np.trace(confusion) / n) if n else None, kappa)


# --- together --------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class PilotFigures:
    """Hold the results of the panel's answers to a pilot; `by_member` has the times of each member."""

    n_votes: int
    times: Times
    by_member: dict[int, Times]
    criteria: tuple[CriterionLine, ...]
    items: tuple[HardItem, ...]
    agreement: Agreement
    per_item: float  # judgements of an item, on average

    @property
    def hardest(self) -> tuple[HardItem, ...]:
        """Return the hardest items, without those that all agree on."""
        return tuple(each for each in self.items if each.hardness.disagreeing)[:HARDEST]


def pilot_figures(
    study: Study, spec: VersionSpec, votes: PilotVotes, members: Sequence[Participant]
) -> PilotFigures | None:
    """Return the results, or None while the panel has no answers."""
    votes = votes.of([each.pk for each in members])
    if not len(votes.item):
        return None
    voted = _voted(votes, spec)
    cells = [_cells(votes, each) for each in voted]
    lines = []
    for criterion, of in zip(voted, cells, strict=True):
        mine = votes.about(criterion.id)
        kappa = kappa_of(mine, scale_of(criterion, in_both_orders=mine.in_both_orders))
        lines.append(CriterionLine(criterion, times_of(mine), of.hardness(slice(None)), kappa))
    return PilotFigures(
        n_votes=len(votes.item),
        times=times_of(votes),
        by_member={each.pk: times_of(votes.of([each.pk])) for each in members},
        criteria=tuple(lines),
        items=tuple(_items(cells)),
        agreement=_agreement(votes, spec, members, study.seed),
        per_item=votes.n_rows / len(np.unique(votes.item)),
    )
