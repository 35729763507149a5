"""A comparison is made once for the same ratings, and anew for any others."""

from dataclasses import replace

import numpy as np
import pytest

from measures.mixed.design import Ratings
from measures.mixed.sources import compare_sources
from reporting.study import comparing

BOUNDS = (-10.0, 10.0)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Ratings]:
    """The ratings that were compared, each time."""
    found: list[Ratings] = []
    monkeypatch.setattr(comparing, "_kept", type(comparing._kept)())

    def counted(ratings: Ratings, n_sources: int, **options):
        found.append(ratings)
        return compare_sources(ratings, n_sources, **options)

    monkeypatch.setattr(comparing, "compare_sources", counted)
    return found


def ratings() -> Ratings:
    c, s, a = (each.ravel() for each in np.indices((6, 2, 3)))
    return Ratings(s, a, c, np.zeros_like(c), np.random.default_rng(1).normal(size=len(c)) + s)


def test_the_same_ratings_are_compared_once(made: list[Ratings]):
    first, second = (comparing.compared(ratings(), 2, BOUNDS) for _ in range(2))
    assert first == second == compare_sources(ratings(), 2, bounds=BOUNDS)
    assert len(made) == 1


@pytest.mark.parametrize("column", ["source", "annotator", "conversation", "item", "value"])
def test_one_other_number_in_any_column_is_compared_anew(made: list[Ratings], column: str):
    same = getattr(ratings(), column)
    other = replace(ratings(), **{column: np.where(np.arange(len(same)) == 7, 1 - same, same)})
    comparing.compared(ratings(), 2, BOUNDS)
    assert comparing.compared(other, 2, BOUNDS) == compare_sources(other, 2, bounds=BOUNDS)
    assert len(made) == 2


def test_other_bounds_another_source_and_unknown_annotators_are_compared_anew(made: list[Ratings]):
    comparing.compared(ratings(), 2, BOUNDS)
    comparing.compared(ratings(), 3, BOUNDS)
    comparing.compared(ratings(), 2, (-1.0, 1.0))
    comparing.compared(replace(ratings(), annotator=None), 2, BOUNDS)
    assert len(made) == 4


def test_what_was_not_asked_for_lately_is_forgotten(made: list[Ratings], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(comparing, "MOST_KEPT", 2)
    for bounds in (BOUNDS, (-1.0, 1.0), BOUNDS, (-2.0, 2.0), BOUNDS):
        comparing.compared(ratings(), 2, bounds)
    assert len(made) == 3
    comparing.compared(ratings(), 2, (-1.0, 1.0))
    assert len(made) == 4
