"""Names for the array types that all modules here use."""

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]


def divide_or_nan(numerator: npt.ArrayLike, denominator: npt.ArrayLike) -> FloatArray:
    """Divide elementwise. A denominator that is not positive gives NaN (undefined) without a warning.

    NaN stays inside `measures`: it marks undefined replicates of a bootstrap and never enters an Estimate.
    """
    top, bottom = np.broadcast_arrays(np.asarray(numerator, float), np.asarray(denominator, float))
    quotient: FloatArray = np.divide(top, bottom, out=np.full(top.shape, np.nan), where=bottom > 0)
    return quotient
