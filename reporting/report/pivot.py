"""Turn long tables into tables to print: a row per source, a column per criterion."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from reporting.report.build import Report

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Pivot:
    """A table; `rows` is [(name of the source, whether it is the reference, [cell per column, or None])]."""

    columns: list[str]
    rows: list[tuple[str, bool, list[Row | None]]]


def by_source(report: Report, table: str) -> Pivot:
    """Return the table with one column per criterion that occurs in it."""
    found = {(row["source"], row["criterion"]): row for row in report[table]}
    criteria = [row for row in report["criteria"] if any(key[1] == row["key"] for key in found)]
    return Pivot(
        columns=[row["name"] for row in criteria],
        rows=[
            (name, is_reference, [found.get((source, criterion["key"])) for criterion in criteria])
            for source, name, is_reference in _sources(report, {key[0] for key in found})
        ],
    )


def with_metrics(pivot: Pivot, report: Report) -> Pivot:
    """Add a column for each imported metric, in the unit of the metric."""
    found = {(row["source"], row["metric"]): row for row in report["metrics"]}
    metrics = list(dict.fromkeys(metric for _, metric in found))
    sources = [key for key, _, _ in _sources(report, {row["source"] for row in report["majority"]})]
    return Pivot(
        columns=pivot.columns + metrics,
        rows=[
            (name, is_reference, cells + [found.get((source, metric)) for metric in metrics])
            for source, (name, is_reference, cells) in zip(sources, pivot.rows, strict=True)
        ],
    )


def with_source_means(pivot: Pivot, report: Report) -> Pivot:
    """Add a column with the mean and sd of each source over the criteria, as published tables have at their edge."""
    found = {row["source"]: row for row in report["agreement_by_source"]}
    sources = [key for key, _, _ in _sources(report, set(found))]
    return Pivot(
        columns=[*pivot.columns, _("Mean of criteria")],
        rows=[
            (name, is_reference, [*cells, found[source]])
            for source, (name, is_reference, cells) in zip(sources, pivot.rows, strict=True)
        ],
    )


def by_reason(report: Report) -> Pivot:
    """Return the table of reasons, with error sub-dimensions in the columns."""
    found = {(row["source"], row["criterion"], row["sub_dimension"]): row for row in report["errors"]}
    columns = list(dict.fromkeys(key[1:] for key in found))
    return Pivot(
        columns=[sub_dimension for _criterion, sub_dimension in columns],
        rows=[
            (name, is_reference, [found.get((source, *column)) for column in columns])
            for source, name, is_reference in _sources(report, {key[0] for key in found})
        ],
    )


def _sources(report: Report, present: set[str | None]) -> list[tuple[str | None, str, bool]]:
    named = [(row["key"], row["name"], row["is_reference"]) for row in report["sources"] if row["key"] in present]
    return named + ([(None, _("All dialogues"), False)] if None in present else [])
