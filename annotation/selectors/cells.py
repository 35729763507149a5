"""The figures of batches: computed from their ratings, or read as they are stored."""

from dataclasses import dataclass

from annotation.figures import NO_SOURCE, CellFigures, CellKey, cell_figures
from annotation.models import AgreementCell, Batch
from annotation.selectors.votes import n_imported_votes, n_wanted, reasons_of, votes_of
from measures.histograms import Histogram
from measures.pairs import PairTable
from protocols.specs import CriterionSpec, VersionSpec, spec_of


@dataclass(frozen=True, slots=True)
class Measured:
    """A batch, measured from its ratings."""

    cells: dict[CellKey, CellFigures]
    spec: VersionSpec
    n_ratings: int
    n_wanted: int


def measure_batch(batch: Batch) -> Measured:
    """Everything from the ratings, in a constant number of queries; nothing is stored."""
    spec = spec_of(batch.study.protocol_version)
    reasons = reasons_of(batch.pk)
    cells = {
        key: cell_figures(part, spec.by_id[key[0]], reasons.get(key, {}))
        for key, part in votes_of(batch.pk).items()
        if key[0] in spec.by_id
    }
    counted = {criterion.id for criterion in spec.counted}
    n_ratings = sum(cell.histogram.n_votes for key, cell in cells.items() if key[0] in counted)
    return Measured(cells, spec, n_ratings, n_wanted(batch, spec, n_imported_votes(batch.pk)))


def key_of(cell: AgreementCell) -> CellKey:
    return cell.criterion_id, cell.source_id or NO_SOURCE


def figures_of(cell: AgreementCell, criterion: CriterionSpec) -> CellFigures:
    """A stored cell as values that can be computed with."""
    n = len(criterion.options)
    return CellFigures(
        histogram=Histogram.from_json(cell.histogram, n),
        pairs=PairTable.from_json(cell.pairs, n),
        reasons=cell.reasons,
    )
