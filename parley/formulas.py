"""Quote texts that a spreadsheet would run as a formula in files we write, and unquote them in files we read."""

import csv
import io
import re
from collections.abc import Iterable, Mapping
from typing import Any

QUOTED = re.compile(r"'+[=+\-@\t\r]")
UNSAFE = re.compile(r"'*[=+\-@\t\r]")


def quote_formula(text: str) -> str:
    """Return the text with an apostrophe in front, also if it has some already: otherwise it could not be undone."""
    return "'" + text if UNSAFE.match(text) else text


def cell_of(value: Any) -> Any:
    """Return the value of a CSV cell: texts quoted, numbers as they are, None as an empty string."""
    return quote_formula(value) if isinstance(value, str) else "" if value is None else value


def csv_file(heading: Iterable[Any], rows: Iterable[Iterable[Any]]) -> str:
    """Return a CSV file for spreadsheets, with the mark that shows it is UTF-8. exports.tables streams large files."""
    return "\ufeff" + csv_text(heading, rows)


def csv_text(heading: Iterable[Any], rows: Iterable[Iterable[Any]]) -> str:
    """Return a CSV file for programs, without that mark."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerows([cell_of(value) for value in row] for row in (heading, *rows))
    return out.getvalue()


def csv_of_records(records: Iterable[Mapping[str, Any]]) -> str:
    """Return records with the same keys as CSV for programs, keys in the first line; empty without records."""
    out = io.StringIO()
    writer: csv.DictWriter[str] | None = None
    for record in records:
        if writer is None:
            writer = csv.DictWriter(out, fieldnames=list(record), lineterminator="\r\n")
            writer.writeheader()
        writer.writerow({name: cell_of(value) for name, value in record.items()})
    return out.getvalue()


def unquote_formula(text: str) -> str:
    """Return the text that quote_formula was given."""
    return text[1:] if QUOTED.match(text) else text
