"""Compare sources on the same dialogues, and correct for many comparisons, with scipy."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from types import ModuleType

import numpy as np
import numpy.typing as npt

from measures.arrays import FloatArray
from measures.estimate import NO_VARIATION, TOO_FEW_ITEMS


@cache
def stats() -> ModuleType:
    """Return scipy.stats, imported at its first use: otherwise every process would start half a second later."""
    from scipy import stats as module

    return module


@dataclass(frozen=True, slots=True)
class TestResult:
    """A statistic and its p value, or the reason why there is none."""

    # Otherwise pytest would collect a class of this name.
    __test__ = False

    statistic: float | None
    p_value: float | None
    reason: str | None = None


def friedman(scores: npt.ArrayLike) -> TestResult:
    """Friedman test over an (items, sources) matrix, with correction for ties.

    The statistic is a chi-square with k - 1 degrees of freedom. Undefined: 'too_few_items' below two items or three
    sources, 'no_variation' when every item has all sources tied.
    """
    matrix = np.asarray(scores, float)
    if len(matrix) < 2 or matrix.shape[1] < 3:
        return TestResult(None, None, TOO_FEW_ITEMS)
    if (np.ptp(matrix, axis=1) == 0).all():
        return TestResult(None, None, NO_VARIATION)
    found = stats().friedmanchisquare(*matrix.T)
    return TestResult(float(found.statistic), float(found.pvalue))


def holm(p_values: Sequence[float]) -> FloatArray:
    """Return adjusted p values that control the family-wise error (Holm 1979), for confirmatory comparisons."""
    p = np.asarray(p_values, float)
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(steps, 1.0)
    return adjusted


def benjamini_hochberg(p_values: Sequence[float]) -> FloatArray:
    """Return adjusted p values that control the false discovery rate (Benjamini & Hochberg 1995), for flags."""
    if not len(p_values):
        return np.zeros(0)
    return np.asarray(stats().false_discovery_control(p_values, method="bh"), float)
