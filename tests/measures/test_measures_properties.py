"""What must hold for any votes, checked on random ones and against independent implementations."""

import warnings

import krippendorff
import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss

from measures.agreement import brennan_prediger, fleiss_kappa, gwet_ac, percent_agreement
from measures.alpha import krippendorff_alpha
from measures.histograms import Histogram, total
from measures.pair_means import mean_pairwise_cohen
from measures.pairs import PairTable
from measures.summary import agreement_summary
from measures.weights import agreement_weights

N_CATEGORIES = 4


@st.composite
def vote_matrices(draw: st.DrawFn, missing: bool = True, min_raters: int = 1) -> np.ndarray:
    """(items, raters) codes of 1 to 12 items, up to 6 raters."""
    shape = draw(st.tuples(st.integers(1, 12), st.integers(min_raters, 6)))
    lowest = -1 if missing else 0
    return draw(arrays.arrays(np.int8, shape, elements=st.integers(lowest, N_CATEGORIES - 1)))


def of(codes: np.ndarray) -> Histogram:
    return Histogram.from_matrix(codes, N_CATEGORIES)


def tally(row: np.ndarray) -> tuple[int, ...]:
    return tuple(int((row == k).sum()) for k in range(N_CATEGORIES))


@given(vote_matrices(), st.data())
def test_histograms_of_batches_add_up_to_the_one_from_scratch(codes: np.ndarray, data: st.DataObject) -> None:
    batch = data.draw(arrays.arrays(np.int8, len(codes), elements=st.integers(0, 3)))
    parts = [of(codes[batch == b]) for b in range(4)]
    assert total(parts, N_CATEGORIES) == of(codes)
    assert parts[0] + parts[1] == of(codes[batch <= 1])
    assert of(codes) - parts[3] == of(codes[batch <= 2])


@given(vote_matrices(), st.data())
def test_a_vote_given_changed_or_withdrawn_moves_one_item(codes: np.ndarray, data: st.DataObject) -> None:
    item = data.draw(st.integers(0, codes.shape[0] - 1))
    rater = data.draw(st.integers(0, codes.shape[1] - 1))
    changed = codes.copy()
    changed[item, rater] = data.draw(st.integers(-1, N_CATEGORIES - 1))
    moved = of(codes) - of(codes[[item]]) + of(changed[[item]])
    assert moved == of(changed)


@given(vote_matrices())
def test_votes_and_matrix_make_the_same_histogram(codes: np.ndarray) -> None:
    items = np.repeat(np.arange(len(codes)), codes.shape[1])
    assert Histogram.from_votes(items, codes.ravel(), N_CATEGORIES) == of(codes)
    assert Histogram.from_tallies([tally(row) for row in codes]) == of(codes)


@given(vote_matrices())
def test_a_histogram_comes_back_from_json(codes: np.ndarray) -> None:
    assert Histogram.from_json(of(codes).to_json(), N_CATEGORIES) == of(codes)


@given(vote_matrices(), st.randoms(use_true_random=False))
def test_nothing_depends_on_the_order_of_items_or_raters(codes: np.ndarray, random: object) -> None:
    rng = np.random.default_rng(random.randrange(2**32))  # type: ignore[attr-defined]
    shuffled = rng.permuted(rng.permutation(codes), axis=1)
    assert of(shuffled) == of(codes)
    found = (agreement_summary(of(part), n_resamples=20) for part in (codes, shuffled))
    assert next(found) == next(found)
    pairwise = [mean_pairwise_cohen(PairTable.from_matrix(part, N_CATEGORIES)) for part in (codes, codes[::-1])]
    assert pairwise[0] == pairwise[1]


@given(vote_matrices(min_raters=2), st.sampled_from(["nominal", "ordinal", "interval", "ratio"]))
def test_alpha_is_that_of_the_krippendorff_package(codes: np.ndarray, scale: str) -> None:
    values = [1.0, 2.0, 4.0, 7.0]
    found = krippendorff_alpha(of(codes), scale, values)
    paired = codes[(codes >= 0).sum(axis=1) >= 2]
    used = np.unique(paired[paired >= 0])
    if used.size < 2:
        assert found.value is None
        assert found.reason == ("no_variation" if used.size else "no_pairs")
        return
    data = np.where(codes < 0, np.nan, np.array(values)[codes]).T
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = krippendorff.alpha(reliability_data=data, level_of_measurement=scale, value_domain=values)
    assert found.value is not None
    np.testing.assert_allclose(found.value, theirs, atol=1e-9)


@given(vote_matrices(missing=False, min_raters=2))
def test_fleiss_is_that_of_statsmodels_for_equal_raters(codes: np.ndarray) -> None:
    found = fleiss_kappa(of(codes))
    if len(np.unique(codes)) < 2:
        assert found.reason == "no_variation"
        return
    theirs = statsmodels_fleiss(np.array([tally(row) for row in codes]))
    assert found.value is not None
    np.testing.assert_allclose(found.value, theirs, atol=1e-9)
    for convention in ("pooled", "listwise"):
        other = fleiss_kappa(of(codes), convention=convention).value
        np.testing.assert_allclose(other, found.value, atol=1e-9)


@example(np.array([[3, 0]], np.int8), "linear")
@given(vote_matrices(), st.sampled_from(["nominal", "linear", "quadratic", "ordinal"]))
def test_values_and_limits_stay_within_their_bounds(codes: np.ndarray, weights: str) -> None:
    histogram = of(codes)
    # The chance of the second and third is at most the mean weight: without any agreement that is their lowest value.
    mean = agreement_weights(weights, N_CATEGORIES).mean()
    bounded = [
        (fleiss_kappa(histogram, weights=weights), -1.0),
        (gwet_ac(histogram, weights=weights), -mean / (1 - mean)),
        (brennan_prediger(histogram, weights=weights), -mean / (1 - mean)),
        (mean_pairwise_cohen(PairTable.from_matrix(codes, N_CATEGORIES), weights=weights), -1.0),
        (percent_agreement(histogram), 0.0),
    ]
    for estimate, lowest in bounded:
        if estimate.value is None:
            assert estimate.reason in ("no_pairs", "no_variation")
        else:
            # Single-rated items add chance without agreement: only then can a kappa fall below -1.
            assert estimate.value <= 1
            assert estimate.value >= lowest - 1e-9 or histogram.n_left_out
        if estimate.low is not None and estimate.high is not None:
            assert estimate.value is not None
            assert (
                min(np.floor(max(lowest, -1.0)), estimate.value) <= estimate.low <= estimate.value <= estimate.high <= 1
            )
    alpha = krippendorff_alpha(histogram)
    assert alpha.value is None or alpha.value <= 1 + 1e-12


@given(vote_matrices())
def test_strong_judgements_are_the_items_without_such_a_vote(codes: np.ndarray) -> None:
    strong = codes[~(codes == 2).any(axis=1)]
    assert of(codes).without(2) == of(strong)
    ignored = np.where(codes == 3, -1, codes).astype(np.int8)
    assert of(codes).ignoring(3) == Histogram.from_matrix(ignored, 3)


@given(vote_matrices(), vote_matrices())
def test_pair_tables_add_and_come_back_from_json(first: np.ndarray, second: np.ndarray) -> None:
    width = max(first.shape[1], second.shape[1])
    both = [np.pad(part, ((0, 0), (0, width - part.shape[1])), constant_values=-1) for part in (first, second)]
    tables = [PairTable.from_matrix(part, N_CATEGORIES) for part in both]
    whole = PairTable.from_matrix(np.concatenate(both), N_CATEGORIES)
    assert tables[0] + tables[1] == whole
    assert whole - tables[1] == tables[0]
    assert PairTable.from_json(whole.to_json(), N_CATEGORIES) == whole
