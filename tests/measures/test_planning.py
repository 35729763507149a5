import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measures.planning import components_of_pilot, detectable_difference, n_dialogues

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
        components_of_pilot(
            [
                rng.normal(0, 0.3, (n, 1)) + rng.normal(0, 0.2, (1, r)) + rng.normal(0, 0.5, (n, r))
                for n, r in ((30, 4), (15, 7))
            ]
        )
        for _ in range(400)
    ]
    assert np.mean([one.s_between for one in found]) == pytest.approx(0.09, abs=0.01)
    assert np.mean([one.s_within for one in found]) == pytest.approx(0.25, abs=0.01)
    assert np.mean([one.s_annotator for one in found]) == pytest.approx(0.04, abs=0.01)
    assert (found[0].n_dialogues, found[0].n_annotators, found[0].clipped) == (45, 11, ())


def test_negative_estimates_are_clipped_and_told() -> None:
    found = components_of_pilot([np.array([[1.0, -1.0], [-1.0, 1.0], [1.0, -1.0]])])
    assert found.s_between == 0.0
    assert "s_between" in found.clipped


def test_a_pilot_with_single_ratings_tells_nothing() -> None:
    found = components_of_pilot([np.zeros((9, 1))])
    assert (found.s_between, found.reason, found.n_dialogues_left_out) == (None, "too_few_items", 9)
