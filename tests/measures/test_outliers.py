import numpy as np
import pytest

from measures.outliers import outlier_p_values, robust_scores


def test_distance_from_the_median_in_robust_deviations() -> None:
    found = robust_scores([1.0, 2.0, None, 3.0, 4.0, -10.0])
    assert (found.median, found.spread) == (2.0, pytest.approx(1.4826))
    assert found.scores[2] is None
    assert found.scores[5] == pytest.approx(-12 / 1.4826)


def test_reasons_for_no_scores() -> None:
    assert robust_scores([0.1, None, 0.4]).reason == "too_few_annotators"
    alike = robust_scores([0.1, 0.1, 0.1 + 1e-17, 0.9])
    assert (alike.reason, alike.scores) == ("no_spread", (None,) * 4)


def test_p_of_an_outlier_is_uniform_among_equals_and_repeats() -> None:
    rng = np.random.default_rng(0)
    p = np.array([outlier_p_values(robust_scores(rng.normal(size=7).tolist()).scores) for _ in range(1500)]).ravel()
    for level in (0.01, 0.05, 0.5):
        assert (p <= level).mean() == pytest.approx(level, abs=0.3 * level)
    assert outlier_p_values([-3.0, 0.0, 1.0]) == outlier_p_values([-3.0, 0.0, 1.0])


def test_z_below_minus_three_is_not_rare_among_seven() -> None:
    found = outlier_p_values([-3.0, 0, 0, 0, 0, 0, 0])[0]
    assert found == pytest.approx(0.023, abs=0.002)
    assert outlier_p_values([None, -3.0, 0.0]) == [None] * 3
