"""Turn long tables into tables to print: a row per source, a column per criterion."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from django.utils.translation import gettext as _

from reporting.report.build import Report
from reporting.report.coefficients import Agreement
from reporting.report.tables import Errors


class Cell(Protocol):
    @property
    def source(self) -> str | None: ...
    @property
    def criterion(self) -> str: ...


C = TypeVar("C", bound=Cell)
T = TypeVar("T")
K = TypeVar("K")


@dataclass(frozen=True, slots=True)
class Line(Generic[T]):
    """The cells of a source, None where there is none; the source of whole dialogues is None."""

    source: str | None
    name: str
    is_reference: bool
    cells: list[T | None]


@dataclass(frozen=True, slots=True)
class Pivot(Generic[T]):
    columns: list[str]
    rows: list[Line[T]]


def by_source(report: Report, table: Iterable[C]) -> Pivot[C]:
    """Return the table with one column per criterion that occurs in it."""
    found = {(row.source, row.criterion): row for row in table}
    criteria = {row.criterion for row in found.values()}
    return _pivot(report, found, {each.key: each.name for each in report.criteria if each.key in criteria})


def agreement_of(report: Report, *, has_order: bool) -> Pivot[Agreement]:
    """Return the agreement by source on criteria whose options have an order, or on the others."""
    chosen = {each.key for each in report.criteria if each.has_order == has_order}
    return by_source(report, [row for row in report.agreement if row.criterion in chosen])


def source_names(report: Report) -> dict[str | None, str]:
    """Return the names by key, in the order of tables; whole dialogues without a source have one too."""
    return {**{each.key: each.name for each in report.sources}, None: _("All dialogues")}


def names_of(report: Report) -> dict[str, dict[Any, str]]:
    """Return the names of criteria and sources by key."""
    return {
        "criteria": {each.key: each.name for each in report.protocol.criteria},
        "sources": source_names(report),
    }


def by_reason(report: Report) -> Pivot[Errors]:
    """Return the table of reasons, with error sub-dimensions in the columns."""
    found = {(row.source, (row.criterion, row.sub_dimension)): row for row in report.errors}
    return _pivot(report, found, {(row.criterion, row.sub_dimension): row.sub_dimension for row in report.errors})


def _pivot(report: Report, found: Mapping[tuple[str | None, K], T], columns: Mapping[K, str]) -> Pivot[T]:
    present = {key[0] for key in found}
    references = {each.key for each in report.sources if each.is_reference}
    lines = [
        Line(key, name, key in references, [found.get((key, column)) for column in columns])
        for key, name in source_names(report).items()
        if key in present
    ]
    return Pivot(list(columns.values()), lines)
