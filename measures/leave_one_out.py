"""Agreement without one annotator: an effect to show ("without X: .31 to .42"), not a detector.

Source: project statistics, sections 2.3 and 4.1; Fleiss kappa in the 'gwet' convention of
:mod:`measures.agreement`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np
import numpy.typing as npt

from measures.agreement import pair_agreement
from measures.arrays import FloatArray, IntArray, divide_or_nan, divide_or_zero, mean_of_orders, unless_rounding
from measures.estimate import NO_PAIRS, NO_VARIATION, Estimate
from measures.histograms import Histogram
from measures.intervals import Kernel, Resampling, guarded, interval_of_counts
from measures.votes import numbered_votes

Measured = tuple[float, float]  # kappa, NaN if it is undefined, and the number of items with two ratings or more


@dataclass(frozen=True, slots=True)
class WithoutRater:
    """Fleiss kappa without one annotator.

    Attributes
    ----------
    rater : int
    delta : Estimate
        kappa(without the annotator's ratings) - kappa(all): positive if agreement is better without. `n_items`:
        rated by the annotator and others; `n_left_out`: rated by nobody else; `n_ratings`: the annotator's own.
    kappa_all, kappa_without : float or None
    """

    rater: int
    delta: Estimate
    kappa_all: float | None
    kappa_without: float | None

    @classmethod
    def of(cls, rater: int, before: Measured, after: Measured, n_shared: int, n_votes: int) -> "WithoutRater":
        """Compare two kappas; `n_shared` of the rater's `n_votes` are on items that others rated too."""
        problem = next((NO_VARIATION if n else NO_PAIRS for kappa, n in (before, after) if math.isnan(kappa)), None)
        value = None if problem else after[0] - before[0]
        delta = Estimate(value, problem, n_items=n_shared, n_left_out=n_votes - n_shared, n_ratings=n_votes)
        return cls(rater, delta, *(None if math.isnan(kappa) else kappa for kappa, _ in (before, after)))


def leave_one_out(
    items: npt.ArrayLike,
    raters: npt.ArrayLike,
    codes: npt.ArrayLike,
    n_categories: int,
    mirror: Sequence[int] | None = None,
    **how: Unpack[Resampling],
) -> list[WithoutRater]:
    """Return Fleiss kappa without each annotator in turn, over all items of the cell.

    Parameters
    ----------
    items, raters, codes : parallel arrays, one entry per vote
        Code -1 is missing.
    n_categories : int
    mirror : sequence of int, optional
        Chance is that of the answers in both orders, see :meth:`Histogram.in_both_orders`.
    how
        For the item bootstrap, multinomial over (pattern, answer of the annotator); 0 resamples give no interval.

    Returns
    -------
    list of WithoutRater
        By ascending rater id. A delta is undefined when either kappa is: 'no_pairs' or 'no_variation'.
    """
    votes, k = numbered_votes(items, raters, codes, n_categories), n_categories
    patterns, kind, n_items = np.unique(votes.tallies, axis=0, return_inverse=True, return_counts=True)
    # Each rater's votes by pattern and own answer: (rater * P + pattern) * K + answer, ascending, and their number.
    keys, n_votes = np.unique(
        (votes.rater * len(patterns) + kind.ravel()[votes.item]) * k + votes.code, return_counts=True
    )
    starts = np.searchsorted(keys, np.arange(len(votes.raters) + 1) * patterns.size)
    before = features(patterns)
    after = features((patterns[:, None, :] - np.eye(k, dtype=np.int64)).reshape(-1, k))
    found = []
    for place, rater in enumerate(votes.raters.tolist()):
        own = slice(starts[place], starts[place + 1])
        combos, times = keys[own] - place * patterns.size, n_votes[own]
        rest = n_items - np.bincount(combos // k, times, len(n_items)).astype(np.int64)
        others = np.flatnonzero(rest)
        counts = np.concatenate([times, rest[others]])
        kept = np.concatenate([before[combos // k], before[others]])
        left = np.concatenate([after[combos], before[others]])
        sums = np.concatenate([counts[None, :] @ kept, counts[None, :] @ left])
        whole, without = zip(kappa_of_sums(sums, mirror).tolist(), sums[:, 1].tolist(), strict=True)
        result = WithoutRater.of(rater, whole, without, int(times @ kept[: len(times), 1]), int(times.sum()))
        if how.get("n_resamples", 1) and result.delta.value is not None:
            kernel = _difference(kept, left, mirror)
            limits = interval_of_counts(counts, kernel, **how)
            delta = result.delta.with_interval(limits.low, limits.high, limits.note)
            result = replace(result, delta=guarded(delta, Histogram(patterns, n_items).in_both_orders(mirror)))
        found.append(result)
    return found


def features(patterns: IntArray) -> FloatArray:
    """Return (P, K + 3) per pattern: agreeing share of pairs, has pairs, has votes, shares of the K answers."""
    agreeing, paired = pair_agreement(np.maximum(patterns, 0), np.eye(patterns.shape[1]))
    votes = patterns.sum(axis=1, keepdims=True).astype(float)
    return np.column_stack([agreeing, paired, votes[:, 0] > 0, divide_or_zero(patterns.astype(float), votes)])


def kappa_of_sums(sums: FloatArray, mirror: Sequence[int] | None = None) -> FloatArray:
    """Return (B,) Fleiss kappa from (B, K + 3) summed features; NaN where undefined.

    With `mirror`, chance is that of the answers in both orders, see :meth:`Histogram.in_both_orders`.
    """
    observed = divide_or_nan(sums[:, 0], sums[:, 1])
    shares = mean_of_orders(divide_or_nan(sums[:, 3:], sums[:, 2:3]), mirror)
    expected = (shares**2).sum(axis=1)
    return divide_or_nan(observed - expected, unless_rounding(1 - expected))


def _difference(before: FloatArray, after: FloatArray, mirror: Sequence[int] | None) -> Kernel:
    return lambda counts: kappa_of_sums(counts @ after, mirror) - kappa_of_sums(counts @ before, mirror)
