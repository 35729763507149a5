"""Figures of annotators and of drift beside packages, plain loops, and simulations that count."""

import math
from collections.abc import Callable, Iterable
from itertools import pairwise
from statistics import median, multimode

import numpy as np
from scipy import stats
from sklearn.metrics import accuracy_score, cohen_kappa_score
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from measures.batch_drift import batch_drift
from measures.behaviour import group_medians, speed_scores, straight_lining
from measures.contributions import PACE_STEP, contributions_of, speeds, without_each
from measures.contributors import (
    MajorityTables,
    adjusted,
    agrees_with_majority,
    answer_entropy,
    kappa_with_majority,
)
from measures.drift import cusum, cusum_limit, cusum_run_length, ewma, ewma_run_length, ewma_width
from measures.histograms import Histogram
from measures.leave_one_out import leave_one_out
from measures.outliers import outlier_p_values, robust_scores
from tests.measures.checks import Check, Pair, as_votes, limits, studies, tallies, value


def plain_majority(codes: np.ndarray) -> np.ndarray:
    found = np.full(codes.shape, -1)
    for item, rater in np.ndindex(codes.shape):
        others = [int(code) for at, code in enumerate(codes[item]) if at != rater and code >= 0]
        best = multimode(others)
        if len(best) == 1:
            found[item, rater] = best[0]
    return found


def majority_beside_loops() -> Iterable[Pair]:
    for codes, k in studies(60, missing=0.3):
        theirs = plain_majority(codes)
        given = codes >= 0
        agrees = np.where(theirs < 0, -1, theirs == codes)[given]
        items, _, what = as_votes(codes)
        yield agrees_with_majority(items, what, k), agrees


def majority_kappa_beside_packages() -> Iterable[Pair]:
    """Kappa and share of scikit-learn on what the loops find, limits of the share from statsmodels."""
    for codes, k in studies(40):
        theirs = plain_majority(codes)
        for found in kappa_with_majority(MajorityTables.from_matrix(codes, k), seed=1, n_resamples=0):
            used = theirs[:, found.rater] >= 0
            own, others = codes[used, found.rater], theirs[used, found.rater]
            if found.kappa.value is None or found.kappa.warnings:
                continue  # one answer only, or a constant rater, who is exactly 0 here
            same = int((own == others).sum())
            wilson = proportion_confint(same, len(own), method="wilson")
            mine = value(found.kappa), value(found.agreement), *limits(found.agreement)
            yield mine, (cohen_kappa_score(own, others), accuracy_score(own, others), *wilson)


def entropy_beside_scipy() -> Iterable[Pair]:
    rng = np.random.default_rng(2)
    for _ in range(50):
        counts = rng.integers(0, 9, (int(rng.integers(2, 8)), 4)) + 1
        bits = [stats.entropy(row, base=2) for row in counts]
        relative = [own / median(bits[:at] + bits[at + 1 :]) for at, own in enumerate(bits)]
        found = answer_entropy(counts)
        yield [[each.bits for each in found], [each.relative for each in found]], [bits, relative]


def adjusted_beside_statsmodels() -> Iterable[Pair]:
    rng = np.random.default_rng(3)
    for _ in range(50):
        p = [None if rng.random() < 0.2 else float(rng.random() ** 3) for _ in range(9)]
        known = [each for each in p if each is not None]
        if known:
            yield [each for each in adjusted(p) if each is not None], multipletests(known, method="fdr_bh")[1]


def scores_beside_scipy() -> Iterable[Pair]:
    rng = np.random.default_rng(4)
    for _ in range(50):
        values = rng.normal(size=int(rng.integers(3, 20)))
        # Ours has the rounded constant of the literature, scipy the exact one.
        spread = stats.median_abs_deviation(values) * 1.4826
        yield robust_scores(values.tolist()).scores, (values - np.median(values)) / spread


def outliers_beside_simulation() -> Iterable[Pair]:
    """How often one of as many normal values is as low, drawn again."""
    rng = np.random.default_rng(5)
    for n in (5, 7, 20):
        draws = rng.normal(size=(60_000, n))
        away = draws - np.median(draws, axis=1, keepdims=True)
        scores = away / (1.4826 * np.median(np.abs(away), axis=1, keepdims=True))
        for z in (-3.0, -2.0):
            yield outlier_p_values([z] + [0.0] * (n - 1))[0], (scores <= z).mean()


def left_out_beside_statsmodels() -> Iterable[Pair]:
    """Both routes: from the votes, and from sums that add up over batches."""
    for codes, k in studies(40, most_raters=6):
        if codes.shape[1] < 3:
            continue
        whole = statsmodels_fleiss(tallies(codes, k))
        votes = as_votes(codes)
        parts = without_each(contributions_of(*votes, k), Histogram.from_matrix(codes, k))
        direct = leave_one_out(*votes, k, seed=1, n_resamples=0)
        for mine, summed in zip(direct, parts, strict=True):
            rest = np.delete(codes, mine.rater, axis=1)
            if len(np.unique(rest)) > 1:
                theirs = statsmodels_fleiss(tallies(rest, k)) - whole
                yield [value(mine.delta), value(summed.delta)], [theirs, theirs]


def left_out_beside_scipy() -> Iterable[Pair]:
    """BCa of items, without the first annotator."""
    for seed in (1, 2):
        rng = np.random.default_rng(seed)
        truth = rng.integers(0, 2, (60, 1))
        codes = np.where(rng.random((60, 4)) < 0.6, truth, rng.integers(0, 2, (60, 4)))
        both = tallies(codes, 2), tallies(codes[:, 1:], 2)
        theirs = stats.bootstrap(
            (np.arange(60),), lambda drawn, b=both: statsmodels_fleiss(b[1][drawn]) - statsmodels_fleiss(b[0][drawn]),
            vectorized=False, n_resamples=2000, method="BCa", rng=rng,
        ).confidence_interval  # fmt: skip
        found = leave_one_out(*as_votes(codes), 2, seed=1, n_resamples=2000)[0]
        yield limits(found.delta), (theirs.low, theirs.high)


def pace(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    item, rater = np.indices((30, 6)).reshape(2, -1)
    length = rng.integers(20, 200, 30)[item]
    return item, rater, np.exp(rng.normal(0, 0.4, item.size)) * length, length


def speed_beside_loops() -> Iterable[Pair]:
    for seed in range(20):
        item, rater, times, length = pace(seed)
        logs = np.log(times / length)
        middle = {at: median(logs[item == at]) for at in range(30)}
        yield group_medians(item, logs, np.ones(len(logs), bool)), [middle[at] for at in item.tolist()]
        excess = [[logs[at] - middle[int(item[at])] for at in np.flatnonzero(rater == who)] for who in range(6)]
        yield [value(each.score) for each in speed_scores(item, rater, times, length)], [median(own) for own in excess]


def summed_speed_beside_loops() -> Iterable[Pair]:
    """Times in steps of 5 %: within half a step and what the median adds."""
    for seed in range(20):
        item, rater, times, _ = pace(seed)
        logs = np.log(times)
        middle = {at: median(logs[item == at]) for at in range(30)}
        excess = [[logs[at] - middle[int(item[at])] for at in np.flatnonzero(rater == who)] for who in range(6)]
        found = speeds(contributions_of(item, rater, np.zeros(len(item), int), 2, times))
        yield [value(each.score) for each in found], [median(own) for own in excess]


def runs_beside_shuffles() -> Iterable[Pair]:
    """p of the longest run: one shuffle after the other, runs counted in a loop."""
    rng = np.random.default_rng(6)
    for repeat in (0.5, 0.65, 0.8):
        answers = [0]
        for _ in range(39):
            answers.append(answers[-1] if rng.random() < repeat else int(rng.integers(0, 3)))
        wanted = longest(answers)
        shuffled = [longest(rng.permutation(answers).tolist()) >= wanted for _ in range(4000)]
        found = straight_lining(answers, seed=1)
        yield (found.longest_run, found.run_p), (wanted, (1 + sum(shuffled)) / 4001)


def longest(answers: list[int]) -> int:
    best = run = 1
    for before, after in pairwise(answers):
        run = run + 1 if before == after else 1
        best = max(best, run)
    return best


# --- drift
def charts_beside_loops() -> Iterable[Pair]:
    rng = np.random.default_rng(7)
    for p0, p1 in ((0.85, 0.70), (0.80, 0.65), (0.70, 0.55)) * 10:
        values = rng.choice([-1, 0, 1], 200, p=[0.1, 0.25, 0.65])
        level, mean, walk, course = 0.0, p0, [], []
        for y in values.tolist():
            if y >= 0:
                level = max(0.0, level + (math.log(p1 / p0) if y else math.log((1 - p1) / (1 - p0))))
                mean = 0.95 * mean + 0.05 * y
            walk.append(level)
            course.append(mean)
        yield cusum(values, p0=p0, p1=p1).path, walk
        yield ewma(values, p0=p0).path, course


def run_lengths_beside_simulation() -> Iterable[Pair]:
    """Mean answers up to an alarm in 4,000 courses, as a ratio."""
    for p0, p1 in ((0.85, 0.70), (0.70, 0.55)):
        limit, width = cusum_limit(p0, p1, 100), ewma_width(p0, 0.05, 100)
        rise = math.log((1 - p1) / (1 - p0))
        counted = simulated(
            lambda s, y, p=(p0, p1), up=rise: max(0, s + (math.log(p[1] / p[0]) if y else up)), 0, p0, limit
        )
        yield cusum_run_length(p0, p1, limit) / counted, 1.0
        bound = -(p0 - width * math.sqrt(p0 * (1 - p0) * 0.05 / 1.95))
        counted = simulated(lambda s, y: 0.95 * s - 0.05 * y, -p0, p0, bound)
        yield ewma_run_length(p0, width) / counted, 1.0


def simulated(step: Callable[[float, bool], float], start: float, share: float, limit: float) -> float:
    rng = np.random.default_rng(8)
    total = 0
    for _ in range(4000):
        state, n = start, 0
        while state < limit:
            state, n = step(state, rng.random() < share), n + 1
        total += n
    return total / 4000


def batches_beside_shuffles() -> Iterable[Pair]:
    """Two-sided p and the band of 95 %, items dealt to the batch one shuffle after the other."""
    for seed in (1, 2, 3):
        rng = np.random.default_rng(seed)
        truth = rng.integers(0, 2, (75, 1))
        good = np.where(np.arange(75) < 15, 0.4 + 0.1 * seed, 0.7)[:, None]
        codes = np.where(rng.random((75, 3)) < good, truth, rng.integers(0, 2, (75, 3))).astype(np.int8)
        table = tallies(codes, 2)
        found = batch_drift(Histogram.from_tallies(table[:15]), Histogram.from_tallies(table[15:]), seed=1)
        wanted = statsmodels_fleiss(table[:15]) - statsmodels_fleiss(table[15:])
        orders = [rng.permutation(75) for _ in range(4000)]
        drawn = np.array([statsmodels_fleiss(table[o[:15]]) - statsmodels_fleiss(table[o[15:]]) for o in orders])
        p = 2 * min((drawn <= wanted + 1e-12).mean(), (drawn >= wanted - 1e-12).mean())
        yield (found.difference, found.p_value), (wanted, min(1.0, p))
        yield (found.low, found.high), np.quantile(drawn, [0.025, 0.975])


CHECKS = [
    Check(("contributors.agrees_with_majority",), "plain loops", majority_beside_loops),
    Check(
        ("contributors.kappa_with_majority",), "scikit-learn, statsmodels, majorities by loops",
        majority_kappa_beside_packages,
    ),
    Check(("contributors.answer_entropy",), "scipy", entropy_beside_scipy),
    Check(("contributors.adjusted",), "statsmodels", adjusted_beside_statsmodels),
    Check(("outliers.robust_scores",), "scipy", scores_beside_scipy),
    Check(("outliers.outlier_p_values",), "simulation: 60,000 samples of each size", outliers_beside_simulation, 0.005),
    Check(
        ("leave_one_out.leave_one_out", "contributions.without_each"), "statsmodels, computed again",
        left_out_beside_statsmodels,
    ),
    Check(("leave_one_out.leave_one_out",), "scipy's BCa, statsmodels and other lots", left_out_beside_scipy, 0.02),
    Check(("behaviour.speed_scores", "behaviour.group_medians"), "plain loops", speed_beside_loops),
    Check(("contributions.speeds",), "plain loops, without steps of 5 %", summed_speed_beside_loops, PACE_STEP),
    Check(("behaviour.straight_lining",), "simulation: 4,000 shuffles", runs_beside_shuffles, 0.03),
    Check(("drift.cusum", "drift.ewma"), "plain loops", charts_beside_loops),
    Check(
        ("drift.cusum_run_length", "drift.ewma_run_length", "drift.cusum_limit", "drift.ewma_width"),
        "simulation: 4,000 courses, as a ratio", run_lengths_beside_simulation, 0.06,
    ),
    Check(("batch_drift.batch_drift",), "simulation: 4,000 shuffles with statsmodels", batches_beside_shuffles, 0.03),
]  # fmt: skip
