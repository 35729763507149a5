"""Read workbooks (XLSX) and Parquet files with pandas, which is imported when the first such file is read."""

import math
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, time
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from django.utils.translation import gettext as _

from annotation.importing.fields import Record, canonical_json
from annotation.importing.files import MOST_UNPACKED, too_much
from annotation.importing.outcome import READING, BadField, ErrorLog, ImportRejected, Progress, rejected
from annotation.importing.remedies import choose_sheet
from parley.listing import both, either

MOST_WORKBOOK = 512 * 1024**2  # a workbook is unpacked and held in memory as a whole
MOST_PARQUET_ROWS = 20_000_000  # a column that repeats one value may have any number of rows in a few bytes
ROWS_PER_BLOCK = 1000
FORMULA, CELL, VALUE = (f"{{http://schemas.openxmlformats.org/spreadsheetml/2006/main}}{name}" for name in "fcv")


@dataclass(frozen=True, slots=True)
class Cells:
    """A row of values as the file types them. `line` is the row of the sheet, or counts the rows of a Parquet file."""

    line: int
    values: tuple[Any, ...]


def cell_text(value: Any, column: str) -> str:
    """Return a value as the text of a cell: times in ISO 8601, lists and objects as JSON. Raise BadField."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _number_text(value, column)
    if isinstance(value, datetime):
        is_a_day = value.tzinfo is None and value.time() == time()  # a workbook has no other kind of date
        return (value.date() if is_a_day else value).isoformat()
    if isinstance(value, (list, dict)):
        return canonical_json(value, column).decode()
    if isinstance(value, bytes):
        raise BadField(column, _("holds binary data, which cannot be shown: leave the column out"))
    return "" if value is None else str(value)


def _number_text(value: float, column: str) -> str:
    if math.isnan(value):  # pandas returns NaN for a cell that holds an error
        raise BadField(column, _("holds an error such as #REF! or is not a number: correct or empty the cell"))
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


# --- workbooks -----------------------------------------------------------------------------------
def workbook_rows(path: Path, most: int | None = None, sheet: str = "") -> Iterator[Cells]:
    """Yield the rows of the wanted sheet, or of the only one with content. At most the first `most` are read.

    Raise ImportRejected.
    """
    import pandas  # here: it takes half a second and 60 MB, and most imports are JSON Lines or CSV

    with _workbook(path) as book:
        name = _chosen_sheet(book, sheet)
        # As typed: "NA" is a text, 007 keeps its zeros, and an error in a cell is NaN, which nothing else is.
        frame = pandas.read_excel(book, name, header=None, dtype=object, na_filter=False, nrows=most)
        _refuse_uncounted(path, book.book[name]._worksheet_path)
    rows = (Cells(number, values) for number, values in enumerate(frame.itertuples(index=False, name=None), start=1))
    yield from (row for row in rows if any(value != "" for value in row.values))


def sheet_names(path: Path) -> list[str]:
    """Return the sheets of a workbook that have content. Raise ImportRejected."""
    with _workbook(path) as book:
        return _filled_sheets(book)


@contextmanager
def _workbook(path: Path) -> Iterator[Any]:
    import pandas

    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(each.file_size for each in archive.infolist())
        if size > MOST_WORKBOOK:
            reason = _("the workbook contains more than %(most)s MB: save the sheet as CSV")
            raise rejected(reason % {"most": MOST_WORKBOOK >> 20})
        with path.open("rb") as file, pandas.ExcelFile(file, engine="openpyxl") as book:  # a name would need an ending
            yield book
    except ImportRejected:
        raise
    except Exception as error:  # of three libraries and any kind, for a damaged file
        reason = _("the workbook cannot be read (%(error)s): open it in Excel and save it again")
        raise rejected(reason % {"error": str(error)[:200]}) from error


def _filled_sheets(book: Any) -> list[str]:
    names = []
    for sheet in book.book.worksheets:
        sheet.reset_dimensions()  # some programs write wrong ones
        if any(value is not None for row in sheet.iter_rows(values_only=True) for value in row):
            names.append(sheet.title)
    return names


def _chosen_sheet(book: Any, wanted: str) -> str:
    names = _filled_sheets(book)
    if not names:
        raise rejected(_("the file is empty"))
    if wanted:
        found = next((name for name in names if name.casefold() == wanted.casefold()), None)
        if found is None:
            reason = _("the workbook has no sheet %(name)r with content: use %(names)s")
            raise rejected(reason % {"name": wanted, "names": either(names)}, "sheet")
        return found
    if len(names) > 1:
        reason = _("the workbook has %(n)s sheets with content (%(names)s)")
        raise rejected(reason % {"n": len(names), "names": both(names)}, "sheet", remedy=choose_sheet())
    return names[0]


def _refuse_uncounted(path: Path, sheet: str) -> None:
    """Raise ImportRejected with each formula without a stored value: only spreadsheet programs store them."""
    log = ErrorLog()
    with zipfile.ZipFile(path) as book:
        if not _has_formulas(book, sheet):
            return
        for _event, cell in ElementTree.iterparse(book.open(sheet)):  # noqa: S314 - expat bounds entities
            if cell.tag != CELL:
                continue
            if cell.find(FORMULA) is not None and not cell.findtext(VALUE) and cell.get("t") != "str":
                place = cell.get("r", "")
                column = place.rstrip("0123456789")
                reason = _(
                    "is a formula without a stored value: open the file in Excel or LibreOffice and save it again"
                )
                log.add(int(place.removeprefix(column) or 0), column, reason)
            cell.clear()
    log.refuse_any()


def _has_formulas(book: zipfile.ZipFile, name: str) -> bool:
    with book.open(name) as sheet:
        before = b""
        while piece := sheet.read(ROWS_PER_BLOCK * 1024):
            if any(mark in before + piece for mark in (b"<f>", b"<f ", b"<f/")):
                return True
            before = piece[-3:]
    return False


# --- Parquet -------------------------------------------------------------------------------------
def parquet_columns(path: Path) -> dict[str, bool]:
    """Return the columns of a Parquet file, each with whether it holds lists. Raise ImportRejected."""
    import pyarrow

    with _parquet(path) as file:
        schema = file.schema_arrow
        kinds = (pyarrow.types.is_list, pyarrow.types.is_large_list, pyarrow.types.is_fixed_size_list)
        return {each.name: any(kind(each.type) for kind in kinds) for each in schema}


def parquet_rows(path: Path, progress: Progress) -> Iterator[Cells]:
    """Yield the rows of a Parquet file in bounded memory."""
    import pandas

    total = path.stat().st_size
    with _parquet(path) as file:
        n_rows = file.metadata.num_rows
        number = 0
        for block in file.iter_batches(ROWS_PER_BLOCK):
            # Types of Arrow: with those of numpy, whole numbers become fractions where a value is missing.
            frame = block.to_pandas(types_mapper=pandas.ArrowDtype)
            for values in frame.itertuples(index=False, name=None):
                number += 1
                yield Cells(number, tuple(_plain(None if value is pandas.NA else value) for value in values))
            progress(total * number // max(n_rows, 1), total, READING)


def parquet_records(path: Path, progress: Progress) -> Iterator[tuple[int, Record]]:
    """Yield (row, record) without empty values: Parquet fills in a field that only some records have."""
    names = list(parquet_columns(path))
    for row in parquet_rows(path, progress):
        yield row.line, {name: value for name, value in zip(names, row.values, strict=True) if value is not None}


@contextmanager
def _parquet(path: Path) -> Iterator[Any]:
    import pyarrow
    import pyarrow.parquet

    try:
        with path.open("rb") as file:
            found = pyarrow.parquet.ParquetFile(file)
            facts = found.metadata
            if facts.num_rows > MOST_PARQUET_ROWS:
                text = _("the file has more than %(most)s rows: split it")
                raise rejected(text % {"most": f"{MOST_PARQUET_ROWS:,}"})
            if sum(facts.row_group(at).total_byte_size for at in range(facts.num_row_groups)) > MOST_UNPACKED:
                raise rejected(too_much())
            yield found
    except (pyarrow.ArrowException, OSError) as error:
        reason = _("the Parquet file cannot be read (%(error)s): write it again")
        raise rejected(reason % {"error": str(error)[:200]}) from error


def _plain(value: Any) -> Any:
    """Return a value of Arrow as JSON has it, and fields of records without a value left out."""
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items() if each is not None}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return value if value is None or isinstance(value, (str, bool, int, float, bytes)) else cell_text(value, "")
