"""The annotators' part of the mixed model's equations: the system of the size annotator x source that is left.

G = T^2 is the prior covariance of the cells N: in the block of an annotator with w cells, T = alone I + shared J. A
dense system is solved by Cholesky's method. Where few annotators meet (each has conversations of their own, as in a
crowd), the system is sparse and is factorised as such.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from measures.arrays import FloatArray, IntArray
from measures.mixed.sums import Cells

# A sparse factor has to be this much smaller than a dense one: each of its numbers costs more.
SPARSE_GAIN = 30
FEWEST_SPARSE = 200
# 200 MB for each matrix and some seconds for each evaluation; beyond this only a sparse factor is possible.
MOST_DENSE = 5_000


class TooLarge(Exception):
    """So many annotators meet in so many ways that the system fits no memory."""


@dataclass(frozen=True, slots=True, eq=False)
class System:
    """N'WN and what goes with it, for variances inside of conversations.

    Attributes
    ----------
    m : (q, q) array, dense or sparse
        N'WN.
    right : (q, S + 1) float array
        N'W [X y].
    whole : (S + 1, S + 1) float array
        [X y]'W [X y].
    by_annotator, between : (q, a) and (a, a) arrays
        Sums of `m` over the cells of annotators, by columns, and by rows too.
    """

    m: Any
    right: FloatArray
    whole: FloatArray
    by_annotator: Any
    between: Any


class Dense:
    """Systems as whole matrices; `places` are all of theirs."""

    def __init__(self, cells: Cells) -> None:
        self.cells = cells
        self.n_places = (cells.size + 1) ** 2

    def index(self, places: IntArray) -> IntArray:
        return places

    def upper(self, product: Any) -> FloatArray:
        """Return the upper triangle of a sparse matrix, by its places."""
        found: FloatArray = np.triu(product.toarray()).ravel()
        return found

    def system(self, upper: FloatArray) -> System:
        """Make a system of the upper triangle of [N y]'W [N y]."""
        size, starts = self.cells.size, self.cells.starts
        square = upper.reshape(size + 1, size + 1)
        m = square[:size, :size] + square[:size, :size].T
        m[np.diag_indices(size)] = np.diag(square)[:size]
        by_annotator = np.add.reduceat(m, starts, axis=1)
        between = np.add.reduceat(by_annotator, starts, axis=0)
        return System(m, *sides(self.cells, m, square[:size, size], square[size, size]), by_annotator, between)

    def solve(self, system: System, both: float, single: float) -> tuple[float, FloatArray]:
        """Return log|I + T M T|, and R'T (I + T M T)^-1 T R for the right sides R."""
        from scipy.linalg import cholesky, solve_triangular

        right = rooted(self.cells, system.right, both, single)
        inner = both * system.between if not single else self._inner(system, both, single)
        inner[np.diag_indices_from(inner)] += 1.0
        root = cholesky(inner, lower=True, overwrite_a=True, check_finite=False)
        solved = solve_triangular(root, right, lower=True, check_finite=False)
        return 2 * float(np.log(np.diag(root)).sum()), solved.T @ solved

    def _inner(self, system: System, both: float, single: float) -> FloatArray:
        """Return T M T = alone^2 M + F P' + P F', with P from cells to annotators."""
        widths = self.cells.widths
        alone, shared = roots(widths, both, single)
        f = alone * system.by_annotator * shared
        f += np.repeat(system.between * (shared[:, None] * shared / 2), widths, axis=0)
        f = np.repeat(f, widths, axis=1)
        inner: FloatArray = single * system.m
        inner += f
        inner += f.T
        return inner


class Sparse:
    """Systems as sparse matrices; `places` are those that have a number."""

    def __init__(self, cells: Cells, places: IntArray) -> None:
        self.cells = cells
        self.places = np.unique(places)
        self.n_places = len(self.places)

    def index(self, places: IntArray) -> IntArray:
        return np.searchsorted(self.places, places)

    def upper(self, product: Any) -> FloatArray:
        """Return the upper triangle of a sparse matrix, by its places."""
        found = product.tocoo()
        chosen = found.row <= found.col
        places = found.row[chosen].astype(np.int64) * (self.cells.size + 1) + found.col[chosen]
        return np.asarray(np.bincount(self.index(places), found.data[chosen], self.n_places), float)

    def system(self, upper: FloatArray) -> System:
        from scipy.sparse import csc_array

        size = self.cells.size
        row, column = self.places // (size + 1), self.places % (size + 1)
        is_cell, is_answer = column < size, (column == size) & (row < size)
        one = csc_array((upper[is_cell], (row[is_cell], column[is_cell])), shape=(size, size))
        m = one + one.T
        m.setdiag(one.diagonal())
        answers = np.zeros(size)
        answers[row[is_answer]] = upper[is_answer]
        to_annotator = self._to_annotator()
        by_annotator = m @ to_annotator
        whole = float(upper[-1])  # y'Wy is in the last place
        return System(m, *sides(self.cells, m, answers, whole), by_annotator, to_annotator.T @ by_annotator)

    def _to_annotator(self) -> Any:
        from scipy.sparse import csc_array

        widths = self.cells.widths
        annotator = np.repeat(np.arange(len(widths)), widths)
        return csc_array((np.ones(len(annotator)), (np.arange(len(annotator)), annotator)))

    def factor(self, system: System, both: float, single: float) -> Any:
        """Return the LU factors of I + T M T, which is symmetric and needs no pivots."""
        from scipy.sparse import csc_array, diags_array, eye_array
        from scipy.sparse.linalg import splu

        if not single:
            inner = both * system.between
        else:
            alone, shared = roots(self.cells.widths, both, single)
            p = self._to_annotator()
            root = alone * eye_array(self.cells.size) + p @ diags_array(shared) @ p.T
            inner = root @ system.m @ root
        whole = csc_array(inner + eye_array(inner.shape[0]))
        return splu(whole, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})

    def solve(self, system: System, both: float, single: float) -> tuple[float, FloatArray]:
        """Return log|I + T M T|, and R'T (I + T M T)^-1 T R for the right sides R."""
        right = rooted(self.cells, system.right, both, single)
        factors = self.factor(system, both, single)
        return float(np.log(np.abs(factors.U.diagonal())).sum()), right.T @ factors.solve(right)


def roots(widths: IntArray, both: float, single: float) -> tuple[float, FloatArray]:
    """Return T = alone I + shared J of each annotator."""
    alone = float(np.sqrt(single))
    return alone, (np.sqrt(single + widths * both) - alone) / widths


def rooted(cells: Cells, right: FloatArray, both: float, single: float) -> FloatArray:
    """Return T R; with a row for each annotator if only they, and not their sources, have an effect."""
    sums = np.add.reduceat(right, cells.starts, axis=0)
    if not single:
        return float(np.sqrt(both)) * sums
    alone, shared = roots(cells.widths, both, single)
    return alone * right + np.repeat(sums * shared[:, None], cells.widths, axis=0)


def sides(cells: Cells, m: Any, answers: FloatArray, whole: float) -> tuple[FloatArray, FloatArray]:
    """Return N'W [X y] and [X y]'W [X y]; the sources' columns X are sums of those of N."""
    n_sources = int(cells.source.max()) + 1
    sources = np.zeros((cells.size, n_sources))
    sources[np.arange(cells.size), cells.source] = 1.0
    right = np.column_stack([m @ sources, answers])
    found = np.zeros((n_sources + 1, n_sources + 1))
    found[:n_sources] = sources.T @ right
    found[n_sources] = [*found[:n_sources, n_sources], whole]
    return right, found


def solver_for(cells: Cells, places: IntArray) -> Dense | Sparse:
    """Choose by the groups of annotators that meet: a sparse factor is at most as large as the squares of their cells.

    Raises TooLarge if neither a dense nor a sparse one is possible.
    """
    if cells.size < FEWEST_SPARSE:
        return Dense(cells)
    fill = _squares_of_groups(cells, places)
    if fill * SPARSE_GAIN < cells.size**2 or (cells.size > MOST_DENSE and fill < MOST_DENSE**2):
        return Sparse(cells, places)
    if cells.size > MOST_DENSE:
        raise TooLarge
    return Dense(cells)


def _squares_of_groups(cells: Cells, places: IntArray) -> float:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    row, column = places // (cells.size + 1), places % (cells.size + 1)
    inside = column < cells.size
    annotator = np.repeat(np.arange(len(cells.starts)), cells.widths)
    first, second = annotator[row[inside]], annotator[column[inside]]
    meetings = coo_array((np.ones(len(first), bool), (first, second)), shape=(len(cells.starts), len(cells.starts)))
    groups = connected_components(meetings, directed=False)[1]
    return float((np.bincount(groups, cells.widths) ** 2).sum())
