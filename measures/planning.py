"""Plan a comparison of two systems: the dialogues it needs, and the difference that a number of dialogues can detect.

The variance of the mean difference is (s_B + s_W / r) / N + s_A / annotators: dialogues differ in the
difference of the systems (s_B), single ratings scatter (s_W), and annotators differ in which system they
prefer (s_A). Only more annotators reduce the last part.

A test over dialogues asks less: whether the systems differ in the mean of these annotators. Their preferences are then
a part of the difference, not of its error, which is (s_B + s_W / r) / N. They still make its estimate too large where
dialogues have different annotators: the means of the teams differ by s_A (1 / r - 1 / annotators).

Source: project statistics, section 4.6. :func:`crossed_power` and its inverses come from this project: they average
the normal power over the possible mean squares of a study, which :mod:`measures.layouts` knows. Wilson & Hilferty
1931, PNAS 17:684 (chi-squares of many degrees of freedom).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from measures.arrays import FloatArray
from measures.intervals import special
from measures.layouts import Layout, Variances
from measures.two_way import joined

MORE_ANNOTATORS = "more_annotators"
# Evenly spread triples instead of random ones give the same result every time, within .005 of a million draws.
N_DRAWS = 1024
# Roberts' generalisation of the golden ratio to three dimensions: the root of x^4 = x + 1, and its powers.
SPREAD = 1.2207440846057596 ** -np.arange(1.0, 4.0)
MANY = 60.0  # degrees of freedom from which the cube root of a chi-square is as good as normal
MOST = 100_000  # dialogues


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
) -> int:
    """Return the dialogues in which a test over dialogues detects a difference in the mean of these annotators.

    Parameters
    ----------
    difference : float
        In points of the scale (.10 for ten points of a share); its sign does not matter.
    ratings : int
        Ratings of each system per dialogue, r.
    s_between, s_within, s_annotator : float
        Variances of the difference, from :func:`measures.pilots.components_of`, for the mean over a dialogue's turns.
    n_annotators : int, optional
        Annotators in the whole study; needed with `s_annotator`.
    power, level : float
        Of the two-sided test.

    Notes
    -----
    (z_level/2 sqrt(e) + z_power sqrt(s_B + s_W / r))^2 / d^2, rounded up, with e = s_B + s_W / r +
    s_A (1 / r - 1 / annotators): what the dialogues differ by, from which the test estimates its error.
    """
    true, estimated = _over_dialogues(ratings, s_between, s_within, s_annotator, n_annotators)
    if not difference:
        raise ValueError("no number of dialogues shows that there is no difference")
    # A rounding error must not cost a dialogue.
    return max(1, math.ceil(_reach(true, estimated, power, level) ** 2 / difference**2 - 1e-9))


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
    _check_dialogues(dialogues)
    true, estimated = _over_dialogues(ratings, s_between, s_within, s_annotator, n_annotators)
    return _reach(true, estimated, power, level) / math.sqrt(dialogues)


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
    """Return the probability that a test over dialogues finds the difference, by the normal approximation.

    This is the inverse of :func:`n_dialogues`: the difference is that of these annotators' mean, and the test says
    nothing about others. 1 without any variance.
    """
    _check_dialogues(dialogues)
    true, estimated = _over_dialogues(ratings, s_between, s_within, s_annotator, n_annotators)
    if not true:
        return 1.0
    critical = special().ndtri(1 - level / 2) * math.sqrt(estimated / true)
    return float(_found(difference, math.sqrt(true / dialogues), critical))


def crossed_power(difference: float, layout: Layout, variances: Variances, *, level: float = 0.05) -> float | None:
    """Return the probability that a test which generalises to new dialogues and new annotators finds the difference.

    Returns
    -------
    float or None
        None if one dialogue or one annotator is all that there is. Far below :func:`power` for few annotators, even if
        they do not differ: the test has to estimate how much they do.

    Notes
    -----
    The test is a t with the variance that the mean squares of the layout add up to, at least that of dialogues or of
    annotators alone. Mean squares are independent scaled chi-squares, and independent of the mean. The power for given
    mean squares is averaged over 1,024 evenly spread triples.
    """
    if not layout.is_testable:
        return None
    if variances.are_zero:
        return 1.0
    error, critical = _crossed_test(layout, variances, level)
    return float(_found(layout.effect(difference), error, critical).mean())


def crossed_difference(
    layout: Layout, variances: Variances, *, power: float = 0.8, level: float = 0.05
) -> float | None:
    """Return the smallest difference found with this power: the inverse of :func:`crossed_power`, None as there.

    None also if no difference is found so often: sources cannot differ by more than their scores allow.
    """
    if not layout.is_testable:
        return None
    if variances.are_zero:
        return 0.0
    error, critical = _crossed_test(layout, variances, level)
    low, high = 0.0, 1.0
    while _found(high, 1.0, critical).mean() < power:
        low, high = high, 2 * high
    middle = high
    while high - low > 1e-6 * high:
        # Newton's step, or half way if it leads out of what is left.
        gap = _found(middle, 1.0, critical).mean() - power
        low, high = (low, middle) if gap >= 0 else (middle, high)
        middle -= gap / max(float(np.exp(-((middle - critical) ** 2) / 2).mean()) / math.sqrt(2 * math.pi), 1e-12)
        if abs(gap) < 1e-9:
            break
        middle = middle if low < middle < high else (low + high) / 2
    return layout.difference(float(middle * error))


def _crossed_test(layout: Layout, variances: Variances, level: float) -> tuple[float, FloatArray]:
    """Return the true standard error, and the critical values in units of it for each draw of mean squares."""
    squares = layout.mean_squares(variances)
    drawn = np.column_stack([_mean_chi_square(each, place) for place, each in enumerate(squares.freedom.tolist())])
    if squares.are_same:
        drawn[:, 2] = drawn[:, 0]
    total, df = joined((squares.expected * drawn).T, squares.freedom[:, None])
    # The variance that the test estimates (total) is not the true variance of the difference.
    return math.sqrt(squares.variance), -special().stdtrit(df, level / 2) * np.sqrt(total / squares.variance)


def crossed_dialogues(
    difference: float,
    layout: Layout,
    variances: Variances,
    *,
    power: float = 0.8,
    level: float = 0.05,
    most: int = MOST,
) -> Plan:
    """Return the dialogues that give :func:`crossed_power`; 'more_annotators' if `most` are not enough."""

    def reached(dialogues: int) -> float:
        return crossed_power(difference, layout.of_size(dialogues), variances, level=level) or 0.0

    if reached(most) < power:
        return Plan(None, MORE_ANNOTATORS)
    of = layout.of_dialogue(variances)
    parts = _dialogue_part(layout.ratings, of.s_between, of.s_within), of.s_annotator / layout.annotators
    # The number needed if annotators did not differ is too small, but near.
    guess = n_dialogues(difference, layout.ratings, of.s_between, of.s_within, power=power, level=level)
    return Plan(_search(reached, parts, power, level, max(2, guess), most))


def _search(
    reached: Callable[[int], float], parts: tuple[float, float], power: float, level: float, guess: int, most: int
) -> int:
    """Return a number that reaches the power when one less does not; each try takes up to 1 ms."""
    low, high, at, tries = 1, most, min(guess, most), 0
    goal = math.sqrt(multiplier(power, level))
    while high - low > 1:
        found, tries = reached(at), tries + 1
        low, high = (low, at) if found >= power else (at, high)
        # The variance to aim at, as squared quantiles are inverse to it.
        quantile = goal - special().ndtri(power) + special().ndtri(min(max(found, level), 1 - 1e-9))
        room = (parts[0] / at + parts[1]) * (quantile / goal) ** 2 - parts[1]
        aim = parts[0] / room if room > 0 and tries % 6 else math.sqrt(low * high)
        # A step to one less, so that the next one can end the search.
        at = min(max(math.ceil(min(aim, most)) - (found < power), low + 1), high - 1)
    return high


def crossed_annotators(
    difference: float,
    layout: Layout,
    variances: Variances,
    *,
    power: float = 0.8,
    level: float = 0.05,
) -> int | None:
    """Return the fewest annotators in total with whom this layout reaches the power; None if more do not help."""

    def reaches(annotators: int) -> bool:
        of = replace(layout, annotators=annotators)
        return (crossed_power(difference, of, variances, level=level) or 0.0) >= power

    low, high = max(1, layout.ratings - 1), max(2, layout.ratings)
    while not reaches(high):
        low, high = high, 2 * high
        if low >= layout.batches * layout.ratings:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reaches(middle) else (middle, high)
    return high


def _found(difference: float, error: float, critical: FloatArray | float) -> FloatArray:
    """Return the probability beyond the critical values, on either side."""
    shift = abs(difference) / error
    return np.asarray(special().ndtr(shift - critical) + special().ndtr(-shift - critical))


@lru_cache(maxsize=256)  # many plans of a page share a number, and each takes half a millisecond
def _mean_chi_square(freedom: float, place: int) -> FloatArray:
    """Return (N_DRAWS,) chi-squares over their degrees of freedom."""
    if freedom >= MANY:
        part = 2 / (9 * freedom)
        return np.asarray((1 - part + _normal(place) * math.sqrt(part)) ** 3)
    return np.asarray(2 * special().gammaincinv(freedom / 2, _spread(place)) / freedom)


@lru_cache(maxsize=3)
def _normal(place: int) -> FloatArray:
    return np.asarray(special().ndtri(_spread(place)))


def _spread(place: int) -> FloatArray:
    return np.asarray((0.5 + np.arange(1, N_DRAWS + 1) * SPREAD[place]) % 1)


def multiplier(power: float = 0.8, level: float = 0.05) -> float:
    """Return (z_level/2 + z_power)^2: 7.849 for 80% and 5%."""
    return sum(quantiles(power, level)) ** 2


def quantiles(power: float = 0.8, level: float = 0.05) -> tuple[float, float]:
    """Return z_level/2 and z_power: 1.960 and 0.842 for 5% and 80%."""
    if not 0 < level < 1 or not level / 2 < power < 1:
        raise ValueError("level and power lie between 0 and 1, power above half the level")
    return float(special().ndtri(1 - level / 2)), float(special().ndtri(power))


def _reach(true: float, estimated: float, power: float, level: float) -> float:
    """Return the difference that one dialogue would find: what the test asks for, and its own error."""
    asked, own = quantiles(power, level)
    return asked * math.sqrt(estimated) + own * math.sqrt(true)


def _over_dialogues(
    ratings: int, s_between: float, s_within: float, s_annotator: float, n_annotators: int | None
) -> tuple[float, float]:
    """Return the variance of a dialogue for given annotators, and the one that a test over dialogues estimates."""
    if s_annotator < 0 or (s_annotator and not n_annotators):
        raise ValueError("a variance of annotators is not negative and needs their number")
    true = _dialogue_part(ratings, s_between, s_within)
    teams = s_annotator * (1 / ratings - 1 / max(n_annotators, ratings)) if n_annotators else 0.0
    return true, true + teams


def _dialogue_part(ratings: int, s_between: float, s_within: float) -> float:
    if ratings < 1 or min(s_between, s_within) < 0:
        raise ValueError("a plan has at least one rating and no negative variance")
    return s_between + s_within / ratings


def _check_dialogues(dialogues: int) -> None:
    if dialogues < 1:
        raise ValueError("a plan has at least one dialogue")
