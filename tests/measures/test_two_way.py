"""The variance of two parts less what both count, with Satterthwaite's degrees of freedom."""

import numpy as np
import pytest

from measures.two_way import joined


def test_parts_add_up_and_their_degrees_of_freedom_are_weighed_by_the_squares() -> None:
    [variance], [df] = joined(np.array([[3.0], [2.0], [-1.0]]), np.array([[6.0], [20.0], [np.inf]]))
    assert variance == 4.0
    assert df == pytest.approx(16 / (9 / 6 + 4 / 20))


def test_the_larger_part_is_the_limit_with_its_own_degrees_of_freedom() -> None:
    variances, df = joined(np.array([[3.0, 1.0], [2.0, 5.0], [-4.0, -9.0]]), np.array([[6.0], [20.0], [np.inf]]))
    assert variances.tolist() == [3.0, 5.0]
    assert df.tolist() == [6.0, 20.0]


def test_a_single_part_is_itself() -> None:
    [variance], [df] = joined(np.array([[3.0], [0.0]]), np.array([[6.0], [np.inf]]))
    assert (variance, df) == (3.0, 6.0)


def test_nothing_is_nothing() -> None:
    [variance], [df] = joined(np.zeros((3, 1)), np.array([[6.0], [20.0], [np.inf]]))
    assert (variance, df) == (0.0, 6.0)
