"""Confidence intervals of proportions, by t and by the item bootstrap over patterns, and guards for small samples."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Required, TypedDict, Unpack

import numpy as np

from measures.arrays import CountArray, FloatArray, IntArray, whole
from measures.estimate import NO_SPREAD, NO_VARIATION, TOO_FEW_ITEMS, Estimate
from measures.histograms import Histogram

# (B, P) items per pattern in each of B resamples -> (B,) values, NaN where undefined.
Kernel = Callable[[FloatArray], FloatArray]
KernelMaker = Callable[[IntArray], Kernel]
# (C,) units per kind, B, generator -> (B, C) resampled units per kind.
Draw = Callable[[IntArray, int, np.random.Generator], IntArray]

RARE_ANSWERS = "rare_answers"
UNRELIABLE = "unreliable"
UNSTABLE_BOOTSTRAP = "unstable_bootstrap"

# From the measured coverage of nominal 95% intervals (statistics 3.3).
FEWEST_ITEMS = 10
FEWEST_RELIABLE_ITEMS = 20
FEWEST_ITEMS_WHEN_RARE = 100
RARE_SHARE = 0.10
MOST_DROPPED = 0.05
ROUNDING = 1e-12  # values of a coefficient that differ by less are the same value
# Resamples are drawn in blocks of at most this many cells (8 bytes each), for any number of patterns.
CELLS_PER_BLOCK = 4_000_000
# The acceleration of BCa needs one replicate per pattern, that is P * P cells.
MOST_PATTERNS_FOR_BCA = 4_000


@cache
def special() -> ModuleType:
    """Return scipy.special, imported at its first use: otherwise all processes would start 0.3 seconds later."""
    from scipy import special as module

    return module


@dataclass(frozen=True, slots=True)
class Interval:
    """Limits, or a note that says why there are none; `n_dropped` undefined replicates were left out."""

    low: float | None
    high: float | None
    note: str | None = None
    n_dropped: int = 0


class Resampling(TypedDict, total=False):
    """How a bootstrap draws.

    The same seed gives the same interval. BCa (Efron 1987) takes the acceleration from deleting one unit of each kind;
    'percentile' is used if it is asked for, and beyond 4,000 kinds.
    """

    seed: Required[int]
    n_resamples: int  # 2,000
    level: float  # 0.95
    method: str  # 'bca' or 'percentile'


def wilson(successes: float, n: float, level: float = 0.95) -> Interval:
    """Wilson score interval of a proportion (Wilson 1927); none without trials.

    Parameters
    ----------
    successes, n : float
        0 <= successes <= n. Whole numbers, except for effective sizes of weighted samples.
    level : float
        Two-sided confidence, 0 < level < 1.
    """
    _check_proportion(successes, n, level)
    if n == 0:
        return Interval(None, None, TOO_FEW_ITEMS)
    z = float(special().ndtri((1 + level) / 2))
    share, scale = successes / n, 1 + z * z / n
    centre = (share + z * z / (2 * n)) / scale
    half = z / scale * float(np.sqrt(share * (1 - share) / n + z * z / (4 * n * n)))
    # At 0 and n one end is exact; rounding would leave 1e-17 there.
    low = 0.0 if successes == 0 else centre - half
    return Interval(low, 1.0 if successes == n else centre + half)


def clopper_pearson(successes: int, n: int, level: float = 0.95) -> Interval:
    """Exact interval of a proportion (Clopper & Pearson 1934), for guarantees; none without trials."""
    _check_proportion(successes, n, level)
    if n == 0:
        return Interval(None, None, TOO_FEW_ITEMS)
    tail = (1 - level) / 2
    low = 0.0 if successes == 0 else float(special().betaincinv(successes, n - successes + 1, tail))
    high = 1.0 if successes == n else float(special().betaincinv(successes + 1, n - successes, 1 - tail))
    return Interval(low, high)


def _check_proportion(successes: float, n: float, level: float) -> None:
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes in {n} trials")
    if not 0 < level < 1:
        raise ValueError(f"a confidence level lies between 0 and 1, not {level}")


def t_interval(
    estimate: Estimate,
    degrees_of_freedom: float,
    level: float = 0.95,
    bounds: tuple[float, float] = (-1.0, 1.0),
) -> Estimate:
    """Add value +- t * standard error, clipped to `bounds`.

    There is no interval for an undefined value, without degrees of freedom, or if the standard error is zero:
    items that are all alike do not show how much items differ ('no_spread').
    """
    if estimate.value is None:
        return estimate
    if estimate.standard_error is None or degrees_of_freedom < 1:
        return estimate.with_interval(None, None, estimate.interval_note or TOO_FEW_ITEMS)
    # An SE that consists of rounding errors counts as zero.
    if estimate.standard_error < 1e-12:
        return estimate.with_interval(None, None, NO_SPREAD)
    half = float(special().stdtrit(degrees_of_freedom, (1 + level) / 2)) * estimate.standard_error
    # A kappa can be below -1 if items with one rating make up most of the chance; the limits must still include it.
    low = max(min(bounds[0], estimate.value), estimate.value - half)
    high = min(max(bounds[1], estimate.value), estimate.value + half)
    return estimate.with_interval(low, high)


def interval_guard(n_rated: int, rarer_share: float | None = None) -> tuple[bool, str | None]:
    """Return whether to show an interval of agreement, and the word to print (statistics 3.3).

    Parameters
    ----------
    n_rated : int
        Items with two or more ratings.
    rarer_share : float, optional
        Share of all ratings on every answer but the most frequent one.

    Returns
    -------
    show_interval : bool
    word : {'too_few_items', 'rare_answers', 'unreliable'} or None
        In this order: fewer than 10 items; rarer answers under 10% and fewer than 100 items; 10 to 19 items
        (shown, but unreliable).
    """
    if n_rated < FEWEST_ITEMS:
        return False, TOO_FEW_ITEMS
    if rarer_share is not None and rarer_share < RARE_SHARE and n_rated < FEWEST_ITEMS_WHEN_RARE:
        return False, RARE_ANSWERS
    return True, UNRELIABLE if n_rated < FEWEST_RELIABLE_ITEMS else None


def guard_of(square: CountArray) -> tuple[bool, str | None]:
    """Return :func:`interval_guard` for Cohen's kappa of this (K, K) table of answers."""
    margins = square.sum(axis=0) + square.sum(axis=1)
    return interval_guard(int(square.sum()), 1 - float(margins.max() / margins.sum()))


def guarded(estimate: Estimate, histogram: Histogram) -> Estimate:
    """Apply :func:`interval_guard` with the counts of `histogram`; the value itself stays."""
    largest = histogram.largest_share
    show, word = interval_guard(histogram.n_rated, None if largest is None else 1 - largest)
    if estimate.value is None:
        return estimate
    if not show:
        return estimate.with_interval(None, None, word)
    return estimate.with_interval(estimate.low, estimate.high, estimate.interval_note or word)


def multinomial_counts(counts: IntArray, n_resamples: int, rng: np.random.Generator) -> IntArray:
    """Draw (n_resamples, C) counts of the units behind `counts` (C,), with replacement."""
    n = int(counts.sum())
    return rng.multinomial(n, counts / n, size=n_resamples)


def replicates(
    counts: IntArray, kernel: Kernel, n_resamples: int, seed: int, draw: Draw = multinomial_counts
) -> FloatArray:
    """Return (n_resamples,) values of `kernel` on resampled `counts` (C,), drawn in blocks to limit memory."""
    rng = np.random.default_rng(seed)
    block = max(1, CELLS_PER_BLOCK // max(1, len(counts)))
    sizes = [min(block, n_resamples - done) for done in range(0, n_resamples, block)]
    return np.concatenate([kernel(draw(counts, size, rng).astype(float)) for size in sizes])


def bootstrap_interval(histogram: Histogram, kernel_maker: KernelMaker, **how: Unpack[Resampling]) -> Interval:
    """Item bootstrap interval of a coefficient.

    Parameters
    ----------
    histogram : Histogram
    kernel_maker : callable
        Takes the patterns (P, K) and returns the vectorised coefficient (B, P) -> (B,).

    Notes
    -----
    Undefined replicates are dropped and counted. There is no interval with more than 5% of them
    ('unstable_bootstrap'), or if all replicates are equal ('no_spread').
    """
    return bootstrap_intervals(histogram, [kernel_maker], **how)[0]


def bootstrap_intervals(
    histogram: Histogram, kernel_makers: Sequence[KernelMaker], **how: Unpack[Resampling]
) -> list[Interval]:
    """Return :func:`bootstrap_interval` for each coefficient; all use the same resamples, drawn once."""
    if histogram.n_rated < 2:
        return [Interval(None, None, TOO_FEW_ITEMS) for _ in kernel_makers]
    kernel = together([maker(histogram.patterns) for maker in kernel_makers])
    return intervals_of_counts(whole(histogram.counts), kernel, **how)


def interval_of_counts(
    counts: IntArray, kernel: Kernel, *, draw: Draw = multinomial_counts, **how: Unpack[Resampling]
) -> Interval:
    """Bootstrap interval of any value that is a function of the number of units of each kind.

    Parameters
    ----------
    counts : (C,) int array
        Units of each kind: items per pattern, items per cell of an answer table, dialogues per kind.
    kernel : callable
        (B, C) counts -> (B,) values, NaN where undefined.
    draw : callable
        How to draw resampled counts; multinomial by default.

    Notes
    -----
    Those of :func:`bootstrap_interval`.
    """
    return intervals_of_counts(counts, together([kernel]), draw=draw, **how)[0]


def together(kernels: Sequence[Kernel]) -> Kernel:
    """Return a kernel of several values of the same units, (B, C) counts -> (B, F): one draw serves all."""
    return lambda counts: np.stack([kernel(counts) for kernel in kernels], axis=1)


def in_both_orders(maker: KernelMaker, mirror: Sequence[int] | None) -> KernelMaker:
    """Return the maker of the same coefficient over data in both orders, see :meth:`Histogram.in_both_orders`.

    Units stay whole items: each brings its mirror image along when it is drawn or left out.
    """
    if mirror is None:
        return maker

    def make(patterns: IntArray) -> Kernel:
        kernel = maker(np.concatenate([patterns, patterns[:, list(mirror)]]))
        return lambda counts: kernel(np.tile(counts / 2, (1, 2)))

    return make


def intervals_of_counts(
    counts: IntArray,
    kernels: Kernel,
    *,
    seed: int,
    n_resamples: int = 2000,
    level: float = 0.95,
    method: str = "bca",
    draw: Draw = multinomial_counts,
) -> list[Interval]:
    """Return :func:`interval_of_counts` for each of the values that :func:`together` put into one kernel."""
    if method not in ("bca", "percentile"):
        raise ValueError(f"bootstrap intervals are bca or percentile, not {method!r}")
    values = kernels(counts[None, :].astype(float))[0]
    if np.isnan(values).all():
        return [Interval(None, None, NO_VARIATION) for _ in values]
    drawn = replicates(counts, kernels, n_resamples, seed, draw)
    left_out = _left_out(counts, kernels) if method == "bca" and len(counts) <= MOST_PATTERNS_FOR_BCA else None
    return [
        _interval(value, drawn[:, at], counts, None if left_out is None else left_out[:, at], level)
        for at, value in enumerate(values.tolist())
    ]


def _interval(value: float, drawn: FloatArray, kinds: IntArray, left_out: FloatArray | None, level: float) -> Interval:
    if np.isnan(value):
        return Interval(None, None, NO_VARIATION)
    values = drawn[np.isfinite(drawn)]
    dropped = len(drawn) - len(values)
    if dropped > MOST_DROPPED * len(drawn):
        return Interval(None, None, UNSTABLE_BOOTSTRAP, dropped)
    if np.ptp(values) < ROUNDING:
        return Interval(None, None, NO_SPREAD, dropped)
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    if left_out is not None:
        tails = _bca_tails(tails, values, value, _acceleration(kinds, left_out))
    low, high = np.quantile(values, tails)
    return Interval(float(low), float(high), None, dropped)


def _left_out(kinds: IntArray, kernels: Kernel) -> FloatArray:
    """Return (C, F) the values without one unit of each kind."""
    counts = kinds.astype(float)
    block = max(1, CELLS_PER_BLOCK // len(counts))
    parts = [
        kernels(counts[None, :] - np.eye(min(block, len(counts) - start), len(counts), start))
        for start in range(0, len(counts), block)
    ]
    return np.concatenate(parts)


def _acceleration(kinds: IntArray, left_out: FloatArray) -> float:
    """Return the acceleration from the skewness of leave-one-unit-out values (C,); units of one kind share a value."""
    counts = kinds.astype(float)
    defined = np.isfinite(left_out)
    weights, left_out = counts[defined], left_out[defined]
    if not weights.size:
        return 0.0
    deviation = np.average(left_out, weights=weights) - left_out
    spread = float(weights @ deviation**2)
    return float(weights @ deviation**3) / (6 * spread**1.5) if spread > ROUNDING**2 else 0.0


def _bca_tails(tails: FloatArray, values: FloatArray, value: float, acceleration: float) -> FloatArray:
    """Return bias-corrected and accelerated quantile levels; ties with the value, up to rounding, count half."""
    ties = np.abs(values - value) < ROUNDING
    below = np.mean((values < value) & ~ties) + np.mean(ties) / 2
    if not 0 < below < 1:
        return tails
    bias = special().ndtri(below)
    shifted = bias + special().ndtri(tails)
    return np.asarray(special().ndtr(bias + shifted / (1 - acceleration * shifted)), float)
