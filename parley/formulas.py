"""Texts that a spreadsheet would run as a formula: quoted in files that we write, unquoted in those we read back."""

import csv
import io
import re
from collections.abc import Iterable, Mapping
from typing import Any

QUOTED = re.compile(r"'+[=+\-@\t\r]")
UNSAFE = re.compile(r"'*[=+\-@\t\r]")


def quote_formula(text: str) -> str:
    """One apostrophe more in front, also of a text that has such apostrophes already: else it could not be undone."""
    return "'" + text if UNSAFE.match(text) else text


def cell_of(value: Any) -> Any:
    """Of a CSV: texts quoted, numbers as they are, undefined empty."""
    return quote_formula(value) if isinstance(value, str) else "" if value is None else value


def csv_file(heading: Iterable[Any], rows: Iterable[Iterable[Any]]) -> str:
    """A whole file for spreadsheets, with the mark they know UTF-8 by. Large ones are streamed: exports.tables."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerows([cell_of(value) for value in row] for row in (heading, *rows))
    return "\ufeff" + out.getvalue()


def csv_of_records(records: Iterable[Mapping[str, Any]]) -> str:
    """Return records of the same keys as CSV for programs, the keys in the first line. Empty without records."""
    out = io.StringIO()
    writer: csv.DictWriter[str] | None = None
    for record in records:
        if writer is None:
            writer = csv.DictWriter(out, fieldnames=list(record), lineterminator="\r\n")
            writer.writeheader()
        writer.writerow({name: cell_of(value) for name, value in record.items()})
    return out.getvalue()


def unquote_formula(text: str) -> str:
    """The text that quote_formula was given."""
    return text[1:] if QUOTED.match(text) else text
