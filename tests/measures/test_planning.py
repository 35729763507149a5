import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.special import gammaincinv

from bench.power import simulated
from bench.power_studies import STUDIES
from measures.layouts import ComparedLayout, RatedLayout, Variances
from measures.planning import (
    MANY,
    _mean_chi_square,
    _spread,
    crossed_annotators,
    crossed_dialogues,
    crossed_difference,
    crossed_power,
    detectable_difference,
    n_dialogues,
    power,
)
from tests.measures.crossed import crossed_p

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
    assert tuple(n_dialogues(difference, r, S_B, S_W) for r in RATINGS) == TABLE[difference]
    printed = [n_dialogues(difference, r, 0.039, 0.293) for r in RATINGS]
    np.testing.assert_allclose(printed, TABLE[difference], atol=2)


@given(st.floats(0.01, 0.5), st.integers(1, 9), st.floats(0, 0.2), st.floats(0.01, 0.5), st.floats(0.3, 0.99))
def test_what_is_planned_can_be_detected_and_one_less_cannot(
    difference: float, r: int, between: float, within: float, power: float
) -> None:
    found = n_dialogues(difference, r, between, within, power=power)
    assert detectable_difference(found, r, between, within, power=power) <= difference * (1 + 1e-9)
    if found > 1:
        assert detectable_difference(found - 1, r, between, within, power=power) > difference * (1 - 1e-9)


@pytest.mark.parametrize(("n", "r", "people", "s_annotator"), [(40, 3, 3, 0.05), (60, 3, 12, 0.03), (50, 2, 20, 0.05)])
def test_the_power_for_given_annotators_is_that_of_t_tests_over_their_dialogues(n, r, people, s_annotator) -> None:
    """The annotators differ about the systems by chance, and by .1 in the mean of those who are here."""
    rng, found, runs = np.random.default_rng(6), np.zeros(2), 4000
    critical = stats.t.isf(0.025, n - 1)
    for _ in range(runs):
        taste = rng.normal(0, np.sqrt(s_annotator), people)
        who = np.arange(n * r).reshape(n, r) % people
        scatter = rng.normal(0, np.sqrt(S_B), n) + rng.normal(0, np.sqrt(S_W / r), n)
        of_dialogue = scatter + (taste - taste[who].mean())[who].mean(axis=1)
        error = of_dialogue.std(ddof=1) / np.sqrt(n)
        found += np.abs(of_dialogue.mean() + np.array([0.1, 0.0])) > critical * error
    crowd = {"s_annotator": s_annotator, "n_annotators": people}
    assert power(0.1, n, r, S_B, S_W, **crowd) == pytest.approx(found[0] / runs, abs=0.03)
    assert found[1] / runs < 0.06
    needed = n_dialogues(0.1, r, S_B, S_W, **crowd)
    assert power(0.1, needed, r, S_B, S_W, **crowd) >= 0.8 > power(0.1, needed - 1, r, S_B, S_W, **crowd)
    assert detectable_difference(needed, r, S_B, S_W, **crowd) == pytest.approx(0.1, rel=0.01)


def test_annotators_who_differ_cost_a_test_over_dialogues_nothing_if_they_rate_all_and_little_if_not() -> None:
    plain = n_dialogues(0.1, 3, S_B, S_W)
    assert n_dialogues(0.1, 3, S_B, S_W, s_annotator=0.05, n_annotators=3) == plain
    assert plain < n_dialogues(0.1, 3, S_B, S_W, s_annotator=0.05, n_annotators=12) < 1.2 * plain


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
    n, r = n_dialogues(0.1, 3, S_B, S_W), 3
    means = 0.1 + rng.normal(0, np.sqrt(S_B), (4000, n)) + rng.normal(0, np.sqrt(S_W / r), (4000, n))
    z = means.mean(axis=1) / (means.std(axis=1, ddof=1) / np.sqrt(n))
    assert (np.abs(z) > 1.96).mean() == pytest.approx(0.8, abs=0.03)


def test_power_and_the_number_of_dialogues_agree():
    n = n_dialogues(0.1, 3, S_B, S_W)
    assert power(0.1, n, 3, S_B, S_W) >= 0.8 > power(0.1, n - 1, 3, S_B, S_W)
    assert power(0.0, 100, 3, S_B, S_W) == pytest.approx(0.05)
    assert power(-0.1, 100, 3, S_B, S_W) == power(0.1, 100, 3, S_B, S_W)
    assert power(0.1, 100, 3, 0.0, 0.0) == 1.0


def own_dialogues(n: int, r: int, groups: int) -> RatedLayout:
    """Groups of annotators, each with one batch of its own."""
    return RatedLayout(dialogues=n, ratings=r, annotators=groups * r, batch_size=n // groups)


def shared_batches(n: int, r: int, annotators: int, size: int = 6, **more) -> RatedLayout:
    return RatedLayout(dialogues=n, ratings=r, annotators=annotators, batch_size=size, **more)


USUAL = Variances(S_B, S_W)


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
        found += crossed_p(blocks) < 0.05
    planned = crossed_power(0.1, own_dialogues(n, r, groups), Variances(S_B, S_W, s_annotator))
    assert planned == pytest.approx(found / 1000, abs=0.04)


@pytest.mark.parametrize(
    "study", ["50 batches, 1 of 12 people", "two sources compared, 3 of 12 people", "18 batches, 3 of 12 people"]
)
def test_the_power_of_a_layout_is_that_of_the_tests_of_the_report(study: str):
    """A few hundred studies of the measurement, which has them all."""
    of = STUDIES[study]
    planned = crossed_power(of.difference, of.layout, of.variances)
    assert planned == pytest.approx(simulated(of, 200), abs=0.07)


def test_teams_that_overlap_find_more_than_one_team_and_about_as_much_as_many_small_ones():
    one, few, many = (crossed_power(0.1, shared_batches(108, 3, people), USUAL) for people in (3, 6, 48))
    assert one < few < many  # type: ignore[operator]
    assert crossed_power(0.1, shared_batches(108, 3, 54), USUAL) == pytest.approx(
        crossed_power(0.1, own_dialogues(108, 3, 18), USUAL)
    )
    # More people than there are seats have nothing to do.
    assert crossed_power(0.1, shared_batches(108, 3, 500), USUAL) == crossed_power(
        0.1, shared_batches(108, 3, 54), USUAL
    )


def test_turns_average_what_differs_between_turns_and_answers_and_not_what_differs_between_dialogues():
    spread = Variances(S_B, S_W, s_turn=0.1)
    one, five, many = (crossed_power(0.1, shared_batches(60, 3, 12, turns=turns), spread) for turns in (1, 5, 100_000))
    assert one < five < many  # type: ignore[operator]
    assert many == pytest.approx(crossed_power(0.1, shared_batches(60, 3, 12), Variances(S_B, 1e-9)), abs=0.01)


def test_more_sources_say_more_of_the_variances_and_dialogues_of_their_own_need_more_of_them():
    two, four = (crossed_power(0.1, shared_batches(108, 3, 3, sources=k), USUAL) for k in (2, 4))
    assert two < four  # type: ignore[operator]
    own = shared_batches(108, 3, 12, is_matched=False)
    assert own.batches == 2 * shared_batches(108, 3, 12).batches


def test_comparisons_with_a_third_source_help_and_annotators_who_prefer_one_do_not_average_out():
    def found(sources: int, dialogues: int, s_annotator: float = 0.0, s_between: float = 0.0) -> float:
        layout = ComparedLayout(dialogues=dialogues, ratings=3, annotators=60, batch_size=5, sources=sources)
        return layout.mean_squares(Variances(s_between, 0.2, s_annotator)).variance

    assert found(4, 6 * 100) == pytest.approx(2 / 4 * found(2, 100))  # as many of each pair
    assert found(4, 6 * 100, 0.01) - found(4, 6 * 100) == pytest.approx(0.01 / 60)
    every = ComparedLayout(dialogues=100, ratings=3, annotators=12, batch_size=4, sources=4, pairs=6)
    assert every.of_dialogue(Variances(0.02, 0.2)) == Variances(pytest.approx(0.02), pytest.approx(0.1))


def test_the_crossed_test_nears_the_normal_power_with_many_annotators():
    few, many = (crossed_power(0.1, shared_batches(400, 3, n), Variances(S_B / 4, S_W / 4)) for n in (3, 399))
    assert few < many  # type: ignore[operator]
    assert crossed_power(0.1, shared_batches(108, 3, 54), USUAL) == pytest.approx(
        power(0.1, 108, 3, S_B, S_W), abs=0.04
    )
    assert crossed_power(0.1, shared_batches(108, 3, 3), Variances(0, 0)) == 1.0


def test_without_a_second_annotator_or_a_second_dialogue_for_each_there_is_no_test():
    assert crossed_power(0.1, shared_batches(108, 1, 1), USUAL) is None
    assert crossed_power(0.1, shared_batches(108, 3, 2), USUAL) is None
    assert crossed_power(0.1, shared_batches(108, 3, 324, size=1), USUAL) is None
    assert crossed_power(0.1, shared_batches(108, 1, 12), USUAL) is not None


def test_dialogues_for_the_crossed_test_reach_its_power_and_one_less_does_not():
    layout = shared_batches(2, 3, 12, size=1)
    n = crossed_dialogues(0.1, layout, USUAL).n_dialogues
    assert n is not None
    here, before = (crossed_power(0.1, layout.of_size(size), USUAL) for size in (n, n - 1))
    assert here >= 0.8 > before  # type: ignore[operator]
    assert n > 108
    hopeless = crossed_dialogues(0.1, shared_batches(2, 3, 3), Variances(S_B, S_W, 0.01))
    assert (hopeless.n_dialogues, hopeless.reason) == (None, "more_annotators")


@pytest.mark.parametrize("s_annotator", [0.0, 0.002, 0.01])
@pytest.mark.parametrize(("n", "r", "people"), [(25, 7, 7), (108, 3, 12), (400, 1, 24), (60, 2, 2)])
def test_the_difference_that_a_layout_detects_is_found_with_its_power(n: int, r: int, people: int, s_annotator: float):
    spread = Variances(S_B, S_W, s_annotator)
    found = crossed_difference(shared_batches(n, r, people), spread, power=0.9)
    assert crossed_power(found, shared_batches(n, r, people), spread) == pytest.approx(0.9, abs=1e-6)


def test_a_win_rate_is_detected_with_its_power_or_not_at_all():
    layout = ComparedLayout(dialogues=100, ratings=3, annotators=12, batch_size=5, sources=3, pairs=3)
    spread = Variances(0.017, 0.168)
    assert crossed_power(crossed_difference(layout, spread), layout, spread) == pytest.approx(0.8, abs=1e-3)
    assert crossed_difference(layout.of_size(6), Variances(1.0, 1.0)) is None
    assert crossed_difference(shared_batches(108, 1, 1), USUAL) is None
    assert crossed_difference(shared_batches(108, 3, 3), Variances(0, 0)) == 0.0


@pytest.mark.parametrize("s_annotator", [0.0, 0.002, 0.01])
def test_the_fewest_annotators_of_a_layout_reach_its_power_and_one_less_do_not(s_annotator: float):
    spread = Variances(S_B, S_W, s_annotator)
    found = crossed_annotators(0.1, shared_batches(200, 3, 3), spread)
    assert found is not None
    here, before = (crossed_power(0.1, shared_batches(200, 3, n), spread) for n in (found, found - 1))
    assert here >= 0.8 > before  # type: ignore[operator]
    assert crossed_annotators(0.1, shared_batches(50, 3, 3), spread) is None


def test_chi_squares_of_many_degrees_of_freedom_are_those_of_the_exact_ones():
    for freedom in (MANY, 200.0):
        spread = _spread(0)
        exact = 2 * gammaincinv(freedom / 2, spread) / freedom
        np.testing.assert_allclose(_mean_chi_square(freedom, 0), exact, atol=2e-3)
