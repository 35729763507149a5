"""Sides are drawn fairly: for each annotator, for each pair, and repeatably."""

import itertools
import random
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from annotation.sides import choose_pairs, draw_sides

SOURCES = "abcdefg"
seeds = st.integers(0, 2**31)
edges = st.tuples(st.sampled_from(SOURCES), st.sampled_from(SOURCES)).filter(lambda pair: pair[0] < pair[1])


def leanings(pairs, swapped, before=()):
    """How much more often each source stands on the left than on the right."""
    found = Counter(dict(before))
    for (first, second), is_swapped in zip(pairs, swapped, strict=True):
        found[first] += -1 if is_swapped else 1
        found[second] += 1 if is_swapped else -1
    return found


def all_pairs(n_sources, n_histories):
    return list(itertools.combinations(SOURCES[:n_sources], 2)) * n_histories


def widest(found):
    return max(map(abs, found.values()), default=0)


@given(st.lists(st.tuples(edges, st.integers(-3, 3)), max_size=80), seeds)
def test_each_source_is_left_as_often_as_right_within_one_whatever_others_saw(drawn, seed):
    pairs, seen = [pair for pair, _ in drawn], [lean for _, lean in drawn]
    assert widest(leanings(pairs, draw_sides(pairs, seen, random.Random(seed)))) <= 1


@given(st.lists(edges, max_size=8), st.lists(edges, max_size=6), seeds)
def test_with_earlier_batches_no_other_draw_would_be_more_equal(earlier, pairs, seed):
    rng = random.Random(seed)
    before = leanings(earlier, draw_sides(earlier, [0] * len(earlier), rng))
    drawn = leanings(pairs, draw_sides(pairs, [0] * len(pairs), rng, before), before)

    def spread(found):
        return sum(lean**2 for lean in found.values())

    every = (leanings(pairs, way, before) for way in itertools.product([False, True], repeat=len(pairs)))
    assert spread(drawn) == min(map(spread, every))


@given(st.integers(2, 6), st.lists(st.integers(1, 8), min_size=1, max_size=6), seeds)
def test_over_all_batches_of_all_pairs_each_source_is_left_as_often_as_right_within_one(n_sources, sizes, seed):
    rng, found = random.Random(seed), Counter()
    for n_histories in sizes:
        pairs = all_pairs(n_sources, n_histories)
        found = leanings(pairs, draw_sides(pairs, [0] * len(pairs), rng, found), found)
        assert widest(found) <= 1


def test_a_thousand_pairs_are_balanced_for_each_of_six_annotators_and_over_the_seats_of_each_pair():
    pairs, rng = all_pairs(5, 100), random.Random(7)
    seen = [0] * len(pairs)
    for n_seats in range(1, 7):
        swapped = draw_sides(pairs, seen, rng)
        assert widest(leanings(pairs, swapped)) <= 1
        seen = [lean + (-1 if each else 1) for lean, each in zip(seen, swapped, strict=True)]
        assert max(map(abs, seen)) == n_seats % 2
    assert len(pairs) == 1000


def test_the_sides_of_a_thousand_pairs_do_not_follow_the_order_of_the_sources():
    pairs = all_pairs(5, 100)
    swapped = draw_sides(pairs, [0] * len(pairs), random.Random(3))
    assert 400 < sum(swapped) < 600
    assert swapped == draw_sides(pairs, [0] * len(pairs), random.Random(3))
    assert swapped != draw_sides(pairs, [0] * len(pairs), random.Random(4))


@given(st.integers(2, 6), st.integers(1, 40), st.integers(1, 6), seeds)
def test_chosen_pairs_are_shown_equally_often_within_one(n_sources, n_histories, k, seed):
    pairs = all_pairs(n_sources, 1)
    chosen = choose_pairs([pairs] * n_histories, k, random.Random(seed))
    assert all(len(each) == len(set(each)) == min(k, len(pairs)) for each in chosen)
    shown = Counter(dict.fromkeys(pairs, 0)) | Counter(pair for each in chosen for pair in each)
    counts = [shown[pair] for pair in pairs]
    assert max(counts) - min(counts) <= 1


@given(st.integers(3, 6), st.integers(1, 40), seeds)
def test_with_one_pair_a_history_sources_are_shown_nearly_equally_often(n_sources, n_histories, seed):
    chosen = choose_pairs([all_pairs(n_sources, 1)] * n_histories, 1, random.Random(seed))
    counts = Counter(source for each in chosen for pair in each for source in pair)
    assert max(counts.values()) - min(counts[source] for source in SOURCES[:n_sources]) <= 2


def test_a_later_deal_shows_what_an_earlier_one_showed_least():
    pairs = all_pairs(3, 1)
    assert choose_pairs([pairs], 1, random.Random(1), [pairs[0], pairs[1]]) == [[pairs[2]]]
