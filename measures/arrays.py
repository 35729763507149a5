"""Names for the array types that all modules here use, and the few things that they all do with arrays."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
CountArray = IntArray | FloatArray  # floats only for halves, of data in both orders
BoolArray = npt.NDArray[np.bool_]


def whole(counts: CountArray) -> IntArray:
    """Return the counts if they are integers. Raises ValueError for halves: an item is drawn as a whole or not."""
    if not np.issubdtype(counts.dtype, np.integer):
        raise ValueError("items in both orders are not drawn: draw items, and use intervals.in_both_orders")
    return np.asarray(counts, np.int64)


def divide_or_nan(numerator: npt.ArrayLike, denominator: npt.ArrayLike) -> FloatArray:
    """Divide elementwise. A denominator that is not positive gives NaN (undefined) without a warning.

    NaN stays inside `measures`: it marks undefined replicates of a bootstrap and never enters an Estimate.
    """
    top, bottom = np.broadcast_arrays(np.asarray(numerator, float), np.asarray(denominator, float))
    quotient: FloatArray = np.divide(top, bottom, out=np.full(top.shape, np.nan), where=bottom > 0)
    return quotient


def divide_or_zero(part: FloatArray, whole: FloatArray) -> FloatArray:
    """Divide elementwise, with 0 where the whole is not positive."""
    return np.divide(part, whole, out=np.zeros(np.broadcast_shapes(part.shape, whole.shape)), where=whole > 0)


def unless_rounding(difference: FloatArray) -> FloatArray:
    """Return 0 where 1 - Pe is only a rounding error: dividing by it must give undefined, not a huge number."""
    return np.where(difference < 1e-12, 0.0, difference)


def check_codes(codes: npt.NDArray[Any], n_categories: int) -> None:
    if codes.size and (codes.min() < -1 or codes.max() >= n_categories):
        raise ValueError(f"category codes run from 0 to {n_categories - 1}, -1 for missing")


def mean_of_orders(shares: FloatArray, mirror: Sequence[int] | None) -> FloatArray:
    """Return (..., K) shares of answers as means of both orders of the two sides; with None, nothing changes.

    `mirror` has the place of each answer's mirror image.
    """
    return shares if mirror is None else (shares + shares[..., list(mirror)]) / 2
