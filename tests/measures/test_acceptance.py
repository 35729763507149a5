"""The sample of a batch and its outcome, against counts by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measures.acceptance import (
    FixedRule,
    SharesRule,
    decide_by_errors,
    decide_by_shares,
    draw_sample,
    errors_allowed,
)
from measures.intervals import wilson


# --- the sample --------------------------------------------------------------------------------------
def test_the_sample_is_drawn_without_replacement_and_follows_from_its_seed():
    labels = np.arange(2000) % 3
    one, same, other = (draw_sample(labels, 100, seed) for seed in (7, 7, 8))
    assert len(set(one.places.tolist())) == 100
    assert one.places.tolist() == same.places.tolist()
    assert one.places.tolist() != other.places.tolist()


def test_every_item_is_as_likely_as_every_other():
    counts = np.zeros(50)
    for seed in range(4000):
        counts[draw_sample(np.zeros(50, int), 10, seed).places] += 1
    assert np.abs(counts / 4000 - 0.2).max() < 4 * np.sqrt(0.2 * 0.8 / 4000)


def test_a_topped_up_class_is_a_random_sample_of_its_items():
    labels = np.array([0] * 60 + [1] * 940)
    counts = np.zeros(60)
    n_topped_up = 0
    for seed in range(3000):
        sample = draw_sample(labels, 100, seed, SharesRule())
        of_class = sample.places[labels[sample.places] == 0]
        if sample.is_top_up.any():
            assert len(of_class) == 30
            counts[of_class] += 1
            n_topped_up += 1
    assert n_topped_up > 2000  # six are expected among a hundred
    assert np.abs(counts / n_topped_up - 0.5).max() < 4.5 * np.sqrt(0.25 / n_topped_up)


def test_no_class_is_topped_up_that_has_enough_or_where_classes_are_not_asked():
    labels = np.array([0] * 5 + [1] * 995)
    assert not draw_sample(labels, 100, 1, SharesRule(least_of_class=0)).is_top_up.any()
    assert not draw_sample(labels, 100, 1).is_top_up.any()
    assert not draw_sample(np.arange(300) % 2, 100, 1, SharesRule()).is_top_up.any()


@pytest.mark.parametrize(("n_drawn", "n_extra"), [(9, 21), (10, 0)])
def test_a_class_with_exactly_as_many_draws_as_it_needs_gets_no_more(n_drawn: int, n_extra: int):
    labels = np.array([0] * 100 + [1] * 900)
    seed = next(n for n in range(1000) if (labels[draw_sample(labels, 100, n).places] == 0).sum() == n_drawn)
    assert draw_sample(labels, 100, seed, SharesRule()).is_top_up.sum() == n_extra


def test_extra_draws_stand_among_the_others_where_their_place_tells_nothing():
    labels = np.array([0] * 280 + [1] * 20)
    samples = [draw_sample(labels, 100, seed, SharesRule()) for seed in range(50)]
    with_extra = [sample.is_top_up for sample in samples if sample.is_top_up.any()]
    assert len(with_extra) > 20
    places = np.concatenate([np.flatnonzero(extra) / len(extra) for extra in with_extra])
    assert 0.4 < places.mean() < 0.6  # of all places, from 0 to 1
    assert not all(extra[-extra.sum() :].all() for extra in with_extra)


def test_a_small_batch_is_drawn_whole():
    assert sorted(draw_sample(np.zeros(30, int), 100, 1, SharesRule()).places.tolist()) == list(range(30))
    assert len(draw_sample(np.zeros(0, int), 100, 1, SharesRule()).places) == 0


# --- shares ------------------------------------------------------------------------------------------
def shares(table: list[list[int]], sizes: list[int], **rule: float):
    return decide_by_shares(table, sizes, SharesRule(**rule), is_weighted=False)  # type: ignore[arg-type]


def test_ninety_two_of_a_hundred_are_enough_and_ninety_one_are_not():
    assert shares([[46, 4], [4, 46]], [900, 900]).outcome == "accept"
    assert shares([[45, 5], [4, 46]], [900, 900]).outcome == "return"


def test_a_class_below_its_share_returns_a_batch_that_is_good_overall():
    found = shares([[17, 3], [0, 80]], [400, 1600])
    assert found.overall.share == 0.97
    assert [each.outcome for each in found.classes] == ["fail", "pass"]
    assert found.outcome == "return"


@pytest.mark.parametrize(("n", "allowed"), [(5, 0), (9, 0), (10, 1), (19, 1), (20, 2), (29, 2), (30, 3), (50, 5)])
def test_the_errors_that_ninety_per_cent_allow(n: int, allowed: int):
    assert errors_allowed(n, 0.90) == allowed


def test_a_class_with_too_few_draws_neither_passes_nor_fails():
    for right in (0, 9):
        found = shares([[right, 9 - right], [0, 91]], [30, 1970], fewest_of_class=10, least_overall=0.9)
        assert found.classes[0].outcome == "not_assessable"
        assert found.outcome == "accept"


def test_without_an_assessable_class_there_is_no_outcome():
    assert shares([[9, 0], [0, 9]], [9, 10]).outcome == "not_assessable"
    assert shares([[9, 0], [0, 9]], [9, 10], least_of_class=0).outcome == "accept"
    assert shares([[0, 0], [0, 0]], [0, 0]).outcome == "not_assessable"
    assert shares([[0, 0], [0, 0]], [0, 0], least_of_class=0).outcome == "not_assessable"


def test_a_batch_that_was_checked_completely_is_decided_by_its_shares():
    found = shares([[9, 0], [0, 4]], [9, 4])
    assert ([each.outcome for each in found.classes], found.outcome) == (["pass", "pass"], "accept")
    found = shares([[9, 0], [1, 3]], [9, 4])
    assert ([each.outcome for each in found.classes], found.outcome) == (["pass", "fail"], "return")


def test_a_class_without_items_is_no_class():
    found = shares([[50, 0, 0], [0, 50, 0], [0, 0, 0]], [900, 900, 0])
    assert [each.outcome for each in found.classes] == ["pass", "pass", ""]


def test_answers_that_are_no_label_are_errors():
    assert shares([[46, 0, 4, 0], [0, 46, 0, 5]], [900, 900]).n_errors == 9


def test_topped_up_classes_count_by_their_share_of_the_batch():
    table, sizes = [[15, 15], [4, 96]], [60, 1940]
    found = decide_by_shares(table, sizes, SharesRule(), is_weighted=True)
    assert found.overall.share == pytest.approx(0.03 * 0.5 + 0.97 * 0.96)
    # of all that the controller gave the first label: 15 that stand for 2 each, and 4 that stand for 19.4
    assert found.classes[0].recall.share == pytest.approx(30 / (30 + 4 * 19.4))
    plain = decide_by_shares(table, sizes, SharesRule(), is_weighted=False)
    assert plain.overall.share == pytest.approx(111 / 130)


def test_intervals_are_wilsons_and_weights_make_them_wider():
    found = shares([[46, 4], [4, 46]], [900, 900])
    known = wilson(92, 100)
    assert (found.overall.low, found.overall.high) == pytest.approx((known.low, known.high))
    known = wilson(46, 50)
    assert (found.classes[0].accuracy.low, found.classes[0].accuracy.high) == pytest.approx((known.low, known.high))
    perfect = decide_by_shares([[30, 0], [0, 100]], [60, 1940], SharesRule(), is_weighted=True).overall
    assert perfect.high == 1.0
    assert perfect.low is not None
    assert perfect.low < (wilson(130, 130).low or 0)


def test_impossible_tables_are_refused():
    for table, sizes in (([[5, 0]], [4]), ([[1, 0], [0, 1]], [4]), ([[1]], [4, 4]), ([[-1, 0], [0, 1]], [4, 4])):
        with pytest.raises(ValueError, match=r"more items|one row"):
            shares(table, sizes)


@given(
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), min_size=1, max_size=4),
    st.integers(0, 300),
    st.sampled_from([0.0, 0.8, 0.9, 0.95]),
)
def test_the_outcome_equals_counting(classes: list[tuple[int, int]], extra: int, least: float):
    """(right, wrong) of each class; compared with whole numbers, as one would by hand."""
    table = np.zeros((len(classes), len(classes) + 1), int)
    for at, (right, wrong) in enumerate(classes):
        table[at, at], table[at, -1] = right, wrong
    sizes = table.sum(axis=1) + extra
    found = shares(table.tolist(), sizes.tolist(), least_of_class=least)
    n, wrong = table.sum(), sum(each for _, each in classes)
    fewest = 10 if extra else 1
    assessable = [(r, w) for r, w in classes if r + w >= fewest]
    if n == 0 or (least and not assessable):
        assert found.outcome == "not_assessable"
        return
    passes = all(w * 1000 <= (r + w) * round(1000 - 1000 * least) for r, w in assessable) or not least
    assert found.outcome == ("accept" if 100 * wrong <= 8 * n and passes else "return")


# --- errors ------------------------------------------------------------------------------------------
def test_a_fixed_sample_allows_so_many_errors():
    rule = FixedRule(233, 17)
    assert decide_by_errors([[100, 17], [0, 116]], [1000, 1000], rule).outcome == "accept"
    assert decide_by_errors([[100, 18], [0, 115]], [1000, 1000], rule).outcome == "return"


def test_a_batch_smaller_than_the_sample_is_allowed_fewer_errors():
    rule = FixedRule(200, 20)
    assert decide_by_errors([[90, 10]], [100], rule).outcome == "accept"
    assert decide_by_errors([[89, 11]], [100], rule).outcome == "return"
    assert decide_by_errors([[0, 0]], [0], rule).outcome == "not_assessable"
