"""Find outliers among a few annotators: robust z scores and their p values."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from measures.arrays import FloatArray
from measures.estimate import NO_SPREAD

TOO_FEW_ANNOTATORS = "too_few_annotators"

# Below three values, the median and the MAD give everybody the same score.
FEWEST_ANNOTATORS = 3
OUTLIER_Z = -3.0
# With this factor, the MAD of a normal sample estimates its standard deviation.
MAD_SCALE = 1.4826
REFERENCE_DRAWS = 400_000


@dataclass(frozen=True, slots=True)
class RobustScores:
    """(x - median) / (1.4826 MAD) of each value, None for an undefined one; or the reason why there are none.

    `spread` is 1.4826 MAD. Reasons: 'too_few_annotators' below three defined values, 'no_spread' if more than half of
    the values are the same, so that the MAD is 0.
    """

    scores: tuple[float | None, ...]
    median: float | None = None
    spread: float | None = None
    reason: str | None = None


def robust_scores(values: Sequence[float | None]) -> RobustScores:
    """Return robust z scores of one value per annotator; undefined values (None) are ignored and get None."""
    nothing = (None,) * len(values)
    defined = np.array([value for value in values if value is not None], float)
    if len(defined) < FEWEST_ANNOTATORS:
        return RobustScores(nothing, reason=TOO_FEW_ANNOTATORS)
    median = float(np.median(defined))
    spread = MAD_SCALE * float(np.median(np.abs(defined - median)))
    # A MAD that consists of rounding errors counts as zero.
    if spread <= 1e-12 * max(1.0, abs(median)):
        return RobustScores(nothing, median, 0.0, NO_SPREAD)
    scores = tuple(None if value is None else (value - median) / spread for value in values)
    return RobustScores(scores, median, spread)


def is_outlier(score: float | None) -> bool:
    return score is not None and score < OUTLIER_Z


def outlier_p_values(scores: Sequence[float | None]) -> list[float | None]:
    """Return the one-sided p of each robust z: how often an annotator is as low among as many equally good ones.

    Notes
    -----
    The median and MAD of a few annotators vary a lot: with 7 equally good ones, z < -3 happens to 2.3% of them, not
    to the 0.13% of a normal z, and to at least one in 14% of the studies. So p comes from simulated samples of the
    same number of normal values (400,000 values in all, always the same).
    """
    n = sum(score is not None for score in scores)
    if n < FEWEST_ANNOTATORS:
        return [None] * len(scores)
    reference = _reference(n)
    return [
        None if score is None else float((1 + np.searchsorted(reference, score, "right")) / (1 + len(reference)))
        for score in scores
    ]


@lru_cache(maxsize=16)
def _reference(n: int) -> FloatArray:
    """Return robust z scores of normal samples of size n, ascending."""
    draws = np.random.default_rng(n).normal(size=(max(1, REFERENCE_DRAWS // n), n))
    away = draws - np.median(draws, axis=1, keepdims=True)
    spread = MAD_SCALE * np.median(np.abs(away), axis=1, keepdims=True)
    return np.sort((away / spread).ravel())
