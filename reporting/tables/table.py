"""A table of the report, defined once: its columns, and its rows as a DataFrame."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from reporting.study.plain import plain
from reporting.tables.columns import Column, Format

if TYPE_CHECKING:
    from pandas import DataFrame

S = TypeVar("S")
BAR = "|"


@dataclass(frozen=True, slots=True)
class Table(Generic[S]):
    """`rows` takes dataclasses or mappings from a source, such as a report; what is no column of theirs is left out."""

    name: str
    columns: list[Column]
    rows: Callable[[S], Iterable[Any]]

    @property
    def formats(self) -> dict[str, Format]:
        return {each.name: each.format for each in self.columns}

    def values(self, source: S) -> dict[str, list[Any]]:
        """Return the columns as values of Python, None for a missing one: what a page shows, and a frame is made of."""
        rows = [plain(row) for row in self.rows(source)]
        return {each.name: [_cell(row[each.name]) for row in rows] for each in self.columns}

    def frame(self, source: S) -> "DataFrame":
        """Return the rows with typed columns, which are there without any row, too."""
        import pandas  # here: it takes half a second and 60 MB, which a page can do without

        found = self.values(source)
        return pandas.DataFrame({each.name: pandas.array(found[each.name], dtype=each.dtype) for each in self.columns})


def rows_of(frame: "DataFrame") -> Iterator[tuple[Any, ...]]:
    """Yield the rows as values of Python, None for a missing one."""
    return zip(*(values_of(frame, name) for name in frame.columns), strict=True)


def values_of(frame: "DataFrame", name: Any) -> list[Any]:
    return frame[name].to_numpy(object, na_value=None).tolist()


def _cell(value: Any) -> Any:
    return BAR.join(value) if isinstance(value, list) else value
