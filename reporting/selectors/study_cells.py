"""Every cell of a study's main batches, as new as its ratings: stored figures where they are, measured where not."""

from dataclasses import dataclass
from typing import Any

from annotation.figures import NO_SOURCE, CellFigures, CellKey, batch_estimates
from annotation.models import AgreementCell, Batch, Source, Study
from annotation.selectors.cells import measure_batch
from measures.histograms import Histogram
from measures.pairs import PairTable
from protocols.specs import CriterionSpec, VersionSpec, spec_of


@dataclass(frozen=True, slots=True)
class Cell:
    figures: CellFigures
    estimates: dict[str, Any]


@dataclass(frozen=True, slots=True)
class StudyCells:
    """`by_batch[batch id][criterion id, source id]`; an absent key means that the batch has no such ratings."""

    study: Study
    spec: VersionSpec
    batches: list[Batch]
    sources: list[Source]
    by_batch: dict[int, dict[CellKey, Cell]]

    def rows(self) -> list[tuple[str | None, CriterionSpec, CellKey]]:
        """(source key, criterion, cell key) of every cell that any batch has, in the order of tables."""
        found = {key for cells in self.by_batch.values() for key in cells}
        sources: list[tuple[str | None, int]] = [(source.key, source.pk) for source in self.sources]
        return [
            (name, criterion, (criterion.id, pk))
            for name, pk in [*sources, (None, NO_SOURCE)]
            for criterion in self.spec.voted
            if (criterion.id, pk) in found
        ]

    def column(self, key: CellKey) -> list[Cell | None]:
        """The cells of all batches, in their order; None where a batch has none."""
        return [self.by_batch.get(batch.pk, {}).get(key) for batch in self.batches]


def study_cells(study: Study, kind: str = Batch.Kind.MAIN) -> StudyCells:
    spec = spec_of(study.protocol_version)
    batches = list(study.batches.filter(kind=kind, ratings_version__gt=0).select_related("snapshot"))
    clean = {batch.pk for batch in batches if _is_clean(batch)}
    by_batch = _stored(clean, spec)
    for batch in batches:
        if batch.pk not in clean:
            batch.study = study
            by_batch[batch.pk] = _measured(batch)
    # The reference comes first in every table (D-19).
    sources = list(study.sources.exclude(key=Source.EXAMPLES).order_by("-is_reference", "position"))
    return StudyCells(study, spec, batches, sources, by_batch)


def _is_clean(batch: Batch) -> bool:
    snapshot = getattr(batch, "snapshot", None)
    return snapshot is not None and snapshot.version >= batch.ratings_version


def _stored(batch_ids: set[int], spec: VersionSpec) -> dict[int, dict[CellKey, Cell]]:
    """Without the columns that only a board reads."""
    found: dict[int, dict[CellKey, Cell]] = {batch_id: {} for batch_id in batch_ids}
    rows = AgreementCell.objects.filter(snapshot__batch__in=batch_ids).values_list(
        "snapshot__batch", "criterion", "source", "histogram", "pairs", "reasons", "estimates"
    )
    for batch, criterion_id, source, histogram, pairs, reasons, estimates in rows.iterator(chunk_size=2000):
        criterion = spec.by_id.get(criterion_id)
        if criterion is not None and batch is not None:
            n = len(criterion.options)
            figures = CellFigures(Histogram.from_json(histogram, n), PairTable.from_json(pairs, n), reasons=reasons)
            found[batch][criterion_id, source or NO_SOURCE] = Cell(figures, estimates)
    return found


def _measured(batch: Batch) -> dict[CellKey, Cell]:
    measured = measure_batch(batch)
    return {
        key: Cell(figures, batch_estimates(figures, measured.spec.by_id[key[0]]))
        for key, figures in measured.cells.items()
    }
