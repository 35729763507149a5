"""Differences of plain means with two-way clustered standard errors, beside the mixed model as a check.

Nothing is assumed of how ratings that share an annotator or a conversation go together. With few annotators, or very
unequal loads, these intervals are too narrow.

Source: Cameron, Gelbach & Miller 2011, J. Bus. Econ. Stat. 29:238 (variance, corrections G / (G - 1), t with the
smaller number of clusters less 1). The variance is at least that of either way of clustering alone.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from measures.arrays import FloatArray, IntArray
from measures.estimate import Estimate
from measures.intervals import t_interval
from measures.mixed.design import ANNOTATOR, CONVERSATION, Ratings, codes_of
from measures.two_way import floored

FEWEST_CLUSTERS = 20
UNBOUNDED = (-np.inf, np.inf)


@dataclass(frozen=True, slots=True)
class PlainDifference:
    """The first source's plain mean less the second's: every rating has the same weight."""

    first: int
    second: int
    estimate: Estimate
    degrees_of_freedom: int


def plain_differences(
    ratings: Ratings, *, level: float = 0.95, bounds: tuple[float, float] = UNBOUNDED
) -> tuple[PlainDifference, ...]:
    """Return all differences of plain means; none with fewer than 20 annotators or conversations.

    `bounds` are the ends of the scale: intervals end at the largest possible difference.
    """
    n_clusters = min(ratings.n_groups(ANNOTATOR), ratings.n_groups(CONVERSATION))
    if n_clusters < FEWEST_CLUSTERS:
        return ()
    counts = np.bincount(ratings.source)
    means = np.bincount(ratings.source, ratings.value) / counts
    influence = (ratings.value - means[ratings.source]) / counts[ratings.source]
    annotator, conversation = ratings.groups[ANNOTATOR], ratings.groups[CONVERSATION]
    ways = [_of_clusters(groups, ratings.source, influence) for groups in (annotator, conversation)]
    both = _of_clusters(codes_of(annotator, conversation), ratings.source, influence)

    widest = (bounds[0] - bounds[1], bounds[1] - bounds[0])

    def of_pair(first: int, second: int) -> PlainDifference:
        parts = [_of_difference(each, first, second) for each in (*ways, -both)]
        variance = float(floored(np.array(parts)[:, None])[0])
        value = float(means[first] - means[second])
        estimate = Estimate(value, n_ratings=int(counts[first] + counts[second]), standard_error=variance**0.5)
        return PlainDifference(first, second, t_interval(estimate, n_clusters - 1, level, widest), n_clusters - 1)

    return tuple(of_pair(*pair) for pair in combinations(range(len(counts)), 2))


def _of_clusters(group: IntArray, source: IntArray, influence: FloatArray) -> FloatArray:
    """Return the covariance of the means from sums over clusters."""
    from scipy.sparse import coo_array

    n = int(group.max()) + 1
    sums = coo_array((influence, (group, source)), shape=(n, int(source.max()) + 1)).tocsr()
    covariance: FloatArray = (sums.T @ sums).toarray() * (n / (n - 1))
    return covariance


def _of_difference(covariance: FloatArray, first: int, second: int) -> float:
    return float(covariance[first, first] + covariance[second, second] - 2 * covariance[first, second])
