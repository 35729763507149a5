"""Saying that a batch's figures have to change, and asking a worker to change them soon.

The version counter in the transaction is the truth; a nudge only makes it quick. Whether one is due, the database
says with the new version (annotation_raise_version). None is when it will be seen soon without: behind by more than
this change, an earlier one has nudged; and figures of less than a second ago wait for the next sweep, since a refresh
for every answer of a busy batch would take the processor from those who answer.
"""

import logging
from functools import partial

from celery.exceptions import CeleryError
from django.db import connection, transaction
from kombu.exceptions import OperationalError

from parley.celery import app

logger = logging.getLogger(__name__)


def raise_version(batch_id: int) -> None:
    """Count one change of what the batch's figures are made of, and nudge once it is committed.

    The last statement of its transaction: it holds the batch's row until the commit, so that versions are in the order
    of commits.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT annotation_raise_version(%s)", [batch_id])
        is_nudge_due = cursor.fetchone()[0]
    if is_nudge_due:
        nudge_after_commit(batch_id)


def nudge_after_commit(batch_id: int) -> None:
    transaction.on_commit(partial(nudge, batch_id), robust=True)


def nudge(batch_id: int) -> None:
    """Ask a worker to refresh the batch. A lost nudge costs time, never truth: the sweep finds the batch."""
    try:
        app.send_task("annotation.tasks.refresh_agreement", args=[batch_id], expires=60)
    except (OperationalError, CeleryError, OSError) as error:
        logger.warning("nudge for batch %s not queued: %s", batch_id, error)
