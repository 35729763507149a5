"""How hard items were, and what a pilot suggests, on cases computed by hand."""

from decimal import Decimal

import numpy as np
import pytest

from measures.difficulty import difficulty_of, unique_modes
from measures.suggestions import minutes_of_batch, pay_of_minutes


def test_items_all_agree_on_are_easy_and_split_ones_hard():
    found = difficulty_of(np.array([[6, 0, 0], [3, 3, 0], [2, 2, 2], [5, 1, 0]]))
    assert found.disagreeing == pytest.approx([0, 1 / 2, 2 / 3, 1 / 6])
    assert found.entropy == pytest.approx([0, np.log(2) / np.log(3), 1, 0.650022 / np.log2(3)], abs=1e-6)


def test_an_item_with_one_vote_or_none_says_nothing():
    found = difficulty_of(np.array([[1, 0], [0, 0]]))
    assert np.isnan(found.disagreeing).all()
    assert np.isnan(found.entropy).all()


def test_one_declared_answer_leaves_no_entropy():
    assert difficulty_of(np.array([[4]])).entropy.tolist() == [0.0]


def test_the_most_frequent_answer_must_be_one():
    assert unique_modes(np.array([[2, 1], [1, 1], [0, 0], [0, 3]])).tolist() == [0, -1, -1, 1]
    assert unique_modes(np.zeros((0, 2), np.int64)).tolist() == []


@pytest.mark.parametrize(
    ("seconds", "n", "minutes"), [(10, 200, 35), (10.5, 200, 35), (10.51, 200, 40), (1, 1, 5), (9, 33.333333, 5)]
)
def test_minutes_are_rounded_up_to_five(seconds: float, n: float, minutes: int):
    assert minutes_of_batch(seconds, n) == minutes


def test_a_batch_without_judgements_or_time_has_no_minutes():
    for wrong in ((0, 10), (10, 0)):
        with pytest.raises(ValueError, match="take time"):
            minutes_of_batch(*wrong)


@pytest.mark.parametrize(
    ("minutes", "hourly", "pay"), [(35, "8.00", "4.67"), (30, "8.00", "4.00"), (35, "8.01", "4.68")]
)
def test_pay_is_never_below_the_rate(minutes: int, hourly: str, pay: str):
    assert pay_of_minutes(minutes, Decimal(hourly)) == Decimal(pay)
    assert pay_of_minutes(minutes, Decimal(hourly)) * 60 / minutes >= Decimal(hourly)
