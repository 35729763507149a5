"""Compare each annotator with the others: kappa with the majority of the others, answer entropy, flags.

Two measures together find bad annotators: kappa with the majority of the others finds random, careless and
inverting ones, a low answer entropy finds those who always give the same answer when one answer dominates.
Nothing finds a half-careful annotator in 40 binary items, and nobody is flagged below 20 items.

Sources: project statistics, section 4.1; Cohen 1960, Educ. Psychol. Meas. 20:37; Benjamini & Hochberg 1995.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from measures.arrays import FloatArray, IntArray, check_codes, divide_or_nan
from measures.cohen import cohen_kappas, in_both_orders
from measures.comparison import benjamini_hochberg
from measures.difficulty import unique_modes
from measures.estimate import NO_PAIRS, TOO_FEW_ITEMS, Estimate
from measures.intervals import Kernel, Resampling, guard_of, interval_of_counts, special, wilson
from measures.outliers import is_outlier, outlier_p_values, robust_scores
from measures.votes import NumberedVotes, numbered_votes

FEWEST_ITEMS_TO_FLAG = 20
FALSE_DISCOVERY_RATE = 0.10
BELOW_THRESHOLD = "below_threshold"
LOW_KAPPA = "low_kappa"
LOW_ENTROPY = "low_entropy"


def agrees_with_majority(items: npt.ArrayLike, codes: npt.ArrayLike, n_categories: int) -> IntArray:
    """Return whether each vote is the majority of the other votes on its item, from parallel arrays of votes.

    1: it is; 0: it is another answer; -1: unknown, because of a missing vote (code -1), a tie or no other votes.
    """
    what = np.asarray(codes, np.int64)
    check_codes(what, n_categories)
    given = what >= 0
    _, item = np.unique(np.asarray(items)[given], return_inverse=True)
    tallies = np.bincount(item * n_categories + what[given], minlength=(item.max(initial=-1) + 1) * n_categories)
    majority = modes_without(tallies.reshape(-1, n_categories))[item, what[given]]
    found = np.full(len(what), -1, np.int64)
    found[given] = np.where(majority < 0, -1, majority == what[given])
    return found


def modes_without(tallies: IntArray) -> IntArray:
    """Return (items, K + 1) unique modes without one vote for 0..K-1, or with all votes; -1 for a tie or no votes."""
    n_items, k = tallies.shape
    modes = np.empty((n_items, k + 1), np.int64)
    for removed in range(k + 1):
        others = tallies.copy()
        if removed < k:
            others[:, removed] -= 1
        modes[:, removed] = unique_modes(others)
    return modes


@dataclass(frozen=True, eq=False)
class MajorityTables:
    """Each annotator's answers against the majority of the others, as tables that add up over batches.

    Attributes
    ----------
    raters : (G,) int array
        Rater ids, ascending.
    tables : (G, K, K) int array
        Items by own answer (rows) and majority of the others (columns).
    tied, alone : (G,) int arrays
        Items left out because the others tied, or because nobody else answered.
    """

    raters: IntArray
    tables: IntArray
    tied: IntArray
    alone: IntArray

    @classmethod
    def from_votes(
        cls, items: npt.ArrayLike, raters: npt.ArrayLike, codes: npt.ArrayLike, n_categories: int
    ) -> "MajorityTables":
        """Make tables from three parallel arrays with one entry per vote; code -1 is missing.

        Time and memory grow with the votes, not with items times raters.
        """
        return cls.of(numbered_votes(items, raters, codes, n_categories))

    @classmethod
    def of(cls, votes: NumberedVotes) -> "MajorityTables":
        n, k = len(votes.raters), votes.tallies.shape[1]
        majority = modes_without(votes.tallies)[votes.item, votes.code]
        known, alone = majority >= 0, votes.tallies.sum(axis=1)[votes.item] == 1
        cells = (votes.rater * k + votes.code)[known] * k + majority[known]
        return cls(
            votes.raters,
            np.bincount(cells, minlength=n * k * k).reshape(n, k, k),
            np.bincount(votes.rater[~known & ~alone], minlength=n),
            np.bincount(votes.rater[alone], minlength=n),
        )

    @classmethod
    def from_matrix(
        cls, codes: npt.NDArray[Any], n_categories: int, raters: npt.ArrayLike | None = None
    ) -> "MajorityTables":
        """Make tables from an (items, annotators) matrix, -1 for missing; rater ids default to the column numbers."""
        item, column = np.nonzero(codes >= 0)
        ids = np.arange(codes.shape[1]) if raters is None else np.asarray(raters, np.int64)
        return cls.from_votes(item, ids[column], codes[item, column], n_categories)

    def __add__(self, other: "MajorityTables") -> "MajorityTables":
        """Return the sum of tables of different items, for example of two batches."""
        if self.tables.shape[1:] != other.tables.shape[1:]:
            raise ValueError("tables of different scales do not add")
        raters, place = np.unique(np.concatenate([self.raters, other.raters]), return_inverse=True)

        def summed(first: IntArray, second: IntArray) -> IntArray:
            total = np.zeros((len(raters), *first.shape[1:]), np.int64)
            np.add.at(total, place, np.concatenate([first, second]))
            return total

        tied, alone = summed(self.tied, other.tied), summed(self.alone, other.alone)
        return MajorityTables(raters, summed(self.tables, other.tables), tied, alone)


@dataclass(frozen=True, slots=True)
class MajorityAgreement:
    """One annotator compared with the majority of the others.

    Attributes
    ----------
    rater : int
    kappa : Estimate
        Cohen's kappa over `n_items`; `n_left_out` = tied + alone.
    agreement : Estimate
        Share of equal answers, with a Wilson interval.
    n_tied, n_alone : int
        Items left out because the others tied, or because nobody else answered.
    """

    rater: int
    kappa: Estimate
    agreement: Estimate
    n_tied: int
    n_alone: int


def kappa_with_majority(
    tables: MajorityTables,
    *,
    seed: int,
    n_resamples: int = 2000,
    level: float = 0.95,
    method: str = "bca",
    mirror: Sequence[int] | None = None,
) -> list[MajorityAgreement]:
    """Return Cohen's kappa of each annotator with the majority of the others, with ties dropped.

    The interval resamples items: multinomial over the cells of the annotator's table. It follows the guards
    of :func:`measures.intervals.interval_guard`; `n_resamples` 0 leaves it out. Undefined: 'no_pairs'
    without an item, 'no_variation' when both sides are one answer. A constant annotator has exactly 0, the
    warning 'constant_rater' and no interval ('no_spread'); the entropy finds such annotators. With `mirror`, chance is
    that of the answers in both orders, see :meth:`Histogram.in_both_orders`.
    """
    how: Resampling = {"seed": seed, "n_resamples": n_resamples, "level": level, "method": method}
    found = []
    kappas = cohen_kappas(in_both_orders(tables.tables, mirror), (tables.tied + tables.alone).tolist())
    for rater, table, tied, alone, plain in zip(
        tables.raters.tolist(), tables.tables, tables.tied.tolist(), tables.alone.tolist(), kappas, strict=True
    ):
        is_bounded = plain.value is not None and n_resamples
        kappa = _with_bootstrap(plain, table, mirror, **how) if is_bounded else plain
        found.append(MajorityAgreement(rater, kappa, _agreement(table, level), tied, alone))
    return found


def _agreement(table: IntArray, level: float) -> Estimate:
    n, same = int(table.sum()), int(np.trace(table))
    if not n:
        return Estimate(None, NO_PAIRS)
    limits = wilson(same, n, level)
    return Estimate(same / n, low=limits.low, high=limits.high, n_items=n)


def _with_bootstrap(
    kappa: Estimate, table: IntArray, mirror: Sequence[int] | None, **how: Unpack[Resampling]
) -> Estimate:
    show, word = guard_of(in_both_orders(table, mirror))
    if not show:
        return kappa.with_interval(None, None, word)
    table = _in_one_order(table, mirror)
    cells = np.flatnonzero(table)
    limits = interval_of_counts(table.ravel()[cells], table_kappa_kernel(cells, len(table), mirror), **how)
    return kappa.with_interval(limits.low, limits.high, limits.note or word)


def _in_one_order(table: IntArray, mirror: Sequence[int] | None) -> IntArray:
    """Return a (K, K) table with each cell added to its mirror image if that comes first, so that draws are alike."""
    if mirror is None:
        return table
    k = len(table)
    places = np.array(mirror)
    turned = (places[:, None] * k + places).ravel()
    first = np.minimum(np.arange(k * k), turned)
    return np.bincount(first, table.ravel(), k * k).astype(np.int64).reshape(k, k)


def table_kappa_kernel(cells: IntArray, n_categories: int, mirror: Sequence[int] | None = None) -> Kernel:
    """Return Cohen's kappa of items per cell i * K + j of an answer table: (B, C) counts -> (B,), NaN undefined."""
    row, column = np.divmod(cells, n_categories)
    # A half for the answer and a half for its mirror image: each item counts once.
    unit = np.eye(n_categories) if mirror is None else (np.eye(n_categories) + np.eye(n_categories)[list(mirror)]) / 2

    def kernel(counts: FloatArray) -> FloatArray:
        n = counts.sum(axis=1)
        rows, columns = counts @ unit[row], counts @ unit[column]
        observed = counts @ (row == column) / n
        expected = (rows * columns).sum(axis=1) / n**2
        varied = ((rows + columns) > 0).sum(axis=1) > 1
        return divide_or_nan(observed - expected, np.where(varied, 1 - expected, 0.0))

    return kernel


@dataclass(frozen=True, slots=True)
class Entropy:
    """Answer entropy of one annotator: `bits`, and `relative`, its share of the median of the others."""

    bits: float | None
    relative: float | None
    n_answers: int


def answer_entropy(counts: npt.ArrayLike) -> list[Entropy]:
    """Return the Shannon entropy of each annotator's answers, in bits.

    Parameters
    ----------
    counts : (G, K) int array
        Answers per annotator and category, for example the sums of the rows of :class:`MajorityTables`.

    Returns
    -------
    list of Entropy
        `bits` is None without answers, 0 for one answer only, log2 K if all are equally frequent. `relative` is
        None if nobody else has answers or the median of the others is 0. Small samples are biased low, so compare
        annotators with about the same number of answers.
    """
    table = np.asarray(counts, float)
    shares = [row[row > 0] / max(1.0, row.sum()) for row in table]
    bits = [abs(float(each @ np.log2(each))) if each.size else None for each in shares]
    known = sorted(value for value in bits if value is not None)
    found = []
    for own, row in zip(bits, table, strict=True):
        median = _median_without(known, own)
        relative = own / median if own is not None and median > 0 else None
        found.append(Entropy(own, relative, int(row.sum())))
    return found


def _median_without(values: list[float], own: float | None) -> float:
    """Return the median of ascending values without `own`, 0 if none are left; the values are sorted only once."""
    n, own_place = (len(values), len(values)) if own is None else (len(values) - 1, bisect_left(values, own))
    if not n:
        return 0.0
    low, high = (values[place + (place >= own_place)] for place in ((n - 1) // 2, n // 2))
    return (low + high) / 2


@dataclass(frozen=True, slots=True)
class Flag:
    """The reasons to look at one annotator, if there are any.

    Attributes
    ----------
    rater : int
    reasons : tuple of str
        'below_threshold', 'low_kappa', 'low_entropy'; empty without a flag.
    kappa_z, entropy_z : float or None
        Robust z scores.
    p_values : dict
        Adjusted p (Benjamini-Hochberg over annotators) of those of the three that could be tested.
    note : str or None
        'too_few_items' for an annotator who cannot be flagged yet.
    """

    rater: int
    reasons: tuple[str, ...]
    kappa_z: float | None
    entropy_z: float | None
    p_values: dict[str, float]
    note: str | None = None


def flags(
    agreements: Sequence[MajorityAgreement],
    entropies: Sequence[Entropy] | None = None,
    *,
    threshold: float | None = None,
    level: float = 0.95,
    fewest_items: int = FEWEST_ITEMS_TO_FLAG,
    false_discovery_rate: float = FALSE_DISCOVERY_RATE,
) -> list[Flag]:
    """Flag annotators to look at.

    Parameters
    ----------
    agreements : from :func:`kappa_with_majority`
    entropies : from :func:`answer_entropy`, in the same order, optional
    threshold : float, optional
        The study's lowest acceptable kappa with the majority.
    level : float
        The level of the intervals in `agreements`.
    fewest_items : int
        Annotators with fewer items are not flagged and do not enter a median; at least 20.

    Notes
    -----
    'below_threshold': the upper limit of kappa is below the threshold. 'low_kappa', 'low_entropy': robust
    z < -3. Each must also hold with Benjamini-Hochberg over the annotators: the p of the first follows from the
    distance between value and upper limit, the others come from
    :func:`measures.outliers.outlier_p_values`.
    """
    needed = max(fewest_items, FEWEST_ITEMS_TO_FLAG)
    enough = [found.kappa.n_items >= needed for found in agreements]
    kappa = robust_scores([f.kappa.value if ok else None for f, ok in zip(agreements, enough, strict=True)]).scores
    bits = [entropy.bits for entropy in entropies] if entropies is not None else [None] * len(agreements)
    entropy = robust_scores([value if ok else None for value, ok in zip(bits, enough, strict=True)]).scores
    upper = [_p_below(f.kappa, threshold, level) if ok else None for f, ok in zip(agreements, enough, strict=True)]
    corrected = {
        BELOW_THRESHOLD: adjusted(upper),
        LOW_KAPPA: adjusted(outlier_p_values(kappa)),
        LOW_ENTROPY: adjusted(outlier_p_values(entropy)),
    }
    outcomes = []
    for place, found in enumerate(agreements):
        p_values = {name: p for name, values in corrected.items() if (p := values[place]) is not None}
        high = found.kappa.high
        holds = {
            BELOW_THRESHOLD: threshold is not None and high is not None and high < threshold,
            LOW_KAPPA: is_outlier(kappa[place]),
            LOW_ENTROPY: is_outlier(entropy[place]),
        }
        reasons = tuple(name for name, p in p_values.items() if holds[name] and p <= false_discovery_rate)
        note = None if enough[place] else TOO_FEW_ITEMS
        outcomes.append(Flag(found.rater, reasons, kappa[place], entropy[place], p_values, note))
    return outcomes


def _p_below(kappa: Estimate, threshold: float | None, level: float) -> float | None:
    """Return the one-sided p of kappa >= threshold: exactly (1 - level) / 2 when the upper limit is the threshold."""
    if threshold is None or kappa.value is None or kappa.high is None:
        return None
    error = max(kappa.high - kappa.value, 1e-9) / float(special().ndtri((1 + level) / 2))
    return float(special().ndtr(max(-37.0, (kappa.value - threshold) / error)))


def adjusted(p_values: Sequence[float | None]) -> list[float | None]:
    """Return Benjamini-Hochberg p values over those that are defined; None stays None."""
    found = iter(benjamini_hochberg([p for p in p_values if p is not None]).tolist())
    return [None if p is None else next(found) for p in p_values]
