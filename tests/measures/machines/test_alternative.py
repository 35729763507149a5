"""The alternative annotator test: cases counted by hand, and what makes it undefined."""

import numpy as np
import pytest

from measures.estimate import TOO_FEW_ITEMS
from measures.machines.alternative import (
    SMALL_SAMPLE,
    T_TEST,
    TOO_FEW_ANNOTATORS,
    WILCOXON,
    alternative_test,
    signed_ranks_below,
    t_below,
)
from measures.machines.ceiling import INTERVAL, NOMINAL
from measures.machines.judged import Judged


def study(votes: list[list[float]], judge: list[float]) -> Judged:
    """Items with a vote of each annotator; NaN is none."""
    table = np.array(votes, float)
    item, annotator = np.nonzero(~np.isnan(table))
    return Judged.of(item, annotator, table[item, annotator], judge)


def test_ties_count_for_both():
    """All say the same: judge and annotator score alike on every item."""
    found = alternative_test(study([[1, 1, 1]] * 40, [1] * 40), NOMINAL)
    assert [(each.advantage.value, each.own) for each in found.annotators] == [(1.0, 1.0)] * 3
    assert (found.winning_rate.value, found.passes) == (1.0, True)


def test_the_advantage_is_that_counted_by_hand():
    """The third annotator is alone in half of the items, where the judge agrees with the other two."""
    found = alternative_test(study([[1, 1, 0], [1, 1, 1]] * 20, [1] * 40), NOMINAL)
    first, _, third = found.annotators
    assert (first.advantage.value, first.own) == (1.0, 1.0)
    assert (third.advantage.value, third.own) == (1.0, 0.5)
    assert found.advantage.value == 1.0


def test_an_answer_that_nobody_gave_is_wrong_and_is_not_left_out():
    found = alternative_test(study([[1, 1, 1]] * 40, [9] * 20 + [1] * 20), NOMINAL)
    assert [each.advantage.value for each in found.annotators] == [0.5] * 3
    assert [each.advantage.n_items for each in found.annotators] == [40] * 3
    assert (found.winning_rate.value, found.passes) == (0.0, False)


def test_numbers_are_scored_by_how_near_they_are():
    found = alternative_test(study([[1, 2, 9]] * 40, [2] * 40), INTERVAL)
    assert [each.advantage.value for each in found.annotators] == [1.0, 1.0, 1.0]
    assert [each.own for each in found.annotators] == [0.0, 1.0, 0.0]


def test_decimals_that_are_equally_far_are_a_tie():
    found = alternative_test(study([[0.1, 0.2, 0.3]] * 40, [0.4] * 40), INTERVAL)
    assert (found.annotators[0].advantage.value, found.annotators[0].own) == (1.0, 1.0)


def test_a_larger_epsilon_makes_the_judge_win():
    rng = np.random.default_rng(1)
    votes = np.where(rng.random((100, 3)) < 0.9, 1, 0)
    judged = study(votes.tolist(), np.where(rng.random(100) < 0.8, 1, 0).tolist())
    rates = [alternative_test(judged, NOMINAL, epsilon=epsilon).winning_rate.value for epsilon in (0.0, 0.4)]
    assert rates == [0.0, 1.0]


@pytest.mark.parametrize(("n", "test"), [(29, WILCOXON), (30, T_TEST)])
def test_below_thirty_items_the_test_is_wilcoxons(n, test):
    found = alternative_test(study([[1, 0, 1]] * n, [1] * n), NOMINAL)
    assert {each.test for each in found.annotators} == {test}


@pytest.mark.parametrize(("n", "warnings"), [(29, (SMALL_SAMPLE,)), (30, ())])
def test_a_winning_rate_by_wilcoxons_test_is_marked(n, warnings):
    assert alternative_test(study([[1, 0, 1]] * n, [1] * n), NOMINAL).winning_rate.warnings == warnings


def test_with_ties_wilcoxons_test_wins_too_often_and_t_does_not():
    """At the limit: the annotator alone is better on a fifth of the items, the judge alone on a twentieth."""
    rng = np.random.default_rng(3)

    def share(p_of, n):
        differences = rng.choice([1.0, -1.0, 0.0], (800, n), p=[0.2, 0.05, 0.75])
        return np.mean([p_of(each, 0.15) <= 0.05 for each in differences])

    assert share(signed_ranks_below, 25) > 0.3
    assert share(t_below, 35) < 0.08


def test_an_annotator_with_nine_items_is_named_but_not_tested():
    nothing = np.nan
    votes = [[1, 1, 0, nothing]] * 31 + [[1, 1, 0, 1]] * 9
    found = alternative_test(study(votes, [1] * 40), NOMINAL)
    last = found.annotators[3]
    assert (last.advantage.reason, last.advantage.n_items, last.p_value) == (TOO_FEW_ITEMS, 9, None)
    assert (found.winning_rate.n_pairs, found.winning_rate.n_undefined) == (3, 1)


@pytest.mark.parametrize(
    ("votes", "reason"),
    [([[1, 0]] * 40, TOO_FEW_ANNOTATORS), ([[1, 0, 1]] * 5, TOO_FEW_ITEMS), ([[np.nan] * 3] * 5, TOO_FEW_ANNOTATORS)],
)
def test_without_three_votes_on_ten_items_there_is_no_result_and_a_reason(votes, reason):
    found = alternative_test(study(votes, [1] * len(votes)), NOMINAL)
    assert (found.winning_rate.value, found.winning_rate.reason, found.passes) == (None, reason, None)
    assert found.advantage.reason == reason


def test_an_item_without_an_answer_of_the_judge_is_left_out():
    found = alternative_test(study([[1, 1, 1]] * 40, [np.nan] * 10 + [1] * 30), NOMINAL)
    assert found.winning_rate.n_items == 30


def test_differences_without_spread_have_the_limits_of_t():
    assert [t_below(np.full(30, each), 0.15) for each in (-1.0, 0.0, 1.0)] == [0.0, 0.0, 1.0]


def test_differences_that_all_equal_the_limit_reject_nothing():
    assert signed_ranks_below(np.zeros(12), 0.0) == 1.0


def test_the_average_has_an_interval_over_conversations():
    rng = np.random.default_rng(2)
    judged = study(rng.integers(0, 2, (60, 3)).tolist(), rng.integers(0, 2, 60).tolist())
    alone = alternative_test(judged, NOMINAL).advantage
    grouped = Judged(judged.item, judged.annotator, judged.value, judged.judge, np.arange(60) // 3)
    found = alternative_test(grouped, NOMINAL).advantage
    assert found.value == alone.value
    assert found.low is not None
    assert found.low != alone.low
