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
    return csv_of_records(_lines(comparison))


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


def _lines(comparison: Comparison) -> Iterator[dict[str, Any]]:
    for metric, criterion in comparison.pairs:
        head = {"metric": metric.key, "kind": metric.kind, "origin": metric.origin, "criterion": criterion.key}
        for row in comparison.rows(metric, criterion):
            for side in SIDES:
                yield from _measures(head | {"part": row.part.kind, "value": row.part.value}, side, getattr(row, side))


def _measures(head: dict[str, Any], side: str, compared: Compared) -> Iterator[dict[str, Any]]:
    for measure in MEASURES:
        estimate = compared.estimates[measure]
        yield {
            **head,
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
        "metrics": [_metric(comparison, metric, criterion) for metric, criterion in comparison.pairs],
    }
    return json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _metric(comparison: Comparison, metric: Metric, criterion: CriterionSpec) -> dict[str, Any]:
    return {
        "metric": metric.key,
        "kind": metric.kind,
        "origin": metric.origin,
        "higher_is_better": metric.higher_is_better,
        "note": metric.note,
        "criterion": criterion.key,
        "options": [option.key for option in criterion.options],
        "distribution": [share_row(each) for each in distribution_of(comparison, metric, criterion)],
        "rows": [_row(row) for row in comparison.rows(metric, criterion)],
    }


def _row(row: Row) -> dict[str, Any]:
    return {"part": row.part.kind, "value": row.part.value} | {side: _side(getattr(row, side)) for side in SIDES}


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
