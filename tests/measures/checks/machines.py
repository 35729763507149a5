"""People and a judge beside slow programs, written from the definitions with plain loops."""

from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np
from sklearn.metrics import accuracy_score, cohen_kappa_score, mean_squared_error

from measures.machines.ceiling import INTERVAL, NOMINAL, human_ceiling
from measures.machines.jackknife import jackknife
from measures.machines.judged import Judged
from tests.measures.checks import Check, Pair

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


CHECKS = [
    Check(("machines.ceiling.human_ceiling",), "scikit-learn and numpy on weighted pairs, ties split",
          ceilings_beside_pairs),
    Check(("machines.ceiling.human_ceiling",), "each conversation left out: standard errors",
          errors_beside_conversations_left_out),
    Check(("machines.jackknife.jackknife",), "the standard error of a mean of conversations", jackknife_of_a_mean),
]  # fmt: skip
