import itertools

import numpy as np
import pytest

from measures.behaviour import gold_result, speed_scores, straight_lining


def dwell(n_items: int = 30, n_annotators: int = 7, fast: float = 1.0) -> list[np.ndarray]:
    rng = np.random.default_rng(2)
    item, rater = (part.ravel() for part in np.indices((n_items, n_annotators)))
    length = rng.integers(20, 200, n_items)[item]
    pace = np.exp(rng.normal(0, 0.3, n_annotators)[rater] + rng.normal(0, 0.4, item.size))
    pace[rater == 3] *= fast
    return [item, rater, length * pace * 0.3, length]


def test_speed_is_the_median_of_log_pace_beside_the_item_median() -> None:
    item, rater, time, length = dwell()
    pace = np.log(time / length)
    medians = np.array([np.median(pace[item == i]) for i in range(30)])
    for found in speed_scores(item, rater, time, length):
        mine = rater == found.rater
        assert found.score.value == pytest.approx(np.median((pace - medians[item])[mine]), abs=1e-12)
        assert (found.score.n_items, found.flagged) == (30, False)


def test_a_speeder_is_flagged_from_twenty_items_on() -> None:
    found = speed_scores(*dwell(fast=0.05))
    assert [speed.rater for speed in found if speed.flagged] == [3]
    assert not any(speed.flagged for speed in speed_scores(*dwell(19, fast=0.05), fewest_items=5))


def test_unusable_times_and_items_of_one_annotator_are_left_out() -> None:
    found = speed_scores([1, 1, 2, 3, 3], [5, 6, 5, 5, 6], [8.0, 2.0, 9.0, 0.0, 4.0], [1, 1, 1, 1, 1])
    assert [speed.score.value for speed in found] == pytest.approx([np.log(2), -np.log(2)])
    assert [(speed.score.n_items, speed.score.n_left_out) for speed in found] == [(1, 2), (1, 1)]
    nobody = speed_scores([1], [5], [np.nan], [3])[0]
    assert (nobody.score.reason, nobody.z) == ("too_few_items", None)
    assert speed_scores([], [], [], []) == []


def naive_longest(answers: np.ndarray) -> int:
    return max((len(list(run)) for _, run in itertools.groupby(answers.tolist())), default=0)


def test_long_runs_are_told_from_chance() -> None:
    rng = np.random.default_rng(0)
    honest = rng.integers(0, 3, 60)
    lined = np.concatenate([honest[:30], np.ones(20, int), honest[30:40]])
    found = straight_lining(lined, seed=1, n_permutations=999)
    assert (found.longest_run, found.run_p) == (naive_longest(lined), 0.001)
    assert straight_lining(lined, seed=1, n_permutations=999) == found


def test_p_of_runs_is_uniform_or_above_for_honest_annotators() -> None:
    rng = np.random.default_rng(3)
    screens = np.arange(40) // 4
    found = [straight_lining(rng.integers(0, 3, 40), screens, seed=s, n_permutations=99) for s in range(150)]
    p = np.array([one.run_p for one in found])
    assert np.mean(p <= 0.1) <= 0.16
    # Few different values of the statistic: its ties make p larger than uniform.
    assert 0.15 <= np.mean(p <= 0.5) <= 0.6


def test_the_same_answer_for_a_whole_screen_is_no_long_run() -> None:
    rng = np.random.default_rng(5)
    answers, screens = np.repeat(rng.integers(0, 3, 25), 4), np.arange(100) // 4
    found = straight_lining(answers, screens, seed=1, n_permutations=999)
    assert found.run_p > 0.02  # type: ignore[operator]
    assert straight_lining(answers, seed=1, n_permutations=999).run_p < 0.02  # type: ignore[operator]


def test_reasons_for_no_p() -> None:
    assert straight_lining([0, 1] * 9, seed=1).reason == "too_few_items"
    constant = straight_lining([2] * 25 + [-1], seed=1)
    assert (constant.reason, constant.longest_run, constant.n_answers) == ("no_variation", 25, 25)
    assert straight_lining([], seed=1).run_p is None


@pytest.mark.parametrize(
    ("successes", "n", "outcome"),
    [(9, 10, "undecided"), (3, 10, "failed"), (100, 100, "proved"), (95, 100, "undecided"), (0, 0, "undecided")],
)
def test_gold_items_prove_fail_or_leave_open(successes: int, n: int, outcome: str) -> None:
    assert gold_result(successes, n, 0.9).outcome == outcome


def test_ten_gold_items_decide_nothing() -> None:
    found = gold_result(9, 10, 0.9)
    assert (found.low, found.high) == pytest.approx((0.596, 0.982), abs=5e-4)
    assert gold_result(35, 35, 0.9).outcome == "proved"
    assert gold_result(35, 35, 0.9, exact=True).outcome == "undecided"
    with pytest.raises(ValueError, match="accuracy"):
        gold_result(9, 10, 90)
