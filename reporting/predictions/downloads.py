"""Downloads that compare predictions with people: tidy CSV, and a JSON document with confusion matrices."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from annotation.models import Metric
from parley.formulas import csv_of_records
from protocols.specs import CriterionSpec
from reporting.predictions.distribution import Share, distribution_of
from reporting.predictions.labels import STATISTICS, rules_of
from reporting.predictions.table import MEASURES, Compared, Comparison, Row

SIDES = ("metric", "ceiling")
KEPT = ("value", "reason", "low", "high", "interval_note")


def as_csv(comparison: Comparison) -> str:
    """Return a row per metric, criterion, part, side and measure."""
    return csv_of_records(
        record
        for metric, criterion in comparison.pairs
        for row in comparison.rows(metric, criterion)
        for side in SIDES
        for record in _measures(metric, criterion, row, side)
    )


def distributions_as_csv(comparison: Comparison) -> str:
    """Return a row per metric, criterion, side and label, or bin of numbers."""
    return csv_of_records(
        {"metric": metric.key, "criterion": criterion.key, **share_row(each)}
        for metric, criterion in comparison.pairs
        for each in distribution_of(comparison, metric, criterion)
    )


def share_row(share: Share) -> dict[str, Any]:
    names = ("side", "name", "low", "high", "n")
    return {name: getattr(share, name) for name in names} | {"percent": round(100 * share.share, 2)}


def _measures(metric: Metric, criterion: CriterionSpec, row: Row, side: str) -> Iterator[dict[str, Any]]:
    compared: Compared = getattr(row, side)
    for measure in MEASURES:
        estimate = compared.estimates[measure]
        yield {
            "metric": metric.key,
            "kind": metric.kind,
            "origin": metric.origin,
            "criterion": criterion.key,
            "part": row.part.kind,
            "value": row.part.value,
            "side": side,
            "measure": measure,
            "estimate": estimate.value,
            "low": estimate.low,
            "high": estimate.high,
            "undefined_because": estimate.reason,
            "interval_note": estimate.interval_note,
            "n_used": estimate.n_items,
            "left_out": "; ".join(f"{name}: {n}" for name, n in compared.left_out.items()),
        }


def as_json(comparison: Comparison) -> str:
    document = {
        "study": comparison.study.slug,
        "protocol_sha256": comparison.study.protocol_version.sha256,
        "seed": comparison.study.seed,
        "rules": rules_of(comparison.study.majority_rule),
        "measures": {key: STATISTICS[key].english_definition for key in MEASURES},
        "metrics": [
            {
                "metric": metric.key,
                "kind": metric.kind,
                "origin": metric.origin,
                "higher_is_better": metric.higher_is_better,
                "note": metric.note,
                "criterion": criterion.key,
                "options": [option.key for option in criterion.options],
                "distribution": [share_row(each) for each in distribution_of(comparison, metric, criterion)],
                "rows": [
                    {
                        "part": row.part.kind,
                        "value": row.part.value,
                        "metric": _side(row.metric),
                        "ceiling": _side(row.ceiling),
                    }
                    for row in comparison.rows(metric, criterion)
                ],
            }
            for metric, criterion in comparison.pairs
        ],
    }
    return json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _side(compared: Compared) -> dict[str, Any]:
    return {
        "n_labels": compared.n_labels,
        "n_scores": compared.n_scores,
        "left_out": compared.left_out,
        "estimates": {
            name: {kept: each for kept, each in asdict(compared.estimates[name]).items() if kept in KEPT}
            for name in MEASURES
        },
        "confusion": compared.table.tolist(),
        "classes": compared.classes,
    }
