"""Find batches that agree less than the rest of the study, and whether one annotator explains it."""

from dataclasses import dataclass
from functools import lru_cache

from annotation.agreement_cells import annotators_from_json, n_counted
from annotation.models import AgreementCell, Participant
from measures.batch_drift import HARD_BATCH, NO_DROP, UNTESTED, BatchDrift, batch_drift, cause_of
from measures.comparison import benjamini_hochberg
from measures.contributions import Contributions, majority_tables, total_of, without_each
from measures.contributors import kappa_with_majority
from measures.histograms import Histogram
from measures.leave_one_out import WithoutRater
from protocols.specs import CriterionSpec
from reporting.board.annotators import Mirror, histogram_of, mirror_of
from reporting.board.rows import BoardData

PERMUTATIONS = 999  # enough for a p of .05 corrected over ten batches: the smallest possible p is .002
SIGNIFICANT = 0.05
HIGHER = "higher"


@dataclass(frozen=True, slots=True)
class DriftLine:
    """A main batch compared with the rest. `cause` is one of those in measures.batch_drift, or 'higher'.

    The histograms are in the orders in which kappa is computed.
    """

    key: str
    pk: int
    drift: BatchDrift
    batch: Histogram
    rest: Histogram
    p_adjusted: float | None
    cause: str
    annotator: str = ""
    without: WithoutRater | None = None


def drift_lines(data: BoardData, criteria: tuple[CriterionSpec, ...]) -> list[DriftLine]:
    """Return a line for each rated main batch of the page, sources pooled; p is corrected over these batches."""
    batches = [line.batch for line in data.lines if line.batch.kind == "main" and data.cells.get(line.batch.pk)]
    whole = histogram_of(data.cells.get(None, {}).values(), criteria)
    parts = {batch.pk: histogram_of(data.cells[batch.pk].values(), criteria) for batch in batches}
    mirror = mirror_of(data.cells.get(None, {}).values(), criteria)
    drifts = {pk: tested(part, whole, mirror, data.study.seed) for pk, part in parts.items()}
    p_values = {pk: drift.p_value for pk, drift in drifts.items() if drift.p_value is not None}
    adjusted = dict(zip(p_values, benjamini_hochberg(list(p_values.values())).tolist(), strict=True))
    differing = {pk: drifts[pk].difference or 0.0 for pk, p_value in adjusted.items() if p_value <= SIGNIFICANT}
    # {batch: contributions of its annotators}, sources and criteria pooled.
    annotators: dict[int, Contributions] = {pk: {} for pk, difference in differing.items() if difference < 0}
    cells = AgreementCell.objects.filter(snapshot__batch__in=annotators, criterion__in=[each.id for each in criteria])
    for pk, stored in cells.values_list("snapshot__batch", "annotators"):
        annotators[pk] = total_of([annotators[pk], annotators_from_json(stored)])
    causes = {pk: _cause(drifts[pk], found, parts[pk], criteria, mirror) for pk, found in annotators.items()}
    raters = [rater for _, rater, _ in causes.values() if rater is not None]
    names = dict(Participant.objects.filter(pk__in=raters).values_list("pk", "pseudonym"))
    lines = []
    for batch in batches:
        pk = batch.pk
        cause, rater, without = causes.get(pk, (NO_DROP if pk in adjusted else UNTESTED, None, None))
        cause = HIGHER if differing.get(pk, 0.0) > 0 else cause
        name = "" if rater is None else names[rater]
        part, rest = (each.in_both_orders(mirror) for each in (parts[pk], whole - parts[pk]))
        lines.append(DriftLine(batch.key, pk, drifts[pk], part, rest, adjusted.get(pk), cause, name, without))
    return lines


@lru_cache(maxsize=512)  # the histograms stay the same until an answer is given, for every viewer
def tested(batch: Histogram, whole: Histogram, mirror: Mirror, seed: int) -> BatchDrift:
    return batch_drift(batch, whole - batch, seed=seed, n_permutations=PERMUTATIONS, mirror=mirror)


Cause = tuple[str, int | None, WithoutRater | None]


def _cause(
    drift: BatchDrift,
    annotators: Contributions,
    histogram: Histogram,
    criteria: tuple[CriterionSpec, ...],
    mirror: Mirror,
) -> Cause:
    tables = majority_tables(annotators, n_counted(criteria[0]))
    majority = kappa_with_majority(tables, seed=0, n_resamples=0, mirror=mirror)
    found = cause_of(drift, without_each(annotators, histogram, mirror), majority)
    without = next((each.without for each in found.suspects if each.rater == found.rater), None)
    # The drop was found by its p value; the band from the same permutations may be slightly wider.
    cause = HARD_BATCH if found.kind in (NO_DROP, UNTESTED) else found.kind
    return cause, found.rater, without
