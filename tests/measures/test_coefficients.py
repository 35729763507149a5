from dataclasses import replace

import numpy as np
import pytest

from measures.agreement import (
    all_agree_share,
    brennan_prediger,
    fleiss_kappa,
    fleiss_kappa_category,
    gwet_ac,
    percent_agreement,
)
from measures.alpha import krippendorff_alpha, krippendorff_alpha_with_interval
from measures.cohen import cohen_kappa, cohen_kappas, conger_kappa, rater_margins
from measures.estimate import Estimate
from measures.histograms import Histogram
from measures.prediction import accuracy, macro_f1, macro_precision, pearson, unweighted_average_recall
from measures.summary import agreement_summary
from measures.weights import agreement_weights, alpha_distances, resolve_weights

# Gwet's raw4raters: 12 units, 4 raters, unequal numbers of ratings (Handbook, 4th ed.).
RAW4 = np.array(
    [
        [1, 1, 0, 1],
        [2, 2, 3, 2],
        [3, 3, 3, 3],
        [3, 3, 3, 3],
        [2, 2, 2, 2],
        [1, 2, 3, 4],
        [4, 4, 4, 4],
        [1, 1, 2, 1],
        [2, 2, 2, 2],
        [0, 5, 5, 5],
        [0, 0, 1, 1],
        [0, 0, 3, 0],
    ],
    np.int8,
)
RAW4_HISTOGRAM = Histogram.from_matrix(RAW4 - np.int8(1), 5)
UNANIMOUS = Histogram.from_patterns({(7, 0): 12})


def test_listwise_drops_the_units_with_a_gap() -> None:
    assert fleiss_kappa(RAW4_HISTOGRAM, convention="listwise").value == pytest.approx(229 / 357, abs=1e-12)


def test_the_estimate_says_what_it_is_built_on() -> None:
    found = fleiss_kappa(RAW4_HISTOGRAM)
    assert (found.n_items, found.n_left_out, found.n_ratings) == (11, 1, 41)


def test_gwet_interval_is_the_published_one() -> None:
    found = fleiss_kappa(RAW4_HISTOGRAM)
    assert found.standard_error == pytest.approx(0.15302, abs=5e-6)
    # irrCAC prints (0.424, 1): t with 11 degrees of freedom, the upper end clipped.
    assert (found.low, found.high) == (pytest.approx(0.424, abs=5e-4), 1.0)


def test_pooled_has_no_interval_because_nobody_derived_its_error() -> None:
    found = fleiss_kappa(RAW4_HISTOGRAM, convention="pooled")
    assert (found.standard_error, found.low, found.interval_note) == (None, None, "no_standard_error")


def test_an_item_with_one_rating_enters_the_expected_agreement_alone_and_can_take_kappa_below_minus_one() -> None:
    # yes/no, yes/no, yes: Pa = 0, shares 2/3 and 1/3, as irrCAC has it from Gwet 2014.
    histogram = Histogram.from_patterns({(1, 1): 2, (1, 0): 1})
    assert fleiss_kappa(histogram).value == pytest.approx(-5 / 4, abs=1e-12)
    assert gwet_ac(histogram).value == pytest.approx(-4 / 5, abs=1e-12)
    assert krippendorff_alpha(histogram).value == pytest.approx(-1 / 2, abs=1e-12)
    assert percent_agreement(histogram).value == 0


def test_kappa_is_never_below_minus_one_where_every_item_has_two_ratings() -> None:
    rng = np.random.default_rng(4)
    for _ in range(500):
        tallies = rng.integers(0, 4, (int(rng.integers(1, 6)), int(rng.integers(2, 5))))
        value = fleiss_kappa(Histogram.from_tallies(tallies[tallies.sum(axis=1) >= 2])).value
        assert value is None or value >= -1 - 1e-9


def test_an_unknown_convention_or_scale_is_refused() -> None:
    with pytest.raises(ValueError, match="conventions"):
        fleiss_kappa(RAW4_HISTOGRAM, convention="pool")
    with pytest.raises(ValueError, match="alpha levels"):
        krippendorff_alpha(RAW4_HISTOGRAM, "cardinal")
    with pytest.raises(ValueError, match="weights are one of"):
        gwet_ac(RAW4_HISTOGRAM, weights="cubic")


def test_ratio_alpha_is_krippendorffs_own_example() -> None:
    # 2011, sec. E; unit 12 there is rated once, by another observer.
    assert krippendorff_alpha(RAW4_HISTOGRAM, "ratio", [1, 2, 3, 4, 5]).value == pytest.approx(0.797402775, abs=1e-9)


def test_one_answer_only_is_undefined_for_kappa_and_alpha_and_full_agreement() -> None:
    for found in (
        fleiss_kappa(UNANIMOUS),
        krippendorff_alpha(UNANIMOUS),
        krippendorff_alpha(UNANIMOUS, "ordinal"),
    ):
        assert (found.value, found.reason) == (None, "no_variation")
    assert percent_agreement(UNANIMOUS).value == 1.0
    assert all_agree_share(UNANIMOUS).value == 1.0
    assert gwet_ac(UNANIMOUS).value == 1.0


def test_a_single_declared_answer_leaves_nothing_to_choose() -> None:
    only = Histogram.from_patterns({(3,): 4})
    for coefficient in (fleiss_kappa, gwet_ac, brennan_prediger, krippendorff_alpha):
        assert coefficient(only).reason == "no_variation"


def test_nobody_rated_together_is_no_pairs_everywhere() -> None:
    alone = Histogram.from_patterns({(1, 0): 3, (0, 1): 2})
    found = agreement_summary(alone)
    assert {estimate.reason for estimate in found.values()} == {"no_pairs"}
    assert {estimate.n_left_out for estimate in found.values()} == {5}
    assert {estimate.reason for estimate in agreement_summary(Histogram.empty(2)).values()} == {"no_pairs"}


def test_an_unused_category_has_no_kappa_of_its_own() -> None:
    histogram = Histogram.from_patterns({(2, 1, 0): 5, (0, 3, 0): 5})
    assert fleiss_kappa_category(histogram, 2).reason == "no_variation"
    assert fleiss_kappa_category(histogram, 0).value is not None


def test_an_unused_answer_changes_ac1_but_not_fleiss_or_alpha() -> None:
    three = Histogram.from_patterns({(2, 1, 0): 5, (0, 3, 0): 5})
    two = three.ignoring(2)
    assert fleiss_kappa(three).value == pytest.approx(fleiss_kappa(two).value)
    assert krippendorff_alpha(three, "ordinal").value == pytest.approx(krippendorff_alpha(two, "ordinal").value)
    assert gwet_ac(three).value != pytest.approx(gwet_ac(two).value)


def test_the_prevalence_paradox_table() -> None:
    assert cohen_kappa([[118, 5], [2, 0]]).value == pytest.approx(-0.023391813, abs=1e-9)
    assert gwet_ac(Histogram.from_tallies([[2, 0]] * 118 + [[1, 1]] * 7)).value == pytest.approx(0.940776338, abs=1e-9)


def test_cohen_undefined_cases() -> None:
    assert cohen_kappa([[0, 0], [0, 0]]).reason == "no_pairs"
    assert cohen_kappa([[9, 0], [0, 0]]).reason == "no_variation"


@pytest.mark.parametrize("k", [2, 3, 5])
def test_kappas_of_many_tables_are_those_of_each_alone(k: int) -> None:
    rng = np.random.default_rng(k)
    tables = rng.integers(0, 4, (300, k, k)) * rng.integers(0, 2, (300, k, k))
    tables[:3] = 0
    tables[1, 0, 0], tables[2, 0, 1] = 7, 7
    alone = [replace(cohen_kappa(table), low=None, high=None, interval_note=None, n_left_out=5) for table in tables]
    found = cohen_kappas(tables, [5] * 300)
    assert found == alone
    assert [each.reason for each in found[:3]] == ["no_pairs", "no_variation", None]
    assert found[2].warnings == ("constant_rater",)
    assert cohen_kappas(tables[:0], []) == []


def test_conger_without_two_raters_has_no_pairs() -> None:
    single = Histogram.from_tallies([[1, 0], [0, 1]])
    assert conger_kappa(single, rater_margins([0, 0], [0, 1], 1, 2)).reason == "no_pairs"
    assert conger_kappa(UNANIMOUS, np.full((7, 2), [12, 0])).reason == "no_variation"


def test_items_that_are_all_alike_give_no_interval() -> None:
    perfect = Histogram.from_patterns({(3, 0): 0, (2, 1): 20})
    found = fleiss_kappa(perfect)
    assert (found.low, found.high, found.interval_note) == (None, None, "no_spread")


def test_the_summary_guards_small_samples() -> None:
    small = agreement_summary(Histogram.from_patterns({(3, 0): 3, (1, 2): 3, (0, 3): 3}))
    for estimate in small.values():
        assert estimate.value is not None
        assert (estimate.low, estimate.interval_note) == (None, "too_few_items")
    middling = agreement_summary(Histogram.from_patterns({(3, 0): 5, (1, 2): 5, (0, 3): 5}))
    for estimate in middling.values():
        assert estimate.low is not None
        assert estimate.interval_note == "unreliable"


def test_the_live_summary_leaves_the_bootstrap_out() -> None:
    histogram = Histogram.from_patterns({(3, 0): 30, (1, 2): 30, (0, 3): 30})
    found = agreement_summary(histogram, n_resamples=0)
    assert found["krippendorff_alpha"].low is None
    assert found["fleiss_kappa"].low is not None


def test_alpha_interval_is_reproducible_and_holds_the_value() -> None:
    histogram = Histogram.from_patterns({(3, 0): 30, (1, 2): 30, (0, 3): 30})
    first, second = (krippendorff_alpha_with_interval(histogram, seed=7) for _ in range(2))
    assert first == second
    assert first.low < first.value < first.high
    assert krippendorff_alpha_with_interval(UNANIMOUS, seed=7).reason == "no_variation"


def test_an_estimate_is_a_value_or_a_reason_and_never_nan() -> None:
    with pytest.raises(ValueError, match="either a value or a reason"):
        Estimate(None)
    with pytest.raises(ValueError, match="either a value or a reason"):
        Estimate(0.5, "no_pairs")
    with pytest.raises(ValueError, match="NaN"):
        Estimate(float("nan"))
    with pytest.raises(ValueError, match="two ends"):
        Estimate(0.5, low=0.1)


def test_linear_weights_follow_the_declared_values_not_the_positions() -> None:
    weights = agreement_weights("linear", 3, [0, 1, 10])
    assert weights[0].tolist() == pytest.approx([1, 0.9, 0])
    assert agreement_weights("quadratic", 3)[0].tolist() == pytest.approx([1, 0.75, 0])


@pytest.mark.parametrize("values", [[1, 1, 2], [1, 2], [1, 2, float("nan")]])
def test_a_scale_needs_distinct_finite_values(values: list[float]) -> None:
    with pytest.raises(ValueError, match=r"value"):
        agreement_weights("linear", 3, values)


def test_weights_need_ones_on_the_diagonal() -> None:
    with pytest.raises(ValueError, match="diagonal"):
        resolve_weights(np.zeros((2, 2)), 2)


def test_a_ratio_scale_has_no_negative_values() -> None:
    with pytest.raises(ValueError, match="ratio"):
        alpha_distances("ratio", np.array([-1.0, 1.0]))
    assert alpha_distances("ratio", np.array([0.0, 1.0])).tolist() == [[0, 1], [1, 0]]


def test_uar_averages_over_classes_that_occur_in_the_human_labels() -> None:
    confusion = [[3, 1, 0], [0, 4, 2], [0, 0, 0]]
    assert unweighted_average_recall(confusion).value == pytest.approx((3 / 4 + 4 / 6) / 2)
    assert macro_precision(confusion).value == pytest.approx((1 + 4 / 5 + 0) / 3)
    assert macro_f1(confusion).value == pytest.approx((6 / 7 + 8 / 11 + 0) / 3)


def test_predictions_without_labels_are_undefined() -> None:
    empty = np.zeros((2, 2))
    for score in (accuracy, unweighted_average_recall, macro_precision, macro_f1):
        assert score(empty).reason == "no_pairs"
    assert pearson([1, 1, 1], [1, 2, 3]).reason == "no_variation"
    assert pearson([1], [2]).reason == "too_few_items"
