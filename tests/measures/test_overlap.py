"""Overlap of marked sets and positive agreement, beside counts over all pairs."""

from itertools import combinations

import numpy as np
import pytest

from measures.agreement import positive_agreement
from measures.histograms import Histogram
from measures.overlap import mean_jaccard


def test_the_mean_overlap_is_that_of_all_pairs_with_a_mark() -> None:
    items = np.array([1, 1, 1, 2, 2, 3, 3, 4])
    marks = [{1, 2}, {2, 3}, set(), {5}, {5}, set(), set(), {9}]
    found = mean_jaccard(items, marks)
    assert found.jaccard.value == pytest.approx((1 / 3 + 0 + 0 + 1) / 4)
    assert (found.jaccard.n_pairs, found.jaccard.n_items, found.n_neither) == (4, 2, 1)


def test_without_two_raters_of_an_item_there_is_no_overlap() -> None:
    found = mean_jaccard(np.array([1, 2]), [{1}, {1}])
    assert (found.jaccard.value, found.jaccard.reason) == (None, "no_pairs")


def test_two_raters_have_the_positive_agreement_of_a_two_by_two_table() -> None:
    both, one, other, neither = 7, 2, 3, 20
    table = Histogram.from_patterns({(0, 2): both, (1, 1): one + other, (2, 0): neither})
    assert positive_agreement(table, 1).value == pytest.approx(2 * both / (2 * both + one + other))


def test_any_number_of_raters_have_that_of_all_ordered_pairs() -> None:
    rng = np.random.default_rng(7)
    rows = [rng.integers(0, 2, rng.integers(1, 6)).tolist() for _ in range(60)]
    table = Histogram.from_tallies(np.array([[row.count(0), row.count(1)] for row in rows]))
    pairs = [pair for row in rows for a, b in combinations(row, 2) for pair in ((a, b), (b, a)) if pair[0]]
    assert positive_agreement(table, 1).value == pytest.approx(np.mean([second for _first, second in pairs]))


@pytest.mark.parametrize(("patterns", "reason"), [({(1, 0): 3}, "no_pairs"), ({(2, 0): 3}, "no_variation")])
def test_positive_agreement_needs_pairs_and_a_tick(patterns: dict[tuple[int, ...], int], reason: str) -> None:
    assert positive_agreement(Histogram.from_patterns(patterns), 1).reason == reason
