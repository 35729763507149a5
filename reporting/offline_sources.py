"""Compare the sources in a ratings file without a database: any table that pandas reads -> codes -> the mixed model.

The file is the user's, so error messages name the file, the line and the column.
"""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from measures.arrays import BoolArray, FloatArray, IntArray
from measures.mixed.design import ANNOTATOR, ITEM, RESIDUAL, Ratings, codes_of
from measures.mixed.sources import RandomEffect, SourceComparison, compare_sources
from measures.mixed.words import effect_name, left_out_sentences, method_sentence
from measures.ordinal.odds import CumulativeFit, odds_ratios
from reporting.file_options import Where
from reporting.file_scores import Scoring, TextArray
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
    plain_means: tuple[float, ...]  # of the ratings of each source, without a model
    variances: tuple[tuple[str, RandomEffect], ...]  # with their names


def compare_file(
    path: Path, columns: SourceColumns, scoring: Scoring, *, has_odds: bool = False
) -> list[CriterionSources]:
    """Return the comparison of each criterion, in the order of their first row. Raises UnreadableRatings."""
    table = _Table.read(path, columns, scoring.role)
    _refuse_unknown_answers(table, columns.value, scoring)
    if columns.criterion is None:
        return [_compared(table, None, columns, scoring, has_odds)]
    criteria = table.texts[columns.criterion]
    return [
        _compared(table.some(criteria == name), name, columns, scoring, has_odds)
        for name in dict.fromkeys(criteria.tolist())
    ]


def _refuse_unknown_answers(table: "_Table", column: str, scoring: Scoring) -> None:
    known = set(table.texts[column].tolist())
    if unknown := [text for text in scoring.positive if text not in known]:
        answers = ", ".join(sorted(text for text in known if not scoring.missing.holds(text)))
        _refuse(table.path, 1, column, f"--positive {', '.join(unknown)}: no such answer, the file has {answers}")


# Reading


@dataclass(frozen=True, slots=True)
class _Table:
    """The columns that are needed as texts without blanks around them, and the line of each row."""

    path: Path
    texts: dict[str, TextArray]
    lines: IntArray

    @classmethod
    def read(cls, path: Path, columns: SourceColumns, role: str | None) -> "_Table":
        """Read a file without its blank rows; ids must be there."""
        frame, first_line = _frame(path)
        names = [str(name).strip() for name in frame.columns]
        wanted = [*columns.ids, columns.value, *([role] if role else []), *(name for name, _ in columns.where)]
        needed = list(dict.fromkeys(wanted))
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
        remedy = ": choose the rows about one source with --where" if role else ""
        for name in columns.ids:
            if (empty := np.flatnonzero(table.texts[name] == "")).size:
                _refuse(path, int(table.lines[empty[0]]), name, f"is empty{remedy if name == columns.source else ''}")
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
    table: _Table, criterion: str | None, columns: SourceColumns, scoring: Scoring, has_odds: bool
) -> CriterionSources:
    values = _scores(table, columns.value, scoring)
    given = ~np.isnan(values)
    rated, values = table.some(given), values[given]
    ratings, sources = _ratings(rated, columns, values)
    _refuse_duplicates(rated, columns, ratings)
    found = compare_sources(ratings, len(sources), bounds=scoring.bounds(values))
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
        (
            *_missing(table.some(~given), columns.value, scoring, len(given)),
            *_warnings(found, len(values), has_answers=not all(map(scoring.missing.holds, table.texts[columns.value]))),
        ),
        odds_ratios(ratings) if has_odds else None,
        tuple(float(values[ratings.source == at].mean()) for at in range(len(sources))),
        tuple((_effect_name(each, has_conversations), each) for each in found.effects),
    )


def _effect_name(effect: RandomEffect, has_conversations: bool) -> str:
    if effect.effect == RESIDUAL:
        return RESIDUAL
    return effect_name(effect.effect, has_conversations=has_conversations)


def _scores(table: _Table, column: str, scoring: Scoring) -> FloatArray:
    def refuse(row: int, reason: str) -> NoReturn:
        _refuse(table.path, int(table.lines[row]), column, reason)

    return scoring.scores(table.texts[column], table.texts[scoring.role] if scoring.role else None, refuse)


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


def _missing(left_out: _Table, column: str, scoring: Scoring, n_rows: int) -> list[str]:
    """Return warnings about the rows without a score: those with a missing value, and those that their role excludes.

    With roles, an empty value need not be missing, so each row counts by its role.
    """
    if not scoring.role:
        return scoring.missing.warnings(Counter(left_out.texts[column].tolist()), n_rows)
    roles = Counter(left_out.texts[scoring.role].tolist())
    said = ", ".join(f"{role or 'without a role'} {n:,}" for role, n in sorted(roles.items()))
    return [f"{len(left_out.lines):,} of {n_rows:,} answers have no score and are left out ({said})"] if roles else []


def _warnings(found: SourceComparison, n_scores: int, *, has_answers: bool) -> list[str]:
    said = []
    if any(each.effect == ANNOTATOR and each.reason == RESIDUAL for each in found.left_out):
        said.append(
            "every rating has an annotator of its own: annotators are not identified, so how they differ cannot be "
            "told apart from chance, and the intervals are too narrow if some gave several ratings"
        )
    if not has_answers:
        said.append("no value is a number: all are missing, so there is nothing to compare")
    elif not n_scores:
        said.append(
            "no answer has a number: add --role role for an export of Parley; for answers that are words, name their "
            "column with --value and those that count as 1 with --positive"
        )
    return said
