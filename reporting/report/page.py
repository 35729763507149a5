"""The context of the report's templates."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from annotation.models import Batch
from reporting.charts import drawn
from reporting.datasheet.build import MISSING
from reporting.record.acceptance_words import acceptance_lines, plan_lines
from reporting.report.alpha_check import DIFFERENT
from reporting.report.behaviours import Behaviour
from reporting.report.breakdowns import Breakdown
from reporting.report.build import Report
from reporting.report.checklist import TITLES, lines_of
from reporting.report.comparisons import SourceScore
from reporting.report.frames import TABLES
from reporting.report.further import WORDS, FurtherAgreement
from reporting.report.methods import methods
from reporting.report.model_pictures import differences_picture, means_picture, rates_picture
from reporting.report.model_sentences import model_sentences
from reporting.report.model_words import scale_sentences, warnings_of
from reporting.report.negatives import NegativeText
from reporting.report.pairs import Pair
from reporting.report.pictures import (
    agreement_picture,
    alphas_picture,
    errors_picture,
    labels_picture,
    ranking_picture,
    votes_picture,
)
from reporting.report.pivot import agreement_of, by_reason, by_source, names_of, with_metrics, with_source_means
from reporting.report.ranking_words import differing_pairs
from reporting.report.rankings import Bounded, CriterionRanking
from reporting.report.results import results
from reporting.study.pairings import Pairing, SideBias
from reporting.study.rules import rules_in_words

MOST_TEXTS = 200


@dataclass(frozen=True, slots=True)
class Texts:
    """The first of `n` texts of a criterion and role."""

    criterion: str
    role: str
    n: int
    rows: list[NegativeText]


@dataclass(frozen=True, slots=True)
class PairTable:
    """The pairs of a batch on criteria with the same options, which are named in one text."""

    batch: str
    criteria: str
    rows: list[Pair]


@dataclass(frozen=True, slots=True)
class FurtherLine:
    """A further coefficient with its figures by criterion; None for a criterion whose answers have no order."""

    key: str
    name: str
    meaning: str
    cells: list[tuple[str, FurtherAgreement | None]]


def page_of(report: Report) -> dict[str, Any]:
    agreement, votes, errors = by_source(report, report.agreement), by_source(report, report.votes), by_reason(report)
    alphas = agreement_of(report, has_order=True)
    return {
        "report": report,
        "names": _names(report),
        "rules": rules_in_words(report.rules),
        "tables": list(TABLES),
        "majority": with_metrics(by_source(report, report.majority), report),
        "agreement": agreement,
        "agreement_table": with_source_means(agreement, report),
        "has_words": any(row.fleiss.word or row.alpha.word for row in report.agreement_overall),
        "has_batch_sd": any(row.sd is not None for row in report.agreement),
        "has_new_annotators": any(
            row.fleiss_new_annotators.interval_note or row.fleiss_new_annotators.low is not None
            for row in report.agreement_overall
        ),
        "has_order": any(row.scale != "nominal" for row in report.agreement_overall),
        "agreement_figure": drawn(agreement_picture, agreement_of(report, has_order=False), report.study.word_scale),
        "further": _further(report),
        "alphas": alphas,
        "alphas_figure": drawn(alphas_picture, alphas),
        "positive": [(each.name, ", ".join(each.positive)) for each in report.criteria if each.positive],
        "has_unsure": any(row.unsure for row in report.votes),
        "has_positive_parts": any(row.percent is not None for row in report.breakdowns),
        "votes": votes,
        "votes_figure": drawn(votes_picture, votes),
        "ranked": _ranked(report),
        "ranking_figure": drawn(ranking_picture, report),
        "errors": errors,
        "errors_figure": drawn(errors_picture, errors),
        "labels_figure": drawn(labels_picture, report.data_set),
        "negatives": by_source(report, report.negatives_by_source),
        "texts": _texts(report),
        "pairs": _pairs_by_batch(report),
        "differences": [row for row in report.alpha_check if row.status == DIFFERENT],
        "compared": _compared(report),
        "pairs_have_letters": len({(row.source_a, row.source_b) for row in report.pairings if row.answers}) > 1,
        **_by_source(report),
        **_behaviours(report),
        "breakdowns": _breakdowns(report),
        "acceptance": _acceptance(report),
        "excluded": [(Batch.Kind(row.kind).label, row) for row in report.excluded_batches],
        "methods": methods(report),
        "results": results(report),
        "answered": sum(row.origin != MISSING for row in report.datasheet),
        "checklist": [(TITLES[row.key], row.status, lines_of(row.key, row.value)) for row in report.checklist],
    }


def _further(report: Report) -> list[FurtherLine]:
    found = {(row.coefficient, row.criterion): row for row in report.agreement_further}
    keys = {row.coefficient for row in report.agreement_further}
    criteria = dict.fromkeys(row.criterion for row in report.agreement_further)
    return [
        FurtherLine(key, _(name), _(meaning), [(criterion, found.get((key, criterion))) for criterion in criteria])
        for key, (name, meaning) in WORDS.items()
        if key in keys
    ]


def _by_source(report: Report) -> dict[str, Any]:
    """Return the main table and what belongs to it."""
    names = _names(report)
    found = [mean for row in report.comparisons for mean in row.means]
    return {
        "means": by_source(report, found),
        "means_figure": drawn(means_picture, report.comparisons, names),
        "scale_notes": scale_sentences(report.comparisons, names["criteria"]),
        "has_intervals": any(mean.limits.low is not None for mean in found),
        "has_letters": any(mean.letters for mean in found),
        "has_pairs": any(row.pairs for row in report.comparisons),
        "has_checks": any(row.has_checks for row in report.comparisons),
        "has_margin": any(row.margin for row in report.comparisons),
        "differences_figure": drawn(differences_picture, report.comparisons, names),
        "withheld_notes": _notes(found),
        "model_warnings": warnings_of(report.comparisons),
        "model_sentences": list(
            model_sentences(
                report.comparisons,
                names["criteria"],
                has_dialogues_as_units=report.material.has_dialogues_as_units,
            )
        ),
    }


@dataclass(frozen=True, slots=True)
class BehaviourLine:
    """A behaviour with (rate, rate of the conversations) of each source; None where there is none."""

    label: str
    question: str
    cells: list[tuple[SourceScore | None, SourceScore | None]]


def _behaviours(report: Report) -> dict[str, Any]:
    """Return the rates with a row per behaviour and a column per source: there may be more behaviours than fit."""
    names = _names(report)
    rated = {mean.source for row in report.behaviours for mean in row.rates.means}
    sources = [key for key in names["sources"] if key in rated]
    found = [mean for row in report.behaviours for mean in row.rates.means]
    return {
        "behaviour_sources": [names["sources"][key] for key in sources],
        "behaviours": [_behaviour_line(row, sources, names["criteria"][row.criterion]) for row in report.behaviours],
        "behaviours_figure": drawn(rates_picture, report.behaviours, names),
        "behaviours_have_conversations": any(row.conversations for row in report.behaviours),
        "behaviours_have_letters": any(mean.letters for mean in found),
        "behaviours_have_pairs": any(row.rates.pairs for row in report.behaviours),
        "behaviours_withheld": _notes(found),
    }


def _behaviour_line(row: Behaviour, sources: list[str | None], question: str) -> BehaviourLine:
    rates = {each.source: each for each in row.rates.means}
    whole = {each.source: each for each in row.conversations.means} if row.conversations else {}
    return BehaviourLine(row.label, question, [(rates.get(key), whole.get(key)) for key in sources])


def _notes(found: Iterable[SourceScore]) -> list[str]:
    return list(dict.fromkeys(mean.limits.interval_note for mean in found if mean.limits.interval_note))


def _names(report: Report) -> dict[str, dict[Any, str]]:
    """Return the names of criteria and sources by key, and the keys of criteria that compare."""
    return names_of(report) | {"compared": dict.fromkeys((each.criterion for each in report.side_bias), "")}


def _compared(report: Report) -> list[tuple[str, list[Pairing], SideBias, str]]:
    """Return (name, rows, bias, nothing) for each criterion that compares; agreement has a section of its own."""
    names = _names(report)["criteria"]
    return [
        (names[bias.criterion], [row for row in report.pairings if row.criterion == bias.criterion], bias, "")
        for bias in report.side_bias
    ]


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """The expected score of the row against the column. `is_indirect`: no answer compares the two."""

    rate: Bounded
    is_indirect: bool


@dataclass(frozen=True, slots=True)
class Ranked:
    """The ranking of a criterion, its pairs as a matrix with None on the diagonal, and the agreement on pairs.

    `differing` has the pairs that differ, all at once, as "A over B".
    """

    name: str
    ranking: CriterionRanking
    matrix: list[tuple[str, list[MatrixCell | None]]]
    differing: list[str]
    alpha: float | None


def _ranked(report: Report) -> list[Ranked]:
    names = _names(report)
    alphas = {row.criterion: row.krippendorff_alpha for row in report.agreement_overall}
    return [
        Ranked(
            names["criteria"][each.criterion],
            each,
            _matrix(each),
            differing_pairs(each, names["sources"]),
            alphas.get(each.criterion),
        )
        for each in report.rankings
    ]


def _matrix(ranking: CriterionRanking) -> list[tuple[str, list[MatrixCell | None]]]:
    """Return the expected score of each row against each column, in the order of the ranking."""
    cells: dict[tuple[str, str], MatrixCell] = {}
    for pair in ranking.pairs:
        cells[pair.source_a, pair.source_b] = MatrixCell(pair.win_rate, pair.is_indirect)
        cells[pair.source_b, pair.source_a] = MatrixCell(pair.win_rate.of_the_other, pair.is_indirect)
    order = [row.source for row in ranking.sources]
    return [(row, [cells.get((row, column)) for column in order]) for row in order]


def _acceptance(report: Report) -> dict[str, Any] | None:
    acceptance = report.acceptance
    if not acceptance:
        return None
    names = {each.key: each.name for each in report.criteria}
    return {"plans": plan_lines(acceptance, names), "lines": acceptance_lines(acceptance)}


def _breakdowns(report: Report) -> list[tuple[str, list[Breakdown]]]:
    """Return the breakdowns of all sources together, by field; the download also has each source."""
    fields: dict[str, list[Breakdown]] = {}
    for row in report.breakdowns:
        if row.source is None:
            fields.setdefault(row.field, []).append(row)
    return list(fields.items())


def _texts(report: Report) -> list[Texts]:
    """Return the texts by criterion and role, each list cut so that the page shows MOST_TEXTS at most."""
    groups: dict[tuple[str, str], list[NegativeText]] = {}
    for row in report.negative_texts:
        groups.setdefault((row.criterion, row.role), []).append(row)
    share = MOST_TEXTS // max(len(groups), 1)
    return [Texts(*key, len(rows), rows[:share]) for key, rows in groups.items()]


def _pairs_by_batch(report: Report) -> list[PairTable]:
    """Return a table per batch and group of criteria, so that kappas of different questions do not share a column."""
    names = _names(report)["criteria"]
    tables: dict[tuple[str, tuple[str, ...]], list[Pair]] = {}
    for row in report.pairs:
        tables.setdefault((row.batch, tuple(row.criteria)), []).append(row)
    return [
        PairTable(batch, ", ".join(names.get(key, key) for key in criteria), rows)
        for (batch, criteria), rows in tables.items()
    ]
