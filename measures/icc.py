"""Intraclass correlations: the share of the variance of single ratings that the rated items make up.

ICC(1) takes the annotators of each item for a sample of its own, ICC(A,1) and ICC(C,1) for people who rate many items:
A counts differences between annotators as disagreement, C leaves them out. Items need not have the same number of
ratings.

Sources: Shrout & Fleiss 1979, Psychol. Bull. 86:420 (ICC(1,1), ICC(2,1), ICC(3,1)); McGraw & Wong 1996, Psychol.
Methods 1:30 (the names used here); Searle, Casella & McCulloch 1992, Variance Components, sec. 3.6 (ANOVA estimators of
unbalanced data).
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from measures.arrays import FloatArray, IntArray, divide_or_nan
from measures.estimate import NO_PAIRS, NO_STANDARD_ERROR, NO_VARIATION, Estimate
from measures.intervals import Kernel
from measures.mixed.annotators import TooLarge
from measures.mixed.design import ANNOTATOR, CONVERSATION, Ratings
from measures.mixed.equations import Equations
from measures.mixed.fitting import fit
from measures.weights import scale_values

DIGITS = 6  # as far as the search for the variances is exact; the order of the ratings changes the ones behind
TOO_MANY_ANNOTATORS, NOT_CONVERGED = "too_many_annotators", "not_converged"


def icc_kernel(patterns: IntArray, values: Sequence[float] | None = None) -> Kernel:
    """Return vectorised ICC(1): (B, P) items per pattern -> (B,), NaN without pairs or without variation.

    (MSB - MSW) / (MSB + (n0 - 1) MSW), with n0 = (N - sum of n_i^2 / N) / (items - 1) ratings an item.

    Parameters
    ----------
    patterns : (P, K) int array
    values : K floats, optional
        Declared values of the answers (default 0..K-1).
    """
    numbers = scale_values(patterns.shape[1], values)
    numbers = numbers - numbers.mean()  # sums of squares lose digits far from 0
    tallies = patterns.astype(float)
    votes, sums, squares = tallies.sum(axis=1), tallies @ numbers, tallies @ numbers**2
    own = divide_or_nan(sums**2, votes)
    own[votes == 0] = 0.0
    per_pattern = np.stack([(votes > 0).astype(float), votes, votes**2, sums, squares, own], axis=1)

    def kernel(counts: FloatArray) -> FloatArray:
        items, n, n_squared, total, square, between = (counts @ per_pattern).T
        within = np.maximum(square - between, 0.0)
        mean_square = divide_or_nan(between - divide_or_nan(total**2, n), items - 1)
        residual = divide_or_nan(within, n - items)
        size = divide_or_nan(n - divide_or_nan(n_squared, n), items - 1)
        bottom = mean_square + (size - 1) * residual
        return divide_or_nan(mean_square - residual, np.where(bottom > 1e-12, bottom, 0.0))

    return kernel


def two_way_iccs(items: npt.ArrayLike, annotators: npt.ArrayLike, values: npt.ArrayLike) -> tuple[Estimate, Estimate]:
    """Return ICC(A,1) and ICC(C,1), without intervals.

    Parameters
    ----------
    items, annotators : (n,) arrays of ids
    values : (n,) float array
        One rating each; nobody rates an item twice.

    Notes
    -----
    The variances of items, annotators and the rest are those of a model with both as random effects (REML). For
    complete ratings these are the usual ones of the mean squares, unless one would be negative: it is 0 then.
    Undefined: 'no_pairs' without an item rated twice, or with one item or one annotator; 'no_variation' if all ratings
    are alike; 'too_many_annotators' and 'not_converged' where the model is not fitted.
    """
    item, who = (np.unique(np.asarray(each), return_inverse=True)[1].ravel() for each in (items, annotators))
    value = np.asarray(values, float)
    per_item = np.bincount(item)
    rated = int((per_item >= 2).sum())
    sizes: dict[str, Any] = {"n_items": rated, "n_left_out": len(per_item) - rated, "n_ratings": len(value)}
    if not rated or len(per_item) < 2 or who.max() < 1:
        return _twice(Estimate(None, NO_PAIRS, **sizes))
    if np.ptp(value) == 0:
        return _twice(Estimate(None, NO_VARIATION, **sizes))
    if (value == value[np.unique(item, return_index=True)[1]][item]).all():  # the model would have no residual
        return _twice(Estimate(1.0, interval_note=NO_STANDARD_ERROR, **sizes))
    one = np.zeros(len(value), np.int64)
    try:
        found = fit(Equations(Ratings(one, who, item, one, value), (ANNOTATOR, CONVERSATION)))
    except TooLarge:
        return _twice(Estimate(None, TOO_MANY_ANNOTATORS, **sizes))
    if not found.is_converged:
        return _twice(Estimate(None, NOT_CONVERGED, **sizes))
    of_annotators, of_items, rest = *found.sds**2, found.residual_sd**2
    plain = Estimate(0.0, interval_note=NO_STANDARD_ERROR, **sizes)
    return (
        replace(plain, value=round(float(of_items / (of_items + of_annotators + rest)), DIGITS)),
        replace(plain, value=round(float(of_items / (of_items + rest)), DIGITS)),
    )


def _twice(estimate: Estimate) -> tuple[Estimate, Estimate]:
    return estimate, estimate
