"""What the report's templates show."""

from typing import Any

from reporting.report.build import Report
from reporting.report.downloads import TABLES
from reporting.report.pivot import by_reason, by_source


def page_of(report: Report) -> dict[str, Any]:
    return {
        "report": report,
        "tables": list(TABLES),
        "majority": by_source(report, "majority"),
        "agreement": by_source(report, "agreement"),
        "votes": by_source(report, "votes"),
        "errors": by_reason(report),
        "pairs": _pairs_by_batch(report),
    }


def _pairs_by_batch(report: Report) -> list[tuple[str, list[dict]]]:
    batches: dict[str, list[dict]] = {}
    for row in report["pairs"]:
        batches.setdefault(row["batch"], []).append(row)
    return list(batches.items())
