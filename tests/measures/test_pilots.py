"""The variances that ratings and comparisons say, beside those that they were drawn with."""

import numpy as np
import pytest

from measures.mixed.design import Ratings
from measures.mixed.sources import compare_sources
from measures.pilots import components_of, components_of_comparisons
from measures.preferences.comparisons import BOTH_BAD, Comparisons
from tests.measures.crossed import crossed_p
from tests.measures.test_planning import S_B, S_W


# --- components from ratings
def drawn(n: int, r: int, turns: int = 1, seed: int = 4, s_turn: float = 0.0) -> Ratings:
    """Two systems on n dialogues of so many turns, each rated by the same r annotators."""
    rng = np.random.default_rng(seed)
    values = (
        rng.normal(0, 1, (n, 1, 1, 1))
        + rng.normal(0, np.sqrt(S_B / 2), (n, 1, 2, 1))
        + rng.normal(0, 0.1, (1, r, 2, 1))
        + rng.normal(0, np.sqrt(S_W / 2), (n, r, 2, turns))
        + rng.normal(0, np.sqrt(s_turn / 2), (n, 1, 2, turns))
    )
    dialogue, annotator, system, turn = np.indices(values.shape).reshape(4, -1)
    return Ratings(system, annotator, dialogue, turn, values.ravel())


def test_components_are_those_that_the_ratings_were_drawn_with():
    ratings = drawn(1500, 20)
    found = components_of(ratings, compare_sources(ratings, 2))
    assert found.s_between == pytest.approx(S_B, rel=0.1)
    assert found.s_within == pytest.approx(S_W, rel=0.05)
    assert 0.002 < found.s_annotator < 0.06
    assert (found.n_dialogues, found.n_annotators, found.n_pairs, found.at_zero) == (1500, 20, 1, ())


def test_what_differs_between_turns_is_told_from_what_differs_between_dialogues():
    ratings = drawn(600, 8, turns=4, s_turn=0.1)
    found = components_of(ratings, compare_sources(ratings, 2))
    assert found.s_within == pytest.approx(S_W, rel=0.06)
    assert found.s_turn == pytest.approx(0.1, rel=0.15)
    assert found.s_between == pytest.approx(S_B, rel=0.25)


def test_dialogues_of_one_turn_say_nothing_of_turns():
    ratings = drawn(200, 4)
    found = components_of(ratings, compare_sources(ratings, 2))
    assert (found.s_turn, "s_turn" in found.at_zero) == (0, False)


def test_systems_with_dialogues_of_their_own_have_the_components_of_dialogues():
    rng = np.random.default_rng(6)
    values = rng.normal(0, 0.5, (400, 1)) + rng.normal(0, 0.1, (1, 6)) + rng.normal(0, 1, (400, 6))
    dialogue, annotator = np.indices(values.shape).reshape(2, -1)
    ratings = Ratings(dialogue % 2, annotator, dialogue, dialogue, values.ravel())
    found = components_of(ratings, compare_sources(ratings, 2))
    assert found.s_between == pytest.approx(2 * 0.25, rel=0.2)
    assert found.s_within == pytest.approx(2 * 1.0, rel=0.1)


@pytest.mark.parametrize(("n", "r"), [(9, 1), (1, 9)])
def test_a_pilot_with_one_annotator_or_one_dialogue_tells_nothing(n: int, r: int):
    ratings = drawn(n, r)
    found = components_of(ratings, compare_sources(ratings, 2))
    assert (found.s_between, found.s_within, found.s_annotator, found.reason) == (None, None, None, "too_few_items")


def test_the_test_that_is_planned_for_is_that_of_the_model():
    """In a crossed design without a variance of 0. The rest is that of all ratings, or of the differences."""
    ratings = drawn(100, 12, seed=1)
    values = ratings.value.reshape(100, 12, 2)
    found = compare_sources(ratings, 2)
    assert all(each.sd > 0 for each in found.effects)
    assert found.differences[0].p_value == pytest.approx(crossed_p([values[:, :, 0] - values[:, :, 1]]), abs=0.01)


# --- components from comparisons
def compared(n: int, r: int, s_between: float, s_annotator: float, seed: int = 8) -> Comparisons:
    """Two of three sources on each dialogue, shown on either side; effects are plus or minus their sd."""
    rng = np.random.default_rng(seed)
    dialogue, annotator = np.indices((n, r)).reshape(2, -1)
    first, second = np.array([(0, 1), (0, 2), (1, 2)])[dialogue % 3].T
    chance = 0.5 + np.sqrt(s_between) * rng.choice([-1, 1], n)[dialogue]
    chance += np.sqrt(s_annotator) * rng.choice([-1, 1], (r, 3))[annotator, dialogue % 3]
    outcome = np.where(rng.random(n * r) < chance, 1, -1)
    is_swapped = rng.random(n * r) < 0.5
    left, right = np.where(is_swapped, second, first), np.where(is_swapped, first, second)
    return Comparisons.of(
        3, left, right, np.where(is_swapped, -outcome, outcome), annotator=annotator, cluster=dialogue
    )


def test_components_of_comparisons_are_those_that_they_were_drawn_with():
    found = components_of_comparisons(compared(3000, 40, 0.03, 0.02))
    assert found.s_between == pytest.approx(0.03, rel=0.05)
    assert found.s_annotator == pytest.approx(0.02, rel=0.1)
    assert found.s_within == pytest.approx(0.25 - 0.05, rel=0.02)
    assert (found.s_turn, found.n_dialogues, found.n_annotators, found.n_pairs) == (0, 3000, 40, 3)


def test_an_answer_that_calls_both_bad_has_no_score():
    answers = compared(300, 6, 0.03, 0.02)
    bad = Comparisons.of(3, [0] * 50, [1] * 50, [BOTH_BAD] * 50, annotator=range(50), cluster=range(1000, 1050))
    columns = ("left", "right", "outcome", "annotator", "cluster")
    joined = [np.concatenate([getattr(answers, name), getattr(bad, name)]) for name in columns]
    more = Comparisons.of(3, *joined[:3], annotator=joined[3], cluster=joined[4])
    assert components_of_comparisons(more) == components_of_comparisons(answers)


def test_comparisons_by_one_annotator_tell_nothing_and_those_that_are_all_alike_have_no_variance():
    assert components_of_comparisons(compared(50, 1, 0.03, 0.0)).reason == "too_few_items"
    dialogue, annotator = np.indices((20, 3)).reshape(2, -1)
    alike = Comparisons.of(2, 0 * dialogue, 0 * dialogue + 1, 0 * dialogue + 1, annotator=annotator, cluster=dialogue)
    assert components_of_comparisons(alike).reason == "no_spread"


def test_a_component_below_zero_is_zero_and_named():
    found = components_of_comparisons(compared(30, 3, 0.0, 0.0, seed=1))
    assert found.at_zero
    assert all(getattr(found, name) == 0 for name in found.at_zero)
