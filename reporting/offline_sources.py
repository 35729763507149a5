"""Compare the sources in a ratings file without a database: any table that pandas reads -> codes -> the mixed model.

The file is the user's, so error messages name the file, the line and the column.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from measures.arrays import BoolArray, FloatArray, IntArray
from measures.mixed.design import ANNOTATOR, ITEM, RESIDUAL, Ratings, codes_of
from measures.mixed.sources import SourceComparison, compare_sources
from measures.mixed.words import left_out_sentences, method_sentence
from measures.ordinal.odds import CumulativeFit, odds_ratios
from reporting.offline import GZIP_MAGIC, UnreadableRatings, Where, number_of

TextArray = npt.NDArray[np.object_]

SCALES = ("binary", "ordinal", "interval")
BINARY_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
MISSING = frozenset({"", "na", "nan", "null", "none"})
# The names of pandas' readers by the end of a file's name; anything else is read as CSV.
READERS = {
    ".parquet": "read_parquet", ".feather": "read_feather", ".orc": "read_orc", ".xlsx": "read_excel",
    ".xls": "read_excel", ".ods": "read_excel", ".json": "read_json", ".jsonl": "read_json", ".ndjson": "read_json",
    ".dta": "read_stata", ".sas7bdat": "read_sas", ".xpt": "read_sas", ".sav": "read_spss",
}  # fmt: skip
LINED, TABBED = (".jsonl", ".ndjson"), (".tsv", ".tab")
PACKED = (".gz", ".bz2", ".zip", ".xz", ".zst")
SHARE_TO_WARN = 0.01


@dataclass(frozen=True, slots=True)
class SourceColumns:
    """The names of the columns, by role."""

    item: str
    source: str
    annotator: str
    value: str
    conversation: str | None = None
    criterion: str | None = None
    where: Where = ()

    @property
    def ids(self) -> list[str]:
        return [name for name in (self.item, self.source, self.annotator, self.conversation, self.criterion) if name]


@dataclass(frozen=True, slots=True)
class CriterionSources:
    """The comparison of one criterion; `found` has places in `sources`."""

    criterion: str | None
    sources: tuple[str, ...]
    found: SourceComparison
    method: str
    left_out: tuple[str, ...]
    warnings: tuple[str, ...]
    odds: CumulativeFit | None  # if it was asked for


def compare_file(
    path: Path, columns: SourceColumns, scale: str | None, *, has_odds: bool = False
) -> list[CriterionSources]:
    """Return the comparison of each criterion, in the order of their first row. Raises UnreadableRatings."""
    table = _Table.read(path, columns)
    if columns.criterion is None:
        return [_compared(table, None, columns, scale, has_odds)]
    criteria = table.texts[columns.criterion]
    return [
        _compared(table.some(criteria == name), name, columns, scale, has_odds)
        for name in dict.fromkeys(criteria.tolist())
    ]


# Reading


@dataclass(frozen=True, slots=True)
class _Table:
    """The columns that are needed as texts without blanks around them, and the line of each row."""

    path: Path
    texts: dict[str, TextArray]
    lines: IntArray

    @classmethod
    def read(cls, path: Path, columns: SourceColumns) -> "_Table":
        """Read a file without its blank rows; ids must be there."""
        frame, first_line = _frame(path)
        names = [str(name).strip() for name in frame.columns]
        needed = list(dict.fromkeys([*columns.ids, columns.value, *(name for name, _ in columns.where)]))
        for name in needed:
            if names.count(name) != 1:
                reason = "this column is there twice" if name in names else (
                    f"no such column, the file has {', '.join(names)}"
                )  # fmt: skip
                _refuse(path, 1, name, reason)
        texts = {name: _texts(frame.iloc[:, names.index(name)]) for name in needed}
        filled = np.zeros(len(frame), bool)
        for column in texts.values():
            filled |= column != ""
        for name, value in columns.where:
            filled &= texts[name] == value
        table = cls(path, texts, np.arange(len(frame)) + first_line).some(filled)
        if not len(table.lines):
            _refuse(path, 1, None, "no row is as --where says" if columns.where else "no ratings below the header")
        for name in columns.ids:
            if (empty := np.flatnonzero(table.texts[name] == "")).size:
                _refuse(path, int(table.lines[empty[0]]), name, "is empty")
        return table

    def some(self, chosen: BoolArray) -> "_Table":
        return _Table(self.path, {name: column[chosen] for name, column in self.texts.items()}, self.lines[chosen])


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


def _refuse(path: Path, line: int, column: str | None, reason: str) -> NoReturn:
    where = f"{path}, line {line}" + (f", column {column!r}" if column is not None else "")
    raise UnreadableRatings(f"{where}: {reason}")


# Results


def _compared(
    table: _Table, criterion: str | None, columns: SourceColumns, scale: str | None, has_odds: bool
) -> CriterionSources:
    values = _numbers(table, columns.value, scale)
    given = ~np.isnan(values)
    rated, values = table.some(given), values[given]
    ratings, sources = _ratings(rated, columns, values)
    _refuse_duplicates(rated, columns, ratings)
    is_share = scale == "binary" or (scale is None and bool(np.isin(values, (0.0, 1.0)).all()))
    found = compare_sources(ratings, len(sources), bounds=(0.0, 1.0) if is_share else (-np.inf, np.inf))
    has_conversations = columns.conversation is not None
    left_out = left_out_sentences(found, has_conversations=has_conversations)
    n_missing = int((~given).sum())
    if n_missing:
        left_out.append(f"{n_missing:,} of {len(given):,} ratings without a value")
    return CriterionSources(
        criterion,
        sources,
        found,
        method_sentence(found, has_conversations=has_conversations),
        tuple(left_out),
        tuple(_warnings(found, n_missing, len(given))),
        odds_ratios(ratings) if has_odds else None,
    )


def _numbers(table: _Table, column: str, scale: str | None) -> FloatArray:
    """Return the values, NaN where there is none. Raises UnreadableRatings for what the scale has not."""
    levels, codes = np.unique(table.texts[column].astype(str), return_inverse=True)
    codes = codes.ravel()
    numbers = np.empty(len(levels))
    for place, text in enumerate(levels.tolist()):
        number = BINARY_WORDS.get(text.lower()) if scale in ("binary", None) else None
        number = number_of(text) if number is None else number
        if text.lower() not in MISSING and (number is None or (scale == "binary" and number not in (0.0, 1.0))):
            wanted = "0 or 1, yes or no, true or false" if scale == "binary" else "a number"
            _refuse(table.path, int(table.lines[np.argmax(codes == place)]), column, f"{text!r} is not {wanted}")
        numbers[place] = np.nan if number is None else number
    return numbers[codes]


def _ratings(table: _Table, columns: SourceColumns, values: FloatArray) -> tuple[Ratings, tuple[str, ...]]:
    def coded(name: str) -> tuple[list[str], IntArray]:
        levels, codes = np.unique(table.texts[name].astype(str), return_inverse=True)
        return levels.tolist(), codes.ravel().astype(np.int64)

    sources, source = coded(columns.source)
    item = coded(columns.item)[1]
    conversation = coded(columns.conversation)[1] if columns.conversation else item
    return Ratings(source, coded(columns.annotator)[1], conversation, item, values), tuple(sources)


def _refuse_duplicates(table: _Table, columns: SourceColumns, ratings: Ratings) -> None:
    if ratings.annotator is None or not len(ratings):
        return
    rated = codes_of(ratings.groups[ITEM], ratings.source, ratings.annotator)
    _, first, place = np.unique(rated, return_index=True, return_inverse=True)
    again = np.flatnonzero(first[place.ravel()] != np.arange(len(ratings)))
    if again.size:
        earlier = int(table.lines[first[place.ravel()[again[0]]]])
        reason = f"rates an item of a source again, first on line {earlier}"
        _refuse(table.path, int(table.lines[again[0]]), columns.annotator, reason)


def _warnings(found: SourceComparison, n_missing: int, n_rows: int) -> list[str]:
    said = []
    if any(each.effect == ANNOTATOR and each.reason == RESIDUAL for each in found.left_out):
        said.append(
            "every rating has an annotator of its own: annotators are not identified, so how they differ cannot be "
            "told apart from chance, and the intervals are too narrow if some gave several ratings"
        )
    if n_missing == n_rows:
        said.append(
            "no answer has a number: for answers that are words, such as yes and no, name their column with --value, "
            "and their criterion with --where"
        )
    elif n_missing > SHARE_TO_WARN * n_rows:
        said.append(f"{n_missing:,} of {n_rows:,} ratings have no value and are left out")
    return said
