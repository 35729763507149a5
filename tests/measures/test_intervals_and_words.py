from functools import partial

import numpy as np
import pytest
from scipy import stats

from measures.acceptance import acceptance_probability
from measures.agreement import fleiss_kappa, fleiss_kernel
from measures.alpha import alpha_kernel, krippendorff_alpha
from measures.cohen import cohen_kappa
from measures.comparison import benjamini_hochberg, holm
from measures.histograms import Histogram
from measures.intervals import (
    Interval,
    bootstrap_interval,
    bootstrap_intervals,
    clopper_pearson,
    interval_guard,
    replicates,
    wilson,
)
from measures.labels import bias_warnings, krippendorff_word, landis_koch, prevalence_warnings, single_answer_warnings

SPREAD = Histogram.from_patterns({(3, 0, 0): 40, (2, 1, 0): 35, (1, 1, 1): 20, (0, 3, 0): 30, (0, 0, 3): 15})


@pytest.mark.parametrize(
    ("n_rated", "rarer_share", "expected"),
    [
        (0, None, (False, "too_few_items")),
        (9, 0.5, (False, "too_few_items")),
        (10, 0.5, (True, "unreliable")),
        (19, 0.5, (True, "unreliable")),
        (20, 0.5, (True, None)),
        (99, 0.0999, (False, "rare_answers")),
        (99, 0.1, (True, None)),
        (100, 0.01, (True, None)),
        (15, 0.05, (False, "rare_answers")),
        (20, None, (True, None)),
    ],
)
def test_the_guard_of_small_samples(n_rated: int, rarer_share: float | None, expected: tuple[bool, str | None]) -> None:
    assert interval_guard(n_rated, rarer_share) == expected


@pytest.mark.parametrize(("successes", "n"), [(0, 5), (5, 5), (9, 10), (1, 1000)])
def test_proportion_intervals_are_those_of_scipy(successes: int, n: int) -> None:
    for ours, method in ((wilson, "wilson"), (clopper_pearson, "exact")):
        theirs = stats.binomtest(successes, n).proportion_ci(method=method)
        found = ours(successes, n)
        assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_no_trials_are_no_interval_and_nonsense_is_refused() -> None:
    assert wilson(0, 0) == clopper_pearson(0, 0) == Interval(None, None, "too_few_items")
    with pytest.raises(ValueError, match="successes"):
        wilson(3, 2)
    with pytest.raises(ValueError, match="level"):
        clopper_pearson(1, 2, 95)


@pytest.mark.parametrize("maker", [fleiss_kernel, alpha_kernel])
def test_a_bootstrap_resamples_items(maker: object) -> None:
    """The replicates have the mean and spread of resampling items one by one."""
    kernel = maker(SPREAD.patterns)  # type: ignore[operator]
    ours = replicates(SPREAD.counts, kernel, 4000, seed=1)
    rng = np.random.default_rng(2)
    place = np.repeat(np.arange(len(SPREAD.counts)), SPREAD.counts)
    draws = rng.choice(place, (4000, SPREAD.n_items))
    counts = np.array([np.bincount(draw, minlength=len(SPREAD.counts)) for draw in draws], float)
    theirs = kernel(counts)
    assert ours.mean() == pytest.approx(theirs.mean(), abs=0.006)
    assert ours.std() == pytest.approx(theirs.std(), rel=0.06)


def test_replicates_of_ordinal_alpha_are_alphas_of_the_resample() -> None:
    counts = np.array([[10, 0, 3, 2, 1], [1, 1, 1, 1, 1], [0, 0, 0, 0, 7]], float)
    for scale in ("nominal", "ordinal", "interval", "ratio"):
        found = alpha_kernel(SPREAD.patterns, scale, [1, 2, 4])(counts)
        single = [
            krippendorff_alpha(Histogram(SPREAD.patterns, row.astype(int)), scale, [1, 2, 4]).value for row in counts
        ]
        np.testing.assert_allclose(found[:2], single[:2], atol=1e-12)
        assert np.isnan(found[2])
        assert single[2] is None


@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_the_bootstrap_interval_is_near_gwets_and_repeats_with_its_seed(method: str) -> None:
    gwet = fleiss_kappa(SPREAD)
    found = bootstrap_interval(SPREAD, fleiss_kernel, seed=3, method=method)
    assert (found.low, found.high) == pytest.approx((gwet.low, gwet.high), abs=0.02)
    assert found == bootstrap_interval(SPREAD, fleiss_kernel, seed=3, method=method)
    assert found != bootstrap_interval(SPREAD, fleiss_kernel, seed=4, method=method)


@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_intervals_of_several_coefficients_are_those_of_each_alone(method: str) -> None:
    makers = [fleiss_kernel, partial(alpha_kernel, scale="ordinal"), lambda patterns: _undefined]
    alone = [bootstrap_interval(SPREAD, maker, seed=3, method=method) for maker in makers]
    assert bootstrap_intervals(SPREAD, makers, seed=3, method=method) == alone
    assert [each.note for each in alone] == [None, None, "no_variation"]


def _undefined(counts: np.ndarray) -> np.ndarray:
    return np.full(len(counts), np.nan)


def test_bca_agrees_with_scipy() -> None:
    kernel = alpha_kernel(SPREAD.patterns, "ordinal")
    place = np.repeat(np.arange(len(SPREAD.counts)), SPREAD.counts)

    def alpha(sample: np.ndarray) -> float:
        return float(kernel(np.bincount(sample.astype(int), minlength=5)[None, :].astype(float))[0])

    theirs = stats.bootstrap(
        (place,), alpha, vectorized=False, n_resamples=4000, method="BCa", rng=np.random.default_rng(5)
    ).confidence_interval
    ours = bootstrap_interval(SPREAD, partial(alpha_kernel, scale="ordinal"), seed=6, n_resamples=4000)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.012)


def test_bca_counts_half_of_the_replicates_that_tie_with_the_value_as_scipy_does() -> None:
    same = np.repeat([1.0, 0.0], [9, 3])  # of 12 items: every fourth replicate is the value itself
    theirs = stats.bootstrap(
        (same,), np.mean, n_resamples=20_000, method="BCa", rng=np.random.default_rng(5)
    ).confidence_interval
    agreed = Histogram.from_patterns({(2, 0): 9, (1, 1): 3})
    ours = bootstrap_interval(
        agreed, lambda patterns: lambda counts: counts @ (patterns[:, 1] == 0) / 12, seed=6, n_resamples=20_000
    )
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high))


def test_too_many_undefined_replicates_are_no_interval() -> None:
    nearly_constant = Histogram.from_patterns({(3, 0): 40, (2, 1): 1})
    found = bootstrap_interval(nearly_constant, fleiss_kernel, seed=1)
    assert (found.low, found.note) == (None, "unstable_bootstrap")
    assert found.n_dropped > 100


def test_reasons_for_no_bootstrap_interval() -> None:
    assert bootstrap_interval(Histogram.empty(2), fleiss_kernel, seed=1).note == "too_few_items"
    constant = Histogram.from_patterns({(3, 0): 40})
    assert bootstrap_interval(constant, fleiss_kernel, seed=1).note == "no_variation"
    alike = Histogram.from_patterns({(2, 1): 40})
    assert bootstrap_interval(alike, fleiss_kernel, seed=1).note == "no_spread"
    with pytest.raises(ValueError, match="bca or percentile"):
        bootstrap_interval(SPREAD, fleiss_kernel, seed=1, method="bootstrap-t")


@pytest.mark.parametrize(
    ("value", "word"),
    [
        (-0.01, "poor"),
        (-0.005, "poor"),
        (-0.0049, "slight"),
        (0.0, "slight"),
        (0.2, "slight"),
        (0.2049, "slight"),
        (0.21, "fair"),
        (0.41, "moderate"),
        (0.61, "substantial"),
        (0.81, "almost_perfect"),
        (1.0, "almost_perfect"),
        (None, None),
    ],
)
def test_landis_koch_words_are_those_of_the_number_as_it_is_shown(value: float | None, word: str | None) -> None:
    assert landis_koch(value) == word


@pytest.mark.parametrize(
    ("value", "word"),
    [(0.795, "reliable"), (0.7949, "tentative"), (0.665, "tentative"), (0.6649, "unreliable"), (None, None)],
)
def test_krippendorff_words_are_those_of_the_number_as_it_is_shown(value: float | None, word: str | None) -> None:
    assert krippendorff_word(value) == word


def test_the_prevalence_paradox_is_named() -> None:
    assert prevalence_warnings(0.944, -0.023, 0.972) == ("prevalence_paradox", "dominant_answer")
    assert prevalence_warnings(0.85, 0.39, 0.5) == ("prevalence_paradox",)
    assert prevalence_warnings(0.85, 0.4, 0.9) == ("dominant_answer",)
    assert prevalence_warnings(0.84, 0.1, 0.89) == ()
    assert prevalence_warnings(None, None, None) == ()


def test_items_with_one_rating_are_warned_of_when_they_carry_the_coefficient() -> None:
    assert single_answer_warnings(-1.25, 2, 1) == ("single_answers",)
    assert single_answer_warnings(0.3, 4, 5) == ("single_answers",)
    assert single_answer_warnings(0.3, 5, 5) == single_answer_warnings(None, 0, 5) == ()
    assert single_answer_warnings(-1.0, 5, 0) == ()


def test_the_operating_curve_refuses_impossible_plans() -> None:
    assert acceptance_probability(100, 8, 1.0) == 1.0
    assert acceptance_probability(5, 0, 0.0, batch_size=5) == 0.0
    with pytest.raises(ValueError, match="larger than the batch"):
        acceptance_probability(100, 8, 0.9, batch_size=50)
    with pytest.raises(ValueError, match="accuracy"):
        acceptance_probability(100, 8, 92)


def test_without_p_values_there_is_nothing_to_correct() -> None:
    assert holm([]).tolist() == benjamini_hochberg([]).tolist() == []


def test_of_two_tables_that_agree_alike_the_one_with_unequal_shares_warns_of_bias():
    assert cohen_kappa([[25, 35], [5, 35]]).value == pytest.approx(0.259, abs=5e-4)
    assert cohen_kappa([[45, 15], [25, 15]]).value == pytest.approx(0.130, abs=5e-4)
    assert bias_warnings([[25, 35], [5, 35]]) == ("bias_paradox",)
    assert bias_warnings([[45, 15], [25, 15]]) == ()


def test_bias_counts_the_answers_that_would_have_to_move_and_needs_twenty_items():
    assert bias_warnings([[16, 4], [0, 0]]) == ("bias_paradox",)
    assert bias_warnings([[17, 3], [0, 0]]) == ()
    assert bias_warnings([[15, 4], [0, 0]]) == ()
    assert bias_warnings([[10, 4, 0], [0, 10, 4], [4, 0, 10]]) == ()
    assert bias_warnings([[0, 0], [0, 0]]) == ()
