"""The answer tables of all pairs of raters, and Cohen's kappa of each pair.

Tables of batches add up to the tables of the study. Only cells that occur are stored: memory is 16 bytes
times min(pairs * K^2, sum over items of r (r - 1) / 2), so 123 raters of all items with three answers
(7,503 pairs) take 1 MB and 10,000 raters with three votes per item take 48 bytes per item. Building needs
up to 50 MB more for the dense route (few raters who rated most items) or 8 bytes per pair of votes for the
sparse one.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from measures.arrays import CountArray, FloatArray, IntArray, check_codes, divide_or_nan
from measures.weights import Weights, resolve_weights

# Limits of the dense route: (raters * K)^2 cells of the product, 8 bytes each; indicator cells of a block, 4 bytes.
MOST_DENSE_CELLS = 4_000_000
BLOCK_CELLS = 4_000_000
# Below this share of filled (item, rater) places the sparse route does less work.
FEWEST_DENSE_SHARE = 0.2


@dataclass(frozen=True, eq=False)
class PairTable:
    """Answer tables of pairs of raters, sparse.

    Attributes
    ----------
    raters : (G,) int array
        Rater ids, ascending. A pair is always (smaller id, larger id).
    n_categories : int
        Declared categories K.
    cells : (C,) int array
        ((a * G + b) * K + i) * K + j, ascending: raters number a < b answered i and j.
    counts : (C,) array
        Items per cell, positive: integers, or halves in :meth:`in_both_orders`.
    """

    raters: IntArray
    n_categories: int
    cells: IntArray
    counts: CountArray

    # Making one

    @classmethod
    def empty(cls, n_categories: int) -> "PairTable":
        nothing = np.zeros(0, np.int64)
        return cls(nothing, n_categories, nothing, nothing)

    @classmethod
    def from_votes(
        cls, items: npt.ArrayLike, raters: npt.ArrayLike, codes: npt.ArrayLike, n_categories: int
    ) -> "PairTable":
        """Make a table from three parallel arrays with one entry per vote; code -1 is missing.

        Raises ValueError if a rater has two votes on one item or a code is not declared.
        """
        what = np.asarray(codes, np.int64)
        check_codes(what, n_categories)
        given = what >= 0
        if not given.any():
            return cls.empty(n_categories)
        item_ids, item = np.unique(np.asarray(items)[given], return_inverse=True)
        rater_ids, rater = np.unique(np.asarray(raters, np.int64)[given], return_inverse=True)
        shape = (len(item_ids), len(rater_ids))
        if not _is_dense(what.size / math.prod(shape), len(rater_ids), n_categories):
            return cls._from_sparse(item, rater, what[given], rater_ids, n_categories)
        matrix = np.full(shape, -1, np.int64)
        matrix[item, rater] = what[given]
        if np.count_nonzero(matrix >= 0) != np.count_nonzero(given):
            raise ValueError("a rater has two votes on one item")
        return cls.from_matrix(matrix, n_categories, rater_ids)

    @classmethod
    def from_matrix(
        cls, codes: npt.NDArray[Any], n_categories: int, raters: npt.ArrayLike | None = None
    ) -> "PairTable":
        """Make a table from an (items, raters) matrix of codes, -1 for missing; rater ids default to column numbers.

        One matrix product of the 0/1 indicators "rater g answered k" gives all tables.
        """
        check_codes(codes, n_categories)
        n_raters = codes.shape[1]
        ids = np.arange(n_raters) if raters is None else np.asarray(raters, np.int64)
        if len(ids) != n_raters or (np.diff(ids) <= 0).any():
            raise ValueError("rater ids ascend, one per column")
        if not _is_dense(1.0, n_raters, n_categories):
            item, rater = np.nonzero(codes >= 0)
            return cls._from_sparse(item, rater, codes[item, rater].astype(np.int64), ids, n_categories)
        product = _indicator_product(codes, n_categories)
        first, second = np.triu_indices(n_raters, 1)
        tables = product.transpose(1, 3, 0, 2)[first, second].reshape(len(first), n_categories**2)
        pair, cell = np.nonzero(tables)
        keys = (first[pair] * n_raters + second[pair]) * n_categories**2 + cell
        return cls(ids, n_categories, keys, tables[pair, cell])

    @classmethod
    def _from_sparse(
        cls, item: IntArray, rater: IntArray, codes: IntArray, rater_ids: IntArray, n_categories: int
    ) -> "PairTable":
        order = np.lexsort((rater, item))
        item, rater, codes = item[order], rater[order], codes[order]
        keys = [np.zeros(0, np.int64)]
        for left, right in _neighbours(item):
            if (rater[left] == rater[right]).any():
                raise ValueError("a rater has two votes on one item")
            pair = rater[left] * len(rater_ids) + rater[right]
            keys.append((pair * n_categories + codes[left]) * n_categories + codes[right])
        cells, counts = np.unique(np.concatenate(keys), return_counts=True)
        return cls(rater_ids, n_categories, cells, counts)

    # Arithmetic

    def __add__(self, other: "PairTable") -> "PairTable":
        self._check_same_categories(other)
        raters = np.union1d(self.raters, other.raters)
        parts = [self._renumbered(raters), other._renumbered(raters)]
        cells, place = np.unique(np.concatenate(parts), return_inverse=True)
        counts = np.zeros(len(cells), np.int64)
        np.add.at(counts, place, np.concatenate([self.counts, other.counts]))
        return PairTable(raters, self.n_categories, cells, counts)

    def __sub__(self, other: "PairTable") -> "PairTable":
        """Remove the items of `other`. Raises ValueError if it has items that this table does not have."""
        self._check_same_categories(other)
        used = np.union1d(*other._parts()[:2])
        if not np.isin(other.raters[used], self.raters).all():
            raise ValueError("the other table has raters this one does not")
        cells = other._renumbered(self.raters)
        place = np.searchsorted(self.cells, cells)
        known = place < len(self.cells)
        if not known.all() or not np.array_equal(self.cells[place], cells):
            raise ValueError("the other table has items this one does not")
        counts = self.counts.copy()
        counts[place] -= other.counts
        if counts.size and counts.min() < 0:
            raise ValueError("a pair table cannot hold fewer than no items")
        return PairTable(self.raters, self.n_categories, self.cells[counts > 0], counts[counts > 0])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PairTable):
            return NotImplemented
        return self.n_categories == other.n_categories and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash((self.n_categories, int(self.counts.sum()), len(self.counts)))

    def _check_same_categories(self, other: "PairTable") -> None:
        if self.n_categories != other.n_categories:
            raise ValueError(f"{self.n_categories} and {other.n_categories} categories do not add")

    def _renumbered(self, raters: IntArray) -> IntArray:
        """Return the cells with rater numbers of the larger list `raters`, still in ascending order."""
        first, second, cell = self._parts()
        number = np.searchsorted(raters, self.raters)
        return (number[first] * len(raters) + number[second]) * self.n_categories**2 + cell

    def _parts(self) -> tuple[IntArray, IntArray, IntArray]:
        pair, cell = np.divmod(self.cells, self.n_categories**2)
        first, second = np.divmod(pair, max(1, len(self.raters)))
        return first, second, cell

    def ignoring(self, category: int) -> "PairTable":
        """Treat votes in this category as missing; the category is no longer declared."""
        first, second, cell = self._parts()
        i, j = np.divmod(cell, self.n_categories)
        kept = (i != category) & (j != category)
        first, second, i, j = (part[kept] for part in (first, second, i - (i > category), j - (j > category)))
        k = self.n_categories - 1
        cells = ((first * len(self.raters) + second) * k + i) * k + j
        return PairTable(self.raters, k, cells, self.counts[kept])

    def in_both_orders(self, mirror: Sequence[int] | None) -> "PairTable":
        """Return each item half as it is and half as its mirror image, as :meth:`Histogram.in_both_orders` does."""
        if mirror is None:
            return self
        first, second, cell = self._parts()
        i, j = np.asarray(mirror, np.int64)[np.stack(np.divmod(cell, self.n_categories))]
        turned = ((first * len(self.raters) + second) * self.n_categories + i) * self.n_categories + j
        cells, place = np.unique(np.concatenate([self.cells, turned]), return_inverse=True)
        return PairTable(self.raters, self.n_categories, cells, np.bincount(place.ravel(), np.tile(self.counts / 2, 2)))

    # Reading

    @property
    def n_pairs(self) -> int:
        """Return the number of pairs of raters with at least one item in common."""
        return len(np.unique(self.cells // self.n_categories**2))

    def table(self, rater_a: int, rater_b: int) -> CountArray:
        """Return the (K, K) table with answers of `rater_a` in rows; zeros for a pair without common items."""
        first, second, cell = self._parts()
        low, high = sorted((rater_a, rater_b))
        found = (self.raters[first] == low) & (self.raters[second] == high)
        items = np.bincount(cell[found], self.counts[found], self.n_categories**2)
        table: npt.NDArray[Any] = items.astype(self.counts.dtype)
        square = table.reshape(self.n_categories, self.n_categories)
        return square if rater_a <= rater_b else square.T

    def to_json(self) -> dict[str, list[list[int]]]:
        """Return ``{"3,17": [[0, 1, 5], ...]}``: raters 3 and 17 answered 0 and 1 on 5 items. Without empty cells."""
        first, second, cell = self._parts()
        a, b = self.raters[first].tolist(), self.raters[second].tolist()
        i, j = (part.tolist() for part in np.divmod(cell, self.n_categories))
        data: dict[str, list[list[int]]] = {}
        for low, high, row, column, n in zip(a, b, i, j, self.counts.tolist(), strict=True):
            data.setdefault(f"{low},{high}", []).append([row, column, n])
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, list[list[int]]], n_categories: int) -> "PairTable":
        """Invert :meth:`to_json`."""
        rows = [(*map(int, key.split(",")), *cell) for key, cells in data.items() for cell in cells]
        if not rows:
            return cls.empty(n_categories)
        a, b, i, j, counts = np.array(rows, np.int64).T
        raters = np.union1d(a, b)
        pair = np.searchsorted(raters, a) * len(raters) + np.searchsorted(raters, b)
        cells = (pair * n_categories + i) * n_categories + j
        order = np.argsort(cells)
        return cls(raters, n_categories, cells[order], counts[order])

    @classmethod
    def total_of_json(cls, parts: Iterable[Mapping[str, list[list[int]]]], n_categories: int) -> "PairTable":
        """Return the sum of stored tables: adding their numbers costs less than making arrays of each."""
        k = n_categories
        squares: dict[str, list[int]] = {}
        for part in parts:
            for pair, cells in part.items():
                square = squares.get(pair) or squares.setdefault(pair, [0] * (k * k))
                for row, column, n in cells:
                    square[row * k + column] += n
        used = {pair: [[*divmod(at, k), n] for at, n in enumerate(square) if n] for pair, square in squares.items()}
        return cls.from_json(used, k)

    def kappas(self, weights: Weights = None) -> FloatArray:
        """Return (pairs,) Cohen's kappa of each pair with common items, NaN if both used only the same category."""
        k = self.n_categories
        matrix = resolve_weights(weights, k)
        if not len(self.cells):
            return np.zeros(0)
        pair, cell = np.divmod(self.cells, k * k)
        i, j = np.divmod(cell, k)
        # Cells ascend by pair, so numbering the pairs needs no sorting.
        number = np.concatenate([[0], np.cumsum(np.diff(pair) > 0)])
        n = np.bincount(number, self.counts)
        observed = np.bincount(number, self.counts * matrix[i, j]) / n
        rows = np.bincount(number * k + i, self.counts, len(n) * k).reshape(-1, k) / n[:, None]
        columns = np.bincount(number * k + j, self.counts, len(n) * k).reshape(-1, k) / n[:, None]
        expected = ((rows @ matrix) * columns).sum(axis=1)
        # An exact test for one category in use: 1 - expected alone is sometimes a rounding error.
        varied = ((rows + columns) > 0).sum(axis=1) > 1
        return divide_or_nan(observed - expected, np.where(varied, 1 - expected, 0.0))


def _is_dense(filled_share: float, n_raters: int, n_categories: int) -> bool:
    return filled_share >= FEWEST_DENSE_SHARE and (n_raters * n_categories) ** 2 <= MOST_DENSE_CELLS


def _indicator_product(codes: npt.NDArray[Any], n_categories: int) -> IntArray:
    """Return (K, G, K, G) items on which one rater answered i and the other j."""
    n_raters = codes.shape[1]
    width = n_categories * n_raters
    product = np.zeros((width, width), np.int64)
    block = max(1, BLOCK_CELLS // max(1, width))
    for start in range(0, len(codes), block):
        # Items are along the last axis: comparing long rows is 15 times faster than rows of a few raters.
        part = np.ascontiguousarray(codes[start : start + block].T)
        # Float32 counts exactly up to 16.7 million; a block has fewer items.
        indicators = np.empty((n_categories, *part.shape), np.float32)
        for category in range(n_categories):
            indicators[category] = part == category
        flat = indicators.reshape(width, -1)
        product += (flat @ flat.T).astype(np.int64)
    return product.reshape(n_categories, n_raters, n_categories, n_raters)


def _neighbours(item: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield index pairs of votes on the same item, at distance 1, 2, ... in the sorted votes."""
    left = np.arange(len(item) - 1)
    distance = 1
    while left.size:
        left = left[left + distance < len(item)]
        left = left[item[left] == item[left + distance]]
        if left.size:
            yield left, left + distance
        distance += 1
