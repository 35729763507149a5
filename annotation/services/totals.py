"""Store cells, and update a study's sums by the difference, at a cost that does not grow with the study.

Only main batches enter the sums: pilots, training and qualification never mix with results.
"""

from datetime import datetime
from typing import Any

from django.db.models import F

from annotation.agreement_cells import (
    CellFigures,
    CellKey,
    annotators_to_json,
    batch_estimates,
    contribution,
    histogram_estimates,
    merged,
)
from annotation.models import AgreementCell, AgreementSnapshot, AnnotatorCell, Batch
from annotation.pairings import in_orders_of
from annotation.selectors.cells import figures_of, key_of
from annotation.services.annotator_sums import Change, move_annotators
from measures.histograms import Histogram
from measures.pairs import PairTable
from protocols.specs import VersionSpec

Cells = dict[CellKey, CellFigures]
STORED = ("histogram", "reasons", "pairings", "pairs", "sure_pairs", "annotators")


def write_batch_cells(snapshot: AgreementSnapshot, after: Cells, spec: VersionSpec) -> dict[CellKey, Change]:
    """Replace only the cells that changed, and return {key: (before, after)} of those.

    A cell that has lost all its ratings is deleted.
    """
    rows = {key_of(row): row for row in snapshot.cells.all() if row.criterion_id in spec.by_id}
    stored = {key: _stored(figures) for key, figures in after.items()}
    keys = sorted(
        key
        for key in rows.keys() | after.keys()
        if key not in rows or {name: getattr(rows[key], name) for name in STORED} != stored.get(key)
    )
    AgreementCell.objects.filter(pk__in=[rows[key].pk for key in keys if key in rows]).delete()
    AgreementCell.objects.bulk_create(
        _cell(snapshot, key, stored[key], batch_estimates(after[key], spec.by_id[key[0]]))
        for key in keys
        if key in after
    )
    return {key: (figures_of(rows[key], spec.by_id[key[0]]) if key in rows else None, after.get(key)) for key in keys}


def _stored(figures: CellFigures) -> dict[str, Any]:
    """Return figures in stored form. Reading every cell back to compare would take longer than measuring the batch."""
    return {
        "histogram": figures.histogram.to_json(),
        "reasons": figures.reasons,
        "pairings": figures.pairings,
        "pairs": figures.pairs.to_json(),
        "sure_pairs": figures.sure_pairs.to_json(),
        "annotators": annotators_to_json(figures.annotators),
    }


def _cell(
    snapshot: AgreementSnapshot, key: CellKey, stored: dict[str, Any], estimates: dict[str, Any]
) -> AgreementCell:
    criterion, source = key
    return AgreementCell(
        snapshot=snapshot, criterion_id=criterion, source_id=source or None, estimates=estimates, **stored
    )


def lock_total(study_id: int, *, now: datetime) -> AgreementSnapshot:
    """Return the study's snapshot, locked until the commit, so that only one store or rebuild runs at a time."""
    AgreementSnapshot.objects.get_or_create(study_id=study_id, batch=None, defaults={"computed_at": now})
    return AgreementSnapshot.objects.select_for_update().get(study_id=study_id, batch=None)


def reset_study(total: AgreementSnapshot) -> None:
    """Delete all results but the study's version, which must only rise: boards use it to see whether there is news."""
    AgreementCell.objects.filter(snapshot__study=total.study_id).delete()
    snapshots = AgreementSnapshot.objects.filter(study=total.study_id)
    AnnotatorCell.objects.filter(snapshot=total).delete()
    snapshots.update(n_ratings=0, n_wanted=0, hours={})
    snapshots.filter(batch__isnull=False).update(version=0)


def move_study(
    total: AgreementSnapshot,
    batch: Batch,
    changes: dict[CellKey, Change],
    spec: VersionSpec,
    *,
    n_ratings: int,
    n_wanted: int,
    hours: dict[str, int],
    now: datetime,
) -> None:
    """Subtract the batch's old cells from the study's locked sums, and add the new ones."""
    if batch.kind == Batch.Kind.MAIN:
        rows = {key_of(row): row for row in total.cells.all()}
        moved = [_moved(total, rows.get(key), key, change, spec) for key, change in changes.items()]
        # A row without votes is deleted, so that a vote that was taken back leaves no trace.
        AgreementCell.objects.filter(pk__in=[row.pk for row in moved if row.pk and not row.histogram]).delete()
        kept = [row for row in moved if row.histogram]
        fields = ["histogram", "reasons", "pairings", "estimates", "sums"]
        AgreementCell.objects.bulk_update([row for row in kept if row.pk], fields)
        AgreementCell.objects.bulk_create([row for row in kept if not row.pk])
        move_annotators(total, changes)
        total.hours = merged(total.hours, hours)
        total.n_ratings += n_ratings
        total.n_wanted += n_wanted
    total.version, total.computed_at = F("version") + 1, now
    total.save()


def _moved(
    total: AgreementSnapshot, row: AgreementCell | None, key: CellKey, change: Change, spec: VersionSpec
) -> AgreementCell:
    criterion = spec.by_id[key[0]]
    no_pairs = PairTable.empty(len(criterion.options))
    nothing = CellFigures(Histogram.empty(len(criterion.options)), no_pairs, no_pairs)
    old, new = change
    row = row or _cell(total, key, _stored(nothing), {})
    histogram = Histogram.from_json(row.histogram, len(criterion.options))
    histogram = histogram + (new or nothing).histogram - (old or nothing).histogram
    row.histogram = histogram.to_json()
    row.reasons = merged(merged(row.reasons, (new or nothing).reasons), (old or nothing).reasons, -1)
    row.pairings = merged(merged(row.pairings, (new or nothing).pairings), (old or nothing).pairings, -1)
    row.sums = merged(row.sums, contribution(new, criterion) if new else {})
    row.sums = merged(row.sums, contribution(old, criterion) if old else {}, -1)
    row.estimates = histogram_estimates(histogram, in_orders_of(criterion, [row.pairings]))
    return row
