"""What the report's templates show."""

from typing import Any

from annotation.models import Batch
from reporting.report.alpha_check import DIFFERENT
from reporting.report.build import Report
from reporting.report.checklist import TITLES, lines_of
from reporting.report.downloads import TABLES
from reporting.report.methods import methods
from reporting.report.pictures import errors_picture, votes_picture
from reporting.report.pivot import by_reason, by_source, with_metrics
from reporting.report.rules import rules_in_words


def page_of(report: Report) -> dict[str, Any]:
    votes, errors = by_source(report, "votes"), by_reason(report)
    return {
        "report": report,
        "rules": rules_in_words(report["rules"]),
        "tables": list(TABLES),
        "majority": with_metrics(by_source(report, "majority"), report),
        "agreement": by_source(report, "agreement"),
        "votes": votes,
        "votes_figure": votes_picture(votes) if _has_shares(report) else "",
        "errors": errors,
        "errors_figure": errors_picture(errors) if errors.rows else "",
        "pairs": _pairs_by_batch(report),
        "differences": [row for row in report["alpha_check"] if row["status"] == DIFFERENT],
        "breakdowns": _breakdowns(report),
        "excluded": [row | {"name": Batch.Kind(row["kind"]).label} for row in report["excluded_batches"]],
        "methods": methods(report),
        "checklist": [row | {"title": TITLES[row["key"]], "lines": lines_of(row)} for row in report["checklist"]],
    }


def _has_shares(report: Report) -> bool:
    """A scale without a positive option, such as 1 to 5, has no positive share to draw."""
    return any(row["positive"] for row in report["votes"])


def _breakdowns(report: Report) -> list[tuple[str, list[dict[str, Any]]]]:
    """Of all sources together; the download has each of them."""
    fields: dict[str, list[dict[str, Any]]] = {}
    for row in report["breakdowns"]:
        if row["source"] is None:
            fields.setdefault(row["field"], []).append(row)
    return list(fields.items())


def _pairs_by_batch(report: Report) -> list[tuple[str, list[dict[str, Any]]]]:
    batches: dict[str, list[dict[str, Any]]] = {}
    for row in report["pairs"]:
        batches.setdefault(row["batch"], []).append(row)
    return list(batches.items())
