"""Measure how well predicted labels or scores match the human ones.

All measures of labels follow from the confusion matrix C (K, K): human labels in rows, predicted ones in
columns, over the declared categories. Zero divisions: a precision or F1 without any prediction of the class
is 0; a recall of a class that does not occur among the human labels is undefined and left out of means.
"""

import numpy as np
import numpy.typing as npt

from measures.arrays import FloatArray, divide_or_zero
from measures.estimate import NO_PAIRS, NO_VARIATION, TOO_FEW_ITEMS, Estimate


def _table(confusion: npt.ArrayLike) -> FloatArray:
    table = np.asarray(confusion, float)
    if table.ndim != 2 or table.shape[0] != table.shape[1]:
        raise ValueError("a confusion matrix is square")
    return table


def _mean(values: FloatArray, weights: FloatArray, n: float) -> Estimate:
    """Return the weighted mean over classes; 'no_pairs' without labels."""
    if not n:
        return Estimate(None, NO_PAIRS)
    return Estimate(float(values @ weights / weights.sum()), n_items=int(n))


def recalls(confusion: npt.ArrayLike) -> FloatArray:
    """Return (K,) recall per class; 0 if the class does not occur."""
    table = _table(confusion)
    return divide_or_zero(np.diag(table), table.sum(axis=1))


def precisions(confusion: npt.ArrayLike) -> FloatArray:
    """Return (K,) precision per class; 0 if the class is never predicted."""
    table = _table(confusion)
    return divide_or_zero(np.diag(table), table.sum(axis=0))


def f1_scores(confusion: npt.ArrayLike) -> FloatArray:
    """Return (K,) harmonic means of precision and recall, 2 TP / (2 TP + FP + FN); 0 where both are 0."""
    table = _table(confusion)
    return divide_or_zero(2 * np.diag(table), table.sum(axis=0) + table.sum(axis=1))


def accuracy(confusion: npt.ArrayLike) -> Estimate:
    """Share of equal labels; 'no_pairs' without labels."""
    table = _table(confusion)
    n = float(table.sum())
    return Estimate(float(np.trace(table)) / n, n_items=int(n)) if n else Estimate(None, NO_PAIRS)


def unweighted_average_recall(confusion: npt.ArrayLike) -> Estimate:
    """Mean recall over the classes that occur in the human labels (UAR, macro recall)."""
    table = _table(confusion)
    return _mean(recalls(table), (table.sum(axis=1) > 0).astype(float), table.sum())


def macro_precision(confusion: npt.ArrayLike) -> Estimate:
    """Mean precision over the classes that occur in the human or the predicted labels."""
    table = _table(confusion)
    return _mean(precisions(table), _occurs(table), table.sum())


def macro_f1(confusion: npt.ArrayLike) -> Estimate:
    """Mean F1 over the classes that occur in the human or the predicted labels."""
    table = _table(confusion)
    return _mean(f1_scores(table), _occurs(table), table.sum())


def weighted_f1(confusion: npt.ArrayLike) -> Estimate:
    """Mean F1 weighted by how often each class occurs in the human labels."""
    table = _table(confusion)
    return _mean(f1_scores(table), table.sum(axis=1), table.sum())


def _occurs(table: FloatArray) -> FloatArray:
    return np.asarray(table.sum(axis=0) + table.sum(axis=1) > 0, float)


def pearson(first: npt.ArrayLike, second: npt.ArrayLike) -> Estimate:
    """Linear correlation; 'too_few_items' below two pairs, 'no_variation' if one side is constant."""
    x, y = np.asarray(first, float), np.asarray(second, float)
    if x.shape != y.shape or x.ndim != 1:
        raise ValueError("a correlation needs two parallel one-dimensional arrays")
    if len(x) < 2:
        return Estimate(None, TOO_FEW_ITEMS, n_items=len(x))
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return Estimate(None, NO_VARIATION, n_items=len(x))
    dx, dy = x - x.mean(), y - y.mean()
    value = float((dx @ dy) / np.sqrt((dx @ dx) * (dy @ dy)))
    return Estimate(min(1.0, max(-1.0, value)), n_items=len(x))


def spearman(first: npt.ArrayLike, second: npt.ArrayLike) -> Estimate:
    """Rank correlation: Pearson correlation of mid-ranks, undefined in the same cases."""
    return pearson(mid_ranks(first), mid_ranks(second))


def mid_ranks(values: npt.ArrayLike) -> FloatArray:
    """Return ranks from 1; tied values share the mean of their ranks."""
    _, place, counts = np.unique(np.asarray(values, float), return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[place], float)
