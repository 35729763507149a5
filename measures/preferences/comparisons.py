"""Comparisons as arrays, which sources they connect, and the counts of each pair."""

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from measures.arrays import BoolArray, FloatArray, IntArray

RIGHT, TIE, LEFT, BOTH_BAD = -1, 0, 1, 2


@dataclass(frozen=True, eq=False)
class Comparisons:
    """Answers to comparisons.

    Attributes
    ----------
    n_sources : int
    left, right : (n,) int arrays
        The sources from 0 that stood on each side, never the same one.
    outcome : (n,) int array
        1 if the left source is preferred, -1 for the right one, 0 for a tie, 2 if both are bad.
    annotator, cluster : (n,) int arrays
        Who answered, and the conversation that the pair belongs to.
    is_sided : (n,) bool array
        False where nobody knows which source stood on the left, so that `left` and `right` are an order only.
    covariates : (n, C) float array
        Left minus right, for example the difference in length; 0 is a pair without a difference.
    """

    n_sources: int
    left: IntArray
    right: IntArray
    outcome: IntArray
    annotator: IntArray
    cluster: IntArray
    is_sided: BoolArray
    covariates: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))

    def __post_init__(self) -> None:
        if (self.left == self.right).any():
            raise ValueError("a source is compared with itself")
        if not np.isin(self.outcome, (RIGHT, TIE, LEFT, BOTH_BAD)).all():
            raise ValueError("an outcome is 1 (left), -1 (right), 0 (tie) or 2 (both bad)")
        if not np.isfinite(self.covariates).all():
            raise ValueError("a covariate is neither NaN nor infinite")

    @classmethod
    def of(
        cls,
        n_sources: int,
        left: npt.ArrayLike,
        right: npt.ArrayLike,
        outcome: npt.ArrayLike,
        *,
        annotator: npt.ArrayLike,
        cluster: npt.ArrayLike | None = None,
        is_sided: npt.ArrayLike | None = None,
        covariates: npt.ArrayLike | None = None,
    ) -> "Comparisons":
        """Make comparisons from sequences. Without `cluster` each is a conversation of its own."""
        n = len(np.asarray(outcome))
        return cls(
            n_sources,
            np.asarray(left, np.int64),
            np.asarray(right, np.int64),
            np.asarray(outcome, np.int64),
            np.asarray(annotator, np.int64),
            np.arange(n) if cluster is None else np.asarray(cluster, np.int64),
            np.ones(n, bool) if is_sided is None else np.asarray(is_sided, bool),
            np.zeros((n, 0)) if covariates is None else np.asarray(covariates, float).reshape(n, -1),
        )

    def __len__(self) -> int:
        return len(self.outcome)

    def where(self, kept: BoolArray) -> "Comparisons":
        return Comparisons(
            self.n_sources,
            self.left[kept],
            self.right[kept],
            self.outcome[kept],
            self.annotator[kept],
            self.cluster[kept],
            self.is_sided[kept],
            self.covariates[kept],
        )

    def with_covariates(self, covariates: FloatArray) -> "Comparisons":
        return replace(self, covariates=covariates.reshape(len(self), -1))

    def among(self, sources: IntArray) -> "Comparisons":
        """Return the comparisons of these sources with each other, numbered in this order."""
        place = np.full(self.n_sources, -1)
        place[sources] = np.arange(len(sources))
        kept = self.where((place[self.left] >= 0) & (place[self.right] >= 0))
        return Comparisons(
            len(sources),
            place[kept.left],
            place[kept.right],
            kept.outcome,
            kept.annotator,
            kept.cluster,
            kept.is_sided,
            kept.covariates,
        )

    def counts(self) -> "PairCounts":
        shape = (self.n_sources, self.n_sources)
        preferred, tied, both_bad = np.zeros(shape, np.int64), np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        is_left, is_right = self.outcome == LEFT, self.outcome == RIGHT
        np.add.at(preferred, (self.left[is_left], self.right[is_left]), 1)
        np.add.at(preferred, (self.right[is_right], self.left[is_right]), 1)
        for table, outcome in ((tied, TIE), (both_bad, BOTH_BAD)):
            mine = self.outcome == outcome
            np.add.at(table, (self.left[mine], self.right[mine]), 1)
            np.add.at(table, (self.right[mine], self.left[mine]), 1)
        return PairCounts(preferred, tied, both_bad)


@dataclass(frozen=True, eq=False)
class PairCounts:
    """Counts by pair of sources, whichever side they stood on.

    Attributes
    ----------
    preferred : (S, S) int array
        How often the source of the row was preferred to that of the column.
    tied, both_bad : (S, S) symmetric int arrays
    """

    preferred: IntArray
    tied: IntArray
    both_bad: IntArray

    def is_one_way(self, a: int, b: int) -> bool:
        """Return whether all answers about a pair prefer the same source; without an answer, none does."""
        n = self.compared[a, b]
        return bool(n and n in (self.preferred[a, b], self.preferred[b, a]))

    @property
    def compared(self) -> IntArray:
        """Return (S, S) how many answers the model uses: all but those that call both bad."""
        return self.preferred + self.preferred.T + self.tied

    def components(self) -> IntArray:
        """Return for each source the number of its group; strengths exist within a group and not between groups.

        From a source of a group a chain of answers leads to every other one and back, each a preference or a tie
        (Ford 1957). If a group has never lost to the rest, the difference between the two has no upper bound.
        """
        from scipy.sparse.csgraph import connected_components

        edges = self.preferred + self.tied
        found: IntArray = connected_components(edges > 0, directed=True, connection="strong")[1].astype(np.int64)
        return found

    def circular_triads(self) -> list[tuple[int, int, int]]:
        """Return the triples (a, b, c) where a is preferred to b, b to c and c to a, each by more than half.

        Ties count half for each source (Kendall & Babington Smith 1940). `a` is the smallest number of the three.
        """
        beats = self.preferred > self.preferred.T
        return [
            (a, b, int(c))
            for a, b in np.argwhere(beats).tolist()
            for c in np.flatnonzero(beats[b] & beats[:, a])
            if a < b and a < c
        ]
