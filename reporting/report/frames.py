"""The tables of the report: each is defined here once, and every file, page and document takes it from here."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from reporting.record.acceptance_words import acceptance_table
from reporting.report.alpha_check import AlphaCheck
from reporting.report.behaviours import Behaviour, TickAgreement, TurnOverlap
from reporting.report.breakdowns import Breakdown
from reporting.report.build import Report
from reporting.report.coefficients import Agreement, CriterionMean, Overall, SourceMean
from reporting.report.comparisons import SourceComparison, SourcePair, SourceScore, Variance
from reporting.report.distributions import Distribution, MarkedTurn, OptionAnswers
from reporting.report.final_labels import FinalLabels
from reporting.report.flags import Flags
from reporting.report.further import FurtherAgreement
from reporting.report.judged import HumanCeiling, JudgeDifference, JudgeScore, JudgeTest, TestedAnnotator
from reporting.report.negatives import Negatives, NegativeText, SourceNegatives
from reporting.report.odds import SourceOdds
from reporting.report.pairs import Pair
from reporting.report.predicted import MetricMean, Prediction
from reporting.report.rankings import PreferenceModel, RankedPair, RankedSource
from reporting.report.sizes import BatchSizes, Comment
from reporting.report.tables import Errors, Majority, OptionVotes, Votes
from reporting.report.time_and_pay import Workload
from reporting.report.unused import UNUSED_REASONS
from reporting.study.facts import OtherBatches
from reporting.study.pairings import Pairing, SideBias
from reporting.study.plain import plain
from reporting.study.scores import Moments
from reporting.tables.columns import ANY, COUNTS, NUMBERS, TEXTS, columns, of
from reporting.tables.table import Table

Row = dict[str, Any]
Rows = Callable[[Report], Iterable[Any]]
TIDY = columns(TEXTS, "figure part") + columns(ANY, "value")
METHOD = "score reason scale_low scale_high weighting is_binary n_ratings n_annotators n_conversations"


@dataclass(frozen=True, slots=True)
class AgreementLine:
    """A kappa of a source and criterion: that of a batch, the mean of the batches, or the pooled one with intervals."""

    source: str | None
    criterion: str
    level: str
    batch: str | None
    fleiss_kappa: float | None
    sd: float | None = None
    strong: float | None = None
    undefined_because: str | None = None
    low: float | None = None
    high: float | None = None
    interval_note: str | None = None
    alpha: float | None = None
    alpha_low: float | None = None
    alpha_high: float | None = None


def _agreement(report: Report) -> Iterable[AgreementLine]:
    batches = [each.batch for each in report.batches]
    for row in report.agreement:
        name = (row.source, row.criterion)
        per_batch = zip(batches, row.per_batch, row.strong_per_batch, row.reasons, strict=True)
        for batch, kappa, strong, reason in per_batch:
            yield AgreementLine(*name, "batch", batch, kappa, strong=strong, undefined_because=reason)
        yield AgreementLine(*name, "mean", None, row.mean, row.sd)
        yield AgreementLine(
            *name,
            level="pooled",
            batch=None,
            fleiss_kappa=row.pooled,
            strong=row.strong_pooled,
            undefined_because=row.pooled_reason,
            low=row.pooled_limits.low,
            high=row.pooled_limits.high,
            interval_note=row.pooled_limits.interval_note,
            alpha=row.alpha,
            alpha_low=row.alpha_limits.low,
            alpha_high=row.alpha_limits.high,
        )


def _pairs(report: Report) -> Iterable[Row]:
    for row in report.pairs:
        first, second = row.annotators
        yield plain(row) | {"annotator_a": first, "annotator_b": second}


def _parts(rows: Iterable[Any], name: str) -> Iterable[Row]:
    """Yield a row for each part in the list of this name, with what is known of the whole."""
    for row in rows:
        whole = plain(row)
        yield from (whole | plain(part) for part in getattr(row, name))


def _behaviours(report: Report) -> Iterable[Row]:
    """Yield a row per behaviour, source and unit: its rate among the answers, and among the conversations."""
    for row in report.behaviours:
        for unit, found in (("answers", row.rates), ("conversations", row.conversations)):
            for mean in found.means if found else ():
                named = {"criterion": row.criterion, "option": row.option, "label": row.label, "unit": unit}
                yield plain(mean) | named


def _behaviour_agreement(report: Report) -> Iterable[Row]:
    return (plain(row) | plain(row.agreement) for row in report.behaviours)


def _ratings_used(report: Report) -> Iterable[Row]:
    """Yield a row per criterion: the method of its comparison, and the answers that it uses and does not use."""
    for row in report.comparisons:
        unused = {each.reason: each.n for each in row.unused}
        yield (
            plain(row)
            | {"n_unused": row.n_unused}
            | {f"n_{reason}": unused.get(reason, 0) for reason in UNUSED_REASONS}
        )


def _time(report: Report) -> Iterable[Row]:
    for name, value in plain(report.time_and_pay).items():
        parts = value.items() if isinstance(value, dict) else [(None, value)]
        for part, number in parts:
            if isinstance(number, list):  # what was paid, by currency
                yield from (
                    {"figure": name, "part": f"{row['currency']} {each}", "value": row[each]}
                    for row in number
                    for each in row
                    if each != "currency"
                )
            else:
                yield {"figure": name, "part": part, "value": number}


def _data_set(report: Report) -> Iterable[Row]:
    """Yield a tidy table: the name of a number, its part, and its value."""
    for name, value in plain(report.data_set or {}).items():
        if isinstance(value, list):
            yield from ({"figure": name, "part": row["value"] or "others", "value": row["n"]} for row in value)
        elif isinstance(value, dict):
            yield from ({"figure": name, "part": part, "value": number} for part, number in value.items())
        else:
            yield {"figure": name, "part": None, "value": value}


def _final_labels(report: Report) -> Iterable[Row]:
    """Yield a row per option, each with the counts of how all labels of the criterion became final."""
    for row in report.final_labels:
        yield from (plain(row) | plain(label) | {"n": label.items, "items": row.items} for label in row.labels)


def _checklist(report: Report) -> Iterable[Row]:
    return ({"entry": row.key, "status": row.status, "text": "\n".join(row.lines)} for row in report.checklist)


def _of(name: str, row: type, rows: Rows) -> Table[Report]:
    return Table(name, of(row), rows)


_TABLES: list[Table[Report]] = [
    _of("means", SourceScore, lambda report: (mean for row in report.comparisons for mean in row.means)),
    _of("agreement", AgreementLine, _agreement),
    _of("agreement_cells", Agreement, lambda report: report.agreement),
    _of("agreement_by_criterion", CriterionMean, lambda report: report.agreement_by_criterion),
    _of("agreement_by_source", SourceMean, lambda report: report.agreement_by_source),
    _of("overall", Overall, lambda report: report.agreement_overall),
    _of("further_agreement", FurtherAgreement, lambda report: report.agreement_further),
    _of("majority", Majority, lambda report: report.majority),
    _of("metrics", MetricMean, lambda report: report.metrics),
    _of("votes", Votes, lambda report: report.votes),
    Table(
        "options",
        of(Votes, "source criterion") + of(OptionVotes),
        lambda report: _parts(report.votes, "options"),
    ),
    _of("errors", Errors, lambda report: report.errors),
    Table("data_set", TIDY, _data_set),
    Table(
        "final_labels",
        [
            *columns(TEXTS, "source criterion option label"),
            *columns(COUNTS, "n"),
            *columns(NUMBERS, "percent"),
            *of(FinalLabels, without="source criterion"),
        ],
        _final_labels,
    ),
    _of("predictions", Prediction, lambda report: report.predictions),
    _of("judges", JudgeTest, lambda report: report.judges.tests),
    _of("judge_annotators", TestedAnnotator, lambda report: report.judges.annotators),
    _of("human_ceiling", HumanCeiling, lambda report: report.judges.ceiling),
    _of("judge_scores", JudgeScore, lambda report: report.judges.scores),
    _of("judge_differences", JudgeDifference, lambda report: report.judges.differences),
    _of("negatives", Negatives, lambda report: report.negatives),
    _of("negatives_by_source", SourceNegatives, lambda report: report.negatives_by_source),
    _of("negative_texts", NegativeText, lambda report: report.negative_texts),
    Table(
        "pairs",
        [
            *of(Pair, "batch criteria"),
            *columns(TEXTS, "annotator_a annotator_b"),
            *of(Pair, "kappa n n_left_out strong_kappa strong_n"),
        ],
        _pairs,
    ),
    _of("batches", BatchSizes, lambda report: report.batches),
    _of("alpha_check", AlphaCheck, lambda report: report.alpha_check),
    Table(
        "distributions",
        [
            *of(Distribution, "source source_a source_b criterion kind scale n_answers n_none"),
            *of(OptionAnswers),
            *of(Moments, "mean sd median"),
        ],
        lambda report: _parts(report.distributions, "options"),
    ),
    _of("turns", MarkedTurn, lambda report: report.turns),
    _of("turn_overlaps", TurnOverlap, lambda report: report.turn_overlaps),
    Table(
        "behaviours",
        of(Behaviour, "criterion option label") + columns(TEXTS, "unit") + of(SourceScore, without="criterion score"),
        _behaviours,
    ),
    _of("behaviour_differences", SourcePair, lambda report: (p for row in report.behaviours for p in row.rates.pairs)),
    Table(
        "behaviour_agreement",
        of(Behaviour, "criterion option label ticked n_answers") + of(TickAgreement),
        _behaviour_agreement,
    ),
    _of("comparisons", SourcePair, lambda report: (pair for row in report.comparisons for pair in row.pairs)),
    _of("odds_ratios", SourceOdds, lambda report: report.odds_ratios),
    _of("variances", Variance, lambda report: (each for row in report.comparisons for each in row.variances)),
    Table(
        "ratings_used",
        [
            *of(SourceComparison, f"criterion {METHOD}"),
            *columns(COUNTS, " ".join(["n_unused", *(f"n_{reason}" for reason in UNUSED_REASONS)])),
            *of(SourceComparison, "n_unsure_not_positive warnings"),
        ],
        _ratings_used,
    ),
    _of("pairings", Pairing, lambda report: report.pairings),
    _of("side_bias", SideBias, lambda report: report.side_bias),
    _of("rankings", RankedSource, lambda report: (row for each in report.rankings for row in each.sources)),
    _of("win_rates", RankedPair, lambda report: (row for each in report.rankings for row in each.pairs)),
    _of("preference_models", PreferenceModel, lambda report: (each.model for each in report.rankings)),
    _of("breakdowns", Breakdown, lambda report: report.breakdowns),
    _of("excluded_batches", OtherBatches, lambda report: report.excluded_batches),
    Table("time_and_pay", TIDY, _time),
    Table(
        "pay",
        [*columns(TEXTS, "currency"), *columns(COUNTS, "n_work"), *columns(TEXTS, "work bonus correction total")],
        lambda report: (report.time_and_pay.ledger or {}).get("paid", ()),
    ),
    _of("workload", Workload, lambda report: report.workload),
    Table(
        "adjudication",
        columns(TEXTS, "criterion") + columns(COUNTS, "disagreements re_rating adjudicated replaced open"),
        lambda report: (report.adjudication or {}).get("by_criterion", ()),
    ),
    Table("acceptance", TIDY, lambda report: acceptance_table(report.acceptance)),
    Table("checklist", columns(TEXTS, "entry status text"), _checklist),
    _of("comments", Comment, lambda report: report.comments),
    _of("flags", Flags, lambda report: report.flags),
]
TABLES: dict[str, Table[Report]] = {each.name: each for each in _TABLES}
