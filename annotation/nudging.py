"""Mark a batch's results as outdated, and ask a worker to refresh them soon.

The version counter in the transaction is the truth; a nudge only makes the refresh quick. The database decides whether
one is due when it raises the version (annotation_raise_version). None is due if an earlier change has already nudged,
or if the results are less than a second old: those wait for the next sweep, because a refresh for every answer of a
busy batch would take the processor from the people who answer.
"""

import logging
from functools import partial
from typing import Any

from celery.exceptions import CeleryError
from django.db import connection, transaction
from kombu.exceptions import OperationalError

from parley.celery import app

logger = logging.getLogger(__name__)


def raise_version(batch_id: int) -> None:
    """Count one change of the data behind the batch's results, and nudge once it is committed.

    Call it last in a transaction: it holds the batch's row until the commit, so that versions are in the order of
    commits.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT annotation_raise_version(%s)", [batch_id])
        is_nudge_due = cursor.fetchone()[0]
    if is_nudge_due:
        nudge_after_commit(batch_id)


def nudge_after_commit(batch_id: int) -> None:
    transaction.on_commit(partial(nudge, batch_id), robust=True)


def nudge(batch_id: int) -> None:
    """Ask a worker to refresh the batch. If the nudge is lost, the sweep finds the batch later."""
    queue("annotation.tasks.refresh_agreement", batch_id, expires=60)


def queue(task: str, row: int, **options: Any) -> None:
    """Ask a worker to run a task about one row. If the request is lost, something that runs regularly repeats it."""
    try:
        app.send_task(task, args=[row], **options)
    except (OperationalError, CeleryError, OSError) as error:
        logger.warning("%s %s not queued: %s", task, row, error)
