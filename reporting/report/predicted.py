"""The results of metrics and models against the final labels, as on the predictions page."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from annotation.models import Source, Study
from reporting.predictions.selectors import metric_means
from reporting.predictions.table import Comparison
from reporting.report.judged import Figure, figure_of
from reporting.study.plain import spread


@dataclass(frozen=True, slots=True)
class Prediction:
    """A metric against people's answers to a criterion, over all items that have both; `left_out` counts the others."""

    metric: str
    name: str
    kind: str
    criterion: str
    items: int
    left_out: int
    accuracy: Figure = field(metadata=spread("accuracy"))
    spearman: Figure = field(metadata=spread("spearman"))
    pearson: Figure = field(metadata=spread("pearson"))


@dataclass(frozen=True, slots=True)
class MetricMean:
    """The mean of an imported automatic metric over a source, in its own unit; None if it has no scores of it."""

    source: str
    metric: str
    mean: float | None


def metrics_table(study: Study, sources: Iterable[Source]) -> list[MetricMean]:
    means = metric_means(study)
    return [
        MetricMean(source.key, metric, mean) for source in sources for metric, mean in means.get(source.pk, {}).items()
    ]


def predicted_table(comparison: Comparison) -> list[Prediction]:
    """Return a row per metric and criterion, over all items."""
    rows = []
    for metric, criterion in comparison.pairs:
        found = comparison.whole(metric, criterion)
        left_out = sum(found.left_out.values())
        figures = (figure_of(found.estimates[name]) for name in ("accuracy", "spearman", "pearson"))
        row = Prediction(metric.key, metric.name, metric.kind, criterion.key, found.n_used, left_out, *figures)
        rows.append(row)
    return rows
