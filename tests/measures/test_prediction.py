"""Predictions against human labels: scikit-learn and scipy say the same, and kernels what their measures say."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn import metrics as oracle

from measures.cohen import confusion_matrix
from measures.prediction import f1_scores, mid_ranks, precisions, recalls
from measures.prediction_intervals import (
    LABEL_MEASURES,
    SCORE_MEASURES,
    label_estimates,
    label_kernel,
    pearson_kernel,
    score_estimates,
    spearman_kernel,
)

K = 4
labels = st.lists(st.tuples(st.integers(0, K - 1), st.integers(0, K - 1)), min_size=1, max_size=60)
numbers = st.lists(st.tuples(st.integers(-3, 3), st.floats(-5, 5, width=16)), min_size=2, max_size=40)


def by_sklearn(human, predicted) -> dict[str, float]:
    occurring = sorted(set(human))
    either = sorted(set(human) | set(predicted))
    how = {"average": "macro", "zero_division": 0}
    return {
        "accuracy": oracle.accuracy_score(human, predicted),
        "uar": oracle.recall_score(human, predicted, labels=occurring, **how),
        "macro_precision": oracle.precision_score(human, predicted, labels=either, **how),
        "macro_f1": oracle.f1_score(human, predicted, labels=either, **how),
        "weighted_f1": oracle.f1_score(human, predicted, average="weighted", zero_division=0),
    } | ({"kappa": oracle.cohen_kappa_score(human, predicted)} if len(either) > 1 else {})


@given(labels)
@settings(max_examples=200, deadline=None)
def test_every_label_measure_is_that_of_scikit_learn(pairs):
    human, predicted = zip(*pairs, strict=True)
    found = label_estimates(human, predicted, range(len(pairs)), K, seed=1, n_resamples=0)
    expected = by_sklearn(human, predicted)
    assert {name: each.value for name, each in found.items() if each.value is not None} == pytest.approx(expected)


@given(labels)
@settings(max_examples=100, deadline=None)
def test_precision_recall_and_f1_of_each_class_are_those_of_scikit_learn(pairs):
    human, predicted = zip(*pairs, strict=True)
    table = confusion_matrix(human, predicted, K)
    p, r, f, support = oracle.precision_recall_fscore_support(human, predicted, labels=range(K), zero_division=0)
    assert precisions(table) == pytest.approx(p)
    assert recalls(table) == pytest.approx(r)
    assert f1_scores(table) == pytest.approx(f)
    assert table.sum(axis=1).tolist() == support.tolist()
    assert (table == oracle.confusion_matrix(human, predicted, labels=range(K))).all()


@given(numbers)
@settings(max_examples=200, deadline=None)
def test_both_correlations_are_those_of_scipy(pairs):
    first, second = (np.array(side, float) for side in zip(*pairs, strict=True))
    found = score_estimates(first, second, range(len(pairs)), seed=1, n_resamples=0)
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        assert {each.reason for each in found.values()} == {"no_variation"}
        return
    assert mid_ranks(second) == pytest.approx(stats.rankdata(second))
    assert found["spearman"].value == pytest.approx(stats.spearmanr(first, second).statistic, abs=1e-9)
    if np.ptp(second) > 1e-3:  # scipy itself warns about constants below
        assert found["pearson"].value == pytest.approx(stats.pearsonr(first, second).statistic, abs=1e-9)


@given(labels, st.integers(0, 2**32 - 1))
@settings(max_examples=100, deadline=None)
def test_each_label_kernel_says_what_its_measure_says_of_the_repeated_items(pairs, seed):
    human, predicted = np.array(pairs).T
    weights = np.random.default_rng(seed).integers(0, 3, (5, len(pairs)))
    for name, measure in LABEL_MEASURES.items():
        values = label_kernel(name, human * K + predicted, K)(weights.astype(float))
        for value, times in zip(values, weights, strict=True):
            expected = measure(confusion_matrix(human.repeat(times), predicted.repeat(times), K)).value
            assert np.isnan(value) if expected is None else value == pytest.approx(expected, abs=1e-12)


@given(numbers, st.integers(0, 2**32 - 1))
@settings(max_examples=100, deadline=None)
def test_each_correlation_kernel_says_what_its_measure_says_of_the_repeated_items(pairs, seed):
    first, second = (np.round(np.array(side, float), 2) for side in zip(*pairs, strict=True))
    group = np.arange(len(pairs)) // 2
    weights = np.random.default_rng(seed).integers(0, 3, (5, group[-1] + 1))
    for name, maker in (("spearman", spearman_kernel), ("pearson", pearson_kernel)):
        values = maker(first, second, group)(weights.astype(float))
        for value, times in zip(values, weights[:, group], strict=True):
            expected = SCORE_MEASURES[name](first.repeat(times), second.repeat(times)).value
            assert np.isnan(value) if expected is None else value == pytest.approx(expected, abs=1e-7)


def sample(n=200, n_groups=50, seed=3):
    rng = np.random.default_rng(seed)
    human = rng.integers(0, 3, n)
    return human, np.where(rng.random(n) < 0.7, human, rng.integers(0, 3, n)), np.arange(n) % n_groups


def test_an_interval_holds_its_value_and_is_the_same_for_the_same_seed():
    human, predicted, groups = sample()
    first, again = (label_estimates(human, predicted, groups, 3, seed=7) for _ in range(2))
    scores, same = (score_estimates(human, predicted, groups, seed=7) for _ in range(2))
    assert first == again
    assert scores == same
    for each in (*first.values(), *scores.values()):
        assert each.low < each.value < each.high
        assert each.high - each.low < 0.3
    assert first != label_estimates(human, predicted, groups, 3, seed=8)


def test_items_of_one_dialogue_are_drawn_together():
    """Ten copies of each dialogue's item say nothing new: the interval must not shrink."""
    human, predicted, _ = sample(100)
    one = label_estimates(human, predicted, range(100), 3, seed=1)
    ten = label_estimates(human.repeat(10), predicted.repeat(10), np.arange(100).repeat(10), 3, seed=1)
    assert (ten["kappa"].low, ten["kappa"].high) == pytest.approx((one["kappa"].low, one["kappa"].high), abs=0.02)
    scores = score_estimates(human.repeat(10), predicted.repeat(10), np.arange(100).repeat(10), seed=1)
    alone = score_estimates(human, predicted, range(100), seed=1)
    assert scores["spearman"].low == pytest.approx(alone["spearman"].low, abs=0.02)


def test_few_dialogues_have_a_value_and_no_interval():
    human, predicted, _ = sample(60)
    for found in (
        label_estimates(human, predicted, np.arange(60) % 9, 3, seed=1),
        score_estimates(human, predicted, np.arange(60) % 9, seed=1),
    ):
        assert {each.interval_note for each in found.values()} == {"too_few_items"}
        assert {each.low for each in found.values()} == {None}
    assert label_estimates(human, predicted, np.arange(60) % 15, 3, seed=1)["uar"].interval_note == "unreliable"


def test_nothing_to_compare_is_a_reason_and_never_a_number():
    labels, scores = label_estimates([], [], [], 3, seed=1), score_estimates([], [], [], seed=1)
    assert {each.reason for each in labels.values()} == {"no_pairs"}
    assert {each.reason for each in scores.values()} == {"too_few_items"}
    same = label_estimates([1] * 30, [1] * 30, range(30), 3, seed=1)
    assert (same["kappa"].reason, same["accuracy"].value, same["accuracy"].interval_note) == (
        "no_variation", 1.0, "no_spread",
    )  # fmt: skip


def test_coverage_of_the_interval_of_kappa_in_a_small_simulation():
    """Nominal 95 %: of 120 studies of 60 dialogues x 2 items, the interval must hold the truth in most."""
    rng = np.random.default_rng(5)

    def study(n: int):
        hard = np.repeat(rng.random(n // 2) < 0.3, 2)
        human = rng.integers(0, 2, n)
        right = rng.random(n) < np.where(hard, 0.55, 0.9)
        return human, np.where(right, human, 1 - human)

    truth = label_estimates(*study(400_000), range(400_000), 2, seed=1, n_resamples=0)["kappa"].value
    hits = 0
    for number in range(120):
        human, predicted = study(120)
        found = label_estimates(human, predicted, np.arange(120) // 2, 2, seed=number, n_resamples=400)["kappa"]
        hits += found.low <= truth <= found.high
    assert 0.88 <= hits / 120 <= 1.0
