"""The tables of the report for results that were read from a file: the same columns, headings and formats."""

from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import combinations
from types import SimpleNamespace
from typing import Any

from measures.estimate import Estimate
from measures.intervals import Interval
from measures.preferences.comparisons import PairCounts
from measures.preferences.ranking import Ranking
from reporting.audited_file import Audit
from reporting.offline import FileAgreement, GroupAgreement
from reporting.offline_sources import CriterionSources
from reporting.report.comparisons import Variance, means_of
from reporting.report.comparisons import pairs_of as pairs_of_sources
from reporting.report.frames import TABLES
from reporting.report.further import WORDS
from reporting.report.judged import (
    Judges,
    Of,
    annotator_rows,
    ceiling_rows,
    difference_rows,
    score_rows,
)
from reporting.report.rankings import pairs_of, sources_of
from reporting.report.resampled import OF_ITEMS
from reporting.report.shown.frames import Frames
from reporting.report.tables import SourceName
from reporting.study.pairings import Pairing

NO_CRITERION = ""
NAMELESS = {NO_CRITERION: NO_CRITERION}
Row = dict[str, Any]
# {coefficient of the table over all sources: how its columns begin}
OVERALL = {
    "krippendorff_alpha": "alpha",
    "fleiss_kappa": "fleiss",
    "cohen_kappa_linear": "cohen_linear",
    "cohen_kappa_quadratic": "cohen_quadratic",
    "gwet_ac1": "ac1",
    "percent_agreement": "percent",
}


def frames_of_ranking(found: Ranking, sources: Sequence[str]) -> Frames:
    """Return the frames of a ranking, whose sources are named as in the file."""
    rows = sources_of(NO_CRITERION, found, None, sources)
    ranking = SimpleNamespace(sources=rows, pairs=pairs_of(NO_CRITERION, found, sources))
    return Frames(_report(sources, rankings=[ranking], pairings=list(_pairings(found.counts, sources))))


def _pairings(counts: PairCounts, sources: Sequence[str]) -> Iterator[Pairing]:
    """Yield the answers about each pair that was compared."""
    for a, b in combinations(range(len(sources)), 2):
        wins, losses, equal, bad = (
            int(each)
            for each in (counts.preferred[a, b], counts.preferred[b, a], counts.tied[a, b], counts.both_bad[a, b])
        )
        if n := wins + losses + equal + bad:
            yield Pairing(NO_CRITERION, sources[a], sources[b], wins, losses, equal, bad, 0, n, 0)


def frames_of_comparison(said: CriterionSources) -> Frames:
    found, sources = said.found, said.sources
    compared = SimpleNamespace(
        means=means_of(NO_CRITERION, NO_CRITERION, sources, found),
        pairs=pairs_of_sources(NO_CRITERION, NO_CRITERION, sources, found, None),
        variances=[
            Variance(NO_CRITERION, name, each.n_groups, each.sd, each.sd**2, None, "") for name, each in said.variances
        ],
    )
    return Frames(_report(sources, comparisons=[compared], material=SimpleNamespace(has_dialogues_as_units=False)))


def frames_of_agreement(found: FileAgreement, names: Sequence[str], scale: str, wanted: Container[str]) -> Frames:
    """Return the frames of the groups, each a criterion with one of the names, with the wanted coefficients."""
    groups = [(str(at), group) for at, group in enumerate(found.groups)]
    return Frames(
        _report(
            [],
            {str(at): name for at, name in enumerate(names)},
            agreement_overall=[_overall(key, group, scale, wanted) for key, group in groups],
            agreement_further=[row for key, group in groups for row in _further(key, group, wanted)],
        )
    )


def _overall(key: str, group: GroupAgreement, scale: str, wanted: Container[str]) -> Row:
    row: Row = dict.fromkeys(each.name for each in TABLES["overall"].columns)
    for name, prefix in OVERALL.items():
        estimate = group.coefficients.get(name)
        if estimate and name in wanted:
            row |= {name if name in row else prefix: estimate.value, f"{prefix}_reason": estimate.reason}
            row |= _ends(f"{prefix}_", estimate.low, estimate.high, estimate.interval_note)
            row |= _new(prefix, group.new_annotators.get(name))
    return row | {"criterion": key, "scale": scale, **_sizes(group.coefficients["fleiss_kappa"])}


def _further(key: str, group: GroupAgreement, wanted: Container[str]) -> Iterator[Row]:
    for name in WORDS:
        estimate = group.coefficients.get(name)
        if estimate and name in wanted:
            ends = _ends("", estimate.low, estimate.high, estimate.interval_note)
            value = {"value": estimate.value, "reason": estimate.reason}
            yield {"criterion": key, "coefficient": name, **value, **ends, **_new("", None), **_sizes(estimate)}


def _new(prefix: str, found: Interval | None) -> Row:
    ends = found or Interval(None, None)
    return _ends(f"{prefix}_new_annotators_".lstrip("_"), ends.low, ends.high, ends.note)


def _ends(prefix: str, low: float | None, high: float | None, note: str | None) -> Row:
    return {f"{prefix}low": low, f"{prefix}high": high, f"{prefix}interval_note": note}


def _sizes(found: Estimate) -> Row:
    sizes = {"n_items": found.n_items, "n_left_out": found.n_left_out, "n_pairs": found.n_pairs}
    sizes |= {"n_undefined": found.n_undefined}
    return {**sizes, "interval_method": OF_ITEMS, "n_units": found.n_items}


def frames_of_audit(found: Audit) -> Frames:
    """Return the frames of a judge beside people; without numbers there are no scores."""
    of = Of(NO_CRITERION, NO_CRITERION, NO_CRITERION)
    scored = found.means or []
    rows = Judges(
        tests=[],
        annotators=list(annotator_rows(of, found.alternative, found.annotators.__getitem__)),
        ceiling=list(ceiling_rows(of, found.ceiling)),
        scores=list(score_rows(of, scored)),
        differences=list(difference_rows(of, scored)),
    )
    return Frames(_report(found.sources, judges=rows))


def _report(sources: Sequence[str], criteria: Mapping[str, str] = NAMELESS, **parts: Any) -> Any:
    """Return what stands for a report: it has these parts, and no others."""
    names = [SourceName(each, each, False) for each in sources]
    protocol = SimpleNamespace(criteria=[SimpleNamespace(key=key, name=name) for key, name in criteria.items()])
    return SimpleNamespace(sources=names, protocol=protocol, **parts)
