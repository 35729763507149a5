"""Compare a judge with people by two files of ratings, without a database: two tables -> codes -> the measures.

The files are the user's, so error messages name the file, the line and the column.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import numpy as np

from measures.arrays import FloatArray, IntArray
from measures.machines.alternative import AlternativeTest, alternative_test
from measures.machines.ceiling import NOMINAL, Ceiling, human_ceiling
from measures.machines.corrected import NOT_BINARY, corrected_rate
from measures.machines.jackknife import jackknife
from measures.machines.judged import Judged
from measures.machines.powered import ANYWHERE, Part, powered_mean
from measures.machines.systems import ItemGap, Systems, compare_systems, widest_gaps
from measures.machines.telling import Telling, telling_of
from reporting.file_options import USUAL, Missing, Where, counted
from reporting.file_scores import Scoring, TextArray
from reporting.file_table import FileTable
from reporting.offline import UnreadableRatings, number_of
from reporting.report.judged import Scored

SCALES = ("nominal", "interval")
# More are no labels, and a table of all pairs of them would not fit into the memory.
MOST_LABELS = 200
# Squares of larger numbers, and sums of these, are no numbers any more.
LARGEST = 1e100
SEPARATOR = "\x1f"


@dataclass(frozen=True, slots=True)
class AuditColumns:
    """The names of the columns, by role; the judge's file has the same names, and needs no annotator."""

    item: str
    annotator: str
    value: str
    cluster: str | None = None
    source: str | None = None
    where: Where = ()

    @property
    def optional(self) -> list[str]:
        return [name for name in (self.cluster, self.source) if name]


@dataclass(frozen=True, slots=True)
class AuditScale:
    """The level of the answers, and which of them count as 1 in means and rates."""

    level: str = NOMINAL
    positive: tuple[str, ...] = ()
    missing: Missing = USUAL

    @property
    def scoring(self) -> Scoring:
        return Scoring(None if self.level == NOMINAL else self.level, self.positive, missing=self.missing)


@dataclass(frozen=True, slots=True)
class Audit:
    """The results, with the names of what they have places of.

    `means` and `systems` are None if the answers are no numbers. The first of `means` is about all sources.
    """

    alternative: AlternativeTest
    telling: Telling
    ceiling: list[Ceiling]
    means: list[Scored] | None
    systems: Systems | None
    gaps: list[ItemGap]
    judged: Judged
    annotators: tuple[str, ...]
    items: tuple[str, ...]
    sources: tuple[str, ...]
    warnings: tuple[str, ...]


def audit_files(humans: Path, judge: Path, columns: AuditColumns, scale: AuditScale, *, epsilon: float) -> Audit:
    """Return how people and the judge compare. Raises UnreadableRatings if a file cannot be used."""
    both = _Both.read(humans, judge, columns, scale)
    judged = both.judged(both.codes if scale.level == NOMINAL else both.numbers())
    means, systems = both.means()
    return Audit(
        alternative_test(judged, scale.level, epsilon=epsilon),
        telling_of(judged, scale.level),
        human_ceiling(judged, scale.level),
        means,
        systems,
        widest_gaps(judged, scale.level),
        judged,
        both.annotators,
        both.items,
        both.sources,
        tuple(both.warnings(judged)),
    )


class _NoNumbers(Exception):
    """An answer of a nominal scale is no number."""


@dataclass(frozen=True, slots=True)
class _Both:
    """The two tables without missing values, with the number of the item of each row."""

    people: FileTable
    judge: FileTable
    columns: AuditColumns
    scale: AuditScale
    items: tuple[str, ...]
    item_of_vote: IntArray
    item_of_answer: IntArray
    missing: tuple[str, ...]

    @classmethod
    def read(cls, humans: Path, judge: Path, columns: AuditColumns, scale: AuditScale) -> "_Both":
        people = FileTable.read(
            humans, [columns.item, columns.annotator], [columns.value], columns.where, optional=columns.optional
        )
        answers = FileTable.read(judge, [columns.item], [columns.value], optional=columns.optional)
        for name in columns.optional:
            if name not in people.texts and name not in answers.texts:
                raise UnreadableRatings(f"{judge}, line 1, column {name!r}: no such column here or in {humans}: add it")
        (people, first), (answers, second) = (
            _without_missing(each, columns.value, scale.missing) for each in (people, answers)
        )
        keys = [_keys(each, people, answers, columns) for each in (people, answers)]
        items, place = np.unique(np.concatenate(keys).astype(str), return_inverse=True)
        votes, said = np.split(place.ravel().astype(np.int64), [len(keys[0])])
        names = tuple(name.replace(SEPARATOR, ", ") for name in items.tolist())
        both = cls(people, answers, columns, scale, names, votes, said, (*first, *second))
        both._refuse_duplicates()
        both._refuse_unknown_answers()
        return both

    def _refuse_duplicates(self) -> None:
        annotator = _coded(self.people.texts[self.columns.annotator])[1]
        for table, keys, column, verb in (
            (self.people, (self.item_of_vote, annotator), self.columns.annotator, "rates an item again"),
            (self.judge, (self.item_of_answer,), self.columns.item, "the judge answers this item again"),
        ):
            _, first, place = np.unique(np.stack(keys), axis=1, return_index=True, return_inverse=True)
            again = np.flatnonzero(first[place.ravel()] != np.arange(len(table.lines)))
            if again.size:
                earlier = int(table.lines[first[place.ravel()[again[0]]]])
                table.refuse(int(again[0]), column, f"{verb}, first on line {earlier}: delete one of the two rows")

    def _refuse_unknown_answers(self) -> None:
        known = set(np.concatenate([self._texts(self.people), self._texts(self.judge)]).tolist())
        if unknown := [text for text in self.scale.positive if text not in known]:
            answers = ", ".join(sorted(known)[:20])
            reason = f"--positive {', '.join(unknown)}: no such answer, the files have {answers}"
            raise UnreadableRatings(f"{self.people.path}, line 1, column {self.columns.value!r}: {reason}")

    def _texts(self, table: FileTable) -> TextArray:
        return table.texts[self.columns.value]

    # Names

    @property
    def annotators(self) -> tuple[str, ...]:
        return _coded(self.people.texts[self.columns.annotator])[0]

    @property
    def sources(self) -> tuple[str, ...]:
        return self._of_items(self.columns.source)[0] if self.columns.source else ()

    def _of_items(self, name: str) -> tuple[tuple[str, ...], IntArray]:
        """Return the names of the conversations or sources, and (I,) which one each item is of."""
        found = np.full(len(self.items), None, object)
        for table, item in ((self.judge, self.item_of_answer), (self.people, self.item_of_vote)):
            if name not in table.texts:
                continue
            for row, (at, text) in enumerate(zip(item.tolist(), table.texts[name].tolist(), strict=True)):
                if found[at] is None:
                    found[at] = text
                elif found[at] != text:
                    two = f"{text!r} here and {found[at]!r} elsewhere"
                    table.refuse(row, name, f"item {self.items[at]!r} has {two}: it can have one only")
        self._refuse_unknown(name, found)
        return _coded(found)

    def _refuse_unknown(self, name: str, found: TextArray) -> None:
        for table, item in ((self.judge, self.item_of_answer), (self.people, self.item_of_vote)):
            empty = np.flatnonzero([found[at] is None for at in item])
            if empty.size:
                what = f"item {self.items[int(item[empty[0]])]!r} has none: add this column to the file"
                table.refuse(int(empty[0]), name, what)

    # Answers

    @property
    def codes(self) -> tuple[FloatArray, FloatArray]:
        """Return a code for each different answer; 1 and 1.0 are the same."""
        texts = np.concatenate([self._texts(self.people), self._texts(self.judge)]).tolist()
        known: dict[str | float, int] = {}
        numbers = [number_of(text) for text in texts]
        labels = [text if number is None else number for text, number in zip(texts, numbers, strict=True)]
        codes = [known.setdefault(label, len(known)) for label in labels]
        if len(known) > MOST_LABELS:
            reason = f"{len(known):,} different answers are no labels: add --scale interval if they are numbers"
            raise UnreadableRatings(f"{self.people.path}, line 1, column {self.columns.value!r}: {reason}")
        first, second = np.split(np.array(codes, float), [len(self.people.lines)])
        return first, second

    def numbers(self) -> tuple[FloatArray, FloatArray]:
        first, second = (self._numbers(each) for each in (self.people, self.judge))
        return first, second

    def _numbers(self, table: FileTable) -> FloatArray:
        def refused(row: int, reason: str) -> NoReturn:
            if self.scale.level == NOMINAL:
                raise _NoNumbers
            table.refuse(row, self.columns.value, reason)

        found = self.scale.scoring.scores(self._texts(table), None, refused)
        if (large := np.flatnonzero(np.abs(found) > LARGEST)).size:
            row = int(large[0])
            reason = f"{self._texts(table)[row]!r} is too large to compute with: correct it"
            table.refuse(row, self.columns.value, reason)
        return found

    def _not_positive(self) -> list[str]:
        """Return which answers of each file count as 0 because --positive does not name them."""
        scoring, tables = self.scale.scoring, (self.people, self.judge) if self.scale.positive else ()
        return [
            f"{table.path.name}: {warning}"
            for table in tables
            for warning in scoring.not_positive(self._texts(table), None, self._numbers(table))
        ]

    def judged(self, answers: tuple[FloatArray, FloatArray]) -> Judged:
        votes, said = answers
        judge = np.full(len(self.items), np.nan)
        judge[self.item_of_answer] = said
        annotator = _coded(self.people.texts[self.columns.annotator])[1]
        cluster = self._of_items(self.columns.cluster)[1] if self.columns.cluster else None
        return Judged.of(self.item_of_vote, annotator, votes, judge, cluster)

    def means(self) -> tuple[list[Scored] | None, Systems | None]:
        try:
            judged = self.judged(self.numbers())
        except _NoNumbers:
            return None, None
        kept = ~np.isnan(judged.judge)
        whole = Part(judged.means()[kept], judged.judge[kept], judged.cluster[kept])
        found = [_source_means(None, whole)]
        if not self.columns.source:
            return found, None
        names, source = self._of_items(self.columns.source)
        for at, name in enumerate(names):
            found.append(_source_means(name, whole.some(source[kept] == at)))
        return found, compare_systems(whole, source[kept], len(names))

    def warnings(self, judged: Judged) -> list[str]:
        said = [*self.missing, *self._not_positive()]
        n_without = int(((judged.votes_per_item > 0) & np.isnan(judged.judge)).sum())
        if n_without:
            said.append(f"{counted(n_without, 'rated item')} without an answer of the judge: left out")
        if len(self.annotators) == len(self.people.lines) > 1:
            said.append(
                "every rating has an annotator of its own: annotators are not identified, so the alternative annotator "
                "test has nobody to test"
            )
        return said


def _source_means(source: str | None, part: Part) -> Scored:
    """Return the means; the intervals of shares stop at 0 and 1."""
    rate = corrected_rate(part)
    bounds = ANYWHERE if rate.estimate.reason == NOT_BINARY else (0.0, 1.0)
    alone = jackknife(part.judge[:, None], part.cluster, lambda means: means[:, 0], bounds)
    return Scored(source, alone, powered_mean(part, bounds=bounds), rate)


def _without_missing(table: FileTable, column: str, missing: Missing) -> tuple[FileTable, list[str]]:
    texts = table.texts[column].tolist()
    counts = Counter(text for text in texts if missing.holds(text))
    said = [f"{table.path.name}: {warning}" for warning in missing.warnings(counts, len(texts))]
    return table.some(np.array([not missing.holds(text) for text in texts], bool)), said


def _keys(table: FileTable, people: FileTable, judge: FileTable, columns: AuditColumns) -> TextArray:
    """Return what names an item in each row: with its source if both files tell it, as sources may share an item."""
    item = table.texts[columns.item]
    if columns.source and columns.source in people.texts and columns.source in judge.texts:
        return np.asarray(item + SEPARATOR + table.texts[columns.source], object)
    return item


def _coded(texts: Sequence[str] | TextArray) -> tuple[tuple[str, ...], IntArray]:
    levels, codes = np.unique(np.asarray(texts).astype(str), return_inverse=True)
    return tuple(levels.tolist()), codes.ravel().astype(np.int64)
