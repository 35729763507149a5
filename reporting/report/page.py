"""The context of the report's templates."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from annotation.models import Batch
from reporting.charts import drawn
from reporting.datasheet.build import MISSING
from reporting.record.acceptance_words import plan_lines
from reporting.report.alpha_check import DIFFERENT
from reporting.report.between_sources import between_sources
from reporting.report.build import Report
from reporting.report.checklist import TITLES, lines_of
from reporting.report.comparisons import SourceScore
from reporting.report.frames import TABLES
from reporting.report.judge_words import score_notes, test_notes
from reporting.report.methods import methods
from reporting.report.model_pictures import differences_picture, means_picture, rates_picture
from reporting.report.model_sentences import model_sentences
from reporting.report.model_words import scale_sentences, unequal_sentence, warnings_of
from reporting.report.negatives import NegativeText
from reporting.report.odds_words import odds_sentences
from reporting.report.pictures import (
    agreement_picture,
    alphas_picture,
    errors_picture,
    labels_picture,
    ranking_picture,
    ranks_picture,
    votes_picture,
)
from reporting.report.pivot import agreement_of, by_reason, by_source
from reporting.report.ranking_words import differing_pairs
from reporting.report.rankings import CriterionRanking
from reporting.report.results import results
from reporting.report.shown import agreement, answers, judges, sources, study
from reporting.report.shown.frames import Frames
from reporting.study.pairings import SideBias
from reporting.study.rules import rules_in_words
from reporting.tables.cells import Grid

MOST_TEXTS = 200


@dataclass(frozen=True, slots=True)
class Texts:
    """The first of `n` texts of a criterion and role."""

    criterion: str
    role: str
    n: int
    rows: list[NegativeText]


def page_of(report: Report) -> dict[str, Any]:
    frames = Frames(report)
    return {
        "report": report,
        "names": frames.names,
        "rules": rules_in_words(report.rules),
        "tables": [name for name, table in TABLES.items() if any(True for _row in table.rows(report))],
        "generated_at": datetime.fromisoformat(report.generated_at),
        "majority": answers.majority(frames),
        "kappas": agreement.kappas(frames),
        "strong": agreement.strong(frames),
        "overall": agreement.overall(frames),
        "alpha_check": agreement.alpha_check(frames),
        "batches": agreement.batches(frames),
        "has_words": any(row.fleiss.word or row.alpha.word for row in report.agreement_overall),
        "has_batch_sd": any(row.sd is not None for row in report.agreement),
        "has_new_annotators": any(
            row.fleiss_new_annotators.interval_note or row.fleiss_new_annotators.low is not None
            for row in report.agreement_overall
        ),
        "has_agreement_intervals": any(
            each.low is not None for row in report.agreement_overall for each in (row.fleiss, row.alpha, row.ac1)
        ),
        "further_has_intervals": any(row.low is not None for row in report.agreement_further),
        "between_sources": list(between_sources(report)),
        "has_order": any(row.scale != "nominal" for row in report.agreement_overall),
        "agreement_figure": drawn(agreement_picture, agreement_of(report, has_order=False), report.study.word_scale),
        "further": agreement.further(frames),
        "alphas": agreement.alphas(frames),
        "alphas_figure": drawn(alphas_picture, agreement_of(report, has_order=True)),
        "positive": [(each.name, ", ".join(each.positive)) for each in report.criteria if each.positive],
        "has_unsure": any(row.unsure for row in report.votes),
        "votes": answers.votes(frames),
        "votes_figure": drawn(votes_picture, by_source(report, report.votes)),
        "ranked": _ranked(frames),
        "ranking_figure": drawn(ranking_picture, report),
        "ranks_figure": drawn(ranks_picture, report),
        "errors": answers.errors(frames),
        "errors_figure": drawn(errors_picture, by_reason(report)),
        "labels_figure": drawn(labels_picture, report.data_set),
        "negatives": answers.negatives(frames),
        "negatives_by_source": answers.negatives_by_source(frames),
        "final_labels": answers.final_labels(frames),
        "predictions": answers.predictions(frames),
        "judges": judges.tests(frames),
        "judge_scores": judges.scores(frames),
        "judges_said": [
            " ".join([_(judges.TESTED), *test_notes(report)]),
            " ".join([_(judges.SCORED), *score_notes(report)]),
        ],
        "distributions": answers.distributions(frames),
        "turns": answers.turns(frames),
        "turn_overlaps": answers.turn_overlaps(frames),
        "workload": answers.workload(frames),
        "flags": answers.flags(frames),
        "texts": _texts(report),
        "pairs": agreement.pairs(frames),
        "has_two_alphas": any(row.status == DIFFERENT for row in report.alpha_check),
        "compared": _compared(frames),
        "pairs_have_letters": len({(row.source_a, row.source_b) for row in report.pairings if row.answers}) > 1,
        **_by_source(frames),
        **_behaviours(frames),
        "breakdowns": answers.breakdowns(frames),
        "acceptance": plan_lines(report.acceptance, frames.columns) if report.acceptance else [],
        "acceptance_table": study.acceptance(frames),
        "disagreements": study.disagreements(frames),
        "times": study.times(frames),
        "pay": study.pay(frames),
        "sides": study.sides(frames),
        "mixes": list(study.mixes(frames)),
        "excluded": [(Batch.Kind(row.kind).label, row) for row in report.excluded_batches],
        "methods": methods(report),
        "results": results(report),
        "answered": sum(row.origin != MISSING for row in report.datasheet),
        "checklist": [(TITLES[row.key], row.status, lines_of(row.key, row.value)) for row in report.checklist],
    }


def _by_source(frames: Frames) -> dict[str, Any]:
    """Return the main table and what belongs to it."""
    report, names = frames.report, frames.names
    found = [mean for row in report.comparisons for mean in row.means]
    return {
        "means": sources.means(frames),
        "models": sources.models(frames),
        "differences": [
            (names["criteria"][row.criterion], sources.differences(frames, row.criterion))
            for row in report.comparisons
            if row.pairs
        ],
        "odds_ratios": sources.odds_ratios(frames),
        "odds_sentences": odds_sentences(report.odds_ratios, names["criteria"], of_dialogues=frames.of_dialogues),
        "means_figure": drawn(means_picture, report.comparisons, names),
        "scale_notes": scale_sentences(report.comparisons, names["criteria"]),
        "has_intervals": any(mean.limits.low is not None for mean in found),
        "has_letters": any(mean.letters for mean in found),
        "has_checks": any(row.has_checks for row in report.comparisons),
        "has_margin": any(row.margin for row in report.comparisons),
        "differences_figure": drawn(differences_picture, report.comparisons, names),
        "withheld_notes": _notes(found),
        "model_warnings": warnings_of(report.comparisons, names["sources"]),
        "model_sentences": list(
            model_sentences(
                report.comparisons,
                names["criteria"],
                names["sources"],
                has_dialogues_as_units=report.material.has_dialogues_as_units,
                margin_named=report.study.margin_named,
            )
        ),
    }


def _behaviours(frames: Frames) -> dict[str, Any]:
    """Return the rates with a row per behaviour and a column per source: there may be more behaviours than fit."""
    report = frames.report
    found = [mean for row in report.behaviours for mean in row.rates.means]
    return {
        "behaviours": sources.behaviours(frames),
        "behaviour_differences": sources.behaviour_differences(frames),
        "behaviour_agreement": sources.behaviour_agreement(frames),
        "behaviours_figure": drawn(rates_picture, report.behaviours, frames.names),
        "behaviours_have_conversations": any(row.conversations for row in report.behaviours),
        "behaviours_have_letters": any(mean.letters for mean in found),
        "behaviours_withheld": _notes(found),
        "behaviours_unequal": [
            (row.label, unequal_sentence(row.rates)) for row in report.behaviours if row.rates.unequal
        ],
    }


def _notes(found: Iterable[SourceScore]) -> list[str]:
    return list(dict.fromkeys(mean.limits.interval_note for mean in found if mean.limits.interval_note))


def _compared(frames: Frames) -> list[tuple[str, Grid, SideBias, str]]:
    """Return (name, answers, bias, nothing) for each criterion that compares; agreement has a section of its own."""
    names = frames.names["criteria"]
    return [
        (
            names[bias.criterion],
            sources.pairings(frames.rows("pairings", criterion=bias.criterion), frames, names[bias.criterion]),
            bias,
            "",
        )
        for bias in frames.report.side_bias
    ]


@dataclass(frozen=True, slots=True)
class Ranked:
    """The ranking of a criterion, its pairs as a matrix, and the agreement on pairs.

    `differing` has the pairs that differ, all at once, as "A over B".
    """

    name: str
    ranking: CriterionRanking
    table: Grid
    matrix: Grid
    differing: list[str]
    alpha: float | None


def _ranked(frames: Frames) -> list[Ranked]:
    alphas = {row.criterion: row.krippendorff_alpha for row in frames.report.agreement_overall}
    return [
        Ranked(
            frames.names["criteria"][each.criterion],
            each,
            sources.ranking(frames, each.criterion),
            sources.win_rates(frames, each.criterion),
            differing_pairs(each, frames.names["sources"]),
            alphas.get(each.criterion),
        )
        for each in frames.report.rankings
    ]


def _texts(report: Report) -> list[Texts]:
    """Return the texts by criterion and role, each list cut so that the page shows MOST_TEXTS at most."""
    groups: dict[tuple[str, str], list[NegativeText]] = {}
    for row in report.negative_texts:
        groups.setdefault((row.criterion, row.role), []).append(row)
    share = MOST_TEXTS // max(len(groups), 1)
    return [Texts(*key, len(rows), rows[:share]) for key, rows in groups.items()]
