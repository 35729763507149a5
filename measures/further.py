"""Coefficients for answers with an order, beside alpha and weighted kappas, for readers who ask for one by its name.

Those of patterns are functions of how often each pattern of answers occurs, from which intervals come; the others
compare annotators by name. Weights are quadratic.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from measures.agreement import brennan_prediger_kernel, gwet_kernel
from measures.alpha import alpha_kernel
from measures.arrays import FloatArray, IntArray
from measures.correlations import mean_correlations
from measures.estimate import NO_PAIRS, NO_VARIATION, Estimate
from measures.histograms import Histogram
from measures.icc import icc_kernel, two_way_iccs
from measures.intervals import Kernel, KernelMaker
from measures.pairs import PairTable
from measures.weights import agreement_weights, scale_values

ORDERED_OF_PATTERNS = ("gwet_ac2", "brennan_prediger_quadratic", "icc_1", "krippendorff_alpha_ratio")
ORDERED_OF_ANNOTATORS = ("icc_a1", "icc_c1", "pearson_mean", "spearman_mean")


def ordered_makers(n_categories: int, numbers: Sequence[float] | None, *, is_interval: bool) -> dict[str, KernelMaker]:
    """Return {coefficient: its kernel's maker} for answers with an order.

    Parameters
    ----------
    n_categories : int
        Declared answers K, in order.
    numbers : K floats, optional
        Their values (default 0..K-1).
    is_interval : bool
        Alpha for a ratio scale is among the coefficients if the scale is an interval scale without negative numbers.
    """
    weights = agreement_weights("quadratic", n_categories, numbers)
    found: dict[str, KernelMaker] = {
        "gwet_ac2": lambda patterns: gwet_kernel(patterns, weights),
        "brennan_prediger_quadratic": lambda patterns: brennan_prediger_kernel(patterns, weights),
        "icc_1": lambda patterns: icc_kernel(patterns, numbers),
    }
    if is_interval and min(scale_values(n_categories, numbers)) >= 0:
        found["krippendorff_alpha_ratio"] = lambda patterns: alpha_kernel(patterns, "ratio", numbers)
    return found


def without_categories(maker: KernelMaker, left_out: Sequence[int]) -> KernelMaker:
    """Return the maker of the same coefficient that takes votes of the categories `left_out` as missing."""

    def make(patterns: IntArray) -> Kernel:
        rest = np.delete(patterns, list(left_out), axis=1)
        rated = rest.any(axis=1)
        kernel = maker(rest[rated])
        return lambda counts: kernel(counts[:, rated])

    return make


def estimate_of(maker: KernelMaker, histogram: Histogram) -> Estimate:
    """Return the value of a coefficient, without an interval; 'no_pairs' or 'no_variation' if it is undefined."""
    if not histogram.n_rated:
        return Estimate(None, NO_PAIRS, **histogram.sizes)
    value = float(maker(histogram.patterns)(histogram.counts[None, :].astype(float))[0])
    is_known = np.isfinite(value)
    return Estimate(value if is_known else None, None if is_known else NO_VARIATION, **histogram.sizes)


def ordered_of_annotators(
    items: npt.ArrayLike,
    annotators: npt.ArrayLike,
    codes: npt.ArrayLike,
    n_categories: int,
    numbers: Sequence[float] | None = None,
    *,
    mirror: Sequence[int] | None = None,
) -> dict[str, Estimate]:
    """Return the coefficients of :data:`ORDERED_OF_ANNOTATORS`, without intervals.

    `items`, `annotators` and `codes` have one entry per vote; code -1 is missing. For `numbers` see
    :func:`ordered_makers`, and for `mirror` :meth:`Histogram.in_both_orders`.
    """
    item, who, code = (np.asarray(each, np.int64) for each in (items, annotators, codes))
    given = code >= 0
    values = scale_values(n_categories, numbers)
    orders = [values[code[given]]] if mirror is None else [values[code[given]], values[list(mirror)][code[given]]]
    pairs = PairTable.from_votes(item, who, code, n_categories).in_both_orders(mirror)
    found = (*_iccs(item[given], who[given], orders), *mean_correlations(pairs, numbers))
    return dict(zip(ORDERED_OF_ANNOTATORS, found, strict=True))


def _iccs(item: IntArray, who: IntArray, orders: Sequence[FloatArray]) -> list[Estimate]:
    """Return ICC(A,1) and ICC(C,1) over the values in each order, where an item of another order is another item."""
    n = len(orders)
    numbered = np.unique(item, return_inverse=True)[1].ravel() * n
    items = np.concatenate([numbered + at for at in range(n)])
    found = two_way_iccs(items, np.tile(who, n), np.concatenate(orders))
    return [
        replace(each, n_items=each.n_items // n, n_left_out=each.n_left_out // n, n_ratings=each.n_ratings // n)
        for each in found
    ]
