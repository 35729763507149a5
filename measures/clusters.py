"""Bootstrap for items in groups: the answers of several systems to one dialogue are not independent.

Whole dialogues are drawn with replacement. Dialogues with the same patterns are one kind, and a resample
is the number drawn of each kind.

Source: project statistics, section 3.1; Davison & Hinkley 1997, Bootstrap Methods, sec. 3.8.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from measures.arrays import FloatArray, IntArray
from measures.estimate import TOO_FEW_ITEMS
from measures.histograms import Histogram, ordered_keys, positions_of
from measures.intervals import (
    CELLS_PER_BLOCK,
    Interval,
    Kernel,
    KernelMaker,
    Resampling,
    intervals_of_counts,
    multinomial_counts,
    together,
)

# A multinomial draw costs about this many times as much per kind as the draw of one dialogue.
MULTINOMIAL_COST = 12


@dataclass(frozen=True, eq=False)
class Clusters:
    """Groups of items by their patterns.

    Attributes
    ----------
    histogram : Histogram
        All items.
    contents : (T, P) sparse array
        Items per pattern in each kind of group.
    counts : (T,) int array
        Groups of each kind.
    """

    histogram: Histogram
    contents: Any
    counts: IntArray

    @classmethod
    def from_tallies(cls, groups: npt.ArrayLike, tallies: npt.ArrayLike) -> "Clusters":
        """Make clusters from (items,) group ids, for example dialogues, and (items, K) votes per category.

        Items without votes are dropped; a group counts if one of its items has a vote.
        """
        from scipy.sparse import csr_array

        rows = np.asarray(tallies, np.int64)
        voted = rows.sum(axis=1) > 0
        histogram = Histogram.from_tallies(rows)
        pattern = np.unique(ordered_keys(rows[voted]), return_inverse=True)[1]
        group = np.unique(positions_of(np.asarray(groups))[voted], return_inverse=True)[1]
        shape = int(group.max(initial=-1)) + 1, len(histogram.counts)
        per_group = csr_array((np.ones(len(group)), (group, pattern)), shape=shape)
        per_group.sum_duplicates()
        first, counts = _kinds(per_group)
        return cls(histogram, per_group[first], counts)

    @property
    def n_groups(self) -> int:
        return int(self.counts.sum())

    def kernel(self, of_patterns: Kernel) -> Kernel:
        """Return one or several coefficients as a function of groups per kind, computed in blocks to limit memory."""
        columns = self.contents.T.tocsr()
        if math.prod(columns.shape) <= CELLS_PER_BLOCK:  # sums of whole numbers are exact either way
            columns = columns.toarray()
        size = max(1, CELLS_PER_BLOCK // max(1, len(self.histogram.counts)))

        def of_groups(counts: FloatArray) -> FloatArray:
            parts = [counts[start : start + size] for start in range(0, len(counts), size)]
            return np.concatenate([of_patterns(np.asarray(columns @ part.T).T) for part in parts])

        return of_groups


def _kinds(per_group: Any) -> tuple[IntArray, IntArray]:
    """Return the first group of each kind and the number of its groups; kinds are in order of their first group."""
    found: dict[bytes, int] = {}
    place = np.empty(per_group.shape[0], np.int64)
    ends = per_group.indptr
    columns, times = per_group.indices.astype(np.int32), per_group.data.astype(np.int32)
    for row in range(len(place)):
        part = slice(ends[row], ends[row + 1])
        place[row] = found.setdefault(columns[part].tobytes() + times[part].tobytes(), len(found))
    first, counts = np.unique(place, return_index=True, return_counts=True)[1:]
    return first, counts


def cluster_bootstrap_intervals(
    clusters: Clusters, kernel_makers: Sequence[KernelMaker], **how: Unpack[Resampling]
) -> list[Interval]:
    """Bootstrap interval of each coefficient of pooled items, resampling whole groups; all share the same resamples.

    Parameters and notes are those of :func:`measures.intervals.bootstrap_interval`. BCa leaves out one group at a
    time; beyond 4,000 kinds of groups, percentile is used. Guards for small samples must count groups, not items:
    ``interval_guard(clusters.n_groups, ...)``.
    """
    if clusters.n_groups < 2:
        return [Interval(None, None, TOO_FEW_ITEMS) for _ in kernel_makers]
    patterns = clusters.histogram.patterns
    kernel = clusters.kernel(together([maker(patterns) for maker in kernel_makers]))
    return intervals_of_counts(clusters.counts, kernel, draw=drawn_groups, **how)


def drawn_groups(counts: IntArray, n_resamples: int, rng: np.random.Generator) -> IntArray:
    """Draw (n_resamples, T) groups per kind: multinomial for few kinds, one draw per group for many."""
    n, kinds = int(counts.sum()), len(counts)
    if kinds * MULTINOMIAL_COST < n:
        return multinomial_counts(counts, n_resamples, rng)
    kind = np.repeat(np.arange(kinds), counts)
    found = np.empty((n_resamples, kinds), np.int64)
    size = max(1, CELLS_PER_BLOCK // (10 * max(n, kinds)))  # larger blocks fall out of the cache
    for start in range(0, n_resamples, size):
        rows = found[start : start + size]
        drawn = kind[rng.integers(0, n, (len(rows), n))] + np.arange(len(rows))[:, None] * kinds
        rows[:] = np.bincount(drawn.ravel(), minlength=rows.size).reshape(rows.shape)
    return found
