"""Coefficients for answers with an order beside lme4, statsmodels, pandas and krippendorff."""

import json
from collections.abc import Iterable
from pathlib import Path

import krippendorff
import numpy as np
import pandas as pd
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

from measures.agreement import brennan_prediger, gwet_ac
from measures.correlations import mean_correlations
from measures.further import estimate_of, ordered_makers, ordered_of_annotators
from measures.histograms import Histogram
from measures.icc import two_way_iccs
from measures.pairs import PairTable
from measures.weights import agreement_weights
from tests.measures.checks import Check, Pair, as_votes, studies, value

DATA = Path(__file__).resolve().parents[1] / "data"


def numbers_of(k: int) -> list[float]:
    """Values at unequal distances, none of them 0."""
    return [float(1 + at * at) for at in range(k)]


def estimates(codes: np.ndarray, k: int) -> dict[str, float]:
    histogram = Histogram.from_matrix(codes, k)
    makers = ordered_makers(k, numbers_of(k), is_interval=True)
    return {name: value(estimate_of(maker, histogram)) for name, maker in makers.items()}


def long(codes: np.ndarray, k: int) -> pd.DataFrame:
    item, who = np.nonzero(codes >= 0)
    return pd.DataFrame({"item": item, "who": who, "value": np.array(numbers_of(k))[codes[item, who]]})


def of_patterns_beside_packages() -> Iterable[Pair]:
    for codes, k in studies(60, missing=0.3):
        found, histogram = estimates(codes, k), Histogram.from_matrix(codes, k)
        weights = agreement_weights("quadratic", k, numbers_of(k))
        yield found["gwet_ac2"], value(gwet_ac(histogram, weights=weights))
        yield found["brennan_prediger_quadratic"], value(brennan_prediger(histogram, weights=weights))
        table = np.where(codes >= 0, np.array(numbers_of(k))[codes], np.nan).T
        yield found["krippendorff_alpha_ratio"], krippendorff.alpha(table, level_of_measurement="ratio")


def one_way_beside_statsmodels() -> Iterable[Pair]:
    for codes, k in studies(60, missing=0.4):
        rows = long(codes, k)
        squares = anova_lm(ols("value ~ C(item)", rows).fit())["mean_sq"]
        sizes = rows.groupby("item").size()
        size = (len(rows) - (sizes**2).sum() / len(rows)) / (len(sizes) - 1)
        between, within = squares.iloc[0], squares.iloc[1]
        yield estimates(codes, k)["icc_1"], (between - within) / (between + (size - 1) * within)


def two_way_beside_statsmodels() -> Iterable[Pair]:
    for codes, k in studies(60):
        rows = long(codes, k)
        n_items, n = codes.shape
        squares = anova_lm(ols("value ~ C(item) + C(who)", rows).fit())["mean_sq"]
        items, annotators, rest = (float(squares.iloc[at]) for at in range(3))
        if min(items, annotators) > rest > 0:  # else a variance would be negative
            agreement = (items - rest) / (items + (n - 1) * rest + n * (annotators - rest) / n_items)
            found = two_way_iccs(rows["item"], rows["who"], rows["value"])
            yield [value(each) for each in found], [agreement, (items - rest) / (items + (n - 1) * rest)]


def two_way_beside_lme4() -> Iterable[Pair]:
    for name, wanted in json.loads((DATA / "icc.json").read_text()).items():
        rows = pd.read_csv(DATA / "mixed" / f"{name}.csv.gz")
        item = rows.groupby(["conversation", "item", "source"]).ngroup()
        scale = np.unique(rows["value"])
        codes = np.searchsorted(scale, rows["value"])
        found = ordered_of_annotators(item, pd.factorize(rows["annotator"])[0], codes, len(scale), scale.tolist())
        yield [value(found["icc_a1"]), value(found["icc_c1"])], [wanted["icc_a1"], wanted["icc_c1"]]


def correlations_beside_pandas() -> Iterable[Pair]:
    for codes, k in studies(100, missing=0.5, most_raters=6):
        table = pd.DataFrame(np.where(codes >= 0, np.array(numbers_of(k))[codes], np.nan))
        upper = np.triu_indices(table.shape[1], 1)
        means = mean_correlations(PairTable.from_votes(*as_votes(codes), k), numbers_of(k))
        for found, method in zip(means, ("pearson", "spearman"), strict=True):
            each = table.corr(method, min_periods=3).to_numpy()[upper]
            known = each[np.isfinite(each)]
            yield found.value, known.mean() if len(known) else None


CHECKS = [
    Check(
        ("further.estimate_of",), "krippendorff, and Gwet's and Brennan-Prediger's with weights",
        of_patterns_beside_packages,
    ),
    Check(("further.estimate_of",), "statsmodels, one-way analysis of variance, gaps", one_way_beside_statsmodels),
    Check(("icc.two_way_iccs",), "statsmodels, two-way analysis of variance", two_way_beside_statsmodels, 1e-5),
    Check(
        ("further.ordered_of_annotators", "icc.two_way_iccs"), "lme4, six studies with gaps", two_way_beside_lme4, 1e-4
    ),
    Check(("correlations.mean_correlations",), "pandas, all pairs, gaps", correlations_beside_pandas),
]  # fmt: skip
