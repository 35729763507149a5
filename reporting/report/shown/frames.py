"""The tables of one report as rows, and the names and sentences that its cells need."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from reporting.report.build import Report
from reporting.report.frames import TABLES
from reporting.report.pivot import names_of
from reporting.tables.cells import PAGE, Cell, Grid, Shown, grid, pivot

EMPTY: Mapping[Any, Cell] = {}
Row = Any  # the values of a row by the names of the columns


class Frames:
    """Each table is read when it is first asked for: the values of its frame, before they have types of pandas."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self._rows: dict[str, list[Row]] = {}

    def rows(self, table: str, **wanted: object) -> list[Row]:
        """Return the rows of a table, all or those with these values."""
        if table not in self._rows:
            found = TABLES[table].values(self.report)
            rows = zip(*found.values(), strict=True)
            self._rows[table] = [SimpleNamespace(**dict(zip(found, row, strict=True))) for row in rows]
        return [row for row in self._rows[table] if all(getattr(row, name) == it for name, it in wanted.items())]

    def grid(
        self, table: str, label: str, shown: Iterable[Shown], rows: Iterable[Row] | None = None, place: str = PAGE
    ) -> Grid:
        """Draw a table, of all its rows or of these, with each column in the format of its definition."""
        return grid(label, shown, self.rows(table) if rows is None else rows, self, TABLES[table].formats, place)

    def by_source(
        self,
        label: str,
        cells: Mapping[tuple[Any, Any], Cell],
        columns: Mapping[Any, str],
        below: Mapping[Any, Cell] = EMPTY,
    ) -> Grid:
        """Draw a row per source, of which the reference is marked, and the rows below them."""
        marked = {each.key for each in self.report.sources if each.is_reference}
        badge = pgettext("a source", "reference")
        rows = {key: Cell(name, badge=badge if key in marked else "") for key, name in self.names["sources"].items()}
        return pivot(label, _("Source"), cells, {**rows, **below}, columns)

    @cached_property
    def names(self) -> dict[str, dict[Any, str]]:
        return names_of(self.report)

    @cached_property
    def compared(self) -> frozenset[str]:
        """Return the criteria that compare."""
        return frozenset(each.criterion for each in self.report.side_bias)

    @cached_property
    def columns(self) -> dict[str, str]:
        """Return the names of the criteria that have votes, in the order of tables."""
        return {each.key: each.name for each in self.report.criteria}

    @cached_property
    def of_dialogues(self) -> bool:
        return self.report.material.has_dialogues_as_units


@dataclass(frozen=True, slots=True)
class Part:
    """A table with a title, which may have only the first of its `n` rows."""

    title: str
    n: int
    table: Grid

    @property
    def is_cut(self) -> bool:
        return self.n > len(self.table.lines)
