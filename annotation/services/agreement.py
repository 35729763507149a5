"""Keep the results of a batch, and their sums in the study, as new as its ratings.

A rating raises its batch's version in its own transaction. A refresh reads the version BEFORE the ratings, computes
with no lock held, and stores by compare-and-set on the version: results are never older than the version they claim.
"""

import logging
from datetime import datetime
from functools import partial

from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Coalesce

from annotation.agreement_cells import merged
from annotation.models import AgreementSnapshot, Batch, Heartbeat, Study
from annotation.selectors.cells import Measured, measure_batch
from annotation.services import totals
from annotation.services.claiming import expire_leases
from annotation.services.sweeping import sweep_each
from protocols.specs import spec_of

logger = logging.getLogger(__name__)

SWEPT_AT_ONCE = 200


def sweep(*, now: datetime) -> int:
    """Free lapsed seats and refresh batches whose ratings are ahead of their results. Return how many."""
    expire_leases(now=now)
    behind = list(dirty_batches()[:SWEPT_AT_ONCE])
    sweep_each("measuring a batch", behind, partial(refresh_batch, now=now), most=SWEPT_AT_ONCE)
    return len(behind)


def dirty_batches() -> QuerySet[Batch, int]:
    """Return the ids of batches whose results are older than their ratings."""
    # An annotation is needed: in a filter, the join would be an inner one and miss batches without results.
    stored = Batch.objects.annotate(stored=Coalesce("snapshot__version", 0))
    return stored.filter(ratings_version__gt=F("stored")).order_by("pk").values_list("pk", flat=True)


def refresh_batch(batch_id: int, *, now: datetime) -> bool:
    """Compute and store once, if the ratings are ahead of the results. Return whether anything was stored.

    Ratings committed meanwhile are left to the sweep: repeating until a busy batch is quiet would block a worker.
    """
    batch = Batch.objects.select_related("study__protocol_version", "snapshot").filter(pk=batch_id).first()
    if batch is None:  # a draft that was discarded meanwhile
        return False
    snapshot = getattr(batch, "snapshot", None)
    if snapshot is not None and snapshot.version >= batch.ratings_version:
        return False
    # The version was read before the ratings: what commits in between is computed once more, not lost.
    return store_figures(batch, measure_batch(batch), now=now)


@transaction.atomic
def store_figures(batch: Batch, measured: Measured, *, now: datetime) -> bool:
    """Replace the batch's results unless newer ones are stored, and move the study's sums by the difference."""
    # Lock the study first, as a rebuild does: different orders would deadlock.
    total = totals.lock_total(batch.study_id, now=now)
    snapshot, _ = AgreementSnapshot.objects.get_or_create(
        batch=batch, defaults={"study_id": batch.study_id, "version": 0, "computed_at": now}
    )
    if snapshot.version >= batch.ratings_version:
        return False
    n_ratings, n_wanted = measured.n_ratings - snapshot.n_ratings, measured.n_wanted - snapshot.n_wanted
    hours = merged(measured.hours, snapshot.hours, -1)
    changes = totals.write_batch_cells(snapshot, measured.cells, measured.spec)
    snapshot.version, snapshot.computed_at = batch.ratings_version, now
    snapshot.n_ratings, snapshot.n_wanted, snapshot.hours = measured.n_ratings, measured.n_wanted, measured.hours
    snapshot.save()
    totals.move_study(
        total, batch, changes, measured.spec, n_ratings=n_ratings, n_wanted=n_wanted, hours=hours, now=now
    )
    return True


def subtract_batch(total: AgreementSnapshot, batch: Batch, *, now: datetime) -> None:
    """Take a batch without answers out of the study's locked sums, before it is deleted."""
    wanted = AgreementSnapshot.objects.filter(batch=batch).values_list("n_wanted", flat=True).first() or 0
    spec = spec_of(batch.study.protocol_version)
    totals.move_study(total, batch, {}, spec, n_ratings=0, n_wanted=-wanted, hours={}, now=now)


@transaction.atomic
def rebuild_study(study: Study, *, now: datetime) -> int:
    """Delete every derived result of the study and compute it again. Return the number of batches."""
    totals.reset_study(totals.lock_total(study.pk, now=now))
    batches = study.batches.select_related("study__protocol_version").filter(ratings_version__gt=0)
    return sum(store_figures(batch, measure_batch(batch), now=now) for batch in batches)


@transaction.atomic
def beat_heart(queue: str, *, now: datetime) -> None:
    Heartbeat.objects.update_or_create(queue=queue, defaults={"beaten_at": now})
