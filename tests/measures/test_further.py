"""Coefficients for answers with an order: what is known without computing, and what is undefined."""

import numpy as np
import pytest

from measures.correlations import mean_correlations, pair_correlations
from measures.estimate import NO_PAIRS, NO_VARIATION
from measures.further import estimate_of, ordered_makers, ordered_of_annotators, without_categories
from measures.histograms import Histogram
from measures.icc import two_way_iccs
from measures.pairs import PairTable
from tests.measures.checks import as_votes

# Shrout & Fleiss 1979, table 2: six targets, four judges; ICC(1,1) .17, ICC(2,1) .29, ICC(3,1) .71 in table 4.
SHROUT_FLEISS = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]])


def of(codes: np.ndarray, k: int) -> dict[str, float | None]:
    """All coefficients of (items, annotators) codes; the numbers of an interval scale are 0..k-1."""
    numbers = [float(at) for at in range(k)]
    makers = ordered_makers(k, numbers, is_interval=True)
    histogram = Histogram.from_matrix(codes, k)
    found = {name: estimate_of(maker, histogram) for name, maker in makers.items()}
    found |= ordered_of_annotators(*as_votes(codes), k, numbers)
    return {name: each.value for name, each in found.items()}


def test_the_published_example_of_intraclass_correlations() -> None:
    found = of(SHROUT_FLEISS, 11)
    values = [found[name] for name in ("icc_1", "icc_a1", "icc_c1")]
    assert values == pytest.approx([0.17, 0.29, 0.71], abs=0.005)


def test_full_agreement_is_one_for_every_coefficient() -> None:
    codes = np.tile(np.arange(12)[:, None] % 4, (1, 3))
    assert set(of(codes, 4).values()) == {1.0}


def test_one_who_is_stricter_is_consistent_and_does_not_agree() -> None:
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 8, (60, 1)) + np.array([0, 4]) + rng.integers(0, 2, (60, 2))
    found = of(codes, 13)
    assert all(found[name] > 0.9 for name in ("icc_c1", "pearson_mean", "spearman_mean"))
    assert all(found[name] < 0.5 for name in ("icc_1", "icc_a1"))


def test_without_an_item_rated_twice_or_without_variation_nothing_is_defined() -> None:
    alone = np.full((6, 3), -1)
    alone[np.arange(6), np.arange(6) % 3] = np.arange(6) % 2
    assert set(of(alone, 2).values()) == {None}
    alike = np.ones((6, 3), np.int64)
    defined = {name for name, each in of(alike, 2).items() if each is not None}
    assert defined == {"gwet_ac2", "brennan_prediger_quadratic"}  # their chance does not depend on the answers alone
    assert estimate_of(ordered_makers(2, None, is_interval=False)["icc_1"], Histogram.empty(2)).reason == NO_PAIRS
    assert [each.reason for each in two_way_iccs([1, 1, 2], [1, 2, 1], [3, 3, 3])] == [NO_VARIATION] * 2
    assert [each.reason for each in two_way_iccs([1, 2, 3], [1, 2, 1], [3, 4, 3])] == [NO_PAIRS] * 2


def test_two_common_items_are_too_few_to_correlate() -> None:
    codes = np.array([[0, 1, -1], [1, 2, 0], [2, -1, 1], [0, -1, 2]])
    pearson, _spearman = pair_correlations(PairTable.from_matrix(codes, 3))
    assert np.isnan(pearson[0])  # the first two annotators share two items
    assert not np.isnan(pearson[1])
    of_mean = mean_correlations(PairTable.from_matrix(codes, 3))[0]
    assert (of_mean.n_pairs, of_mean.n_undefined) == (1, 2)


def test_a_ratio_scale_has_no_negative_numbers_and_an_order_alone_is_none() -> None:
    assert "krippendorff_alpha_ratio" in ordered_makers(3, [0.0, 1.0, 5.0], is_interval=True)
    assert "krippendorff_alpha_ratio" not in ordered_makers(3, [-1.0, 0.0, 1.0], is_interval=True)
    assert "krippendorff_alpha_ratio" not in ordered_makers(3, None, is_interval=False)


def test_a_category_left_out_is_a_missing_vote() -> None:
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 4, (30, 4))
    codes[0] = 3  # an item that nobody placed in the order
    missing = np.where(codes == 3, -1, codes)
    for name, maker in ordered_makers(3, None, is_interval=True).items():
        without = estimate_of(without_categories(maker, [3]), Histogram.from_matrix(codes, 4))
        assert without.value == pytest.approx(estimate_of(maker, Histogram.from_matrix(missing, 3)).value), name


def test_the_order_of_the_ratings_changes_nothing() -> None:
    rng = np.random.default_rng(5)
    item, who = (each.ravel() for each in np.indices((80, 5)))
    value = rng.normal(0, 1, 80)[item] + rng.normal(0, 0.5, 5)[who] + rng.normal(0, 1, 400)
    names, people = rng.permutation(80), rng.permutation(5)
    for _ in range(5):
        order = rng.permutation(400)[:360]
        rest = np.sort(order)
        assert two_way_iccs(names[item[order]], people[who[order]], value[order]) == two_way_iccs(
            item[rest], who[rest], value[rest]
        )
