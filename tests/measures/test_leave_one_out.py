import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from measures.agreement import fleiss_kappa
from measures.histograms import Histogram
from measures.leave_one_out import WithoutRater, leave_one_out

K = 3
MATRICES = st.tuples(st.integers(1, 9), st.integers(1, 5)).flatmap(
    lambda shape: arrays.arrays(np.int8, shape, elements=st.integers(-1, K - 1))
)


def of_matrix(codes: np.ndarray, n_resamples: int = 0) -> list[WithoutRater]:
    item, rater = np.nonzero(codes >= 0)
    return leave_one_out(item, rater, codes[item, rater], K, seed=1, n_resamples=n_resamples)


@settings(deadline=None)
@given(MATRICES)
def test_leaving_out_equals_computing_again_without_the_annotator(codes: np.ndarray) -> None:
    whole = fleiss_kappa(Histogram.from_matrix(codes, K))
    for found in of_matrix(codes):
        without = fleiss_kappa(Histogram.from_matrix(np.delete(codes, found.rater, axis=1), K))
        for ours, theirs in ((found.kappa_all, whole.value), (found.kappa_without, without.value)):
            assert (ours is None) == (theirs is None)
            assert ours is None or ours == pytest.approx(theirs, abs=1e-9)
        if whole.value is None or without.value is None:
            assert found.delta.reason == (whole.reason or without.reason)
        else:
            assert found.delta.value == pytest.approx(without.value - whole.value, abs=1e-9)


def noisy_study() -> np.ndarray:
    rng = np.random.default_rng(4)
    truth = rng.integers(0, K, 80)
    codes = np.where(rng.random((80, 5)) < 0.7, truth[:, None], rng.integers(0, K, (80, 5))).astype(np.int8)
    codes[:, 4] = rng.integers(0, K, 80)
    codes[rng.random(codes.shape) < 0.2] = -1
    return codes


def test_the_interval_is_that_of_resampling_items() -> None:
    codes = noisy_study()
    found = of_matrix(codes, 1000)[4]
    rng = np.random.default_rng(7)
    deltas = []
    for _ in range(400):
        sample = codes[rng.integers(0, len(codes), len(codes))]
        pair = [fleiss_kappa(Histogram.from_matrix(part, K)).value for part in (sample[:, :4], sample)]
        deltas.append(pair[0] - pair[1])  # type: ignore[operator]
    assert found.delta.low == pytest.approx(np.quantile(deltas, 0.025), abs=0.02)
    assert found.delta.high == pytest.approx(np.quantile(deltas, 0.975), abs=0.02)


def test_agreement_is_better_without_a_clicker() -> None:
    found = of_matrix(noisy_study(), 500)
    assert found[4].delta.low > 0  # type: ignore[operator]
    assert max(found, key=lambda one: one.delta.value or -1).rater == 4
    assert found == of_matrix(noisy_study(), 500)


def test_what_is_counted_and_when_there_is_no_interval() -> None:
    votes = [1, 1, 2, 3, 3], [10, 20, 10, 10, 20], [0, 1, 1, 1, 1]
    found = leave_one_out(*votes, 2, seed=1)
    assert [(one.rater, one.delta.n_items, one.delta.n_left_out) for one in found] == [(10, 2, 1), (20, 2, 0)]
    assert {one.delta.reason for one in found} == {"no_pairs"}
    assert of_matrix(noisy_study()[:8], 200)[0].delta.interval_note == "too_few_items"
    with pytest.raises(ValueError, match="0 to 1"):
        leave_one_out([1], [1], [2], 2, seed=1)
