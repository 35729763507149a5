"""Pearson's and Spearman's correlation of every pair of annotators, and their means, as dialogue papers print them.

Sources: Pearson 1895; Spearman 1904, Am. J. Psychol. 15:72 (ranks, with the mean of tied ones).
"""

from collections.abc import Sequence

import numpy as np

from measures.arrays import CountArray, FloatArray, IntArray, divide_or_nan
from measures.estimate import Estimate
from measures.pairs import PairTable
from measures.weights import scale_values

FEWEST_ITEMS = 3  # two items correlate by 1 or -1, whatever the answers


def pair_correlations(table: PairTable, values: Sequence[float] | None = None) -> tuple[FloatArray, FloatArray]:
    """Return (pairs,) Pearson's and (pairs,) Spearman's correlation of each pair of annotators with common items.

    A correlation is NaN with fewer than 3 common items, and if one of the two gave them all the same answer.

    Parameters
    ----------
    table : PairTable
    values : K floats, optional
        Declared values of the answers (default 0..K-1).
    """
    k = table.n_categories
    pair, cell = np.divmod(table.cells, k * k)
    first, second = np.divmod(cell, k)
    of_pair = np.concatenate([[0], np.cumsum(np.diff(pair) > 0)])[: len(pair)]
    n_pairs = int(of_pair.max(initial=-1)) + 1
    margins = [_tallies(of_pair, each, table.counts, n_pairs, k) for each in (first, second)]
    numbers = np.tile(scale_values(k, values), (n_pairs, 1))
    # Tied ranks are means: as many as lie below, and half of those who share the place (and 1/2 everywhere).
    ranks = [np.cumsum(each, axis=1) - each / 2 for each in margins]
    is_enough = margins[0].sum(axis=1) >= FEWEST_ITEMS

    def correlated(rows: FloatArray, columns: FloatArray) -> FloatArray:
        x, y = (_centred(at, tallies) for at, tallies in zip((rows, columns), margins, strict=True))
        together = np.bincount(of_pair, table.counts * x[of_pair, first] * y[of_pair, second], n_pairs)
        spread = [(each**2 * tallies).sum(axis=1) for each, tallies in zip((x, y), margins, strict=True)]
        varied = np.all([(each > 0).sum(axis=1) > 1 for each in margins], axis=0)
        bottom = np.where(varied & is_enough, np.sqrt(spread[0] * spread[1]), 0.0)
        return np.clip(divide_or_nan(together, bottom), -1.0, 1.0)

    return correlated(numbers, numbers), correlated(*ranks)


def mean_correlations(table: PairTable, values: Sequence[float] | None = None) -> tuple[Estimate, Estimate]:
    """Return the means of :func:`pair_correlations` over pairs, Pearson's first, without intervals.

    Undefined: 'no_pairs' if no two annotators share an item; 'no_variation' if every pair is undefined. Undefined pairs
    do not enter the mean; `n_undefined` counts them and `n_pairs` the others.
    """
    pearson, spearman = pair_correlations(table, values)
    return Estimate.mean_of_pairs(pearson), Estimate.mean_of_pairs(spearman)


def _tallies(pair: IntArray, answer: IntArray, counts: CountArray, n_pairs: int, k: int) -> FloatArray:
    return np.asarray(np.bincount(pair * k + answer, counts, n_pairs * k).reshape(n_pairs, k), float)


def _centred(values: FloatArray, tallies: FloatArray) -> FloatArray:
    means = (values * tallies).sum(axis=1, keepdims=True) / tallies.sum(axis=1, keepdims=True)
    return np.asarray(values - means)
