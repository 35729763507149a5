"""Write values in the text format of PostgreSQL's COPY, and load files of such lines."""

import tempfile
from collections.abc import Iterable, Mapping, Sequence
from typing import IO, Any

from django.db import connection

BLOCK = 1024 * 1024
NULL = b"\\N"
MANY = 1000  # new rows: with fewer, the old statistics of a table still hold


def spool_file() -> IO[bytes]:
    """Return a temporary file on disk: rows that are checked but not yet stored may be larger than memory."""
    return tempfile.TemporaryFile(buffering=BLOCK)


def copy_text(value: str) -> bytes:
    """Return a text as a COPY cell."""
    data = value.encode()
    if b"\\" in data:
        data = data.replace(b"\\", b"\\\\")
    if b"\n" in data or b"\t" in data or b"\r" in data:
        data = data.replace(b"\n", b"\\n").replace(b"\t", b"\\t").replace(b"\r", b"\\r")
    return data


def copy_ids(values: Iterable[int]) -> bytes:
    """Return whole numbers as a COPY cell of an array column."""
    return b"{" + ",".join(map(str, values)).encode() + b"}"


def copy_in(cursor: Any, table: str, columns: str, file: IO[bytes]) -> None:
    """Load all lines of the file. Table and columns must be constants of the program, never input."""
    file.flush()
    file.seek(0)
    cursor.copy_expert(f"COPY {table} ({columns}) FROM STDIN", file, BLOCK)


def prepare_bulk(cursor: Any) -> None:
    """Turn off nested loops in this transaction: new tables have no statistics, and such a loop never ends."""
    cursor.execute("SET LOCAL enable_nestloop = off")


def analyse(*tables: str) -> None:
    """Count the tables again after a large import: with old statistics, the next one may take minutes, not seconds."""
    execute("ANALYZE " + ", ".join(tables))


def fetch(sql: str, params: Sequence[Any] | Mapping[str, Any] = ()) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        return cursor.fetchall()


def execute(sql: str, params: Sequence[Any] | Mapping[str, Any] = ()) -> int:
    """Run one statement. Return how many rows it touched."""
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        return cursor.rowcount
