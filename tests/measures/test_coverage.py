"""How often intervals hold the truth, and that those which do not are not shown without a word.

The long run is `./dev bench --only coverage`. Here each claim is of the true coverage, and fails only when so few (or
so many) hits would come by chance in fewer than one of a thousand simulations in which the claim is true.
"""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from bench import coverage
from bench.coverage import KAPPAS, PREVALENCES, RATERS, Coverage, covered, designs
from bench.coverage_model import Dialogues, OneClicker, Predictions, Votes, kappa_of
from bench.rows import Goal, Row
from measures.agreement import fleiss_kappa, gwet_ac, percent_agreement
from measures.contributors import MajorityTables
from measures.estimate import Estimate
from measures.histograms import Histogram
from measures.intervals import FEWEST_RELIABLE_ITEMS, clopper_pearson, wilson
from measures.leave_one_out import leave_one_out
from measures.prediction_intervals import label_estimates, score_estimates

CHANCE = 0.001
N = 300
GRID = list(itertools.product(RATERS, KAPPAS))


def is_below(found: Coverage, share: float) -> bool:
    """Whether the true coverage is below this, beyond chance."""
    return bool(stats.binom.cdf(found.covered, found.n, share) < CHANCE)


def is_above(found: Coverage, share: float) -> bool:
    return bool(stats.binom.sf(found.covered - 1, found.n, share) < CHANCE)


def assert_nominal(found: Coverage) -> None:
    """95 %, as the simulations of the project have it for 42 items and more: within 92 and 98 %."""
    assert not is_below(found, 0.92), found
    assert not is_above(found, 0.98), found


# --- the truth of the generators
BIG = 200_000


@pytest.mark.parametrize(("raters", "kappa"), GRID)
@pytest.mark.parametrize("prevalence", PREVALENCES.values(), ids=PREVALENCES)
def test_the_truth_of_votes_is_that_of_very_many_items(raters: int, kappa: float, prevalence: float) -> None:
    votes = Votes(BIG, raters, prevalence, kappa)
    codes = votes.codes(1, np.random.default_rng(1))[0]
    histogram = Histogram.from_matrix(codes, 2)
    for found, truth in (
        (fleiss_kappa(histogram), votes.kappa),
        (gwet_ac(histogram), votes.ac1),
        (percent_agreement(histogram), votes.agreement),
    ):
        assert found.value is not None
        assert found.standard_error is not None
        assert abs(found.value - truth) < 4 * found.standard_error
    table = MajorityTables.from_matrix(codes, 2).tables[0]
    assert kappa_of(table.astype(float)) == pytest.approx(votes.majority_kappa, abs=0.02)
    assert sum(n for _, n in replace(votes, n_items=10).histograms(50, np.random.default_rng(2))) == 50


def test_the_truth_of_the_other_designs_is_that_of_very_many_items() -> None:
    rng = np.random.default_rng(3)
    _, tallies = Dialogues(BIG // 5, 5, 3, easy=0.8, hard=0.1).tallies(rng)
    assert fleiss_kappa(Histogram.from_tallies(tallies)).value == pytest.approx(0.45, abs=0.01)
    clicker = OneClicker(Votes(BIG // 4, 4, 0.5, 0.3))
    items, raters = np.indices((BIG // 4, 4)).reshape(2, -1)
    found = leave_one_out(items, raters, clicker.codes(rng).ravel(), 2, seed=1, n_resamples=0)[0].delta
    assert found.value == pytest.approx(clicker.delta, abs=0.01)


def test_the_truth_of_predictions_is_that_of_very_many_items() -> None:
    design, rng = Predictions(BIG // 2), np.random.default_rng(4)
    groups = np.arange(BIG)
    found = label_estimates(*design.labels(rng), groups, 3, seed=1, n_resamples=0)
    found |= score_estimates(*design.scores(rng), groups, seed=1, n_resamples=0)
    for name, truth in design.truth.items():
        assert found[name].value == pytest.approx(truth, abs=0.01)


# --- intervals that hold what they promise
@pytest.mark.parametrize("size", [42, 400])
def test_live_intervals_of_balanced_studies_hold_the_truth(size: int) -> None:
    for votes in designs(size, 0.5):
        assert_nominal(covered(votes, votes.kappa, coverage.live_kappa, N))
        assert_nominal(covered(votes, votes.ac1, coverage.live_ac1, N))
        assert_nominal(covered(votes, votes.agreement, coverage.live_agreement, N))


@pytest.mark.parametrize("interval_of", [coverage.reported_kappa, coverage.reported_alpha])
def test_intervals_of_the_report_hold_the_truth(interval_of: coverage.IntervalOf) -> None:
    for kappa in KAPPAS:
        assert_nominal(covered(Votes(42, 7, 0.5, kappa), kappa, interval_of, N // 2))


def test_dialogues_must_be_drawn_whole() -> None:
    design = Dialogues(60, 5, 7, easy=0.8, hard=0.1)
    assert_nominal(coverage.of_dialogues(design, N // 8, is_clustered=True))
    assert is_below(coverage.of_dialogues(design, N, is_clustered=False), 0.85)


def test_intervals_of_annotators_hold_the_truth() -> None:
    assert_nominal(coverage.of_majority(Votes(42, 7, 0.5, 0.3), N // 2))
    assert_nominal(coverage.of_leaving_out(OneClicker(Votes(42, 3, 0.5, 0.3)), N // 4))


def test_intervals_of_predictions_hold_the_truth() -> None:
    for found in coverage.of_predictions(Predictions(60), N // 10).values():
        assert_nominal(found)


def test_intervals_of_shares_hold_what_each_promises() -> None:
    """Exact: Clopper-Pearson never holds less, Wilson does so on average and nowhere much less."""
    for size in coverage.SIZES:
        assert min(coverage.of_shares(clopper_pearson, size, coverage.SHARES)) >= 0.95
        found = coverage.of_shares(wilson, size, coverage.SHARES)
        assert 0.94 <= np.mean(found) <= 0.97
        assert min(found) >= 0.91


# --- intervals that do not
def null_wald(histogram: Histogram, seed: int) -> Estimate:
    """With the standard error that holds only where there is no agreement, as some packages print it."""
    value, n, r = fleiss_kappa(histogram).value, histogram.n_items, int(histogram.votes[0])
    if value is None:
        return Estimate(None, "no_variation")
    # Fleiss, Nee & Landis 1979, for the same number of ratings on every item.
    p = histogram.category_votes / histogram.n_votes
    spread = float(p @ (1 - p))
    inner = spread**2 - float((p * (1 - p)) @ (1 - 2 * p))
    error = float(np.sqrt(2 * max(inner, 0.0) / (n * r * (r - 1)))) / spread
    return Estimate(value, low=value - 1.96 * error, high=value + 1.96 * error)


def test_the_simulation_finds_an_interval_that_is_too_narrow() -> None:
    """Statistics 3.2: the null standard error covers 62 to 74 % at 7 raters."""
    for kappa in KAPPAS:
        found = covered(Votes(100, 7, 0.5, kappa), kappa, null_wald, N)
        assert 0.5 < found.share < 0.8


@pytest.mark.parametrize("interval_of", [coverage.live_kappa, coverage.reported_kappa])
def test_the_worst_intervals_are_never_shown_without_a_word(interval_of: coverage.IntervalOf) -> None:
    """Ten items, nine of ten answers alike: half of the intervals or fewer would hold the truth."""
    for votes in designs(10, PREVALENCES["90/10"]):
        found = covered(votes, votes.kappa, interval_of, N)
        assert is_below(found, 0.7)
        assert found.plain == 0


@pytest.mark.parametrize("size", [10, 20, 42])
def test_wherever_coverage_is_poor_the_guards_speak(size: int) -> None:
    """Below 20 items always. From there on the guard sees the sample, not the truth: at a true share of 10 % it hides
    half of the studies, those with the fewest rare answers, and what is left holds the truth more often.
    """
    votes = [each for prevalence in PREVALENCES.values() for each in designs(size, prevalence)]
    all_kinds = [covered(each, each.kappa, coverage.live_kappa, N) for each in votes]
    poor = [found for found in all_kinds if is_below(found, 0.9)]
    assert len(poor) >= 3
    for found in poor:
        assert found.plain < 0.6 * found.n
        assert found.plain == 0 or size >= FEWEST_RELIABLE_ITEMS
    together = sum(poor, Coverage())
    assert together.of_plain is None or together.of_plain > together.share + 0.05


# --- the rows of the benchmark
def test_a_row_tells_the_error_of_a_simulation_and_a_band_is_met_between_its_ends() -> None:
    row = Row("coverage", 94.0, "%", "nominal", 95.0, Goal(92, most=98), error=1.06)
    assert row.cells() == ("coverage", "94.0 % ±1.06", "95.0 % nominal", "0.99x", "92.0 to 98.0 %", "met")
    assert [Goal(92, most=98).is_met(figure) for figure in (91.9, 92, 98, 98.1)] == [False, True, True, False]
    assert coverage.monte_carlo_error(0.95, 2000) == pytest.approx(2 * np.sqrt(0.95 * 0.05 / 2000))
