"""Reports of large studies: a worker makes the page, and it is kept until the data change.

A page never waits for a report: it shows the last one and says as of when. What is lost on the way to a worker is asked
for again by the page that waits.
"""

import logging
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.conf import settings
from django.db import transaction
from django.template.loader import render_to_string
from django.utils.translation import get_language, override

from annotation.access import Right
from annotation.models import KeptReport, Study
from annotation.nudging import queue
from parley.advisory import locked
from parley.progress import now_and_then
from reporting.exports.cursors import count_ratings
from reporting.report.build import PARTS, Report
from reporting.report.downloads import NAMES
from reporting.report.page import page_of
from reporting.report.readers import hidden, report_for
from reporting.report.tags import SHOWN_TERMS
from reporting.study.data_version import data_version

logger = logging.getLogger(__name__)

LOCK_SPACE = 0x1A72
ASKED_AGAIN_AFTER = timedelta(minutes=1)
FORGOTTEN_AFTER = timedelta(days=30)
SECONDS_PER_TICK = 0.5
READS_ALL, READS_FIGURES = frozenset(Right), frozenset(Right) - {Right.READ}


@dataclass(frozen=True, slots=True)
class Shown:
    """A page, or what there is of it.

    `body` is None until the first is made. `made_at` is None for one that was made for this view. `is_behind`: the data
    have changed since, and a newer one is on its way unless `has_failed`.
    """

    body: str | None
    version: str = ""
    made_at: datetime | None = None
    is_behind: bool = False
    has_failed: bool = False
    n_since: int = 0
    n_ratings: int = 0
    percent: int = 0

    @property
    def is_waiting(self) -> bool:
        return self.is_behind and not self.has_failed


def report_page(study: Study, rights: frozenset[Right], *, now: datetime) -> Shown:
    """Return the page: made at once for a small study, and otherwise the kept one, asking for a newer if need be."""
    n_ratings = count_ratings(study)
    if n_ratings <= settings.REPORT_AT_ONCE:
        return Shown(_body(study, report_for(rights, study, now=now), rights))
    key: dict[str, Any] = {
        "study": study,
        "language": get_language() or settings.LANGUAGE_CODE,
        "has_texts": Right.READ in rights,
    }
    kept, _is_new = KeptReport.objects.get_or_create(**key)
    version = data_version(study)
    if version not in (kept.version, kept.failed_version):
        _ask(kept, now)
        kept.refresh_from_db()  # a worker in this process has made it already
    return Shown(
        body=zlib.decompress(kept.body).decode() if kept.body else None,
        version=kept.version,
        made_at=kept.made_at,
        is_behind=kept.version != version,
        has_failed=kept.failed_version == version,
        n_since=n_ratings - kept.n_ratings,
        n_ratings=n_ratings,
        percent=100 * kept.n_done // max(kept.n_total, 1),
    )


def _ask(kept: KeptReport, now: datetime) -> None:
    """Queue it, unless that was done a moment ago."""
    if kept.asked_at is None or kept.asked_at <= now - ASKED_AGAIN_AFTER:
        KeptReport.objects.filter(pk=kept.pk).update(asked_at=now, n_done=0)
        transaction.on_commit(partial(_send, kept.pk), robust=True)


def _send(report_id: int) -> None:
    queue("reporting.tasks.make_report", report_id)


def make_report(report_id: int, *, now: datetime) -> None:
    """Make it from the present data and keep it in place of the one before, unless another worker is at it."""
    with locked(LOCK_SPACE, report_id) as is_mine:
        kept = KeptReport.objects.select_related("study__protocol_version__protocol").filter(pk=report_id).first()
        if not is_mine or kept is None:
            return
        version = data_version(kept.study)  # before the data are read: what changes meanwhile makes it old, not lost
        made: dict[str, Any] = {"version": version, "failed_version": ""}
        if kept.version != version:
            try:
                made |= _made(kept, now)
            except Exception:
                # Whoever waits must see that it ended; the log has the error itself.
                logger.exception("report %s failed", report_id)
                made = {"failed_version": version}
        KeptReport.objects.filter(pk=report_id).update(asked_at=None, **made)


def _made(kept: KeptReport, now: datetime) -> dict[str, Any]:
    rights = READS_ALL if kept.has_texts else READS_FIGURES
    with override(kept.language):
        report = report_for(rights, kept.study, now=now, tick=_ticker(kept))
        body = _body(kept.study, report, rights)
    return {"body": zlib.compress(body.encode()), "n_ratings": report.n_ratings, "made_at": now}


def _ticker(kept: KeptReport) -> Callable[[int], None]:
    own, n_total = KeptReport.objects.filter(pk=kept.pk), len(PARTS) + 1  # and the page
    return now_and_then(SECONDS_PER_TICK, lambda n_done: own.update(n_done=n_done, n_total=n_total))


def _body(study: Study, report: Report, rights: frozenset[Right]) -> str:
    page = page_of(report)
    tables = [name for name in page["tables"] if name not in hidden(rights)]
    context = {"study": study, SHOWN_TERMS: {}, "formats": NAMES} | page | {"tables": tables}
    return render_to_string("reporting/report/_body.html", context)


def forget_reports(*, now: datetime) -> int:
    """Delete those that were made long ago: who reads one again waits for a new one. Return how many."""
    n_deleted, _by_table = KeptReport.objects.filter(made_at__lte=now - FORGOTTEN_AFTER).delete()
    return n_deleted
