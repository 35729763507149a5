"""Cohen's kappa of two raters and Conger's kappa of many.

Sources: Cohen 1960, Educ. Psychol. Meas. 20:37; Cohen 1968, Psychol. Bull. 70:213 (weights); Fleiss, Cohen
& Everitt 1969, Psychol. Bull. 72:323 (standard error); Conger 1980, Psychol. Bull. 88:322; Gwet 2014
(Conger with missing votes).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from measures.agreement import pair_agreement
from measures.arrays import FloatArray, IntArray
from measures.estimate import NO_PAIRS, NO_VARIATION, Estimate
from measures.histograms import Histogram
from measures.intervals import t_interval
from measures.weights import Weights, resolve_weights

CONSTANT_RATER = "constant_rater"


def confusion_matrix(rows: npt.ArrayLike, columns: npt.ArrayLike, n_categories: int) -> IntArray:
    """Return the (K, K) table of two parallel arrays of codes 0..K-1; pairs with a missing code (-1) are left out."""
    first, second = np.asarray(rows, np.int64), np.asarray(columns, np.int64)
    if first.shape != second.shape or first.ndim != 1:
        raise ValueError("two raters need parallel one-dimensional arrays")
    if first.size and max(first.max(), second.max()) >= n_categories:
        raise ValueError(f"category codes run from 0 to {n_categories - 1}, -1 for missing")
    both = (first >= 0) & (second >= 0)
    keys = first[both] * n_categories + second[both]
    return np.bincount(keys, minlength=n_categories**2).reshape(n_categories, n_categories)


def in_both_orders(tables: npt.ArrayLike, mirror: Sequence[int] | None) -> FloatArray:
    """Return (..., K, K) tables with each item half as it is and half as its mirror image, for :func:`cohen_kappa`.

    See :meth:`Histogram.in_both_orders`.
    """
    plain = np.asarray(tables, float)
    return plain if mirror is None else (plain + plain[..., mirror, :][..., mirror]) / 2


def cohen_kappa(confusion: npt.ArrayLike, *, weights: Weights = None, level: float = 0.95) -> Estimate:
    """Cohen's kappa of two raters.

    Parameters
    ----------
    confusion : (K, K) array
        Items by the answer of the first (rows) and the second rater (columns), over the declared scale.
    weights : None, kind or (K, K) array
        Weights of the declared scale; unused levels keep their distance.
    level : float
        Confidence of the interval value +- t(N - 1) * standard error.

    Returns
    -------
    Estimate
        Undefined: 'no_pairs' for an empty table, 'no_variation' when both raters used only one and the same
        category. With one constant rater it is exactly 0, with the warning 'constant_rater'.
    """
    table = np.asarray(confusion, float)
    matrix = resolve_weights(weights, len(table))
    n = int(table.sum())
    sizes: dict[str, Any] = {"n_items": n, "n_ratings": 2 * n}
    if not n:
        return Estimate(None, NO_PAIRS, **sizes)
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    if np.count_nonzero(rows + columns) < 2:
        return Estimate(None, NO_VARIATION, **sizes)
    expected = float(rows @ matrix @ columns) / n**2
    value = (float((matrix * table).sum()) / n - expected) / (1 - expected)
    constant = 1 in (np.count_nonzero(rows), np.count_nonzero(columns))
    # The value is 0 by definition: rounding must not leave 1e-17 or its sign.
    estimate = Estimate(
        0.0 if constant else value,
        standard_error=_standard_error(table / n, matrix, value, expected, n),
        warnings=(CONSTANT_RATER,) if constant else (),
        **sizes,
    )
    return t_interval(estimate, n - 1, level)


def _standard_error(shares: FloatArray, weights: FloatArray, value: float, expected: float, n: int) -> float:
    """Non-null standard error of (weighted) kappa, Fleiss, Cohen & Everitt 1969."""
    row_weights = weights @ shares.sum(axis=0)
    column_weights = shares.sum(axis=1) @ weights
    inner = weights - (row_weights[:, None] + column_weights[None, :]) * (1 - value)
    variance = float((shares * inner**2).sum()) - (value - expected * (1 - value)) ** 2
    return float(np.sqrt(max(variance, 0.0) / n)) / (1 - expected)


def cohen_kappas(confusions: npt.ArrayLike, n_left_out: Sequence[int]) -> list[Estimate]:
    """Return :func:`cohen_kappa` of each of (G, K, K) tables in one pass, unweighted and without intervals.

    `n_left_out` of each table goes into its estimate.
    """
    tables = np.asarray(confusions, float)
    n, rows, columns = tables.sum(axis=(1, 2)), tables.sum(axis=2), tables.sum(axis=1)
    varied = np.count_nonzero(rows + columns, axis=1) > 1
    size, chosen = n[varied], tables[varied]
    expected = (rows * columns).sum(axis=1)[varied] / size**2
    values = (np.trace(chosen, axis1=1, axis2=2) / size - expected) / (1 - expected)
    errors = iter(_standard_errors(chosen / size[:, None, None], values, expected, size).tolist())
    is_constant = (np.count_nonzero(rows, axis=1) == 1) | (np.count_nonzero(columns, axis=1) == 1)
    known = iter(np.where(is_constant[varied], 0.0, values).tolist())
    found = []
    for items, left_out, has_kappa, constant in zip(
        n.astype(int).tolist(), n_left_out, varied.tolist(), is_constant.tolist(), strict=True
    ):
        sizes: dict[str, Any] = {"n_items": items, "n_ratings": 2 * items, "n_left_out": left_out}
        if has_kappa:
            warnings = (CONSTANT_RATER,) if constant else ()
            found.append(Estimate(next(known), standard_error=next(errors), warnings=warnings, **sizes))
        else:
            found.append(Estimate(None, NO_VARIATION if items else NO_PAIRS, **sizes))
    return found


def _standard_errors(shares: FloatArray, values: FloatArray, expected: FloatArray, n: FloatArray) -> FloatArray:
    """Return (G,) :func:`_standard_error` of unweighted kappas from (G, K, K) shares."""
    k = shares.shape[-1]
    margins = shares.sum(axis=1)[:, :, None] + shares.sum(axis=2)[:, None, :]
    inner = np.eye(k) - margins * (1 - values)[:, None, None]
    variance = (shares * inner**2).reshape(-1, k * k).sum(axis=1) - (values - expected * (1 - values)) ** 2
    return np.asarray(np.sqrt(np.maximum(variance, 0.0) / n) / (1 - expected))


def rater_margins(raters: npt.ArrayLike, codes: npt.ArrayLike, n_raters: int, n_categories: int) -> IntArray:
    """Return (G, K) votes of each rater per category, from parallel arrays with one entry per vote; -1 is missing.

    Margins of batches with the same raters can be added.
    """
    who, what = np.asarray(raters, np.int64), np.asarray(codes, np.int64)
    given = what >= 0
    keys = who[given] * n_categories + what[given]
    return np.bincount(keys, minlength=n_raters * n_categories).reshape(n_raters, n_categories)


def conger_kappa(histogram: Histogram, margins: npt.ArrayLike, *, weights: Weights = None) -> Estimate:
    """Conger's kappa, with chance from each rater's own distribution over all pairs of raters.

    Parameters
    ----------
    histogram : Histogram
    margins : (G, K) int array
        From :func:`rater_margins`; a rater's shares are over the items they rated. Raters without votes are left
        out.
    weights : None, kind or (K, K) array

    Returns
    -------
    Estimate
        Undefined: 'no_pairs' without an item rated twice, 'no_variation' when all ratings are one category.
    """
    table = np.asarray(margins, float)
    matrix = resolve_weights(weights, histogram.n_categories)
    shares = table[table.sum(axis=1) > 0]
    if not histogram.n_rated or len(shares) < 2:
        return Estimate(None, NO_PAIRS, **histogram.sizes)
    if np.count_nonzero(shares.sum(axis=0)) < 2:
        return Estimate(None, NO_VARIATION, **histogram.sizes)
    agreeing, paired = pair_agreement(histogram.patterns, matrix)
    observed = float(histogram.counts @ agreeing) / float(histogram.counts @ paired)
    shares = shares / shares.sum(axis=1, keepdims=True)
    n, together = len(shares), shares.sum(axis=0)
    with_self = float(((shares @ matrix) * shares).sum())
    expected = (float(together @ matrix @ together) - with_self) / (n * (n - 1))
    return Estimate((observed - expected) / (1 - expected), **histogram.sizes)
