"""Numbers on pages and in files."""

import numpy as np
import pytest

from parley.numbers import number, ratio, sided
from parley.templatetags.numbers import probability, share


def test_numbers_are_written_as_people_do():
    assert [number(value) for value in (0.304, -0.02, -0.001, None)] == ["0.30", "−0.02", "0.00", "–"]
    assert number(0.984, ".0%") == "98%"
    assert number(7, "d") == "7"
    assert number(0.5, "+.2f") == "+0.50"


@pytest.mark.parametrize(
    ("value", "text"), [(-0.105, "−0.11"), (-0.335, "−0.34"), (0.125, "0.13"), (2.675, "2.68"), (-0.005, "−0.01")]
)
def test_a_half_is_rounded_away_from_zero(value: float, text: str):
    assert number(value) == number(np.float64(value)) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.00003, "+0.00003"), (-0.0031, "−0.003"), (-0.114, "−0.11"), (0.005, "+0.01"), (0.0, "+0.00"), (None, "–")],
)
def test_an_end_near_zero_shows_on_which_side_it_lies(value: float | None, text: str):
    assert sided(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(148.4213, "148.42"), (1.0, "1.00"), (0.134, "0.13"), (0.0213, "0.021"), (None, "–")]
)
def test_a_ratio_below_one_has_digits_as_its_inverse_has(value: float | None, text: str):
    assert ratio(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0.9991, "0.9991"), (1.00003, "1.00003"), (0.996, "0.996"), (1.004, "1.004"), (1.006, "1.01")]
)
def test_a_ratio_beside_one_shows_on_which_side_it_lies(value: float, text: str):
    assert ratio(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0496, ".0496"), (0.05, ".050"), (0.05003, ".05003"), (0.051, ".051"), (0.0004, "<\u00a0.001"), (None, "–")],
)
def test_a_p_value_beside_the_level_shows_on_which_side_it_lies(value: float | None, text: str):
    assert probability(value) == text


def test_shares_of_a_table_are_rounded_as_those_of_a_chart():
    assert [share(each) for each in (0.125, 0.875, 0.145, None)] == ["13 %", "88 %", "15 %", "–"]
    assert number(0.125, ".0%") == "13%"
