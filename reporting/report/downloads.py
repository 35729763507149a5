"""Downloads of the report: each table as CSV, or everything as one JSON document."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from parley.formulas import csv_of_records
from reporting.record.acceptance_words import acceptance_table
from reporting.report.build import Report, plain_report
from reporting.report.comparisons import UNUSED_REASONS
from reporting.report.final_labels import final_label_table
from reporting.study.plain import plain

Row = dict[str, Any]


def as_json(report: Report) -> str:
    return json.dumps(plain_report(report), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def as_csv(report: Report, table: str) -> str:
    """Return one table as CSV. Raises KeyError for a name that is not in TABLES."""
    return csv_of_records(rows_of(report, table))


def rows_of(report: Report, table: str) -> Iterable[Row]:
    """Yield the rows of a table as plain values; the first has the names of the columns."""
    return map(plain, TABLES[table](report))


@dataclass(frozen=True, slots=True)
class AgreementLine:
    """A kappa of a source and criterion: that of a batch, the mean of the batches, or the pooled one with intervals."""

    source: str | None
    criterion: str
    level: str
    batch: str | None
    fleiss_kappa: float | None
    sd: float | None = None
    strong: float | None = None
    undefined_because: str | None = None
    low: float | None = None
    high: float | None = None
    interval_note: str | None = None
    alpha: float | None = None
    alpha_low: float | None = None
    alpha_high: float | None = None


def _agreement(report: Report) -> Iterable[AgreementLine]:
    batches = [each.batch for each in report.batches]
    for row in report.agreement:
        name = (row.source, row.criterion)
        per_batch = zip(batches, row.per_batch, row.strong_per_batch, row.reasons, strict=True)
        for batch, kappa, strong, reason in per_batch:
            yield AgreementLine(*name, "batch", batch, kappa, strong=strong, undefined_because=reason)
        yield AgreementLine(*name, "mean", None, row.mean, row.sd)
        yield AgreementLine(
            *name,
            level="pooled",
            batch=None,
            fleiss_kappa=row.pooled,
            strong=row.strong_pooled,
            undefined_because=row.pooled_reason,
            low=row.pooled_limits.low,
            high=row.pooled_limits.high,
            interval_note=row.pooled_limits.interval_note,
            alpha=row.alpha,
            alpha_low=row.alpha_limits.low,
            alpha_high=row.alpha_limits.high,
        )


def _pairs(report: Report) -> Iterable[Row]:
    for row in report.pairs:
        first, second = row.annotators
        names = {"batch": row.batch, "criteria": "|".join(row.criteria), "annotator_a": first, "annotator_b": second}
        figures = {"kappa": row.kappa, "n": row.n, "n_left_out": row.n_left_out}
        yield names | figures | {"strong_kappa": row.strong_kappa, "strong_n": row.strong_n}


def _votes(report: Report) -> Iterable[Row]:
    for row in report.votes:
        yield {name: value for name, value in plain(row).items() if name != "options"}


def _options(report: Report) -> Iterable[Row]:
    for row in report.votes:
        for option in row.options:
            yield {"source": row.source, "criterion": row.criterion, **plain(option)}


def _distributions(report: Report) -> Iterable[Row]:
    """Yield a row per option, with the mean, sd and median of the question if it has them."""
    for row in report.distributions:
        head = {name: getattr(row, name) for name in ("source", "criterion", "kind", "scale", "n_answers", "n_none")}
        tail = {"mean": row.moments.mean, "sd": row.moments.sd, "median": row.moments.median}
        for option in row.options:
            yield head | plain(option) | tail


def _behaviours(report: Report) -> Iterable[Row]:
    """Yield a row per behaviour, source and unit: its rate among the answers, and among the conversations."""
    for row in report.behaviours:
        for unit, found in (("answers", row.rates), ("conversations", row.conversations)):
            for mean in found.means if found else ():
                rest = {name: value for name, value in plain(mean).items() if name not in ("criterion", "score")}
                yield {"criterion": row.criterion, "option": row.option, "label": row.label, "unit": unit} | rest


def _behaviour_agreement(report: Report) -> Iterable[Row]:
    for row in report.behaviours:
        head = {name: getattr(row, name) for name in ("criterion", "option", "label", "ticked", "n_answers")}
        yield head | plain(row.agreement)


def _ratings_used(report: Report) -> Iterable[Row]:
    """Yield a row per criterion: the method of its comparison, and the answers that it uses and does not use."""
    method = ("score", "reason", "scale_low", "scale_high", "weighting", "is_binary")
    numbers = (*method, "n_ratings", "n_annotators", "n_conversations", "n_unused")
    for row in report.comparisons:
        unused = {each.reason: each.n for each in row.unused}
        yield (
            {"criterion": row.criterion}
            | {name: getattr(row, name) for name in numbers}
            | {f"n_{reason}": unused.get(reason, 0) for reason in UNUSED_REASONS}
            | {"n_unsure_not_positive": row.n_unsure_not_positive}
            | {"warnings": "|".join(row.warnings)}
        )


def _preference_models(report: Report) -> Iterable[Row]:
    for each in report.rankings:
        yield plain(each.model) | {"circular": "|".join(each.model.transitivity.circular)}


def _texts(report: Report) -> Iterable[Row]:
    for row in report.negative_texts:
        yield plain(row) | {"reasons": "|".join(row.reasons)}


def _time(report: Report) -> Iterable[Row]:
    for name, value in plain(report.time_and_pay).items():
        parts = value.items() if isinstance(value, dict) else [(None, value)]
        for part, number in parts:
            if isinstance(number, list):  # what was paid, by currency
                yield from (
                    {"figure": name, "part": f"{row['currency']} {each}", "value": row[each]}
                    for row in number
                    for each in row
                    if each != "currency"
                )
            else:
                yield {"figure": name, "part": part, "value": number}


def _data_set(report: Report) -> Iterable[Row]:
    """Yield a tidy table: the name of a number, its part, and its value."""
    for name, value in plain(report.data_set or {}).items():
        if isinstance(value, list):
            yield from ({"figure": name, "part": row["value"] or "others", "value": row["n"]} for row in value)
        elif isinstance(value, dict):
            yield from ({"figure": name, "part": part, "value": number} for part, number in value.items())
        else:
            yield {"figure": name, "part": None, "value": value}


def _checklist(report: Report) -> Iterable[Row]:
    for row in report.checklist:
        yield {"entry": row.key, "status": row.status, "text": "\n".join(row.lines)}


TABLES: dict[str, Callable[[Report], Iterable[Any]]] = {
    "means": lambda report: (mean for row in report.comparisons for mean in row.means),
    "agreement": _agreement,
    "agreement_by_criterion": lambda report: report.agreement_by_criterion,
    "agreement_by_source": lambda report: report.agreement_by_source,
    "overall": lambda report: report.agreement_overall,
    "further_agreement": lambda report: report.agreement_further,
    "majority": lambda report: report.majority,
    "metrics": lambda report: report.metrics,
    "votes": _votes,
    "options": _options,
    "errors": lambda report: report.errors,
    "data_set": _data_set,
    "final_labels": lambda report: final_label_table(report.final_labels),
    "predictions": lambda report: report.predictions,
    "negatives": lambda report: report.negatives,
    "negatives_by_source": lambda report: report.negatives_by_source,
    "negative_texts": _texts,
    "pairs": _pairs,
    "batches": lambda report: report.batches,
    "alpha_check": lambda report: report.alpha_check,
    "distributions": _distributions,
    "turns": lambda report: report.turns,
    "turn_overlaps": lambda report: report.turn_overlaps,
    "behaviours": _behaviours,
    "behaviour_differences": lambda report: (pair for row in report.behaviours for pair in row.rates.pairs),
    "behaviour_agreement": _behaviour_agreement,
    "comparisons": lambda report: (pair for row in report.comparisons for pair in row.pairs),
    "variances": lambda report: (each for row in report.comparisons for each in row.variances),
    "ratings_used": _ratings_used,
    "pairings": lambda report: report.pairings,
    "side_bias": lambda report: report.side_bias,
    "rankings": lambda report: (row for each in report.rankings for row in each.sources),
    "win_rates": lambda report: (row for each in report.rankings for row in each.pairs),
    "preference_models": _preference_models,
    "breakdowns": lambda report: report.breakdowns,
    "excluded_batches": lambda report: report.excluded_batches,
    "time_and_pay": _time,
    "workload": lambda report: report.workload,
    "acceptance": lambda report: acceptance_table(report.acceptance),
    "checklist": _checklist,
    "comments": lambda report: report.comments,
    "flags": lambda report: report.flags,
}
