"""The context of the report's templates."""

from dataclasses import dataclass
from typing import Any

from annotation.models import Batch
from reporting.datasheet.build import MISSING
from reporting.record.acceptance_words import acceptance_lines, plan_lines
from reporting.report.alpha_check import DIFFERENT
from reporting.report.breakdowns import Breakdown
from reporting.report.build import Report
from reporting.report.checklist import TITLES, lines_of
from reporting.report.downloads import TABLES
from reporting.report.methods import methods
from reporting.report.negatives import NegativeText
from reporting.report.pairs import Pair
from reporting.report.pictures import agreement_picture, errors_picture, labels_picture, votes_picture
from reporting.report.pivot import by_reason, by_source, with_metrics, with_source_means
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


def page_of(report: Report) -> dict[str, Any]:
    agreement, votes, errors = by_source(report, report.agreement), by_source(report, report.votes), by_reason(report)
    return {
        "report": report,
        "names": _names(report),
        "rules": rules_in_words(report.rules),
        "tables": list(TABLES),
        "majority": with_metrics(by_source(report, report.majority), report),
        "agreement": agreement,
        "agreement_table": with_source_means(agreement, report),
        "has_weighted": any(row.scale != "nominal" for row in report.agreement_overall),
        "agreement_figure": agreement_picture(agreement, report.study.word_scale),
        "votes": votes,
        "votes_figure": votes_picture(votes),
        "errors": errors,
        "errors_figure": errors_picture(errors),
        "labels_figure": labels_picture(report.data_set),
        "negatives": by_source(report, report.negatives_by_source),
        "texts": _texts(report),
        "pairs": _pairs_by_batch(report),
        "differences": [row for row in report.alpha_check if row.status == DIFFERENT],
        "compared": _compared(report),
        "breakdowns": _breakdowns(report),
        "acceptance": _acceptance(report),
        "excluded": [(Batch.Kind(row.kind).label, row) for row in report.excluded_batches],
        "methods": methods(report),
        "answered": sum(row.origin != MISSING for row in report.datasheet),
        "checklist": [(TITLES[row.key], row.status, lines_of(row.key, row.value)) for row in report.checklist],
    }


def _names(report: Report) -> dict[str, dict[str, str]]:
    """Return the names of criteria and sources by key."""
    return {
        "criteria": {each.key: each.name for each in report.protocol.criteria},
        "sources": {each.key: each.name for each in report.sources},
        "compared": dict.fromkeys((each.criterion for each in report.side_bias), ""),
    }


def _compared(report: Report) -> list[tuple[str, list[Pairing], SideBias, str]]:
    """Return (name, rows, bias, nothing) for each criterion that compares; agreement has a section of its own."""
    names = _names(report)["criteria"]
    return [
        (names[bias.criterion], [row for row in report.pairings if row.criterion == bias.criterion], bias, "")
        for bias in report.side_bias
    ]


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
