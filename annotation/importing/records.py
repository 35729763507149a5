"""Read the objects of a JSON Lines, JSON or Parquet file, each with its line."""

import itertools
from collections.abc import Iterator
from pathlib import Path

from annotation.importing.documents import read_document
from annotation.importing.fields import Record
from annotation.importing.files import read_lines
from annotation.importing.kinds import JSON, PARQUET
from annotation.importing.outcome import ErrorLog, Progress, no_progress
from annotation.importing.shapes import load_record
from annotation.importing.sheets import parquet_records

LOOKED_AT = 20  # lines or records: a bad first one must not hide what the rest are


def read_records(path: Path, kind: str, log: ErrorLog, progress: Progress) -> Iterator[tuple[int, Record]]:
    """Yield (line, record) of a file that holds objects. Errors go to the log."""
    if kind == JSON:
        return read_document(path, log, progress)
    return parquet_records(path, progress) if kind == PARQUET else _json_lines(path, log, progress)


def _json_lines(path: Path, log: ErrorLog, progress: Progress) -> Iterator[tuple[int, Record]]:
    for number, line in read_lines(path, log, progress):
        with log.catching(number):
            record = load_record(line)
            if record is not None:
                yield number, record


def first_records(path: Path, kind: str) -> list[Record]:
    """Return those of the first records that can be read."""
    return [record for _line, record in itertools.islice(read_records(path, kind, ErrorLog(), no_progress), LOOKED_AT)]
