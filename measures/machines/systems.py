"""Compare the orders in which people and a judge put the sources, and find the items that they differ on most.

Sources: Kendall 1945, Biometrika 33:239 (tau-b, which takes ties into account); Deutsch, Foster & Freitag 2023, Ties
Matter, EMNLP 2023:12914 (pairwise accuracy: a tie of both is right, a tie of one is wrong); Davison & Hinkley 1997,
Bootstrap Methods, sec. 3.8.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from measures.arrays import BoolArray, FloatArray, IntArray, divide_or_nan
from measures.clusters import drawn_groups
from measures.estimate import NO_SPREAD, NO_VARIATION, TOO_FEW_ITEMS, Estimate
from measures.intervals import Interval, Kernel, interval_guard, interval_of_counts
from measures.machines.ceiling import NOMINAL
from measures.machines.judged import Judged
from measures.machines.powered import Part

TOO_FEW_SOURCES = "too_few_sources"
N_RESAMPLES = 2000
FEWEST_RESAMPLES = 400
# Draws of conversations times resamples; beyond, fewer resamples are drawn.
MOST_DRAWN = 40_000_000


@dataclass(frozen=True, eq=False)
class Systems:
    """Means of the sources by people, on the items that they rated, and by the judge, on all.

    `n_items` of the estimates counts the sources.
    """

    people: FloatArray
    judge: FloatArray
    kendall: Estimate
    pairwise_accuracy: Estimate


@dataclass(frozen=True, slots=True)
class ItemGap:
    """The distance of people from the judge on an item: `gap` is the share of votes that differ, or |mean - judge|.

    `spread` says how far people are from each other: the share of votes that differ from the most frequent label, or
    their standard deviation (n).
    """

    item: int
    gap: float
    spread: float
    n_votes: int


def compare_systems(part: Part, source: IntArray, n_sources: int, *, seed: int = 0) -> Systems:
    """Compare the order of the sources by people with that by the judge.

    Parameters
    ----------
    part : Part
    source : (I,) int array
        0..S-1.
    n_sources : int
    seed : int

    Returns
    -------
    Systems
        A mean is NaN for a source without items, and the source is left out. Undefined: 'too_few_sources' below two
        sources; tau also if one side ties all sources ('no_variation'). Percentile intervals of 2,000 bootstraps over
        conversations, which keep all items of a conversation together; none with fewer than 10, and none
        ('no_spread') if all or nearly all of them give the same value.
    """
    sums, counts = _by_cluster(part, source, n_sources)
    kernels: dict[str, Kernel] = {"kendall": _kernel(sums, _tau), "pairwise": _kernel(sums, _accuracy)}
    people, judge = _means(sums.sum(axis=0)[None])
    known = ~np.isnan(people[0] + judge[0])
    found = {name: _estimate(kernel, counts, known, seed) for name, kernel in kernels.items()}
    return Systems(people[0], judge[0], found["kendall"], found["pairwise"])


def _by_cluster(part: Part, source: IntArray, n_sources: int) -> tuple[FloatArray, IntArray]:
    """Return (C, 4 * S) sums and numbers of items by source, of people and of the judge, and (C,) ones."""
    cluster = np.unique(part.cluster, return_inverse=True)[1]
    n = int(cluster.max(initial=-1)) + 1
    cell = cluster * n_sources + source
    scores = np.where(part.labelled, part.human, 0.0)
    rows = [np.bincount(cell, each, n * n_sources).reshape(n, n_sources)
            for each in (scores, part.labelled, part.judge, np.ones(len(cell)))]  # fmt: skip
    return np.hstack(rows), np.ones(n, np.int64)


def _means(sums: FloatArray) -> tuple[FloatArray, FloatArray]:
    of_people, n_people, of_judge, n_judge = np.split(sums, 4, axis=1)
    return divide_or_nan(of_people, n_people), divide_or_nan(of_judge, n_judge)


def _signs(means: FloatArray) -> FloatArray:
    """Return (B, P) signs of the differences of all pairs; differences that are rounding errors are ties."""
    first, second = np.triu_indices(means.shape[1], 1)
    difference = means[:, first] - means[:, second]
    return np.where(np.abs(difference) < 1e-12, 0.0, np.sign(difference))


def _tau(people: FloatArray, judge: FloatArray) -> FloatArray:
    a, b = _signs(people), _signs(judge)
    return divide_or_nan((a * b).sum(axis=1), np.sqrt((a**2).sum(axis=1) * (b**2).sum(axis=1)))


def _accuracy(people: FloatArray, judge: FloatArray) -> FloatArray:
    a, b = _signs(people), _signs(judge)
    return np.where(np.isnan(a + b).any(axis=1), np.nan, (a == b).mean(axis=1)) if a.size else np.full(len(a), np.nan)


def _kernel(sums: FloatArray, of_means: Callable[[FloatArray, FloatArray], FloatArray]) -> Kernel:
    """Return a value of numbers of conversations; sources without any item at all are left out of it."""
    n_sources = sums.shape[1] // 4
    of_people, of_judge = (sums.sum(axis=0)[at * n_sources : (at + 1) * n_sources] > 0 for at in (1, 3))
    known = of_people & of_judge

    def kernel(counts: FloatArray) -> FloatArray:
        people, judge = _means(counts @ sums)
        return np.asarray(of_means(people[:, known], judge[:, known]), float)

    return kernel


def _estimate(kernel: Kernel, counts: IntArray, known: BoolArray, seed: int) -> Estimate:
    n = int(known.sum())
    if n < 2:
        return Estimate(None, TOO_FEW_SOURCES, n_items=n)
    value = float(kernel(counts[None].astype(float))[0])
    if np.isnan(value):
        return Estimate(None, NO_VARIATION, n_items=n)
    show, word = interval_guard(len(counts))
    limits = _limits(kernel, counts, seed) if show else Interval(None, None, TOO_FEW_ITEMS)
    return Estimate(value, n_items=n).with_interval(limits.low, limits.high, limits.note or word)


def _limits(kernel: Kernel, counts: IntArray, seed: int) -> Interval:
    n_drawn = min(N_RESAMPLES, max(FEWEST_RESAMPLES, MOST_DRAWN // len(counts)))
    found = interval_of_counts(counts, kernel, draw=drawn_groups, seed=seed, n_resamples=n_drawn, method="percentile")
    # Few resamples that differ leave both ends at the value: an interval without width promises too much.
    has_width = found.low is None or found.high is None or found.high - found.low > 1e-12
    return found if has_width else Interval(None, None, NO_SPREAD, found.n_dropped)


def widest_gaps(judged: Judged, scale: str, most: int | None = None) -> list[ItemGap]:
    """Return the items on which people and the judge differ, the widest gap first.

    Among equal gaps, those come first about which people agree with each other, then those with more votes. Items
    without votes, without an answer of the judge or without a gap are not in it.
    """
    votes, said = judged.votes_per_item, ~np.isnan(judged.judge)
    rated = judged.some((votes > 0) & said)
    names = np.flatnonzero((votes > 0) & said)
    gap, spread = (_label_gaps if scale == NOMINAL else _number_gaps)(rated)
    n = rated.votes_per_item
    # Rounding errors must not decide between equal gaps.
    order = np.lexsort((names, -n, spread.round(9), -gap.round(9)))
    order = order[gap[order] > 1e-12][:most]
    return [ItemGap(int(names[at]), float(gap[at]), float(spread[at]), int(n[at])) for at in order]


def _label_gaps(rated: Judged) -> tuple[FloatArray, FloatArray]:
    n = np.maximum(rated.votes_per_item, 1)
    pairs, counts = np.unique(np.column_stack([rated.item, rated.value]), axis=0, return_counts=True)
    largest = np.zeros(rated.n_items)
    np.maximum.at(largest, pairs[:, 0].astype(np.int64), counts)
    return 1 - rated.per_item(rated.value == rated.judge[rated.item]) / n, 1 - largest / n


def _number_gaps(rated: Judged) -> tuple[FloatArray, FloatArray]:
    means = rated.means()
    squares = rated.per_item((rated.value - means[rated.item]) ** 2)
    return np.abs(means - rated.judge), np.sqrt(squares / np.maximum(rated.votes_per_item, 1))
