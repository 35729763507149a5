"""Studies of comparisons drawn at random, clustered on conversations and annotators, whose true strengths are known."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import optimize

from measures.arrays import FloatArray, IntArray
from measures.preferences.comparisons import BOTH_BAD, Comparisons

N_NODES = 40


@dataclass(frozen=True)
class Preferences:
    """Conversations with some pairs of sources each, judged by some annotators each.

    The difference that an annotator sees between two sources of a conversation is that of their `strengths`, plus a
    normal effect of each source in the conversation (`of_conversation`) and for the annotator (`of_annotator`), plus
    the `side` and what the annotator adds to it (`of_side`). The annotators of a conversation are drawn from all
    `n_annotators` (from those of its team, if there are teams), with chances that differ by `load`.
    """

    n_conversations: int
    n_pairs: int
    n_annotators: int
    n_votes: int
    of_conversation: float = 0.0
    of_annotator: float = 0.0
    of_side: float = 0.3
    strengths: tuple[float, ...] = (0.6, 0.3, 0.0, -0.3, -0.6)
    side: float = 0.2
    tie: float = 0.7
    both_bad: float = 0.08
    teams: int = 0
    load: float = 0.0

    @property
    def n_sources(self) -> int:
        return len(self.strengths)

    @property
    def _pairs(self) -> IntArray:
        return np.stack(np.triu_indices(self.n_sources, 1), axis=1)

    @cached_property
    def truth(self) -> FloatArray:
        """Return the strengths, log nu and side of the model that is nearest to all answers that could be drawn.

        They are shrunk against `strengths`, which hold within a conversation and an annotator. The chances of each
        pair are integrated by Gauss and Hermite, and the model fitted to them by a general optimiser.
        """
        spread = np.sqrt(2 * self.of_conversation**2 + 2 * self.of_annotator**2 + self.of_side**2)
        nodes, weights = np.polynomial.hermite_e.hermegauss(N_NODES)
        first, second = np.concatenate([self._pairs, self._pairs[:, ::-1]]).T
        centre = np.asarray(self.strengths)[first] - np.asarray(self.strengths)[second] + self.side
        shown = _chances(centre[:, None] + spread * nodes, np.log(self.tie))
        shown = np.einsum("pno,n->po", shown, weights / weights.sum())

        def loss(parameters: FloatArray) -> float:
            strengths, (tie, side) = np.append(parameters[:-2], 0.0), parameters[-2:]
            return -float((shown * np.log(_chances(strengths[first] - strengths[second] + side, tie))).sum())

        found = optimize.minimize(loss, np.zeros(self.n_sources + 1), tol=1e-9).x
        strengths = np.append(found[:-2], 0.0)
        return np.append(strengths - strengths.mean(), found[-2:])

    def draw(self, rng: np.random.Generator) -> Comparisons:
        conversation = np.repeat(np.arange(self.n_conversations), self.n_pairs * self.n_votes)
        pair = np.repeat(self._shown(rng).ravel(), self.n_votes)
        annotator = np.repeat(self._panels(rng), self.n_pairs, axis=0).ravel()
        sides = self._pairs[pair]
        sides = np.where(rng.random((len(sides), 1)) < 0.5, sides, sides[:, ::-1])
        left, right = sides.T
        seen = np.asarray(self.strengths) + rng.normal(0, self.of_conversation, (self.n_conversations, self.n_sources))
        liked = rng.normal(0, self.of_annotator, (self.n_annotators, self.n_sources))
        eta = seen[conversation, left] - seen[conversation, right] + liked[annotator, left] - liked[annotator, right]
        eta += self.side + rng.normal(0, self.of_side, self.n_annotators)[annotator]
        chances = np.cumsum(_chances(eta, np.log(self.tie)), axis=1)
        outcome = 1 - (rng.random((len(eta), 1)) > chances).sum(axis=1)
        outcome = np.where(rng.random(len(eta)) < self.both_bad, BOTH_BAD, outcome)
        return Comparisons.of(self.n_sources, left, right, outcome, annotator=annotator, cluster=conversation)

    def _shown(self, rng: np.random.Generator) -> IntArray:
        """Return (conversations, pairs) the pairs of each conversation, without repetition."""
        order = rng.random((self.n_conversations, len(self._pairs))).argsort(axis=1)
        return order[:, : self.n_pairs]

    def _panels(self, rng: np.random.Generator) -> IntArray:
        """Return (conversations, votes) the annotators of each conversation."""
        ease = rng.exponential(1, (self.n_conversations, self.n_annotators))
        ease /= np.exp(self.load * rng.normal(0, 1, self.n_annotators))
        if self.teams:
            teams = ease[: self.teams].argsort(axis=1)[:, : self.n_votes]
            return teams[np.arange(self.n_conversations) % self.teams]
        return ease.argsort(axis=1)[:, : self.n_votes]


def _chances(eta: FloatArray, log_tie: float) -> FloatArray:
    """Return the chances of left, tie and right in a new last axis."""
    odds = np.stack([np.exp(eta / 2), np.full(np.shape(eta), np.exp(log_tie)), np.exp(-eta / 2)], axis=-1)
    chances: FloatArray = odds / odds.sum(axis=-1, keepdims=True)
    return chances
