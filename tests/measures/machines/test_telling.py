"""A judge that passes the test by saying what is nearly always true, and one that finds rare items."""

import numpy as np
import pytest

from measures.machines.alternative import alternative_test
from measures.machines.ceiling import INTERVAL, NOMINAL, human_ceiling
from measures.machines.judged import Judged
from measures.machines.telling import telling_of

N, N_UNSAFE = 300, 14


def judged_by(judge: np.ndarray, *, errs: float = 0.01, n_unsafe: int = N_UNSAFE) -> Judged:
    """Three people on 300 items, of which the first few are unsafe (1)."""
    truth = (np.arange(N) < n_unsafe).astype(int)
    wrong = np.random.default_rng(5).random((3, N)) < errs
    return Judged.of(np.tile(np.arange(N), 3), np.repeat(np.arange(3), N), (truth ^ wrong).ravel(), judge)


def says_unsafe(*items: int) -> np.ndarray:
    return np.isin(np.arange(N), items).astype(int)


@pytest.mark.parametrize("scale", [NOMINAL, INTERVAL])
@pytest.mark.parametrize("item", [0, N - 1])
def test_a_judge_that_answers_one_item_otherwise_passes_and_is_not_told_from_chance(item: int, scale: str):
    judged = judged_by(says_unsafe(item))
    found = telling_of(judged, scale)
    assert alternative_test(judged, scale).passes
    assert not found.is_told_from_chance
    assert (found.n_same, found.n_items) == (N - 1, N)


def test_a_judge_that_finds_half_of_the_rare_items_is_told_from_chance_but_lopsided():
    judged = judged_by(says_unsafe(*range(7)), errs=0.0)
    found = telling_of(judged, NOMINAL)
    assert alternative_test(judged, NOMINAL).passes
    assert found.is_told_from_chance
    assert found.is_lopsided
    assert (found.n_votes, found.n_rare, found.n_matched) == (900, 42, 21)


def test_a_judge_that_is_always_right_is_told_from_chance_without_an_interval():
    found = telling_of(judged_by(says_unsafe(*range(100)), errs=0.0, n_unsafe=100), NOMINAL)
    assert (found.beyond_chance.value, found.beyond_chance.low) == (1.0, None)
    assert found.is_told_from_chance
    assert not found.is_lopsided


def test_one_rare_item_that_the_judge_finds_is_not_enough():
    """Without this item there is no agreement beyond chance at all."""
    assert not telling_of(judged_by(says_unsafe(0), errs=0.0, n_unsafe=1), NOMINAL).is_told_from_chance


def test_agreement_beyond_chance_is_that_of_the_human_ceiling():
    judged = judged_by(says_unsafe(*range(10, 20)))
    for scale, measure in ((NOMINAL, "kappa"), (INTERVAL, "pearson")):
        found = telling_of(judged, scale).beyond_chance
        wanted = next(each.judge for each in human_ceiling(judged, scale) if each.measure == measure)
        assert (found.value, found.low, found.high) == (wanted.value, wanted.low, wanted.high)


def test_without_votes_nothing_is_told():
    nothing = np.zeros(0, int)
    found = telling_of(Judged.of(nothing, nothing, nothing, np.zeros(4)), NOMINAL)
    assert not found.is_told_from_chance
    assert (found.n_items, found.n_votes, found.is_lopsided) == (0, 0, False)
