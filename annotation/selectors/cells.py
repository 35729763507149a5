"""Compute the results of batches from their ratings, or read them as they are stored."""

from collections import Counter
from dataclasses import dataclass

from annotation.agreement_cells import (
    NO_SOURCE,
    CellFigures,
    CellKey,
    annotators_by_source,
    annotators_from_json,
    cell_figures,
)
from annotation.models import AgreementCell, Batch
from annotation.pairings import in_orders_of
from annotation.selectors.votes import answer_counts, n_wanted, pairings_of, reasons_of, votes_of
from measures.contributions import Contributions
from measures.histograms import Histogram
from measures.pairs import PairTable
from protocols.models import ProtocolVersion
from protocols.specs import CriterionSpec, VersionSpec, spec_of


@dataclass(frozen=True, slots=True)
class Measured:
    """The results of a batch, computed from its ratings."""

    cells: dict[CellKey, CellFigures]
    spec: VersionSpec
    n_ratings: int
    n_wanted: int
    hours: dict[str, int]  # {hours since 1970: counted answers given here in that hour}


def measure_batch(batch: Batch) -> Measured:
    """Compute all results from the ratings, in a constant number of queries. Nothing is stored."""
    spec = spec_of(batch.study.protocol_version)
    reasons = reasons_of(batch.pk)
    pairings = pairings_of(batch.pk) if ProtocolVersion.Unit.COMPARISON in spec.units else {}
    votes = {key: part for key, part in votes_of(batch.pk).items() if key[0] in spec.by_id}
    annotators: dict[CellKey, Contributions] = {}
    for criterion in dict.fromkeys(criterion for criterion, _ in votes):
        parts = {source: part for (each, source), part in votes.items() if each == criterion}
        by_source = annotators_by_source(parts, spec.by_id[criterion])
        annotators |= {(criterion, source): each for source, each in by_source.items()}
    cells = {
        key: cell_figures(part, spec.by_id[key[0]], annotators[key], reasons.get(key, {}), pairings.get(key, {}))
        for key, part in votes.items()
    }
    given = [each for each in answer_counts(batch.pk) if each.criterion in spec.by_id]
    hours: Counter[str] = Counter()
    for each in given:
        if not each.is_imported:
            hours[str(each.hour)] += each.n
    n_ratings = sum(each.n for each in given)
    return Measured(cells, spec, n_ratings, n_wanted(batch, spec, given), dict(hours))


def key_of(cell: AgreementCell) -> CellKey:
    return cell.criterion_id, cell.source_id or NO_SOURCE


def in_study_orders(study_id: int, criteria: tuple[CriterionSpec, ...]) -> tuple[CriterionSpec, ...]:
    """Return criteria with the same answers, in the orders of all of their cells in the study's sums."""
    if all(each.unit != ProtocolVersion.Unit.COMPARISON for each in criteria):
        return criteria
    cells = AgreementCell.objects.filter(
        snapshot__study=study_id, snapshot__batch=None, criterion__in=[c.id for c in criteria]
    )
    pairings = list(cells.values_list("pairings", flat=True))
    return tuple(in_orders_of(each, pairings) for each in criteria)


def figures_of(cell: AgreementCell, criterion: CriterionSpec) -> CellFigures:
    """Return a stored cell as values that can be computed with."""
    n = len(criterion.options)
    return CellFigures(
        histogram=Histogram.from_json(cell.histogram, n),
        pairs=PairTable.from_json(cell.pairs, n),
        sure_pairs=PairTable.from_json(cell.sure_pairs, n),
        annotators=annotators_from_json(cell.annotators),
        reasons=cell.reasons,
        pairings=cell.pairings,
    )
