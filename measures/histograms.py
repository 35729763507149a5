"""The pattern histogram: the sufficient statistic of every coefficient that ignores who rated.

A pattern is the tally vector of one item, the number of votes per declared category; the histogram gives the
number of items with each pattern. Seven raters and three categories make 36 patterns for any number of items,
histograms of batches add up to the histogram of the study, and resampling items is a multinomial draw over
patterns.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from measures.arrays import BoolArray, CountArray, IntArray, check_codes, whole

Pattern = tuple[int, ...]

# bincount is the fastest way to count keys while its table of all possible keys fits the processor's cache.
COUNTABLE_BITS = 20
KEY_BITS = 62
# Float64 holds integers exactly up to here; from_votes adds keys as floats.
EXACT_FLOAT_BITS = 53


@dataclass(frozen=True, eq=False)
class Histogram:
    """The number of items with each tally vector.

    Parameters
    ----------
    patterns : (P, K) int array
        One row per pattern: votes per declared category, in declared order. Rows are made unique and sorted.
    counts : (P,) array
        Items per pattern: integers, or halves in :meth:`in_both_orders`. Zero counts are dropped, negative ones raise
        ValueError.

    Notes
    -----
    An item enters with its first vote: a pattern without votes is dropped, so a histogram rebuilt from the
    ratings equals one that was updated by sums and differences.
    """

    patterns: IntArray
    counts: CountArray
    votes: IntArray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        patterns, counts = _canonical(np.asarray(self.patterns), np.asarray(self.counts))
        for name, array in (("patterns", patterns), ("counts", counts), ("votes", patterns.sum(axis=1))):
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    # Making one

    @classmethod
    def empty(cls, n_categories: int) -> "Histogram":
        """Return the histogram of no items."""
        return cls(np.zeros((0, n_categories), np.int64), np.zeros(0, np.int64))

    @classmethod
    def from_patterns(cls, items: Mapping[Pattern, int], n_categories: int | None = None) -> "Histogram":
        """Make a histogram from ``{(5, 2, 0): 11}``; an empty mapping needs `n_categories`."""
        if not items:
            if n_categories is None:
                raise ValueError("an empty histogram needs n_categories")
            return cls.empty(n_categories)
        patterns = sorted(items)
        counts = [items[pattern] for pattern in patterns]
        histogram = cls(np.array(patterns, np.int64), np.array(counts, np.int64))
        if n_categories not in (None, histogram.n_categories):
            raise ValueError(f"patterns have {histogram.n_categories} categories, not {n_categories}")
        return histogram

    @classmethod
    def from_tallies(cls, tallies: npt.ArrayLike) -> "Histogram":
        """Make a histogram from an (items, K) array of votes per category, one row per item."""
        rows = np.asarray(tallies, np.int64)
        if rows.ndim != 2 or not rows.size:
            return cls(rows, np.ones(len(rows), np.int64))
        _, first, counts = np.unique(ordered_keys(rows), return_index=True, return_counts=True)
        return cls(rows[first], counts)

    @classmethod
    def from_matrix(cls, codes: npt.NDArray[np.signedinteger[Any]], n_categories: int) -> "Histogram":
        """Make a histogram from an (items, raters) matrix of category codes 0..K-1, with -1 for a missing vote.

        Each row becomes one integer with a bit field per category, so counting items is counting integers.
        """
        _check_codes(codes, n_categories)
        bits = int(codes.shape[1]).bit_length()
        if bits * (n_categories + 1) > 63:
            items, raters = np.nonzero(codes >= 0)
            return cls._from_vote_arrays(items, codes[items, raters].astype(np.int64), n_categories)
        return cls._from_keys(_row_keys(codes, n_categories, bits), n_categories, bits)

    @classmethod
    def from_votes(cls, item_ids: npt.ArrayLike, category_codes: npt.ArrayLike, n_categories: int) -> "Histogram":
        """Make a histogram from two parallel arrays with one entry per vote; code -1 is a missing vote."""
        codes = np.asarray(category_codes)
        items = np.asarray(item_ids)
        if codes.shape != items.shape or codes.ndim != 1:
            raise ValueError("item_ids and category_codes are parallel one-dimensional arrays")
        if not codes.size:
            return cls.empty(n_categories)
        _check_codes(codes, n_categories)
        given = codes >= 0
        if not given.all():
            items, codes = items[given], codes[given]
        return cls._from_vote_arrays(positions_of(items), codes.astype(np.int64), n_categories)

    @classmethod
    def _from_vote_arrays(cls, items: IntArray, codes: IntArray, n_categories: int) -> "Histogram":
        if not items.size:
            return cls.empty(n_categories)
        bits = int(np.bincount(items).max()).bit_length()
        if bits * n_categories <= EXACT_FLOAT_BITS:
            fields = 2.0 ** (bits * np.arange(n_categories - 1, -1, -1))
            return cls._from_keys(np.bincount(items, fields[codes]).astype(np.int64), n_categories, bits)
        n_items = int(items.max()) + 1
        tallies = np.bincount(items * n_categories + codes, minlength=n_items * n_categories)
        return cls.from_tallies(tallies.reshape(n_items, n_categories))

    @classmethod
    def _from_keys(cls, keys: npt.NDArray[Any], n_categories: int, bits: int) -> "Histogram":
        if bits * n_categories <= COUNTABLE_BITS:
            table = np.bincount(keys)
            distinct = np.flatnonzero(table)
            counts = table[distinct]
        else:
            distinct, counts = np.unique(keys.astype(np.int64), return_counts=True)
        shifts = bits * np.arange(n_categories - 1, -1, -1)
        return cls((distinct[:, None] >> shifts) & ((1 << bits) - 1), counts)

    # Arithmetic

    def __add__(self, other: "Histogram") -> "Histogram":
        self._check_same_categories(other)
        return Histogram(np.concatenate([self.patterns, other.patterns]), np.concatenate([self.counts, other.counts]))

    def __sub__(self, other: "Histogram") -> "Histogram":
        """Remove the items of `other`. Raises ValueError if it has items that this histogram does not have."""
        self._check_same_categories(other)
        return Histogram(np.concatenate([self.patterns, other.patterns]), np.concatenate([self.counts, -other.counts]))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Histogram):
            return NotImplemented
        return np.array_equal(self.patterns, other.patterns) and np.array_equal(self.counts, other.counts)

    def __hash__(self) -> int:
        return hash((self.patterns.shape, self.patterns.tobytes(), self.counts.tobytes()))

    def _check_same_categories(self, other: "Histogram") -> None:
        if self.n_categories != other.n_categories:
            raise ValueError(f"{self.n_categories} and {other.n_categories} categories do not add")

    # Parts

    def where(self, kept: BoolArray) -> "Histogram":
        """Return only the patterns (P,) marked True."""
        return Histogram(self.patterns[kept], self.counts[kept])

    def without(self, category: int) -> "Histogram":
        """Strong judgements: drop every ITEM with a vote in this category; the category stays declared."""
        return self.where(self.patterns[:, category] == 0)

    def ignoring(self, category: int) -> "Histogram":
        """Treat VOTES in this category as missing; items stay, the category is no longer declared."""
        return Histogram(np.delete(self.patterns, category, axis=1), self.counts)

    def against_rest(self, category: int) -> "Histogram":
        """Return a histogram of two categories: this one and all the others together."""
        mine = self.patterns[:, category]
        return Histogram(np.column_stack([mine, self.votes - mine]), self.counts)

    def complete(self, n_raters: int | None = None) -> "Histogram":
        """Return only items with `n_raters` votes (listwise); the default is the largest number of votes on an item."""
        wanted = int(self.votes.max(initial=0)) if n_raters is None else n_raters
        return self.where(self.votes == wanted)

    def in_both_orders(self, mirror: Sequence[int] | None) -> "Histogram":
        """Return each item half as it is and half as its mirror image; the number of items stays.

        Of comparisons, where it is arbitrary which side is the first. `mirror` has the place of each answer's mirror
        image; with None, nothing changes.
        """
        if mirror is None:
            return self
        patterns = np.concatenate([self.patterns, self.patterns[:, list(mirror)]])
        return Histogram(patterns, np.tile(self.counts / 2, 2))

    def in_one_order(self, mirror: Sequence[int] | None) -> "Histogram":
        """Return the items in an order that does not depend on which side is the first, see :func:`in_one_order`."""
        return Histogram(in_one_order(self.patterns, mirror), self.counts)

    # Counts

    @property
    def n_categories(self) -> int:
        return int(self.patterns.shape[1])

    @property
    def n_items(self) -> int:
        """Return the number of items with at least one vote."""
        return int(self.counts.sum())

    @property
    def n_rated(self) -> int:
        """Return the number of items with two or more votes: those on which raters can agree."""
        return int(self.counts[self.votes >= 2].sum())

    @property
    def n_left_out(self) -> int:
        """Return the number of items with fewer than two votes."""
        return self.n_items - self.n_rated

    @property
    def n_votes(self) -> int:
        return int(self.counts @ self.votes)

    @property
    def sizes(self) -> dict[str, Any]:
        """Return the numbers of items and ratings that every estimate names."""
        return {"n_items": self.n_rated, "n_left_out": self.n_left_out, "n_ratings": self.n_votes}

    @property
    def category_votes(self) -> IntArray:
        """Return (K,) votes per category."""
        return whole(self.counts) @ self.patterns

    @property
    def largest_share(self) -> float | None:
        """Return the share of all votes on the most used category; None without votes."""
        return float((self.counts @ self.patterns).max() / self.n_votes) if self.n_votes else None

    # Storage

    def to_json(self) -> dict[str, int]:
        """Return ``{"5,2,0": 11}``, for a JSON column."""
        keys = (",".join(map(str, row)) for row in self.patterns.tolist())
        return dict(zip(keys, self.counts.tolist(), strict=True))

    @classmethod
    def from_json(cls, data: Mapping[str, int], n_categories: int | None = None) -> "Histogram":
        """Invert :meth:`to_json`; an empty object needs `n_categories`."""
        items = {tuple(map(int, key.split(","))): count for key, count in data.items()}
        return cls.from_patterns(items, n_categories)


def total(histograms: Iterable[Histogram], n_categories: int) -> Histogram:
    """Return the sum of many histograms in one pass, for example of all batches of a study."""
    parts = [Histogram.empty(n_categories), *histograms]
    for part in parts:
        parts[0]._check_same_categories(part)
    return Histogram(np.concatenate([part.patterns for part in parts]), np.concatenate([part.counts for part in parts]))


def total_of_json(parts: Iterable[Mapping[str, int]], n_categories: int) -> Histogram:
    """Return :func:`total` of stored histograms: adding their numbers costs less than making arrays of each."""
    found: Counter[str] = Counter()
    for part in parts:
        found.update(part)
    return Histogram.from_json(found, n_categories)


def in_one_order(tallies: IntArray, mirror: Sequence[int] | None) -> IntArray:
    """Return (N, K) each row or its mirror image, whichever sorts first; with `mirror` None, the rows.

    What is drawn from these rows, for coefficients over data in both orders, does not depend on which side is the
    first: other rows would give other random numbers.
    """
    if mirror is None:
        return tallies
    turned = tallies[:, list(mirror)]
    keys = ordered_keys(np.concatenate([tallies, turned]))
    return np.where((keys[: len(tallies)] <= keys[len(tallies) :])[:, None], tallies, turned)


def positions_of(ids: npt.NDArray[Any]) -> IntArray:
    """Return small non-negative integers that tell the ids apart; integer ids close together may leave gaps."""
    if ids.size and np.issubdtype(ids.dtype, np.integer):
        lowest, highest = int(ids.min()), int(ids.max())
        if highest - lowest < 4 * ids.size + 1024:
            return ids.astype(np.int64) - lowest
    return np.unique(ids, return_inverse=True)[1].astype(np.int64)


def ordered_keys(tallies: IntArray) -> IntArray:
    """Return (N,) integers that are equal and ordered like the rows of (N, K) votes, but faster to sort."""
    n_categories = tallies.shape[1]
    bits = int(tallies.max(initial=0)).bit_length()
    if bits * n_categories > KEY_BITS or tallies.min(initial=0) < 0:
        return np.unique(tallies, axis=0, return_inverse=True)[1].ravel()
    return np.asarray(tallies @ (1 << bits * np.arange(n_categories - 1, -1, -1)), np.int64)


def _row_keys(codes: npt.NDArray[Any], n_categories: int, bits: int) -> npt.NDArray[Any]:
    """Return (items,) integers with one bit field of votes per category, the first category highest."""
    width = bits * (n_categories + 1)
    # Use the narrowest integers that fit: halving the bytes nearly halves the time.
    dtype: type[np.integer[Any]] = np.uint16 if width <= 16 else np.uint32 if width <= 32 else np.int64
    keys = np.zeros(len(codes), dtype)
    last = codes.dtype.type(n_categories - 1)
    for rater in range(codes.shape[1]):
        keys += np.left_shift(dtype(1), (last - codes[:, rater]).astype(dtype) * dtype(bits))
    # A missing vote (-1) was added to a field above all categories.
    known: npt.NDArray[Any] = keys & dtype((1 << bits * n_categories) - 1)
    return known


def _canonical(patterns: npt.NDArray[Any], counts: npt.NDArray[Any]) -> tuple[IntArray, CountArray]:
    if patterns.ndim != 2 or counts.shape != (len(patterns),) or not patterns.shape[1]:
        raise ValueError("patterns are (P, K) with K >= 1 and counts (P,)")
    if patterns.size and patterns.min() < 0:
        raise ValueError("a pattern has a negative number of votes")
    # Halves stay exact as floats.
    given = counts.astype(np.float64 if np.issubdtype(counts.dtype, np.floating) else np.int64)
    rows, sums = patterns.astype(np.int64), given
    if len(rows) and not _is_sorted(rows):
        rows, place = np.unique(rows, axis=0, return_inverse=True)
        sums = np.zeros(len(rows), given.dtype)
        np.add.at(sums, place.ravel(), given)
    if sums.size and sums.min() < 0:
        raise ValueError("a histogram cannot hold fewer than no items")
    kept = (sums > 0) & (rows.sum(axis=1) > 0)
    return rows[kept], sums[kept]


def _is_sorted(rows: IntArray) -> bool:
    """Return whether rows ascend strictly in lexicographic order; then they are also unique."""
    step = np.diff(rows, axis=0)
    first_change = np.argmax(step != 0, axis=1)
    return bool((np.take_along_axis(step, first_change[:, None], axis=1) > 0).all())


def _check_codes(codes: npt.NDArray[Any], n_categories: int) -> None:
    if not np.issubdtype(codes.dtype, np.signedinteger):
        raise ValueError("category codes are signed integers, -1 for missing")
    check_codes(codes, n_categories)
