"""Saying that a batch's figures have to change, and asking a worker to change them soon.

The version counter in the transaction is the truth; a nudge only makes it quick.
"""

import logging
from datetime import timedelta
from functools import partial

from celery.exceptions import CeleryError
from django.db import connection, transaction
from django.db.models import Q
from django.db.models.functions import Now
from kombu.exceptions import OperationalError

from annotation.models import AgreementSnapshot
from parley.celery import app

logger = logging.getLogger(__name__)

SETTLED = timedelta(seconds=1)


def raise_version(batch_id: int) -> None:
    """Count one change of what the batch's figures are made of, and nudge once it is committed.

    The last statement of its transaction: it holds the batch's row until the commit, so that versions are in the order
    of commits.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE annotation_batch SET ratings_version = ratings_version + 1 WHERE id = %s RETURNING ratings_version",
            [batch_id],
        )
        version = cursor.fetchone()[0]
    transaction.on_commit(partial(nudge_if_clean, batch_id, version), robust=True)


def nudge_if_clean(batch_id: int, version: int) -> None:
    """Nudge after `version` was committed, unless it will be seen soon without.

    Behind by more than this version, an earlier change has nudged, and that refresh looks again after it has stored.
    Figures of less than a second ago wait for the next sweep: a refresh for every answer of a busy batch would take the
    processor from those who answer.
    """
    soon = Q(version__lt=version - 1) | Q(computed_at__gt=Now() - SETTLED)
    if not AgreementSnapshot.objects.filter(soon, batch_id=batch_id).exists():
        nudge(batch_id)


def nudge(batch_id: int) -> None:
    """Ask a worker to refresh the batch. A lost nudge costs time, never truth: the sweep finds the batch."""
    try:
        app.send_task("annotation.tasks.refresh_agreement", args=[batch_id], expires=60)
    except (OperationalError, CeleryError, OSError) as error:
        logger.warning("nudge for batch %s not queued: %s", batch_id, error)
