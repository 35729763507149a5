"""Test whether an annotator tells spoiled items from real ones, with control items hidden among the others.

Sources: Mann & Whitney 1947, Ann. Math. Stat. 18:50; Lehmann 1975, Nonparametrics, sec. 1.3 and 1.4 (ties);
Ji et al. 2022, ACL (a worker passes whose control items score lower, p < .05).
"""

import math

import numpy as np
import numpy.typing as npt

from measures.arrays import FloatArray
from measures.comparison import TestResult
from measures.estimate import NO_VARIATION, TOO_FEW_ITEMS
from measures.intervals import special
from measures.prediction import mid_ranks

# Up to this size of the smaller sample the null distribution is exact: the normal curve is too far from it.
MOST_COUNTED = 8


def control_test(control_scores: npt.ArrayLike, other_scores: npt.ArrayLike) -> TestResult:
    """One-sided Mann-Whitney U test of whether an annotator scores control items lower than the others.

    Parameters
    ----------
    control_scores, other_scores : (n,) and (m,) float array
        One annotator's scores of spoiled and of real items; higher is better, on any scale.

    Returns
    -------
    TestResult
        `statistic` is U, the number of pairs in which the control item scores higher; ties count half. A small p means
        that the annotator tells them apart. The p value is exact without ties if the smaller sample has 8 scores or
        fewer; otherwise it uses the normal curve with correction for ties and continuity. Undefined: 'too_few_items'
        without scores on a side, 'no_variation' when all scores are the same.
    """
    control, other = np.asarray(control_scores, float), np.asarray(other_scores, float)
    if control.ndim != 1 or other.ndim != 1 or not (np.isfinite(control).all() and np.isfinite(other).all()):
        raise ValueError("control_test needs two one-dimensional arrays of finite scores")
    if not len(control) or not len(other):
        return TestResult(None, None, TOO_FEW_ITEMS)
    both = np.concatenate([control, other])
    if np.ptp(both) == 0:
        return TestResult(None, None, NO_VARIATION)
    higher = float(mid_ranks(both)[: len(control)].sum()) - len(control) * (len(control) + 1) / 2
    ties = np.unique(both, return_counts=True)[1].astype(float)
    is_counted = min(len(control), len(other)) <= MOST_COUNTED and len(ties) == len(both)
    p_value = _counted_p(higher, len(control), len(other)) if is_counted else _normal_p(higher, len(control), ties)
    return TestResult(higher, p_value)


def _counted_p(higher: float, n: int, m: int) -> float:
    """Return the exact share of all orders of n + m different scores with a U that is as small or smaller."""
    return sum(orders_by_u(n, m)[: int(higher) + 1]) / math.comb(n + m, n)


def orders_by_u(n: int, m: int) -> list[int]:
    """Return (n m + 1,) numbers of orders of two samples without ties that have U = 0, 1, ...

    They are the coefficients of the Gaussian binomial, the product over i = 1..n of (1 - x^(m + i)) / (1 - x^i).
    """
    ways = np.zeros(n * m + 1, object)
    ways[0] = 1
    for i in range(1, min(n, m) + 1):
        step = max(n, m) + i
        ways[step:] = ways[step:] - ways[:-step]
        for start in range(i):
            ways[start::i] = np.add.accumulate(ways[start::i])
    return list(ways)


def _normal_p(higher: float, n: int, ties: FloatArray) -> float:
    total = float(ties.sum())
    m = total - n
    spread = math.sqrt(n * m / 12 * (total + 1 - float((ties**3 - ties).sum()) / (total * (total - 1))))
    return min(1.0, float(special().ndtr((higher - n * m / 2 + 0.5) / spread)))
