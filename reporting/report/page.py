"""What the report's templates show."""

from typing import Any

from reporting.report.build import Report
from reporting.report.downloads import TABLES
from reporting.report.pictures import errors_picture, votes_picture
from reporting.report.pivot import by_reason, by_source
from reporting.report.rules import rules_in_words


def page_of(report: Report) -> dict[str, Any]:
    votes, errors = by_source(report, "votes"), by_reason(report)
    return {
        "report": report,
        "rules": rules_in_words(report["rules"]),
        "tables": list(TABLES),
        "majority": by_source(report, "majority"),
        "agreement": by_source(report, "agreement"),
        "votes": votes,
        "votes_figure": votes_picture(votes) if _has_shares(report) else "",
        "errors": errors,
        "errors_figure": errors_picture(errors) if errors.rows else "",
        "pairs": _pairs_by_batch(report),
    }


def _has_shares(report: Report) -> bool:
    """A scale without a positive option, such as 1 to 5, has no positive share to draw."""
    return any(row["positive"] for row in report["votes"])


def _pairs_by_batch(report: Report) -> list[tuple[str, list[dict[str, Any]]]]:
    batches: dict[str, list[dict[str, Any]]] = {}
    for row in report["pairs"]:
        batches.setdefault(row["batch"], []).append(row)
    return list(batches.items())
