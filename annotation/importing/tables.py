"""Read tables: columns with names, and rows of texts, whatever file they come from."""

import csv
import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from annotation.importing.files import LONGEST_LINE, read_lines
from annotation.importing.kinds import PARQUET, TABLE, WORKBOOK, file_kind
from annotation.importing.outcome import BadField, ErrorLog, Progress, no_progress, rejected
from annotation.importing.records import read_records
from annotation.importing.sheets import cell_text, parquet_columns, parquet_rows, workbook_rows

DELIMITERS = (",", ";", "\t")
MOST_COLUMNS = 1000

# The csv module's own limit is 131,072 characters, and a real dialogue may be longer.
csv.field_size_limit(LONGEST_LINE)


@dataclass(slots=True)
class Row:
    """A row with its line. Objects of a JSON list may share a line, and one may give several rows: see `record`."""

    line: int
    values: list[str]
    record: int = 0  # its number in the file, where it matters


@dataclass(slots=True)
class Table:
    """A table of any file. Iterating yields its rows, once; errors in a row go to the log.

    `may_be_quoted` says that a spreadsheet could open the file, so that our exports hide formulas in it.
    """

    columns: list[str]
    rows: Iterable[Row]
    may_be_quoted: bool = False

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)


def open_table(path: Path, log: ErrorLog, progress: Progress, most: int | None = None, sheet: str = "") -> Table:
    """Read the header, and rows as they are asked for. With `most`, only the first rows are needed.

    `sheet` names one of the sheets of a workbook, if several have content. Raise ImportRejected for a file
    that is no table.
    """
    kind = file_kind(path)
    if kind == WORKBOOK:
        return _workbook(path, log, most, sheet)
    if kind == PARQUET:
        columns = _header(list(parquet_columns(path)))
        return Table(columns, _texts(columns, ((row.line, row.values) for row in parquet_rows(path, progress)), log))
    if kind != TABLE:
        return _table_of_records(path, kind, log, progress)
    csv_file = CsvFile(path, log, progress)
    return Table(csv_file.columns, csv_file, may_be_quoted=True)


def _workbook(path: Path, log: ErrorLog, most: int | None, sheet: str) -> Table:
    rows = workbook_rows(path, None if most is None else most + 1, sheet)
    header = next(rows, None)
    if header is None:
        raise rejected(_("the file is empty"))
    body = list(rows)
    used = [
        at for at, name in enumerate(header.values) if name != "" or any(row.values[at] != "" for row in body)
    ]  # formatted columns without content are no columns
    try:
        names = [cell_text(header.values[at], "") for at in used]
    except BadField as error:
        raise rejected(error.reason, line=header.line) from None
    columns = _header(names, header.line)
    cells = ((row.line, [row.values[at] for at in used]) for row in body)
    return Table(columns, _texts(columns, cells, log), may_be_quoted=True)


def _table_of_records(path: Path, kind: str, log: ErrorLog, progress: Progress) -> Table:
    """Read flat records as rows. The first reading finds the columns: any record may have one that no other has."""
    names: dict[str, None] = {}
    for _line, record in read_records(path, kind, ErrorLog(), no_progress):
        names |= dict.fromkeys(record)
        if len(names) > MOST_COLUMNS:
            break
    columns = _header(list(names))
    records = read_records(path, kind, log, progress)
    return Table(
        columns, _texts(columns, ((line, [record.get(name) for name in names]) for line, record in records), log)
    )


def _texts(columns: list[str], rows: Iterable[tuple[int, Iterable[Any]]], log: ErrorLog) -> Iterator[Row]:
    for line, values in rows:
        with log.catching(line):
            yield Row(line, [cell_text(value, name) for value, name in zip(values, columns, strict=True)])


def _header(names: list[str], line: int = 1) -> list[str]:
    """Return the names of columns. Raise ImportRejected if two are the same or there are too many."""
    columns = [name.strip() or f"column_{at}" for at, name in enumerate(names, start=1)]
    if len(columns) > MOST_COLUMNS:
        text = _("the table has more than %(most)s columns: delete those that are not needed")
        raise rejected(text % {"most": f"{MOST_COLUMNS:,}"}, line=line)
    lowered = [name.casefold() for name in columns]
    twice = sorted({name for name in lowered if lowered.count(name) > 1})
    if twice:
        raise rejected(_("the header has this column twice"), twice[0], line=line)
    return columns


class CsvFile:
    """A CSV file with a header, separated by comma, semicolon or tab. Quoted line breaks are kept."""

    def __init__(self, path: Path, log: ErrorLog, progress: Progress) -> None:
        self._log = log
        self._line = 0
        self._began = 0
        lines = self._decoded(read_lines(path, log, progress))
        first = next(lines, None)
        if first is None:
            log.refuse_any()
            raise rejected(_("the file is empty"))
        self._reader = csv.reader(itertools.chain([first], lines), delimiter=delimiter_of(first), strict=True)
        try:
            names = next(self._reader)
        except (csv.Error, StopIteration) as error:
            reason = _("the header cannot be read (%(error)s)") % {"error": error}
            raise rejected(reason, line=1) from None
        self.columns = _header(names)
        self._began = self._line + 1

    def _decoded(self, lines: Iterator[tuple[int, bytes]]) -> Iterator[str]:
        for number, line in lines:
            self._line = number
            try:
                text = line.decode()
            except UnicodeDecodeError as error:
                reason = _("is not UTF-8 (byte %(byte)s): save the file as UTF-8") % {"byte": error.start + 1}
                self._log.add(number, "", reason)
                text = line.decode(errors="replace")
            yield text.removesuffix("\n").removesuffix("\r") + "\n"

    def __iter__(self) -> Iterator[Row]:
        while True:
            self._began = self._line + 1
            try:
                values = next(self._reader)
            except StopIteration:
                return
            except csv.Error as error:
                reason = _("is not CSV (%(error)s): check the quotation marks") % {"error": error}
                self._log.add(self._began, "", reason)
                continue
            if not values:
                continue
            if len(values) != len(self.columns):
                text = _("has %(values)s values, but the header has %(columns)s columns")
                self._log.add(self._began, "", text % {"values": len(values), "columns": len(self.columns)})
                continue
            yield Row(self._began, values)


def delimiter_of(header: str) -> str:
    return max(DELIMITERS, key=header.count)


def find_column(columns: list[str], names: tuple[str, ...]) -> int | None:
    """Return the place of the first name that the columns have, in upper or lower case, or None."""
    lowered = [column.casefold() for column in columns]
    return next((lowered.index(name) for name in names if name in lowered), None)


def need_column(columns: list[str], names: tuple[str, ...]) -> int:
    place = find_column(columns, names)
    if place is None:
        text = _("the header has no such column, only: %(columns)s")
        raise BadField(names[0], text % {"columns": ", ".join(columns)})
    return place
