"""Downloads that compare predictions with people: tidy CSV, and a JSON document with everything."""

import json
from collections.abc import Iterator
from typing import Any

from annotation.models import Metric
from measures.estimate import Estimate
from measures.machines.ceiling import Ceiling
from parley.formulas import csv_of_records
from protocols.specs import CriterionSpec
from reporting.predictions.beside import beside_people, ceilings_of
from reporting.predictions.beside_records import beside_records
from reporting.predictions.distribution import Share, distribution_of
from reporting.predictions.judging import judging_of
from reporting.predictions.labels import STATISTICS, rules_of
from reporting.predictions.table import MEASURES, Compared, Comparison, ItemSubset

KEPT = ("value", "reason", "low", "high", "interval_note")
FINAL_LABELS = "final_labels"
SIDES = {"people": "people", "judge": "metric", "difference": "difference"}


def as_csv(comparison: Comparison) -> str:
    """Return a row per metric, criterion, part, reference, side and measure."""
    return csv_of_records(
        {"metric": metric.key, "kind": metric.kind, "origin": metric.origin, "criterion": criterion.key, **record}
        for metric, criterion in comparison.pairs
        for record in (*_measures(comparison, metric, criterion), *_ceilings(comparison, metric, criterion))
    )


def beside_as_csv(comparison: Comparison) -> str:
    """Return a row per metric, criterion, question, subject and measure: people beside the metric."""
    return csv_of_records(
        {"metric": metric.key, "criterion": criterion.key, **record}
        for metric, criterion in comparison.pairs
        for record in beside_records(beside_people(comparison, metric, criterion))
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


def _measures(comparison: Comparison, metric: Metric, criterion: CriterionSpec) -> Iterator[dict[str, Any]]:
    for row in comparison.rows(metric, criterion):
        left_out = "; ".join(f"{name}: {n}" for name, n in row.metric.left_out.items())
        for measure in MEASURES:
            estimate = row.metric.estimates[measure]
            yield _record(row.part, FINAL_LABELS, "metric", measure, estimate) | {"left_out": left_out}


def _ceilings(comparison: Comparison, metric: Metric, criterion: CriterionSpec) -> Iterator[dict[str, Any]]:
    for found in ceilings_of(comparison, judging_of(comparison, metric, criterion)):
        for each in found.measures:
            for name, side in SIDES.items():
                estimate: Estimate = getattr(each, name)
                left_out = f"single_answer_or_no_prediction: {estimate.n_left_out}" if estimate.n_left_out else ""
                yield _record(found.part, each.against, side, each.measure, estimate) | {"left_out": left_out}


def _record(part: ItemSubset, against: str, side: str, measure: str, estimate: Estimate) -> dict[str, Any]:
    return {
        "part": part.kind,
        "value": part.value,
        "against": against,
        "side": side,
        "measure": measure,
        "estimate": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "undefined_because": estimate.reason,
        "interval_note": estimate.interval_note,
        "n_used": estimate.n_items,
        "n_answers": None if against == FINAL_LABELS else estimate.n_ratings,
    }


def as_json(comparison: Comparison) -> str:
    document = {
        "study": comparison.study.slug,
        "protocol_sha256": comparison.study.protocol_version.sha256,
        "seed": comparison.study.seed,
        "rules": rules_of(comparison.study.majority_rule),
        "measures": {key: STATISTICS[key].english_definition for key in MEASURES},
        "metrics": [_document(comparison, metric, criterion) for metric, criterion in comparison.pairs],
    }
    return json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _document(comparison: Comparison, metric: Metric, criterion: CriterionSpec) -> dict[str, Any]:
    beside = beside_people(comparison, metric, criterion)
    return {
        "metric": metric.key,
        "kind": metric.kind,
        "origin": metric.origin,
        "higher_is_better": metric.higher_is_better,
        "note": metric.note,
        "criterion": criterion.key,
        "options": [option.key for option in criterion.options],
        "distribution": [share_row(each) for each in distribution_of(comparison, metric, criterion)],
        "rows": [
            {"part": row.part.kind, "value": row.part.value, "metric": _side(row.metric)}
            for row in comparison.rows(metric, criterion)
        ],
        "ceiling": [
            {"part": found.part.kind, "value": found.part.value, **_ceiling(each)}
            for found in ceilings_of(comparison, beside.judging)
            for each in found.measures
        ],
        "beside_people": list(beside_records(beside)),
    }


def _ceiling(found: Ceiling) -> dict[str, Any]:
    sizes = {name: getattr(found.people, name) for name in ("n_items", "n_ratings", "n_left_out")}
    sides = {side: _kept(getattr(found, name)) for name, side in SIDES.items()}
    return {"against": found.against, "measure": found.measure, **sizes, **sides}


def _kept(estimate: Estimate) -> dict[str, Any]:
    return {name: getattr(estimate, name) for name in KEPT}


def _side(compared: Compared) -> dict[str, Any]:
    return {
        "n_labels": compared.n_labels,
        "n_scores": compared.n_scores,
        "left_out": compared.left_out,
        "estimates": {name: _kept(compared.estimates[name]) for name in MEASURES},
        "confusion": compared.table.tolist(),
        "classes": compared.classes,
    }
