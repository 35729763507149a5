"""Ranks from comparisons: what must not depend on names and sides, what has no estimate, and what intervals hold."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.rank_coverage import LAYOUTS, studied
from bench.rank_coverage_model import Preferences
from measures.estimate import Estimate
from measures.preferences.comparisons import BOTH_BAD, LEFT, RIGHT, TIE, Comparisons
from measures.preferences.davidson import fit
from measures.preferences.ranking import NOT_TOLD_APART, Ranking, rank
from tests.measures.test_coverage import is_above, is_below

N_STUDIES = 40


@st.composite
def studies(draw: st.DrawFn) -> Comparisons:
    design = Preferences(
        n_conversations=draw(st.integers(15, 40)),
        n_pairs=2,
        n_annotators=draw(st.integers(3, 8)),
        n_votes=3,
        of_conversation=0.5,
        of_annotator=0.3,
        strengths=(0.4, 0.0, -0.1, -0.3),
    )
    return design.draw(np.random.default_rng(draw(st.integers(0, 10_000))))


def answers(*rows: tuple[int, int, int], n_sources: int = 3, people: int = 4) -> Comparisons:
    """Of (left, right, outcome), given by `people` in turn."""
    left, right, outcome = zip(*rows, strict=True)
    return Comparisons.of(n_sources, left, right, outcome, annotator=np.arange(len(rows)) % people)


def strengths(found: Ranking) -> list[float | None]:
    return [each.strength.value for each in found.sources]


def ends(found: Sequence[Estimate]) -> list[tuple[float | None, float | None, float | None]]:
    return [(each.value, each.low, each.high) for each in found]


def with_sides(of: Comparisons, left: np.ndarray, right: np.ndarray, outcome: np.ndarray) -> Comparisons:
    return replace(of, left=left, right=right, outcome=outcome)


def is_near(found: object, expected: object) -> bool:
    return np.allclose(np.array(found, float), np.array(expected, float), atol=1e-7)


# --- what must not matter
@settings(max_examples=15, deadline=None)
@given(studies(), st.permutations(range(4)))
def test_new_numbers_of_the_sources_only_move_the_results(of: Comparisons, order: list[int]) -> None:
    moved = np.array(order)
    before, after = rank(of), rank(with_sides(of, moved[of.left], moved[of.right], of.outcome))
    for at, source in enumerate(before.sources):
        other = after.sources[order[at]]
        assert is_near(ends([source.strength, source.win_rate]), ends([other.strength, other.win_rate]))
    assert is_near(ends([before.tie, before.side_bias]), ends([after.tie, after.side_bias]))


@settings(max_examples=15, deadline=None)
@given(studies())
def test_swapped_sides_turn_the_bias_round_and_change_nothing_else(of: Comparisons) -> None:
    outcome = np.where(of.outcome == BOTH_BAD, BOTH_BAD, -of.outcome)
    before, after = rank(of), rank(with_sides(of, of.right, of.left, outcome))
    assert is_near(ends([each.strength for each in before.sources]), ends([each.strength for each in after.sources]))
    assert before.side_bias.value is not None
    assert after.side_bias.value is not None
    assert math.isclose(before.side_bias.value, -after.side_bias.value, abs_tol=1e-8)
    assert is_near(ends([before.tie]), ends([after.tie]))


@settings(max_examples=15, deadline=None)
@given(studies())
def test_strengths_have_mean_zero_and_win_rates_mean_one_half(of: Comparisons) -> None:
    found = rank(of)
    assert abs(sum(each.strength.value or 0 for each in found.sources)) < 1e-9
    assert is_near(np.mean([each.win_rate.value for each in found.sources]), 0.5)
    assert found.n + found.n_both_bad + found.n_left_out == len(of)
    for each in found.sources:
        assert each.best_rank is not None
        assert each.worst_rank is not None
        higher = sum((other.strength.value or 0) > (each.strength.value or 0) for other in found.sources)
        assert each.best_rank <= 1 + higher <= each.worst_rank


@settings(max_examples=10, deadline=None)
@given(studies())
def test_the_order_of_the_rows_does_not_matter(of: Comparisons) -> None:
    order = np.arange(len(of))[::-1]
    assert is_near(
        ends([each.strength for each in rank(of).sources]),
        ends([each.strength for each in rank(of.where(order)).sources]),
    )


# --- numbers that can be worked out by hand
def test_two_sources_have_the_log_odds_of_their_wins_and_davidsons_nu_of_their_ties() -> None:
    """Both orders as often, so that there is no side: 40 wins, 10 losses, 20 ties."""
    rows = [(0, 1, LEFT)] * 20 + [(1, 0, RIGHT)] * 20 + [(0, 1, RIGHT)] * 5 + [(1, 0, LEFT)] * 5
    found = rank(answers(*rows, *[(0, 1, TIE), (1, 0, TIE)] * 10, n_sources=2))
    assert is_near(strengths(found), [math.log(4) / 2, -math.log(4) / 2])
    assert found.side_bias.value == pytest.approx(0, abs=1e-9)
    assert found.tie.value == pytest.approx(20 / math.sqrt(40 * 10))
    assert found.sources[0].win_rate.value == pytest.approx((40 + 20 / 2) / 70)
    assert found.model == "davidson"


def test_without_ties_the_model_is_that_of_bradley_and_terry() -> None:
    found = rank(answers(*[(0, 1, LEFT)] * 3, *[(1, 0, LEFT)] * 2, (0, 1, RIGHT), (1, 0, RIGHT), n_sources=2))
    assert (found.model, found.tie.value, found.tie.interval_note) == ("bradley_terry", 0.0, "no_ties")


def test_both_bad_is_no_tie_and_is_counted_by_pair() -> None:
    rows = [(0, 1, LEFT), (1, 0, LEFT), (0, 1, RIGHT), (1, 0, RIGHT), (0, 1, LEFT)] * 4
    plain, bad = rank(answers(*rows, n_sources=2)), rank(answers(*rows, *[(0, 1, BOTH_BAD)] * 8, n_sources=2))
    assert strengths(plain) == strengths(bad)
    assert (bad.n, bad.n_both_bad, bad.counts.both_bad[0, 1]) == (20, 8, 8)
    assert bad.counts.compared[0, 1] == 20


def test_a_covariate_takes_what_length_explains() -> None:
    """Sources of equal strength, of which the first writes longer: its lead is that of length."""
    rng = np.random.default_rng(4)
    n = 4000
    left = rng.integers(0, 2, n)
    length = np.where(left == 0, 1.0, -1.0) + rng.normal(0, 1, n)
    outcome = np.where(rng.random(n) < 1 / (1 + np.exp(-0.8 * length)), LEFT, RIGHT)
    of = Comparisons.of(2, left, 1 - left, outcome, annotator=rng.integers(0, 20, n), covariates=length)
    adjusted, plain = rank(of), rank(replace(of, covariates=np.zeros((n, 0))))
    assert adjusted.covariates[0].value == pytest.approx(0.8, abs=0.1)
    lead, raw = adjusted.sources[0].strength, plain.sources[0].strength
    assert lead.low is not None
    assert lead.high is not None
    assert lead.low < 0 < lead.high
    assert raw.low is not None
    assert raw.low > 0.2


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_the_unit_of_a_covariate_changes_its_effect_only(scale: float) -> None:
    rng = np.random.default_rng(6)
    of = Preferences(30, 3, 6, 3, strengths=(0.3, 0.0, -0.3)).draw(rng)
    length = rng.normal(0, 1, len(of))
    one, other = rank(of.with_covariates(length)), rank(of.with_covariates(length * scale))
    assert is_near(ends([each.strength for each in one.sources]), ends([each.strength for each in other.sources]))
    assert is_near(one.covariates[0].value, (other.covariates[0].value or 0) * scale)


# --- what has no estimate
def test_a_source_that_never_lost_has_no_strength_and_the_others_are_ranked() -> None:
    rows = [(1, 2, LEFT), (2, 1, LEFT), (1, 2, RIGHT), (2, 1, RIGHT), (0, 1, LEFT), (2, 0, RIGHT)]
    found = rank(answers(*rows * 3))
    assert [each.strength.reason for each in found.sources] == ["never_lost", None, None]
    assert (found.n, found.n_left_out) == (12, 6)


EVEN = [(1, 2, LEFT), (2, 1, LEFT), (1, 2, RIGHT), (2, 1, RIGHT)] * 5
ALWAYS = [(0, 1, LEFT), (1, 0, RIGHT), (2, 0, RIGHT), (0, 2, LEFT)]


def test_sources_that_rounding_alone_tells_apart_keep_their_order() -> None:
    found = rank(answers(*EVEN, *[(0, 1, LEFT), (1, 0, LEFT), (0, 2, LEFT), (2, 0, LEFT)] * 5))
    nearly = [replace(each, strength=replace(each.strength, value=1e-14 * each.source)) for each in found.sources]
    assert [each.source for each in replace(found, sources=tuple(nearly)).in_order] == [0, 1, 2]


def test_a_source_that_won_everything_has_the_first_rank_and_leaves_the_others_the_rest() -> None:
    found = rank(answers(*EVEN, *ALWAYS * 30))
    assert [(each.best_rank, each.worst_rank) for each in found.sources] == [(1, 1), (2, 3), (2, 3)]
    assert next(each.source for each in found.in_order) == 0


def test_a_source_that_lost_everything_has_the_last_rank() -> None:
    lost = [(left, right, -outcome) for left, right, outcome in ALWAYS * 30]
    found = rank(answers(*EVEN, *lost))
    assert [(each.best_rank, each.worst_rank) for each in found.sources] == [(3, 3), (1, 2), (1, 2)]
    assert [each.source for each in found.in_order][-1] == 0


def test_a_few_wins_decide_no_rank_but_are_allowed_for() -> None:
    found = rank(answers(*EVEN, *ALWAYS[:2]))
    assert [(each.best_rank, each.worst_rank) for each in found.sources] == [(1, 3)] * 3
    assert next(each.source for each in found.in_order) == 0


def test_many_answers_of_one_conversation_decide_no_rank() -> None:
    of = answers(*EVEN, *ALWAYS * 30)
    of = replace(of, cluster=np.append(np.arange(len(EVEN)), np.zeros(120, np.int64)))
    assert [(each.best_rank, each.worst_rank) for each in rank(of).sources] == [(1, 3)] * 3


def test_two_sources_of_which_one_always_won_have_ranks() -> None:
    found = rank(answers(*[(0, 1, LEFT), (1, 0, RIGHT)] * 20, n_sources=2))
    assert [(each.best_rank, each.worst_rank) for each in found.sources] == [(1, 1), (2, 2)]


def test_the_p_value_of_the_only_triad_does_not_depend_on_the_seed() -> None:
    of = Preferences(60, 3, 6, 3, strengths=(0.2, 0.0, -0.2)).draw(np.random.default_rng(2))
    assert rank(of, seed=1).consistency.p_value == rank(of, seed=2).consistency.p_value


@pytest.mark.parametrize(
    ("rows", "reasons"),
    [
        ([(0, 1, LEFT), (0, 1, LEFT)], ["never_lost", "never_won", "no_comparisons"]),
        ([(0, 1, LEFT), (1, 0, LEFT), (0, 1, RIGHT), (1, 0, RIGHT)], [None, None, "no_comparisons"]),
        ([(0, 1, TIE), (1, 2, TIE)], ["no_preference"] * 3),
        ([(0, 1, BOTH_BAD)], ["no_comparisons"] * 3),
        ([(0, 1, LEFT), (1, 0, LEFT), (2, 1, LEFT), (2, 1, TIE)], ["separated"] * 3),
    ],
)
def test_what_has_no_estimate_says_why(rows: list[tuple[int, int, int]], reasons: list[str | None]) -> None:
    found = rank(answers(*rows))
    assert [each.strength.reason for each in found.sources] == reasons
    assert [each.win_rate.reason for each in found.sources] == reasons


def test_two_groups_that_never_met_are_not_ranked_together() -> None:
    within = [(0, 1, LEFT), (1, 0, LEFT), (0, 1, RIGHT), (1, 0, RIGHT)]
    apart = [(a + 2, b + 2, outcome) for a, b, outcome in within]
    found = rank(answers(*within, *within, *apart, n_sources=4))
    assert [each.strength.reason for each in found.sources] == [None, None, "not_connected", "not_connected"]


def test_a_side_that_goes_with_the_source_cannot_be_told_apart() -> None:
    rows = [(0, 1, LEFT), (0, 1, RIGHT), (0, 1, LEFT)] * 5
    found = rank(answers(*rows, n_sources=2))
    assert found.side_bias.reason == "not_told_apart"
    assert found.sources[0].strength.value == pytest.approx(math.log(2) / 2)


def test_answers_that_the_side_explains_without_exception_leave_the_others_their_ranking() -> None:
    unknown = [(0, 1, LEFT), (0, 1, LEFT), (0, 1, RIGHT), (1, 2, LEFT), (1, 2, RIGHT), (2, 0, LEFT)] * 3
    seen = [(0, 1, LEFT), (1, 0, LEFT), (2, 1, LEFT), (0, 1, BOTH_BAD)]
    is_sided = np.arange(len(unknown) + len(seen)) >= len(unknown)
    found = rank(replace(answers(*unknown, *seen), is_sided=is_sided))
    alone = rank(replace(answers(*unknown), is_sided=np.zeros(len(unknown), bool)))
    assert ends([each.strength for each in found.sources]) == ends([each.strength for each in alone.sources])
    assert (found.side_bias.reason, found.n, found.n_by_side) == ("separated", len(unknown), 3)
    assert (found.n_both_bad, found.counts.compared.sum() // 2) == (1, len(unknown) + 3)


def test_sides_that_nobody_knows_have_no_bias() -> None:
    of = answers(*[(0, 1, LEFT), (1, 0, LEFT), (0, 1, LEFT)] * 5, n_sources=2)
    found = rank(replace(of, is_sided=np.zeros(15, bool)))
    assert found.side_bias.reason == "no_sides"
    assert found.sources[0].strength.value == pytest.approx(math.log(2) / 2)


def test_one_annotator_has_intervals_for_that_person_only_and_says_so() -> None:
    found = rank(answers(*[(0, 1, LEFT), (1, 0, LEFT), (0, 1, RIGHT), (1, 0, RIGHT)] * 4, n_sources=2, people=1))
    assert (found.note, found.n_annotators) == ("single_annotator", 1)
    assert found.sources[0].strength.low is not None


def test_one_annotator_and_one_conversation_have_no_interval() -> None:
    of = answers(*[(0, 1, LEFT), (1, 0, LEFT), (0, 1, RIGHT), (1, 0, RIGHT)] * 4, n_sources=2, people=1)
    found = rank(replace(of, cluster=np.zeros(16, np.int64)))
    first = found.sources[0].strength
    assert (found.note, first.value, first.low, first.interval_note) == ("single_cluster", 0.0, None, "single_cluster")
    assert found.sources[0].best_rank is None


def test_a_source_that_one_annotator_alone_compared_has_no_interval() -> None:
    design = Preferences(60, 3, 6, 3, strengths=(0.2, 0.0, -0.2))
    of = design.draw(np.random.default_rng(2))
    alone = of.where(((of.left != 2) & (of.right != 2)) | (of.annotator == 0))
    third = rank(alone).sources[2]
    assert third.strength.value is not None
    assert (third.strength.low, third.strength.interval_note) == (None, "no_standard_error")
    assert (third.best_rank, third.worst_rank) == (1, 3)


def test_nothing_bad_is_let_in() -> None:
    for rows in ([(0, 0, LEFT)], [(0, 1, 3)]):
        with pytest.raises(ValueError, match=r"compared with itself|an outcome"):
            answers(*rows)
    with pytest.raises(ValueError, match="covariate"):
        Comparisons.of(2, [0], [1], [1], annotator=[0], covariates=[math.nan])
    with pytest.raises(ValueError, match="both bad"):
        fit(answers((0, 1, BOTH_BAD)))


# --- covariates
PAIRS = ((0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1))


@pytest.mark.parametrize(
    ("noise", "has_effect", "is_extrapolated"), [(1e-3, False, False), (0.05, True, True), (50.0, True, False)]
)
def test_a_covariate_that_is_nearly_the_source_has_no_effect_or_throws_the_strengths_far_beyond_the_answers(
    noise: float, has_effect: bool, is_extrapolated: bool
) -> None:
    rng = np.random.default_rng(4)
    plain = answers(*[(a, b, LEFT if rng.random() < 0.5 + (b - a) / 6 else RIGHT) for a, b in PAIRS for _ in range(8)])
    length = np.array([100.0, 200.0, 300.0])
    longer = length[plain.left] - length[plain.right] + rng.normal(0, noise, len(plain))
    found = fit(plain.with_covariates(longer))
    assert found is not None
    assert (len(found.design.covariates) == 1) is has_effect
    assert found.is_extrapolated is is_extrapolated
    assert found.largest_log_odds < 5, "the answers themselves are fitted well"


def test_a_covariate_that_is_nearly_the_source_is_left_out_and_the_strengths_stay_those_of_the_answers() -> None:
    rng = np.random.default_rng(4)
    plain = answers(*[(a, b, LEFT if rng.random() < 0.5 + (b - a) / 6 else RIGHT) for a, b in PAIRS for _ in range(8)])
    length = np.array([100.0, 200.0, 300.0])
    longer = (length[plain.left] - length[plain.right] + rng.normal(0, 0.05, len(plain)))[:, None]
    found, without = rank(replace(plain, covariates=longer)), rank(plain)
    assert found.covariates[0].reason == NOT_TOLD_APART
    assert strengths(found) == strengths(without)
    for each in (*found.sources, *found.pairs):
        assert each.win_rate.value is not None


# --- intervals
@pytest.mark.parametrize("layout", ["42 conversations, all of 7 people", "300 conversations, 1 of 10 people each"])
def test_intervals_hold_the_truth_where_those_of_the_model_alone_do_not(layout: str) -> None:
    design = replace(LAYOUTS[layout], of_conversation=1.0, of_annotator=0.6)
    found = studied(design, N_STUDIES)
    assert not is_below(found.strengths, 0.92)
    assert not is_above(found.strengths, 0.985)
    assert not is_below(found.win_rates, 0.92)
    assert is_below(found.naive, 0.95)
    assert not is_below(found.ranks, 0.93)
