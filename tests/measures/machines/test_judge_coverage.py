"""Intervals of means and rates that join people with a judge, on simulated conversations of five items."""

import pytest

from bench.coverage_counts import NOMINAL, monte_carlo_error
from bench.judge_coverage import STUDIES, studied

N = 300


@pytest.mark.parametrize("name", ["60 of 200 conversations rated", "2 items in each of 100 of 200 conversations rated"])
def test_clustered_intervals_hold_the_truth_where_those_of_independent_items_do_not(name):
    clustered, independent = studied(STUDIES[name], N)
    slack = monte_carlo_error(NOMINAL, N)
    for figure, found in clustered.items():
        assert 0.935 - slack <= found.share <= 0.97 + slack, figure
        assert independent[figure].share < found.share, figure
    assert independent["mean"].share < 0.9
