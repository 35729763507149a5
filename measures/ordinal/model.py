"""Fit a cumulative-link mixed model by Laplace's approximation, and say the odds ratios of sources.

log odds of an answer above k = eta - threshold(k), eta = source + annotator + annotator x source + conversation + ...,
with normal random effects. For given parameters the effects are at their most likely place, which Newton's method
finds; the marginal likelihood is that of a normal distribution around it. Its gradient is exact.

Sources: McCullagh 1980, J. R. Stat. Soc. B 42:109; Tutz & Hennevogl 1996, Comput. Stat. Data Anal. 22:537; Christensen
2023, ordinal (clmm, the same approximation); Skaug & Fournier 2006, Comput. Stat. Data Anal. 51:699 (its gradient).
"""

from dataclasses import dataclass

import numpy as np

from measures.arrays import FloatArray, IntArray
from measures.mixed.design import Ratings
from measures.ordinal.answers import Likelihood, likelihood
from measures.ordinal.effects import Levels, System

MOST_STEPS, MOST_HALVINGS, ENOUGH = 100, 30, 1e-13


@dataclass(frozen=True, eq=False)
class Parameters:
    """Thresholds (K-1), sources beside the first (S-1), and standard deviations in the order of the levels' columns."""

    thresholds: FloatArray
    sources: FloatArray
    sds: FloatArray

    @classmethod
    def of(cls, vector: FloatArray, n_thresholds: int, n_sources: int) -> "Parameters":
        """Thresholds are the first one and the logs of the steps up from it, so that they always ascend."""
        first, steps, sources, sds = np.split(vector, [1, n_thresholds, n_thresholds + n_sources - 1])
        return cls(np.cumsum(np.concatenate([first, np.exp(steps)])), np.append(0.0, sources), sds)


@dataclass(frozen=True, eq=False)
class Fitted:
    """The deviance (minus twice the log-likelihood) at one place, and its gradient by the vector of parameters."""

    deviance: float
    gradient: FloatArray


class CumulativeModel:
    """The marginal likelihood of answers, as a function of a vector of parameters."""

    def __init__(self, ratings: Ratings, answer: IntArray, effects: tuple[str, ...]) -> None:
        self.answer, self.source = answer, ratings.source
        self.levels = Levels.of(ratings, effects)
        self.at = [self.levels.at(column) for column in range(len(effects))]
        self.n_levels = self.levels.n_within + self.levels.n_wide
        self.n_thresholds = int(answer.max())
        self.n_sources = int(ratings.source.max()) + 1
        self.mode = np.zeros(self.n_levels)

    def start(self) -> FloatArray:
        """Return the thresholds of all answers together, no differences, and standard deviations of one half."""
        below = np.cumsum(np.bincount(self.answer))[:-1] / len(self.answer)
        thresholds = np.log(below / (1 - below))
        return np.concatenate(
            [thresholds[:1], np.log(np.diff(thresholds)), np.zeros(self.n_sources - 1), np.full(len(self.at), 0.5)]
        )

    def __call__(self, vector: FloatArray) -> Fitted:
        at = Parameters.of(vector, self.n_thresholds, self.n_sources)
        found, system = self._most_likely(at)
        value = 2 * (0.5 * float(self.mode @ self.mode) - float(found.log.sum())) + system.log_determinant
        return Fitted(value, -2 * self._gradient(vector, at, found, system))

    def _eta(self, at: Parameters, effects: FloatArray) -> FloatArray:
        eta = at.sources[self.source]
        for sd, place in zip(at.sds, self.at, strict=True):
            eta = eta + sd * effects[place]
        return eta

    def _onto_levels(self, per_rating: FloatArray, sds: FloatArray) -> FloatArray:
        """Return Z' times a vector over ratings."""
        found = np.zeros(self.n_levels)
        for sd, place in zip(sds, self.at, strict=True):
            found += sd * np.bincount(place, per_rating, self.n_levels)
        return found

    def _most_likely(self, at: Parameters) -> tuple[Likelihood, System]:
        """Move `mode` to the most likely effects, and return the likelihood and the second derivatives there."""
        found = likelihood(self.answer, self._eta(at, self.mode), at.thresholds)
        for _ in range(MOST_STEPS):
            # The weights are positive: the logistic distribution's likelihood is concave.
            system = System.of(self.levels, np.maximum(found.w, 0.0), at.sds)
            slope = self._onto_levels(found.by_eta, at.sds) - self.mode
            step = system.solve(slope)
            if float(slope @ step) < ENOUGH:
                return found, system
            found = self._climb(at, step, float(found.log.sum()) - 0.5 * float(self.mode @ self.mode))
        return found, System.of(self.levels, np.maximum(found.w, 0.0), at.sds)

    def _climb(self, at: Parameters, step: FloatArray, now: float) -> Likelihood:
        for _ in range(MOST_HALVINGS):
            there = self.mode + step
            found = likelihood(self.answer, self._eta(at, there), at.thresholds)
            if float(found.log.sum()) - 0.5 * float(there @ there) >= now:
                break
            step = step / 2
        self.mode = there
        return found

    def _gradient(self, vector: FloatArray, at: Parameters, found: Likelihood, system: System) -> FloatArray:
        """Differentiate the log-likelihood; the most likely effects move with the parameters."""
        entries = system.of_ratings()
        q = at.sds @ entries  # the variance of each rating's predictor, given the answers
        pull = system.solve(self._onto_levels(-0.5 * q * found.w_eta, at.sds))
        v = sum((sd * pull[place] for sd, place in zip(at.sds, self.at, strict=True)), np.zeros(len(q)))
        of_a = found.by_a - 0.5 * q * found.w_a + v * found.eta_a
        of_c = found.by_c - 0.5 * q * found.w_c + v * found.eta_c
        k = self.n_thresholds
        by_threshold = np.bincount(self.answer, of_a, k + 1)[:k] + np.bincount(self.answer, of_c, k + 1)[1:]
        by_source = np.bincount(self.source, -(of_a + of_c), self.n_sources)[1:]
        by_sd = []
        for place, entry in zip(self.at, entries, strict=True):
            own = self.mode[place]
            by_sd.append(float((-(of_a + of_c) * own + found.by_eta * pull[place] - found.w * entry).sum()))
        steps = np.exp(vector[1:k])
        above = np.cumsum(by_threshold[::-1])[::-1]  # a step moves all thresholds from its own one on
        return np.concatenate([above[:1], above[1:] * steps, by_source, by_sd])
