"""What the measures are compared with: other people's programs, and slow programs written from the definitions.

Every check yields pairs of ours and theirs, so that cases and the largest difference are counted and not claimed.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

Pair = tuple[Any, Any]


@dataclass(frozen=True)
class Check:
    """`functions`: 'module.function' of measures; `beside`: the independent implementation; `within`: the tolerance."""

    functions: tuple[str, ...]
    beside: str
    pairs: Callable[[], Iterable[Pair]]
    within: float = 1e-9

    @property
    def name(self) -> str:
        return f"{self.functions[0].partition('.')[2]}-{self.beside.split(',')[0].split(':')[0]}".replace(" ", "_")

    def measured(self) -> tuple[int, float]:
        """Cases, and the largest difference of any number in them."""
        differences = [difference(ours, theirs) for ours, theirs in self.pairs()]
        return len(differences), max(differences)


def difference(ours: Any, theirs: Any) -> float:
    """Of numbers or of anything that holds numbers; undefined (None) equals undefined only."""
    if ours is None or theirs is None:
        return 0.0 if ours is theirs else np.inf
    mine, their = np.asarray(ours, float), np.asarray(theirs, float)
    if mine.shape != their.shape:
        return np.inf
    return float(np.abs(mine - their).max(initial=0.0))


def value(estimate: Any) -> float:
    """Of a figure that must be there."""
    assert estimate.value is not None
    return float(estimate.value)


def limits(found: Any) -> tuple[float, float]:
    assert found.low is not None
    return found.low, found.high


def studies(
    n: int, *, missing: float = 0.0, most_items: int = 30, most_raters: int = 7, n_categories: int = 0, seed: int = 1
) -> Iterable[tuple[np.ndarray, int]]:
    """(items, raters) codes that vary and their number of categories; -1 is missing, two votes per item at least."""
    rng = np.random.default_rng(seed)
    while n:
        k = n_categories or int(rng.integers(2, 6))
        shape = int(rng.integers(5, most_items + 1)), int(rng.integers(2 + (missing > 0), most_raters + 1))
        truth, noise = rng.integers(0, k, (shape[0], 1)), rng.integers(0, k, shape)
        codes = np.where(rng.random(shape) < rng.uniform(0.1, 0.9), truth, noise).astype(np.int8)
        gone = rng.random(shape) < missing
        gone[:, :2] = False
        codes = rng.permuted(np.where(gone, -1, codes).astype(np.int8), axis=1)
        if len(np.unique(codes[codes >= 0])) > 1:
            n -= 1
            yield codes, k


def as_votes(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    item, rater = np.nonzero(codes >= 0)
    return item, rater, codes[item, rater].astype(np.int64)


def tallies(codes: np.ndarray, k: int) -> np.ndarray:
    return np.stack([(codes == category).sum(axis=1) for category in range(k)], axis=1)
