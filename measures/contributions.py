"""Contributions of annotators to a study, as integers, so that the sums of batches are exactly those of the study.

Three small tables for one annotator in one cell are enough for all results: own answers against the majority of
the others (kappa, agreement, entropy), sums over items by their number of votes (kappa without the annotator),
and a histogram of how much slower they are than the others (speed). Their size depends neither on the number of
items nor on the number of patterns.

Source: project statistics, sections 2.1, 2.3 and 4.1.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from measures.arrays import BoolArray, FloatArray, IntArray
from measures.behaviour import FEWEST_ITEMS_TO_FLAG, Speed, group_medians
from measures.contributors import FALSE_DISCOVERY_RATE, MajorityTables, adjusted
from measures.estimate import TOO_FEW_ITEMS, Estimate
from measures.histograms import Histogram
from measures.leave_one_out import WithoutRater, features, kappa_of_sums
from measures.outliers import is_outlier, outlier_p_values, robust_scores
from measures.votes import NumberedVotes, numbered_votes

# Step of log(time / median of all annotators of the item), about 5%.
PACE_STEP = 0.05
# A factor of 20 up or down; values further away count as this one.
WIDEST_PACE = 60


@dataclass(frozen=True, slots=True)
class Contribution:
    """One annotator in one cell, or in a sum of cells with the same number K of answers.

    Attributes
    ----------
    majority : tuple of K * K + 2 int
        Items by own answer and majority of the others, row by row; then items on which the others tied; then
        items that nobody else answered.
    by_votes : dict
        By the number of votes on an item, including the own one, 2 K + 2 sums over the items: own answers per
        category, all answers per category, ordered agreeing pairs, and other votes equal to the own one.
    paces : dict
        Items by log(time / median time of the item) in steps of 0.05.
    """

    majority: tuple[int, ...]
    by_votes: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    paces: Mapping[int, int] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Return whether it has any content; a difference may contain only changed votes of others or times."""
        return any(self.majority) or bool(self.by_votes) or bool(self.paces)

    def plus(self, other: "Contribution", sign: int = 1) -> "Contribution":
        """Return the sum, or with `sign` -1 the difference; sums of zero are dropped."""
        return _summed([self, other if sign == 1 else other._negative()])

    def _negative(self) -> "Contribution":
        by_votes = {size: tuple(-each for each in sums) for size, sums in self.by_votes.items()}
        paces = {step: -items for step, items in self.paces.items()}
        return Contribution(tuple(-each for each in self.majority), by_votes, paces)

    def to_json(self) -> dict[str, Any]:
        return {
            "majority": list(self.majority),
            "by_votes": {str(size): list(sums) for size, sums in self.by_votes.items()},
            "paces": {str(step): items for step, items in self.paces.items()},
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "Contribution":
        by_votes = {int(size): tuple(sums) for size, sums in stored["by_votes"].items()}
        return cls(tuple(stored["majority"]), by_votes, {int(s): n for s, n in stored["paces"].items()})


Contributions = dict[int, Contribution]


def combined(first: Contributions, second: Contributions, sign: int = 1) -> Contributions:
    """Return the sums (or differences) by rater, without raters that have nothing left."""
    found = dict(first)
    for rater, other in second.items():
        known = found.get(rater) or Contribution((0,) * len(other.majority))
        found[rater] = known.plus(other, sign)
    return {rater: found[rater] for rater in sorted(found) if found[rater]}


def total_of(parts: Iterable[Contributions]) -> Contributions:
    """Return the sums by ascending rater, without empty ones. Faster than :meth:`Contribution.plus` for each part."""
    by_rater: dict[int, list[Contribution]] = {}
    for part in parts:
        for rater, each in part.items():
            by_rater.setdefault(rater, []).append(each)
    whole = {rater: _summed(by_rater[rater]) for rater in sorted(by_rater)}
    return {rater: each for rater, each in whole.items() if each}


def _summed(parts: Sequence[Contribution]) -> Contribution:
    by_votes: dict[int, list[tuple[int, ...]]] = {}
    paces: Counter[int] = Counter()
    for part in parts:
        paces.update(part.paces)
        for size, sums in part.by_votes.items():
            by_votes.setdefault(size, []).append(sums)
    sizes = {size: _columns(by_votes[size]) for size in sorted(by_votes)}
    return Contribution(
        _columns([part.majority for part in parts]),
        {size: sums for size, sums in sizes.items() if any(sums)},
        {step: paces[step] for step in sorted(paces) if paces[step]},
    )


def _columns(rows: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """Return the sum of each column."""
    if len(set(map(len, rows))) > 1:
        raise ValueError("contributions of different scales do not add")
    return tuple(map(sum, zip(*rows, strict=True)))


# --- from votes
def contributions_of(
    items: npt.ArrayLike,
    raters: npt.ArrayLike,
    codes: npt.ArrayLike,
    n_categories: int,
    times: npt.ArrayLike | None = None,
) -> Contributions:
    """Return contributions by ascending rater id, from parallel arrays with one entry per vote; code -1 is missing.

    `times` are the durations of the answers, in any unit; 0 is unknown.
    """
    votes = numbered_votes(items, raters, codes, n_categories)
    own = MajorityTables.of(votes)
    majorities = np.column_stack([own.tables.reshape(-1, n_categories**2), own.tied, own.alone])
    sums = _sums_by_votes(votes)
    paces = {} if times is None else _paces(votes.item, votes.rater, np.asarray(times, float)[votes.given])
    return {
        found: Contribution(tuple(majorities[at].tolist()), sums.get(at, {}), paces.get(at, {}))
        for at, found in enumerate(votes.raters.tolist())
    }


def _sums_by_votes(votes: NumberedVotes) -> dict[int, dict[int, tuple[int, ...]]]:
    """Return {rater: {votes on the item: sums}}."""
    item, rater, what, tallies = votes.item, votes.rater, votes.code, votes.tallies
    size = tallies.sum(axis=1)
    width = int(size.max(initial=0)) + 1
    groups, group = np.unique(rater * width + size[item], return_inverse=True)
    n, k = len(groups), tallies.shape[1]
    sums = np.zeros((n, 2 * k + 2), np.int64)
    sums[:, :k] = np.bincount(group * k + what, minlength=n * k).reshape(n, k)
    for category in range(k):
        sums[:, k + category] = np.bincount(group, tallies[item, category], n)
    sums[:, 2 * k] = np.bincount(group, (tallies * (tallies - 1)).sum(axis=1)[item], n)
    sums[:, 2 * k + 1] = np.bincount(group, tallies[item, what] - 1, n)
    found: dict[int, dict[int, tuple[int, ...]]] = {}
    for key, row in zip(groups.tolist(), sums.tolist(), strict=True):
        found.setdefault(key // width, {})[key % width] = tuple(row)
    return found


def _paces(item: IntArray, rater: IntArray, times: FloatArray) -> dict[int, dict[int, int]]:
    """Return {rater: {step: items}}, only for items with the time of somebody else to compare with."""
    usable: BoolArray = np.isfinite(times) & (times > 0)
    usable &= np.bincount(item[usable], minlength=int(item.max(initial=-1)) + 1)[item] > 1
    if not usable.any():
        return {}
    logs = np.log(np.where(usable, times, 1.0))
    excess = (logs - group_medians(item, logs, usable))[usable]
    steps = np.clip(np.rint(excess / PACE_STEP), -WIDEST_PACE, WIDEST_PACE).astype(np.int64) + WIDEST_PACE
    width = 2 * WIDEST_PACE + 1
    keys, counts = np.unique(rater[usable] * width + steps, return_counts=True)
    found: dict[int, dict[int, int]] = {}
    for key, count in zip(keys.tolist(), counts.tolist(), strict=True):
        found.setdefault(key // width, {})[key % width - WIDEST_PACE] = count
    return found


# --- to results
def majority_tables(found: Contributions, n_categories: int) -> MajorityTables:
    """Return the tables that :meth:`MajorityTables.from_votes` would make from the votes."""
    k = n_categories
    rows = np.array([each.majority for each in found.values()], np.int64).reshape(len(found), k * k + 2)
    raters = np.array(list(found), np.int64)
    return MajorityTables(raters, rows[:, : k * k].reshape(-1, k, k), rows[:, k * k], rows[:, k * k + 1])


def without_each(found: Contributions, histogram: Histogram, mirror: Sequence[int] | None = None) -> list[WithoutRater]:
    """Return Fleiss kappa without each annotator: :func:`measures.leave_one_out.leave_one_out` without intervals.

    Parameters
    ----------
    found : Contributions
        Of all annotators who voted on the items of `histogram`.
    histogram : Histogram
        All items, including those that an annotator has not rated.
    mirror : sequence of int, optional
        Chance is that of the answers in both orders, see :meth:`Histogram.in_both_orders`.
    """
    k = histogram.n_categories
    whole = histogram.counts @ features(histogram.patterns)
    rest = np.repeat(np.array(whole, float)[None, :], len(found), axis=0)
    for size, (places, sums) in _by_size(found).items():
        rest[places] += _without_one_vote(size, sums, k) - _with_all_votes(size, sums, k)
    # The difference of equal sums leaves only rounding errors.
    rest[np.abs(rest) < 1e-9] = 0.0
    before = float(kappa_of_sums(np.array(whole, float)[None, :], mirror)[0]), float(whole[1])
    effects = []
    kappas = kappa_of_sums(rest, mirror).tolist()
    for (rater, mine), *after in zip(found.items(), kappas, rest[:, 1].tolist(), strict=True):
        n_votes, n_alone = sum(mine.majority), sum(mine.by_votes.get(1, ())[:k])
        effects.append(WithoutRater.of(rater, before, (after[0], after[1]), n_votes - n_alone, n_votes))
    return effects


def _by_size(found: Contributions) -> dict[int, tuple[IntArray, FloatArray]]:
    """Return {votes on an item: (places of annotators with such items, (annotators, 2 K + 2) sums)}."""
    parts: dict[int, list[tuple[int, tuple[int, ...]]]] = {}
    for place, each in enumerate(found.values()):
        for size, sums in each.by_votes.items():
            parts.setdefault(size, []).append((place, sums))
    return {
        size: (np.array([place for place, _ in parts[size]]), np.array([sums for _, sums in parts[size]], float))
        for size in sorted(parts)
    }


def _with_all_votes(size: int, sums: FloatArray, k: int) -> FloatArray:
    """Return (annotators, K + 3) parts of the items in the sums of :func:`measures.leave_one_out.features`."""
    n = sums[:, :k].sum(axis=1)
    agreeing, paired = (sums[:, 2 * k] / (size * (size - 1)), n) if size > 1 else (0 * n, 0 * n)
    return np.column_stack([agreeing, paired, n, sums[:, k : 2 * k] / size])


def _without_one_vote(size: int, sums: FloatArray, k: int) -> FloatArray:
    """Return the same without the annotator's votes; an item without other votes is dropped."""
    n, left = sums[:, :k].sum(axis=1), size - 1
    if not left:
        return np.zeros((len(sums), k + 3))
    agreeing, paired = 0 * n, 0 * n
    if left > 1:
        agreeing, paired = (sums[:, 2 * k] - 2 * sums[:, 2 * k + 1]) / (left * (left - 1)), n
    return np.column_stack([agreeing, paired, n, (sums[:, k : 2 * k] - sums[:, :k]) / left])


def speeds(found: Contributions, *, fewest_items: int = FEWEST_ITEMS_TO_FLAG) -> list[Speed]:
    """Return :func:`measures.behaviour.speed_scores` to within a step of 5%.

    A flag must also hold with Benjamini-Hochberg over the annotators, as in :func:`measures.contributors.flags`:
    with seven equally fast annotators, one is beyond z = -3 in one of seven studies.
    """
    scores = [_pace(each) for each in found.values()]
    enough = [score.n_items >= max(fewest_items, FEWEST_ITEMS_TO_FLAG) for score in scores]
    z = robust_scores([score.value if ok else None for score, ok in zip(scores, enough, strict=True)]).scores
    p_values = adjusted(outlier_p_values(z))
    return [
        Speed(rater, score, one, is_outlier(one) and (p or 0) <= FALSE_DISCOVERY_RATE)
        for rater, score, one, p in zip(found, scores, z, p_values, strict=True)
    ]


def _pace(mine: Contribution) -> Estimate:
    n = sum(mine.paces.values())
    left_out = sum(mine.majority) - n
    if not n:
        return Estimate(None, TOO_FEW_ITEMS, n_left_out=left_out)
    return Estimate(_median_step(mine.paces, n) * PACE_STEP, n_items=n, n_left_out=left_out)


def _median_step(paces: Mapping[int, int], n: int) -> float:
    """Return the median of grouped data, spread evenly within a step: whole steps would tie, and ties have no spread.

    If half of the items are up to one step and half from a later one on, it is the middle of the two.
    """
    steps, below = sorted(paces), 0
    for place, step in enumerate(steps):
        up_to = below + paces[step]
        if 2 * up_to == n:
            return (step + steps[place + 1]) / 2
        if 2 * up_to > n:
            return step - 0.5 + (n / 2 - below) / paces[step]
        below = up_to
    raise ValueError("a median needs items")
