"""Agreement over both orders of a comparison does not depend on which side of which item is called the first."""

import math

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss

from measures.agreement import fleiss_kappa, fleiss_kernel, gwet_ac, gwet_kernel, percent_agreement
from measures.alpha import alpha_kernel, krippendorff_alpha
from measures.batch_drift import batch_drift
from measures.cohen import cohen_kappa, confusion_matrix, conger_kappa, in_both_orders, rater_margins
from measures.contributions import contributions_of, majority_tables, without_each
from measures.contributors import kappa_with_majority
from measures.difficulty import unique_modes
from measures.estimate import Estimate
from measures.further import estimate_of, ordered_makers, ordered_of_annotators
from measures.histograms import Histogram
from measures.intervals import Interval, bootstrap_intervals
from measures.intervals import in_both_orders as over_both
from measures.leave_one_out import leave_one_out
from measures.pair_means import mean_pairwise_cohen, mean_pairwise_cohens_with_intervals
from measures.pairs import PairTable
from measures.population import Votes, population_intervals
from measures.qualification_rule import (
    INTERVAL,
    MAJORITY_KAPPA,
    PANEL_KAPPA,
    Result,
    Rule,
    cells_of,
    judge,
    panels_own,
)

# Much better and better on either side, and equal: the mirror turns the scale round.
MIRROR = (4, 3, 2, 1, 0)
K = len(MIRROR)
LEVELS = ("nominal", "ordinal", "interval")


@st.composite
def renamed(draw: st.DrawFn, most_items: int = 14) -> tuple[np.ndarray, np.ndarray]:
    """(items, raters) codes, and the same answers after the sources have other names: some items are mirrored."""
    shape = draw(st.tuples(st.integers(2, most_items), st.integers(2, 5)))
    codes = draw(arrays.arrays(np.int64, shape, elements=st.integers(-1, K - 1)))
    is_turned = draw(arrays.arrays(bool, shape[0]))
    mirrored = np.where(codes >= 0, np.array(MIRROR)[codes], -1)
    return codes, np.where(is_turned[:, None], mirrored, codes)


def votes_of(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    items, raters = np.nonzero(codes >= 0)
    return items, raters, codes[items, raters]


def numbers_of(estimate: Estimate | Interval | Result) -> list[float | None]:
    names = ("value", "standard_error", "low", "high", "n_items", "n_ratings", "threshold")
    return [getattr(estimate, name, None) for name in names]


def assert_same(first: list, second: list, within: float = 1e-9) -> None:
    for one, other in zip(first, second, strict=True):
        for a, b in zip(numbers_of(one), numbers_of(other), strict=True):
            assert (a is None) == (b is None), (one, other)
            assert a is None or math.isclose(a, b, rel_tol=0, abs_tol=within), (one, other)


def closed_forms(codes: np.ndarray) -> list[Estimate]:
    plain = Histogram.from_matrix(codes, K)
    both = plain.in_both_orders(MIRROR)
    pairs = PairTable.from_matrix(codes, K).in_both_orders(MIRROR)
    items, raters, given_codes = votes_of(codes)
    margins = rater_margins(raters, given_codes, codes.shape[1], K)
    makers = ordered_makers(K, None, is_interval=True)
    return [
        fleiss_kappa(both),
        gwet_ac(both),
        percent_agreement(both),
        *(krippendorff_alpha(both, level) for level in LEVELS),
        *(mean_pairwise_cohen(pairs, weights=kind) for kind in ("nominal", "linear", "quadratic")),
        conger_kappa(both, margins + margins[:, MIRROR]),
        *(estimate_of(maker, both) for maker in makers.values()),
        *mean_pairwise_cohens_with_intervals(
            items, raters, given_codes, K, ("linear", "quadratic"), mirror=MIRROR
        ),
    ]  # fmt: skip


@settings(deadline=None)
@given(renamed())
def test_no_coefficient_depends_on_the_names_of_the_sources(data: tuple[np.ndarray, np.ndarray]) -> None:
    before, after = data
    assert_same(closed_forms(before), closed_forms(after))


@settings(deadline=None, max_examples=25)
@given(renamed())
def test_nor_does_one_of_annotators_with_an_order(data: tuple[np.ndarray, np.ndarray]) -> None:
    found = [ordered_of_annotators(*votes_of(codes), K, mirror=MIRROR) for codes in data]
    for name in found[0]:
        # The intraclass correlations of a fitted model have six digits.
        assert_same([found[0][name]], [found[1][name]], within=2e-6 if name.startswith("icc") else 1e-9)


def drawn_ends(codes: np.ndarray) -> list[Interval]:
    makers = [fleiss_kernel, gwet_kernel, *(lambda p, level=level: alpha_kernel(p, level) for level in LEVELS)]
    turned = [over_both(maker, MIRROR) for maker in makers]
    items, raters, given_codes = votes_of(codes)
    histogram = Histogram.from_matrix(codes, K).in_one_order(MIRROR)
    return [
        *bootstrap_intervals(histogram, turned, seed=3, n_resamples=200),
        *population_intervals(Votes(items, raters, items // 2, given_codes, K), turned),
    ]


@settings(deadline=None, max_examples=40)
@given(renamed(most_items=30))
def test_no_end_of_an_interval_depends_on_them(data: tuple[np.ndarray, np.ndarray]) -> None:
    before, after = data
    if (before >= 0).any():
        assert_same(drawn_ends(before), drawn_ends(after))


def about_annotators(codes: np.ndarray) -> list[Estimate]:
    items, raters, given_codes = votes_of(codes)
    found = contributions_of(items, raters, given_codes, K)
    plain = Histogram.from_matrix(codes, K)
    majority = kappa_with_majority(majority_tables(found, K), seed=3, n_resamples=200, mirror=MIRROR)
    return [*(each.kappa for each in majority), *(each.delta for each in without_each(found, plain, MIRROR))]


@settings(deadline=None, max_examples=40)
@given(renamed(most_items=30))
def test_what_is_said_of_an_annotator_does_not_depend_on_them(data: tuple[np.ndarray, np.ndarray]) -> None:
    before, after = data
    assert_same(about_annotators(before), about_annotators(after))


def about_candidates(codes: np.ndarray, method: str) -> list[Result]:
    """The last rater is the candidate, and the others are the panel."""
    cells = cells_of(codes[:, :-1], codes[:, -1], K, mirror=MIRROR)
    return [judge(Rule(method, threshold, INTERVAL), cells) for threshold in (None, 0.2)]


@pytest.mark.parametrize("method", [PANEL_KAPPA, MAJORITY_KAPPA])
@settings(deadline=None, max_examples=40)
@given(data=renamed(most_items=30))
def test_who_qualifies_does_not_depend_on_them(method: str, data: tuple[np.ndarray, np.ndarray]) -> None:
    before, after = (about_candidates(codes, method) for codes in data)
    assert_same(before, after)
    assert [each.state for each in before] == [each.state for each in after]
    panels = [panels_own(method, codes, K, MIRROR) for codes in data]
    assert panels[0] == panels[1] or panels[0] == pytest.approx(panels[1], abs=1e-9)


def test_a_candidate_has_the_kappas_of_both_orders_with_their_intervals() -> None:
    codes = random_codes()
    codes = codes[np.all(np.stack(majority_and_last(codes)) >= 0, axis=0)]
    fleiss = fleiss_kappa(Histogram.from_matrix(codes, K).in_both_orders(MIRROR))
    cohen = cohen_kappa(in_both_orders(confusion_matrix(*majority_and_last(codes), K), MIRROR))
    # Cohen's large-sample variance is over n items, and that of a mean over n - 1.
    for method, expected, wider in ((PANEL_KAPPA, fleiss, 1), (MAJORITY_KAPPA, cohen, len(codes) / (len(codes) - 1))):
        found = judge(Rule(method, 0.2), cells_of(codes[:, :-1], codes[:, -1], K, mirror=MIRROR))
        assert found.value == pytest.approx(expected.value)
        assert found.high - found.low == pytest.approx(math.sqrt(wider) * (expected.high - expected.low))


def majority_and_last(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    tallies = (codes[:, :-1, None] == np.arange(K)).sum(axis=1)
    return unique_modes(tallies), codes[:, -1]


@settings(deadline=None, max_examples=40)
@given(renamed())
def test_nor_does_agreement_without_an_annotator(data: tuple[np.ndarray, np.ndarray]) -> None:
    before, after = (
        [each.delta for each in leave_one_out(*votes_of(codes), K, MIRROR, n_resamples=0)] for codes in data
    )
    assert_same(before, after)


@settings(deadline=None, max_examples=25)
@given(renamed())
def test_a_batch_is_compared_with_the_rest_whatever_they_are_called(data: tuple[np.ndarray, np.ndarray]) -> None:
    found = []
    for codes in data:
        batch, rest = (Histogram.from_matrix(part, K) for part in (codes[::2], codes[1::2]))
        found.append(batch_drift(batch, rest, seed=3, n_permutations=99, mirror=MIRROR))
    assert found[0].p_value == found[1].p_value
    assert_same([found[0].batch, found[0].rest], [found[1].batch, found[1].rest])


def random_codes(n: int = 300) -> np.ndarray:
    """Three raters who often agree with the truth, and often choose the first of the two."""
    rng = np.random.default_rng(5)
    truth = rng.choice(K, size=n, p=[0.4, 0.25, 0.2, 0.1, 0.05])
    noise = rng.choice(K, size=(n, 3), p=[0.4, 0.25, 0.2, 0.1, 0.05])
    codes = np.where(rng.random((n, 3)) < 0.5, truth[:, None], noise)
    codes[rng.random((n, 3)) < 0.1] = -1
    return codes


def twice(codes: np.ndarray) -> np.ndarray:
    return np.concatenate([codes, np.where(codes >= 0, np.array(MIRROR)[codes], -1)])


@pytest.mark.parametrize("level", LEVELS)
def test_alpha_is_that_of_doubled_data_but_for_its_number_of_ratings(level: str) -> None:
    """Alpha draws chance without replacement: n - 1 of n ratings. Doubling the data would double n."""
    codes = random_codes(20)
    histogram = Histogram.from_matrix(codes, K)
    paired = histogram.where(histogram.votes >= 2)
    data = np.where(twice(codes) >= 0, twice(codes), np.nan).T
    doubled = krippendorff.alpha(data, value_domain=range(K), level_of_measurement=level)
    n = paired.n_votes
    mine = krippendorff_alpha(histogram.in_both_orders(MIRROR), level).value
    assert mine == pytest.approx(1 - (1 - doubled) * (n - 1) / (n - 0.5), abs=1e-12)


def test_fleiss_kappa_is_that_of_doubled_data() -> None:
    codes = random_codes()
    complete = codes[(codes >= 0).all(axis=1)]
    table = np.stack([(twice(complete) == k).sum(axis=1) for k in range(K)], axis=1)
    mine = fleiss_kappa(Histogram.from_matrix(complete, K).in_both_orders(MIRROR))
    assert mine.value == pytest.approx(statsmodels_fleiss(table), abs=1e-12)
    assert mine.n_items == len(complete)


def jackknife(values: list[float]) -> float:
    n = len(values)
    return math.sqrt((n - 1) / n * sum((each - sum(values) / n) ** 2 for each in values))


@pytest.mark.parametrize("coefficient", [fleiss_kappa, gwet_ac])
def test_standard_errors_count_each_item_once(coefficient) -> None:
    codes = random_codes()
    plain = Histogram.from_matrix(codes, K)
    left_out, times = [], []
    for pattern, n in zip(plain.patterns, plain.counts.tolist(), strict=True):
        rest = plain - Histogram.from_tallies(pattern[None, :])
        left_out.append(coefficient(rest.in_both_orders(MIRROR)).value)
        times.append(n)
    error = jackknife(np.repeat(left_out, times).tolist())
    assert coefficient(plain.in_both_orders(MIRROR)).standard_error == pytest.approx(error, rel=0.02)


def test_the_standard_error_of_cohens_kappa_counts_each_item_once() -> None:
    codes = random_codes()[:, :2]
    square = PairTable.from_matrix(codes, K).table(0, 1)
    cells = np.argwhere(square)
    left_out = []
    for row, column in cells:
        rest = square.copy()
        rest[row, column] -= 1
        left_out += [cohen_kappa(in_both_orders(rest, MIRROR)).value] * int(square[row, column])
    found = cohen_kappa(in_both_orders(square, MIRROR))
    assert found.standard_error == pytest.approx(jackknife(left_out), rel=0.02)
    assert found.n_items == square.sum()


def test_items_in_both_orders_are_not_resampled() -> None:
    """Half an item cannot be drawn, and a whole one would bring the other order along."""
    both = Histogram.from_matrix(random_codes(), K).in_both_orders(MIRROR)
    with pytest.raises(ValueError, match="draw items"):
        bootstrap_intervals(both, [fleiss_kernel], seed=1)


def test_without_a_mirror_nothing_changes() -> None:
    codes = random_codes()
    plain, pairs = Histogram.from_matrix(codes, K), PairTable.from_matrix(codes, K)
    assert plain.in_both_orders(None) is plain
    assert plain.in_one_order(None) == plain
    assert pairs.in_both_orders(None) is pairs
    assert over_both(fleiss_kernel, None) is fleiss_kernel
