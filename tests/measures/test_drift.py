import math

import numpy as np
import pytest

from measures.drift import cusum, cusum_limit, cusum_run_length, ewma, ewma_run_length, ewma_width

TABLE = [(0.85, 0.70, 3.83, 986, 38), (0.80, 0.65, 3.77, 1005, 42), (0.70, 0.55, 3.69, 996, 50)]


@pytest.mark.parametrize(("p0", "p1", "limit", "run_length", "delay"), TABLE)
def test_limits_and_run_lengths_are_the_measured_ones(
    p0: float, p1: float, limit: float, run_length: int, delay: int
) -> None:
    assert cusum_limit(p0, p1) == limit
    assert cusum_run_length(p0, p1, limit) == pytest.approx(run_length, rel=0.04)
    # The median delay of the table is below the mean.
    assert delay < cusum_run_length(p0, p1, limit, true_share=p1) < 1.4 * delay
    assert ewma_run_length(p0, ewma_width(p0)) == pytest.approx(1000, rel=0.06)


def test_limits_between_those_of_the_table_are_solved_for() -> None:
    assert cusum_limit(0.8, 0.65, 300) == pytest.approx(2.67, abs=0.05)
    assert ewma_width(0.8, 0.05, 300) == pytest.approx(2.24, abs=0.05)
    assert cusum_run_length(0.9, 0.75, cusum_limit(0.9, 0.75)) == pytest.approx(1000, rel=0.03)


def test_false_alarms_come_as_rarely_as_promised() -> None:
    rng = np.random.default_rng(1)
    alarms = [cusum(rng.random(500) < 0.8, p0=0.8, p1=0.65).alarm is not None for _ in range(400)]
    # Run lengths are nearly geometric: 1 - exp(-500 / 1000).
    assert np.mean(alarms) == pytest.approx(0.39, abs=0.08)


def naive_cusum(values: list[int], p0: float, p1: float) -> list[float]:
    level, path = 0.0, []
    for y in values:
        if y >= 0:
            level = max(0.0, level + (math.log(p1 / p0) if y else math.log((1 - p1) / (1 - p0))))
        path.append(level)
    return path


def test_the_path_is_that_of_the_definition() -> None:
    rng = np.random.default_rng(2)
    values = rng.choice([-1, 0, 1], 200, p=[0.1, 0.3, 0.6])
    found = cusum(values, p0=0.85, p1=0.7)
    np.testing.assert_allclose(found.path, naive_cusum(values.tolist(), 0.85, 0.7), atol=1e-12)
    assert found.alarm == next(i for i, level in enumerate(found.path) if level >= 3.83)


@pytest.mark.parametrize("chart", [cusum, ewma])
def test_a_sudden_drop_after_the_baseline_is_found(chart: object) -> None:
    rng = np.random.default_rng(3)
    good, bad = rng.random(120) < 0.85, rng.random(60) < 0.33
    found = chart(np.concatenate([good, bad]))  # type: ignore[operator]
    assert found.p0 == pytest.approx(good[:50].mean())
    assert 120 <= found.alarm < 150
    steady = chart(good, p0=0.85)  # type: ignore[operator]
    assert (steady.alarm, steady.reason) == (None, None)


def test_the_baseline_is_not_watched_itself() -> None:
    values = np.array([-1, *[1, 0] * 25, 1])
    found = cusum(values)
    assert not found.path[:51].any()
    assert found.p0 == 0.5
    assert ewma(values).path[50] == 0.5


def test_reasons_for_watching_nothing() -> None:
    assert cusum([1] * 49).reason == ewma([1] * 49).reason == "too_few_items"
    assert cusum([0] * 60).reason == "baseline_too_low"
    assert cusum([1] * 60).p0 == 0.98
    assert cusum([], p0=0.8).alarm is None
    with pytest.raises(ValueError, match="p1 < p0"):
        cusum([1], p0=0.6, p1=0.7)
    with pytest.raises(ValueError, match="no majority"):
        cusum([2])
