"""Read the rows of a CSV file with a header, separated by comma, semicolon or tab. Quoted line breaks are kept."""

import csv
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from django.utils.translation import gettext as _

from annotation.importing.files import LONGEST_LINE, read_lines
from annotation.importing.outcome import BadField, ErrorLog, Progress, rejected

DELIMITERS = (",", ";", "\t")

# The csv module's own limit is 131,072 characters, and a real dialogue may be longer.
csv.field_size_limit(LONGEST_LINE)


@dataclass(slots=True)
class Row:
    line: int
    values: list[str]


class Table:
    """A CSV file. The header is read at once; iterating yields the rows. Errors in a row go to the log."""

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
            names = [name.strip() for name in next(self._reader)]
        except (csv.Error, StopIteration) as error:
            reason = _("the header cannot be read (%(error)s)") % {"error": error}
            raise rejected(reason, line=1) from None
        self.columns = [name or f"column_{at}" for at, name in enumerate(names, start=1)]
        lowered = [name.casefold() for name in self.columns]
        twice = sorted({name for name in lowered if lowered.count(name) > 1})
        if twice:
            raise rejected(_("the header has this column twice"), twice[0], line=1)
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
