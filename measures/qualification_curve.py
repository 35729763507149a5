"""How often a rule of qualification decides rightly: the chance to pass, by kind of candidate and number of answers.

Source: project statistics, section 4.3, whose table the defaults give.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations_with_replacement, product
from math import factorial, prod, sqrt

import numpy as np

from measures.arrays import FloatArray, IntArray
from measures.qualification_rule import MAJORITY_KAPPA, Cells, Rule, fleiss, measure, outcomes

# The reference study: three internals whose pairs agree with kappa .21, seven answers in ten alike.
REFERENCE_KAPPA, REFERENCE_SHARES, REFERENCE_PANEL = 0.21, (0.7, 0.3), 3
EQUAL, BETTER, UNIFORM, MODAL = "equal", "better", "uniform", "modal"
PROFILES = (EQUAL, BETTER, UNIFORM, MODAL)
SIZES = (15, 25, 60, 100, 200)
N_DRAWS = 1_000
STEP_TO_BETTER = 4 / 9  # .46 becomes .70


@dataclass(frozen=True, slots=True)
class Panel:
    """What simulated candidates are measured against.

    A member knows the right answer with probability sqrt(kappa), and else answers by the shares of all answers: then
    kappa is what any two members agree beyond chance.
    """

    kappa: float = REFERENCE_KAPPA
    shares: tuple[float, ...] = REFERENCE_SHARES
    n_members: int = REFERENCE_PANEL
    n_criteria: int = 1  # that must each be passed, each with its part of the items


@dataclass(frozen=True, slots=True)
class Chance:
    """Probabilities of one kind of candidate, with `n_items` judged answers."""

    n_items: int
    passed: float
    undecided: float


@lru_cache(maxsize=256)
def operating_curve(
    rule: Rule, panel: Panel, sizes: tuple[int, ...] = SIZES, n_draws: int = N_DRAWS, seed: int = 7
) -> dict[str, tuple[Chance, ...]]:
    """The chance to pass by kind of candidate and number of judged answers.

    As good as the panel; clearly better (4/9 of the way to always right: .70 where the panel has .46); a uniform
    clicker; whoever always gives the most frequent answer. The panel is given: of five times as many simulated ones
    those are kept whose own kappa on the items comes nearest to `panel.kappa`. Answers are independent. At most
    three categories and eight members are told apart (four when who said what matters).
    """
    world = _World(rule, panel)
    rng = np.random.default_rng(seed)
    per_size = [world.chances(max(1, size // panel.n_criteria), n_draws, rng) for size in sizes]
    return {
        profile: tuple(_all_criteria(size, found[profile], panel) for size, found in zip(sizes, per_size, strict=True))
        for profile in PROFILES
    }


def _all_criteria(size: int, chances: FloatArray, panel: Panel) -> Chance:
    passed, failed, _ = chances.tolist()
    all_passed = passed**panel.n_criteria
    return Chance(size, all_passed, max(0.0, (1 - failed) ** panel.n_criteria - all_passed))


class _World:
    """Every way the panel can vote on one item with its probability, and what candidates answer beside it."""

    def __init__(self, rule: Rule, panel: Panel) -> None:
        self.rule, self.kappa = rule, panel.kappa
        self.shares = _three_at_most(panel.shares)
        self.know = sqrt(min(max(panel.kappa, 0.0), 1.0))
        k, are_told_apart = len(self.shares), rule.method == MAJORITY_KAPPA and rule.threshold is None
        if are_told_apart:
            rows = list(product(range(k), repeat=min(panel.n_members, 4)))
        else:
            rows = list(combinations_with_replacement(range(k), min(panel.n_members, 8)))
        self.members = np.array(rows, np.int64)
        self.tallies = (self.members[:, :, None] == np.arange(k)).sum(axis=1)
        ways = 1.0 if are_told_apart else np.array([_orders(row) for row in self.tallies.tolist()])
        member = self._answers(self.know)
        # (right answer, votes of the panel)
        self.joint = self.shares[:, None] * ways * np.prod(member[:, None, :] ** self.tallies, axis=2)

    def _answers(self, know: float) -> FloatArray:
        """(right answer, answer given)"""
        return know * np.eye(len(self.shares)) + (1 - know) * self.shares[None, :]

    def _answers_of(self, profile: str) -> FloatArray:
        if profile == UNIFORM:
            return np.full((len(self.shares), len(self.shares)), 1 / len(self.shares))
        if profile == MODAL:
            return np.tile(np.eye(len(self.shares))[int(self.shares.argmax())], (len(self.shares), 1))
        return self._answers(self.know + STEP_TO_BETTER * (1 - self.know) if profile == BETTER else self.know)

    def chances(self, n_items: int, n_draws: int, rng: np.random.Generator) -> dict[str, FloatArray]:
        """{profile: (3,) shares passed, failed, undecided}"""
        drawn = rng.multinomial(n_items, self.joint.sum(axis=0) / self.joint.sum(), size=5 * n_draws)
        distance = np.abs(fleiss(self.tallies, drawn.astype(float), False)[0] - self.kappa)
        panels = drawn[np.argsort(np.where(np.isnan(distance), np.inf, distance), kind="stable")[:n_draws]]
        return {profile: self._chances(self._answers_of(profile), panels, rng) for profile in PROFILES}

    def _chances(self, answers: FloatArray, panels: IntArray, rng: np.random.Generator) -> FloatArray:
        k = len(self.shares)
        # (votes, right or not, answer): a cell for each, and the odds of the last two beside those votes.
        odds = np.einsum("tv,ta->vta", self.joint, answers)
        is_right = np.stack([np.where(np.eye(k) == want, odds, 0.0).sum(axis=1) for want in (1, 0)], axis=1)
        flat = is_right.reshape(len(is_right), -1)
        counts = rng.multinomial(panels, flat / flat.sum(axis=1, keepdims=True)).reshape(len(panels), -1)
        at, wrong, said = np.indices(is_right.shape).reshape(3, -1)
        cells = Cells(self.tallies[at], said, 1 - wrong, self.members[at])
        return outcomes(self.rule, measure(self.rule, cells, counts.astype(float))).mean(axis=1)


def _three_at_most(shares: Sequence[float]) -> FloatArray:
    """The two largest and all others together, so that the number of cells does not explode."""
    ordered = sorted(shares, reverse=True)
    kept = np.array([*ordered[:2], sum(ordered[2:])] if len(ordered) > 3 else ordered, float)
    return kept / kept.sum()


def _orders(tally: list[int]) -> float:
    return factorial(sum(tally)) / prod(map(factorial, tally))
