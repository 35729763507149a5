import numpy as np
import pytest

from measures.agreement import fleiss_kappa
from measures.batch_drift import BatchDrift, Cause, batch_drift, cause_of
from measures.contributors import MajorityTables, kappa_with_majority
from measures.histograms import Histogram
from measures.leave_one_out import leave_one_out

K = 3


def codes_of(
    n_items: int, seed: int, quality: float = 0.7, raters: int = 7, prior: tuple[float, ...] = (0.5, 0.3, 0.2)
) -> np.ndarray:
    rng = np.random.default_rng(seed)
    truth = rng.choice(K, n_items, p=prior)
    noise = rng.choice(K, (n_items, raters), p=prior)
    return np.where(rng.random((n_items, raters)) < quality, truth[:, None], noise).astype(np.int8)


def of(codes: np.ndarray) -> Histogram:
    return Histogram.from_matrix(codes, K)


def votes(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    item, rater = np.nonzero(codes >= 0)
    return item, rater + 100, codes[item, rater]


def cause(drift: BatchDrift, codes: np.ndarray) -> Cause:
    without = leave_one_out(*votes(codes), K, seed=0, n_resamples=0)
    return cause_of(
        drift, without, kappa_with_majority(MajorityTables.from_votes(*votes(codes), K), seed=0, n_resamples=0)
    )


REST = of(codes_of(1000, 1))


def test_a_batch_of_half_the_quality_is_found() -> None:
    found = batch_drift(of(codes_of(42, 2, quality=0.35)), REST, seed=1, n_permutations=999)
    assert found.p_value == 0.002
    assert found.difference == pytest.approx(found.batch.value - found.rest.value)  # type: ignore[operator]
    assert found.difference < found.low < 0 < found.high  # type: ignore[operator]
    assert found == batch_drift(of(codes_of(42, 2, quality=0.35)), REST, seed=1, n_permutations=999)


def test_the_p_is_that_of_shuffling_items_one_by_one() -> None:
    batch, rest = codes_of(15, 3, quality=0.55, raters=3), codes_of(60, 4, raters=3)
    ours = batch_drift(of(batch), of(rest), seed=1, n_permutations=4999)
    rng = np.random.default_rng(5)
    everything = np.concatenate([batch, rest])
    shuffled = []
    for _ in range(600):
        mixed = rng.permutation(everything)
        shuffled.append(fleiss_kappa(of(mixed[:15])).value - fleiss_kappa(of(mixed[15:])).value)  # type: ignore[operator]
    tail = np.array(shuffled) <= ours.difference  # type: ignore[operator]
    assert ours.p_value == pytest.approx(2 * min(tail.mean(), 1 - tail.mean()), abs=0.07)
    assert ours.low == pytest.approx(np.quantile(shuffled, 0.025), abs=0.04)


def test_equal_batches_are_called_different_five_times_in_a_hundred() -> None:
    skewed = (0.9, 0.06, 0.04)
    p = [
        batch_drift(
            of(codes_of(10, s, prior=skewed)), of(codes_of(200, s + 999, prior=skewed)), seed=s, n_permutations=199
        ).p_value
        for s in range(250)
    ]
    assert np.mean([one is not None and one <= 0.05 for one in p]) <= 0.09
    assert 0.35 <= np.mean([one is not None and one <= 0.5 for one in p]) <= 0.65


def test_undefined_sides_have_a_reason_and_undefined_permutations_are_counted() -> None:
    assert batch_drift(Histogram.empty(K), REST, seed=1).reason == "no_pairs"
    constant = Histogram.from_patterns({(3, 0, 0): 12})
    assert batch_drift(constant, REST, seed=1).reason == "no_variation"
    rare = Histogram.from_patterns({(3, 0, 0): 60, (2, 1, 0): 3, (0, 0, 3): 3})
    found = batch_drift(Histogram.from_patterns({(2, 1, 0): 2, (3, 0, 0): 8}), rare, seed=1, n_permutations=999)
    assert found.n_dropped > 50
    assert 0 < found.p_value <= 1  # type: ignore[operator]


def test_one_bad_annotator_is_the_cause() -> None:
    batch = codes_of(126, 6, quality=0.7)
    batch[:, 4] = (batch[:, 4] + 1) % K
    drift = batch_drift(of(batch), REST, seed=1, n_permutations=999)
    found = cause(drift, batch)
    assert (found.kind, found.rater) == ("annotator", 104)
    assert [suspect.rater for suspect in found.suspects if suspect.outlies] == [104]


def test_a_hard_batch_is_nobodys_fault() -> None:
    batch = codes_of(126, 7, quality=0.35)
    drift = batch_drift(of(batch), REST, seed=1, n_permutations=999)
    found = cause(drift, batch)
    assert (found.kind, found.rater, len(found.suspects)) == ("hard_batch", None, 7)


def test_nothing_to_explain() -> None:
    batch = codes_of(126, 8)
    assert cause(batch_drift(of(batch), REST, seed=1, n_permutations=99), batch).kind == "no_drop"
    constant = np.zeros((30, 3), np.int8)
    assert cause(batch_drift(of(constant), REST, seed=1), constant).kind == "untested"
