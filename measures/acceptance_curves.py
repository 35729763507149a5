"""Operating curves: the probability that a plan accepts a batch, by the batch's true accuracy.

All classes are assumed equally accurate. Statistics 4.4; Montgomery 2013, Statistical Quality Control, ch. 15.
"""

from dataclasses import dataclass
from functools import lru_cache, reduce

import numpy as np
import numpy.typing as npt

from measures.acceptance import FixedRule, SharesRule, acceptance_probability, errors_allowed
from measures.arrays import FloatArray, IntArray
from measures.intervals import special
from measures.sequential import SequentialRule, characteristic

Rule = SharesRule | FixedRule | SequentialRule
N_SIMULATED = 20_000


@dataclass(frozen=True, slots=True)
class Curve:
    """(A,) values by accuracy. `mean_sampled` is None if the sample size does not depend on the answers."""

    accuracies: tuple[float, ...]
    acceptance: tuple[float, ...]
    overall_alone: tuple[float, ...] | None = None
    mean_sampled: tuple[float, ...] | None = None


def curve_of(rule: Rule, sizes: tuple[int, ...], accuracies: tuple[float, ...], seed: int = 0) -> Curve:
    """Return the curve for a batch with `sizes` items of each class."""
    n_items = sum(sizes)
    if isinstance(rule, SequentialRule):
        found = characteristic(rule, accuracies, n_items)
        return Curve(accuracies, tuple(found.acceptance), None, tuple(found.mean_sampled))
    if isinstance(rule, FixedRule):
        n = min(rule.n_sample, n_items)
        most = min(rule.most_errors * n // rule.n_sample, n)
        return Curve(accuracies, tuple(acceptance_probability(n, most, each, n_items) for each in accuracies))
    alone = overall_curve(rule, n_items, accuracies)
    return Curve(accuracies, tuple(joint_curve(rule, sizes, accuracies, seed)) if rule.has_classes else alone, alone)


def overall_curve(rule: SharesRule, n_items: int, accuracies: tuple[float, ...]) -> tuple[float, ...]:
    """Return (A,) probabilities of acceptance by the overall share alone: hypergeometric."""
    n = min(rule.n_sample, n_items)
    most = errors_allowed(n, rule.least_overall)
    return tuple(acceptance_probability(n, most, each, n_items) for each in accuracies)


def joint_curve(rule: SharesRule, sizes: npt.ArrayLike, accuracies: npt.ArrayLike, seed: int = 0) -> FloatArray:
    """Return (A,) probabilities of acceptance by the overall share and every class together.

    Parameters
    ----------
    rule : SharesRule
    sizes : (K,) int array
        Items of the batch by label.
    accuracies : (A,) array
        Errors of each class are rounded to whole items.
    seed : int
        For the simulated part.

    Notes
    -----
    Exact for samples without extra draws: a multivariate hypergeometric sum over drawn items and errors, class by
    class. The part with extra draws is simulated from 20,000 samples. Its standard error is at most
    sqrt(P / 20,000) / 2, with P the probability of extra draws: .0035 at worst and .0002 for the classes of DiQAD.
    """
    present = np.asarray(sizes, np.int64)
    present = present[present > 0]
    tops_up = rule.top_up_to > 0 and rule.fewest_of_class > 0 and rule.n_sample < present.sum()
    least_drawn = rule.fewest_of_class if tops_up else 0
    found = np.array([_exact(rule, present, float(p), least_drawn) for p in np.asarray(accuracies, float)])
    if tops_up:
        found = found + _simulated(rule, present, np.asarray(accuracies, float), seed)
    return np.clip(found, 0.0, 1.0)


def _exact(rule: SharesRule, sizes: IntArray, accuracy: float, least_drawn: int) -> float:
    """Return P(accepted, and at least `least_drawn` items of every class are in the sample)."""
    n_items = int(sizes.sum())
    n = min(rule.n_sample, n_items)
    most = errors_allowed(n, rule.least_overall)
    wrong = np.rint(sizes * (1 - accuracy)).astype(np.int64)
    tables = [_class_table(int(size), int(bad), n, most, n_items) for size, bad in zip(sizes, wrong, strict=True)]
    drawn, errors = np.arange(n + 1)[:, None], np.arange(most + 1)[None, :]
    allowed = np.array([errors_allowed(m, rule.least_of_class) for m in range(n + 1)])[:, None]
    fewest = int(rule.fewest(is_census=n == n_items))
    is_short = drawn < fewest
    passes = [np.where((is_short | (errors <= allowed)) & (drawn >= least_drawn), each, 0.0) for each in tables]
    found = _total(passes, n)
    if n < len(sizes) * fewest and not least_drawn:
        # Samples in which no class is assessable have no outcome, and so are not accepted.
        found -= _total([np.where(is_short, each, 0.0) for each in tables], n)
    return found / float(_binomial(n_items, n_items, n)[n])


def _class_table(size: int, wrong: int, n: int, most: int, n_items: int) -> FloatArray:
    """Return (n + 1, most + 1) probabilities: binomial draws of the class times hypergeometric errors among them.

    Given that the draws of all classes sum to n, binomial draws are multivariate hypergeometric.
    """
    drawn, errors = np.arange(n + 1)[:, None], np.arange(most + 1)[None, :]
    good = drawn - errors
    is_possible = (good >= 0) & (errors <= wrong) & (good <= size - wrong) & (drawn <= size)
    log_ways = _log_choose(wrong, errors) + _log_choose(size - wrong, good) - _log_choose(size, drawn)
    of_drawn = _binomial(size, n_items, n)[:, None]
    return np.where(is_possible, np.exp(np.where(is_possible, log_ways, 0.0)), 0.0) * of_drawn


def _binomial(size: int, n_items: int, n: int) -> FloatArray:
    """Return (n + 1,) P(m of `size` items are drawn) if each is drawn with probability n / n_items."""
    drawn, share = np.arange(n + 1), n / n_items
    is_possible = drawn <= size
    if share == 1:
        return (drawn == size).astype(float)
    log_p = _log_choose(size, drawn) + drawn * np.log(share) + (size - drawn) * np.log1p(-share)
    return np.where(is_possible, np.exp(np.where(is_possible, log_p, 0.0)), 0.0)


def _log_choose(n: int, k: IntArray) -> FloatArray:
    """Return log C(n, k); callers ignore the values for k outside 0..n."""
    inside = np.clip(k, 0, n)
    gammaln = special().gammaln
    return gammaln(n + 1) - gammaln(inside + 1) - gammaln(n - inside + 1)


def _total(tables: list[FloatArray], n: int) -> float:
    """Return P(the draws sum to n, and the errors to no more than the tables hold)."""
    return float(reduce(_convolved, tables)[n].sum())


def _convolved(left: FloatArray, right: FloatArray) -> FloatArray:
    """Return the distribution of the sums of both axes, cut off at the tables' size; accurate to about 1e-15."""
    n, width = left.shape
    padded = (2 * n - 1, 2 * width - 1)
    found = np.fft.irfft2(np.fft.rfft2(left, padded) * np.fft.rfft2(right, padded), padded)
    return np.maximum(found[:n, :width], 0.0)


def _simulated(rule: SharesRule, sizes: IntArray, accuracies: FloatArray, seed: int) -> FloatArray:
    """Return (A,) P(accepted, and some class gets extra draws), from simulated samples."""
    rng = np.random.default_rng(seed)
    n = min(rule.n_sample, int(sizes.sum()))
    drawn = rng.multivariate_hypergeometric(sizes, n, size=N_SIMULATED, method="marginals")
    drawn = drawn[(drawn < rule.fewest_of_class).any(axis=1)]
    more = np.minimum(np.maximum(rule.top_up_to, drawn), sizes)
    drawn = np.where(drawn < rule.fewest_of_class, more, drawn)
    wrong = [np.rint(sizes * (1 - each)).astype(np.int64) for each in accuracies]
    errors = (rng.hypergeometric(each, sizes - each, drawn) for each in wrong)
    return np.array([_is_accepted(rule, sizes, drawn, each).sum() / N_SIMULATED for each in errors])


def _is_accepted(rule: SharesRule, sizes: IntArray, drawn: IntArray, errors: IntArray) -> npt.NDArray[np.bool_]:
    """Return (S,) whether each of many samples is accepted, by the rule of `decide_by_shares`."""
    allowed = np.array([errors_allowed(m, rule.least_of_class) for m in range(int(drawn.max(initial=0)) + 1)])
    is_assessable = drawn >= rule.fewest(is_census=(drawn == sizes).all(axis=1))[:, None]
    overall = ((1 - errors / np.maximum(drawn, 1)) * sizes).sum(axis=1) / sizes.sum()
    is_passed = (~is_assessable | (errors <= allowed[drawn])).all(axis=1)
    return (overall >= rule.least_overall - 1e-12) & is_passed & is_assessable.any(axis=1)


@lru_cache(maxsize=256)
def kept_curve(rule: Rule, sizes: tuple[int, ...], accuracies: tuple[float, ...]) -> Curve:
    """Return curve_of() from a cache of the process, as pages draw the same curves repeatedly."""
    return curve_of(rule, sizes, accuracies)
