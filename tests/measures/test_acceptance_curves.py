"""Operating curves against the table of statistics 4.4, against other exact computations, and against simulation."""

from itertools import product
from math import comb

import numpy as np
import pytest

from measures.acceptance import FixedRule, SharesRule, decide_by_errors, decide_by_shares, draw_sample
from measures.acceptance_curves import curve_of, joint_curve, overall_curve
from measures.sequential import SequentialRule, characteristic, decide_in_turn, lines_of

ACCURACIES = (0.99, 0.97, 0.95, 0.94, 0.93, 0.92, 0.90, 0.88, 0.85)
OVERALL = (1.000, 0.998, 0.942, 0.859, 0.738, 0.593, 0.315, 0.132, 0.025)
JOINT = (0.992, 0.911, 0.712, 0.581, 0.449, 0.328, 0.152, 0.058, 0.010)
MIX = (392, 726, 882)  # .196, .363 and .441 of 2,000
ENDLESS = tuple(1000 * each for each in MIX)


def test_the_printed_row_of_the_overall_rule():
    np.testing.assert_allclose(overall_curve(SharesRule(), 2000, ACCURACIES), OVERALL, atol=0.0006)


def test_the_printed_row_of_the_joint_rule():
    """Printed for an endless batch, from a simulation; a batch of 2,000 lies within .01 of it."""
    plain = SharesRule(fewest_of_class=0, top_up_to=0)
    np.testing.assert_allclose(joint_curve(plain, ENDLESS, ACCURACIES), JOINT, atol=0.0015)
    np.testing.assert_allclose(joint_curve(SharesRule(), MIX, ACCURACIES), JOINT, atol=0.01)


def test_the_sentence_of_the_decision_page():
    found = dict(zip(ACCURACIES, joint_curve(SharesRule(), ENDLESS, ACCURACIES), strict=True))
    assert [round(100 * found[each]) for each in (0.92, 0.95, 0.97)] == [33, 71, 91]


def test_the_joint_rule_equals_a_sum_over_every_sample():
    """Class by class with whole binomials, 12 of 40 items: 45 compositions, all errors."""
    rule, sizes = SharesRule(12, 0.75, 0.7, 3, 0), (14, 26)
    wrong = [round(size * 0.2) for size in sizes]
    ways = accepted = 0
    for drawn in range(13):
        counts = (drawn, 12 - drawn)
        for errors in product(*(range(n + 1) for n in counts)):
            parts = zip(sizes, wrong, counts, errors, strict=True)
            n_ways = np.prod([comb(bad, e) * comb(size - bad, n - e) for size, bad, n, e in parts], dtype=object)
            ways += n_ways
            table = [[counts[0] - errors[0], 0, errors[0]], [0, counts[1] - errors[1], errors[1]]]
            outcome = decide_by_shares(table, sizes, rule, is_weighted=False).outcome if n_ways else ""
            accepted += n_ways * (outcome == "accept")
    assert joint_curve(rule, sizes, [0.8])[0] == pytest.approx(accepted / ways, abs=1e-12)


def test_samples_without_an_assessable_class_are_not_accepted():
    rule = SharesRule(8, 0.5, 0.5, 5, 0)
    found = joint_curve(rule, (100, 100), [1.0])[0]
    ways = sum(comb(100, n) * comb(100, 8 - n) for n in range(9) if max(n, 8 - n) >= 5)
    assert found == pytest.approx(ways / comb(200, 8), abs=1e-12)


def test_a_batch_that_is_checked_completely_is_accepted_as_its_shares_say():
    found = joint_curve(SharesRule(), (4, 30, 60), [1.0, 0.95, 0.75])
    assert found.tolist() == pytest.approx([1.0, 1.0, 0.0])


@pytest.mark.parametrize("sizes", [MIX, (100, 500, 1400), (8, 992, 1000)])
def test_the_curve_is_what_samples_and_decisions_do(sizes: tuple[int, ...]):
    """2,000 batches drawn and decided by the functions that draw and decide; three standard errors."""
    rule, accuracy, n = SharesRule(), 0.94, 2000
    labels = np.repeat(np.arange(len(sizes)), sizes)
    first = np.concatenate([np.arange(size) for size in sizes])
    is_wrong = first < np.rint(np.array(sizes) * (1 - accuracy))[labels]
    accepted = 0
    for seed in range(n):
        sample = draw_sample(labels, rule.n_sample, seed, rule)
        table = np.zeros((len(sizes), len(sizes) + 1), int)
        answers = np.where(is_wrong[sample.places], len(sizes), labels[sample.places])
        np.add.at(table, (labels[sample.places], answers), 1)
        weighted = bool(sample.is_top_up.any())
        accepted += decide_by_shares(table, sizes, rule, is_weighted=weighted).outcome == "accept"
    expected = joint_curve(rule, sizes, [accuracy])[0]
    assert accepted / n == pytest.approx(expected, abs=3.5 * np.sqrt(expected * (1 - expected) / n) + 0.0035)


def test_the_fixed_plan_keeps_its_two_promises():
    found = curve_of(FixedRule(), (10**6,), (0.95, 0.90)).acceptance
    assert found[0] >= 0.95
    assert found[1] <= 0.10
    small = curve_of(FixedRule(200, 20), (100,), (0.90, 0.89)).acceptance
    assert small == (1.0, 0.0)  # checked whole
    assert decide_by_errors([[90, 10]], [100], FixedRule(200, 20)).outcome == "accept"


# --- item by item ------------------------------------------------------------------------------------
def test_the_printed_numbers_of_the_sequential_plan():
    """Printed from a simulation: .101 at .90 is .0966 exactly, one standard error of 4,000 draws away."""
    found = characteristic(SequentialRule(), (0.99, 0.95, 0.90, 0.85))
    np.testing.assert_allclose(found.mean_sampled, (49, 122, 124, 54), atol=0.7)
    np.testing.assert_allclose(found.acceptance[1:3], (0.943, 0.101), atol=0.005)


def test_the_characteristic_is_what_decisions_do():
    """Within four standard errors of 10,000 batches."""
    rng, rule, n = np.random.default_rng(1), SequentialRule(), 10_000
    lines = lines_of(rule)
    decided = [decide_in_turn(rng.random(400) < 0.93, lines) for _ in range(n)]
    exact = characteristic(rule, [0.93])
    accepted = np.mean([outcome == "accept" for outcome, _ in decided])
    assert accepted == pytest.approx(exact.acceptance[0], abs=4 * 0.5 / np.sqrt(n))
    sampled = [n_used for _, n_used in decided]
    assert np.mean(sampled) == pytest.approx(exact.mean_sampled[0], abs=4 * np.std(sampled) / np.sqrt(n))


def test_a_finite_batch_is_drawn_without_replacement():
    rng, rule, n = np.random.default_rng(4), SequentialRule(), 3000
    lines, batch = lines_of(rule, 300), np.arange(300) >= 21
    accepted = [decide_in_turn(rng.permutation(batch), lines)[0] == "accept" for _ in range(n)]
    exact = characteristic(rule, [0.93], 300).acceptance[0]
    assert np.mean(accepted) == pytest.approx(exact, abs=3 * 0.5 / np.sqrt(n))


def test_it_stops_as_soon_as_it_is_clear_and_not_before():
    lines = lines_of(SequentialRule())
    assert decide_in_turn([True] * 41, lines) == (None, 41)
    assert decide_in_turn([True] * 60, lines) == ("accept", 42)
    # ln(.90 / .05) = 2.89 and ln 2 = .69 each: five errors in a row
    assert decide_in_turn([False] * 4, lines) == (None, 4)
    assert decide_in_turn([False] * 60, lines) == ("return", 5)


def test_at_the_cap_what_is_not_accepted_is_returned():
    lines = lines_of(SequentialRule(most_sampled=60))
    answers = [True] * 60
    for at in (5, 25, 45):
        answers[at] = False
    assert decide_in_turn(answers, lines) == ("return", 60)


def test_a_batch_checked_to_its_last_item_is_known():
    rule = SequentialRule()
    assert decide_in_turn([True] * 30, lines_of(rule, 30)) == ("accept", 30)
    assert decide_in_turn([False, False, *[True] * 28], lines_of(rule, 30)) == ("return", 30)


def test_rules_that_are_none_are_refused():
    for numbers in ({"good": 0.9}, {"good": 1.0}, {"bad": 0.0}, {"producer_risk": 0.0}, {"consumer_risk": 0.96}):
        with pytest.raises(ValueError, match=r"accuracies|risks"):
            SequentialRule(**numbers)


@pytest.mark.parametrize("rule", [SharesRule(), SharesRule(least_of_class=0), FixedRule(), SequentialRule()])
def test_curves_rise_with_the_accuracy(rule):
    accuracies = tuple(np.round(np.arange(0.8, 1.0001, 0.01), 2).tolist())
    found = np.array(curve_of(rule, MIX, accuracies).acceptance)
    assert (np.diff(found) > -0.002).all()
    assert found[-1] == pytest.approx(1.0)
