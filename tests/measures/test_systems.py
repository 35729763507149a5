from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm
from statsmodels.stats.contingency_tables import mcnemar

from measures.crossed import complete_batches, crossed_variance
from measures.systems import Difference, all_pairs, crossed_variance_t, dialogue_t, mcnemar_mid_p


def layout(
    rng: np.random.Generator, effect: float = 0.0, taste: float = 0.7, batches: int = 4, n: int = 10, r: int = 7
) -> list[np.ndarray]:
    """Differences of two binary judgements; annotators differ in which system they like by `taste` logits."""
    found = []
    for _ in range(batches):
        logit = rng.normal(0.7, 0.9, (n, 1, 1)) + rng.normal(0, 0.5, (n, 1, 2)) + rng.normal(0, 0.5, (1, r, 1))
        logit = logit + rng.normal(0, taste, (1, r, 1)) * [0.5, -0.5] + np.array([effect, 0.0])
        votes = (rng.random((n, r, 2)) < 1 / (1 + np.exp(-logit))).astype(float)
        found.append(votes[..., 0] - votes[..., 1])
    return found


def rejected(test: Callable[[Sequence[np.ndarray]], Difference], times: int = 300, **kwargs: float) -> float:
    rng = np.random.default_rng(1)
    found = [test(layout(rng, **kwargs)).p_value for _ in range(times)]  # type: ignore[arg-type]
    return float(np.mean([p is not None and p <= 0.05 for p in found]))


@pytest.mark.parametrize("shape", [{}, {"taste": 0}, {"batches": 1, "n": 42}, {"batches": 1, "n": 200, "r": 3}])
def test_equal_systems_are_rarely_called_different(shape: dict[str, float]) -> None:
    assert 0.01 <= rejected(crossed_variance_t, **shape) <= 0.10


def test_dialogues_alone_take_taste_for_a_difference() -> None:
    assert rejected(dialogue_t, times=100, batches=1, n=400, r=3) > 0.35
    assert rejected(dialogue_t, taste=0) <= 0.10


def test_a_real_difference_is_found() -> None:
    assert rejected(crossed_variance_t, times=100, effect=1.0) > 0.8


def test_mean_squares_are_those_of_an_analysis_of_variance() -> None:
    values = np.random.default_rng(2).normal(size=(6, 4))
    dialogue, annotator = (part.ravel() for part in np.indices(values.shape))
    data = pd.DataFrame({"y": values.ravel(), "dialogue": dialogue, "annotator": annotator})
    table = anova_lm(ols("y ~ C(dialogue) + C(annotator)", data).fit())
    found = crossed_variance([values])
    assert found is not None
    np.testing.assert_allclose(found.mean_squares, table["mean_sq"])
    np.testing.assert_allclose(found.degrees_of_freedom, table["df"])
    np.testing.assert_allclose(found.shares, np.array([1, 1, -1]) / 24)


def test_the_variance_is_the_closed_form_for_equal_batches() -> None:
    batches = layout(np.random.default_rng(3), effect=0.4)
    found = crossed_variance_t(batches)
    variance = crossed_variance(batches)
    assert variance is not None
    dialogue, annotator, residual = variance.mean_squares
    expected = (dialogue + annotator - residual) / 280
    assert found.estimate.standard_error == pytest.approx(np.sqrt(expected))
    t = found.estimate.value / np.sqrt(expected)  # type: ignore[operator]
    assert found.p_value == pytest.approx(2 * stats.t.sf(abs(t), found.degrees_of_freedom))
    assert found.estimate.value == pytest.approx(np.mean(batches))
    means = np.concatenate([batch.mean(axis=1) for batch in batches])
    assert found.effect == pytest.approx(means.mean() / means.std(ddof=1))
    assert found.population == "dialogues_and_annotators"
    assert found.estimate.low < found.estimate.value < found.estimate.high  # type: ignore[operator]


def test_unequal_batches_have_the_variance_of_their_components() -> None:
    """The mean over many studies of what is estimated is the variance of the mean over these studies."""
    rng = np.random.default_rng(4)
    shapes = [(5, 3), (20, 6), (8, 2)]
    means, estimates = [], []
    for _ in range(3000):
        batches = [rng.normal(0, 1, (n, 1)) + rng.normal(0, 0.7, (1, r)) + rng.normal(0, 1, (n, r)) for n, r in shapes]
        means.append(np.concatenate([batch.ravel() for batch in batches]).mean())
        found = crossed_variance(batches)
        assert found is not None
        estimates.append(found.shares @ found.mean_squares)
    assert np.mean(estimates) == pytest.approx(np.var(means), rel=0.1)


def test_the_variance_is_at_least_that_of_the_larger_mean_square() -> None:
    # Annotators cancel out exactly: their mean square is 0, below the residual.
    batch = np.array([[1.0, -1.0], [-1.0, 1.0], [1.0, 1.0], [0.0, 0.0]])
    found, variance = crossed_variance_t([batch]), crossed_variance([batch])
    assert variance is not None
    assert found.estimate.standard_error == pytest.approx(np.sqrt(variance.mean_squares[0] / 8))
    assert found.degrees_of_freedom == 3


def test_a_single_annotator_generalises_to_nobody_else() -> None:
    batch = np.array([[0.5], [1.0], [-0.5]])
    found = crossed_variance_t([batch])
    assert (found.p_value, found.estimate.interval_note) == (None, "single_annotator")
    assert (found.population, found.estimate.value) == ("these_annotators_only", pytest.approx(1 / 3))
    assert dialogue_t([batch]).p_value == pytest.approx(stats.ttest_1samp(batch[:, 0], 0).pvalue)
    assert dialogue_t([batch]).population == "these_annotators_only"


def test_batches_that_are_not_crossed_are_left_out_and_counted() -> None:
    crossed = layout(np.random.default_rng(5))[0]
    found = crossed_variance_t([crossed, crossed[:, :1], np.full((2, 2), np.nan)])
    assert found.n_batches_left_out == 2
    assert found.p_value == crossed_variance_t([crossed]).p_value


def test_gaps_cost_the_fewest_dialogues_and_annotators() -> None:
    batch = np.arange(40.0).reshape(8, 5)
    batch[:, 4] = np.nan
    batch[2, 0] = np.nan
    found = complete_batches([batch])
    assert (found.n_dialogues_left_out, found.n_annotators_left_out) == (1, 1)
    assert found.batches[0].tolist() == np.delete(batch, 2, axis=0)[:, :4].tolist()
    tested = crossed_variance_t([batch])
    assert (tested.estimate.n_left_out, tested.n_annotators_left_out, tested.estimate.n_items) == (1, 1, 7)
    with pytest.raises(ValueError, match="a batch is"):
        complete_batches([np.zeros(3)])


def test_reasons_for_no_test() -> None:
    assert crossed_variance_t([]).estimate.reason == "no_pairs"
    assert crossed_variance_t([np.zeros((3, 3))]).estimate.interval_note == "no_spread"
    assert crossed_variance_t([np.zeros((1, 3))]).estimate.interval_note == "too_few_items"
    assert dialogue_t([np.ones((5, 2))]).estimate.interval_note == "no_spread"
    assert dialogue_t([]).estimate.reason == "no_pairs"


def test_all_pairs_of_systems() -> None:
    rng = np.random.default_rng(6)
    scores = [rng.normal([0, 0, 0.2, 1.5], size=(12, 5, 4)) for _ in range(3)]
    found = all_pairs(scores)
    means = np.concatenate([batch.mean(axis=1) for batch in scores])
    assert found.friedman.p_value == pytest.approx(stats.friedmanchisquare(*means.T).pvalue)
    assert found.means == pytest.approx(means.mean(axis=0))
    assert [(pair.first, pair.second) for pair in found.pairs][:3] == [(0, 1), (0, 2), (0, 3)]
    assert {(p.first, p.second) for p in found.pairs if (p.adjusted_p or 0) <= 0.05} >= {(0, 3), (1, 3), (2, 3)}
    for pair in found.pairs:
        direct = crossed_variance_t([batch[:, :, pair.first] - batch[:, :, pair.second] for batch in scores])
        assert pair.difference == direct
    explored = all_pairs(scores, correction="bh").pairs
    raw = [pair.difference.p_value for pair in explored]
    assert [pair.adjusted_p for pair in explored] == pytest.approx(stats.false_discovery_control(raw))
    assert all(pair.adjusted_p <= other.adjusted_p for pair, other in zip(explored, found.pairs, strict=True))  # type: ignore[operator]


def test_pairs_that_cannot_be_tested_have_no_corrected_p() -> None:
    scores = np.random.default_rng(7).normal(size=(6, 1, 3))
    found = all_pairs([scores])
    assert {pair.adjusted_p for pair in found.pairs} == {None}
    assert all_pairs([scores[:, :, :2]]).friedman.reason == "too_few_items"
    with pytest.raises(ValueError, match="corrections"):
        all_pairs([scores], correction="none")
    with pytest.raises(ValueError, match="same systems"):
        all_pairs([scores, scores[:, :, :2]])


@pytest.mark.parametrize(("only_first", "only_second"), [(9, 3), (3, 9), (5, 6), (0, 7), (30, 12)])
def test_mid_p_is_the_exact_p_less_the_observed_split(only_first: int, only_second: int) -> None:
    n, smaller = only_first + only_second, min(only_first, only_second)
    exact = mcnemar([[0, only_first], [only_second, 0]], exact=True).pvalue
    assert exact == pytest.approx(stats.binomtest(smaller, n).pvalue)
    found = mcnemar_mid_p(only_first, only_second)
    assert found.p_value == pytest.approx(exact - stats.binom.pmf(smaller, n, 0.5))


def test_mid_p_of_even_and_empty_splits() -> None:
    assert mcnemar_mid_p(4, 4).p_value == pytest.approx(1 - stats.binom.pmf(4, 8, 0.5) / 2)
    assert mcnemar_mid_p(0, 0).reason == "no_variation"
    with pytest.raises(ValueError, match="negative"):
        mcnemar_mid_p(-1, 2)


@pytest.mark.parametrize("share", [0.0, 0.05, 0.3, 0.6, 0.95])
def test_gaps_are_left_out_as_one_at_a_time(share: float) -> None:
    rng = np.random.default_rng(int(share * 100))
    for _ in range(200):
        batch = rng.normal(size=tuple(rng.integers(1, 9, 2)))
        batch[rng.random(batch.shape) < share] = np.nan
        found = complete_batches([batch]).batches
        wanted = _one_at_a_time(batch)
        assert len(found) == (wanted.size > 0)
        assert not found or np.array_equal(found[0], wanted)


def _one_at_a_time(batch: np.ndarray) -> np.ndarray:
    while batch.size and np.isnan(batch).any():
        by_row, by_column = np.isnan(batch).mean(axis=1), np.isnan(batch).mean(axis=0)
        is_row = by_row.max() >= by_column.max()
        batch = np.delete(batch, (by_row if is_row else by_column).argmax(), axis=0 if is_row else 1)
    return batch
