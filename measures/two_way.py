"""A variance of two parts, such as annotators and conversations, less what the two count twice.

The difference may come out too small, even negative: the larger part is its lower limit. Sources: Cameron, Gelbach &
Miller 2011, JBES 29:238; MacKinnon, Nielsen & Webb 2024, arXiv:2406.08880; Satterthwaite 1946, Biom. Bull. 2:110.
"""

import numpy as np

from measures.arrays import FloatArray


def floored(parts: FloatArray) -> FloatArray:
    """Return (k,) sums of the rows of `parts`, as :func:`joined` takes them: each at least the larger of its parts."""
    return np.asarray(np.maximum(parts.sum(axis=0), parts[:2].max(axis=0)), float)


def joined(parts: FloatArray, df: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return (k,) variances and their degrees of freedom, by Satterthwaite's approximation.

    Parameters
    ----------
    parts : (m, k) float array
        Rows that add up to the variance. The first one or two are the parts of which the larger is the lower limit;
        what they count twice is a negative row.
    df : (m, k) or (m, 1) float array
        Degrees of freedom of each part; infinite for one that is not estimated apart from the others.

    Notes
    -----
    Where the larger part is the limit, the degrees of freedom are its own.
    """
    variance, ways = floored(parts), parts[:2]
    freedom = np.broadcast_to(df, parts.shape)
    larger, at = ways.argmax(axis=0), np.arange(parts.shape[1])
    is_floor = variance <= ways[larger, at]
    spread = (parts**2 / freedom).sum(axis=0)
    together = np.where(is_floor, 1.0, variance) ** 2 / np.where(is_floor, 1.0, spread)
    return variance, np.where(is_floor, freedom[larger, at], together)
