"""Draw the largest of many contrasts from their joint distribution, for statements that hold all at once."""

from functools import lru_cache

import numpy as np

from measures.arrays import FloatArray

N_DRAWS = 20_000
CELLS_PER_BLOCK = 4_000_000


def largest(joint: FloatArray, contrasts: FloatArray, seed: int) -> FloatArray:
    """Return (N_DRAWS,) draws of the largest size of any of (K, P) standardised contrasts.

    The parameters are drawn from the normal distribution with covariance `joint` (P, P) and mean 0. A contrast that
    does not vary is left out.
    """
    values, vectors = np.linalg.eigh(joint)
    drawn = (vectors * np.sqrt(values.clip(0))) @ _normal(len(joint), seed)
    spread = np.sqrt(np.einsum("kp,pq,kq->k", contrasts, joint, contrasts, optimize=True).clip(0))
    scaled = contrasts[spread > 1e-9] / spread[spread > 1e-9, None]
    found = np.zeros(N_DRAWS)
    size = max(1, CELLS_PER_BLOCK // N_DRAWS)
    for start in range(0, len(scaled), size):
        for sizes in scaled[start : start + size] @ drawn:
            np.maximum(found, np.abs(sizes, out=sizes), out=found)
    return found


@lru_cache(maxsize=4)
def _normal(n: int, seed: int) -> FloatArray:
    """Return (n, N_DRAWS) independent normal numbers."""
    return np.random.default_rng(seed).standard_normal((n, N_DRAWS))
