"""Agreement weights and distances between the answers of a declared scale."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from measures.arrays import FloatArray, divide_or_zero

WEIGHT_KINDS = ("nominal", "linear", "quadratic", "ordinal")
ALPHA_LEVELS = ("nominal", "ordinal", "interval", "ratio")

Weights = str | npt.NDArray[np.float64] | None


def scale_values(n_categories: int, values: Sequence[float] | None = None) -> FloatArray:
    """Return (K,) declared values; the positions 0..K-1 if the scale declares none."""
    numbers = np.arange(n_categories, dtype=float) if values is None else np.asarray(values, float)
    if numbers.shape != (n_categories,) or not np.isfinite(numbers).all():
        raise ValueError(f"the scale needs {n_categories} finite values")
    if len(np.unique(numbers)) != n_categories:
        raise ValueError("two answers of a scale have the same value")
    return numbers


def agreement_weights(kind: str, n_categories: int, values: Sequence[float] | None = None) -> FloatArray:
    """Return (K, K) weights, 1 on the diagonal: the degree to which two answers agree.

    Parameters
    ----------
    kind : {'nominal', 'linear', 'quadratic', 'ordinal'}
        'linear' and 'quadratic' use the declared `values`; 'ordinal' the ranks only.
    n_categories : int
        Declared categories K, used or not.
    values : sequence of K floats, optional
        Declared scale values.

    Notes
    -----
    Linear 1 - |x - y| / (max - min), quadratic its squared distance (Cohen 1968); ordinal
    1 - C(|i - j| + 1, 2) / C(K, 2) (Gwet 2014, Handbook of Inter-Rater Reliability, 4th ed., sec. 3.5).
    """
    if kind not in WEIGHT_KINDS:
        raise ValueError(f"weights are one of {', '.join(WEIGHT_KINDS)}, not {kind!r}")
    if kind == "nominal" or n_categories == 1:
        return np.eye(n_categories)
    numbers = scale_values(n_categories, None if kind == "ordinal" else values)
    distance = np.abs(numbers[:, None] - numbers[None, :])
    if kind == "ordinal":
        distance = distance * (distance + 1) / 2
    elif kind == "quadratic":
        distance = distance**2
    return np.asarray(1 - distance / distance.max(), float)


def resolve_weights(weights: Weights, n_categories: int) -> FloatArray:
    """Return a (K, K) matrix from None (nominal), the name of a kind, or a matrix, which is checked."""
    if weights is None or isinstance(weights, str):
        return agreement_weights(weights or "nominal", n_categories)
    matrix = np.asarray(weights, float)
    if matrix.shape != (n_categories, n_categories) or not np.all(np.diag(matrix) == 1):
        raise ValueError(f"weights are ({n_categories}, {n_categories}) with ones on the diagonal")
    return matrix


def alpha_distances(level: str, values: FloatArray) -> FloatArray:
    """Return Krippendorff's (K, K) squared differences for levels that do not depend on the data.

    Nominal: 0/1. Interval: (x - y)^2. Ratio: ((x - y) / (x + y))^2, which needs values of one sign; (0, 0)
    is 0.
    """
    if level == "nominal":
        return np.asarray(1.0 - np.eye(len(values)))
    difference = values[:, None] - values[None, :]
    if level == "interval":
        return np.asarray(difference**2, float)
    if level != "ratio":
        raise ValueError(f"alpha levels are {', '.join(ALPHA_LEVELS)}, not {level!r}")
    if values.min() < 0:
        raise ValueError("a ratio scale has no negative values")
    total = values[:, None] + values[None, :]
    return divide_or_zero(difference, total) ** 2
