from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from measures.mixed.letters import compact_letters


def test_the_first_of_the_order_has_the_first_letter() -> None:
    assert compact_letters([2, 0, 1], [(0, 1), (1, 2)]) == {2: "a", 0: "a", 1: "b"}


def test_a_source_in_the_middle_shares_with_both() -> None:
    assert compact_letters([0, 1, 2], [(0, 2)]) == {0: "a", 1: "ab", 2: "b"}


def test_without_differences_there_is_one_letter() -> None:
    assert compact_letters([0, 1, 2], []) == {0: "a", 1: "a", 2: "a"}


@given(st.integers(2, 7), st.data())
def test_sources_share_a_letter_exactly_if_they_do_not_differ(n: int, data: st.DataObject) -> None:
    pairs = list(combinations(range(n), 2))
    different = data.draw(st.sets(st.sampled_from(pairs)))
    letters = compact_letters(range(n), different)
    assert letters is not None
    for first, second in pairs:
        assert bool(set(letters[first]) & set(letters[second])) is ((first, second) not in different)


@pytest.mark.parametrize("n", [26, 27])
def test_beyond_the_alphabet_there_are_none(n: int) -> None:
    found = compact_letters(range(n), list(combinations(range(n), 2)))
    assert (found is None) is (n == 27)
