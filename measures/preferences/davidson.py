"""Fit the Bradley-Terry model with ties by maximum likelihood.

With eta = strength of left - strength of right + side + covariates, the chances of left, tie and right are
proportional to exp(eta / 2), nu and exp(-eta / 2): this is Davidson's model with the order effect of Davidson and
Beaver, in which swapping the sides changes nothing but the sign of the side. Without ties it is the model of Bradley
and Terry. The log-likelihood is concave, and Newton's method finds its maximum.

Sources: Bradley & Terry 1952, Biometrika 39:324; Davidson 1970, JASA 65:317; Davidson & Beaver 1977, Biometrics
33:693.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from measures.arrays import FloatArray, IntArray
from measures.preferences.comparisons import BOTH_BAD, TIE, Comparisons

MOST_STEPS = 50
# Larger log odds are a chance of less than one in a million, which no data of this kind can tell from 0.
DIVERGED = 15.0
# A column that is known but for this share of its squares is a sum of the others: by the rest alone, 1e-4 of its
# length, its effect and with it the strengths would be anything. Rounding leaves about 1e-16.
SHARE_OF_ITS_OWN = 1e-8
# Half of the squared length of the next step, in standard errors: the step after it is lost in rounding.
CONVERGED = 1e-12


@dataclass(frozen=True, eq=False)
class Design:
    """The columns of each comparison that are not 0.

    The parameters are the strengths of all sources but the last, then log nu if there are ties, then the side if it
    can be told apart, then the covariates that can. Each row has the two sources first; what has no parameter stands
    in the column `n_parameters`, which is thrown away.

    Attributes
    ----------
    columns : (n, slots) int array
    values : (n, slots) float array
    is_tie_slot : (slots,) bool array
        The slot that acts on the chance of a tie; all others act on eta.
    has_side : bool
    covariates : (C',) int array
        The covariates that have a parameter.
    """

    columns: IntArray
    values: FloatArray
    is_tie_slot: FloatArray
    n_sources: int
    n_parameters: int
    has_ties: bool
    has_side: bool
    covariates: IntArray

    @classmethod
    def of(cls, answers: Comparisons) -> "Design":
        """Return the design with as many effects as the data can tell apart, the sources first."""
        has_ties = bool((answers.outcome == TIE).any())
        has_side = _has_both_sides(answers) and _adds_rank(answers, [], answers.is_sided.astype(float))
        kept: list[int] = []
        before = [answers.is_sided.astype(float)] if has_side else []
        for at, column in enumerate(answers.covariates.T):
            if _adds_rank(answers, before, column):
                before.append(np.asarray(column, float))
                kept.append(at)
        return cls._with(answers, before, np.array(kept, np.int64), has_ties=has_ties, has_side=has_side)

    @classmethod
    def _with(
        cls, answers: Comparisons, more: list[FloatArray], covariates: IntArray, *, has_ties: bool, has_side: bool
    ) -> "Design":
        n, n_strengths = len(answers), answers.n_sources - 1
        n_parameters = n_strengths + has_ties + len(more)
        columns, values = [answers.left, answers.right], [np.ones(n), -np.ones(n)]
        if has_ties:
            columns.append(np.full(n, n_strengths))
            values.append(np.ones(n))
        for at, column in enumerate(more):
            columns.append(np.full(n, n_strengths + has_ties + at))
            values.append(column)
        slots = np.stack(columns, axis=1)
        slots[:, :2] = np.where(slots[:, :2] == n_strengths, n_parameters, slots[:, :2])
        is_tie = np.zeros(slots.shape[1])
        is_tie[2 : 2 + has_ties] = 1
        return cls(
            slots, np.stack(values, axis=1), is_tie, answers.n_sources, n_parameters, has_ties, has_side, covariates
        )

    def rows(self, kept: IntArray) -> "Design":
        return replace(self, columns=self.columns[kept], values=self.values[kept])

    def with_pairs(self, pair: IntArray, sign: FloatArray, n_pairs: int) -> "Design":
        """Return the design with a parameter more for each of the numbered pairs; -1 is a comparison of no such pair.

        `sign` is 1 where the left source is the first of its pair, and -1 where it is the second.
        """
        n = self.n_parameters
        columns = np.where(self.columns == n, n + n_pairs, self.columns)
        own = np.where(pair >= 0, n + pair, n + n_pairs)
        return replace(
            self,
            columns=np.column_stack([columns, own]),
            values=np.column_stack([self.values, sign]),
            is_tie_slot=np.append(self.is_tie_slot, 0.0),
            n_parameters=n + n_pairs,
        )

    @property
    def tie_at(self) -> int:
        """Return the place of log nu."""
        return self.n_sources - 1

    @property
    def side_at(self) -> int:
        return self.n_sources - 1 + self.has_ties

    @property
    def contrasts(self) -> FloatArray:
        """Return (S, P): strengths with mean 0 from the parameters."""
        found = np.zeros((self.n_sources, self.n_parameters))
        found[:-1, : self.n_sources - 1] = np.eye(self.n_sources - 1)
        return found - found.mean(axis=0)

    def eta(self, parameters: FloatArray) -> FloatArray:
        padded = np.append(parameters, 0.0)
        return np.einsum("ns,ns,s->n", padded[self.columns], self.values, 1 - self.is_tie_slot)

    def sums(self, slots: FloatArray, group: IntArray, n_groups: int) -> FloatArray:
        """Return (n_groups, P) sums of (n, slots) terms by parameter in each group."""
        wide = self.n_parameters + 1
        cell = group[:, None] * wide + self.columns
        total = np.bincount(cell.ravel(), slots.ravel(), n_groups * wide).astype(float)
        found: FloatArray = total.reshape(n_groups, wide)[:, :-1]
        return found

    def squares(self, weights: FloatArray, group: IntArray, n_groups: int) -> FloatArray:
        """Return (n_groups, P, P) sums of the information of each comparison. `weights` is that of :class:`Fit`."""
        wide = self.n_parameters + 1
        kinds = self.is_tie_slot.astype(int)
        total: FloatArray = np.zeros(n_groups * wide * wide)
        for a in range(self.columns.shape[1]):
            for b in range(a + 1):  # the others are the transpose of these
                cell = (group * wide + self.columns[:, a]) * wide + self.columns[:, b]
                term = self.values[:, a] * self.values[:, b] * weights[:, kinds[a] + kinds[b]]
                total += np.bincount(cell, term if a > b else term / 2, len(total))
        found: FloatArray = total.reshape(n_groups, wide, wide)[:, :-1, :-1]
        return found + found.transpose(0, 2, 1)

    def traces(self, weights: FloatArray, matrix: FloatArray) -> FloatArray:
        """Return (n,) the traces of a symmetric (P, P) matrix times the information of each comparison."""
        padded = np.pad(matrix, (0, 1))
        kinds = self.is_tie_slot.astype(int)
        total = np.zeros(len(self.columns))
        for a in range(self.columns.shape[1]):
            for b in range(self.columns.shape[1]):
                term = self.values[:, a] * self.values[:, b] * weights[:, kinds[a] + kinds[b]]
                total += term * padded[self.columns[:, a], self.columns[:, b]]
        return total

    def squared(self, weights: FloatArray, contrast: FloatArray) -> FloatArray:
        """Return (n,) the information of each comparison about a contrast of the parameters, c' I c."""
        terms = np.append(contrast, 0.0)[self.columns] * self.values
        by_tie = terms @ self.is_tie_slot
        by_eta = terms.sum(axis=1) - by_tie
        found: FloatArray = weights[:, 0] * by_eta**2 + by_tie * (2 * weights[:, 1] * by_eta + weights[:, 2] * by_tie)
        return found


def _has_both_sides(answers: Comparisons) -> bool:
    """Return whether some pair was shown with either source on the left.

    Otherwise a side would be told from the strengths by what their order round three sources leaves over alone.
    """
    sided = answers.is_sided.astype(bool)
    left, right = answers.left[sided], answers.right[sided]
    forth = np.unique(left * answers.n_sources + right)
    return bool(np.isin(forth, np.unique(right * answers.n_sources + left)).any())


def _adds_rank(answers: Comparisons, before: list[FloatArray], column: FloatArray) -> bool:
    """Return whether a column differs from every sum of sources and of earlier columns, beyond rounding."""
    scale = np.abs(column).max(initial=0.0)
    if scale == 0:
        return False
    places = np.arange(answers.n_sources)
    gram = np.zeros((answers.n_sources, answers.n_sources))
    np.add.at(gram, (answers.left, answers.left), 1)
    np.add.at(gram, (answers.right, answers.right), 1)
    np.add.at(gram, (answers.left, answers.right), -1)
    np.add.at(gram, (answers.right, answers.left), -1)

    def by_source(each: FloatArray) -> FloatArray:
        of_left, of_right = (np.bincount(side, each, len(places)) for side in (answers.left, answers.right))
        return np.asarray(of_left - of_right, float)

    known = [each / np.abs(each).max() for each in before]
    cross = np.array([by_source(each) for each in known]).reshape(len(known), len(places))
    inner = np.array([[one @ two for two in known] for one in known]).reshape(len(known), len(known))
    whole = np.block([[gram, cross.T], [cross, inner]])
    mine = column / scale
    target = np.append(by_source(mine), [each @ mine for each in known])
    rest = mine @ mine - target @ np.linalg.pinv(whole, hermitian=True) @ target
    return bool(rest > SHARE_OF_ITS_OWN * (mine @ mine))


@dataclass(frozen=True, eq=False)
class Fit:
    """The estimates with what their variance is computed from.

    Attributes
    ----------
    parameters : (P,) float array
        In the order of the design.
    chances : (n, 3) float array
        Fitted chances of left, tie and right.
    """

    design: Design
    outcome: IntArray
    parameters: FloatArray
    chances: FloatArray

    @property
    def expected(self) -> FloatArray:
        """Return (n,) expected outcomes: the chance of left minus that of right."""
        return self.chances[:, 0] - self.chances[:, 2]

    @cached_property
    def scores(self) -> FloatArray:
        """Return (n, slots) derivatives of the log-likelihood of each comparison, by the slots of the design."""
        by_eta = (self.outcome - self.expected) / 2
        by_tie = (self.outcome == TIE) - self.chances[:, 1]
        is_tie = self.design.is_tie_slot
        return self.design.values * (by_eta[:, None] * (1 - is_tie) + by_tie[:, None] * is_tie)

    @cached_property
    def weights(self) -> FloatArray:
        """Return (n, 3) minus second derivatives: twice by eta, by eta and log nu, twice by log nu."""
        expected, tie = self.expected, self.chances[:, 1]
        variance = 1 - tie - expected**2
        return np.stack([variance / 4, -expected * tie / 2, tie * (1 - tie)], axis=1)

    @cached_property
    def information(self) -> FloatArray:
        """Return (P, P) minus the second derivatives of the log-likelihood."""
        found: FloatArray = self.design.squares(self.weights, np.zeros(len(self.outcome), np.int64), 1)[0]
        return found

    @cached_property
    def inverse(self) -> FloatArray:
        return np.asarray(np.linalg.inv(self.information), float)

    @property
    def is_extrapolated(self) -> bool:
        """Return whether strengths are farther apart than any data can tell, because they hold where no answer is.

        A covariate that is nearly a sum of the sources is told apart by its few other answers only. The fit is then
        sure of eta in the data, but not of the strengths, which are eta with the covariates at 0.
        """
        return bool(np.ptp(self.design.contrasts @ self.parameters) > DIVERGED)

    @property
    def largest_log_odds(self) -> float:
        """Return the largest log odds of left against right, or of a tie between equal sources."""
        tie = abs(float(self.parameters[self.design.tie_at])) if self.design.has_ties else 0.0
        return max(tie, float(np.abs(self.design.eta(self.parameters)).max(initial=0.0)))

    @property
    def log_likelihood(self) -> float:
        return float(np.log(self.chances[np.arange(len(self.outcome)), 1 - self.outcome]).sum())


def fit(answers: Comparisons, design: Design | None = None) -> Fit | None:
    """Return the maximum likelihood estimates; None if the likelihood has no maximum.

    `answers` has no answer that calls both bad, and its sources are one group of :meth:`PairCounts.components`.
    """
    if (answers.outcome == BOTH_BAD).any():
        raise ValueError("an answer that calls both bad has no place in the model")
    of = design or Design.of(answers)
    found = _at(of, answers.outcome, np.zeros(of.n_parameters))
    for _step in range(MOST_STEPS):
        gradient = of.sums(found.scores, np.zeros(len(answers), np.int64), 1)[0]
        try:
            step = np.linalg.solve(found.information, gradient)
        except np.linalg.LinAlgError:
            return None
        found = _better(found, step)
        if found.largest_log_odds > DIVERGED:
            return None
        if gradient @ step < CONVERGED:
            return found
    return None


def _at(design: Design, outcome: IntArray, parameters: FloatArray) -> Fit:
    half = design.eta(parameters) / 2
    tie = parameters[design.tie_at] if design.has_ties else -np.inf
    logits = np.stack([half, np.full(len(half), tie), -half], axis=1)
    odds = np.exp(logits - logits.max(axis=1, keepdims=True))
    return Fit(design, outcome, parameters, odds / odds.sum(axis=1, keepdims=True))


def _better(now: Fit, step: FloatArray) -> Fit:
    """Return the estimates after the longest of the steps 1, 1/2, 1/4, ... that does not make the fit worse."""
    size, found = 1.0, now
    for _halving in range(30):
        found = _at(now.design, now.outcome, now.parameters + size * step)
        if found.log_likelihood >= now.log_likelihood - 1e-9 * len(now.outcome):
            return found
        size /= 2
    return found
