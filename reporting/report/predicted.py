"""The results of metrics and models against the final labels, as on the predictions page."""

from typing import Any

from annotation.models import Metric
from protocols.specs import CriterionSpec
from reporting.predictions.table import Comparison

Row = dict[str, Any]
SHOWN = ("accuracy", "spearman", "pearson")


def predicted_table(comparison: Comparison) -> list[Row]:
    """Return a row per metric and criterion, over all items."""
    return [_row(comparison, metric, criterion) for metric, criterion in comparison.pairs]


def _row(comparison: Comparison, metric: Metric, criterion: CriterionSpec) -> Row:
    found = comparison.whole(metric, criterion)
    row: Row = {
        "metric": metric.key,
        "name": metric.name,
        "kind": metric.kind,
        "criterion": criterion.key,
        "items": found.n_used,
        "left_out": sum(found.left_out.values()),
    }
    for name in SHOWN:
        each = found.estimates[name]
        row |= {name: each.value, f"{name}_low": each.low, f"{name}_high": each.high}
        row |= {f"{name}_note": each.interval_note, f"{name}_reason": each.reason}
    return row
