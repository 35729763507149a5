"""Intervals of a ranking, computed again from the words of docs/statistics.md, "An interval of the ranking by hand"."""

import math
from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from bench.rank_coverage_model import Preferences
from measures.arrays import FloatArray, IntArray
from measures.estimate import Estimate
from measures.preferences.comparisons import BOTH_BAD, LEFT, TIE, Comparisons
from measures.preferences.ranking import Ranking, rank

N_SOURCES = 4


def unequal_answers(seed: int) -> Comparisons:
    """Return ties, answers on both sides and few annotators with unequal loads; each cluster says more than 1 %."""
    design = Preferences(
        n_conversations=16,
        n_pairs=3,
        n_annotators=6,
        n_votes=4,
        of_conversation=0.5,
        of_annotator=0.4,
        strengths=(0.5, 0.1, -0.1, -0.5),
    )
    rng = np.random.default_rng(seed)
    drawn = design.draw(rng)
    return drawn.where((rng.random(len(drawn)) < 0.3 + 0.14 * drawn.annotator) & (drawn.outcome != BOTH_BAD))


class ByHand:
    """Davidson's model with a side as three classes: their scores are linear in strengths, side and log nu."""

    def __init__(self, of: Comparisons, found: Ranking) -> None:
        self.of, n = of, len(of)
        eta = np.zeros((n, N_SOURCES + 2))
        eta[np.arange(n), of.left], eta[np.arange(n), of.right], eta[:, -2] = 1, -1, 1
        tie = np.zeros_like(eta)
        tie[:, -1] = 1
        # The strengths add up to 0: the last one is minus the sum of the others.
        self.free = np.delete(np.eye(N_SOURCES + 2), N_SOURCES - 1, axis=0)
        self.free[: N_SOURCES - 1, N_SOURCES - 1] = -1
        columns = np.stack([eta / 2, tie, -eta / 2], axis=1) @ self.free.T
        theta = np.array([known(each.strength) for each in found.sources[:-1]] + [known(found.side_bias)])
        theta = np.append(theta, math.log(known(found.tie)))
        chances = np.exp(columns @ theta)
        chances /= chances.sum(axis=1, keepdims=True)
        mean = np.einsum("nk,nkp->np", chances, columns)
        given = np.where(of.outcome == LEFT, 0, np.where(of.outcome == TIE, 1, 2))
        self.scores = columns[np.arange(n), given] - mean
        self.information = np.einsum("nk,nkp,nkq->npq", chances, columns, columns) - mean[:, :, None] * mean[:, None]
        self.inverse = np.linalg.inv(self.information.sum(axis=0))

    def groups(self, by: IntArray) -> list[tuple[FloatArray, FloatArray]]:
        return [(self.scores[by == g].sum(axis=0), self.information[by == g].sum(axis=0)) for g in np.unique(by)]

    def variance(self, by: IntArray, c: FloatArray) -> float:
        whole, groups = self.information.sum(axis=0), self.groups(by)
        moved = [c @ np.linalg.solve(whole - information, score) for score, information in groups]
        return float(np.square(moved).sum() * (len(groups) - 1) / len(groups))

    def freedom(self, by: IntArray, b: FloatArray) -> float:
        told = np.array([b @ self.inverse @ information @ self.inverse @ b for _, information in self.groups(by)])
        return float(told.sum() ** 2 / np.square(told).sum() - 1)

    def half_of_interval(self, c: FloatArray, *basis: FloatArray) -> float:
        kinds = (self.of.annotator, self.of.cluster)
        one, two = (self.variance(by, c) for by in kinds)
        f_one, f_two = (min(self.freedom(by, b) for b in basis) for by in kinds)
        both = self.of.annotator * len(self.of) + self.of.cluster
        twice = sum(float(c @ self.inverse @ score) ** 2 for score, _ in self.groups(both))
        whole = one + two - twice
        f = whole**2 / (one**2 / f_one + two**2 / f_two)
        if whole <= max(one, two):
            whole, f = max((one, f_one), (two, f_two))
        return float(stats.t.ppf(0.975, max(f, 1)) * math.sqrt(whole))

    def contrast(self, place: int) -> FloatArray:
        """Return what the strength, the side (-2) or log nu (-1) at a place is of the free parameters."""
        return np.asarray(self.free[:, place], float)


def known(found: Estimate) -> float:
    assert found.value is not None
    return found.value


def half(found: Estimate, scale: Callable[[float], float] = float) -> float:
    assert found.low is not None
    assert found.high is not None
    return (scale(found.high) - scale(found.low)) / 2


def log_odds(chance: float) -> float:
    return math.log(chance / (1 - chance))


@pytest.mark.parametrize("seed", range(4))
def test_intervals_are_those_that_the_documentation_describes(seed: int) -> None:
    of = unequal_answers(seed)
    found = rank(of)
    by_hand = ByHand(of, found)
    for at, source in enumerate(found.sources):
        b = by_hand.contrast(at)
        assert half(source.strength) == pytest.approx(by_hand.half_of_interval(b, b), rel=1e-6)
    for name, estimate, scale in ((-2, found.side_bias, float), (-1, found.tie, math.log)):
        b = by_hand.contrast(name)
        assert half(estimate, scale) == pytest.approx(by_hand.half_of_interval(b, b), rel=1e-6)
    for pair, (first, second) in zip(found.pairs, combinations(range(N_SOURCES), 2), strict=True):
        one, two = by_hand.contrast(first), by_hand.contrast(second)
        assert half(pair.difference) == pytest.approx(by_hand.half_of_interval(one - two, one, two), rel=1e-6)


def test_the_win_rate_of_a_pair_has_its_interval_on_the_scale_of_log_odds() -> None:
    of = unequal_answers(5)
    found = rank(of)
    by_hand = ByHand(of, found)
    pair, nu = found.pairs[0], known(found.tie)
    one, two, tie = by_hand.contrast(0), by_hand.contrast(1), by_hand.contrast(-1)

    def rate(difference: float, log_nu: float) -> float:
        first, neither, second = math.exp(difference / 2), math.exp(log_nu), math.exp(-difference / 2)
        return log_odds((first + neither / 2) / (first + neither + second))

    eta, step = known(pair.difference), 1e-5
    by_eta = (rate(eta + step, math.log(nu)) - rate(eta - step, math.log(nu))) / (2 * step)
    by_tie = (rate(eta, math.log(nu) + step) - rate(eta, math.log(nu) - step)) / (2 * step)
    c = by_eta * (one - two) + by_tie * tie
    assert half(pair.win_rate, log_odds) == pytest.approx(by_hand.half_of_interval(c, one, two), rel=1e-5)
