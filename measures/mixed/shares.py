"""How unequal the variances of answers 0 and 1 are, which the mixed model takes to be equal in all sources.

The variance of such an answer is p (1 - p): sources with very different shares cannot have the same one. The model has
one set of variances, somewhere in between: intervals of sources with a larger variance are too narrow, those of the
others too wide.
"""

from dataclasses import dataclass

import numpy as np

from measures.arrays import BoolArray

# A variance that is larger than the common one by this factor makes intervals too narrow to be left without a warning:
# below it they hold in 93 % of studies or more, by simulation (bench/unequal_rates.py).
LARGEST_RATIO = 1.1
# Standard errors by which the logarithm of the ratio of two variances must differ from 0: few answers have any ratio.
SURE = 2.0


@dataclass(frozen=True, slots=True)
class Share:
    """The `ones` of the `n` answers of a source, which are 0 or 1."""

    source: int
    ones: int
    n: int


@dataclass(frozen=True, slots=True)
class UnequalVariances:
    """The ratio of the largest variance to the smallest, and the sources that the common variance does not suit.

    Intervals of `too_narrow` sources are too narrow, because their variance is larger than the common one.
    """

    ratio: float
    too_narrow: tuple[int, ...]
    too_wide: tuple[int, ...]


def unequal_variances(shares: tuple[Share, ...]) -> UnequalVariances | None:
    """Return how unequal the variances of answers are; None if the model's common variance does little harm.

    Shares are shrunken, (x + 2) / (n + 4), so that a source without a 1 has a variance. Answers are taken for
    independent where it is asked whether the ratio is more than noise.
    """
    if len(shares) < 2:
        return None
    n = np.array([each.n for each in shares], float)
    p = (np.array([each.ones for each in shares]) + 2) / (n + 4)
    variance = p * (1 - p)
    error = np.abs(1 - 2 * p) / np.sqrt(n * variance)  # of the logarithm, by the delta method
    low, high = int(variance.argmin()), int(variance.argmax())
    ratio, common = float(variance[high] / variance[low]), float(np.average(variance, weights=n))
    if variance[high] < LARGEST_RATIO * common or np.log(ratio) < SURE * np.hypot(error[low], error[high]):
        return None
    is_wide = (variance <= common / LARGEST_RATIO) | (variance == variance[low])
    return UnequalVariances(ratio, _named(shares, variance >= LARGEST_RATIO * common), _named(shares, is_wide))


def _named(shares: tuple[Share, ...], chosen: BoolArray) -> tuple[int, ...]:
    return tuple(each.source for each, is_chosen in zip(shares, chosen.tolist(), strict=True) if is_chosen)
