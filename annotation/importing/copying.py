"""PostgreSQL's COPY, text format: what a value looks like, and how a file of such lines is loaded."""

import tempfile
from collections.abc import Iterable, Mapping, Sequence
from typing import IO, Any

from django.db import connection

BLOCK = 1024 * 1024
NULL = b"\\N"


def spool_file() -> IO[bytes]:
    """A file that is gone once closed, on disk: what is checked but not yet stored may be larger than memory."""
    return tempfile.TemporaryFile(buffering=BLOCK)


def copy_text(value: str) -> bytes:
    """A text as a COPY cell."""
    data = value.encode()
    if b"\\" in data:
        data = data.replace(b"\\", b"\\\\")
    if b"\n" in data or b"\t" in data or b"\r" in data:
        data = data.replace(b"\n", b"\\n").replace(b"\t", b"\\t").replace(b"\r", b"\\r")
    return data


def copy_ids(values: Iterable[int]) -> bytes:
    """Whole numbers as the cell of an array column."""
    return b"{" + ",".join(map(str, values)).encode() + b"}"


def copy_in(cursor: Any, table: str, columns: str, file: IO[bytes]) -> None:
    """Load all lines of the file. Table and columns are constants of the program, never input."""
    file.flush()
    file.seek(0)
    cursor.copy_expert(f"COPY {table} ({columns}) FROM STDIN", file, BLOCK)


def prepare_bulk(cursor: Any) -> None:
    """For this transaction: freshly filled tables have no statistics, and a nested loop over them never ends."""
    cursor.execute("SET LOCAL enable_nestloop = off")


def fetch(sql: str, params: Iterable[Any] = ()) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, list(params))
        return cursor.fetchall()


def execute(sql: str, params: Sequence[Any] | Mapping[str, Any] = ()) -> int:
    """Run one statement; how many rows it touched."""
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        return cursor.rowcount
