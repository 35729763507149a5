"""Which ranks a source may have, also beside sources without a strength because all answers about them went one way."""

import math

import numpy as np

from measures.arrays import BoolArray, IntArray
from measures.preferences.comparisons import LEFT, RIGHT, Comparisons, PairCounts

# The chance of calling any pair of equal sources decided; the intervals of the strengths leave 5 %.
LARGEST_CHANCE = 0.001


def rank_limits(
    answers: Comparisons, counts: PairCounts, is_better: BoolArray | None, ranked: IntArray, others: IntArray
) -> list[tuple[int, int] | None]:
    """Return the best and the worst rank of each source; None for one that is not placed.

    Parameters
    ----------
    answers : Comparisons
        Without those that call both bad.
    is_better : (R, R) bool array or None
        Which of the `ranked` sources are better than which by their strengths; None if nothing is known.
    others : int array
        Sources without a strength that are placed nevertheless. One is better than another where enough conversations
        all went its way, or where a chain of such pairs and of strengths leads to the other.
    """
    n = len(counts.compared)
    if is_better is None:
        return [None] * n
    better = np.zeros((n, n), bool)
    better[np.ix_(ranked, ranked)] = is_better
    better = chains(better | _decided(answers, counts, others))
    placed = set(ranked.tolist()) | set(others.tolist())
    above, below = better.sum(axis=0), better.sum(axis=1)
    return [(1 + int(above[at]), len(placed) - int(below[at])) if at in placed else None for at in range(n)]


def _decided(answers: Comparisons, counts: PairCounts, others: IntArray) -> BoolArray:
    """Return (S, S) whether the row was preferred in so many conversations, and never the column or neither.

    A pair counts only with one of the `others`: pairs of ranked sources are the model's.
    """
    one_way = (counts.preferred > 0) & (counts.preferred.T == 0) & (counts.tied == 0)
    concerned = np.isin(np.arange(len(one_way)), others)
    one_way &= concerned[:, None] | concerned
    needed = math.log2(2 * max(1, one_way.sum()) / LARGEST_CHANCE)
    winner = np.where(answers.outcome == LEFT, answers.left, answers.right)
    loser = np.where(answers.outcome == LEFT, answers.right, answers.left)
    is_preference = np.isin(answers.outcome, (LEFT, RIGHT))
    found = np.zeros_like(one_way)
    for a, b in np.argwhere(one_way).tolist():
        mine = is_preference & (winner == a) & (loser == b)
        found[a, b] = len(np.unique(answers.cluster[mine])) >= needed
    return found


def chains(edges: BoolArray) -> BoolArray:
    """Return (S, S) whether a chain of edges leads from the row to the column."""
    found = edges.copy()
    for middle in range(len(found)):
        found |= np.outer(found[:, middle], found[middle])
    return found
