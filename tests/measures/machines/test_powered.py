"""Means that a judge sharpens: what is undefined, and how many further items are worth it."""

import numpy as np
import pytest

from measures.machines.powered import (
    JUDGE_IS_THE_LIMIT,
    NO_LABELS,
    TOO_FEW_JUDGED,
    Part,
    powered_difference,
    powered_mean,
)


def study(
    n_rated: int, n: int, noise: float, *, bias: float = 0.0, seed: int = 1, size: int = 5, shared: float = 0.5
) -> Part:
    """Conversations of `size` items that share some of their variance; people rate whole conversations."""
    rng = np.random.default_rng(seed)
    cluster = np.arange(n) // size
    truth = np.sqrt(shared) * rng.normal(size=n // size + 1)[cluster] + np.sqrt(1 - shared) * rng.normal(size=n)
    return Part(np.where(np.arange(n) < n_rated, truth, np.nan), bias + truth + rng.normal(0, noise, n), cluster)


def width(part: Part) -> float:
    found = powered_mean(part).estimate
    assert found.low is not None
    return found.high - found.low


def test_a_good_judge_narrows_the_interval_and_its_bias_drops_out():
    honest, biased = (powered_mean(study(200, 5000, 0.3, bias=bias)) for bias in (0.0, 7.0))
    assert biased.estimate.value == pytest.approx(honest.estimate.value)
    assert biased.estimate.low == pytest.approx(honest.estimate.low)
    assert honest.estimate.standard_error < honest.people.standard_error / 2


def test_a_useless_judge_costs_nothing():
    part = study(200, 5000, 0.3)
    useless = Part(part.human, np.random.default_rng(2).permutation(part.judge), part.cluster)
    found = powered_mean(useless)
    assert found.estimate.standard_error <= found.people.standard_error


def test_a_judge_that_orders_the_wrong_way_is_not_used():
    part = study(200, 5000, 0.3)
    found = powered_mean(Part(part.human, -part.judge, part.cluster))
    assert (found.power, found.estimate) == (0.0, found.people)


@pytest.mark.parametrize("judge", ["the same everywhere", "on rated items only"])
def test_a_judge_that_says_nothing_new_leaves_the_mean_of_people(judge):
    part = study(200, 400, 0.3)
    if judge == "the same everywhere":
        part = Part(part.human, np.ones(400), part.cluster)
    else:
        part = Part(part.human[:200], part.judge[:200], part.cluster[:200])
    found = powered_mean(part)
    assert found.power == 0.0
    assert found.estimate.value == pytest.approx(np.nanmean(part.human))


def test_without_ratings_there_is_a_reason():
    found = powered_mean(study(0, 100, 0.3))
    assert (found.estimate.value, found.estimate.reason, found.further.reason) == (None, NO_LABELS, NO_LABELS)
    assert powered_difference(found, powered_mean(study(50, 100, 0.3))).reason == NO_LABELS


@pytest.mark.parametrize(("n_rated", "note"), [(45, "too_few_items"), (50, "unreliable"), (100, None)])
def test_few_rated_conversations_have_no_interval_or_one_that_is_marked(n_rated, note):
    assert powered_mean(study(n_rated, 1000, 0.3)).estimate.interval_note == note


def test_two_sources_on_the_same_conversations_differ_less_than_apart():
    """What conversations share falls out of the difference if both sources answered them."""
    rng = np.random.default_rng(3)
    base = study(200, 400, 0.3, shared=0.9)
    noise = rng.normal(0, 0.2, (2, 400))
    first, second = (powered_mean(Part(base.human + each, base.judge + each, base.cluster)) for each in noise)
    apart = powered_mean(Part(base.human + noise[1], base.judge + noise[1], base.cluster + 1000))
    together, separate = powered_difference(first, second), powered_difference(first, apart)
    assert together.value == pytest.approx(separate.value)
    assert together.standard_error < separate.standard_error / 2


def test_with_a_useless_judge_four_times_the_items_halve_the_interval():
    part = study(200, 5000, 0.3)
    assert powered_mean(Part(part.human, np.ones(5000), part.cluster)).further.n == 600


def test_so_many_further_items_do_halve_the_interval():
    further = powered_mean(study(200, 20000, 0.4)).further.n
    assert further is not None
    ratio = width(study(200 + further, 20000, 0.4)) / width(study(200, 20000, 0.4))
    assert ratio == pytest.approx(0.5, abs=0.04)


def test_if_the_judge_has_too_few_items_or_is_the_limit_no_number_is_enough():
    assert powered_mean(study(200, 600, 3.0)).further.reason == TOO_FEW_JUDGED
    assert powered_mean(study(400, 600, 0.1)).further.reason == JUDGE_IS_THE_LIMIT


def test_without_an_interval_there_is_nothing_to_halve():
    alike = Part(np.where(np.arange(200) < 100, 1.0, np.nan), np.ones(200), np.arange(200))
    found = powered_mean(alike)
    assert (found.further.n, found.further.reason) == (None, "no_spread")
