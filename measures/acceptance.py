"""Acceptance of a batch by a sample of its items: draw the sample, measure the controller's answers, and decide.

A label is *right* when the controller gives the item the same answer. The accuracy of a class is the accuracy of the
items annotated with it, as the labels are known when the sample is drawn. Statistics 4.4; Cochran 1977, Sampling
Techniques, ch. 5 (strata); Kish 1965, Survey Sampling (effective size).
"""

from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Literal

import numpy as np
import numpy.typing as npt

from measures.arrays import BoolArray, FloatArray, IntArray
from measures.intervals import special, wilson

Outcome = Literal["accept", "return", "not_assessable"]
ClassOutcome = Literal["pass", "fail", "not_assessable", ""]
ACCEPT: Outcome = "accept"
RETURN: Outcome = "return"
NOT_ASSESSABLE: Outcome = "not_assessable"


@dataclass(frozen=True, slots=True)
class SharesRule:
    """Accept if the overall share and the share of every class are reached. A class share of 0 sets no limit.

    A class with fewer than `fewest_of_class` drawn items gets extra draws, up to `top_up_to` or to all it has; 0 adds
    none. A class that still has fewer is not assessable, unless all items of the batch were drawn: then its share is
    known.
    """

    n_sample: int = 100
    least_overall: float = 0.92
    least_of_class: float = 0.90
    fewest_of_class: int = 10
    top_up_to: int = 30

    @property
    def has_classes(self) -> bool:
        return self.least_of_class > 0

    def fewest(self, is_census: npt.ArrayLike) -> IntArray:
        """Return how many items a class needs to be assessable: one if every item of the batch was checked."""
        return np.where(is_census, 1, max(self.fewest_of_class, 1))


@dataclass(frozen=True, slots=True)
class FixedRule:
    """Accept if `n_sample` items have at most `most_errors` errors."""

    n_sample: int = 233
    most_errors: int = 17


@dataclass(frozen=True, slots=True)
class DrawnItems:
    """(n,) places of the drawn items in the order in which they are checked, and whether each is an extra draw."""

    places: IntArray
    is_top_up: BoolArray


@dataclass(frozen=True, slots=True)
class Proportion:
    """The share of right items, None if `n` is 0, with Wilson's interval, for the effective size of weighted strata."""

    n_right: int
    n: int
    share: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class ClassFigures:
    """One class. `size`: its items in the batch. `recall`: of the items the controller put in it, those labelled so."""

    size: int
    accuracy: Proportion
    recall: Proportion
    outcome: ClassOutcome


@dataclass(frozen=True, slots=True)
class Decision:
    """The outcome for a batch. `is_weighted`: strata count by their size in the batch; some were drawn more densely."""

    outcome: Outcome
    overall: Proportion
    classes: tuple[ClassFigures, ...]
    is_weighted: bool

    @property
    def n_errors(self) -> int:
        return self.overall.n - self.overall.n_right


def draw_sample(labels: npt.ArrayLike, n_sample: int, seed: int, rule: SharesRule | None = None) -> DrawnItems:
    """Draw a random sample without replacement, with extra draws for rare classes if `rule` has limits for classes.

    Parameters
    ----------
    labels : (N,) int array
        Class of each item, from 0. The same labels and seed give the same sample.
    n_sample : int
        All items are drawn if there are fewer.
    seed : int
    rule : SharesRule, optional

    Notes
    -----
    The extra draws of a class follow the same random order, so all draws of a class are a random sample of it. Extra
    draws are mixed with the rest: at the end, their place would tell a controller which label they have.
    """
    codes, rng = np.asarray(labels, np.int64), np.random.default_rng(seed)
    order = rng.permutation(len(codes))
    drawn, rest = order[:n_sample], order[n_sample:]
    extra = _extra_draws(codes, drawn, rest, rule) if rule and rule.has_classes else rest[:0]
    places = np.concatenate([drawn, extra])
    is_top_up = np.arange(len(places)) >= len(drawn)
    if len(extra):
        mixed = rng.permutation(len(places))
        places, is_top_up = places[mixed], is_top_up[mixed]
    return DrawnItems(places, is_top_up)


def _extra_draws(codes: IntArray, drawn: IntArray, rest: IntArray, rule: SharesRule) -> IntArray:
    n_drawn = np.bincount(codes[drawn], minlength=int(codes.max(initial=-1)) + 1)
    rare = [at for at, n in enumerate(n_drawn.tolist()) if n < rule.fewest_of_class]
    more = [rest[codes[rest] == at][: max(rule.top_up_to - int(n_drawn[at]), 0)] for at in rare]
    return np.concatenate([rest[:0], *more])


def decide_by_shares(
    confusion: npt.ArrayLike, sizes: npt.ArrayLike, rule: SharesRule, *, is_weighted: bool
) -> Decision:
    """Decide about a batch by a sample, under a rule of shares.

    Parameters
    ----------
    confusion : (K, C) int array
        Drawn items by label (rows) and the controller's answer; the first K columns are the labels, more may follow.
    sizes : (K,) int array
        Items of the whole batch by label.
    rule : SharesRule
    is_weighted : bool
        Rare classes got extra draws: each class counts by its share of the batch.

    Notes
    -----
    The rule ignores a class that is not assessable. If none is, the batch is not assessable. A batch that was checked
    completely has no class with too few items. Shares are compared as exact fractions: 92 of 100 reaches .92.
    """
    table, of_batch = _checked(confusion, sizes)
    n = table.sum(axis=1)
    fewest = int(rule.fewest(is_census=(n == of_batch).all()))
    found = [_outcome_of_class(int(table[at, at]), int(n[at]), rule, fewest) for at in range(len(table))]
    outcomes = [each if of_batch[at] else "" for at, each in enumerate(found)]
    overall = exact_overall(table, of_batch, is_weighted=is_weighted)
    is_reached = overall is not None and overall >= _exactly(rule.least_overall)
    outcome = ACCEPT if is_reached and "fail" not in outcomes else RETURN
    is_silent = rule.has_classes and not {"pass", "fail"} & set(outcomes)
    return _decision(
        NOT_ASSESSABLE if overall is None or is_silent else outcome, table, of_batch, outcomes, is_weighted
    )


def _outcome_of_class(n_right: int, n: int, rule: SharesRule, fewest: int) -> ClassOutcome:
    if not rule.has_classes:
        return ""
    if n < fewest:
        return "not_assessable"
    return "pass" if n - n_right <= errors_allowed(n, rule.least_of_class) else "fail"


def decide_by_errors(confusion: npt.ArrayLike, sizes: npt.ArrayLike, rule: FixedRule) -> Decision:
    """Decide by a fixed sample. If the batch has fewer items, all are checked and fewer errors are allowed."""
    table, of_batch = _checked(confusion, sizes)
    n, n_right = int(table.sum()), int(np.trace(table[:, : len(table)]))
    is_met = (n - n_right) * max(rule.n_sample, n) <= rule.most_errors * n
    outcome = NOT_ASSESSABLE if n == 0 else ACCEPT if is_met else RETURN
    return _decision(outcome, table, of_batch, [""] * len(table), is_weighted=False)


def describe(outcome: Outcome, confusion: npt.ArrayLike, sizes: npt.ArrayLike) -> Decision:
    """Return the results of a simple random sample with an outcome that was reached in another way."""
    table, of_batch = _checked(confusion, sizes)
    return _decision(outcome, table, of_batch, [""] * len(table), is_weighted=False)


def _checked(confusion: npt.ArrayLike, sizes: npt.ArrayLike) -> tuple[IntArray, IntArray]:
    table, of_batch = np.asarray(confusion, np.int64), np.asarray(sizes, np.int64)
    if table.ndim != 2 or table.shape[0] != len(of_batch) or table.shape[1] < table.shape[0]:
        raise ValueError("one row for each label, and a column for each label first")
    if (table.sum(axis=1) > of_batch).any() or (table < 0).any():
        raise ValueError("more items were checked than the batch has")
    return table, of_batch


def _decision(
    outcome: Outcome, table: IntArray, sizes: IntArray, outcomes: list[ClassOutcome], is_weighted: bool
) -> Decision:
    n = table.sum(axis=1)
    weights = sizes / np.maximum(n, 1) if is_weighted else np.ones(len(n))
    right = np.diagonal(table)
    classes = tuple(
        ClassFigures(
            size=int(sizes[at]),
            accuracy=proportion(right[at : at + 1], n[at : at + 1]),
            recall=proportion(np.where(np.arange(len(n)) == at, right, 0), table[:, at], weights),
            outcome=each,
        )
        for at, each in enumerate(outcomes)
    )
    return Decision(outcome, proportion(right, n, weights), classes, is_weighted)


def proportion(right: IntArray, n: IntArray, weights: FloatArray | None = None) -> Proportion:
    """Return the share of right items over strata, where each item has the weight of its stratum.

    Parameters
    ----------
    right, n : (K,) int array
        Right and all drawn items of each stratum.
    weights : (K,) array, optional
        Number of items of the batch that one drawn item stands for; equal weights if None.

    Notes
    -----
    Wilson's interval (1927) with Kish's effective size (sum w)^2 / sum w^2. It assumes an infinite batch, so it is
    wider than necessary if the sample is a large part of the batch.
    """
    w = np.ones(len(n)) if weights is None else weights
    total = float(w @ n)
    if not total:
        return Proportion(0, 0, None, None, None)
    share = float(w @ right) / total
    size = total**2 / float(w**2 @ n)
    interval = wilson(share * size, size)
    return Proportion(int(right.sum()), int(n.sum()), share, interval.low, interval.high)


def exact_overall(table: IntArray, sizes: IntArray, *, is_weighted: bool) -> Fraction | None:
    """Return the overall share as a fraction, of the draws or of the strata by their size; None without draws."""
    n, right = table.sum(axis=1).tolist(), np.diagonal(table).tolist()
    if not sum(n):
        return None
    if not is_weighted:
        return Fraction(sum(right), sum(n))
    strata = [(size, r, m) for size, r, m in zip(sizes.tolist(), right, n, strict=True) if m]
    return sum((Fraction(size * r, m) for size, r, m in strata), Fraction()) / sum(size for size, _, _ in strata)


def errors_allowed(n: int, least: float) -> int:
    """Return the most errors in n items that leave a right share of `least`: 8 of 100 for .92, 0 of 9 for .90."""
    return int(n * (1 - _exactly(least)))


def _exactly(share: float) -> Fraction:
    """Return the share as the decimal number that was typed, not as the nearest binary number."""
    return Fraction(repr(share))


def acceptance_probability(
    n_sample: int, most_errors: int, true_accuracy: float, batch_size: int | None = None
) -> float:
    """Return the probability that a batch with a given true accuracy is accepted.

    Parameters
    ----------
    n_sample, most_errors : int
        Sample size n and acceptance number c.
    true_accuracy : float
        0 to 1; the errors of a finite batch are rounded to whole ratings.
    batch_size : int, optional
        Hypergeometric for a batch of this size; binomial (an infinite batch) if None.
    """
    if not 0 <= true_accuracy <= 1 or not 0 <= most_errors <= n_sample:
        raise ValueError("accuracy lies in 0..1 and the allowed errors in 0..n")
    if batch_size is None:
        return float(special().bdtr(most_errors, n_sample, 1 - true_accuracy))
    if batch_size < n_sample:
        raise ValueError("the sample is larger than the batch")
    errors = round(batch_size * (1 - true_accuracy))
    good = batch_size - errors
    # Integers, divided once: exact for any batch.
    ways = sum(comb(errors, drawn) * comb(good, n_sample - drawn) for drawn in range(most_errors + 1))
    return ways / comb(batch_size, n_sample)
