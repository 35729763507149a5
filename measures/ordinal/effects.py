"""The random effects of a design as two kinds of levels: those within conversations, and those of annotators.

The matrix of second derivatives is block-diagonal for the levels within conversations, of which each has few, and dense
for those of annotators. Eliminating the blocks leaves a small dense system.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from measures.arrays import FloatArray, IntArray
from measures.mixed.annotators import TooLarge
from measures.mixed.design import ANNOTATOR, ANNOTATOR_SOURCE, CONVERSATION, Ratings

MOST_CELLS = 20_000_000  # of the blocks and of what joins them to annotators, 8 bytes each


@dataclass(frozen=True, eq=False)
class Levels:
    """Where each rating has which level.

    Attributes
    ----------
    block : (n,) int array
        The conversation of each rating.
    within : (n, k) int array
        Level of each effect within the block.
    wide : (n, m) int array
        Level of each effect of annotators, which are numbered through.
    n_blocks, size, n_wide : int
        Blocks, levels of the largest one, and levels of annotators.
    order : (k + m,) int array
        Which of the model's effects the columns of `within` and then of `wide` are.
    """

    block: IntArray
    within: IntArray
    wide: IntArray
    n_blocks: int
    size: int
    n_wide: int
    order: IntArray

    @classmethod
    def of(cls, ratings: Ratings, effects: tuple[str, ...]) -> "Levels":
        """Raises TooLarge where the system would not fit."""
        is_wide = np.array([effect in (ANNOTATOR, ANNOTATOR_SOURCE) for effect in effects], bool)
        block = ratings.groups[CONVERSATION]
        inner = [ratings.groups[effect] for effect, each in zip(effects, is_wide, strict=True) if not each]
        outer = [ratings.groups[effect] for effect, each in zip(effects, is_wide, strict=True) if each]
        within, size = _numbered_within(block, inner)
        starts = np.cumsum([0, *(int(each.max()) + 1 for each in outer)])
        wide = np.stack([each + start for each, start in zip(outer, starts, strict=False)], 1) if outer else None
        n_blocks, n_wide = int(block.max()) + 1, int(starts[-1])
        if n_blocks * size * (size + n_wide) > MOST_CELLS or n_wide**2 > MOST_CELLS:
            raise TooLarge
        return cls(
            block,
            within,
            np.zeros((len(block), 0), np.int64) if wide is None else wide,
            n_blocks,
            size,
            n_wide,
            np.concatenate([np.flatnonzero(~is_wide), np.flatnonzero(is_wide)]),
        )

    @property
    def n_within(self) -> int:
        return self.n_blocks * self.size

    def at(self, column: int) -> IntArray:
        """Return the level of each rating in the vector of all levels: blocks first, then annotators."""
        k = self.within.shape[1]
        if column < k:
            return self.block * self.size + self.within[:, column]
        return self.n_within + self.wide[:, column - k]


def _numbered_within(block: IntArray, groups: list[IntArray]) -> tuple[IntArray, int]:
    """Number the levels of all effects within each block from 0, and return the size of the largest block."""
    if not groups:
        return np.zeros((len(block), 0), np.int64), 0
    found, used = [], np.zeros(int(block.max()) + 1, np.int64)
    for group in groups:
        # A group lies in one block: its number is its place among those of the block.
        owner = np.zeros(int(group.max()) + 1, np.int64)
        owner[group] = block
        order = np.argsort(owner, kind="stable")
        counts = np.bincount(owner, minlength=len(used))
        place = np.empty(len(owner), np.int64)
        place[order] = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
        found.append(used[block] + place[group])
        used = used + counts
    return np.stack(found, axis=1), int(used.max())


@dataclass(frozen=True, eq=False)
class System:
    """I + Z'WZ, solved: W are the weights of the ratings, and Z has the standard deviation of each of their effects.

    Attributes
    ----------
    own : (n_blocks, size, size) float array
        Inverse of each block.
    joins : (n_blocks, size, n_wide) float array
        Inverse of each block, times what joins it to the annotators.
    rest : (n_wide, n_wide) float array and bool
        Cholesky factor of what is left for annotators once the blocks are eliminated, as scipy has it.
    log_determinant : float
    """

    levels: Levels
    sds: FloatArray
    own: FloatArray
    joins: FloatArray
    rest: tuple[FloatArray, bool]
    log_determinant: float

    @classmethod
    def of(cls, levels: Levels, w: FloatArray, sds: FloatArray) -> "System":
        """`sds` are in the order of the columns of `levels`."""
        size, n_wide, k = levels.size, levels.n_wide, levels.within.shape[1]
        rows = [levels.block * size + column for column in levels.within.T]
        outer = list(levels.wide.T)
        blocks, joins, corner = (np.zeros(n) for n in (levels.n_within * size, levels.n_within * n_wide, n_wide**2))
        for i, row in enumerate(rows):
            for j, column in enumerate(levels.within.T):
                blocks += _summed(row * size + column, w * sds[i] * sds[j], len(blocks))
            for j, column in enumerate(outer, k):
                joins += _summed(row * n_wide + column, w * sds[i] * sds[j], len(joins))
        for i, row in enumerate(outer, k):
            for j, column in enumerate(outer, k):
                corner += _summed(row * n_wide + column, w * sds[i] * sds[j], len(corner))
        whole = blocks.reshape(levels.n_blocks, size, size) + np.eye(size)
        linalg, own = _linalg(), np.asarray(np.linalg.inv(whole), float)
        join = joins.reshape(levels.n_blocks, size, n_wide)
        solved = own @ join
        left = corner.reshape(n_wide, n_wide) + np.eye(n_wide)
        left -= np.tensordot(join, solved, axes=((0, 1), (0, 1)))
        rest = linalg.cho_factor(left, lower=True, check_finite=False)
        log_determinant = float(np.linalg.slogdet(whole)[1].sum() + 2 * np.log(np.diag(rest[0])).sum())
        return cls(levels, sds, own, solved, rest, log_determinant)

    def of_annotators(self, right: FloatArray) -> FloatArray:
        """Solve what is left for annotators."""
        return np.asarray(_linalg().cho_solve(self.rest, right, check_finite=False), float)

    def solve(self, right: FloatArray) -> FloatArray:
        """Return the solution for a right side over all levels."""
        inner, outer = np.split(right, [self.levels.n_within])
        inner = inner.reshape(self.levels.n_blocks, self.levels.size)
        found = self.of_annotators(outer - np.einsum("csw,cs->w", self.joins, inner))
        rest = np.einsum("cst,ct->cs", self.own, inner) - self.joins @ found
        return np.concatenate([rest.ravel(), found])

    def of_ratings(self) -> FloatArray:
        """Return (effects, n): the inverse's entry of each rating's own level with its row of Z."""
        levels, k = self.levels, self.levels.within.shape[1]
        wide = self.of_annotators(np.eye(levels.n_wide))
        joined = self.joins @ wide
        blocks = self.own + joined @ self.joins.transpose(0, 2, 1)
        found = np.zeros((len(self.sds), len(levels.block)))
        for i, inner in enumerate(levels.within.T):
            for j, other in enumerate(levels.within.T):
                found[i] += self.sds[j] * blocks[levels.block, inner, other]
            for j, outer in enumerate(levels.wide.T, k):
                entry = joined[levels.block, inner, outer]
                found[i] -= self.sds[j] * entry
                found[j] -= self.sds[i] * entry
        for i, outer in enumerate(levels.wide.T, k):
            for j, other in enumerate(levels.wide.T, k):
                found[i] += self.sds[j] * wide[outer, other]
        return found


def _linalg() -> Any:
    import scipy.linalg  # 0.1 s to import

    return scipy.linalg


def _summed(place: IntArray, values: FloatArray, size: int) -> FloatArray:
    return np.asarray(np.bincount(place, values, size), float)
