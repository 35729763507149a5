"""Tests, corrections, plans and predictions beside scipy, statsmodels and scikit-learn."""

import math
from collections.abc import Iterable

import numpy as np
import pandas as pd
from scipy import stats
from sklearn import metrics
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import NormalIndPower

from measures.cohen import confusion_matrix
from measures.comparison import benjamini_hochberg, friedman, holm
from measures.crossed import crossed_variance
from measures.planning import (
    crossed_power,
    detectable_difference,
    mean_components,
    multiplier,
    n_dialogues,
    power,
)
from measures.prediction import f1_scores, mid_ranks, precisions, recalls
from measures.prediction_intervals import label_estimates, score_estimates
from measures.systems import all_pairs, crossed_variance_t, dialogue_t, mcnemar_mid_p
from tests.measures.checks import Check, Pair, limits, value


# --- tests
def friedman_beside_definition() -> Iterable[Pair]:
    """Rank sums of scipy's ranks, divided by the spread that the ties of each dialogue leave."""
    rng = np.random.default_rng(1)
    for _ in range(50):
        scores = rng.integers(0, 5, (int(rng.integers(3, 20)), int(rng.integers(3, 6))))
        n, k = scores.shape
        ranks = np.array([stats.rankdata(row) for row in scores])
        spread = ((ranks - (k + 1) / 2) ** 2).sum() / (k - 1)
        statistic = ((ranks.sum(axis=0) - n * (k + 1) / 2) ** 2).sum() / spread
        found = friedman(scores)
        yield (found.statistic, found.p_value), (statistic, stats.chi2.sf(statistic, k - 1))


def mcnemar_beside_statsmodels() -> Iterable[Pair]:
    for first in range(13):
        for second in range(13):
            if first != second:
                exact = mcnemar([[0, first], [second, 0]], exact=True).pvalue
                theirs = exact - stats.binom.pmf(min(first, second), first + second, 0.5)
                yield mcnemar_mid_p(first, second).p_value, theirs


def corrections_beside_statsmodels() -> Iterable[Pair]:
    rng = np.random.default_rng(4)
    for _ in range(50):
        p = rng.random(int(rng.integers(1, 12))) ** 3
        yield holm(p), multipletests(p, method="holm")[1]
        yield benjamini_hochberg(p), multipletests(p, method="fdr_bh")[1]


def one_sample_beside_scipy() -> Iterable[Pair]:
    rng = np.random.default_rng(5)
    for _ in range(30):
        batch = rng.normal(0.2, 1, (int(rng.integers(3, 30)), int(rng.integers(1, 5))))
        found, theirs = dialogue_t([batch]), stats.ttest_1samp(batch.mean(axis=1), 0)
        yield (found.p_value, *limits(found.estimate)), (theirs.pvalue, *theirs.confidence_interval())


def crossed(rng: np.random.Generator) -> np.ndarray:
    n, r = int(rng.integers(3, 15)), int(rng.integers(2, 8))
    return rng.normal(0.2, 1, (n, 1)) + rng.normal(0, 0.5, (1, r)) + rng.normal(0, 1, (n, r))


def anova(batch: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean squares and degrees of freedom of dialogues, annotators and the rest."""
    dialogue, annotator = np.indices(batch.shape).reshape(2, -1)
    data = pd.DataFrame({"y": batch.ravel(), "dialogue": dialogue, "annotator": annotator})
    table = anova_lm(ols("y ~ C(dialogue) + C(annotator)", data).fit())
    return np.array(table["mean_sq"]), np.array(table["df"])


def mean_squares_beside_statsmodels() -> Iterable[Pair]:
    rng = np.random.default_rng(6)
    for _ in range(20):
        batch = crossed(rng)
        found = crossed_variance([batch])
        assert found is not None
        yield [found.mean_squares, found.degrees_of_freedom], list(anova(batch))


def crossed_t_beside_statsmodels() -> Iterable[Pair]:
    """The variance of the mean from the table of statsmodels, p and limits from scipy."""
    rng = np.random.default_rng(7)
    for _ in range(30):
        batch = crossed(rng)
        squares, df = anova(batch)
        parts = squares * [1, 1, -1] / batch.size
        total, freedom = parts.sum(), parts.sum() ** 2 / (parts**2 / df).sum()
        if total <= parts[:2].max():
            total, freedom = parts[:2].max(), df[parts[:2].argmax()]
        theirs = stats.t.interval(0.95, freedom, batch.mean(), math.sqrt(total))
        p = 2 * stats.t.sf(abs(batch.mean()) / math.sqrt(total), freedom)
        found = crossed_variance_t([batch])
        yield (found.p_value, *limits(found.estimate)), (p, *theirs)


def pairs_beside_packages() -> Iterable[Pair]:
    rng = np.random.default_rng(8)
    for correction, method in (("holm", "holm"), ("bh", "fdr_bh")):
        for _ in range(10):
            scores = rng.normal([0, 0, 0.3, 0.6], size=(12, 5, 4))
            found = all_pairs([scores], correction=correction)
            p = [pair.difference.p_value for pair in found.pairs]
            yield [pair.adjusted_p for pair in found.pairs], multipletests(p, method=method)[1]
            yield found.friedman.p_value, stats.friedmanchisquare(*scores.mean(axis=1).T).pvalue


# --- plans
def plans_beside_statsmodels() -> Iterable[Pair]:
    """A z test of one sample. Plans leave out the wrong direction, which statsmodels counts: one in a million here."""
    one = NormalIndPower(ddof=0)
    for between, within in ((0.039, 0.293), (0.1, 0.5), (0.0, 0.2)):
        for ratings in (1, 3, 7):
            spread = math.sqrt(between + within / ratings)
            for wanted in (0.05, 0.10, 0.15):
                size = one.solve_power(wanted / spread, alpha=0.05, power=0.8, ratio=0)
                yield n_dialogues(wanted, ratings, between, within).n_dialogues, math.ceil(size)
                effect = one.solve_power(nobs1=100, alpha=0.05, power=0.8, ratio=0)
                yield detectable_difference(100, ratings, between, within), effect * spread
                theirs = one.power(wanted / spread, 100, 0.05, ratio=0)
                yield power(wanted, 100, ratings, between, within), theirs


def multipliers_beside_scipy() -> Iterable[Pair]:
    for wanted in (0.5, 0.8, 0.9, 0.95):
        for level in (0.01, 0.05, 0.1):
            yield multiplier(wanted, level), (stats.norm.isf(level / 2) + stats.norm.isf(1 - wanted)) ** 2


def crossed_power_beside_simulation() -> Iterable[Pair]:
    """How often the test itself finds the difference in studies drawn from the components."""
    rng = np.random.default_rng(12)
    for groups, dialogues, ratings, shared in ((1, 42, 7, 0.0), (4, 40, 7, 0.01), (2, 60, 3, 0.02)):
        n = dialogues // groups
        found = [
            crossed_variance_t(
                [
                    0.15 + rng.normal(0, 0.2, (n, 1)) + rng.normal(0, shared**0.5, (1, ratings))
                    + rng.normal(0, 0.55, (n, ratings))
                    for _ in range(groups)
                ]
            ).p_value
            for _ in range(1500)
        ]  # fmt: skip
        theirs = np.mean([p is not None and p <= 0.05 for p in found])
        how = {"n_annotators": groups * ratings, "s_annotator": shared}
        yield crossed_power(0.15, dialogues, ratings, 0.04, 0.3025, **how), theirs


def components_beside_statsmodels() -> Iterable[Pair]:
    """Mean squares of statsmodels set equal to what they are expected to be."""
    rng = np.random.default_rng(9)
    for _ in range(20):
        batch = crossed(rng)
        (dialogue, annotator, rest), (n, r) = anova(batch)[0], batch.shape
        found = mean_components([[batch]])
        ours = found.s_between, found.s_within, found.s_annotator
        yield ours, (max(0.0, (dialogue - rest) / r), rest, max(0.0, (annotator - rest) / n))


# --- predictions
def labels(n: int = 100) -> Iterable[tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(10)
    for _ in range(n):
        human = rng.choice(4, int(rng.integers(2, 60)), p=[0.5, 0.3, 0.15, 0.05])
        yield human, np.where(rng.random(len(human)) < 0.6, human, rng.integers(0, 4, len(human)))


def labels_beside_sklearn() -> Iterable[Pair]:
    for human, said in labels():
        used = sorted({*human.tolist(), *said.tolist()})
        found = label_estimates(human, said, np.arange(len(human)), 4, seed=1, n_resamples=0)
        how = {"average": "macro", "zero_division": 0}
        theirs = {
            "accuracy": metrics.accuracy_score(human, said),
            "uar": metrics.recall_score(human, said, labels=np.unique(human), **how),
            "kappa": metrics.cohen_kappa_score(human, said) if len(used) > 1 else None,
            "macro_precision": metrics.precision_score(human, said, labels=used, **how),
            "macro_f1": metrics.f1_score(human, said, labels=used, **how),
            "weighted_f1": metrics.f1_score(human, said, average="weighted", zero_division=0),
        }
        for name, each in theirs.items():
            yield found[name].value, each


def classes_beside_sklearn() -> Iterable[Pair]:
    for human, said in labels():
        table = confusion_matrix(human, said, 4)
        theirs = metrics.precision_recall_fscore_support(human, said, labels=range(4), zero_division=0)[:3]
        yield [precisions(table), recalls(table), f1_scores(table)], list(theirs)


def correlations_beside_scipy() -> Iterable[Pair]:
    rng = np.random.default_rng(11)
    for _ in range(100):
        first = rng.integers(0, 5, int(rng.integers(4, 40)))
        second = first + rng.normal(0, 2, len(first)).round(int(rng.integers(0, 3)))
        if np.ptp(first) and np.ptp(second):
            found = score_estimates(first, second, np.arange(len(first)), seed=1, n_resamples=0)
            theirs = stats.spearmanr(first, second).statistic, stats.pearsonr(first, second).statistic
            yield [value(found["spearman"]), value(found["pearson"])], theirs
            yield mid_ranks(second), stats.rankdata(second)


CHECKS = [
    Check(("comparison.friedman",), "the definition, with scipy's ranks", friedman_beside_definition),
    Check(("systems.mcnemar_mid_p",), "statsmodels, exact less the observed split", mcnemar_beside_statsmodels),
    Check(("comparison.holm", "comparison.benjamini_hochberg"), "statsmodels", corrections_beside_statsmodels),
    Check(("systems.dialogue_t",), "scipy, p and limits", one_sample_beside_scipy),
    Check(("crossed.crossed_variance",), "statsmodels, analysis of variance", mean_squares_beside_statsmodels),
    Check(
        ("systems.crossed_variance_t",), "statsmodels, mean squares of it in the formula, t of scipy",
        crossed_t_beside_statsmodels,
    ),
    Check(("systems.all_pairs",), "statsmodels, corrected p", pairs_beside_packages),
    Check(
        ("planning.n_dialogues", "planning.detectable_difference", "planning.power"), "statsmodels, z test",
        plans_beside_statsmodels, 1e-5,
    ),
    Check(("planning.multiplier",), "scipy", multipliers_beside_scipy),
    Check(("planning.crossed_power",), "simulation: 1,500 studies tested", crossed_power_beside_simulation, 0.05),
    Check(("planning.mean_components",), "statsmodels, analysis of variance", components_beside_statsmodels),
    Check(
        (
            "prediction_intervals.label_estimates", "prediction.accuracy", "prediction.unweighted_average_recall",
            "prediction.macro_precision", "prediction.macro_f1", "prediction.weighted_f1",
        ),
        "scikit-learn", labels_beside_sklearn,
    ),
    Check(
        ("prediction.precisions", "prediction.recalls", "prediction.f1_scores"), "scikit-learn", classes_beside_sklearn,
    ),
    Check(
        (
            "prediction_intervals.score_estimates", "prediction.spearman", "prediction.pearson",
            "prediction.mid_ranks",
        ),
        "scipy", correlations_beside_scipy,
    ),
]  # fmt: skip
