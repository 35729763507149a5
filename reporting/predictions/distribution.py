"""The distributions of predictions and of human answers, on the items that have both."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from annotation.agreement_cells import on_scale
from annotation.models import Metric
from measures.arrays import FloatArray, IntArray
from parley.numbers import number
from protocols.specs import CriterionSpec
from reporting.predictions.selectors import predicted_of
from reporting.predictions.table import Comparison

PEOPLE, METRIC = "people", "metric"
N_BINS = 10


@dataclass(frozen=True, slots=True)
class Share:
    """The items to which one side gives a label or a number in a bin.

    `low` and `high` are the ends of the bin, None for a label.
    """

    side: str
    name: str
    low: float | None
    high: float | None
    n: int
    total: int

    @property
    def share(self) -> float:
        return self.n / self.total


def distribution_of(comparison: Comparison, metric: Metric, criterion: CriterionSpec) -> list[Share]:
    """Return labels beside labels, or numbers in bins beside numbers. Empty without an item that has both."""
    chosen = comparison.everything(criterion).chosen
    human, predicted = comparison.human(criterion), predicted_of(metric, criterion, comparison.votes.items)
    if metric.kind == Metric.Kind.LABEL:
        used = chosen & (human.code >= 0) & (predicted.code >= 0)
        sides = ((PEOPLE, human.code[used]), (METRIC, predicted.code[used]))
        return [share for side, codes in sides for share in _of_labels(side, codes, criterion)]
    used = chosen & ~np.isnan(human.score) & ~np.isnan(predicted.value)
    numbers = ((PEOPLE, human.score[used]), (METRIC, predicted.value[used]))
    return [share for side, values in numbers for share in _of_numbers(side, values)]


def _of_labels(side: str, codes: IntArray, criterion: CriterionSpec) -> Iterable[Share]:
    counts = np.bincount(codes, minlength=len(criterion.options)).tolist()
    scale = on_scale(criterion).options
    if len(codes):
        for option, n in zip(criterion.options, counts, strict=True):
            if n or option in scale:
                yield Share(side, option.label, None, None, n, len(codes))


def _of_numbers(side: str, values: FloatArray) -> Iterable[Share]:
    """Yield a bin for each number if there are few different ones, otherwise bins of equal width."""
    if not len(values):
        return
    different, counts = np.unique(values, return_counts=True)
    if len(different) <= N_BINS:
        for value, n in zip(different.tolist(), counts.tolist(), strict=True):
            yield Share(side, number(value), value, value, n, len(values))
        return
    counts, edges = np.histogram(values, N_BINS)
    for n, low, high in zip(counts.tolist(), edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        yield Share(side, f"{number(low)} – {number(high)}", low, high, n, len(values))
