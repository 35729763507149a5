"""What each reader of a report may see: single answers are for people with Right.READ alone."""

from collections.abc import Callable
from datetime import datetime

from annotation.access import Right
from annotation.models import Study
from reporting.report.build import Report, build_report

SINGLE_ANSWERS = frozenset({"negative_texts"})


def hidden(rights: frozenset[Right]) -> frozenset[str]:
    """Return the tables of single answers if they must be hidden, as from people who review labels blind."""
    return frozenset() if Right.READ in rights else SINGLE_ANSWERS


def report_for(
    rights: frozenset[Right], study: Study, *, now: datetime, tick: Callable[[int], None] | None = None
) -> Report:
    """Build the report. Tables that must be hidden are empty. `tick` is told how many parts are done."""
    report = build_report(study, now=now, tick=tick)
    for name in hidden(rights):
        setattr(report, name, [])
    return report
