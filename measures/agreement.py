"""Agreement from pattern histograms: Fleiss, Scott, Gwet AC1/AC2, Brennan-Prediger and per cent agreement.

Every chance-corrected coefficient here is (Pa - Pe) / (1 - Pe) with the same observed agreement and its own
chance agreement, so one kernel serves the point value, the bootstrap and the standard error.

Conventions: categories are the declared answers, used or not. With unequal numbers of ratings Pa is the
unweighted mean over items with two or more ratings and p_k the mean over all rated items of T_ik / r_i
("gwet", as irrCAC), or the share in all ratings ("pooled"), or only items with the full number of ratings
enter ("listwise", as R irr). An item with one rating thus enters Pe and not Pa. Without such items Fleiss
kappa is never below -1; with them it can be, see :func:`measures.labels.single_answer_warnings`.

Sources: Fleiss 1971, Psychol. Bull. 76:378; Scott 1955; Brennan & Prediger 1981; Gwet 2008, Br. J. Math.
Stat. Psychol. 61:29 (AC1 and the linearised variance); Gwet 2014, Handbook of Inter-Rater Reliability, 4th
ed.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from measures.arrays import BoolArray, FloatArray, IntArray, divide_or_nan, divide_or_zero, unless_rounding
from measures.estimate import NO_PAIRS, NO_STANDARD_ERROR, NO_VARIATION, Estimate
from measures.histograms import Histogram
from measures.intervals import Kernel, t_interval
from measures.weights import Weights, resolve_weights

CONVENTIONS = ("gwet", "pooled", "listwise")


@dataclass(frozen=True, slots=True)
class Chance:
    """A model of chance agreement.

    Attributes
    ----------
    expected : callable
        (B, K) category shares -> (B,) chance agreement.
    per_item : callable or None
        (P, K) shares within an item and (K,) shares -> (P,) the item's part in chance agreement; its mean over
        items is `expected`. None if chance does not depend on the data.
    """

    expected: Callable[[FloatArray], FloatArray]
    per_item: Callable[[FloatArray, FloatArray], FloatArray] | None


def fleiss_chance(weights: FloatArray) -> Chance:
    """Return Pe = p' W p, for two ratings drawn from the pooled distribution (Scott, Fleiss)."""
    symmetric = (weights + weights.T) / 2
    return Chance(
        lambda shares: ((shares @ weights) * shares).sum(axis=1),
        lambda item, shares: item @ (symmetric @ shares),
    )


def gwet_chance(weights: FloatArray) -> Chance:
    """Return Pe = sum(W) / (K (K - 1)) * sum p (1 - p), over declared categories (Gwet 2008, 2014)."""
    k = len(weights)
    factor = float(weights.sum()) / (k * (k - 1)) if k > 1 else 0.0
    return Chance(
        lambda shares: factor * (shares * (1 - shares)).sum(axis=1),
        lambda item, shares: factor * (item @ (1 - shares)),
    )


def uniform_chance(weights: FloatArray) -> Chance:
    """Return Pe = sum(W) / K^2, for equally likely declared categories (Brennan & Prediger 1981)."""
    expected = float(weights.mean())
    return Chance(lambda shares: np.full(len(shares), expected), None)


def pair_agreement(patterns: IntArray, weights: FloatArray) -> tuple[FloatArray, BoolArray]:
    """Return (P,) the share of agreeing rater pairs within an item (0 without pairs), and whether there are pairs."""
    tallies = patterns.astype(float)
    votes = tallies.sum(axis=1)
    agreeing = ((tallies @ weights) * tallies).sum(axis=1) - votes
    return divide_or_zero(agreeing, votes * (votes - 1)), votes >= 2


def chance_corrected_kernel(patterns: IntArray, chance: Chance, weights: FloatArray, *, pooled: bool = False) -> Kernel:
    """Return the vectorised coefficient: (B, P) items per pattern -> (B,), NaN for no pairs or no variation."""
    agreeing, paired = pair_agreement(patterns, weights)
    tallies = patterns.astype(float)
    votes = tallies.sum(axis=1)
    rows, sizes = (tallies, votes) if pooled else (tallies / votes[:, None], np.ones(len(votes)))

    def kernel(counts: FloatArray) -> FloatArray:
        observed = divide_or_nan(counts @ agreeing, counts @ paired)
        shares = divide_or_nan(counts @ rows, (counts @ sizes)[:, None])
        expected = chance.expected(shares)
        return divide_or_nan(observed - expected, unless_rounding(1 - expected))

    return kernel


def fleiss_kernel(patterns: IntArray, weights: Weights = None) -> Kernel:
    """Return Fleiss kappa ('gwet' convention) for :func:`measures.intervals.bootstrap_interval`."""
    matrix = resolve_weights(weights, patterns.shape[1])
    return chance_corrected_kernel(patterns, fleiss_chance(matrix), matrix)


def gwet_kernel(patterns: IntArray, weights: Weights = None) -> Kernel:
    """Return AC1 or AC2 over the declared categories, for the same."""
    matrix = resolve_weights(weights, patterns.shape[1])
    return chance_corrected_kernel(patterns, gwet_chance(matrix), matrix)


def brennan_prediger_kernel(patterns: IntArray, weights: Weights = None) -> Kernel:
    """Return the coefficient of Brennan and Prediger, for the same."""
    matrix = resolve_weights(weights, patterns.shape[1])
    return chance_corrected_kernel(patterns, uniform_chance(matrix), matrix)


def fleiss_kappa(
    histogram: Histogram, *, weights: Weights = None, convention: str = "gwet", level: float = 0.95
) -> Estimate:
    """Fleiss kappa, for any number of ratings per item.

    Parameters
    ----------
    histogram : Histogram
    weights : None, kind or (K, K) array
        Agreement weights, see :mod:`measures.weights`.
    convention : {'gwet', 'pooled', 'listwise'}
        For unequal numbers of ratings; the three coincide when every item has the same number.
    level : float
        Confidence of the interval value +- t(N - 1) * Gwet's standard error. 'pooled' has none.

    Returns
    -------
    Estimate
        Undefined: 'no_pairs' without an item rated twice, 'no_variation' when all ratings are one category.
        With two raters this is Scott's pi, not Cohen's kappa.
    """
    if convention not in CONVENTIONS:
        raise ValueError(f"Fleiss conventions are {', '.join(CONVENTIONS)}, not {convention!r}")
    used = histogram.complete() if convention == "listwise" else histogram
    matrix = resolve_weights(weights, histogram.n_categories)
    return _chance_corrected(used, fleiss_chance(matrix), matrix, level, pooled=convention == "pooled")


def fleiss_kappa_category(histogram: Histogram, category: int, *, level: float = 0.95) -> Estimate:
    """Fleiss kappa of one category against all others (Fleiss 1971); 'no_variation' for an unused one."""
    return fleiss_kappa(histogram.against_rest(category), level=level)


def gwet_ac(histogram: Histogram, *, weights: Weights = None, level: float = 0.95) -> Estimate:
    """Gwet AC1 (nominal) or AC2 (weighted), over the declared categories.

    Undefined: 'no_pairs'; 'no_variation' if only one category is declared. If only one category is USED, the value
    is 1.
    """
    return _over_declared(histogram, gwet_chance, weights, level)


def brennan_prediger(histogram: Histogram, *, weights: Weights = None, level: float = 0.95) -> Estimate:
    """Brennan-Prediger coefficient; undefined as for :func:`gwet_ac`."""
    return _over_declared(histogram, uniform_chance, weights, level)


def percent_agreement(histogram: Histogram, *, level: float = 0.95) -> Estimate:
    """Mean over items of the share of agreeing rater pairs, 0 to 1; 'no_pairs' if no item is rated twice."""
    agreeing, _ = pair_agreement(histogram.patterns, np.eye(histogram.n_categories))
    return _mean_over_items(histogram, agreeing, level)


def all_agree_share(histogram: Histogram, *, level: float = 0.95) -> Estimate:
    """Share of the items rated twice or more on which ALL raters agree; this is not the pairwise agreement."""
    unanimous = histogram.patterns.max(axis=1, initial=0) == histogram.votes
    return _mean_over_items(histogram, unanimous.astype(float), level)


def positive_agreement(histogram: Histogram, category: int) -> Estimate:
    """Share of positive agreement: how often another rater of the item also gives the category that one has given.

    Sum of n_ik (n_ik - 1) over items, by the sum of n_ik (n_i - 1), over items rated twice or more; 'no_variation' if
    nobody gave the category. Sources: Cicchetti & Feinstein 1990, J. Clin. Epidemiol. 43:551 (two raters); de Vet,
    Dikmans & Eekhout 2017, J. Clin. Epidemiol. 83:85 (any number).
    """
    given, others = histogram.patterns[:, category], histogram.votes - 1
    rated = others > 0
    pairs = int(histogram.counts[rated] @ (given * others)[rated])
    if not histogram.n_rated:
        return Estimate(None, NO_PAIRS, **histogram.sizes)
    if not pairs:
        return Estimate(None, NO_VARIATION, **histogram.sizes)
    return Estimate(float(histogram.counts[rated] @ (given * (given - 1))[rated]) / pairs, **histogram.sizes)


def _chance_corrected(
    histogram: Histogram, chance: Chance, weights: FloatArray, level: float, *, pooled: bool = False
) -> Estimate:
    """Point value, Gwet's standard error and the t interval of one coefficient."""
    sizes = histogram.sizes
    if not histogram.n_rated:
        return Estimate(None, NO_PAIRS, **sizes)
    kernel = chance_corrected_kernel(histogram.patterns, chance, weights, pooled=pooled)
    value = float(kernel(histogram.counts[None, :].astype(float))[0])
    if np.isnan(value):
        return Estimate(None, NO_VARIATION, **sizes)
    if pooled:
        return Estimate(value, interval_note=NO_STANDARD_ERROR, **sizes)
    error = _gwet_standard_error(histogram, chance, weights, value)
    return t_interval(Estimate(value, standard_error=error, **sizes), histogram.n_items - 1, level)


def _over_declared(
    histogram: Histogram, chance: Callable[[FloatArray], Chance], weights: Weights, level: float
) -> Estimate:
    """A coefficient with chance agreement over the declared categories; a single one leaves nothing to choose."""
    if histogram.n_rated and histogram.n_categories == 1:
        return Estimate(None, NO_VARIATION, **histogram.sizes)
    matrix = resolve_weights(weights, histogram.n_categories)
    return _chance_corrected(histogram, chance(matrix), matrix, level)


def _gwet_standard_error(histogram: Histogram, chance: Chance, weights: FloatArray, value: float) -> float | None:
    """Linearised standard error, items sampled from an infinite population (Gwet 2008, 2014 ch. 5).

    Each item's influence is its own (Pa_i - Pe) / (1 - Pe), scaled because items with one rating carry no agreement,
    minus its effect on the chance agreement. None for a single item.
    """
    n = histogram.n_items
    if n < 2:
        return None
    counts = histogram.counts.astype(float)
    agreeing, paired = pair_agreement(histogram.patterns, weights)
    item_shares = histogram.patterns / histogram.votes[:, None]
    shares = counts @ item_shares / n
    expected = float(chance.expected(shares[None, :])[0])
    influence = n / histogram.n_rated * paired * (agreeing - expected) / (1 - expected)
    if chance.per_item is not None:
        moved = chance.per_item(item_shares, shares) - expected
        influence = influence - 2 * (1 - value) * moved / (1 - expected)
    return float(np.sqrt(counts @ (influence - value) ** 2 / (n * (n - 1))))


def _mean_over_items(histogram: Histogram, per_pattern: FloatArray, level: float) -> Estimate:
    """Mean of a quantity from 0 to 1 over items with two or more ratings, with the SE of a mean and t(n - 1)."""
    n = histogram.n_rated
    if not n:
        return Estimate(None, NO_PAIRS, **histogram.sizes)
    counts = np.where(histogram.votes >= 2, histogram.counts, 0).astype(float)
    value = min(1.0, float(counts @ per_pattern / n))
    estimate = Estimate(value, **histogram.sizes)
    if n > 1:
        error = np.sqrt(counts @ (per_pattern - value) ** 2 / (n * (n - 1)))
        estimate = replace(estimate, standard_error=float(error))
    return t_interval(estimate, n - 1, level, bounds=(0.0, 1.0))
