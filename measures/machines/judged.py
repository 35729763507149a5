"""The votes of people and the answers of a judge on the same items."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from measures.arrays import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Judged:
    """Votes of people, and one answer of the judge for each item.

    Attributes
    ----------
    item, annotator : (V,) int array
        Items are numbered 0..I-1.
    value : (V,) float array
        Numbers, or codes of labels; codes of a nominal scale are 0, 1, ...
    judge : (I,) float array
        In the same numbers or codes; NaN where the judge gave no answer. A label that people never gave has a code too.
    cluster : (I,) int array
        The conversation of each item.
    """

    item: IntArray
    annotator: IntArray
    value: FloatArray
    judge: FloatArray
    cluster: IntArray

    @classmethod
    def of(
        cls,
        item: npt.ArrayLike,
        annotator: npt.ArrayLike,
        value: npt.ArrayLike,
        judge: npt.ArrayLike,
        cluster: npt.ArrayLike | None = None,
    ) -> "Judged":
        """Make the arrays; without `cluster`, each item is a conversation of its own."""
        answers = np.asarray(judge, float)
        own = np.arange(len(answers)) if cluster is None else np.asarray(cluster, np.int64)
        votes = np.asarray(item, np.int64), np.asarray(annotator, np.int64), np.asarray(value, float)
        return cls(*votes, answers, own)

    @property
    def n_items(self) -> int:
        return len(self.judge)

    @property
    def votes_per_item(self) -> IntArray:
        return np.bincount(self.item, minlength=self.n_items)

    def per_item(self, of_votes: npt.ArrayLike) -> FloatArray:
        """Return (I,) sums over the votes of each item."""
        return np.asarray(np.bincount(self.item, np.asarray(of_votes, float), self.n_items), float)

    def means(self) -> FloatArray:
        """Return (I,) means of the votes, NaN without votes."""
        votes = self.votes_per_item
        return np.where(votes > 0, self.per_item(self.value) / np.maximum(votes, 1), np.nan)

    def some(self, chosen: BoolArray) -> "Judged":
        """Return the chosen items, numbered anew, with their votes."""
        place, kept = np.cumsum(chosen) - 1, chosen[self.item]
        votes = place[self.item[kept]], self.annotator[kept], self.value[kept]
        return Judged(*votes, self.judge[chosen], self.cluster[chosen])

    def rated_by(self, n: int) -> "Judged":
        """Return the items with so many votes or more and an answer of the judge."""
        return self.some((self.votes_per_item >= n) & ~np.isnan(self.judge))
