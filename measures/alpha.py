"""Krippendorff's alpha: nominal, ordinal, interval and ratio, from pattern histograms.

Items with fewer than two ratings are dropped everywhere, each remaining item with r ratings gives its r (r - 1)
ordered pairs with weight 1 / (r - 1), and the expectation is drawn without replacement (n - 1), also for complete
data.

Sources: Krippendorff 2011, Computing Krippendorff's Alpha-Reliability; Hayes & Krippendorff 2007, Commun.
Methods Measures 1:77.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Unpack

import numpy as np

from measures.arrays import FloatArray, IntArray, divide_or_nan, divide_or_zero
from measures.estimate import NO_PAIRS, NO_VARIATION, Estimate
from measures.histograms import Histogram
from measures.intervals import Kernel, Resampling, bootstrap_interval
from measures.weights import ALPHA_LEVELS, alpha_distances, scale_values


def alpha_kernel(
    patterns: IntArray, scale: str = "nominal", values: Sequence[float] | FloatArray | None = None
) -> Kernel:
    """Return vectorised alpha: (B, P) items per pattern -> (B,), NaN for no pairs or a single category in use.

    Parameters
    ----------
    patterns : (P, K) int array
    scale : {'nominal', 'ordinal', 'interval', 'ratio'}
    values : K floats, optional
        Declared values, used by interval and ratio (default 0..K-1).
    """
    if scale not in ALPHA_LEVELS:
        raise ValueError(f"alpha levels are {', '.join(ALPHA_LEVELS)}, not {scale!r}")
    tallies = patterns.astype(float)
    votes = tallies.sum(axis=1)
    tallies = np.where(votes[:, None] >= 2, tallies, 0.0)
    per_vote = divide_or_zero(np.ones(len(votes)), votes - 1)
    if scale == "ordinal":
        return _ordinal_kernel(tallies, per_vote)
    numbers = scale_values(patterns.shape[1], None if values is None else list(values))
    return _fixed_distance_kernel(tallies, per_vote, alpha_distances(scale, numbers))


def _fixed_distance_kernel(tallies: FloatArray, per_vote: FloatArray, distances: FloatArray) -> Kernel:
    """Return alpha = 1 - (n - 1) sum_ck o_ck d_ck / sum_ck n_c n_k d_ck for distances that are known in advance."""
    disagreement = per_vote * ((tallies @ distances) * tallies).sum(axis=1)

    def kernel(counts: FloatArray) -> FloatArray:
        used = counts @ tallies
        expected = ((used @ distances) * used).sum(axis=1)
        return _alpha(counts @ disagreement, expected, used)

    return kernel


def _ordinal_kernel(tallies: FloatArray, per_vote: FloatArray) -> Kernel:
    """Return alpha for Krippendorff's ordinal distance, the squared difference of mid-ranks.

    Mid-ranks change with every resample. (sum of n_g from c to k, minus (n_c + n_k) / 2) is midrank_k - midrank_c,
    so the double sums over categories become sums of squares and nothing of size K x K is built.
    """
    size_weighted = tallies * (per_vote * tallies.sum(axis=1))[:, None]

    def kernel(counts: FloatArray) -> FloatArray:
        used = counts @ tallies
        n = used.sum(axis=1, keepdims=True)
        ranks = np.cumsum(used, axis=1) - used / 2 - n / 2
        item_rank_sums = ranks @ tallies.T
        observed = ((counts @ size_weighted) * ranks**2).sum(axis=1)
        observed -= (counts * per_vote * item_rank_sums**2).sum(axis=1)
        expected = n[:, 0] * (used * ranks**2).sum(axis=1) - (used * ranks).sum(axis=1) ** 2
        return _alpha(observed, expected, used)

    return kernel


def _alpha(observed: FloatArray, expected: FloatArray, used: FloatArray) -> FloatArray:
    n = used.sum(axis=1)
    varied = (used > 0).sum(axis=1) > 1
    return np.asarray(1 - (n - 1) * divide_or_nan(observed, np.where(varied, expected, 0.0)))


def krippendorff_alpha(
    histogram: Histogram, scale: str = "nominal", values: Sequence[float] | FloatArray | None = None
) -> Estimate:
    """Krippendorff's alpha, without an interval.

    Undefined: 'no_pairs' without an item rated twice; 'no_variation' when the items rated twice or more use
    a single category. Unused categories have no effect.
    """
    paired = histogram.where(histogram.votes >= 2)
    kernel = alpha_kernel(paired.patterns, scale, values)
    if not paired.n_items:
        return Estimate(None, NO_PAIRS, **histogram.sizes)
    value = float(kernel(paired.counts[None, :].astype(float))[0])
    is_known = not np.isnan(value)
    return Estimate(value if is_known else None, None if is_known else NO_VARIATION, **histogram.sizes)


def krippendorff_alpha_with_interval(
    histogram: Histogram,
    scale: str = "nominal",
    values: Sequence[float] | FloatArray | None = None,
    **how: Unpack[Resampling],
) -> Estimate:
    """Alpha with an item bootstrap interval over patterns; see :func:`measures.intervals.bootstrap_interval`."""
    estimate = krippendorff_alpha(histogram, scale, values)
    if estimate.value is None:
        return estimate
    paired = histogram.where(histogram.votes >= 2)
    interval = bootstrap_interval(paired, lambda patterns: alpha_kernel(patterns, scale, values), **how)
    return replace(estimate, low=interval.low, high=interval.high, interval_note=interval.note)
