"""Cohen's kappa averaged over the pairs of raters, unweighted and with the weights of a scale."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from measures.arrays import FloatArray, IntArray
from measures.estimate import TOO_FEW_ITEMS, Estimate
from measures.intervals import t_interval
from measures.pairs import PairTable
from measures.weights import Weights

JACKKNIFE_GROUPS = 200
Means = Callable[[PairTable], list[Estimate]]  # one for each kind of weights


def mean_pairwise_cohen(table: PairTable, *, weights: Weights = None) -> Estimate:
    """Mean of Cohen's kappa over the pairs of raters with common items.

    It is Light's (1971) if all raters rated all items. Undefined: 'no_pairs' if no two raters share an item;
    'no_variation' if every pair is undefined. Undefined pairs do not enter the mean; `n_undefined` counts them and
    `n_pairs` the others.
    """
    return Estimate.mean_of_pairs(table.kappas(weights))


def mean_pairwise_cohens_with_intervals(
    items: npt.ArrayLike,
    raters: npt.ArrayLike,
    codes: npt.ArrayLike,
    n_categories: int,
    kinds: Sequence[Weights] = (None,),
    *,
    level: float = 0.95,
    n_groups: int = JACKKNIFE_GROUPS,
    clusters: npt.ArrayLike | None = None,
    mirror: Sequence[int] | None = None,
) -> list[Estimate]:
    """Mean pairwise Cohen for each kind of weights, with t intervals from a jackknife over groups of items.

    Parameters
    ----------
    items, raters, codes : parallel arrays, one entry per vote
        Code -1 is missing.
    kinds : sequence of None, kind or (K, K) array
        Weights of each mean; the votes are counted once for all kinds.
    n_groups : int
        Items with two or more votes are dealt in the order of their ids into at most this many groups; with
        fewer items each is its own group (the ordinary jackknife).
    clusters : array, one entry per vote, optional
        Units to deal instead of items, for example their conversations.
    mirror : sequence of int, optional
        Chance is that of the answers in both orders, see :meth:`PairTable.in_both_orders`.

    Notes
    -----
    SE = sqrt((m - 1) / m * sum (theta_(g) - mean)^2) over the m groups left out in turn (Tukey 1958; Shao &
    Tu 1995, ch. 1), t with m - 1 degrees of freedom. There is no interval if no pair is defined without a group.
    """
    what = np.asarray(codes, np.int64)
    given = what >= 0
    who, what = np.asarray(raters, np.int64)[given], what[given]
    _, item, votes = np.unique(np.asarray(items)[given], return_inverse=True, return_counts=True)
    whole = PairTable.from_votes(item, who, what, n_categories)

    def means(table: PairTable) -> list[Estimate]:
        turned = table.in_both_orders(mirror)
        return [mean_pairwise_cohen(turned, weights=each) for each in kinds]

    sizes: dict[str, Any] = {
        "n_items": int((votes >= 2).sum()),
        "n_left_out": int((votes < 2).sum()),
        "n_ratings": len(what),
    }
    found = [replace(each, **sizes) for each in means(whole)]
    if all(estimate.value is None for estimate in found):
        return found
    unit = item if clusters is None else np.asarray(clusters)[given]
    group = _groups(unit, votes[item] >= 2, n_groups)
    left_out = _leave_group_out(whole, item, who, what, group, means)
    return [_with_interval(each, column, level) for each, column in zip(found, left_out.T, strict=True)]


def _groups(unit: npt.NDArray[np.generic], is_paired: npt.NDArray[np.bool_], n_groups: int) -> IntArray:
    """Return (votes,) the group that each vote is left out with; -1 for votes on items that nobody else rated."""
    paired = np.unique(unit[is_paired])
    place = np.searchsorted(paired, unit[is_paired])
    group = np.full(len(unit), -1, np.int64)
    group[is_paired] = place % max(1, min(n_groups, len(paired)))
    return group


def _leave_group_out(
    whole: PairTable, item: IntArray, who: IntArray, what: IntArray, group: IntArray, means: Means
) -> FloatArray:
    """Return (m, kinds) mean kappas without each group of items; NaN where undefined."""
    order = np.argsort(group, kind="stable")
    bounds = np.searchsorted(group[order], np.arange(group.max() + 2))
    values = []
    for start, end in pairwise(bounds):
        chosen = order[start:end]
        rest = whole - PairTable.from_votes(item[chosen], who[chosen], what[chosen], whole.n_categories)
        values.append([math.nan if mean.value is None else mean.value for mean in means(rest)])
    return np.array(values)


def _with_interval(estimate: Estimate, left_out: FloatArray, level: float) -> Estimate:
    if estimate.value is None:
        return estimate
    m = len(left_out)
    if m < 2 or not np.isfinite(left_out).all():
        return estimate.with_interval(None, None, TOO_FEW_ITEMS)
    error = math.sqrt((m - 1) / m * float(((left_out - left_out.mean()) ** 2).sum()))
    return t_interval(replace(estimate, standard_error=error), m - 1, level)
