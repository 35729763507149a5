"""Compare the sources in a ratings file without a database: any table that pandas reads -> codes -> the mixed model.

The file is the user's, so error messages name the file, the line and the column.
"""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import numpy as np

from measures.arrays import FloatArray, IntArray
from measures.mixed.design import ANNOTATOR, ITEM, RESIDUAL, Ratings, codes_of
from measures.mixed.sources import RandomEffect, SourceComparison, compare_sources
from measures.mixed.words import effect_name, left_out_sentences, method_sentence
from measures.ordinal.odds import CumulativeFit, odds_ratios
from reporting.file_options import Where
from reporting.file_scores import Scoring, TextArray
from reporting.file_table import FileTable, refuse


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
    table = FileTable.read(
        path,
        columns.ids,
        [columns.value, *([scoring.role] if scoring.role else [])],
        columns.where,
        remedies={columns.source: ": choose the rows about one source with --where"} if scoring.role else None,
    )
    _refuse_unknown_answers(table, columns.value, scoring)
    if columns.criterion is None:
        return [_compared(table, None, columns, scoring, has_odds)]
    criteria = table.texts[columns.criterion]
    return [
        _compared(table.some(criteria == name), name, columns, scoring, has_odds)
        for name in dict.fromkeys(criteria.tolist())
    ]


def _refuse_unknown_answers(table: FileTable, column: str, scoring: Scoring) -> None:
    known = set(table.texts[column].tolist())
    if unknown := [text for text in scoring.positive if text not in known]:
        answers = ", ".join(sorted(text for text in known if not scoring.missing.holds(text)))
        refuse(table.path, 1, column, f"--positive {', '.join(unknown)}: no such answer, the file has {answers}")


# Results


def _compared(
    table: FileTable, criterion: str | None, columns: SourceColumns, scoring: Scoring, has_odds: bool
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
            *scoring.not_positive(rated.texts[columns.value], _roles(rated, scoring), values),
            *_warnings(found, len(values), has_words=_has_words(table, columns.value, scoring)),
        ),
        odds_ratios(ratings) if has_odds else None,
        tuple(float(values[ratings.source == at].mean()) for at in range(len(sources))),
        tuple((_effect_name(each, has_conversations), each) for each in found.effects),
    )


def _effect_name(effect: RandomEffect, has_conversations: bool) -> str:
    if effect.effect == RESIDUAL:
        return RESIDUAL
    return effect_name(effect.effect, has_conversations=has_conversations)


def _scores(table: FileTable, column: str, scoring: Scoring) -> FloatArray:
    def refused(row: int, reason: str) -> NoReturn:
        refuse(table.path, int(table.lines[row]), column, reason)

    return scoring.scores(table.texts[column], _roles(table, scoring), refused)


def _roles(table: FileTable, scoring: Scoring) -> TextArray | None:
    return table.texts[scoring.role] if scoring.role else None


def _ratings(table: FileTable, columns: SourceColumns, values: FloatArray) -> tuple[Ratings, tuple[str, ...]]:
    def coded(name: str) -> tuple[list[str], IntArray]:
        levels, codes = np.unique(table.texts[name].astype(str), return_inverse=True)
        return levels.tolist(), codes.ravel().astype(np.int64)

    sources, source = coded(columns.source)
    item = coded(columns.item)[1]
    conversation = coded(columns.conversation)[1] if columns.conversation else item
    return Ratings(source, coded(columns.annotator)[1], conversation, item, values), tuple(sources)


def _refuse_duplicates(table: FileTable, columns: SourceColumns, ratings: Ratings) -> None:
    if ratings.annotator is None or not len(ratings):
        return
    rated = codes_of(ratings.groups[ITEM], ratings.source, ratings.annotator)
    _, first, place = np.unique(rated, return_index=True, return_inverse=True)
    again = np.flatnonzero(first[place.ravel()] != np.arange(len(ratings)))
    if again.size:
        earlier = int(table.lines[first[place.ravel()[again[0]]]])
        reason = f"rates an item of a source again, first on line {earlier}"
        refuse(table.path, int(table.lines[again[0]]), columns.annotator, reason)


def _missing(left_out: FileTable, column: str, scoring: Scoring, n_rows: int) -> list[str]:
    """Return warnings about the rows without a score: those with a missing value, and those that their role excludes.

    With roles, an empty value need not be missing, so each row counts by its role.
    """
    if not scoring.role:
        return scoring.missing.warnings(Counter(left_out.texts[column].tolist()), n_rows)
    roles = Counter(left_out.texts[scoring.role].tolist())
    said = ", ".join(f"{role or 'without a role'} {n:,}" for role, n in sorted(roles.items()))
    return [f"{len(left_out.lines):,} of {n_rows:,} answers have no score and are left out ({said})"] if roles else []


def _has_words(table: FileTable, column: str, scoring: Scoring) -> bool:
    """Return whether answers are words in this column, or in others of an export of Parley."""
    return "role" in table.columns or not all(map(scoring.missing.holds, table.texts[column]))


def _warnings(found: SourceComparison, n_scores: int, *, has_words: bool) -> list[str]:
    said = []
    if any(each.effect == ANNOTATOR and each.reason == RESIDUAL for each in found.left_out):
        said.append(
            "every rating has an annotator of its own: annotators are not identified, so how they differ cannot be "
            "told apart from chance, and the intervals are too narrow if some gave several ratings"
        )
    if not n_scores and not has_words:
        said.append("no value is a number: all are missing, so there is nothing to compare")
    elif not n_scores:
        said.append(
            "no answer has a number: add --role role for an export of Parley; for answers that are words, name their "
            "column with --value and those that count as 1 with --positive"
        )
    return said
