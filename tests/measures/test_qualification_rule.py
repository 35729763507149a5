"""The rule decides as its coefficients do, and its operating curve is the printed one (statistics 4.3)."""

from decimal import Decimal
from fractions import Fraction
from math import comb
from statistics import NormalDist

import numpy as np
import pytest

from measures.agreement import fleiss_kappa
from measures.cohen import cohen_kappa, confusion_matrix
from measures.histograms import Histogram
from measures.intervals import wilson
from measures.qualification_curve import PROFILES, Panel, operating_curve
from measures.qualification_rule import (
    FAILED,
    GOLD,
    INTERVAL,
    MAJORITY_KAPPA,
    PANEL_KAPPA,
    PASSED,
    UNDECIDED,
    Result,
    Rule,
    cells_of,
    judge,
    panels_own,
    weakest,
)

RNG = np.random.default_rng(3)
TRUTH = RNG.integers(0, 3, 60)
PANEL = np.where(RNG.random((60, 3)) < 0.6, TRUTH[:, None], RNG.integers(0, 3, (60, 3)))
GOOD = np.where(RNG.random(60) < 0.8, TRUTH, RNG.integers(0, 3, 60))
OTHER = np.random.default_rng(0)
EQUAL = np.where(OTHER.random(60) < 0.6, TRUTH, OTHER.integers(0, 3, 60))
# Judged answers: as good, clearly better, uniform clicker, always modal; 4,000 draws each, section 4.3.
PRINTED = {15: (0.50, 0.75, 0.08, 0.00), 25: (0.49, 0.81, 0.03, 0.00), 60: (0.50, 0.91, 0.005, 0.00),
           200: (0.51, 0.99, 0.00, 0.00)}  # fmt: skip


def fleiss(codes):
    return fleiss_kappa(Histogram.from_matrix(np.asarray(codes), 3))


def test_the_value_is_fleiss_kappa_of_panel_and_candidate_and_the_threshold_the_panels_own():
    result = judge(Rule(), cells_of(PANEL, GOOD, 3))
    assert result.value == pytest.approx(fleiss(np.column_stack([PANEL, GOOD])).value, abs=1e-12)
    assert result.threshold == pytest.approx(fleiss(PANEL).value, abs=1e-12)
    assert (result.state, result.n_items) == (PASSED, 60)


def test_beside_a_fixed_threshold_the_interval_is_that_of_kappa_itself():
    expected = fleiss(np.column_stack([PANEL, GOOD]))
    result = judge(Rule(threshold=0.21), cells_of(PANEL, GOOD, 3))
    assert (result.low, result.high) == (pytest.approx(expected.low), pytest.approx(expected.high))


def test_beside_the_panels_own_kappa_the_interval_is_that_of_the_difference():
    fixed, own = (judge(Rule(threshold=each), cells_of(PANEL, GOOD, 3)) for each in (0.21, None))
    assert own.high - own.low < fixed.high - fixed.low
    both = np.column_stack([PANEL, GOOD])
    left_out = np.array([
        fleiss(np.delete(both, at, 0)).value - fleiss(np.delete(PANEL, at, 0)).value for at in range(60)
    ])  # fmt: skip
    error = np.sqrt(59 / 60 * ((left_out - left_out.mean()) ** 2).sum())  # the jackknife, another way to the same error
    assert (own.high - own.low) / 2 / 2.001 == pytest.approx(error, rel=0.05)


def test_who_only_reaches_the_threshold_has_not_passed_it():
    cells = cells_of(PANEL, GOOD, 3)
    value = judge(Rule(), cells).value
    assert judge(Rule(threshold=value), cells).state == FAILED
    assert judge(Rule(threshold=value - 1e-9), cells).state == PASSED


def test_gaps_in_the_panel_are_counted_as_everywhere_else():
    holes = PANEL.copy()
    holes[::4, 0] = -1
    result = judge(Rule(), cells_of(holes, GOOD, 3))
    assert result.value == pytest.approx(fleiss(np.column_stack([holes, GOOD])).value, abs=1e-12)
    assert result.threshold == pytest.approx(fleiss(holes).value, abs=1e-12)


def test_answers_the_candidate_did_not_give_are_left_out_for_the_panel_too():
    some = GOOD.copy()
    some[:20] = -1
    result = judge(Rule(), cells_of(PANEL, some, 3))
    assert (result.n_items, result.threshold) == (40, pytest.approx(fleiss(PANEL[20:]).value))


def test_the_majority_is_cohens_kappa_without_the_ties():
    counts = (PANEL[:, :, None] == np.arange(3)).sum(axis=1)
    ordered = np.sort(counts, axis=1)
    majority = np.where(ordered[:, -1] > ordered[:, -2], counts.argmax(axis=1), -1)
    expected = cohen_kappa(confusion_matrix(GOOD, majority, 3))
    result = judge(Rule(MAJORITY_KAPPA, threshold=0.3), cells_of(PANEL, GOOD, 3))
    assert (result.value, result.n_items) == (pytest.approx(expected.value), expected.n_items)
    assert (result.low, result.high) == (
        pytest.approx(expected.low, abs=0.01),
        pytest.approx(expected.high, abs=0.01),
    )


def test_the_panels_own_kappa_with_its_majority_is_the_mean_over_its_members():
    found = []
    for member in range(3):
        first, second = np.delete(PANEL, member, axis=1).T
        found.append(cohen_kappa(confusion_matrix(PANEL[:, member], np.where(first == second, first, -1), 3)).value)
    result = judge(Rule(MAJORITY_KAPPA), cells_of(PANEL, GOOD, 3))
    assert result.threshold == pytest.approx(np.mean(found), abs=1e-12)
    assert panels_own(MAJORITY_KAPPA, PANEL, 3) == pytest.approx(np.mean(found), abs=1e-12)


def test_a_panels_own_value_needs_no_candidate_and_can_be_undefined():
    assert panels_own(PANEL_KAPPA, PANEL, 3) == pytest.approx(fleiss(PANEL).value, abs=1e-12)
    assert panels_own(GOLD, PANEL, 3) is None
    for method in (PANEL_KAPPA, MAJORITY_KAPPA):
        assert panels_own(method, np.zeros((20, 3), int), 3) is None
        assert panels_own(method, PANEL[:, :1], 3) is None
        assert panels_own(method, np.zeros((0, 0), int), 3) is None


def test_accuracy_is_the_share_of_known_answers_with_wilsons_interval():
    right = np.array([1] * 9 + [0] + [-1] * 50)
    result = judge(Rule(GOLD, threshold=0.7), cells_of(PANEL, GOOD, 3, right))
    expected = wilson(9, 10)
    assert (result.value, result.n_items, result.state) == (0.9, 10, PASSED)
    assert (result.low, result.high) == (pytest.approx(expected.low), pytest.approx(expected.high))
    assert judge(Rule(GOLD, 0.7, INTERVAL), cells_of(PANEL, GOOD, 3, right)).state == UNDECIDED


def known(n_right: int, n: int):
    """Cells of somebody with so many right answers of n known ones."""
    return cells_of(PANEL[:n], GOOD[:n], 3, [1] * n_right + [0] * (n - n_right))


@pytest.mark.parametrize(
    ("n_right", "n", "threshold", "state"),
    [(8, 10, 0.8, PASSED), (7, 10, 0.8, FAILED), (10, 10, 1.0, PASSED), (9, 10, 1.0, FAILED), (0, 10, 0.0, PASSED)],
)
def test_an_accuracy_that_reaches_what_is_required_has_passed(n_right, n, threshold, state):
    assert judge(Rule(GOLD, threshold), known(n_right, n)).state == state


def wilson_by_hand(n_right: int, n: int) -> tuple[Fraction, Fraction]:
    """The two shares that lie z standard errors from what was found, as the roots of Wilson's equation."""
    z = Fraction(NormalDist().inv_cdf(0.975))
    a, b, c = n + z * z, -(2 * n_right + z * z), Fraction(n_right * n_right, n)
    root = Fraction(Decimal(int((b * b - 4 * a * c) * 10**40)).sqrt() / 10**20)
    return (-b - root) / (2 * a), (-b + root) / (2 * a)


@pytest.mark.parametrize("threshold", [0.0, 0.5, 0.7, 0.8, 1.0])
def test_by_the_interval_accuracy_is_proved_from_the_lower_and_failed_below_the_upper_limit(threshold):
    for n_right in range(41):
        low, high = wilson_by_hand(n_right, 40)
        low, high = (Fraction(0) if n_right == 0 else low), (Fraction(1) if n_right == 40 else high)
        expected = PASSED if low >= threshold else FAILED if high < threshold else UNDECIDED
        assert judge(Rule(GOLD, threshold, INTERVAL), known(n_right, 40)).state == expected


def test_a_limit_that_equals_what_is_required_decides_for_accuracy_and_not_for_kappa():
    found = judge(Rule(GOLD, 0.5), known(36, 40))
    assert judge(Rule(GOLD, found.low, INTERVAL), known(36, 40)).state == PASSED
    assert judge(Rule(GOLD, found.high, INTERVAL), known(36, 40)).state == UNDECIDED
    kappa = judge(Rule(threshold=0.3), cells_of(PANEL, GOOD, 3))
    assert judge(Rule(threshold=kappa.low, decision=INTERVAL), cells_of(PANEL, GOOD, 3)).state == UNDECIDED
    assert judge(Rule(threshold=kappa.high, decision=INTERVAL), cells_of(PANEL, GOOD, 3)).state == FAILED


@pytest.mark.parametrize(
    ("threshold", "state"), [(-0.5, PASSED), (0.99, FAILED), (None, UNDECIDED)]
)  # fmt: skip
def test_by_the_interval_a_doubtful_candidate_is_undecided(threshold, state):
    assert judge(Rule(threshold=threshold, decision=INTERVAL), cells_of(PANEL, EQUAL, 3)).state == state


def test_an_undefined_value_has_a_reason_and_is_never_a_pass():
    same = np.zeros((20, 3), int)
    result = judge(Rule(threshold=-1), cells_of(same, same[:, 0], 3))
    assert (result.state, result.value, result.reason) == (UNDECIDED, None, "no_variation")
    assert judge(Rule(), cells_of(np.full((20, 3), -1), TRUTH[:20], 3)).reason == "no_pairs"
    assert judge(Rule(), cells_of(PANEL, np.full(60, -1), 3)).reason == "no_items"
    assert judge(Rule(GOLD, 0.7), cells_of(PANEL, GOOD, 3)).reason == "no_items"


def test_a_panel_without_a_kappa_of_its_own_decides_nothing():
    same, mixed = np.zeros((20, 3), int), np.arange(20) % 2
    result = judge(Rule(), cells_of(same, mixed, 3))
    assert (result.state, result.threshold, result.reason) == (UNDECIDED, None, "no_variation")
    assert result.value is not None


def test_fewer_than_ten_answers_carry_no_interval():
    result = judge(Rule(threshold=0, decision=INTERVAL), cells_of(PANEL[:9], GOOD[:9], 3))
    assert (result.state, result.reason, result.low) == (UNDECIDED, "too_few_items", None)


def test_of_several_criteria_the_weakest_decides():
    good, poor, none = Result(PASSED, 0.5, threshold=0.2), Result(FAILED, 0.1, threshold=0.2), Result(UNDECIDED)
    assert weakest([good, none, poor]) is poor
    assert weakest([good, none]) is none
    assert weakest([good, Result(PASSED, 0.3, threshold=0.2)]).value == 0.3
    assert weakest([]).state == UNDECIDED


# --- the operating curve ---------------------------------------------------------------------------
def test_the_default_rule_has_the_printed_operating_curve():
    found = operating_curve(Rule(), Panel(), tuple(PRINTED), n_draws=4000)
    for at, size in enumerate(PRINTED):
        for profile, expected in zip(PROFILES, PRINTED[size], strict=True):
            assert found[profile][at].passed == pytest.approx(expected, abs=0.04), (size, profile)


def test_the_curve_of_accuracy_counts_those_who_reach_what_is_required():
    """A uniform clicker is right in one of two answers: eight and more of ten, by the binomial distribution."""
    chance = operating_curve(Rule(GOLD, 0.8), Panel(), (10,), n_draws=20_000)["uniform"][0].passed
    assert chance == pytest.approx(sum(comb(10, right) for right in (8, 9, 10)) / 2**10, abs=0.006)


def test_the_interval_turns_rejections_of_equally_good_people_into_doubt():
    found = operating_curve(Rule(decision=INTERVAL), Panel())["equal"]
    assert all(1 - each.passed - each.undecided < 0.08 for each in found)


def test_passing_every_criterion_is_harder_than_passing_once():
    alone, each = (operating_curve(Rule(), Panel(n_criteria=n), (100,))["better"][0].passed for n in (1, 4))
    assert each < alone


def test_the_same_seed_gives_the_same_curve():
    assert operating_curve(Rule(), Panel(0.4), seed=1) == operating_curve.__wrapped__(Rule(), Panel(0.4), seed=1)
