"""Predictions compared with people, with intervals: whole dialogues are drawn, as their items are not independent.

Point values come from :mod:`measures.prediction` and :mod:`measures.cohen`. The kernels compute the same for many
resamples at once, and tests compare both.

Source: project statistics, sections 3.1 and 3.2; Davison & Hinkley 1997, Bootstrap Methods, sec. 3.8.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Unpack

import numpy as np
import numpy.typing as npt

from measures.arrays import FloatArray, IntArray, divide_or_nan, divide_or_zero
from measures.clusters import Clusters, drawn_groups
from measures.cohen import cohen_kappa, confusion_matrix
from measures.estimate import Estimate
from measures.intervals import CELLS_PER_BLOCK, Draw, Interval, Kernel, Resampling, interval_guard, interval_of_counts
from measures.prediction import (
    accuracy,
    macro_f1,
    macro_precision,
    pearson,
    spearman,
    unweighted_average_recall,
    weighted_f1,
)

N_RESAMPLES = 2000
FEWEST_RESAMPLES = 400
# Ranking costs every item in every resample; if items times resamples exceed this, fewer resamples are drawn.
MOST_RANKED = 40_000_000
CELLS_AT_ONCE = 2_000_000
# Up to this many different pairs of values, such as answers on a scale, pairs are counted instead of items.
MOST_KINDS = 64

LABEL_MEASURES: dict[str, Callable[[IntArray], Estimate]] = {
    "accuracy": accuracy,
    "uar": unweighted_average_recall,
    "kappa": cohen_kappa,
    "macro_precision": macro_precision,
    "macro_f1": macro_f1,
    "weighted_f1": weighted_f1,
}
SCORE_MEASURES: dict[str, Callable[[FloatArray, FloatArray], Estimate]] = {"spearman": spearman, "pearson": pearson}


def label_estimates(
    human: npt.ArrayLike,
    predicted: npt.ArrayLike,
    groups: npt.ArrayLike,
    n_categories: int,
    *,
    seed: int,
    n_resamples: int = N_RESAMPLES,
    level: float = 0.95,
) -> dict[str, Estimate]:
    """Return every measure of LABEL_MEASURES with a BCa interval.

    Parameters
    ----------
    human, predicted : (N,) int array
        Codes 0..K-1, none missing.
    groups : (N,) int array
        Groups of dependent items, for example dialogues; whole groups are drawn.
    n_categories : int
        Declared categories K.
    seed, n_resamples, level
        As in :func:`measures.intervals.bootstrap_interval`; 0 resamples give no intervals.

    Returns
    -------
    dict
        Estimates by name, undefined as in the measures ('no_pairs' without items). With fewer than 10 groups there is
        no interval ('too_few_items'); with 10 to 19 it is 'unreliable'. `n_items` is N.
    """
    table = confusion_matrix(human, predicted, n_categories)
    found = {
        name: replace(measure(table), low=None, high=None, interval_note=None, standard_error=None)
        for name, measure in LABEL_MEASURES.items()
    }
    if not table.sum() or not n_resamples:
        return found
    cells = np.asarray(human, np.int64) * n_categories + np.asarray(predicted, np.int64)
    used, place = np.unique(cells, return_inverse=True)
    clusters = Clusters.from_tallies(groups, np.eye(len(used), dtype=np.int64)[place])
    of_pattern = used[clusters.histogram.patterns.argmax(axis=1)]
    kernels = {name: clusters.kernel(label_kernel(name, of_pattern, n_categories)) for name in found}
    return _with_intervals(found, clusters.counts, kernels, seed=seed, n_resamples=n_resamples, level=level)


def _with_intervals(
    estimates: dict[str, Estimate], counts: IntArray, kernels: dict[str, Kernel], **how: Unpack[Resampling]
) -> dict[str, Estimate]:
    """Add intervals from the same resamples, which are drawn once if they fit; `counts` are the groups of each kind."""
    draw = _drawn_once() if len(counts) * how["n_resamples"] <= CELLS_PER_BLOCK else drawn_groups
    show, word = interval_guard(int(counts.sum()))
    found = dict(estimates)
    for name, each in estimates.items():
        if each.value is not None:
            limits = Interval(None, None)
            if show:
                limits = interval_of_counts(counts, kernels[name], draw=draw, **how)
            found[name] = each.with_interval(limits.low, limits.high, limits.note or word)
    return found


def _drawn_once() -> Draw:
    kept: list[IntArray] = []

    def draw(counts: IntArray, n_resamples: int, rng: np.random.Generator) -> IntArray:
        if not kept:
            kept.append(drawn_groups(counts, n_resamples, rng))
        return kept[0]

    return draw


def label_kernel(name: str, cells: IntArray, n_categories: int) -> Kernel:
    """Return a measure of items per cell human * K + predicted: (B, C) counts -> (B,), NaN undefined."""
    row, column = np.divmod(cells, n_categories)
    rows, columns = np.eye(n_categories)[row], np.eye(n_categories)[column]
    same = rows * (row == column)[:, None]
    measure = KERNELS[name]

    def kernel(counts: FloatArray) -> FloatArray:
        return measure(counts @ same, counts @ rows, counts @ columns)

    return kernel


def _kappa(hits: FloatArray, human: FloatArray, predicted: FloatArray) -> FloatArray:
    n = human.sum(axis=1)
    observed = divide_or_nan(hits.sum(axis=1), n)
    expected = divide_or_nan((human * predicted).sum(axis=1), n**2)
    varied = ((human + predicted) > 0).sum(axis=1) > 1
    return divide_or_nan(observed - expected, np.where(varied, 1 - expected, 0.0))


def _mean_over_used(values: FloatArray, human: FloatArray, predicted: FloatArray) -> FloatArray:
    return divide_or_nan(values.sum(axis=1), (human + predicted > 0).sum(axis=1))


# Each takes (B, K) hits, human labels and predicted labels per category; zero divisions are those of the point values.
KERNELS: dict[str, Callable[[FloatArray, FloatArray, FloatArray], FloatArray]] = {
    "accuracy": lambda hits, human, _said: divide_or_nan(hits.sum(axis=1), human.sum(axis=1)),
    "uar": lambda hits, human, _said: divide_or_nan(divide_or_zero(hits, human).sum(axis=1), (human > 0).sum(axis=1)),
    "kappa": _kappa,
    "macro_precision": lambda hits, human, said: _mean_over_used(divide_or_zero(hits, said), human, said),
    "macro_f1": lambda hits, human, said: _mean_over_used(divide_or_zero(2 * hits, human + said), human, said),
    "weighted_f1": lambda hits, human, said: divide_or_nan(
        (divide_or_zero(2 * hits, human + said) * human).sum(axis=1), human.sum(axis=1)
    ),
}


def score_estimates(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    groups: npt.ArrayLike,
    *,
    seed: int,
    n_resamples: int = N_RESAMPLES,
    level: float = 0.95,
) -> dict[str, Estimate]:
    """Return Spearman's and Pearson's correlation with intervals; every resample is ranked again.

    Parameters
    ----------
    first, second : (N,) float array
        None missing.
    groups, seed, n_resamples, level
        As in :func:`label_estimates`. If ranking many items would take long, fewer resamples are drawn, but at least
        400. BCa up to 4,000 groups, percentile beyond.

    Returns
    -------
    dict
        Undefined: 'too_few_items' below two items, 'no_variation' if a side is constant.
    """
    x, y = np.asarray(first, float), np.asarray(second, float)
    found = {name: measure(x, y) for name, measure in SCORE_MEASURES.items()}
    if not n_resamples or not len(x):
        return found
    values, kind = np.unique(np.column_stack([x, y]), axis=0, return_inverse=True)
    kind = kind.ravel()
    if len(values) <= MOST_KINDS:
        clusters = Clusters.from_tallies(groups, np.eye(len(values), dtype=np.int64)[kind])
        x, y = values[clusters.histogram.patterns.argmax(axis=1)].T
        kernels = {name: clusters.kernel(maker(x, y, np.arange(len(x)))) for name, maker in SCORE_KERNELS.items()}
        return _with_intervals(found, clusters.counts, kernels, seed=seed, n_resamples=n_resamples, level=level)
    group = np.unique(np.asarray(groups), return_inverse=True)[1].ravel()
    counts = np.ones(int(group.max()) + 1, np.int64)
    n_drawn = min(n_resamples, max(FEWEST_RESAMPLES, MOST_RANKED // len(x)))
    kernels = {name: maker(x, y, group) for name, maker in SCORE_KERNELS.items()}
    return _with_intervals(found, counts, kernels, seed=seed, n_resamples=n_drawn, level=level)


def pearson_kernel(first: FloatArray, second: FloatArray, group: IntArray) -> Kernel:
    """Return Pearson's correlation from (B, G) weights of groups; it follows from six sums per group."""
    x, y = _standard(first), _standard(second)
    parts = (np.ones(len(x)), x, y, x * x, y * y, x * y)
    sums = np.column_stack([np.bincount(group, part) for part in parts])

    def kernel(counts: FloatArray) -> FloatArray:
        n, sx, sy, sxx, syy, sxy = (counts @ sums).T
        n = np.maximum(n, 1)
        return _correlation(sxy - sx * sy / n, sxx - sx * sx / n, syy - sy * sy / n, n)

    return kernel


def _standard(values: FloatArray) -> FloatArray:
    spread = float(values.std())
    return (values - values.mean()) / (spread or 1.0)


def _correlation(xy: FloatArray, xx: FloatArray, yy: FloatArray, n: FloatArray) -> FloatArray:
    """Return the correlation from sums of products of deviations; a spread of rounding errors counts as zero."""
    spread = np.where((xx > 1e-9 * n) & (yy > 1e-9 * n), np.sqrt(np.maximum(xx * yy, 0)), 0.0)
    return np.clip(divide_or_nan(xy, spread), -1, 1)


def spearman_kernel(first: FloatArray, second: FloatArray, group: IntArray) -> Kernel:
    """Return Spearman's correlation from (B, G) integer weights of groups, with mid-ranks of the resample itself."""
    x, y = _Ranking(first), _Ranking(second)
    size = max(1, CELLS_AT_ONCE // max(1, len(group)))

    def block(counts: FloatArray) -> FloatArray:
        weights = counts[:, group]
        n = weights.sum(axis=1)
        dx, dy = (each.of(weights) - (n[:, None] + 1) / 2 for each in (x, y))
        scale = np.maximum(n, 1) ** 2
        xy, xx, yy = ((weights * product).sum(axis=1) / scale for product in (dx * dy, dx * dx, dy * dy))
        return _correlation(xy, xx, yy, np.maximum(n, 1))

    def kernel(counts: FloatArray) -> FloatArray:
        return np.concatenate([block(counts[start : start + size]) for start in range(0, len(counts), size)])

    return kernel


class _Ranking:
    """Values sorted once, so that ranks under any integer weights follow from sums."""

    def __init__(self, values: FloatArray) -> None:
        _, self._level = np.unique(values, return_inverse=True)
        self._order = np.argsort(self._level, kind="stable")
        self._starts = np.flatnonzero(np.diff(self._level[self._order], prepend=-1))

    def of(self, weights: FloatArray) -> FloatArray:
        """Return (B, N) mid-ranks of items that occur weights (B, N) times."""
        tied = np.add.reduceat(weights[:, self._order], self._starts, axis=1)
        return (np.cumsum(tied, axis=1) - (tied - 1) / 2)[:, self._level]


SCORE_KERNELS: dict[str, Callable[[FloatArray, FloatArray, IntArray], Kernel]] = {
    "spearman": spearman_kernel,
    "pearson": pearson_kernel,
}
