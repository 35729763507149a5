"""A drop that lasts, and answers that hardly vary, against published and computed values."""

import pytest
from scipy.stats import binom

from measures.signals import lower_tail, share_difference


def test_the_interval_of_a_difference_is_newcombes():
    """Newcombe 1998, table II, method 10: 56/70 and 48/80 give .0524 to .3339."""
    found = share_difference(56, 70, 48, 80)

    assert found.value == pytest.approx(0.2)
    assert (found.low, found.high) == (pytest.approx(0.0524, abs=5e-5), pytest.approx(0.3339, abs=5e-5))


@pytest.mark.parametrize(
    ("a", "m", "b", "n", "low", "high"), [(9, 10, 3, 10, 0.1705, 0.8090), (10, 10, 0, 20, 0.6791, 1.0)]
)
def test_small_samples_are_as_in_the_table(a, m, b, n, low, high):
    found = share_difference(a, m, b, n)

    assert (found.low, found.high) == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))


def test_an_empty_sample_has_no_difference():
    assert share_difference(0, 0, 3, 10).reason == "too_few_items"


@pytest.mark.parametrize(("k", "n", "share"), [(0, 80, 0.4), (3, 200, 0.05), (20, 20, 0.3), (0, 0, 0.5), (5, 9, 0.0)])
def test_the_lower_tail_is_that_of_the_binomial(k, n, share):
    assert lower_tail(k, n, share) == pytest.approx(binom.cdf(k, n, share))


@pytest.mark.parametrize(("k", "n", "share"), [(3, 2, 0.5), (-1, 2, 0.5), (1, 2, 1.5)])
def test_what_is_no_share_is_refused(k, n, share):
    with pytest.raises(ValueError, match="share"):
        lower_tail(k, n, share)
