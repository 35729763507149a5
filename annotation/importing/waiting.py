"""Keep rows of a table on disk until all rows of their dialogue are known: they may be anywhere in the file."""

from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import IO

import orjson

from annotation.importing.copying import spool_file
from annotation.importing.fields import Record


class WaitingRows(AbstractContextManager):
    def __init__(self) -> None:
        self._file: IO[bytes] = spool_file()

    def __exit__(self, *_error: object) -> None:
        self._file.close()

    def put(self, row: Record) -> int:
        """Write a row, and return the place to find it at."""
        place = self._file.seek(0, 2)
        self._file.write(orjson.dumps(row) + b"\n")
        return place

    def at(self, places: Iterable[int]) -> list[Record]:
        rows = []
        for place in places:
            self._file.seek(place)
            rows.append(orjson.loads(self._file.readline()))
        return rows


def shared_and_own(rows: list[Record]) -> tuple[Record, list[Record]]:
    """Return the fields that are the same in all rows, and the others of each row."""
    shared = {name: value for name, value in rows[0].items() if all(each[name] == value for each in rows)}
    return shared, [{name: value for name, value in row.items() if name not in shared} for row in rows]
