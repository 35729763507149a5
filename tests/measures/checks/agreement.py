"""Coefficients of agreement beside statsmodels, krippendorff, scikit-learn, and definitions in exact fractions."""

import itertools
import warnings
from collections.abc import Callable, Iterable
from fractions import Fraction
from statistics import mean

import krippendorff
import numpy as np
from sklearn.metrics import cohen_kappa_score
from sklearn.metrics import confusion_matrix as sklearn_confusion
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss

from measures.agreement import (
    all_agree_share,
    brennan_prediger,
    fleiss_kappa,
    fleiss_kappa_category,
    gwet_ac,
    percent_agreement,
)
from measures.alpha import krippendorff_alpha
from measures.cohen import cohen_kappa, confusion_matrix, conger_kappa, rater_margins
from measures.estimate import Estimate
from measures.histograms import Histogram
from measures.pair_means import mean_pairwise_cohen, mean_pairwise_cohens_with_intervals
from measures.pairs import PairTable
from measures.summary import agreement_summary
from measures.weights import agreement_weights
from tests.measures.checks import Check, Pair, as_votes, studies, tallies, value

WEIGHTS = ("nominal", "linear", "quadratic", "ordinal")


def of(codes: np.ndarray, k: int) -> Histogram:
    return Histogram.from_matrix(codes, k)


# --- packages
def fleiss_beside_statsmodels() -> Iterable[Pair]:
    for codes, k in studies(200):
        yield value(fleiss_kappa(of(codes, k))), statsmodels_fleiss(tallies(codes, k))


def category_beside_statsmodels() -> Iterable[Pair]:
    for codes, k in studies(100):
        table = tallies(codes, k)
        for category in np.flatnonzero(table.sum(axis=0)).tolist():
            two = np.column_stack([table[:, category], codes.shape[1] - table[:, category]])
            yield value(fleiss_kappa_category(of(codes, k), category)), statsmodels_fleiss(two)


def brennan_prediger_beside_statsmodels() -> Iterable[Pair]:
    for codes, k in studies(100):
        yield value(brennan_prediger(of(codes, k))), statsmodels_fleiss(tallies(codes, k), method="randolph")


def alpha_beside_krippendorff() -> Iterable[Pair]:
    """Every level, gaps, and values that are not evenly spread."""
    for codes, k in studies(100, missing=0.3):
        values = [float(2**category) for category in range(k)]
        data = np.where(codes < 0, np.nan, np.array(values)[codes]).T
        for scale in ("nominal", "ordinal", "interval", "ratio"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                theirs = krippendorff.alpha(data, level_of_measurement=scale, value_domain=values)
            yield value(krippendorff_alpha(of(codes, k), scale, values)), theirs


def cohen_beside_sklearn() -> Iterable[Pair]:
    for codes, k in studies(100, most_raters=2):
        table = confusion_matrix(codes[:, 0], codes[:, 1], k)
        for weights in (None, "linear", "quadratic"):
            theirs = cohen_kappa_score(codes[:, 0], codes[:, 1], labels=range(k), weights=weights)
            yield value(cohen_kappa(table, weights=weights)), theirs
        yield table, sklearn_confusion(codes[:, 0], codes[:, 1], labels=range(k))


def cohen_error_beside_statsmodels() -> Iterable[Pair]:
    for codes, k in studies(100, most_raters=2):
        table = confusion_matrix(codes[:, 0], codes[:, 1], k)
        for weights, wt in ((None, None), ("linear", "linear"), ("quadratic", "quadratic")):
            found, theirs = cohen_kappa(table, weights=weights), cohens_kappa(table, wt=wt)
            if not found.warnings:  # a constant rater is exactly 0 here
                yield (value(found), found.standard_error), (theirs.kappa, np.sqrt(max(theirs.var_kappa, 0)))


def pairs_beside_sklearn() -> Iterable[Pair]:
    for codes, k in studies(50):
        yield value(mean_pairwise_cohen(PairTable.from_matrix(codes, k))), light(codes, k)


def weighted_pairs_beside_sklearn() -> Iterable[Pair]:
    """The whole scale, used or not; sklearn re-spaces it without `labels`."""
    for codes, k in studies(50):
        for weights in ("linear", "quadratic"):
            ours = mean_pairwise_cohen(PairTable.from_matrix(codes, k), weights=weights)
            yield value(ours), light(codes, k, weights)


def weighted_pairs_beside_statsmodels() -> Iterable[Pair]:
    for codes, k in studies(50, most_raters=2):
        for weights in ("linear", "quadratic"):
            table = confusion_matrix(codes[:, 0], codes[:, 1], k)
            ours = mean_pairwise_cohen(PairTable.from_matrix(codes, k), weights=weights)
            yield value(ours), cohens_kappa(table, wt=weights).kappa


def light(codes: np.ndarray, k: int, weights: str | None = None) -> float:
    """Mean over pairs of annotators, those left out that gave one and the same answer."""
    both = itertools.combinations(range(codes.shape[1]), 2)
    tables = [(codes[:, a], codes[:, b]) for a, b in both]
    varied = [(a, b) for a, b in tables if len(np.unique([a, b])) > 1]
    return mean(cohen_kappa_score(a, b, labels=range(k), weights=weights) for a, b in varied)


def jackknife_beside_deletion() -> Iterable[Pair]:
    """Each item left out in turn and all pairs computed again."""
    for codes, k in studies(12, most_raters=4, most_items=20):
        kinds = (None, "linear", "quadratic")
        found = mean_pairwise_cohens_with_intervals(*as_votes(codes), k, kinds)
        for weights, ours in zip(kinds, found, strict=True):
            left_out = [light(np.delete(codes, item, axis=0), k, weights) for item in range(len(codes))]
            n = len(left_out)
            yield ours.standard_error, np.sqrt((n - 1) / n * sum((each - mean(left_out)) ** 2 for each in left_out))


def summary_beside_packages() -> Iterable[Pair]:
    for codes, k in studies(50):
        found = agreement_summary(of(codes, k), n_resamples=0)
        theirs = krippendorff.alpha(codes.T.astype(float), level_of_measurement="nominal")
        ours = [value(found[name]) for name in ("fleiss_kappa", "krippendorff_alpha")]
        yield ours, [statsmodels_fleiss(tallies(codes, k)), theirs]


# --- definitions, in fractions: vote by vote and pair by pair
def pair_share(row: list[int], weights: list[list[Fraction]]) -> Fraction:
    pairs = list(itertools.permutations(row, 2))
    return sum((weights[a][b] for a, b in pairs), Fraction(0)) / len(pairs)


def exact(codes: np.ndarray, k: int, weights: str, chance: Callable[..., Fraction], *, pooled: bool = False) -> float:
    """(Pa - Pe) / (1 - Pe); shares are means over items, or of all votes when pooled."""
    rows = [[int(code) for code in row if code >= 0] for row in codes]
    table = [[Fraction(float(w)).limit_denominator(10**6) for w in row] for row in agreement_weights(weights, k)]
    observed = sum((pair_share(row, table) for row in rows), Fraction(0)) / len(rows)
    if pooled:
        votes = list(itertools.chain(*rows))
        shares = [Fraction(votes.count(c), len(votes)) for c in range(k)]
    else:
        shares = [sum((Fraction(row.count(c), len(row)) for row in rows), Fraction(0)) / len(rows) for c in range(k)]
    expected = chance(shares, table)
    return float((observed - expected) / (1 - expected))


def fleiss_chance(shares: list[Fraction], table: list[list[Fraction]]) -> Fraction:
    k = len(shares)
    return sum((table[a][b] * shares[a] * shares[b] for a in range(k) for b in range(k)), Fraction(0))


def gwet_chance(shares: list[Fraction], table: list[list[Fraction]]) -> Fraction:
    k = len(shares)
    return sum(map(sum, table), Fraction(0)) / (k * (k - 1)) * sum((p * (1 - p) for p in shares), Fraction(0))


def uniform_chance(shares: list[Fraction], table: list[list[Fraction]]) -> Fraction:
    return sum(map(sum, table), Fraction(0)) / len(shares) ** 2


def coefficient_beside_fractions(ours: Callable[..., Estimate], chance: Callable[..., Fraction]) -> Iterable[Pair]:
    for codes, k in studies(40, missing=0.3, most_items=15):
        for weights in WEIGHTS:
            yield value(ours(of(codes, k), weights=weights)), exact(codes, k, weights, chance)


def fleiss_beside_fractions() -> Iterable[Pair]:
    yield from coefficient_beside_fractions(fleiss_kappa, fleiss_chance)
    for codes, k in studies(40, missing=0.3, most_items=15):
        theirs = exact(codes, k, "nominal", fleiss_chance, pooled=True)
        yield value(fleiss_kappa(of(codes, k), convention="pooled")), theirs


def agreement_beside_fractions() -> Iterable[Pair]:
    for codes, k in studies(60, missing=0.3):
        rows = [row[row >= 0].tolist() for row in codes]
        unit = [[Fraction(a == b) for b in range(k)] for a in range(k)]
        pairwise = sum((pair_share(row, unit) for row in rows), Fraction(0)) / len(rows)
        unanimous = Fraction(sum(len(set(row)) == 1 for row in rows), len(rows))
        found = percent_agreement(of(codes, k)), all_agree_share(of(codes, k))
        yield [value(each) for each in found], [float(pairwise), float(unanimous)]


def conger_beside_pairs() -> Iterable[Pair]:
    """Complete data: chance and agreement averaged over the tables of all pairs of annotators."""
    for codes, k in studies(60):
        observed, expected = [], []
        for a, b in itertools.combinations(codes.T.tolist(), 2):
            observed.append(Fraction(sum(x == y for x, y in zip(a, b, strict=True)), len(a)))
            expected.append(sum(Fraction(a.count(c) * b.count(c), len(a) ** 2) for c in range(k)))
        chance = sum(expected, Fraction(0)) / len(expected)
        theirs = (sum(observed, Fraction(0)) / len(observed) - chance) / (1 - chance)
        _, rater, votes = as_votes(codes)
        margins = rater_margins(rater, votes, codes.shape[1], k)
        yield value(conger_kappa(of(codes, k), margins)), float(theirs)


def errors_beside_derivatives() -> Iterable[Pair]:
    """Gwet's standard error is that of the derivatives by the weights of the items, here by complex steps."""
    for codes, k in studies(60, missing=0.3):
        table = tallies(codes, k)
        for ours, squares in ((fleiss_kappa, True), (gwet_ac, False)):
            slopes = np.array([_weighted(table, item, squares).imag for item in range(len(table))]) / 1e-20
            n = len(table)
            yield ours(of(codes, k)).standard_error, np.sqrt(n / (n - 1) * (slopes**2).sum())


def _weighted(table: np.ndarray, item: int, squares: bool) -> complex:
    """Fleiss' kappa or AC1 with one item's weight a little off the real numbers."""
    weights = np.ones(len(table), complex)
    weights[item] += 1e-20j
    votes = table.sum(axis=1)
    agreeing = (table * (table - 1)).sum(axis=1) / (votes * (votes - 1))
    observed = (weights * agreeing).sum() / weights.sum()
    shares = (weights[:, None] * table / votes[:, None]).sum(axis=0) / weights.sum()
    k = table.shape[1]
    expected = (shares**2).sum() if squares else (shares * (1 - shares)).sum() / (k - 1)
    return complex((observed - expected) / (1 - expected))


CHECKS = [
    Check(("agreement.fleiss_kappa",), "statsmodels, equal numbers of votes", fleiss_beside_statsmodels),
    Check(("agreement.fleiss_kappa",), "exact fractions, gaps, weights and pooled shares", fleiss_beside_fractions),
    Check(("agreement.fleiss_kappa_category",), "statsmodels", category_beside_statsmodels),
    Check(
        ("agreement.gwet_ac",), "exact fractions, gaps and weights",
        lambda: coefficient_beside_fractions(gwet_ac, gwet_chance),
    ),
    Check(("agreement.brennan_prediger",), "statsmodels", brennan_prediger_beside_statsmodels),
    Check(
        ("agreement.brennan_prediger",), "exact fractions, gaps and weights",
        lambda: coefficient_beside_fractions(brennan_prediger, uniform_chance),
    ),
    Check(
        ("agreement.percent_agreement", "agreement.all_agree_share"), "exact fractions, pair by pair",
        agreement_beside_fractions,
    ),
    Check(
        ("agreement.fleiss_kappa", "agreement.gwet_ac"), "derivatives by complex steps: standard errors",
        errors_beside_derivatives,
    ),
    Check(("alpha.krippendorff_alpha",), "krippendorff, four levels, gaps", alpha_beside_krippendorff),
    Check(("cohen.cohen_kappa", "cohen.confusion_matrix"), "scikit-learn, three weights", cohen_beside_sklearn),
    Check(("cohen.cohen_kappa",), "statsmodels, with standard error", cohen_error_beside_statsmodels),
    Check(("cohen.conger_kappa", "cohen.rater_margins"), "exact fractions, all pairs", conger_beside_pairs),
    Check(("pair_means.mean_pairwise_cohen",), "scikit-learn, all pairs", pairs_beside_sklearn),
    Check(
        ("pair_means.mean_pairwise_cohen",), "scikit-learn weighted, all pairs, linear and quadratic",
        weighted_pairs_beside_sklearn,
    ),
    Check(
        ("pair_means.mean_pairwise_cohen",), "statsmodels weighted, linear and quadratic",
        weighted_pairs_beside_statsmodels,
    ),
    Check(
        ("pair_means.mean_pairwise_cohens_with_intervals",), "scikit-learn, items left out one by one",
        jackknife_beside_deletion,
    ),
    Check(("summary.agreement_summary",), "statsmodels and krippendorff", summary_beside_packages),
]  # fmt: skip
