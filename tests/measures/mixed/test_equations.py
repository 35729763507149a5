"""The eliminated equations beside the same model written out as one matrix."""

import numpy as np
import pytest

from measures.mixed.annotators import Dense, Sparse
from measures.mixed.design import EFFECTS, Ratings, told_apart
from measures.mixed.equations import Equations
from measures.mixed.sums import Rows

LAMBDAS = dict(zip(EFFECTS, (0.7, 0.2, 0.5, 0.3, 0.4, 0.1), strict=True))


def drawn(seed: int, *, shares_items: bool, panels: int = 12) -> Ratings:
    """A study with gaps: no two conversations need be alike."""
    rng = np.random.default_rng(seed)
    c, t, s, v = (each.ravel() for each in np.indices((8, 3, 3, 2)))
    kept = rng.random(len(c)) < 0.8
    who = rng.permuted(np.tile(np.arange(panels), (8, 1)), axis=1)[c, v]
    item = t if shares_items else 3 * t + s
    found = Ratings(s, who, c, item, rng.normal(size=len(c)) + s)
    return found.some(kept)


def written_out(ratings: Ratings, effects: tuple[str, ...]) -> tuple[float, float, np.ndarray, np.ndarray]:
    """Determinants, rss, means and covariance from V itself."""
    n = len(ratings)
    v = np.eye(n)
    for effect in effects:
        groups = ratings.groups[effect]
        v += LAMBDAS[effect] * (groups[:, None] == groups)
    x = (ratings.source[:, None] == np.arange(3)).astype(float)
    vx = np.linalg.solve(v, x)
    covariance = np.linalg.inv(x.T @ vx)
    means = covariance @ vx.T @ ratings.value
    rest = ratings.value - x @ means
    logs = np.linalg.slogdet(v)[1] - np.linalg.slogdet(covariance)[1]
    return logs, rest @ np.linalg.solve(v, rest), means, covariance


@pytest.mark.parametrize("shares_items", [True, False])
@pytest.mark.parametrize("lost", [(), ("annotator_source",), ("annotator", "annotator_source"), ("item", "item_source"),
                                  ("conversation", "conversation_source"), ("item",)])  # fmt: skip
def test_pieces_are_those_of_the_whole_matrix(shares_items: bool, lost: tuple[str, ...]) -> None:
    for seed in range(3):
        ratings = drawn(seed, shares_items=shares_items)
        effects = tuple(each for each in told_apart(ratings)[0] if each not in lost)
        equations = Equations(ratings, effects)
        found = equations.pieces({effect: LAMBDAS[effect] for effect in effects})
        logs, rss, means, covariance = written_out(ratings, effects)
        assert found.log_determinants == pytest.approx(logs)
        assert found.rss == pytest.approx(rss)
        np.testing.assert_allclose(found.means + equations.centre, means)
        np.testing.assert_allclose(found.covariance, covariance)


def test_conversations_of_many_makes_are_added_up_at_each_evaluation() -> None:
    """Gaps at random: no sum over conversations of one make would save work. The values are checked above."""
    assert isinstance(Equations(drawn(1, shares_items=True), EFFECTS).nested.conversations, Rows)


def test_a_crowd_that_hardly_meets_has_sparse_equations_with_the_same_values() -> None:
    rng = np.random.default_rng(3)
    c, s, v = (each.ravel() for each in np.indices((150, 3, 2)))
    ratings = Ratings(s, 2 * c + v, c, np.zeros_like(c), rng.normal(size=len(c)))
    effects, _ = told_apart(ratings)
    equations = Equations(ratings, effects)
    assert isinstance(equations.solver, Sparse)
    found = equations.pieces({effect: LAMBDAS[effect] for effect in effects})
    logs, rss, means, covariance = written_out(ratings, effects)
    assert (found.log_determinants, found.rss) == (pytest.approx(logs), pytest.approx(rss))
    np.testing.assert_allclose(found.means + equations.centre, means)
    np.testing.assert_allclose(found.covariance, covariance)


def test_a_team_that_meets_has_dense_equations() -> None:
    assert isinstance(Equations(drawn(1, shares_items=True), EFFECTS).solver, Dense)
