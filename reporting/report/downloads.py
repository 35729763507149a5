"""The report as files: every table a CSV, everything one JSON document."""

import csv
import io
import json
from collections.abc import Callable, Iterable
from typing import Any

from reporting.report.build import Report

Row = dict[str, Any]
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def as_json(report: Report) -> str:
    return json.dumps(report, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def as_csv(report: Report, table: str) -> str:
    """One table. Raises KeyError for a name that is not in TABLES."""
    rows = list(TABLES[table](report))
    out = io.StringIO()
    if rows:
        writer = csv.DictWriter(out, fieldnames=list(rows[0]), lineterminator="\r\n")
        writer.writeheader()
        writer.writerows({name: _safe(value) for name, value in row.items()} for row in rows)
    return out.getvalue()


def _safe(value: Any) -> Any:
    """Text that a spreadsheet would run as a formula is quoted; numbers stay numbers, undefined is empty."""
    if isinstance(value, str) and value.startswith(FORMULA_STARTS):
        return "'" + value
    return "" if value is None else value


def _agreement(report: Report) -> Iterable[Row]:
    """One row per source, criterion and batch, then the mean and the pooled value: tidy for any program."""
    batches = [row["batch"] for row in report["batches"]]
    for row in report["agreement"]:
        name = {"source": row["source"], "criterion": row["criterion"]}
        per_batch = zip(batches, row["per_batch"], row["strong_per_batch"], row["reasons"], strict=True)
        for batch, kappa, strong, reason in per_batch:
            yield {**name, "level": "batch", "batch": batch, "fleiss_kappa": kappa, "sd": None, "strong": strong} | {
                "undefined_because": reason
            }
        yield {**name, "level": "mean", "batch": None, "fleiss_kappa": row["mean"], "sd": row["sd"], "strong": None} | {
            "undefined_because": None
        }
        pooled = {"fleiss_kappa": row["pooled"], "sd": None, "strong": row["strong_pooled"]}
        yield {**name, "level": "pooled", "batch": None, **pooled, "undefined_because": row["pooled_reason"]}


def _pairs(report: Report) -> Iterable[Row]:
    for row in report["pairs"]:
        first, second = row["annotators"]
        yield {"batch": row["batch"], "annotator_a": first, "annotator_b": second, "kappa": row["kappa"], "n": row["n"]}


def _votes(report: Report) -> Iterable[Row]:
    for row in report["votes"]:
        yield {name: value for name, value in row.items() if name != "options"}


def _options(report: Report) -> Iterable[Row]:
    for row in report["votes"]:
        for option in row["options"]:
            yield {"source": row["source"], "criterion": row["criterion"], **option}


TABLES: dict[str, Callable[[Report], Iterable[Row]]] = {
    "agreement": _agreement,
    "overall": lambda report: report["agreement_overall"],
    "majority": lambda report: report["majority"],
    "votes": _votes,
    "options": _options,
    "errors": lambda report: report["errors"],
    "pairs": _pairs,
    "batches": lambda report: report["batches"],
    "comments": lambda report: report["comments"],
}
