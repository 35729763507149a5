"""Plan a comparison of two systems: the dialogues it needs, and the difference that a number of dialogues can detect.

The variance of the mean difference is (s_B + s_W / r) / N + s_A / annotators: dialogues differ in the
difference of the systems (s_B), single ratings scatter (s_W), and annotators differ in which system they
prefer (s_A). Only more annotators reduce the last part.

Source: project statistics, section 4.6. :func:`crossed_power` comes from this project: it averages the normal
power over the possible mean squares of a study.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from measures.arrays import FloatArray
from measures.crossed import complete_batches, crossed_variance
from measures.estimate import TOO_FEW_ITEMS
from measures.intervals import special

MORE_ANNOTATORS = "more_annotators"
COMPONENTS = ("s_between", "s_within", "s_annotator")
# Evenly spread triples instead of random ones give the same result every time, within .005 of a million draws.
N_DRAWS = 1024
# Roberts' generalisation of the golden ratio to three dimensions: the root of x^4 = x + 1, and its powers.
SPREAD = 1.2207440846057596 ** -np.arange(1.0, 4.0)


@dataclass(frozen=True, slots=True)
class Plan:
    """The dialogues needed, or None with the reason 'more_annotators': no number of dialogues is enough."""

    n_dialogues: int | None
    reason: str | None = None


def n_dialogues(
    difference: float,
    ratings: int,
    s_between: float,
    s_within: float,
    *,
    s_annotator: float = 0.0,
    n_annotators: int | None = None,
    power: float = 0.8,
    level: float = 0.05,
) -> Plan:
    """Return the dialogues that detect a difference: ceil of (z_level/2 + z_power)^2 (s_B + s_W / r) / d^2.

    Parameters
    ----------
    difference : float
        In points of the scale (.10 for ten points of a share); its sign does not matter.
    ratings : int
        Ratings of each system per dialogue, r.
    s_between, s_within, s_annotator : float
        Variances of the difference, from :func:`mean_components`.
    n_annotators : int, optional
        Annotators in the whole study; needed with `s_annotator`.
    power, level : float
        Of the two-sided test.
    """
    shared = _annotator_part(s_annotator, n_annotators)
    if not difference:
        raise ValueError("no number of dialogues shows that there is no difference")
    room = difference**2 / multiplier(power, level) - shared
    if room <= 0:
        return Plan(None, MORE_ANNOTATORS)
    needed = _dialogue_part(ratings, s_between, s_within) / room
    # A rounding error must not cost a dialogue.
    return Plan(max(1, math.ceil(needed - 1e-9)))


def fewest_annotators(difference: float, s_annotator: float, *, power: float = 0.8, level: float = 0.05) -> int:
    """Return the annotators below which no number of dialogues is enough; 1 if annotators do not differ."""
    if not difference:
        raise ValueError("no number of annotators shows that there is no difference")
    return math.floor(s_annotator * multiplier(power, level) / difference**2) + 1


def detectable_difference(
    dialogues: int,
    ratings: int,
    s_between: float,
    s_within: float,
    *,
    s_annotator: float = 0.0,
    n_annotators: int | None = None,
    power: float = 0.8,
    level: float = 0.05,
) -> float:
    """Return the smallest difference found with this power: the inverse of :func:`n_dialogues`."""
    if dialogues < 1:
        raise ValueError("a plan has at least one dialogue")
    variance = _dialogue_part(ratings, s_between, s_within) / dialogues + _annotator_part(s_annotator, n_annotators)
    return math.sqrt(multiplier(power, level) * variance)


def power(
    difference: float,
    dialogues: int,
    ratings: int,
    s_between: float,
    s_within: float,
    *,
    s_annotator: float = 0.0,
    n_annotators: int | None = None,
    level: float = 0.05,
) -> float:
    """Return the probability that a study of this size finds the difference, by the normal approximation.

    This is the inverse of :func:`n_dialogues`: the power of the test over dialogues, which generalises to these
    annotators only. 1 without any variance.
    """
    if dialogues < 1:
        raise ValueError("a plan has at least one dialogue")
    variance = _dialogue_part(ratings, s_between, s_within) / dialogues + _annotator_part(s_annotator, n_annotators)
    if not variance:
        return 1.0
    return float(_found(difference, math.sqrt(variance), special().ndtri(1 - level / 2)))


def crossed_power(
    difference: float,
    dialogues: int,
    ratings: int,
    s_between: float,
    s_within: float,
    *,
    n_annotators: int,
    s_annotator: float = 0.0,
    level: float = 0.05,
) -> float | None:
    """Return the probability that :func:`measures.systems.crossed_variance_t` finds the difference.

    Parameters
    ----------
    n_annotators : int
        In the whole study. They form n_annotators // ratings groups of equal size, each with its own dialogues, at
        least two of them; annotators left over have no effect.

    Returns
    -------
    float or None
        None with one rating, for which the test is undefined. Far below :func:`power` for few annotators, even if
        they do not differ: the test has to estimate their variance with groups * (ratings - 1) degrees of freedom.

    Notes
    -----
    The test generalises to new annotators. Mean squares are independent scaled chi-squares, and independent of the
    mean. The power for given mean squares is averaged over 1,024 evenly spread triples.
    """
    dialogue_part = _dialogue_part(ratings, s_between, s_within)
    if ratings < 2 or dialogues < 2 or n_annotators < ratings:
        return None
    groups = min(n_annotators // ratings, dialogues // 2)
    variance = dialogue_part / dialogues + s_annotator / (groups * ratings)
    if not variance:
        return 1.0
    expected = s_within + np.array([ratings * s_between, dialogues / groups * s_annotator, 0.0])
    freedom = np.array([dialogues - groups, groups * (ratings - 1), (dialogues - groups) * (ratings - 1)], float)
    drawn = np.column_stack([_mean_chi_square(each, place) for place, each in enumerate(freedom.tolist())])
    parts = expected * drawn * (np.array([1, 1, -1]) / (dialogues * ratings))
    total, df = _satterthwaite(parts, freedom)
    # The variance that the test estimates (total) is not the true variance of the difference.
    critical = -special().stdtrit(df, level / 2) * np.sqrt(total / variance)
    return float(_found(difference, math.sqrt(variance), critical).mean())


def crossed_dialogues(
    difference: float,
    ratings: int,
    s_between: float,
    s_within: float,
    *,
    n_annotators: int,
    s_annotator: float = 0.0,
    power: float = 0.8,
    level: float = 0.05,
    most: int = 100_000,
) -> Plan:
    """Return the dialogues that give :func:`crossed_power`; 'more_annotators' if `most` are not enough."""

    def reaches(dialogues: int) -> bool:
        found = crossed_power(
            difference, dialogues, ratings, s_between, s_within,
            n_annotators=n_annotators, s_annotator=s_annotator, level=level,
        )  # fmt: skip
        return found is not None and found >= power

    if not reaches(most):
        return Plan(None, MORE_ANNOTATORS)
    # The number needed if annotators did not differ is too small, but near.
    plan = n_dialogues(difference, ratings, s_between, s_within, power=power, level=level)
    low, high = _around(reaches, max(2, plan.n_dialogues or 2), most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reaches(middle) else (middle, high)
    return Plan(high)


def _around(reaches: Callable[[int], bool], guess: int, most: int) -> tuple[int, int]:
    """Return numbers of dialogues that are too few and enough, near a guess, as each power takes 1 to 2 ms."""
    low, high = min(guess, most), most
    if reaches(low):
        return 1, low
    while 2 * low < most and not reaches(2 * low):
        low *= 2
    return low, min(2 * low, high)


def _found(difference: float, error: float, critical: FloatArray | float) -> FloatArray:
    """Return the probability beyond the critical values, on either side."""
    shift = abs(difference) / error
    return np.asarray(special().ndtr(shift - critical) + special().ndtr(-shift - critical))


@lru_cache(maxsize=256)  # many plans of a page share a number, and each takes half a millisecond
def _mean_chi_square(freedom: float, place: int) -> FloatArray:
    """Return (N_DRAWS,) chi-squares over their degrees of freedom."""
    spread = (0.5 + np.arange(1, N_DRAWS + 1) * SPREAD[place]) % 1
    return np.asarray(2 * special().gammaincinv(freedom / 2, spread) / freedom)


def _satterthwaite(parts: FloatArray, freedom: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the variance of the mean and its degrees of freedom as in the test: at least the larger of two parts."""
    total, larger = parts.sum(axis=1), parts[:, :2].argmax(axis=1)
    floor = parts[np.arange(len(parts)), larger]
    is_floored = total <= floor
    kept = np.where(is_floored, 1.0, total)
    return np.where(is_floored, floor, total), np.where(
        is_floored, freedom[larger], kept**2 / (parts**2 / freedom).sum(axis=1)
    )


def multiplier(power: float = 0.8, level: float = 0.05) -> float:
    """Return (z_level/2 + z_power)^2: 7.849 for 80% and 5%."""
    if not 0 < level < 1 or not level / 2 < power < 1:
        raise ValueError("level and power lie between 0 and 1, power above half the level")
    return float(special().ndtri(1 - level / 2) + special().ndtri(power)) ** 2


def _dialogue_part(ratings: int, s_between: float, s_within: float) -> float:
    if ratings < 1 or min(s_between, s_within) < 0:
        raise ValueError("a plan has at least one rating and no negative variance")
    return s_between + s_within / ratings


def _annotator_part(s_annotator: float, n_annotators: int | None) -> float:
    if s_annotator < 0 or (s_annotator and not n_annotators):
        raise ValueError("a variance of annotators is not negative and needs their number")
    return s_annotator / n_annotators if n_annotators else 0.0


@dataclass(frozen=True, slots=True)
class Components:
    """Variances of the difference of two systems, from a pilot.

    Attributes
    ----------
    s_between, s_within, s_annotator : float or None
        Between dialogues, between ratings of a dialogue, between annotators. `s_within` excludes differences
        between annotators that hold for all dialogues: these are `s_annotator`.
    clipped : tuple of str
        Components whose estimate was negative and is reported as 0.
    n_dialogues, n_annotators : int
        Dialogues and annotators that enter the estimates.
    n_dialogues_left_out : int
        Dialogues left out for gaps, or in batches with a single dialogue or annotator.
    reason : str or None
        'too_few_items' without a batch of two dialogues and two annotators.
    n_pairs : int
        Pairs of systems that have an estimate.
    """

    s_between: float | None
    s_within: float | None
    s_annotator: float | None
    clipped: tuple[str, ...]
    n_dialogues: int
    n_annotators: int
    n_dialogues_left_out: int
    reason: str | None = None
    n_pairs: int = 0


def mean_components(pairs: Sequence[Sequence[npt.ArrayLike]]) -> Components:
    """Return variance components by equating mean squares (ANOVA estimators), as means over pairs of systems.

    Parameters
    ----------
    pairs : for each pair, a sequence of (dialogues, annotators) arrays, one per batch
        As for :func:`measures.systems.crossed_variance_t`.

    Returns
    -------
    Components
        Means are taken before negative values become 0: otherwise chance alone would give a positive component.
        Counts are those of the pair with the fewest dialogues, among the pairs that have an estimate.
    """
    every = [_raw_components(pair) for pair in pairs]
    found = [(raw, counts) for raw, counts in every if raw is not None]
    if not found:
        left_out = max((counts[2] for _, counts in every), default=0)
        return Components(None, None, None, (), 0, 0, left_out, TOO_FEW_ITEMS)
    means = np.mean([raw for raw, _ in found], axis=0).tolist()
    clipped = tuple(name for name, value in zip(COMPONENTS, means, strict=True) if value < 0)
    between, within, shared = (max(0.0, value) for value in means)
    return Components(between, within, shared, clipped, *min(counts for _, counts in found), n_pairs=len(found))


def _raw_components(differences: Sequence[npt.ArrayLike]) -> tuple[list[float] | None, tuple[int, int, int]]:
    """Return components between dialogues, within and of annotators, None without crossed batches; and the counts."""
    whole = complete_batches(differences)
    crossed = [batch for batch in whole.batches if min(batch.shape) >= 2]
    dialogues, annotators = (sum(batch.shape[axis] for batch in crossed) for axis in (0, 1))
    counts = (dialogues, annotators, sum(len(np.asarray(batch)) for batch in differences) - dialogues)
    found = crossed_variance(crossed)
    if found is None:
        return None, counts
    dialogue, annotator, residual = found.mean_squares.tolist()
    between, shared = (dialogue - residual) / found.per_dialogue, (annotator - residual) / found.per_annotator
    return [between, residual, shared], counts
