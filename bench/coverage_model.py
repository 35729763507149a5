"""Studies drawn at random whose true figures follow from how they are drawn, and are never estimated from a sample."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import stats

from measures.arrays import FloatArray, IntArray
from measures.histograms import Histogram


@dataclass(frozen=True)
class Votes:
    """Yes-or-no judgements of independent items by raters who are equally good.

    An item is truly positive with probability `prevalence`. A rater sees what it is with probability sqrt(kappa),
    and otherwise says yes with probability `prevalence`. So the chance of a yes differs between items with variance
    kappa * prevalence * (1 - prevalence), which makes `kappa` the Fleiss' kappa of endlessly many items, exactly.
    """

    n_items: int
    n_raters: int
    prevalence: float
    kappa: float

    @property
    def chances(self) -> FloatArray:
        """(2,) chance of a yes on a negative and on a positive item."""
        skill = math.sqrt(self.kappa)
        return skill * np.array([0.0, 1.0]) + (1 - skill) * self.prevalence

    @property
    def weights(self) -> FloatArray:
        """(2,) share of negative and of positive items."""
        return np.array([1 - self.prevalence, self.prevalence])

    @property
    def agreement(self) -> float:
        """True share of agreeing pairs."""
        return 1 - 2 * self.prevalence * (1 - self.prevalence) * (1 - self.kappa)

    @property
    def ac1(self) -> float:
        chance = 2 * self.prevalence * (1 - self.prevalence)
        return (self.agreement - chance) / (1 - chance)

    @property
    def majority_kappa(self) -> float:
        """Cohen's kappa of a rater with the majority of the others, ties left out: the joint table, summed up."""
        others = np.arange(self.n_raters)
        votes = stats.binom.pmf(others, self.n_raters - 1, self.chances[:, None])
        yes = votes[:, 2 * others > self.n_raters - 1].sum(axis=1)
        no = votes[:, 2 * others < self.n_raters - 1].sum(axis=1)
        own = np.stack([1 - self.chances, self.chances])
        return kappa_of(own * self.weights @ np.stack([no, yes]).T)

    def yes(self, times: int, rng: np.random.Generator) -> IntArray:
        """(times, items) votes for yes."""
        is_positive = rng.random((times, self.n_items)) < self.prevalence
        return rng.binomial(self.n_raters, self.chances[is_positive.astype(int)])

    def histograms(self, times: int, rng: np.random.Generator) -> list[tuple[Histogram, int]]:
        """The different histograms of so many studies, and how many studies have each."""
        n_yes = np.arange(self.n_raters + 1)
        places = self.yes(times, rng) + np.arange(times)[:, None] * len(n_yes)
        counts = np.bincount(places.ravel(), minlength=times * len(n_yes)).reshape(times, -1)
        kinds, often = np.unique(counts, axis=0, return_counts=True)
        patterns = np.stack([n_yes, self.n_raters - n_yes], axis=1)
        return [(Histogram(patterns, kind), int(n)) for kind, n in zip(kinds, often, strict=True)]

    def codes(self, times: int, rng: np.random.Generator) -> IntArray:
        """(times, items, raters) answers, 1 for yes."""
        is_positive = rng.random((times, self.n_items, 1)) < self.prevalence
        found = rng.random((times, self.n_items, self.n_raters)) < self.chances[is_positive.astype(int)]
        return found.astype(np.int64)


def kappa_of(table: FloatArray) -> float:
    """Cohen's kappa of the chances of all pairs of answers, which need not sum to 1."""
    shares = table / table.sum()
    expected = float(shares.sum(axis=0) @ shares.sum(axis=1))
    return (float(np.trace(shares)) - expected) / (1 - expected)


@dataclass(frozen=True)
class Dialogues:
    """Yes-or-no judgements of `n_sources` items of each dialogue, half of them positive.

    Dialogues are easy or hard by the toss of a coin, and raters see what an item is with probability
    sqrt(easy) or sqrt(hard). The true kappa is the mean of the two; items of a dialogue are not independent.
    """

    n_dialogues: int
    n_sources: int
    n_raters: int
    easy: float
    hard: float

    @property
    def kappa(self) -> float:
        return (self.easy + self.hard) / 2

    def tallies(self, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        """(items,) dialogue and (items, 2) votes for yes and no of one study."""
        dialogue = np.repeat(np.arange(self.n_dialogues), self.n_sources)
        skill = np.sqrt(rng.choice([self.easy, self.hard], self.n_dialogues))[dialogue]
        is_positive = rng.random(len(dialogue)) < 0.5
        yes = rng.binomial(self.n_raters, skill * is_positive + (1 - skill) / 2)
        return dialogue, np.column_stack([yes, self.n_raters - yes])


@dataclass(frozen=True)
class OneClicker:
    """The judgements of `votes`, but the first rater says yes or no by the toss of a coin."""

    votes: Votes

    @property
    def delta(self) -> float:
        """True Fleiss' kappa without the clicker less that with them, from the chances of all pairs."""
        return self._fleiss(self.votes.n_raters - 1, 0) - self._fleiss(self.votes.n_raters - 1, 1)

    def _fleiss(self, n_good: int, n_clickers: int) -> float:
        chances = np.vstack([np.tile(self.votes.chances, (n_good, 1)), np.full((n_clickers, 2), 0.5)])
        first, second = np.triu_indices(len(chances), 1)
        both = chances[first] * chances[second] + (1 - chances[first]) * (1 - chances[second])
        agreement = float((both @ self.votes.weights).mean())
        yes = float((chances @ self.votes.weights).mean())
        expected = yes**2 + (1 - yes) ** 2
        return (agreement - expected) / (1 - expected)

    def codes(self, rng: np.random.Generator) -> IntArray:
        """(items, raters) answers of one study."""
        found = self.votes.codes(1, rng)[0]
        found[:, 0] = rng.integers(0, 2, len(found))
        return found


@dataclass(frozen=True)
class Predictions:
    """Labels and scores of a metric beside those of people, `per_dialogue` items in each dialogue.

    A predicted label is right with probability `easy` or, in every second dialogue by lot, `hard`; else it is one of
    the others by lot. Scores are normal with correlation `rho`, and half of their variance is the dialogue's.
    """

    n_dialogues: int
    per_dialogue: int = 2
    shares: tuple[float, ...] = (0.2, 0.36, 0.44)
    easy: float = 0.9
    hard: float = 0.5
    rho: float = 0.5

    @property
    def truth(self) -> dict[str, float]:
        right, k = (self.easy + self.hard) / 2, len(self.shares)
        given = np.full((k, k), (1 - right) / (k - 1)) + np.eye(k) * (right - (1 - right) / (k - 1))
        kappa = kappa_of(np.array(self.shares)[:, None] * given)
        spearman = 6 / math.pi * math.asin(self.rho / 2)
        return {"accuracy": right, "uar": right, "kappa": kappa, "pearson": self.rho, "spearman": spearman}

    @property
    def groups(self) -> IntArray:
        return np.repeat(np.arange(self.n_dialogues), self.per_dialogue)

    def labels(self, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        n, k = len(self.groups), len(self.shares)
        human = rng.choice(k, n, p=self.shares)
        chance = rng.choice([self.easy, self.hard], self.n_dialogues)[self.groups]
        other = (human + rng.integers(1, k, n)) % k
        return human, np.where(rng.random(n) < chance, human, other)

    def scores(self, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        first, second = (self._normal(rng) for _ in range(2))
        return first, self.rho * first + math.sqrt(1 - self.rho**2) * second

    def _normal(self, rng: np.random.Generator) -> FloatArray:
        shared = rng.normal(0, math.sqrt(0.5), self.n_dialogues)[self.groups]
        return shared + rng.normal(0, math.sqrt(0.5), len(self.groups))
