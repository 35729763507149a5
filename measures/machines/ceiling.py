"""The human ceiling: how well one vote says what other people say, beside how well the judge does.

Every vote is compared with ONE other vote of its item (all ordered pairs), and with the rest of the votes: their
majority, where tied labels share the credit, or their mean. No item is dropped because its votes disagree. An item
counts once, however many votes it has, and its votes or pairs share its weight; otherwise items with many votes, which
are often the hard ones, would dominate. The judge meets the same references: every vote, and the rest without each
vote in turn. Items need two votes and an answer of the judge.

Sources: Fleiss 1971 and Cohen 1960 (kappa: (Po - Pe) / (1 - Pe), Pe from the shares of both sides); Pearson 1895.
"""

from dataclasses import dataclass, replace

import numpy as np

from measures.arrays import FloatArray, divide_or_nan, unless_rounding
from measures.estimate import Estimate
from measures.machines.jackknife import OfMeans, jackknife
from measures.machines.judged import Judged

NOMINAL, INTERVAL = "nominal", "interval"
ONE_OTHER, REST = "one_other", "rest"


@dataclass(frozen=True, slots=True)
class Ceiling:
    """One measure of people and of the judge against the same reference, 'one_other' or 'rest'.

    `difference` is the judge's value less that of people. `n_items` of the estimates are the items with two or more
    votes and an answer of the judge, `n_ratings` the votes on them, `n_left_out` the other items with a vote.
    """

    against: str
    measure: str
    people: Estimate
    judge: Estimate
    difference: Estimate


@dataclass(frozen=True, slots=True)
class _Measure:
    of_means: OfMeans
    bounds: tuple[float, float]
    bounds_of_difference: tuple[float, float]


def human_ceiling(judged: Judged, scale: str) -> list[Ceiling]:
    """Return accuracy and Cohen's kappa (nominal), or root mean square error and Pearson's correlation (interval).

    Parameters
    ----------
    judged : Judged
        Codes 0..K-1 for a nominal scale.
    scale : {'nominal', 'interval'}

    Returns
    -------
    list
        First against one other, then against the rest. Undefined: 'too_few_items' without an item that has two votes,
        'no_variation' for a kappa or correlation if a side never varies. Intervals: :func:`jackknife` over
        conversations, for these annotators.
    """
    used = judged.rated_by(2)
    moments, measures = (_labels, LABEL_MEASURES) if scale == NOMINAL else (_numbers, NUMBER_MEASURES)
    found = []
    for against in (ONE_OTHER, REST):
        people, judge = moments(used, against) if used.n_items else (np.zeros((0, 1)),) * 2
        for name, measure in measures.items():
            three = _three(people, judge, used, measure)
            found.append(Ceiling(against, name, *(_sized(each, used, judged) for each in three)))
    return found


def agreement_beyond_chance(judged: Judged, scale: str) -> Estimate:
    """Return the judge's kappa (nominal) or correlation (interval) with one other vote, as in :func:`human_ceiling`."""
    used = judged.rated_by(2)
    moments, measure = (
        (_labels, LABEL_MEASURES["kappa"]) if scale == NOMINAL else (_numbers, NUMBER_MEASURES["pearson"])
    )
    rows = moments(used, ONE_OTHER)[1] if used.n_items else np.zeros((0, 1))
    return jackknife(rows, used.cluster, measure.of_means, measure.bounds)


def _sized(found: Estimate, used: Judged, judged: Judged) -> Estimate:
    left_out = int((judged.votes_per_item > 0).sum()) - used.n_items
    return replace(found, n_items=used.n_items, n_ratings=len(used.value), n_left_out=left_out)


def _three(people: FloatArray, judge: FloatArray, used: Judged, measure: _Measure) -> list[Estimate]:
    def difference(means: FloatArray) -> FloatArray:
        of_people, of_judge = np.split(means, 2, axis=1)
        return measure.of_means(of_judge) - measure.of_means(of_people)

    return [
        jackknife(people, used.cluster, measure.of_means, measure.bounds),
        jackknife(judge, used.cluster, measure.of_means, measure.bounds),
        jackknife(np.hstack([people, judge]), used.cluster, difference, measure.bounds_of_difference),
    ]


# Labels: rows are the agreement, and the shares of each label on both sides


def _labels(used: Judged, against: str) -> tuple[FloatArray, FloatArray]:
    k = int(max(used.value.max(), used.judge.max())) + 1
    code = used.value.astype(np.int64)
    tallies = np.bincount(used.item * k + code, minlength=used.n_items * k).reshape(-1, k).astype(float)
    shares, judge = tallies / tallies.sum(axis=1, keepdims=True), np.eye(k)[used.judge.astype(np.int64)]
    if against == REST:
        right, rest = _majorities_of_the_rest(tallies, shares)
        return _agreement(right, shares, rest), _agreement((judge * rest).sum(axis=1), judge, rest)
    n = tallies.sum(axis=1)
    alike = (tallies * (tallies - 1)).sum(axis=1) / (n * (n - 1))
    return _agreement(alike, shares, shares), _agreement((judge * shares).sum(axis=1), judge, shares)


def _agreement(right: FloatArray, first: FloatArray, second: FloatArray) -> FloatArray:
    return np.column_stack([right, first, second])


def _majorities_of_the_rest(tallies: FloatArray, shares: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return (I,) credit of a vote, and (I, K) how often each label is the majority without one vote."""
    right, rest = np.zeros(len(tallies)), np.zeros_like(tallies)
    for label in range(tallies.shape[1]):
        others = tallies.copy()
        others[:, label] -= 1
        is_top = others == others.max(axis=1, keepdims=True)
        credit = is_top / is_top.sum(axis=1, keepdims=True)
        right += shares[:, label] * credit[:, label]
        rest += shares[:, [label]] * credit
    return right, rest


def _kappa(means: FloatArray) -> FloatArray:
    first, second = np.split(means[:, 1:], 2, axis=1)
    expected = (first * second).sum(axis=1)
    return divide_or_nan(means[:, 0] - expected, unless_rounding(1 - expected))


# Numbers: rows are the first and second moments of both sides


def _numbers(used: Judged, against: str) -> tuple[FloatArray, FloatArray]:
    """Return moments about the common mean, as squares of large numbers would cancel."""
    centre = float(np.concatenate([used.value, used.judge]).mean())
    x, n = used.value - centre, used.votes_per_item
    sums, squares = (used.per_item(each)[used.item] for each in (x, x * x))
    judge, others = used.judge[used.item] - centre, n[used.item] - 1
    rest = (sums - x) / others
    rest_squared = (squares - x * x) / others if against == ONE_OTHER else rest**2
    return tuple(
        np.column_stack([used.per_item(each) / n for each in (one, rest, one * one, rest_squared, one * rest)])
        for one in (x, judge)
    )  # type: ignore[return-value]


def _rmse(means: FloatArray) -> FloatArray:
    return np.asarray(np.sqrt(np.maximum(means[:, 2] + means[:, 3] - 2 * means[:, 4], 0.0)))


def _pearson(means: FloatArray) -> FloatArray:
    x, y, xx, yy, xy = means.T
    spread = _variance(x, xx) * _variance(y, yy)
    return np.clip(divide_or_nan(xy - x * y, np.sqrt(spread)), -1.0, 1.0)


def _variance(mean: FloatArray, squared: FloatArray) -> FloatArray:
    """Return 0 where the difference is only a rounding error: a side that never varies has no correlation."""
    found = squared - mean * mean
    return np.where(found < 1e-12 * squared, 0.0, found)


LABEL_MEASURES: dict[str, _Measure] = {
    "accuracy": _Measure(lambda means: means[:, 0], (0.0, 1.0), (-1.0, 1.0)),
    "kappa": _Measure(_kappa, (-1.0, 1.0), (-2.0, 2.0)),
}
NUMBER_MEASURES: dict[str, _Measure] = {
    "rmse": _Measure(_rmse, (0.0, np.inf), (-np.inf, np.inf)),
    "pearson": _Measure(_pearson, (-1.0, 1.0), (-2.0, 2.0)),
}
