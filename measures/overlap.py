"""The overlap of sets that several raters mark in an item, such as the turns of a dialogue that support an answer.

Sources: Jaccard 1912, New Phytol. 11:37 (the coefficient).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from measures.arrays import IntArray
from measures.estimate import NO_PAIRS, Estimate


@dataclass(frozen=True, slots=True)
class Overlap:
    """The mean overlap; its estimate has the pairs and items behind it. `n_neither` pairs marked nothing at all."""

    jaccard: Estimate
    n_neither: int


def mean_jaccard(items: IntArray, marks: Sequence[Iterable[int]]) -> Overlap:
    """Mean over pairs of raters of an item: marks of both, divided by marks of either.

    Parameters
    ----------
    items, marks : parallel, one entry per rater and item
        What a rater has marked in an item; nothing is a valid answer.

    Notes
    -----
    A pair of which one marked something and the other nothing has an overlap of 0. A pair of which neither marked
    anything has none: it is left out and counted. Undefined: 'no_pairs'.
    """
    by_item: dict[int, list[frozenset[int]]] = {}
    for item, marked in zip(items.tolist(), marks, strict=True):
        by_item.setdefault(item, []).append(frozenset(marked))
    found = {item: list(_overlaps(sets)) for item, sets in by_item.items()}
    shares = [share for each in found.values() for share in each if share is not None]
    n_neither = sum(each.count(None) for each in found.values())
    if not shares:
        return Overlap(Estimate(None, NO_PAIRS), n_neither)
    n_items = sum(any(share is not None for share in each) for each in found.values())
    return Overlap(Estimate(sum(shares) / len(shares), n_items=n_items, n_pairs=len(shares)), n_neither)


def _overlaps(sets: Sequence[frozenset[int]]) -> Iterable[float | None]:
    for first, second in combinations(sets, 2):
        either = len(first | second)
        yield len(first & second) / either if either else None
