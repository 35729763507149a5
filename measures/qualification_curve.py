"""The chance to pass a qualification rule, by kind of candidate and number of answers.

Source: project statistics, section 4.3; the defaults give its table.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations_with_replacement, product
from math import factorial, prod, sqrt

import numpy as np

from measures.arrays import FloatArray, IntArray
from measures.qualification_rule import MAJORITY_KAPPA, Cells, Rule, fleiss, measure, outcomes

# The reference study: three internal annotators whose pairs have kappa .21; seven in ten answers are the same.
REFERENCE_KAPPA, REFERENCE_SHARES, REFERENCE_PANEL = 0.21, (0.7, 0.3), 3
EQUAL, BETTER, UNIFORM, MODAL = "equal", "better", "uniform", "modal"
PROFILES = (EQUAL, BETTER, UNIFORM, MODAL)
SIZES = (15, 25, 60, 100, 200)
N_DRAWS = 1_000
STEP_TO_BETTER = 4 / 9  # .46 becomes .70


@dataclass(frozen=True, slots=True)
class Panel:
    """The panel that simulated candidates are compared with.

    A member knows the right answer with probability sqrt(kappa), and otherwise answers by the shares of all answers:
    then kappa is the chance-corrected agreement of any two members.
    """

    kappa: float = REFERENCE_KAPPA
    shares: tuple[float, ...] = REFERENCE_SHARES
    n_members: int = REFERENCE_PANEL
    n_criteria: int = 1  # each must be passed, with an equal part of the items


@dataclass(frozen=True, slots=True)
class Chance:
    """Probabilities for one kind of candidate, with `n_items` judged answers."""

    n_items: int
    passed: float
    undecided: float


@lru_cache(maxsize=256)
def operating_curve(
    rule: Rule, panel: Panel, sizes: tuple[int, ...] = SIZES, n_draws: int = N_DRAWS, seed: int = 7
) -> dict[str, tuple[Chance, ...]]:
    """Return the chances to pass by kind of candidate, for each number of judged answers.

    The kinds are: as good as the panel; clearly better (4/9 of the way to always right: .70 if the panel has .46);
    uniform random answers; always the most frequent answer. Of five times as many simulated panels, those are kept
    whose own kappa on the items is nearest to `panel.kappa`. Answers are independent. At most three categories and
    eight members are distinguished (four members if it matters who answered what).
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
    """All ways in which the panel can vote on one item, with their probabilities and those of candidates' answers."""

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
        orders = (factorial(sum(row)) / prod(map(factorial, row)) for row in self.tallies.tolist())
        ways = 1.0 if are_told_apart else np.array(list(orders))
        member = self._answers(self.know)
        # (right answer, votes of the panel)
        self.joint = self.shares[:, None] * ways * np.prod(member[:, None, :] ** self.tallies, axis=2)

    def _answers(self, know: float) -> FloatArray:
        """Return probabilities of (right answer, answer given)."""
        return know * np.eye(len(self.shares)) + (1 - know) * self.shares[None, :]

    def _answers_of(self, profile: str) -> FloatArray:
        if profile == UNIFORM:
            return np.full((len(self.shares), len(self.shares)), 1 / len(self.shares))
        if profile == MODAL:
            return np.tile(np.eye(len(self.shares))[int(self.shares.argmax())], (len(self.shares), 1))
        return self._answers(self.know + STEP_TO_BETTER * (1 - self.know) if profile == BETTER else self.know)

    def chances(self, n_items: int, n_draws: int, rng: np.random.Generator) -> dict[str, FloatArray]:
        """Return {profile: (3,) shares passed, failed, undecided}."""
        drawn = rng.multinomial(n_items, self.joint.sum(axis=0) / self.joint.sum(), size=5 * n_draws)
        distance = np.abs(fleiss(self.tallies, drawn.astype(float), False)[0] - self.kappa)
        panels = drawn[np.argsort(np.where(np.isnan(distance), np.inf, distance), kind="stable")[:n_draws]]
        return {profile: self._chances(self._answers_of(profile), panels, rng) for profile in PROFILES}

    def _chances(self, answers: FloatArray, panels: IntArray, rng: np.random.Generator) -> FloatArray:
        k = len(self.shares)
        # (votes, right or not, answer): a cell for each, and the odds of the last two given the votes.
        odds = np.einsum("tv,ta->vta", self.joint, answers)
        is_right = np.stack([np.where(np.eye(k) == want, odds, 0.0).sum(axis=1) for want in (1, 0)], axis=1)
        flat = is_right.reshape(len(is_right), -1)
        counts = rng.multinomial(panels, flat / flat.sum(axis=1, keepdims=True)).reshape(len(panels), -1)
        at, wrong, said = np.indices(is_right.shape).reshape(3, -1)
        cells = Cells(self.tallies[at], said, 1 - wrong, self.members[at])
        return outcomes(self.rule, measure(self.rule, cells, counts.astype(float))).mean(axis=1)


def _three_at_most(shares: Sequence[float]) -> FloatArray:
    """Return the two largest shares and the sum of all others, to limit the number of cells."""
    ordered = sorted(shares, reverse=True)
    kept = np.array([*ordered[:2], sum(ordered[2:])] if len(ordered) > 3 else ordered, float)
    return kept / kept.sum()
