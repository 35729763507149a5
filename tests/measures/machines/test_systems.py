"""Orders of sources by people and by a judge, and the items to look at."""

import numpy as np
import pytest

from measures.estimate import NO_SPREAD, NO_VARIATION, TOO_FEW_ITEMS
from measures.machines.ceiling import INTERVAL, NOMINAL
from measures.machines.judged import Judged
from measures.machines.powered import Part
from measures.machines.systems import TOO_FEW_SOURCES, compare_systems, widest_gaps


def of_means(people: list[float], judge: list[float], n: int = 30) -> tuple[Part, np.ndarray]:
    """Sources with these means on each of n conversations."""
    source = np.tile(np.arange(len(people)), n)
    return Part(np.array(people)[source], np.array(judge)[source], np.repeat(np.arange(n), len(people))), source


def test_one_pair_of_three_the_other_way_round():
    found = compare_systems(*of_means([1, 2, 3], [1, 3, 2]), 3)
    assert found.kendall.value == pytest.approx(1 / 3)
    assert found.pairwise_accuracy.value == pytest.approx(2 / 3)
    assert (found.people.tolist(), found.judge.tolist()) == ([1, 2, 3], [1, 3, 2])


def test_a_tie_of_both_is_right_and_a_tie_of_one_is_wrong():
    assert compare_systems(*of_means([1, 1, 2], [5, 5, 6]), 3).pairwise_accuracy.value == 1.0
    assert compare_systems(*of_means([1, 1, 2], [5, 6, 7]), 3).pairwise_accuracy.value == pytest.approx(2 / 3)


def test_a_judge_that_ties_all_has_no_tau():
    found = compare_systems(*of_means([1, 2, 3], [5, 5, 5]), 3)
    assert (found.kendall.reason, found.pairwise_accuracy.value) == (NO_VARIATION, 0.0)


def test_one_source_has_no_order():
    found = compare_systems(*of_means([1], [1]), 1)
    assert [found.kendall.reason, found.pairwise_accuracy.reason] == [TOO_FEW_SOURCES] * 2


def test_a_source_that_people_never_rated_is_left_out():
    part, source = of_means([1, 2, 3], [1, 2, 0])
    some = Part(np.where(source == 2, np.nan, part.human), part.judge, part.cluster)
    found = compare_systems(some, source, 3)
    assert (found.kendall.value, found.kendall.n_items) == (1.0, 2)
    assert np.isnan(found.people[2])


@pytest.mark.parametrize(("n", "note"), [(9, TOO_FEW_ITEMS), (12, "unreliable"), (40, None)])
def test_intervals_need_conversations(n, note):
    rng = np.random.default_rng(1)
    source, cluster = np.tile(np.arange(4), n), np.repeat(np.arange(n), 4)
    truth = source * 0.3 + rng.normal(size=4 * n)
    found = compare_systems(Part(truth, truth + rng.normal(size=4 * n), cluster), source, 4).kendall
    assert found.interval_note == note
    assert (found.low is None) == (n < 10)


def test_the_same_seed_gives_the_same_interval():
    rng = np.random.default_rng(2)
    part, source = of_means([1, 2, 3], [1, 2, 3])
    noisy = Part(part.human + rng.normal(size=90), part.judge + rng.normal(size=90), part.cluster)
    first, second = (compare_systems(noisy, source, 3, seed=4) for _ in range(2))
    assert first.kendall == second.kendall


def test_items_on_which_all_people_contradict_the_judge_come_first():
    judged = Judged.of([0, 0, 1, 1, 2, 2, 2, 3, 3], [0, 1] * 2 + [0, 1, 2] + [0, 1], [1, 1, 1, 2, 1, 1, 1, 0, 0],
                       [0, 1, 0, 0])  # fmt: skip
    found = widest_gaps(judged, NOMINAL)
    assert [(each.item, each.gap) for each in found] == [(2, 1.0), (0, 1.0), (1, 0.5)]
    assert len(widest_gaps(judged, NOMINAL, most=1)) == 1


def test_numbers_differ_by_the_distance_to_their_mean():
    judged = Judged.of([0, 0, 1, 1], [0, 1, 0, 1], [1, 3, 4, 4], [5, 4])
    [only] = widest_gaps(judged, INTERVAL)
    assert (only.item, only.gap, only.spread, only.n_votes) == (0, 3.0, 1.0, 2)


def test_items_without_votes_or_answers_are_not_listed():
    judged = Judged.of([0, 1], [0, 0], [1, 1], [np.nan, 1, 0])
    assert widest_gaps(judged, NOMINAL) == []


def test_where_every_resample_gives_the_same_order_both_values_say_so():
    found = compare_systems(*of_means([1, 2, 3], [1, 2, 3]), 3)
    for each in (found.kendall, found.pairwise_accuracy):
        assert (each.value, each.low, each.interval_note) == (1.0, None, NO_SPREAD)


def test_a_few_resamples_in_another_order_do_not_leave_an_interval_without_width():
    """One conversation of 60 is the other way round, and far enough to turn the order if it is drawn several times."""
    n = 60
    people, judge = np.tile([0.0, 1.0], n), np.tile([0.0, 1.0], n)
    people[:2] = [9.0, 0.0]
    part = Part(people, judge, np.repeat(np.arange(n), 2))
    found = compare_systems(part, np.tile([0, 1], n), 2)
    assert (found.pairwise_accuracy.value, found.pairwise_accuracy.low) == (1.0, None)
    assert found.pairwise_accuracy.interval_note == NO_SPREAD
