"""Compute the agreement in a ratings file without a database: CSV rows -> code arrays -> coefficients.

The file is the user's, so error messages name the file, the line and the column.
"""

import csv
import gzip
import math
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from measures.agreement import brennan_prediger, fleiss_kappa_category, fleiss_kernel, gwet_kernel
from measures.alpha import alpha_kernel
from measures.arrays import IntArray
from measures.cohen import conger_kappa, rater_margins
from measures.estimate import Estimate
from measures.further import (
    ORDERED_OF_ANNOTATORS,
    ORDERED_OF_PATTERNS,
    estimate_of,
    ordered_makers,
    ordered_of_annotators,
)
from measures.histograms import Histogram
from measures.intervals import Interval, KernelMaker, bootstrap_intervals, guarded
from measures.labels import single_answer_warnings
from measures.pair_means import mean_pairwise_cohens_with_intervals
from measures.population import Votes, population_intervals
from measures.summary import agreement_summary
from measures.weights import agreement_weights
from reporting.file_options import USUAL, Missing, Where, to_tell_apart

SCALES = ("nominal", "ordinal", "interval")
WEIGHTED = {"cohen_kappa_linear": "linear", "cohen_kappa_quadratic": "quadratic"}
COEFFICIENTS = (
    "fleiss_kappa", "krippendorff_alpha", "cohen_kappa_mean", *WEIGHTED, "conger_kappa", "gwet_ac1",
    "brennan_prediger", "percent_agreement", "all_agree_share", *ORDERED_OF_PATTERNS, *ORDERED_OF_ANNOTATORS,
)  # fmt: skip
GZIP_MAGIC = b"\x1f\x8b"
SEED = 0


class UnreadableRatings(Exception):
    """The file cannot be used as asked; the message says where and why."""


@dataclass(frozen=True, slots=True)
class Columns:
    """The names of the columns, by role. Several columns of `item` name what was rated together."""

    item: tuple[str, ...]
    annotator: str
    value: str
    criterion: str | None = None
    by: tuple[str, ...] = ()
    where: Where = ()

    @property
    def grouping(self) -> tuple[str, ...]:
        return (*self.by, self.criterion) if self.criterion else self.by

    @property
    def needed(self) -> tuple[str, ...]:
        return (*self.grouping, *self.item, self.annotator, self.value)


@dataclass(frozen=True, slots=True)
class Scale:
    """The scale for reading answers: level of measurement, declared values, and values that count as missing."""

    level: str = "nominal"
    values: tuple[str, ...] = ()
    leave_out: tuple[str, ...] = ()

    @property
    def weights(self) -> dict[str, str]:
        """Return {coefficient: weights} for Cohen's kappa; a nominal scale has no distances, so nothing is weighted."""
        unweighted = {"cohen_kappa_mean": "nominal"}
        return unweighted if self.level == "nominal" else unweighted | WEIGHTED


@dataclass(slots=True)
class Group:
    """The votes of one combination of the grouping columns; `lines` are their line numbers in the file."""

    key: tuple[str, ...]
    items: list[int] = field(default_factory=list)
    annotators: list[int] = field(default_factory=list)
    values: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class GroupAgreement:
    """The results of one group; `key` holds its values of :attr:`Columns.grouping`, in that order."""

    key: tuple[str, ...]
    n_items: int
    n_ratings: int
    n_annotators: int
    coefficients: dict[str, Estimate]
    new_annotators: dict[str, Interval]  # of kappa, alpha and AC1, where these have an interval
    by_answer: dict[str, Estimate]  # Fleiss' kappa of each declared answer against all others


@dataclass(frozen=True, slots=True)
class FileAgreement:
    """The groups in the order of their first row, and warnings for the reader of the results."""

    groups: list[GroupAgreement]
    warnings: list[str]


def agreement_of_file(path: Path, columns: Columns, scale: Scale, missing: Missing = USUAL) -> FileAgreement:
    """Return the agreement for each group of a CSV file with a header row (UTF-8, gzipped or not).

    Without declared values, the answers are those that occur in the file for each criterion, sorted as numbers if all
    are numbers, otherwise as text. Raises UnreadableRatings if the file cannot be used.
    """
    groups = read_groups(path, columns)
    warnings = _without_missing(groups, missing.but(scale.values))
    found: dict[tuple[str, ...], GroupAgreement] = {}
    for same_scale in _groups_by_criterion(groups, columns):
        answers = DeclaredScale.of(path, columns.value, scale, same_scale)
        if scale.level == "ordinal" and answers.numbers is None and not scale.values:
            order = ", ".join(map(str, answers.declared))
            warnings.append(f"ordinal answers are in alphabetical order ({order}); name their order with --values")
        for group in same_scale:
            found[group.key] = _agreement_of_group(group, answers, scale)
            warnings += _single_answers(found[group.key])
    return FileAgreement([found[group.key] for group in groups], warnings)


# Reading


def read_groups(path: Path, columns: Columns) -> list[Group]:
    """Read the needed columns, without blank lines. Raises UnreadableRatings, also for a rating given twice."""
    rows = _rows(path)
    header_line, header = next(rows, (1, []))
    if not header:
        _refuse(path, header_line, None, "the file is empty")
    places = [_place(path, header_line, header, name) for name in columns.needed]
    wanted = [(_place(path, header_line, header, name), value) for name, value in columns.where]
    n_keys = len(columns.grouping)
    groups: dict[tuple[str, ...], Group] = {}
    items: dict[tuple[str, ...], int] = {}
    annotators: dict[str, int] = {}
    for line, row in rows:
        if len(row) != len(header):
            _refuse(path, line, None, f"{len(row)} fields, the header has {len(header)}")
        if any(row[place].strip() != value for place, value in wanted):
            continue
        cells = [row[place].strip() for place in places]
        key, item, (annotator, value) = cells[:n_keys], tuple(cells[n_keys:-2]), cells[-2:]
        if not all(item) or not annotator:
            _refuse(path, line, columns.item[item.index("")] if "" in item else columns.annotator, "is empty")
        group = groups.get(tuple(key)) or groups.setdefault(tuple(key), Group(tuple(key)))
        group.items.append(items.setdefault(item, len(items)))
        group.annotators.append(annotators.setdefault(annotator, len(annotators)))
        group.values.append(value)
        group.lines.append(line)
    if not groups:
        _refuse(path, header_line, None, "no row is as --where says" if wanted else "no ratings below the header")
    remedy = to_tell_apart([name.strip() for name in header], columns.needed, columns.item)
    for group in groups.values():
        _refuse_duplicates(path, columns.annotator, group, remedy)
    return list(groups.values())


def _without_missing(groups: Sequence[Group], missing: Missing) -> list[str]:
    """Empty the values that are missing, and return warnings about them."""
    counts = Counter(text for group in groups for text in group.values)
    kept = {text: "" if missing.holds(text) else text for text in counts}
    for group in groups:
        group.values = [kept[text] for text in group.values]
    return missing.warnings(counts, counts.total())


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield (line on which the row starts, fields) for every row that is not blank."""
    try:
        with path.open("rb") as raw:
            stream = gzip.GzipFile(fileobj=raw) if raw.peek(2).startswith(GZIP_MAGIC) else raw
            yield from _numbered(path, csv.reader(_text_lines(path, stream), strict=True))
    except (OSError, EOFError, zlib.error) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UnreadableRatings(f"{path}: cannot be read: {reason}") from error


def _text_lines(path: Path, stream: Any) -> Iterator[str]:
    for number, line in enumerate(stream, 1):
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            _refuse(path, number, None, "is not UTF-8 text")
        yield text


def _numbered(path: Path, reader: Any) -> Iterator[tuple[int, list[str]]]:
    while True:
        line = reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            _refuse(path, line, None, f"is not CSV: {error}")
        if any(text.strip() for text in row):
            yield line, row


def _place(path: Path, line: int, header: Sequence[str], name: str) -> int:
    names = [text.strip() for text in header]
    if name not in names:
        _refuse(path, line, name, f"no such column, the file has {', '.join(names)}")
    if names.count(name) > 1:
        _refuse(path, line, name, "this column is there twice")
    return names.index(name)


def _refuse_duplicates(path: Path, annotator: str, group: Group, remedy: str) -> None:
    pairs = np.column_stack([group.items, group.annotators])
    _, first, place = np.unique(pairs, axis=0, return_index=True, return_inverse=True)
    again = np.flatnonzero(first[place.ravel()] != np.arange(len(pairs)))
    if again.size:
        row = int(again[0])
        earlier = group.lines[int(first[place.ravel()[row]])]
        _refuse(path, group.lines[row], annotator, f"rates an item again, first on line {earlier}{remedy}")


def _refuse(path: Path, line: int, column: str | None, reason: str) -> NoReturn:
    where = f"{path}, line {line}" + (f", column {column!r}" if column is not None else "")
    raise UnreadableRatings(f"{where}: {reason}")


# Answers


def number_of(text: str) -> float | None:
    """Return the number, or None: also for 'nan' and '1_000', which float() accepts but no scale has."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and "_" not in text else None


def _spellings(texts: Sequence[str]) -> set[str | float]:
    """Return the texts and the numbers they stand for, so that leaving out 99 also leaves out 99.0."""
    numbers = {number for number in map(number_of, texts) if number is not None}
    return {*texts, *numbers}


@dataclass(frozen=True, slots=True)
class DeclaredScale:
    """The declared answers of a scale in order, as numbers if all of them are (1, 1.0 and 01 are the same)."""

    path: Path
    column: str
    declared: tuple[str | float, ...]
    missing: frozenset[str | float]
    numbers: tuple[float, ...] | None

    @classmethod
    def of(cls, path: Path, column: str, scale: Scale, groups: Sequence[Group]) -> "DeclaredScale":
        """Return the scale with the declared values or those of the groups, without the values to leave out."""
        missing = frozenset(_spellings(scale.leave_out) | {""})
        texts = scale.values or sorted({text for group in groups for text in group.values})
        answers = [text for text in texts if not _spellings([text]) & missing]
        found = [number_of(text) for text in answers]
        numbers = tuple(dict.fromkeys(number for number in found if number is not None))
        if None not in found:
            ordered = numbers if scale.values else tuple(sorted(numbers))
            return cls(path, column, ordered, missing, ordered)
        if scale.level == "interval":
            _refuse_text(path, column, answers[found.index(None)], groups)
        return cls(path, column, tuple(dict.fromkeys(answers)), missing, None)

    def codes(self, group: Group) -> IntArray:
        """Return (votes,) positions in `declared`, -1 for a missing vote."""
        known: dict[str | float, int] = {answer: code for code, answer in enumerate(self.declared)}
        known |= dict.fromkeys(self.missing, -1)
        by_text: dict[str, int] = {}
        for text, line in zip(group.values, group.lines, strict=True):
            if text not in by_text:
                by_text[text] = self._code(text, line, known)
        return np.array([by_text[text] for text in group.values], np.int64)

    def _code(self, text: str, line: int, known: dict[str | float, int]) -> int:
        number = number_of(text)
        code = known.get(text) if number is None else known.get(text, known.get(number))
        if code is None:
            _refuse(self.path, line, self.column, f"{text!r} is not one of the declared values")
        return code


def _refuse_text(path: Path, column: str, text: str, groups: Sequence[Group]) -> NoReturn:
    """Raise UnreadableRatings for an answer that is not a number, with the first line that has it, if any."""
    lines = [line for group in groups for line, value in zip(group.lines, group.values, strict=True) if value == text]
    reason = f"{text!r} is not a number, an interval scale needs numbers"
    if not lines:
        raise UnreadableRatings(f"{path}, column {column!r}: declared value {reason}")
    _refuse(path, min(lines), column, reason)


# Results


def _single_answers(group: GroupAgreement) -> list[str]:
    """Return a warning about Fleiss' kappa if most items have only one rating or it is below -1."""
    kappa = group.coefficients["fleiss_kappa"]
    if not single_answer_warnings(kappa.value, kappa.n_items, kappa.n_left_out):
        return []
    where = f"{', '.join(group.key)}: " if group.key else ""
    return [
        f"{where}{kappa.n_left_out} of {group.n_items} items have one rating only; they enter the expected agreement "
        "of fleiss_kappa and gwet_ac1, not the observed agreement, and kappa can lie below -1"
    ]


def _groups_by_criterion(groups: Sequence[Group], columns: Columns) -> list[list[Group]]:
    """Return lists of groups that share a scale: those of one criterion, or all without criteria."""
    parts: dict[str, list[Group]] = {}
    for group in groups:
        parts.setdefault(group.key[-1] if columns.criterion else "", []).append(group)
    return list(parts.values())


def _agreement_of_group(group: Group, answers: DeclaredScale, scale: Scale) -> GroupAgreement:
    codes = answers.codes(group)
    given = codes >= 0
    items, annotators = np.array(group.items)[given], np.array(group.annotators)[given]
    # A group may have only missing votes, but a histogram needs at least one category.
    n_categories = max(1, len(answers.declared))
    histogram = Histogram.from_votes(items, codes[given], n_categories)
    values = answers.numbers if scale.level == "interval" and answers.numbers else None
    found = agreement_summary(histogram, scale=scale.level, values=values, seed=SEED)
    kinds = {name: agreement_weights(kind, n_categories, values) for name, kind in scale.weights.items()}
    means = mean_pairwise_cohens_with_intervals(items, annotators, codes[given], n_categories, list(kinds.values()))
    margins = rater_margins(annotators, codes[given], int(annotators.max(initial=0)) + 1, n_categories)
    more = dict(zip(kinds, means, strict=True)) | {
        "conger_kappa": conger_kappa(histogram, margins),
        "brennan_prediger": brennan_prediger(histogram),
    }
    votes = Votes(items, annotators, items, codes[given], n_categories)
    if scale.level != "nominal":
        more |= _ordered(votes, histogram, values, is_interval=scale.level == "interval")
    found |= {name: guarded(each, histogram) for name, each in more.items()}
    return GroupAgreement(
        key=group.key,
        n_items=histogram.n_items,
        n_ratings=histogram.n_votes,
        n_annotators=len(np.unique(annotators)),
        coefficients={name: found[name] for name in COEFFICIENTS if name in found},
        new_annotators=_for_new_annotators(votes, scale.level, values, found),
        by_answer={
            str(answer): guarded(fleiss_kappa_category(histogram, code), histogram)
            for code, answer in enumerate(answers.declared)
        },
    )


def _ordered(
    votes: Votes, histogram: Histogram, values: tuple[float, ...] | None, *, is_interval: bool
) -> dict[str, Estimate]:
    """Return the further coefficients of an ordered scale; those of patterns have the item bootstrap's interval."""
    n = votes.n_categories
    makers = ordered_makers(n, values, is_interval=is_interval)
    intervals = bootstrap_intervals(histogram, list(makers.values()), seed=SEED)
    found = {name: estimate_of(maker, histogram) for name, maker in makers.items()}
    found = {
        name: each if each.value is None else each.with_interval(ends.low, ends.high, ends.note)
        for (name, each), ends in zip(found.items(), intervals, strict=True)
    }
    return found | ordered_of_annotators(votes.item, votes.annotator, votes.code, n, values)


def _for_new_annotators(
    votes: Votes, level: str, values: tuple[float, ...] | None, found: dict[str, Estimate]
) -> dict[str, Interval]:
    kernels: dict[str, KernelMaker] = {
        "fleiss_kappa": fleiss_kernel,
        "gwet_ac1": gwet_kernel,
        "krippendorff_alpha": lambda patterns: alpha_kernel(patterns, level, values),
    }
    known = {name: kernel for name, kernel in kernels.items() if found[name].low is not None}
    return dict(zip(known, population_intervals(votes, list(known.values())), strict=True))
