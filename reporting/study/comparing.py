"""Comparisons of sources, kept while their ratings stay the same: report, files, datasheet and planner ask for them."""

from collections import OrderedDict
from collections.abc import Callable
from hashlib import blake2b
from threading import Lock
from typing import Any, TypeVar

from measures.mixed.design import Ratings
from measures.mixed.sources import SourceComparison, compare_sources
from measures.ordinal.odds import CumulativeFit, odds_ratios

T = TypeVar("T")
MOST_KEPT = 512
_kept: OrderedDict[bytes, Any] = OrderedDict()
_lock = Lock()


def compared(ratings: Ratings, n_sources: int, bounds: tuple[float, float]) -> SourceComparison:
    """Return `compare_sources`, from this process's memory if the same ratings were compared before."""
    return _once(_digest(ratings, n_sources, bounds), lambda: compare_sources(ratings, n_sources, bounds=bounds))


def odds_of(ratings: Ratings) -> CumulativeFit:
    """Return `odds_ratios`, kept in the same way."""
    return _once(_digest(ratings, "odds"), lambda: odds_ratios(ratings))


def _once(key: bytes, make: Callable[[], T]) -> T:
    with _lock:
        if key in _kept:
            _kept.move_to_end(key)
            kept: T = _kept[key]
            return kept
    found = make()
    with _lock:
        _kept[key] = found
        if len(_kept) > MOST_KEPT:
            _kept.popitem(last=False)
    return found


def _digest(ratings: Ratings, *how: object) -> bytes:
    known = ratings.annotator is not None
    digest = blake2b(repr((len(ratings), *how, known)).encode())
    for column in (ratings.source, ratings.conversation, ratings.item, ratings.value, ratings.annotator):
        if column is not None:
            digest.update(column.tobytes())
    return digest.digest()
