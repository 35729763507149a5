"""Correct p values for many comparisons."""

from collections.abc import Sequence
from functools import cache
from types import ModuleType

import numpy as np

from measures.arrays import FloatArray


@cache
def stats() -> ModuleType:
    """Return scipy.stats, imported at its first use: otherwise every process would start half a second later."""
    from scipy import stats as module

    return module


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
    return _false_discovery(p_values, "bh")


def benjamini_yekutieli(p_values: Sequence[float]) -> FloatArray:
    """Return adjusted p values for any dependence between them (Benjamini & Yekutieli 2001)."""
    return _false_discovery(p_values, "by")


def _false_discovery(p_values: Sequence[float], method: str) -> FloatArray:
    if not len(p_values):
        return np.zeros(0)
    return np.asarray(stats().false_discovery_control(p_values, method=method), float)
