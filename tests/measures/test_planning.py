import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measures.planning import (
    crossed_dialogues,
    crossed_power,
    detectable_difference,
    fewest_annotators,
    mean_components,
    n_dialogues,
    power,
)
from measures.systems import crossed_variance_t

# Statistics 4.6 prints s_B = .039 and s_W = .293; the table comes from more digits, and these are the simplest
# that give all fifteen numbers.
S_B, S_W = 0.0388, 0.2927
TABLE = {
    0.05: (1041, 582, 429, 306, 254),
    0.10: (261, 146, 108, 77, 64),
    0.15: (116, 65, 48, 34, 29),
}
RATINGS = (1, 2, 3, 5, 7)


@pytest.mark.parametrize("difference", TABLE)
def test_the_table_of_dialogues(difference: float) -> None:
    assert tuple(n_dialogues(difference, r, S_B, S_W).n_dialogues for r in RATINGS) == TABLE[difference]
    printed = [n_dialogues(difference, r, 0.039, 0.293).n_dialogues for r in RATINGS]
    np.testing.assert_allclose(printed, TABLE[difference], atol=2)


@given(st.floats(0.01, 0.5), st.integers(1, 9), st.floats(0, 0.2), st.floats(0.01, 0.5), st.floats(0.3, 0.99))
def test_what_is_planned_can_be_detected_and_one_less_cannot(
    difference: float, r: int, between: float, within: float, power: float
) -> None:
    found = n_dialogues(difference, r, between, within, power=power).n_dialogues
    assert found is not None
    assert detectable_difference(found, r, between, within, power=power) <= difference * (1 + 1e-9)
    if found > 1:
        assert detectable_difference(found - 1, r, between, within, power=power) > difference * (1 - 1e-9)


def test_annotators_who_differ_need_more_annotators_not_more_dialogues() -> None:
    plain = n_dialogues(0.1, 3, S_B, S_W).n_dialogues
    some = n_dialogues(0.1, 3, S_B, S_W, s_annotator=0.01, n_annotators=20).n_dialogues
    assert some > plain  # type: ignore[operator]
    hopeless = n_dialogues(0.1, 3, S_B, S_W, s_annotator=0.01, n_annotators=7)
    assert (hopeless.n_dialogues, hopeless.reason) == (None, "more_annotators")
    assert detectable_difference(10**9, 3, S_B, S_W, s_annotator=0.01, n_annotators=7) > 0.1


def test_impossible_plans_are_refused() -> None:
    for call in (
        lambda: n_dialogues(0, 3, S_B, S_W),
        lambda: n_dialogues(0.1, 0, S_B, S_W),
        lambda: n_dialogues(0.1, 3, S_B, -1),
        lambda: n_dialogues(0.1, 3, S_B, S_W, s_annotator=0.1),
        lambda: n_dialogues(0.1, 3, S_B, S_W, power=1),
        lambda: detectable_difference(0, 3, S_B, S_W),
    ):
        with pytest.raises(ValueError, match=r"no number|at least|negative|lie"):
            call()


def test_planned_power_is_reached() -> None:
    rng = np.random.default_rng(1)
    n, r = n_dialogues(0.1, 3, S_B, S_W).n_dialogues, 3
    assert n is not None
    means = 0.1 + rng.normal(0, np.sqrt(S_B), (4000, n)) + rng.normal(0, np.sqrt(S_W / r), (4000, n))
    z = means.mean(axis=1) / (means.std(axis=1, ddof=1) / np.sqrt(n))
    assert (np.abs(z) > 1.96).mean() == pytest.approx(0.8, abs=0.03)


def test_a_pilot_gives_back_the_components() -> None:
    rng = np.random.default_rng(2)
    found = [
        mean_components(
            [
                [
                    rng.normal(0, 0.3, (n, 1)) + rng.normal(0, 0.2, (1, r)) + rng.normal(0, 0.5, (n, r))
                    for n, r in ((30, 4), (15, 7))
                ]
            ]
        )
        for _ in range(400)
    ]
    assert np.mean([one.s_between for one in found]) == pytest.approx(0.09, abs=0.01)
    assert np.mean([one.s_within for one in found]) == pytest.approx(0.25, abs=0.01)
    assert np.mean([one.s_annotator for one in found]) == pytest.approx(0.04, abs=0.01)
    assert (found[0].n_dialogues, found[0].n_annotators, found[0].clipped) == (45, 11, ())


def test_negative_estimates_are_clipped_and_told() -> None:
    found = mean_components([[np.array([[1.0, -1.0], [-1.0, 1.0], [1.0, -1.0]])]])
    assert found.s_between == 0.0
    assert "s_between" in found.clipped


def test_a_pilot_with_single_ratings_tells_nothing() -> None:
    found = mean_components([[np.zeros((9, 1))]])
    assert (found.s_between, found.reason, found.n_dialogues_left_out) == (None, "too_few_items", 9)


def test_power_and_the_number_of_dialogues_agree():
    n = n_dialogues(0.1, 3, S_B, S_W).n_dialogues
    assert n is not None
    assert power(0.1, n, 3, S_B, S_W) >= 0.8 > power(0.1, n - 1, 3, S_B, S_W)
    assert power(0.0, 100, 3, S_B, S_W) == pytest.approx(0.05)
    assert power(-0.1, 100, 3, S_B, S_W) == power(0.1, 100, 3, S_B, S_W)
    assert power(0.1, 100, 3, 0.0, 0.0) == 1.0


@pytest.mark.parametrize(
    ("n", "r", "groups", "s_annotator"),
    [(108, 3, 1, 0), (108, 3, 6, 0), (60, 2, 1, 0.01), (40, 7, 4, 0.02), (40, 3, 4, 0)],
)
def test_the_power_of_the_crossed_test_is_that_of_simulated_studies(n: int, r: int, groups: int, s_annotator: float):
    rng, found = np.random.default_rng(3), 0
    for _ in range(1000):
        size = (n // groups, r)
        blocks = [
            0.1
            + rng.normal(0, np.sqrt(S_B), (size[0], 1))
            + rng.normal(0, np.sqrt(s_annotator), (1, r))
            + rng.normal(0, np.sqrt(S_W), size)
            for _ in range(groups)
        ]
        p = crossed_variance_t(blocks).p_value
        found += p is not None and p < 0.05
    planned = crossed_power(0.1, n, r, S_B, S_W, n_annotators=groups * r, s_annotator=s_annotator)
    assert planned == pytest.approx(found / 1000, abs=0.04)


def test_the_crossed_test_nears_the_normal_power_with_many_annotators_and_needs_two_ratings():
    few, many = (crossed_power(0.1, 400, 3, S_B / 4, S_W / 4, n_annotators=n) for n in (3, 399))
    assert few < many  # type: ignore[operator]
    assert crossed_power(0.1, 108, 3, S_B, S_W, n_annotators=150) == pytest.approx(
        power(0.1, 108, 3, S_B, S_W), abs=0.04
    )
    assert crossed_power(0.1, 108, 1, S_B, S_W, n_annotators=30) is None
    assert crossed_power(0.1, 108, 3, S_B, S_W, n_annotators=2) is None
    assert crossed_power(0.1, 108, 3, 0.0, 0.0, n_annotators=3) == 1.0


def test_dialogues_for_the_crossed_test_reach_its_power_and_one_less_does_not():
    n = crossed_dialogues(0.1, 3, S_B, S_W, n_annotators=12).n_dialogues
    assert n is not None
    here, before = (crossed_power(0.1, size, 3, S_B, S_W, n_annotators=12) for size in (n, n - 1))
    assert here >= 0.8 > before  # type: ignore[operator]
    assert n > 108
    hopeless = crossed_dialogues(0.1, 3, S_B, S_W, n_annotators=3, s_annotator=0.01)
    assert (hopeless.n_dialogues, hopeless.reason) == (None, "more_annotators")
    assert crossed_dialogues(0.1, 1, S_B, S_W, n_annotators=3).n_dialogues is None


@given(st.floats(0.02, 0.4), st.floats(0.0001, 0.1))
def test_below_the_fewest_annotators_no_number_of_dialogues_is_enough(difference: float, s_annotator: float) -> None:
    fewest = fewest_annotators(difference, s_annotator)
    assert n_dialogues(difference, 3, S_B, S_W, s_annotator=s_annotator, n_annotators=fewest).n_dialogues
    if fewest > 1:
        below = n_dialogues(difference, 3, S_B, S_W, s_annotator=s_annotator, n_annotators=fewest - 1)
        assert below.reason == "more_annotators"
    assert fewest_annotators(difference, 0.0) == 1


def test_the_mean_of_pairs_is_taken_before_anything_is_cut_off():
    rng = np.random.default_rng(4)
    pairs = [[rng.normal(0, 1, (12, 4))] for _ in range(300)]
    alone = np.mean([mean_components([pair]).s_annotator for pair in pairs])
    together = mean_components(pairs)
    assert together.s_annotator == pytest.approx(0, abs=0.02)
    assert alone > 0.02
    assert (together.n_pairs, together.n_dialogues, together.n_annotators) == (300, 12, 4)


def test_pairs_that_tell_nothing_are_left_out_of_the_mean():
    crossed, single = [np.random.default_rng(5).normal(size=(6, 3))], [np.zeros((9, 1))]
    assert mean_components([crossed, single]) == mean_components([crossed])
    nothing = mean_components([single, []])
    assert (nothing.s_within, nothing.reason, nothing.n_dialogues_left_out, nothing.n_pairs) == (
        None,
        "too_few_items",
        9,
        0,
    )
    assert mean_components([]).reason == "too_few_items"
