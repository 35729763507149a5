"""Intervals beside scipy and statsmodels. Bootstraps draw by other lots there, so they differ by chance."""

from collections.abc import Callable, Iterable

import numpy as np
from scipy import stats
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss
from statsmodels.stats.proportion import proportion_confint

from measures.acceptance import acceptance_probability
from measures.agreement import fleiss_kernel
from measures.alpha import krippendorff_alpha_with_interval
from measures.behaviour import gold_result
from measures.clusters import Clusters, cluster_bootstrap_intervals
from measures.estimate import Estimate
from measures.histograms import Histogram
from measures.intervals import bootstrap_interval, clopper_pearson, interval_of_counts, t_interval, wilson
from measures.prediction_intervals import label_estimates, score_estimates
from tests.measures.checks import Check, Pair, limits, tallies

N_RESAMPLES = 2000


def wilson_beside_statsmodels() -> Iterable[Pair]:
    for n in (1, 2, 5, 10, 33, 100):
        for k in range(n + 1):
            for level in (0.9, 0.95):
                yield limits(wilson(k, n, level)), proportion_confint(k, n, 1 - level, method="wilson")


def clopper_beside_statsmodels() -> Iterable[Pair]:
    for n in (1, 2, 5, 10, 33, 100):
        for k in range(n + 1):
            low, high = proportion_confint(k, n, 0.05, method="beta")
            # statsmodels leaves NaN where scipy's beta has no parameters.
            yield limits(clopper_pearson(k, n)), (np.nan_to_num(low, nan=0.0), np.nan_to_num(high, nan=1.0))


def gold_beside_statsmodels() -> Iterable[Pair]:
    for n in (5, 20, 50):
        for k in range(n + 1):
            found = gold_result(k, n, 0.9)
            low, high = proportion_confint(k, n, 0.05, method="wilson")
            outcome = "failed" if high < 0.9 else "proved" if low >= 0.9 else "undecided"
            assert found.outcome == outcome
            yield (found.low, found.high), (low, high)


def t_beside_scipy() -> Iterable[Pair]:
    rng = np.random.default_rng(1)
    for _ in range(100):
        centre, error, df = rng.uniform(-0.5, 0.5), rng.uniform(0.001, 0.05), rng.uniform(1.5, 200)
        found = t_interval(Estimate(centre, standard_error=error), df)
        theirs = stats.t.interval(0.95, df, centre, error)
        yield limits(found), np.clip(theirs, -1, 1)


def acceptance_beside_scipy() -> Iterable[Pair]:
    for n, most in ((100, 8), (233, 17), (5, 0), (30, 3)):
        for accuracy in np.arange(0.5, 1.0, 0.05):
            yield acceptance_probability(n, most, accuracy), stats.binom.cdf(most, n, 1 - accuracy)
            errors = round(2000 * (1 - accuracy))
            theirs = stats.hypergeom.cdf(most, 2000, errors, n)
            yield acceptance_probability(n, most, accuracy, 2000), theirs


# --- bootstraps: BCa of scipy, which resamples one by one
def by_scipy(n: int, figure: Callable[[np.ndarray], float]) -> tuple[float, float]:
    """Of units 0..n-1, `figure` from the numbers of those drawn."""
    found = stats.bootstrap(
        (np.arange(n),), figure, vectorized=False, n_resamples=N_RESAMPLES, method="BCa", rng=np.random.default_rng(9)
    ).confidence_interval
    return float(found.low), float(found.high)


def votes(n: int, seed: int) -> np.ndarray:
    """(items, 5) codes of three answers."""
    rng = np.random.default_rng(seed)
    truth, noise = rng.choice(3, (n, 1), p=[0.5, 0.3, 0.2]), rng.choice(3, (n, 5))
    return np.where(rng.random((n, 5)) < 0.7, truth, noise).astype(np.int8)


def items_beside_scipy() -> Iterable[Pair]:
    for seed, n in ((1, 42), (2, 100)):
        table = tallies(votes(n, seed), 3)
        histogram, theirs = Histogram.from_tallies(table), by_scipy(n, lambda drawn, t=table: _fleiss(t[drawn]))
        yield limits(bootstrap_interval(histogram, fleiss_kernel, seed=1, n_resamples=N_RESAMPLES)), theirs
        kernel = fleiss_kernel(histogram.patterns)
        yield limits(interval_of_counts(histogram.counts, kernel, seed=2, n_resamples=N_RESAMPLES)), theirs
        # With equal numbers of votes alpha is a function of Fleiss' kappa: 1 - (1 - kappa) (n - 1) / n.
        found = krippendorff_alpha_with_interval(histogram, seed=3, n_resamples=N_RESAMPLES)
        yield limits(found), tuple(1 - (1 - each) * (5 * n - 1) / (5 * n) for each in theirs)


def _fleiss(table: np.ndarray) -> float:
    return float(statsmodels_fleiss(table))


def dialogues_beside_scipy() -> Iterable[Pair]:
    for seed in (3, 4):
        table = tallies(votes(160, seed), 3).reshape(40, 4, 3)
        clusters = Clusters.from_tallies(np.repeat(np.arange(40), 4), table.reshape(160, 3))
        [found] = cluster_bootstrap_intervals(clusters, [fleiss_kernel], seed=1, n_resamples=N_RESAMPLES)
        yield limits(found), by_scipy(40, lambda drawn, t=table: _fleiss(t[drawn].reshape(-1, 3)))


def predictions_beside_scipy() -> Iterable[Pair]:
    rng = np.random.default_rng(6)
    human, groups = rng.integers(0, 3, (50, 3)), np.repeat(np.arange(50), 3)
    said = np.where(rng.random((50, 3)) < 0.7, human, rng.integers(0, 3, (50, 3)))
    found = label_estimates(human.ravel(), said.ravel(), groups, 3, seed=1, n_resamples=N_RESAMPLES)
    yield limits(found["accuracy"]), by_scipy(50, lambda drawn: float((human[drawn] == said[drawn]).mean()))
    kappa = by_scipy(50, lambda drawn: float(cohen_kappa_score(human[drawn].ravel(), said[drawn].ravel())))
    yield limits(found["kappa"]), kappa
    first, noise = rng.normal(size=(2, 50, 3)) + rng.normal(size=(2, 50, 1))
    second = first + noise
    scores = score_estimates(first.ravel(), second.ravel(), groups, seed=1, n_resamples=N_RESAMPLES)
    for name, measure in (("pearson", stats.pearsonr), ("spearman", stats.spearmanr)):
        theirs = by_scipy(50, lambda drawn, m=measure: float(m(first[drawn].ravel(), second[drawn].ravel()).statistic))
        yield limits(scores[name]), theirs


BY_LOT = 0.02
CHECKS = [
    Check(("intervals.wilson",), "statsmodels", wilson_beside_statsmodels),
    Check(("intervals.clopper_pearson",), "statsmodels", clopper_beside_statsmodels),
    Check(("behaviour.gold_result",), "statsmodels, limits and verdict", gold_beside_statsmodels),
    Check(("intervals.t_interval",), "scipy", t_beside_scipy),
    Check(("acceptance.acceptance_probability",), "scipy, endless and finite batches", acceptance_beside_scipy),
    Check(
        ("intervals.bootstrap_interval", "intervals.interval_of_counts", "alpha.krippendorff_alpha_with_interval"),
        "scipy's BCa, statsmodels and other lots", items_beside_scipy, BY_LOT,
    ),
    Check(
        ("clusters.cluster_bootstrap_intervals",), "scipy's BCa, whole dialogues, statsmodels and other lots",
        dialogues_beside_scipy, BY_LOT,
    ),
    Check(
        ("prediction_intervals.label_estimates", "prediction_intervals.score_estimates"),
        "scipy's BCa, whole dialogues, scikit-learn, scipy and other lots", predictions_beside_scipy, BY_LOT,
    ),
]  # fmt: skip
