"""Read only the first rows of a file: a preview must not take as long as the import."""

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol, TypeVar

from annotation.importing.outcome import ErrorLog


class HasLine(Protocol):
    @property
    def line(self) -> int: ...


R = TypeVar("R", bound=HasLine)


@dataclass(slots=True)
class Extent:
    """Say how many rows of a file are read. With `is_part`, the file is only the beginning of one, cut anywhere."""

    most: int | None = None
    is_part: bool = False
    n_read: int = 0
    is_whole: bool = True

    @property
    def n_needed(self) -> int | None:
        """Return how many rows a reader must offer: one more tells that the file goes on."""
        return None if self.most is None else self.most + 1

    def of(self, rows: Iterable[R], log: ErrorLog) -> Iterator[R]:
        """Yield the rows as far as they are read. Behind the last one, an error of a part comes from the cut."""
        last, left = 0, iter(rows)
        self.is_whole = not self.is_part
        for row in itertools.islice(left, self.most):
            self.n_read, last = self.n_read + 1, row.line
            yield row
        if self.is_part:
            log.forget_behind(last)
        elif self.most is not None and next(left, None) is not None:
            self.is_whole = False
