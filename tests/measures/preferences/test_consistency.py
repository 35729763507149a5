"""Transitivity of preferences: circles are found, transitive sources not blamed, and what cannot be tested says so."""

from dataclasses import replace

import numpy as np
import pytest

from measures.preferences.comparisons import LEFT, RIGHT, TIE, Comparisons
from measures.preferences.ranking import NOT_TOLD_APART, rank
from tests.measures.preferences.test_ranking import answers

CIRCLE = ((0, 1), (1, 2), (2, 0))


def circular(n: int, lean: float, rng: np.random.Generator) -> Comparisons:
    """Three sources of which each beats the next with this log odds."""
    left, right = np.array([CIRCLE[at] if rng.random() < 0.5 else CIRCLE[at][::-1] for at in rng.integers(0, 3, n)]).T
    eta = np.where((right - left) % 3 == 1, lean, -lean)
    outcome = np.where(rng.random(n) < 1 / (1 + np.exp(-eta)), LEFT, RIGHT)
    return Comparisons.of(3, left, right, outcome, annotator=rng.integers(0, 12, n), cluster=rng.integers(0, 60, n))


def test_a_circle_of_three_is_found_and_transitive_sources_are_not_blamed() -> None:
    found = rank(circular(600, 0.8, np.random.default_rng(1)))
    assert found.triads == [(0, 1, 2)]
    assert found.consistency.triad is not None
    assert set(found.consistency.triad) == {0, 1, 2}
    assert found.consistency.p_value is not None
    assert found.consistency.p_value < 0.001
    assert found.consistency.surplus == pytest.approx(2.4, abs=0.6)
    blamed = [
        (rank(circular(300, 0.0, np.random.default_rng(seed))).consistency.p_value or 1.0) < 0.05 for seed in range(100)
    ]
    assert sum(blamed) <= 12  # more than that in fewer than one of a thousand runs of a test that keeps 5 %


def test_two_sources_have_no_triads() -> None:
    found = rank(answers(*[(0, 1, LEFT), (1, 0, LEFT), (0, 1, RIGHT), (1, 0, RIGHT)] * 2, n_sources=2))
    assert found.consistency.reason == "no_triads"


def test_a_pair_that_always_went_one_way_cannot_be_tested() -> None:
    mixed = [(a, b, outcome) for a, b in ((1, 2), (2, 1), (0, 2), (2, 0)) for outcome in (LEFT, RIGHT)]
    assert rank(answers(*[(0, 1, LEFT), (1, 0, RIGHT), *mixed] * 4)).consistency.reason == "separated_pairs"


def test_a_pair_with_one_answer_does_not_switch_off_the_test_of_the_other_triads() -> None:
    """Of four sources, the last is compared with the first once, and with the others often."""
    whole = circular(600, 0.8, np.random.default_rng(1))
    rng = np.random.default_rng(2)
    n = 200
    more = Comparisons.of(
        4, rng.integers(1, 3, n), np.full(n, 3), rng.choice((LEFT, RIGHT), n),
        annotator=rng.integers(0, 12, n), cluster=rng.integers(0, 60, n),
    )  # fmt: skip
    once = Comparisons.of(4, [0], [3], [LEFT], annotator=[0], cluster=[0])

    def together(*parts: Comparisons) -> Comparisons:
        columns = ("left", "right", "outcome", "annotator", "cluster")
        left, right, outcome, annotator, cluster = (
            np.concatenate([getattr(part, name) for part in parts]) for name in columns
        )
        return Comparisons.of(4, left, right, outcome, annotator=annotator, cluster=cluster)

    found = rank(together(whole, more, once), seed=3)
    assert (found.consistency.reason, found.consistency.n_triads) == (None, 2)
    assert found.consistency.p_value is not None
    assert found.consistency.p_value < 0.001
    assert found.counts.is_one_way(0, 3)
    assert not found.counts.is_one_way(0, 1)
    without = rank(together(whole, more), seed=3).consistency
    assert found.consistency.surplus == pytest.approx(without.surplus)


def test_sides_that_are_the_same_in_every_pair_are_not_told_from_the_strengths_by_three_sources_either() -> None:
    fixed = [(a, b, outcome) for a, b in ((0, 1), (0, 2), (1, 2)) for outcome in (LEFT, LEFT, RIGHT, TIE)]
    found = rank(answers(*fixed * 4))
    assert found.side_bias.reason == NOT_TOLD_APART
    assert found.consistency.p_value is not None
    with_one_turned = rank(answers(*fixed * 4, *[(2, 1, outcome) for outcome in (LEFT, RIGHT, TIE)] * 4))
    assert with_one_turned.side_bias.value is not None


def test_a_covariate_that_is_the_same_in_all_of_a_pair_leaves_transitivity_untested() -> None:
    rows = [
        (a, b, outcome) for a, b in ((0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)) for outcome in (LEFT, RIGHT, TIE)
    ]
    plain = answers(*rows * 4)
    longer = np.array([0.0, 1.0, 5.0])
    of_pair = (longer[plain.left] - longer[plain.right])[:, None] ** 3
    found = rank(replace(plain, covariates=of_pair))
    assert found.covariates[0].value is not None
    assert (found.consistency.p_value, found.consistency.reason) == (None, "confounded_pairs")
