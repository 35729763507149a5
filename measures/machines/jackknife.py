"""Intervals of functions of means over items, where whole conversations are left out in turn.

Source: Davison & Hinkley 1997, Bootstrap Methods, sec. 2.7.3 and 3.8; MacKinnon, Nielsen & Webb 2023, J. Econometrics
232:272 (the jackknife with clusters).
"""

from collections.abc import Callable

import numpy as np

from measures.arrays import FloatArray, IntArray
from measures.estimate import NO_STANDARD_ERROR, NO_VARIATION, TOO_FEW_ITEMS, Estimate
from measures.intervals import interval_guard, t_interval

# (B, Q) means -> (B,) values, NaN where undefined.
OfMeans = Callable[[FloatArray], FloatArray]


def cluster_sums(rows: FloatArray, cluster: IntArray) -> FloatArray:
    """Return (C, Q) sums of the (I, Q) rows of each cluster, in the order of their numbers."""
    order = np.argsort(cluster, kind="stable")
    starts = np.flatnonzero(np.diff(cluster[order], prepend=cluster[order[:1]] - 1))
    return np.asarray(np.add.reduceat(rows[order], starts, axis=0), float)


def jackknife(rows: FloatArray, cluster: IntArray, value: OfMeans, bounds: tuple[float, float]) -> Estimate:
    """Return a function of the means of items with its t interval over conversations.

    Parameters
    ----------
    rows : (I, Q) float array
        What is averaged over items, each of which counts once.
    cluster : (I,) int array
    value : callable
    bounds : (float, float)
        The interval stops there.

    Returns
    -------
    Estimate
        Undefined: 'too_few_items' without items, 'no_variation' where the function is. The variance is
        (C - 1) / C * sum over conversations c of (v without c - mean of these)^2, with C - 1 degrees of freedom.
        With fewer than 10 conversations there is no interval ('too_few_items'); with 10 to 19 it is 'unreliable'.
    """
    n = len(rows)
    if not n:
        return Estimate(None, TOO_FEW_ITEMS)
    whole = float(value(rows.mean(axis=0)[None])[0])
    if np.isnan(whole):
        return Estimate(None, NO_VARIATION, n_items=n)
    sums = cluster_sums(np.column_stack([rows, np.ones(n)]), cluster)
    found = Estimate(whole, n_items=n, standard_error=_standard_error(sums, value))
    note = NO_STANDARD_ERROR if len(sums) > 1 else TOO_FEW_ITEMS
    return guarded_by_clusters(
        t_interval(found.with_interval(None, None, note), len(sums) - 1, bounds=bounds), len(sums)
    )


def _standard_error(sums: FloatArray, value: OfMeans) -> float | None:
    """`sums` are (C, Q + 1) with the number of items last; None if a value without one cluster is undefined."""
    n_clusters = len(sums)
    if n_clusters < 2:
        return None
    others = sums.sum(axis=0) - sums
    values = value(others[:, :-1] / others[:, -1:])
    if np.isnan(values).any():
        return None
    return float(np.sqrt((n_clusters - 1) / n_clusters * ((values - values.mean()) ** 2).sum()))


def guarded_by_clusters(found: Estimate, n_clusters: int) -> Estimate:
    """Return the estimate without its interval where conversations are too few, and with a word where they are few."""
    if found.value is None:
        return found
    show, word = interval_guard(n_clusters)
    if not show:
        return found.with_interval(None, None, word)
    if found.low is None:
        return found
    return found.with_interval(found.low, found.high, found.interval_note or word)
