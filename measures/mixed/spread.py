"""Measure how much the variances of answers differ between sources. The mixed model has one variance for all.

The variance of an answer that is 0 or 1 is p (1 - p): sources with very different shares cannot have the same one. Nor
can a source on a scale, if nearly all of its answers are at an end. The model has one set of variances, somewhere in
between: intervals of sources with a larger variance are too narrow, those of the others too wide.
"""

from dataclasses import dataclass

import numpy as np

from measures.arrays import BoolArray, FloatArray, IntArray

# A variance that is larger than the common one by this factor makes intervals too narrow to be left without a warning:
# below it they hold in 93 % of studies or more, by simulation (bench/unequal_rates.py).
LARGEST_RATIO = 1.1
# Standard errors by which the logarithm of the ratio of two variances must differ from 0: few answers have any ratio.
SURE = 2.0
# Answers that vary as those of all sources do, so that a source whose answers are all the same has a variance.
ADDED = 4


@dataclass(frozen=True, slots=True)
class Spread:
    """The `variance` of the `n` answers about a source, and the standard `error` of its logarithm."""

    source: int
    n: int
    variance: float
    error: float


@dataclass(frozen=True, slots=True)
class UnequalVariances:
    """The ratio of the largest variance to the smallest, and the sources that the common variance does not suit.

    Intervals of `too_narrow` sources are too narrow, because their variance is larger than the common one.
    """

    ratio: float
    too_narrow: tuple[int, ...]
    too_wide: tuple[int, ...]


def spreads_of(source: IntArray, value: FloatArray, present: IntArray, *, is_binary: bool) -> tuple[Spread, ...]:
    """Return the spread of each source. `present` has their names; `source` are places in it."""
    if not len(value):
        return ()
    n = np.bincount(source).astype(float)
    mean = np.bincount(source, value) / n
    if is_binary:
        return tuple(
            share_spread(*each) for each in zip(present.tolist(), (mean * n).tolist(), n.tolist(), strict=True)
        )
    apart = (value - mean[source]) ** 2
    common = apart.mean()
    variance = (np.bincount(source, apart) + ADDED * common) / (n + ADDED)
    fourth = (np.bincount(source, apart**2) + ADDED * (apart**2).mean()) / (n + ADDED)
    with np.errstate(invalid="ignore"):
        error = np.sqrt(np.maximum(fourth / variance**2 - 1, 0) / n)
    columns = (present, n.astype(int), variance, error)
    return tuple(Spread(*each) for each in zip(*(each.tolist() for each in columns), strict=True))


def share_spread(source: int, ones: float, n: float) -> Spread:
    """Return the spread of answers of which so many are 1, the others 0.

    The share is shrunken, (x + 2) / (n + 4), so that a source without a 1 has a variance. The error is that of the
    delta method.
    """
    p = (ones + ADDED / 2) / (n + ADDED)
    variance = p * (1 - p)
    return Spread(source, int(n), variance, abs(1 - 2 * p) / (n * variance) ** 0.5)


def unequal_variances(spreads: tuple[Spread, ...]) -> UnequalVariances | None:
    """Return how unequal the variances of answers are; None if the model's common variance does little harm.

    Answers are taken for independent where it is asked whether the ratio is more than noise.
    """
    if len(spreads) < 2:
        return None
    n, variance, error = (np.array([getattr(each, name) for each in spreads]) for name in ("n", "variance", "error"))
    low, high = int(variance.argmin()), int(variance.argmax())
    common = float(np.average(variance, weights=n))
    if not variance[low] > 0 or variance[high] < LARGEST_RATIO * common:
        return None
    ratio = float(variance[high] / variance[low])
    if np.log(ratio) < SURE * np.hypot(error[low], error[high]):
        return None
    is_wide = (variance <= common / LARGEST_RATIO) | (variance == variance[low])
    return UnequalVariances(ratio, _named(spreads, variance >= LARGEST_RATIO * common), _named(spreads, is_wide))


def _named(spreads: tuple[Spread, ...], chosen: BoolArray) -> tuple[int, ...]:
    return tuple(each.source for each, is_chosen in zip(spreads, chosen.tolist(), strict=True) if is_chosen)
