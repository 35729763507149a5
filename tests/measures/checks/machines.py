"""People and a judge beside slow programs, written from the definitions with plain loops."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats
from sklearn.metrics import accuracy_score, cohen_kappa_score, mean_squared_error
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.multitest import multipletests

from measures.comparison import benjamini_yekutieli
from measures.machines.alternative import _compared, alternative_test, signed_ranks_below, t_below
from measures.machines.ceiling import INTERVAL, NOMINAL, human_ceiling
from measures.machines.corrected import corrected_rate
from measures.machines.jackknife import jackknife
from measures.machines.judged import Judged
from measures.machines.powered import Part, powered_difference, powered_mean
from measures.machines.systems import compare_systems, widest_gaps
from tests.measures.checks import Check, Pair

DATA = Path(__file__).resolve().parents[1] / "data"
Pairs = list[tuple[float, float, float]]  # an answer, its reference, and the weight


def judged_studies(n: int, *, seed: int = 1, most_items: int = 40) -> Iterator[Judged]:
    """Votes with gaps, some items with one vote or none, and a judge that misses some and has a label of its own."""
    rng = np.random.default_rng(seed)
    for _ in range(n):
        k, n_items, n_annotators = (int(rng.integers(low, high)) for low, high in ((2, 5), (12, most_items), (3, 7)))
        truth = rng.integers(0, k, n_items)
        item, annotator = (each.ravel() for each in np.indices((n_items, n_annotators)))
        kept = rng.random(len(item)) < 0.8
        votes = np.where(rng.random(len(item)) < 0.6, truth[item], rng.integers(0, k, len(item)))
        judge = np.where(rng.random(n_items) < 0.6, truth, rng.integers(0, k + 1, n_items)).astype(float)
        judge[rng.random(n_items) < 0.1] = np.nan
        cluster = rng.integers(0, n_items // 3, n_items)
        yield Judged.of(item[kept], annotator[kept], votes[kept], judge, cluster)


def votes_by_item(judged: Judged) -> list[list[tuple[int, float]]]:
    """The annotators and votes of each item."""
    found: list[list[tuple[int, float]]] = [[] for _ in range(judged.n_items)]
    for item, annotator, value in zip(
        judged.item.tolist(), judged.annotator.tolist(), judged.value.tolist(), strict=True
    ):
        found[item].append((annotator, value))
    return found


# --- the human ceiling
def references(others: list[float], against: str, scale: str) -> list[tuple[float, float]]:
    """What a vote is compared with, and the share of its weight for each."""
    if against == "one_other":
        return [(other, 1 / len(others)) for other in others]
    if scale == INTERVAL:
        return [(sum(others) / len(others), 1.0)]
    counts = Counter(others)
    tops = [label for label, n in counts.items() if n == max(counts.values())]
    return [(label, 1 / len(tops)) for label in tops]


def pairs_of(judged: Judged, against: str, scale: str, without: int | None = None) -> tuple[Pairs, Pairs]:
    """Weighted pairs of people and of the judge, without one conversation."""
    people, judge = [], []
    for item, votes in enumerate(votes_by_item(judged)):
        if len(votes) < 2 or np.isnan(judged.judge[item]) or judged.cluster[item] == without:
            continue
        values = [value for _, value in votes]
        for at, value in enumerate(values):
            for reference, share in references(values[:at] + values[at + 1 :], against, scale):
                people.append((value, reference, share / len(values)))
                judge.append((float(judged.judge[item]), reference, share / len(values)))
    return people, judge


def measured(name: str, pairs: Pairs) -> float:
    x, y, w = np.array(pairs).T
    if name == "accuracy":
        return float(accuracy_score(x.astype(int), y.astype(int), sample_weight=w))
    if name == "kappa":
        return float(cohen_kappa_score(x.astype(int), y.astype(int), sample_weight=w))
    if name == "rmse":
        return float(np.sqrt(mean_squared_error(x, y, sample_weight=w)))
    covariance = np.cov(x, y, aweights=w)
    return float(covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1]))


def ceilings_beside_pairs() -> Iterable[Pair]:
    for judged in judged_studies(25):
        for scale in (NOMINAL, INTERVAL):
            for found in human_ceiling(judged, scale):
                people, judge = (measured(found.measure, each) for each in pairs_of(judged, found.against, scale))
                yield (
                    [found.people.value, found.judge.value, found.difference.value],
                    [people, judge, judge - people],
                )


def errors_beside_conversations_left_out() -> Iterable[Pair]:
    for judged in judged_studies(4, seed=2):
        used = judged.rated_by(2)
        for scale in (NOMINAL, INTERVAL):
            for found in human_ceiling(judged, scale):
                left_out = []
                for cluster in np.unique(used.cluster):
                    people, judge = (
                        measured(found.measure, each) for each in pairs_of(judged, found.against, scale, cluster)
                    )
                    left_out.append((people, judge, judge - people))
                n, values = len(left_out), np.array(left_out)
                theirs = np.sqrt((n - 1) / n * ((values - values.mean(axis=0)) ** 2).sum(axis=0))
                yield [each.standard_error for each in (found.people, found.judge, found.difference)], theirs


def jackknife_of_a_mean() -> Iterable[Pair]:
    """Of equally many items in each conversation: the standard error of the mean of conversations."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        means = rng.normal(size=(int(rng.integers(2, 30)), 4))
        cluster = np.repeat(np.arange(len(means)), 4)
        found = jackknife(means.reshape(-1, 1), cluster, lambda rows: rows[:, 0], (-np.inf, np.inf))
        yield found.standard_error, means.mean(axis=1).std(ddof=1) / np.sqrt(len(means))


# --- the alternative annotator test
def alignment(value: float, others: list[float], scale: str) -> Fraction:
    """Accuracy, or the negative mean square error: it orders as the root does, and is exact."""
    if scale == NOMINAL:
        return Fraction(sum(value == other for other in others), len(others))
    return -sum(((Fraction(value) - Fraction(other)) ** 2 for other in others), Fraction(0)) / len(others)


def indicators(judged: Judged, scale: str) -> dict[int, list[tuple[int, int]]]:
    """Of each annotator, on each item: whether the judge scores at least as well, and whether the annotator does."""
    found = defaultdict(list)
    for item, votes in enumerate(votes_by_item(judged)):
        if len(votes) < 3 or np.isnan(judged.judge[item]):
            continue
        for at, (annotator, value) in enumerate(votes):
            others = [other for place, (_, other) in enumerate(votes) if place != at]
            judge, own = alignment(float(judged.judge[item]), others, scale), alignment(value, others, scale)
            found[annotator].append((int(judge >= own), int(own >= judge)))
    return found


def p_of(rows: list[tuple[int, int]], epsilon: float) -> float:
    difference = [own - judge for judge, own in rows]
    if len(rows) >= 30:
        return float(stats.ttest_1samp(difference, epsilon, alternative="less").pvalue)
    ranks = stats.rankdata([round(abs(each - epsilon), 9) for each in difference])
    observed = sum(rank for rank, each in zip(ranks, difference, strict=True) if each > epsilon)
    sums = {0.0: 1}
    for rank in ranks:
        longer: dict[float, int] = defaultdict(int)
        for total, ways in sums.items():
            longer[total] += ways
            longer[total + rank] += ways
        sums = longer
    return sum(ways for total, ways in sums.items() if total <= observed) / 2 ** len(ranks)


def rejected(p_values: list[float], level: float = 0.05) -> list[bool]:
    """Benjamini and Yekutieli: all up to the last p that is at most rank * level / (m * (1 + 1/2 + ... + 1/m))."""
    m = len(p_values)
    harmonic = sum(1 / rank for rank in range(1, m + 1))
    limits = [p for rank, p in enumerate(sorted(p_values), 1) if p <= rank * level / (m * harmonic)]
    return [p <= max(limits, default=-1.0) for p in p_values]


def tests_beside_loops() -> Iterable[Pair]:
    for judged in [*judged_studies(20, seed=6), *judged_studies(20, seed=7, most_items=150)]:
        for scale, epsilon in ((NOMINAL, 0.15), (INTERVAL, 0.15), (NOMINAL, 0.05), (INTERVAL, 0.3)):
            theirs = {name: rows for name, rows in sorted(indicators(judged, scale).items()) if len(rows) >= 10}
            ours = alternative_test(judged, scale, epsilon=epsilon)
            tested = [each for each in ours.annotators if each.p_value is not None]
            p_values = [p_of(rows, epsilon) for rows in theirs.values()]
            yield [each.annotator for each in tested], list(theirs)
            yield [each.advantage.value for each in tested], [np.mean(rows, axis=0)[0] for rows in theirs.values()]
            yield [each.own for each in tested], [np.mean(rows, axis=0)[1] for rows in theirs.values()]
            yield [each.p_value for each in tested], p_values
            yield [each.is_won for each in tested], rejected(p_values)
            if theirs:
                yield ours.winning_rate.value, np.mean(rejected(p_values))
                yield ours.advantage.value, np.mean([np.mean(rows, axis=0)[0] for rows in theirs.values()])


def t_beside_scipy() -> Iterable[Pair]:
    rng = np.random.default_rng(8)
    for _ in range(50):
        difference = rng.integers(-1, 2, int(rng.integers(30, 80))).astype(float)
        yield t_below(difference, 0.15), stats.ttest_1samp(difference, 0.15, alternative="less").pvalue


def signed_ranks_beside_all_signs() -> Iterable[Pair]:
    rng = np.random.default_rng(9)
    for _ in range(30):
        difference = rng.integers(-1, 2, int(rng.integers(3, 11))) - rng.choice([0.15, 0.0, 0.1])
        moved = difference[difference != 0]
        ranks = stats.rankdata(np.abs(moved).round(9))
        sums = [sum(rank for rank, sign in zip(ranks, signs, strict=True) if sign)
                for signs in product((0, 1), repeat=len(ranks))]  # fmt: skip
        yield signed_ranks_below(difference, 0.0), np.mean(np.array(sums) <= ranks[moved > 0].sum())


def advantage_beside_statsmodels() -> Iterable[Pair]:
    """The standard error of a mean of annotators' means: ordinary least squares with clustered errors."""
    for judged in judged_studies(10, seed=10, most_items=120):
        ours = alternative_test(judged, NOMINAL)
        used = judged.rated_by(3)
        judge_at_least, _ = _compared(used, NOMINAL)
        kept = np.isin(used.annotator, [each.annotator for each in ours.annotators if each.own is not None])
        design = pd.get_dummies(used.annotator[kept]).to_numpy(float)
        k = design.shape[1]
        cluster = np.unique(used.cluster[used.item[kept]], return_inverse=True)[1]
        fitted = OLS(judge_at_least[kept].astype(float), design).fit(
            cov_type="cluster", cov_kwds={"groups": cluster, "use_correction": False}
        )
        mean, g = np.full(k, 1 / k), int(cluster.max()) + 1
        yield ours.advantage.standard_error, np.sqrt(mean @ fitted.cov_params() @ mean * g / (g - 1))


def corrections_beside_statsmodels() -> Iterable[Pair]:
    rng = np.random.default_rng(11)
    for _ in range(30):
        p_values = rng.random(int(rng.integers(1, 12))) ** 2
        yield benjamini_yekutieli(p_values), multipletests(p_values, method="fdr_by")[1]


# --- means that a judge sharpens
def parts(n: int, *, seed: int, is_binary: bool = False) -> Iterator[Part]:
    """Items of conversations, some rated, with the same conversation in both parts."""
    rng = np.random.default_rng(seed)
    for _ in range(n):
        cluster = rng.integers(0, int(rng.integers(12, 40)), int(rng.integers(60, 200)))
        truth = rng.normal(size=40)[cluster] + rng.normal(size=len(cluster))
        human, judge = truth + rng.normal(0, 0.5, len(cluster)), truth + rng.normal(0, 0.8, len(cluster))
        if is_binary:
            human, judge = (human > 0) * rng.choice([1.0, 2 / 3], len(cluster)), (judge > 0).astype(float)
        yield Part(np.where(rng.random(len(cluster)) < 0.5, human, np.nan), judge, cluster)


def means_beside_ppi() -> Iterable[Pair]:
    """Independent items: ours is wider by t instead of z, and by n / (n - 1) in the variance."""
    for case in json.loads((DATA / "powered.json").read_text())["cases"]:
        n, judge = len(case["human"]), np.array(case["judge"])
        part = Part(np.append(case["human"], np.full(len(judge) - n, np.nan)), judge, np.arange(len(judge)))
        for name, power in (("tuned", None), ("full", 1.0), ("half", 0.5)):
            ours, (estimate, low, high) = powered_mean(part, power=power).estimate, case[name]
            yield ours.value, estimate
            yield ours.standard_error, (high - low) / 2 / stats.norm.ppf(0.975) * np.sqrt(n / (n - 1))


def stacked(part: Part, power: float) -> tuple[np.ndarray, np.ndarray]:
    """Residuals of the rated items and answers of the judge on the others, with a column for each."""
    rated = part.labelled
    values = np.where(rated, np.where(rated, part.human, 0) - power * part.judge, part.judge)
    return values, np.column_stack([rated, ~rated]).astype(float)


def means_beside_clustered_errors() -> Iterable[Pair]:
    for part in parts(20, seed=12):
        ours = powered_mean(part)
        assert ours.power is not None
        values, design = stacked(part, ours.power)
        fitted = OLS(values, design).fit(cov_type="cluster", cov_kwds={"groups": part.cluster, "use_correction": False})
        weights, c = np.array([1.0, ours.power]), len(np.unique(part.cluster[part.labelled]))
        yield ours.estimate.value, weights @ fitted.params
        yield ours.estimate.standard_error, np.sqrt(weights @ fitted.cov_params() @ weights * c / (c - 1))


def differences_beside_clustered_errors() -> Iterable[Pair]:
    """Two sources that share their conversations: four means, and errors of one regression."""
    for first, second in zip(parts(15, seed=13), parts(15, seed=14), strict=True):
        both = [powered_mean(each) for each in (first, second)]
        found = powered_difference(*both)
        rows = [stacked(each, mean.power) for each, mean in zip((first, second), both, strict=True)]
        design = np.zeros((len(rows[0][0]) + len(rows[1][0]), 4))
        design[: len(rows[0][0]), :2], design[len(rows[0][0]) :, 2:] = rows[0][1], rows[1][1]
        factors = [np.sqrt(each.n_clusters / (each.n_clusters - 1)) for each in both]
        fitted = OLS(np.concatenate([rows[0][0], rows[1][0]]), design).fit(
            cov_type="cluster",
            cov_kwds={"groups": np.concatenate([first.cluster, second.cluster]), "use_correction": False},
        )
        signs = np.array([1.0, both[0].power, -1.0, -both[1].power])
        scaled = signs * np.repeat(factors, 2)
        yield found.value, signs @ fitted.params
        yield found.standard_error, np.sqrt(scaled @ fitted.cov_params() @ scaled)


def corrected_beside_complex_steps() -> Iterable[Pair]:
    """The variance from the derivative of the share by the weight of each conversation."""

    def share(part: Part, weight: np.ndarray) -> complex:
        w, rated = weight[part.cluster], part.labelled
        y, f, own = part.human[rated], part.judge[rated], w[rated]
        sensitivity = (own * y * f).sum() / (own * y).sum()
        specificity = (own * (1 - y) * (1 - f)).sum() / (own * (1 - y)).sum()
        return ((w * part.judge).sum() / w.sum() + specificity - 1) / (sensitivity + specificity - 1)

    for part in parts(15, seed=15, is_binary=True):
        found, n = corrected_rate(part).estimate, int(part.cluster.max()) + 1
        yield found.value, share(part, np.ones(n)).real
        slopes = [share(part, np.ones(n) + 1e-20j * (np.arange(n) == at)).imag / 1e-20 for at in range(n)]
        c = len(np.unique(part.cluster[part.labelled]))
        yield found.standard_error, np.sqrt(np.square(slopes).sum() * c / (c - 1))


# --- sources and items
def sources_of(part: Part, n: int, rng: np.random.Generator) -> np.ndarray:
    return rng.integers(0, n, len(part.judge))


def orders_beside_scipy() -> Iterable[Pair]:
    """Kendall's tau of scipy, and pairs one by one; judges with few answers tie some sources."""
    rng = np.random.default_rng(16)
    for part in [*parts(15, seed=17), *parts(15, seed=18, is_binary=True)]:
        source = sources_of(part, 6, rng)
        rows = pd.DataFrame({"source": source, "human": part.human, "judge": part.judge})
        if rng.random() < 0.5:
            rows["judge"] = rows["judge"].groupby(source).transform("mean").round(1)
        tied = Part(part.human, rows["judge"].to_numpy(), part.cluster)
        found = compare_systems(tied, source, 6)
        means = rows.groupby("source")[["human", "judge"]].mean().dropna().round(9)
        signs = [
            (np.sign(a.human - b.human), np.sign(a.judge - b.judge)) for a, b in combinations(means.itertuples(), 2)
        ]
        yield found.kendall.value, stats.kendalltau(means["human"], means["judge"]).statistic
        yield found.pairwise_accuracy.value, np.mean([first == second for first, second in signs])


def gaps_beside_loops() -> Iterable[Pair]:
    for judged in judged_studies(30, seed=19):
        for scale in (NOMINAL, INTERVAL):
            theirs = []
            for item, votes in enumerate(votes_by_item(judged)):
                values, judge = [value for _, value in votes], float(judged.judge[item])
                if not values or np.isnan(judge):
                    continue
                if scale == NOMINAL:
                    gap = sum(value != judge for value in values) / len(values)
                    spread = 1 - max(Counter(values).values()) / len(values)
                else:
                    gap, spread = abs(sum(values) / len(values) - judge), float(np.std(values))
                theirs.append((-round(gap, 9), round(spread, 9), -len(values), item))
            wanted = [row for row in sorted(theirs) if row[0]]
            found = widest_gaps(judged, scale)
            yield [each.item for each in found], [row[3] for row in wanted]
            yield [(each.gap, each.spread) for each in found], [(-row[0], row[1]) for row in wanted]


CHECKS = [
    Check(("machines.ceiling.human_ceiling",), "scikit-learn and numpy on weighted pairs, ties split",
          ceilings_beside_pairs),
    Check(("machines.ceiling.human_ceiling",), "each conversation left out: standard errors",
          errors_beside_conversations_left_out),
    Check(("machines.jackknife.jackknife",), "the standard error of a mean of conversations", jackknife_of_a_mean),
    Check(("machines.alternative.alternative_test",), "loops from the definitions, two scales and four epsilons",
          tests_beside_loops),
    Check(("machines.alternative.alternative_test",), "statsmodels, clustered errors of the advantage probability",
          advantage_beside_statsmodels),
    Check(("machines.alternative.t_below",), "scipy", t_beside_scipy),
    Check(("machines.alternative.signed_ranks_below",), "all choices of signs", signed_ranks_beside_all_signs),
    Check(("comparison.benjamini_yekutieli",), "statsmodels", corrections_beside_statsmodels),
    Check(("machines.powered.powered_mean",), "ppi-python, independent items", means_beside_ppi),
    Check(("machines.powered.powered_mean",), "statsmodels, clustered errors of both parts",
          means_beside_clustered_errors),
    Check(("machines.powered.powered_difference",), "statsmodels, clustered errors of two sources",
          differences_beside_clustered_errors),
    Check(("machines.corrected.corrected_rate",), "complex steps, derivatives by conversation",
          corrected_beside_complex_steps),
    Check(("machines.systems.compare_systems",), "scipy, and pairs of sources one by one", orders_beside_scipy),
    Check(("machines.systems.widest_gaps",), "loops over votes, sorted", gaps_beside_loops, 1e-8),
]  # fmt: skip
