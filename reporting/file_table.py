"""Read the columns of a table of ratings as texts, from any file that pandas reads.

The file is the user's, so error messages name the file, the line and the column.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from measures.arrays import BoolArray, IntArray
from reporting.file_options import Where
from reporting.file_scores import TextArray
from reporting.offline import GZIP_MAGIC, UnreadableRatings

# The names of pandas' readers by the end of a file's name; anything else is read as CSV.
READERS = {
    ".parquet": "read_parquet", ".feather": "read_feather", ".orc": "read_orc", ".xlsx": "read_excel",
    ".xls": "read_excel", ".ods": "read_excel", ".json": "read_json", ".jsonl": "read_json", ".ndjson": "read_json",
    ".dta": "read_stata", ".sas7bdat": "read_sas", ".xpt": "read_sas", ".sav": "read_spss",
}  # fmt: skip
LINED, TABBED = (".jsonl", ".ndjson"), (".tsv", ".tab")
PACKED = (".gz", ".bz2", ".zip", ".xz", ".zst")


@dataclass(frozen=True, slots=True)
class FileTable:
    """The columns that are needed as texts without blanks around them, and the line of each row."""

    path: Path
    texts: dict[str, TextArray]
    lines: IntArray
    columns: frozenset[str]  # of the file, also those that are not needed

    @classmethod
    def read(
        cls,
        path: Path,
        ids: Sequence[str],
        others: Sequence[str],
        where: Where = (),
        *,
        optional: Sequence[str] = (),
        remedies: Mapping[str, str] | None = None,
    ) -> "FileTable":
        """Read a file without its blank rows. Ids must be there, and `remedies` say what to do about one that is not.

        An optional column is an id if the file has it.
        """
        frame, first_line = _frame(path)
        names = [str(name).strip() for name in frame.columns]
        ids = [*ids, *(name for name in optional if name in names)]
        needed = list(dict.fromkeys([*ids, *others, *(name for name, _ in where)]))
        for name in needed:
            if names.count(name) != 1:
                reason = "this column is there twice" if name in names else (
                    f"no such column, the file has {', '.join(names)}"
                )  # fmt: skip
                refuse(path, 1, name, reason)
        texts = {name: _texts(frame.iloc[:, names.index(name)]) for name in needed}
        filled = np.zeros(len(frame), bool)
        for column in texts.values():
            filled |= column != ""
        for name, value in where:
            filled &= texts[name] == value
        table = cls(path, texts, np.arange(len(frame)) + first_line, frozenset(names)).some(filled)
        if not len(table.lines):
            refuse(path, 1, None, "no row is as --where says" if where else "no ratings below the header")
        for name in ids:
            if (empty := np.flatnonzero(table.texts[name] == "")).size:
                remedy = (remedies or {}).get(name, "")
                refuse(path, int(table.lines[empty[0]]), name, f"is empty{remedy}")
        return table

    def some(self, chosen: BoolArray) -> "FileTable":
        texts = {name: column[chosen] for name, column in self.texts.items()}
        return FileTable(self.path, texts, self.lines[chosen], self.columns)

    def refuse(self, row: int, column: str, reason: str) -> NoReturn:
        refuse(self.path, int(self.lines[row]), column, reason)


def _frame(path: Path) -> tuple[Any, int]:
    """Return what pandas reads, and the line of the first row: below a header, or 1 where there are no lines."""
    import pandas

    endings = [each.lower() for each in path.suffixes]
    ending = next((each for each in reversed(endings) if each not in PACKED), "")
    try:
        if ending in READERS:
            options: dict[str, Any] = {"lines": True} if ending in LINED else {}
            options |= {"dtype": False, "precise_float": True} if READERS[ending] == "read_json" else {}
            options |= {"dtype": object, "na_filter": False} if READERS[ending] == "read_excel" else {}
            frame = getattr(pandas, READERS[ending])(path, **options)
            return frame, 2 if READERS[ending] == "read_excel" else 1
        separator = "\t" if ending in TABBED else ","
        with path.open("rb") as raw:
            packed = "gzip" if raw.read(2) == GZIP_MAGIC else "infer"
        # As typed: "NA" is a text, 007 keeps its zeros, and blank lines count.
        as_typed = {"dtype": str, "keep_default_na": False, "skip_blank_lines": False, "encoding": "utf-8-sig"}
        return pandas.read_csv(path, sep=separator, compression=packed, index_col=False, **as_typed), 2
    except Exception as error:  # of several libraries and any kind, for a damaged file
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UnreadableRatings(f"{path}: cannot be read: {reason}") from error


def _texts(column: Any) -> TextArray:
    """Return texts without blanks around them: the number 3.0 as 3, what is missing as nothing."""
    levels, codes = np.unique(column.astype(object).where(column.notna(), "").map(_text), return_inverse=True)
    return levels.astype(object)[codes.ravel()]


def _text(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()


def refuse(path: Path, line: int, column: str | None, reason: str) -> NoReturn:
    where = f"{path}, line {line}" + (f", column {column!r}" if column is not None else "")
    raise UnreadableRatings(f"{where}: {reason}")
