"""Downloads of the report: each table as CSV, or everything as one JSON document."""

import json
from collections.abc import Callable, Iterable
from typing import Any

from parley.formulas import csv_of_records
from reporting.record.acceptance_words import acceptance_table
from reporting.report.build import Report
from reporting.report.final_labels import final_label_table

Row = dict[str, Any]


def as_json(report: Report) -> str:
    return json.dumps(report, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def as_csv(report: Report, table: str) -> str:
    """Return one table as CSV. Raises KeyError for a name that is not in TABLES."""
    return csv_of_records(TABLES[table](report))


def _agreement(report: Report) -> Iterable[Row]:
    """Yield a row per source, criterion and batch, then one for the mean and one for the pooled value."""
    batches = [row["batch"] for row in report["batches"]]
    for row in report["agreement"]:
        name = {"source": row["source"], "criterion": row["criterion"]}
        per_batch = zip(batches, row["per_batch"], row["strong_per_batch"], row["reasons"], strict=True)
        empty = dict.fromkeys(("low", "high", "interval_note", "alpha", "alpha_low", "alpha_high"))
        for batch, kappa, strong, reason in per_batch:
            yield (
                {**name, "level": "batch", "batch": batch, "fleiss_kappa": kappa, "sd": None, "strong": strong}
                | {"undefined_because": reason}
                | empty
            )
        yield (
            {**name, "level": "mean", "batch": None, "fleiss_kappa": row["mean"], "sd": row["sd"], "strong": None}
            | {"undefined_because": None}
            | empty
        )
        yield {**name, "level": "pooled", "batch": None, **_pooled(row)}


def _pooled(row: Row) -> Row:
    return {
        "fleiss_kappa": row["pooled"],
        "sd": None,
        "strong": row["strong_pooled"],
        "undefined_because": row["pooled_reason"],
        "low": row["pooled_low"],
        "high": row["pooled_high"],
        "interval_note": row["pooled_interval_note"],
        "alpha": row["alpha"],
        "alpha_low": row["alpha_low"],
        "alpha_high": row["alpha_high"],
    }


def _pairs(report: Report) -> Iterable[Row]:
    for row in report["pairs"]:
        first, second = row["annotators"]
        figures = {name: row[name] for name in ("kappa", "n", "n_left_out", "strong_kappa", "strong_n")}
        names = {"batch": row["batch"], "criteria": "|".join(row["criteria"])}
        yield names | {"annotator_a": first, "annotator_b": second} | figures


def _votes(report: Report) -> Iterable[Row]:
    for row in report["votes"]:
        yield {name: value for name, value in row.items() if name != "options"}


def _options(report: Report) -> Iterable[Row]:
    for row in report["votes"]:
        for option in row["options"]:
            yield {"source": row["source"], "criterion": row["criterion"], **option}


def _distributions(report: Report) -> Iterable[Row]:
    """Yield a row per option, with the mean, sd and median of the question if it has them."""
    for row in report["distributions"]:
        head = {name: row[name] for name in ("source", "criterion", "kind", "scale", "n_answers")}
        tail = {name: row[name] for name in ("mean", "sd", "median")}
        for option in row["options"]:
            yield head | option | tail


def _comparisons(report: Report) -> Iterable[Row]:
    for row in report["comparisons"]:
        yield from row["pairs"]


def _friedman(report: Report) -> Iterable[Row]:
    """Yield a row per criterion and source: the mean over the complete dialogues, and Friedman's test."""
    for row in report["comparisons"]:
        shared = {name: row[name] for name in ("criterion", "score", "reason")}
        test = {name: row.get(name) for name in ("n_dialogues", "friedman_chi2", "friedman_p", "friedman_reason")}
        for source, mean in zip(row["sources"], row.get("means") or [None] * len(row["sources"]), strict=True):
            yield {**shared, "source": source, "mean": mean, **test}


def _texts(report: Report) -> Iterable[Row]:
    for row in report["negative_texts"]:
        yield row | {"reasons": "|".join(row["reasons"])}


def _time(report: Report) -> Iterable[Row]:
    for name, value in report["time_and_pay"].items():
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
    for name, value in (report["data_set"] or {}).items():
        if isinstance(value, list):
            yield from ({"figure": name, "part": row["value"] or "others", "value": row["n"]} for row in value)
        elif isinstance(value, dict):
            yield from ({"figure": name, "part": part, "value": number} for part, number in value.items())
        else:
            yield {"figure": name, "part": None, "value": value}


def _checklist(report: Report) -> Iterable[Row]:
    for row in report["checklist"]:
        yield {"entry": row["key"], "status": row["status"], "text": "\n".join(row["lines"])}


TABLES: dict[str, Callable[[Report], Iterable[Row]]] = {
    "agreement": _agreement,
    "agreement_by_criterion": lambda report: report["agreement_by_criterion"],
    "agreement_by_source": lambda report: report["agreement_by_source"],
    "overall": lambda report: report["agreement_overall"],
    "majority": lambda report: report["majority"],
    "metrics": lambda report: report["metrics"],
    "votes": _votes,
    "options": _options,
    "errors": lambda report: report["errors"],
    "data_set": _data_set,
    "final_labels": lambda report: final_label_table(report["final_labels"]),
    "predictions": lambda report: report["predictions"],
    "negatives": lambda report: report["negatives"],
    "negatives_by_source": lambda report: report["negatives_by_source"],
    "negative_texts": _texts,
    "pairs": _pairs,
    "batches": lambda report: report["batches"],
    "alpha_check": lambda report: report["alpha_check"],
    "distributions": _distributions,
    "turns": lambda report: report["turns"],
    "comparisons": _comparisons,
    "friedman": _friedman,
    "breakdowns": lambda report: report["breakdowns"],
    "excluded_batches": lambda report: report["excluded_batches"],
    "time_and_pay": _time,
    "workload": lambda report: report["workload"],
    "acceptance": lambda report: acceptance_table(report["acceptance"]),
    "checklist": _checklist,
    "comments": lambda report: report["comments"],
    "flags": lambda report: report["flags"],
}
