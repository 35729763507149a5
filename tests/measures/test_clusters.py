from functools import partial

import numpy as np
import pytest

from measures import clusters as module
from measures.agreement import fleiss_kappa, fleiss_kernel
from measures.alpha import alpha_kernel
from measures.clusters import Clusters, cluster_bootstrap_intervals
from measures.histograms import Histogram
from measures.intervals import bootstrap_interval, replicates


def grouped(n_groups: int = 60, size: int = 4, alike: float = 0.8) -> tuple[np.ndarray, np.ndarray]:
    """Items of a group mostly share how much their raters agree."""
    rng = np.random.default_rng(1)
    group = np.repeat(np.arange(n_groups), size)
    share = np.where(rng.random(len(group)) < alike, rng.choice([0.02, 0.5, 0.98], n_groups)[group], 0.5)
    yes = rng.binomial(3, share)
    return group, np.column_stack([yes, 3 - yes])


def naive(group: np.ndarray, tallies: np.ndarray, n: int) -> np.ndarray:
    rng = np.random.default_rng(2)
    members = [tallies[group == g] for g in np.unique(group)]
    draws = (np.concatenate([members[g] for g in rng.integers(0, len(members), len(members))]) for _ in range(n))
    return np.array([fleiss_kappa(Histogram.from_tallies(draw)).value for draw in draws], float)


@pytest.mark.parametrize("cost", [0, 1_000_000])
def test_whole_groups_are_drawn(cost: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MULTINOMIAL_COST", cost)
    group, tallies = grouped()
    clusters = Clusters.from_tallies(group, tallies)
    kernel = clusters.kernel(fleiss_kernel(clusters.histogram.patterns))
    ours = replicates(clusters.counts, kernel, 3000, 3, module.drawn_groups)
    theirs = naive(group, tallies, 400)
    assert ours.mean() == pytest.approx(theirs.mean(), abs=0.015)
    assert ours.std() == pytest.approx(theirs.std(), rel=0.15)


def test_groups_of_alike_items_make_wider_intervals() -> None:
    group, tallies = grouped()
    clusters = Clusters.from_tallies(group, tallies)
    assert (clusters.n_groups, clusters.histogram) == (60, Histogram.from_tallies(tallies))
    [wide] = cluster_bootstrap_intervals(clusters, [fleiss_kernel], seed=1)
    narrow = bootstrap_interval(clusters.histogram, fleiss_kernel, seed=1)
    assert wide.high - wide.low > 1.15 * (narrow.high - narrow.low)  # type: ignore[operator]
    assert [wide] == cluster_bootstrap_intervals(clusters, [fleiss_kernel], seed=1)


def test_intervals_of_several_coefficients_are_those_of_each_alone() -> None:
    clusters = Clusters.from_tallies(*grouped())
    makers = [fleiss_kernel, partial(alpha_kernel, scale="ordinal")]
    alone = [cluster_bootstrap_intervals(clusters, [maker], seed=1)[0] for maker in makers]
    assert cluster_bootstrap_intervals(clusters, makers, seed=1) == alone
    assert alone[0] != alone[1]


def test_a_table_too_wide_for_memory_is_added_up_sparsely(monkeypatch: pytest.MonkeyPatch) -> None:
    clusters = Clusters.from_tallies(*grouped())
    drawn = module.drawn_groups(clusters.counts, 50, np.random.default_rng(1)).astype(float)
    dense = clusters.kernel(lambda patterns: patterns)(drawn)
    monkeypatch.setattr(module, "CELLS_PER_BLOCK", 1)
    np.testing.assert_array_equal(clusters.kernel(lambda patterns: patterns)(drawn), dense)
    assert (dense.sum(axis=1) == 240).all()


def test_groups_of_one_item_are_the_item_bootstrap() -> None:
    _, tallies = grouped(alike=0)
    clusters = Clusters.from_tallies(np.arange(len(tallies)), tallies)
    [single] = cluster_bootstrap_intervals(clusters, [fleiss_kernel], seed=1, n_resamples=4000)
    plain = bootstrap_interval(Histogram.from_tallies(tallies), fleiss_kernel, seed=1, n_resamples=4000)
    assert (single.low, single.high) == pytest.approx((plain.low, plain.high), abs=0.012)


def test_groups_of_the_same_patterns_are_of_one_kind_in_any_order() -> None:
    tallies = [[2, 0], [1, 1], [1, 1], [2, 0], [0, 2], [0, 0]]
    clusters = Clusters.from_tallies(["a", "a", "b", "b", "c", "d"], tallies)
    assert sorted(clusters.counts.tolist()) == [1, 2]
    assert clusters.n_groups == 3


def test_one_group_has_no_interval() -> None:
    for clusters in (Clusters.from_tallies([1], [[0, 0]]), Clusters.from_tallies([1, 1], [[2, 0], [1, 1]])):
        [found] = cluster_bootstrap_intervals(clusters, [fleiss_kernel], seed=1)
        assert (found.low, found.note) == (None, "too_few_items")
