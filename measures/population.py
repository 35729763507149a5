"""Intervals of agreement for new annotators: what a coefficient would be with others of the same kind.

An interval over items holds for the annotators who rated. Here both are samples: the variance adds up what the
coefficient changes without each annotator and without each group of dependent items, less what the two count twice
(each annotator's part of a group), and is at least the larger of the two. The degrees of freedom of the two parts are
joined by Satterthwaite's approximation.

Sources: Cameron, Gelbach & Miller 2011, JBES 29:238; MacKinnon, Nielsen & Webb 2024, Jackknife inference with two-way
clustering, arXiv:2406.08880; Gwet 2021, Handbook of Inter-Rater Reliability, 5th ed., ch. 5 (annotators as a sample).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from measures.arrays import FloatArray, IntArray
from measures.estimate import NO_SPREAD, NO_STANDARD_ERROR, NO_VARIATION
from measures.histograms import ordered_keys, positions_of
from measures.intervals import CELLS_PER_BLOCK, ROUNDING, Interval, Kernel, KernelMaker, special, together
from measures.two_way import joined

FEW_ANNOTATORS, FEW_GROUPS = "few_annotators", "few_groups"
FEWEST_ANNOTATORS, FEWEST_GROUPS = 3, 3
# Units times patterns: beyond this each unit changes so little that a coefficient is as good as linear.
MOST_CELLS = 20_000_000
STEP = 1e-3


@dataclass(frozen=True, eq=False)
class Votes:
    """Ratings, one entry each; nobody rates an item twice.

    Attributes
    ----------
    item, annotator, group : (n,) arrays of ids
        Groups are the units within which items are dependent, such as conversations; else the items themselves.
    code : (n,) int array
        Category of each rating, from 0.
    n_categories : int
    """

    item: npt.ArrayLike
    annotator: npt.ArrayLike
    group: npt.ArrayLike
    code: npt.ArrayLike
    n_categories: int


@dataclass(frozen=True, eq=False)
class _Changes:
    """How many items more or less of which pattern there are without a unit: one entry per change."""

    unit: IntArray
    pattern: IntArray
    more: FloatArray

    def of(self, units: slice, n_patterns: int) -> FloatArray:
        """Return the (units, patterns) changes of some units; entries are sorted by unit."""
        start, end = np.searchsorted(self.unit, [units.start, units.stop])
        place = (self.unit[start:end] - units.start) * n_patterns + self.pattern[start:end]
        size = (units.stop - units.start) * n_patterns
        found: FloatArray = np.asarray(np.bincount(place, self.more[start:end], size), float)
        return found.reshape(-1, n_patterns)


@dataclass(frozen=True, eq=False)
class _Study:
    """The items by their patterns, and those that are left without one of their ratings.

    Attributes
    ----------
    patterns : (P, K) int array
        Sorted; the first one is empty.
    of_item : (N,) int array
    without : (n,) int array
        Pattern of each rating's item without the rating.
    """

    patterns: IntArray
    of_item: IntArray
    without: IntArray

    @classmethod
    def of(cls, item: IntArray, code: IntArray, k: int) -> "_Study":
        n = int(item.max()) + 1
        tallies = np.bincount(item * k + code, minlength=n * k).reshape(n, k)
        rows = np.concatenate([np.zeros((1, k), np.int64), tallies, tallies[item] - np.eye(k, dtype=np.int64)[code]])
        _, first, place = np.unique(ordered_keys(rows), return_index=True, return_inverse=True)
        place = place.ravel()
        return cls(rows[first], place[1 : n + 1], place[n + 1 :])

    @property
    def counts(self) -> FloatArray:
        return np.bincount(self.of_item, minlength=len(self.patterns)).astype(float)

    def without_ratings(self, unit: IntArray, item: IntArray) -> _Changes:
        less, more = np.full(len(unit), -1.0), np.ones(len(unit))
        return _sorted(np.tile(unit, 2), np.concatenate([self.of_item[item], self.without]), np.append(less, more))

    def without_items(self, unit: IntArray) -> _Changes:
        return _sorted(unit, self.of_item, np.full(len(unit), -1.0))


def _sorted(unit: IntArray, pattern: IntArray, more: FloatArray) -> _Changes:
    order = np.argsort(unit, kind="stable")
    return _Changes(unit[order], pattern[order], more[order])


def population_intervals(votes: Votes, kernel_makers: Sequence[KernelMaker], *, level: float = 0.95) -> list[Interval]:
    """Return the interval of each coefficient for new annotators and new groups of items; it ends at 1.

    Notes: there is no interval with 'few_annotators' or 'few_groups' (fewer than 3), if the coefficient is undefined
    ('no_variation') or is so without one of them ('no_standard_error'), and if none changes it ('no_spread').
    """
    if not kernel_makers:
        return []
    item, annotator, group = (_codes(each) for each in (votes.item, votes.annotator, votes.group))
    n_annotators, n_groups = _size(annotator), _size(group)
    if n_annotators < FEWEST_ANNOTATORS or n_groups < FEWEST_GROUPS:
        why = FEW_ANNOTATORS if n_annotators < FEWEST_ANNOTATORS else FEW_GROUPS
        return [Interval(None, None, why) for _ in kernel_makers]
    study = _Study.of(item, np.asarray(votes.code, np.int64), votes.n_categories)
    kernel = _of_patterns(study, kernel_makers)
    of_item = np.zeros(len(study.of_item), np.int64)
    of_item[item] = group
    parts = [
        _left_out(kernel, study, study.without_ratings(annotator, item)),
        _left_out(kernel, study, study.without_items(of_item)),
        _left_out(kernel, study, study.without_ratings(_codes(annotator * n_groups + group), item)),
    ]
    values = kernel(study.counts[None])[0]
    variances = np.stack([_jackknife(each) for each in parts])
    df = np.array([n_annotators - 1, n_groups - 1], float)
    return [_interval(value, variances[:, at], df, level) for at, value in enumerate(values.tolist())]


def _codes(column: npt.ArrayLike) -> IntArray:
    return np.unique(positions_of(np.asarray(column)), return_inverse=True)[1].ravel()


def _size(codes: IntArray) -> int:
    return int(codes.max(initial=-1)) + 1


def _of_patterns(study: _Study, kernel_makers: Sequence[KernelMaker]) -> Kernel:
    """Return the coefficients as a function of items per pattern; items without ratings do not count."""
    kernel = together([maker(study.patterns[1:]) for maker in kernel_makers])
    return lambda counts: kernel(counts[:, 1:])


def _left_out(kernel: Kernel, study: _Study, changes: _Changes) -> FloatArray:
    """Return (units, coefficients) without each unit in turn."""
    n, size = _size(changes.unit), len(study.patterns)
    if n * size > MOST_CELLS:
        slopes = _slopes(kernel, study.counts)
        found = [np.bincount(changes.unit, changes.more * each[changes.pattern], n) for each in slopes.T]
        return np.stack(found, axis=1)
    block = max(1, CELLS_PER_BLOCK // size)
    ends = [slice(start, min(start + block, n)) for start in range(0, n, block)]
    return np.concatenate([kernel(study.counts + changes.of(units, size)) for units in ends])


def _slopes(kernel: Kernel, counts: FloatArray) -> FloatArray:
    """Return (P, coefficients): what a coefficient changes with one item more of each pattern, by a small step."""
    size, now = len(counts), kernel(counts[None])
    block = max(1, CELLS_PER_BLOCK // size)
    found = []
    for start in range(0, size, block):
        chosen = np.arange(start, min(start + block, size))
        moved = np.tile(counts, (len(chosen), 1))
        moved[np.arange(len(chosen)), chosen] += STEP
        found.append((kernel(moved) - now) / STEP)
    return np.concatenate(found)


def _jackknife(left_out: FloatArray) -> FloatArray:
    """Return the variance of each coefficient over the units that were left out; NaN if one of them is undefined."""
    n = len(left_out)
    found: FloatArray = (n - 1) / n * ((left_out - left_out.mean(axis=0)) ** 2).sum(axis=0)
    return found


def _interval(value: float, variances: FloatArray, df: FloatArray, level: float) -> Interval:
    if np.isnan(value) or np.isnan(variances).any():
        return Interval(None, None, NO_VARIATION if np.isnan(value) else NO_STANDARD_ERROR)
    if (variances[:2] < ROUNDING**2).all():
        return Interval(None, None, NO_SPREAD)
    parts = np.array([variances[0], variances[1], -variances[2]])[:, None]
    [variance], [freedom] = (each.tolist() for each in joined(parts, np.append(df, np.inf)[:, None]))
    half = float(special().stdtrit(freedom, (1 + level) / 2)) * variance**0.5
    return Interval(value - half, min(1.0, value + half))
