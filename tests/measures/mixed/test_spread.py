"""Answers of sources: unequal variances are named, and so are intervals that rest on a handful of answers."""

import numpy as np
import pytest

from bench.unequal_rates import FEWEST_COVERED, STUDIES, by_rate, of_study
from measures.mixed.design import Ratings
from measures.mixed.sources import SourceComparison, compare_sources
from measures.mixed.spread import Spread, share_spread, unequal_variances
from measures.mixed.words import unequal_sentence


def rated(*ones: int, dialogues: int = 40, annotators: int = 3) -> SourceComparison:
    """Compare sources of which this many answers are 1, spread over dialogues and annotators."""
    s, c, a = (each.ravel() for each in np.indices((len(ones), dialogues, annotators)))
    value, size = np.zeros((len(ones), dialogues * annotators)), dialogues * annotators
    for source, n in enumerate(ones):
        value[source, np.random.default_rng(source).permutation(size)[:n]] = 1
    ratings = Ratings(s, (a + c) % 9, c, np.zeros_like(c), value.ravel())
    return compare_sources(ratings, len(ones), bounds=(0.0, 1.0))


def shares(*pairs: tuple[int, int]) -> tuple[Spread, ...]:
    return tuple(share_spread(at, ones, n) for at, (ones, n) in enumerate(pairs))


def test_a_rare_answer_beside_ordinary_ones_names_whose_intervals_are_too_narrow_and_whose_too_wide() -> None:
    found = rated(2, 55, 60)
    assert found.unequal_variances is not None
    assert found.unequal_variances.ratio > 5
    assert (found.unequal_variances.too_narrow, found.unequal_variances.too_wide) == ((1, 2), (0,))
    said = unequal_sentence(found, ["mild", "plain", "sharp"])
    assert "too narrow for plain and sharp and too wide for mild" in said
    assert "--odds-ratios" in said


@pytest.mark.parametrize("ones", [(60, 60, 60), (48, 60, 72), (6, 9, 5)])
def test_equal_variances_are_not_warned_of_nor_those_that_differ_by_chance(ones: tuple[int, ...]) -> None:
    found = rated(*ones)
    assert found.unequal_variances is None
    assert unequal_sentence(found, "abc") == ""


def test_the_same_shares_of_few_answers_are_noise() -> None:
    assert unequal_variances(shares((1, 8), (4, 8))) is None
    assert unequal_variances(shares((20, 160), (80, 160))) is not None
    assert unequal_variances(shares((20, 160))) is None


def on_a_scale(*answers: tuple[int, ...], dialogues: int = 40) -> SourceComparison:
    """Compare sources, each with these answers in turn, by three of nine annotators."""
    s, c, a = (each.ravel() for each in np.indices((len(answers), dialogues, 3)))
    value = np.array([np.resize(each, dialogues * 3) for each in answers], float).ravel()
    return compare_sources(Ratings(s, (a + c) % 9, c, np.zeros_like(c), value), len(answers), bounds=(1.0, 5.0))


def test_a_source_with_nearly_all_answers_at_the_end_of_a_scale_is_named_as_rare_answers_are() -> None:
    found = on_a_scale((1, 2, 3, 4, 5, 3, 2), (2, 3, 4, 1, 5, 4, 3), (1, 1, 1, 2, 1, 1, 1))
    assert found.unequal_variances is not None
    assert (found.unequal_variances.too_narrow, found.unequal_variances.too_wide) == ((0, 1), (2,))
    said = unequal_sentence(found, ["mild", "plain", "sharp"])
    assert "Answers of one source vary more than those of another" in said
    assert "shares" not in said.replace("odds", "")
    assert "too narrow for mild and plain and too wide for sharp" in said
    assert "--odds-ratios" in said


def test_equal_variances_on_a_scale_are_not_warned_of_nor_is_a_source_without_any() -> None:
    assert on_a_scale((1, 2, 3, 4, 5, 3, 2), (5, 4, 3, 2, 1, 3, 4)).unequal_variances is None
    assert on_a_scale((1, 2, 3, 4, 5, 3, 2), (1, 1)).unequal_variances is not None
    assert on_a_scale((3, 3), (2, 2)).unequal_variances is None


def test_without_an_interval_nothing_is_too_narrow() -> None:
    found = rated(0, 120)
    assert found.means[0].estimate.interval_note == "no_spread"
    assert found.unequal_variances is None


@pytest.mark.parametrize("few", [0, 1, 4, 116, 119, 120])
def test_fewer_than_five_answers_of_the_rarer_kind_mark_the_source_and_its_differences(few: int) -> None:
    found = rated(few, 40, 60)
    assert [each.estimate.interval_note for each in found.means] == ["rare_answer", None, None]
    assert [each.estimate.interval_note for each in found.differences] == ["rare_answer", "rare_answer", None]


def test_five_answers_are_not_marked() -> None:
    assert {each.estimate.interval_note for each in rated(5, 115, 60).differences} == {None}


def test_noise_beyond_the_scale_is_put_at_its_end_without_a_mark() -> None:
    """A kind annotator rates both, a harsh one the first: the model moves the second mean, here beyond the scale."""
    c = np.arange(24)
    source, annotator = np.repeat([0, 0, 1], 24), np.repeat([0, 1, 0], 24)
    value = np.concatenate([1.0 + c % 3, 4.0 + c % 2, 5.0 - (c % 4 == 0)])
    ratings = Ratings(source, annotator, np.tile(c, 3), np.zeros(72, int), value)
    free = compare_sources(ratings, 2).means[1].estimate.value
    assert free is not None
    for beyond, note in ((3e-4, None), (6e-4, "beyond_scale")):
        found = compare_sources(ratings, 2, bounds=(1.0, free - beyond)).means[1].estimate
        assert found.value == found.high == free - beyond
        assert found.interval_note in ({note} if note else {None, "unreliable"})


def test_intervals_hold_where_rates_differ_as_much_as_goes_without_a_warning() -> None:
    """`./dev bench --only unequal-rates` has more designs and more studies."""
    found = of_study(STUDIES["90 independent dialogues"], (0.32, 0.32, 0.5), 60)
    assert min(by_rate(found.means, (0.32, 0.32, 0.5))) > FEWEST_COVERED - 3 * 100 * np.sqrt(0.05 * 0.95 / 60)
