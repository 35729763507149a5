"""Downloads of the report: each table in four formats, all as a workbook, and everything as one JSON document."""

import json
from collections.abc import Callable

from reporting.report.build import Report, plain_report
from reporting.report.frames import TABLES
from reporting.tables import files


def as_json(report: Report) -> str:
    return json.dumps(plain_report(report), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def as_csv(report: Report, table: str) -> str:
    """Return one table as CSV. Raises KeyError for a name that is not in TABLES."""
    return files.as_csv(TABLES[table].frame(report))


def as_xlsx(report: Report, *tables: str) -> bytes:
    """Return a workbook with a sheet for each table, all or those that are named."""
    return files.as_xlsx({name: TABLES[name].frame(report) for name in tables or TABLES})


# The formats of a table: what writes it, and the type of the file. The byte order mark (utf-8-sig) makes spreadsheets
# read the names of sources as UTF-8.
FORMATS: dict[str, tuple[Callable[[Report, str], bytes], str]] = {
    "csv": (lambda report, table: as_csv(report, table).encode("utf-8-sig"), "text/csv; charset=utf-8"),
    "xlsx": (as_xlsx, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    "parquet": (
        lambda report, table: files.as_parquet(TABLES[table].frame(report)),
        "application/vnd.apache.parquet",
    ),
    "json": (lambda report, table: files.as_json(TABLES[table].frame(report)).encode(), "application/json"),
}
NAMES = {"csv": "CSV", "xlsx": "XLSX", "parquet": "Parquet", "json": "JSON"}
