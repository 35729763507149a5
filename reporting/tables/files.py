"""Write frames as files: CSV, JSON, Parquet, and workbooks with a sheet for each."""

import io
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from parley.formulas import csv_text
from reporting.tables.columns import ANY, Column, Format
from reporting.tables.table import rows_of, values_of

if TYPE_CHECKING:
    from pandas import DataFrame

WIDEST = 60  # characters
LONGEST_NAME = 31  # of a sheet


def as_csv(frame: "DataFrame") -> str:
    return csv_text(frame.columns, rows_of(frame))


def as_json(frame: "DataFrame") -> str:
    """Return a list with an object for each row."""
    rows = [dict(zip(frame.columns, row, strict=True)) for row in rows_of(frame)]
    return json.dumps(rows, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def as_parquet(frame: "DataFrame") -> bytes:
    """Return the frame with its types. A column of numbers and texts becomes one of texts."""
    out = io.BytesIO()
    mixed = {name: "string" for name, dtype in frame.dtypes.items() if str(dtype) == ANY}
    frame.astype(mixed).to_parquet(out, index=False)
    return out.getvalue()


def as_xlsx(frames: Mapping[str, "DataFrame"]) -> bytes:
    """Return a workbook with a sheet per frame and a frozen header. Texts never become formulas or links."""
    import xlsxwriter

    out = io.BytesIO()
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    with xlsxwriter.Workbook(out, options) as book:
        bold = book.add_format({"bold": True})
        formats = {each: book.add_format({"num_format": each.value}) for each in Format}
        for name, frame in frames.items():
            sheet = book.add_worksheet(name[:LONGEST_NAME])
            sheet.write_row(0, 0, frame.columns, bold)
            sheet.freeze_panes(1, 0)
            for place, (title, dtype) in enumerate(frame.dtypes.items()):
                values = values_of(frame, title)
                _write(sheet, place, values, formats[Column(str(title), str(dtype)).format])
                longest = max(len(str(each)) for each in (title, *values))
                sheet.set_column(place, place, min(longest + 2, WIDEST))
    return out.getvalue()


def _write(sheet: Any, place: int, values: list[Any], form: Any) -> None:
    for at, value in enumerate(values, start=1):
        if isinstance(value, bool):
            sheet.write_boolean(at, place, value)
        elif isinstance(value, int | float):
            sheet.write_number(at, place, value, form)
        elif value is not None:
            sheet.write_string(at, place, str(value))
