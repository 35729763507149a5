"""Integers that add say the same of every annotator as all the votes together."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from measures.behaviour import speed_scores
from measures.contributions import (
    PACE_STEP,
    Contribution,
    Contributions,
    combined,
    contributions_of,
    majority_tables,
    speeds,
    total_of,
    without_each,
)
from measures.contributors import MajorityTables
from measures.histograms import Histogram
from measures.leave_one_out import leave_one_out

K = 3
MATRICES = st.tuples(st.integers(1, 12), st.integers(1, 5)).flatmap(
    lambda shape: arrays.arrays(np.int8, shape, elements=st.integers(-1, K - 1))
)


def of_matrix(codes: np.ndarray, times: np.ndarray | None = None, first: int = 0) -> Contributions:
    item, rater = np.nonzero(codes >= 0)
    known = None if times is None else times[item, rater]
    return contributions_of(item + first, rater, codes[item, rater], K, known)


@settings(deadline=None)
@given(MATRICES)
def test_majority_tables_are_those_of_the_votes(codes: np.ndarray) -> None:
    ours, theirs = majority_tables(of_matrix(codes), K), MajorityTables.from_matrix(codes, K)
    for name in ("raters", "tables", "tied", "alone"):
        assert np.array_equal(getattr(ours, name), getattr(theirs, name))


@settings(deadline=None)
@given(MATRICES)
def test_leaving_out_is_that_of_the_votes(codes: np.ndarray) -> None:
    item, rater = np.nonzero(codes >= 0)
    wanted = leave_one_out(item, rater, codes[item, rater], K, seed=1, n_resamples=0)
    found = without_each(of_matrix(codes), Histogram.from_matrix(codes, K))
    for ours, theirs in zip(found, wanted, strict=True):
        assert ours.rater == theirs.rater
        for name in ("kappa_all", "kappa_without"):
            assert getattr(ours, name) == pytest.approx(getattr(theirs, name), abs=1e-9)
        assert (ours.delta.reason, ours.delta.n_items, ours.delta.n_left_out) == (
            theirs.delta.reason,
            theirs.delta.n_items,
            theirs.delta.n_left_out,
        )


@settings(deadline=None)
@given(MATRICES, st.integers(0, 12))
def test_batches_add_up_and_come_off_again(codes: np.ndarray, cut: int) -> None:
    times = 1 + np.arange(codes.size).reshape(codes.shape) % 7
    whole = of_matrix(codes, times)
    parts = [of_matrix(codes[:cut], times[:cut]), of_matrix(codes[cut:], times[cut:])]
    assert total_of(parts) == whole
    assert combined(whole, parts[1], -1) == parts[0]


@settings(deadline=None)
@given(MATRICES)
def test_what_is_stored_comes_back(codes: np.ndarray) -> None:
    for found in of_matrix(codes, np.ones(codes.shape)).values():
        assert Contribution.from_json(found.to_json()) == found
        assert sum(found.majority) == (found.majority[-1] + sum(found.majority[:-1]))


def test_speed_is_that_of_the_times_within_a_step() -> None:
    rng = np.random.default_rng(5)
    codes = rng.integers(0, K, (60, 6))
    times = np.exp(rng.normal(3, 0.4, codes.shape)) * np.array([1, 1, 1, 1, 1, 0.2])
    times[rng.random(codes.shape) < 0.1] = 0
    item, rater = np.indices(codes.shape).reshape(2, -1)
    wanted = speed_scores(item, rater, times.ravel(), np.ones(times.size))
    found = speeds(of_matrix(codes, times))
    for ours, theirs in zip(found, wanted, strict=True):
        assert ours.score.value == pytest.approx(theirs.score.value, abs=PACE_STEP)
        assert (ours.score.n_items, ours.score.n_left_out) == (theirs.score.n_items, theirs.score.n_left_out)
    assert [speed.flagged for speed in found] == [False] * 5 + [True]


def test_nobody_is_fast_or_slow_alone_and_a_time_of_nought_is_unknown() -> None:
    found = contributions_of([1, 2, 2, 3, 3], [1, 1, 2, 1, 2], [0, 0, 0, 1, 1], 2, [9, 0, 9, 4, 4])
    assert found[1].paces == {0: 1}
    assert speeds(found)[0].score.n_left_out == 2


def test_scales_of_other_lengths_do_not_add() -> None:
    with pytest.raises(ValueError, match="scales"):
        Contribution((1, 2, 3)).plus(Contribution((1, 2)))


def test_the_median_of_two_far_apart_lies_between_them_from_either_side() -> None:
    found = contributions_of([1, 1, 1, 2, 2, 2], [1, 2, 3] * 2, [0] * 6, 2, [4, 2, 2, 1, 2, 2])
    assert speeds(found)[0].score.value == pytest.approx(0.0)
    twice = contributions_of([1, 1, 1, 2, 2, 2], [1, 2, 3] * 2, [0] * 6, 2, [4, 2, 2, 2, 2, 2])
    assert speeds(twice)[0].score.value == pytest.approx(np.log(2) / 2, abs=PACE_STEP)


@pytest.mark.parametrize(("pace", "is_flagged"), [(42, False), (30, True)])
def test_a_fast_one_of_seven_is_flagged_only_if_chance_seldom_makes_one_as_fast(pace: int, is_flagged: bool) -> None:
    steps = [50, 51, 52, 53, 54, 55, pace]
    found = speeds({rater: Contribution((40, 0, 0, 0, 0, 0), paces={step: 40}) for rater, step in enumerate(steps)})
    assert found[6].z is not None
    assert found[6].z < -3
    assert [each.flagged for each in found] == [False] * 6 + [is_flagged]
