"""Write all tables of the report to one spreadsheet."""

import io
from typing import Any

from reporting.report.build import Report
from reporting.report.downloads import TABLES, rows_of

WIDEST = 60  # characters
LONGEST_NAME = 31  # of a sheet


def as_xlsx(report: Report) -> bytes:
    """Return a workbook with a sheet per table and a frozen header. Texts never become formulas or links."""
    import xlsxwriter

    out = io.BytesIO()
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    with xlsxwriter.Workbook(out, options) as book:
        bold = book.add_format({"bold": True})
        for name in TABLES:
            sheet = book.add_worksheet(name[:LONGEST_NAME])
            rows = list(rows_of(report, name))
            names = list(rows[0]) if rows else []
            sheet.write_row(0, 0, names, bold)
            sheet.freeze_panes(1, 0)
            for at, row in enumerate(rows, start=1):
                _write(sheet, at, row)
            for column, title in enumerate(names):
                longest = max(len(str(row[title])) for row in rows)
                sheet.set_column(column, column, min(max(longest, len(title)) + 2, WIDEST))
    return out.getvalue()


def _write(sheet: Any, at: int, row: dict[str, Any]) -> None:
    for column, value in enumerate(row.values()):
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            sheet.write_string(at, column, "" if value is None else str(value))
        else:
            sheet.write_number(at, column, value)
