"""Tests, corrections, plans and predictions beside scipy, statsmodels and scikit-learn."""

import math
from collections.abc import Iterable

import numpy as np
import pandas as pd
from scipy import stats
from sklearn import metrics
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import NormalIndPower
from statsmodels.stats.weightstats import DescrStatsW

from measures.cohen import confusion_matrix
from measures.comparison import benjamini_hochberg, holm
from measures.estimate import Estimate
from measures.intervals import t_interval
from measures.layouts import RatedLayout, Variances
from measures.mixed.design import Ratings
from measures.mixed.equivalence import equivalence_p
from measures.mixed.sources import compare_sources
from measures.pilots import components_of, components_of_comparisons
from measures.planning import (
    crossed_power,
    detectable_difference,
    multiplier,
    n_dialogues,
    power,
    quantiles,
)
from measures.prediction import f1_scores, mid_ranks, precisions, recalls
from measures.prediction_intervals import label_estimates, score_estimates
from measures.preferences.comparisons import Comparisons
from tests.measures.checks import Check, Pair, value
from tests.measures.crossed import crossed_p


# --- tests
def corrections_beside_statsmodels() -> Iterable[Pair]:
    rng = np.random.default_rng(4)
    for _ in range(50):
        p = rng.random(int(rng.integers(1, 12))) ** 3
        yield holm(p), multipletests(p, method="holm")[1]
        yield benjamini_hochberg(p), multipletests(p, method="fdr_bh")[1]


def equivalence_beside_statsmodels() -> Iterable[Pair]:
    rng = np.random.default_rng(13)
    for _ in range(40):
        values = rng.normal(0.1, 1, int(rng.integers(5, 60)))
        n, margin = len(values), float(rng.uniform(0.05, 1))
        error = float(values.std(ddof=1) / math.sqrt(n))
        estimate = t_interval(Estimate(float(values.mean()), standard_error=error), n - 1, bounds=(-np.inf, np.inf))
        yield equivalence_p(estimate, n - 1, margin), DescrStatsW(values).ttost_mean(-margin, margin)[0]


# --- plans
def plans_beside_statsmodels() -> Iterable[Pair]:
    """A z test of one sample. Plans leave out the wrong direction, which statsmodels counts: one in a million here."""
    one = NormalIndPower(ddof=0)
    for between, within in ((0.039, 0.293), (0.1, 0.5), (0.0, 0.2)):
        for ratings in (1, 3, 7):
            spread = math.sqrt(between + within / ratings)
            for wanted in (0.05, 0.10, 0.15):
                size = one.solve_power(wanted / spread, alpha=0.05, power=0.8, ratio=0)
                yield n_dialogues(wanted, ratings, between, within), math.ceil(size)
                effect = one.solve_power(nobs1=100, alpha=0.05, power=0.8, ratio=0)
                yield detectable_difference(100, ratings, between, within), effect * spread
                theirs = one.power(wanted / spread, 100, 0.05, ratio=0)
                yield power(wanted, 100, ratings, between, within), theirs


def multipliers_beside_scipy() -> Iterable[Pair]:
    for wanted in (0.5, 0.8, 0.9, 0.95):
        for level in (0.01, 0.05, 0.1):
            asked, own = stats.norm.isf(level / 2), stats.norm.isf(1 - wanted)
            yield multiplier(wanted, level), (asked + own) ** 2
            yield quantiles(wanted, level), (asked, own)


def crossed_power_beside_simulation() -> Iterable[Pair]:
    """How often the test itself finds the difference in studies drawn from the components."""
    rng = np.random.default_rng(12)
    for groups, dialogues, ratings, shared in ((1, 42, 7, 0.0), (4, 40, 7, 0.01), (2, 60, 3, 0.02)):
        n = dialogues // groups
        found = [
            crossed_p([
                0.15 + rng.normal(0, 0.2, (n, 1)) + rng.normal(0, shared**0.5, (1, ratings))
                + rng.normal(0, 0.55, (n, ratings))
                for _ in range(groups)
            ])
            for _ in range(1500)
        ]  # fmt: skip
        theirs = np.mean(np.array(found) <= 0.05)
        layout = RatedLayout(dialogues=dialogues, ratings=ratings, annotators=groups * ratings, batch_size=n)
        yield crossed_power(0.15, layout, Variances(0.04, 0.3025, shared)), theirs


def components_beside_statsmodels() -> Iterable[Pair]:
    """Mean squares of statsmodels set equal to what they are expected to be, where the model has no variance at 0.

    The model's components are of one system, and it has no effect of an annotator and a dialogue: an oracle is the
    analysis of variance of both systems' ratings, not that of their differences.
    """
    rng, n_found = np.random.default_rng(9), 0
    while n_found < 20:
        n, r = int(rng.integers(6, 15)), int(rng.integers(4, 8))
        scores = (
            rng.normal(0, 1, (n, 1, 1)) + rng.normal(0, 1, (n, 1, 2)) + rng.normal(0, 1, (1, r, 1))
            + rng.normal(0, 0.7, (1, r, 2)) + rng.normal(0, 1, (n, r, 2))
        )  # fmt: skip
        dialogue, annotator, source = np.indices(scores.shape).reshape(3, -1)
        data = pd.DataFrame({"y": scores.ravel(), "d": dialogue, "a": annotator, "s": source})
        squares = anova_lm(ols("y ~ C(s) + C(d) + C(a) + C(d):C(s) + C(a):C(s)", data).fit())["mean_sq"]
        by_dialogue, by_annotator, rest = squares["C(d):C(s)"], squares["C(a):C(s)"], squares["Residual"]
        if (
            min(squares["C(d)"] - by_dialogue, squares["C(a)"] - by_annotator) <= 0
            or min(by_dialogue, by_annotator) <= rest
        ):
            continue
        n_found += 1
        ratings = Ratings(source, annotator, dialogue, dialogue, scores.ravel())
        found = components_of(ratings, compare_sources(ratings, 2))
        ours = found.s_between, found.s_within, found.s_annotator
        yield ours, (2 * (by_dialogue - rest) / r, 2 * rest, 2 * (by_annotator - rest) / n)


def components_of_comparisons_beside_statsmodels() -> Iterable[Pair]:
    """Every annotator answers for every dialogue about the same two sources, and no component is below 0."""
    rng, n_found = np.random.default_rng(14), 0
    while n_found < 20:
        n, r = int(rng.integers(6, 25)), int(rng.integers(4, 9))
        dialogue, annotator = np.indices((n, r)).reshape(2, -1)
        worth = rng.normal(0, 1, n)[dialogue] + rng.normal(0, 0.7, r)[annotator] + rng.normal(0, 1, n * r)
        outcome = np.where(worth > 0.4, 1, np.where(worth < -0.4, -1, 0))
        data = pd.DataFrame({"y": 0.5 + outcome / 2, "d": dialogue, "a": annotator})
        by_dialogue, by_annotator, rest = anova_lm(ols("y ~ C(d) + C(a)", data).fit())["mean_sq"]
        if min(by_dialogue, by_annotator) <= rest:
            continue
        n_found += 1
        answers = Comparisons.of(2, 0 * dialogue, 0 * dialogue + 1, outcome, annotator=annotator, cluster=dialogue)
        found = components_of_comparisons(answers)
        ours = found.s_between, found.s_within, found.s_annotator
        yield ours, ((by_dialogue - rest) / r, rest, (by_annotator - rest) / n)


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
    Check(("comparison.holm", "comparison.benjamini_hochberg"), "statsmodels", corrections_beside_statsmodels),
    Check(("mixed.equivalence.equivalence_p",), "statsmodels, two one-sided tests", equivalence_beside_statsmodels),
    Check(
        ("planning.n_dialogues", "planning.detectable_difference", "planning.power"), "statsmodels, z test",
        plans_beside_statsmodels, 1e-5,
    ),
    Check(("planning.multiplier", "planning.quantiles"), "scipy", multipliers_beside_scipy),
    Check(("planning.crossed_power",), "simulation: 1,500 studies tested", crossed_power_beside_simulation, 0.05),
    Check(("pilots.components_of",), "statsmodels, analysis of variance", components_beside_statsmodels, 1e-4),
    Check(
        ("pilots.components_of_comparisons",), "statsmodels, analysis of variance",
        components_of_comparisons_beside_statsmodels,
    ),
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
