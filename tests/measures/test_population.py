"""Agreement for new annotators: a two-way jackknife, against one that leaves out each unit the slow way."""

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from scipy import stats

from bench.population_coverage import LAYOUTS, studied
from measures import population as module
from measures.agreement import fleiss_kappa, fleiss_kernel
from measures.alpha import alpha_kernel, krippendorff_alpha
from measures.estimate import NO_SPREAD, NO_STANDARD_ERROR, NO_VARIATION
from measures.histograms import Histogram
from measures.intervals import special
from measures.population import FEW_ANNOTATORS, FEW_GROUPS, Votes, population_intervals

K = 4
MAKERS = (fleiss_kernel, lambda patterns: alpha_kernel(patterns, "ordinal"))
SLOW: tuple[Callable[[Histogram], float | None], ...] = (
    lambda histogram: fleiss_kappa(histogram).value,
    lambda histogram: krippendorff_alpha(histogram, "ordinal").value,
)


def rated(n_items: int = 40, n_annotators: int = 6, each: int = 3, group: int = 2, seed: int = 1) -> Votes:
    """Each item by some of the annotators; annotators lean, and items of a group are alike."""
    rng = np.random.default_rng(seed)
    item = np.repeat(np.arange(n_items), each)
    annotator = np.argsort(rng.random((n_items, n_annotators)), axis=1)[:, :each].ravel()
    quality = rng.normal(size=n_items)[item // group * group] + rng.normal(0, 0.5, n_annotators)[annotator]
    code = np.clip(np.round(quality + rng.normal(0, 0.7, len(item)) + 1.5), 0, K - 1).astype(int)
    return Votes(item, annotator, item // group, code, K)


def without(votes: Votes, units: np.ndarray, of: Callable[[Histogram], float | None]) -> float:
    """The jackknife variance of a coefficient, by making the histogram anew without each unit."""
    item, code = np.asarray(votes.item), np.asarray(votes.code)
    left = [Histogram.from_votes(item[units != unit], code[units != unit], K) for unit in np.unique(units)]
    found = np.array([of(each) for each in left], float)
    return float((len(found) - 1) / len(found) * ((found - found.mean()) ** 2).sum())


@pytest.mark.parametrize("coefficient", [0, 1], ids=["fleiss", "alpha"])
def test_the_variance_adds_annotators_and_groups_less_what_both_count_and_is_at_least_the_larger(coefficient: int):
    of, seen = SLOW[coefficient], set()
    for seed in range(8):
        votes = rated(each=4, group=4, seed=seed)
        who, where = np.asarray(votes.annotator), np.asarray(votes.group)
        annotators, groups, both = (without(votes, units, of) for units in (who, where, who * 1000 + where))
        larger, df = max((annotators, 5), (groups, 9))
        variance = annotators + groups - both
        seen.add(variance > larger)
        if variance > larger:
            df = variance**2 / (annotators**2 / 5 + groups**2 / 9)
        value = of(Histogram.from_votes(np.asarray(votes.item), np.asarray(votes.code), K))
        assert value is not None
        half = special().stdtrit(df, 0.975) * max(variance, larger) ** 0.5
        found = population_intervals(votes, MAKERS)[coefficient]
        assert (found.low, found.high) == pytest.approx((value - half, min(1.0, value + half)))
    assert seen == {True, False}


def test_many_units_are_left_out_linearly_with_nearly_the_same_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    votes = rated(n_items=600, n_annotators=30)
    exact = population_intervals(votes, MAKERS)
    monkeypatch.setattr(module, "MOST_CELLS", 0)
    for linear, each in zip(population_intervals(votes, MAKERS), exact, strict=True):
        assert (linear.low, linear.high) == pytest.approx((each.low, each.high), abs=3e-3)


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = population_intervals(rated(), MAKERS)
    monkeypatch.setattr(module, "CELLS_PER_BLOCK", 100)
    for split, each in zip(population_intervals(rated(), MAKERS), whole, strict=True):
        assert (split.low, split.high) == pytest.approx((each.low, each.high))


def test_it_does_not_matter_how_items_annotators_and_groups_are_called() -> None:
    votes = rated()
    named = Votes(
        np.asarray(votes.item) * 7 + 10**9,
        [f"ann{each}" for each in np.asarray(votes.annotator)],
        -np.asarray(votes.group),
        votes.code,
        K,
    )
    ends = [(each.low, each.high) for each in population_intervals(named, MAKERS)]
    assert ends == [pytest.approx((each.low, each.high)) for each in population_intervals(votes, MAKERS)]


def test_without_enough_annotators_or_groups_there_is_a_reason() -> None:
    assert {each.note for each in population_intervals(rated(n_annotators=2, each=2), MAKERS)} == {FEW_ANNOTATORS}
    assert {each.note for each in population_intervals(rated(n_items=4), MAKERS)} == {FEW_GROUPS}
    nobody = Votes([], [], [], [], K)
    assert {each.note for each in population_intervals(nobody, MAKERS)} == {FEW_ANNOTATORS}


def test_an_undefined_coefficient_has_a_reason_and_no_interval() -> None:
    item, annotator = (np.array(each) for each in zip(*product(range(12), range(4)), strict=True))
    one_answer = population_intervals(Votes(item, annotator, item, np.zeros(48, int), K), MAKERS)
    assert {(each.low, each.note) for each in one_answer} == {(None, NO_VARIATION)}
    alone = np.where((item == 0) & (annotator == 0), 1, 0)
    without_one = population_intervals(Votes(item, annotator, item, alone, K), MAKERS)
    assert {(each.low, each.note) for each in without_one} == {(None, NO_STANDARD_ERROR)}


def test_perfect_agreement_has_no_interval() -> None:
    item, annotator = (np.array(each) for each in zip(*product(range(12), range(4)), strict=True))
    found = population_intervals(Votes(item, annotator, item, item % 2, K), MAKERS)
    assert {(each.low, each.note) for each in found} == {(None, NO_SPREAD)}


def test_the_interval_ends_at_one() -> None:
    item, annotator = (np.array(each) for each in zip(*product(range(6), range(3)), strict=True))
    code = np.where((item == 0) & (annotator == 0), 1 - item % 2, item % 2)
    assert {each.high for each in population_intervals(Votes(item, annotator, item, code, K), MAKERS)} == {1.0}


def test_intervals_hold_agreement_among_all_where_those_for_these_annotators_do_not() -> None:
    """Three people who rate everything; a claim fails only where chance would do so once in a thousand times."""
    (_, new), (_, these) = studied(LAYOUTS["100 items, all of 3 people"], 200)
    assert stats.binom.cdf(new.covered, new.n, 0.93) > 0.001
    assert stats.binom.cdf(these.covered, these.n, 0.85) < 0.001


def test_no_coefficient_has_no_interval() -> None:
    assert population_intervals(rated(), []) == []
