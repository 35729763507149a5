"""The agreement cells of a study's batches, up to date with its ratings: stored results, or measured ones if needed."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from django.db import connection

from annotation.agreement_cells import NO_SOURCE, CellKey, batch_estimates
from annotation.models import Batch, Source, Study
from annotation.selectors.cells import measure_batch
from annotation.selectors.studies import rated_sources
from measures.histograms import Histogram, total_of_json
from protocols.specs import CriterionSpec, VersionSpec, spec_of
from reporting.study.by_candidate import by_candidate

# Leaves out columns that only the board reads, and estimates that a report does not print for a batch.
CELLS = """
    SELECT snapshot.batch_id, cell.criterion_id, coalesce(cell.source_id, 0),
        cell.histogram::text, cell.pairs::text, cell.sure_pairs::text, cell.reasons::text,
        cell.pairings::text,
        (cell.estimates -> 'fleiss' ->> 'value')::float8, cell.estimates -> 'fleiss' ->> 'reason',
        (cell.estimates -> 'strong' ->> 'value')::float8
    FROM annotation_agreementcell cell JOIN annotation_agreementsnapshot snapshot ON snapshot.id = cell.snapshot_id
    WHERE snapshot.batch_id = ANY(%s)
"""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell as AgreementCell stores it, because most cells are only added up.

    Pairs stay JSON text: only one table reads them, and they are longer than all other columns. `fleiss` and `strong`
    are kappas; if `fleiss` is undefined, `reason` says why.
    """

    histogram: dict[str, int]
    pairs: str
    sure_pairs: str
    reasons: dict[str, int]
    pairings: dict[str, int]
    fleiss: float | None
    reason: str | None
    strong: float | None


@dataclass(frozen=True)
class StudyCells:
    """The cells in `by_batch[batch id][criterion id, source id]`; an absent key means that no such ratings exist."""

    study: Study
    spec: VersionSpec
    batches: list[Batch]
    sources: list[Source]
    by_batch: dict[int, dict[CellKey, Cell]]

    def rows(self) -> list[tuple[str | None, CriterionSpec, CellKey]]:
        """Return (source key, criterion, cell key) for every cell that any batch has, in the order of tables."""
        return [
            (name, criterion, (criterion.id, pk))
            for name, pk in self.source_ids.items()
            for criterion in self.spec.voted
            if (criterion.id, pk) in self.pooled
        ]

    @property
    def source_ids(self) -> dict[str | None, int]:
        """Return {key: id} of the sources in the order of tables; whole dialogues, which have none, come last."""
        return {**{source.key: source.pk for source in self.sources}, None: NO_SOURCE}

    def column(self, key: CellKey) -> list[Cell | None]:
        """Return the cell of each batch in order, None where a batch has none."""
        return [self.by_batch.get(batch.pk, {}).get(key) for batch in self.batches]

    @cached_property
    def pooled(self) -> dict[CellKey, Histogram]:
        """Return {cell key: histogram of the items of all batches} for every cell that any batch has."""
        parts: dict[CellKey, list[dict[str, int]]] = {}
        for cells in self.by_batch.values():
            for key, cell in cells.items():
                parts.setdefault(key, []).append(cell.histogram)
        return {key: total_of_json(found, self.n_options(key)) for key, found in parts.items()}

    def n_options(self, key: CellKey) -> int:
        return len(self.spec.by_id[key[0]].options)


def study_cells(study: Study, kind: str = Batch.Kind.MAIN) -> StudyCells:
    spec = spec_of(study.protocol_version)
    batches = list(study.batches.filter(kind=kind, ratings_version__gt=0).select_related("snapshot"))
    clean = {
        batch.pk
        for batch in batches
        if (snapshot := getattr(batch, "snapshot", None)) and snapshot.version >= batch.ratings_version
    }
    by_batch = _stored(clean, spec)
    for batch in batches:
        if batch.pk not in clean:
            batch.study = study
            by_batch[batch.pk] = _measured(batch)
    # The reference comes first in every table.
    sources = list(rated_sources(study).order_by("-is_reference", "position"))
    pairings: dict[int, list[dict[str, int]]] = {}
    for cells in by_batch.values():
        for (criterion, _source), cell in cells.items():
            pairings.setdefault(criterion, []).append(cell.pairings)
    return StudyCells(study, by_candidate(spec, pairings, sources), batches, sources, by_batch)


def _stored(batch_ids: Iterable[int], spec: VersionSpec) -> dict[int, dict[CellKey, Cell]]:
    found: dict[int, dict[CellKey, Cell]] = {batch_id: {} for batch_id in batch_ids}
    with connection.cursor() as cursor:
        cursor.execute(CELLS, [list(found)])
        for batch, criterion, source, histogram, pairs, sure_pairs, *texts, fleiss, reason, strong in cursor.fetchall():
            if criterion in spec.by_id:
                reasons, pairings = map(json.loads, texts)
                cell = Cell(json.loads(histogram), pairs, sure_pairs, reasons, pairings, fleiss, reason, strong)
                found[batch][criterion, source] = cell
    return found


def _measured(batch: Batch) -> dict[CellKey, Cell]:
    measured, found = measure_batch(batch), {}
    for key, figures in measured.cells.items():
        estimates = batch_estimates(figures, measured.spec.by_id[key[0]])
        fleiss, strong = estimates["fleiss"], estimates["strong"]
        found[key] = Cell(
            histogram=figures.histogram.to_json(),
            pairs=json.dumps(figures.pairs.to_json()),
            sure_pairs=json.dumps(figures.sure_pairs.to_json()),
            reasons=figures.reasons,
            pairings=figures.pairings,
            fleiss=fleiss["value"],
            reason=fleiss["reason"],
            strong=strong["value"],
        )
    return found
