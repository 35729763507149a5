"""What a comparison says where there is little to say: a value or a reason, and no p from nothing."""

from dataclasses import replace

import numpy as np
import pytest

from measures.comparison import holm
from measures.mixed.design import Ratings
from measures.mixed.robust import plain_differences
from measures.mixed.sources import SourceComparison, compare_sources
from measures.mixed.words import left_out_sentences, method_sentence
from tests.measures.mixed.reading import study


def crossed(conversations: int = 12, sources: int = 2, annotators: int = 4, seed: int = 1) -> Ratings:
    c, s, a = (each.ravel() for each in np.indices((conversations, sources, annotators)))
    rng = np.random.default_rng(seed)
    value = rng.normal(size=conversations)[c] + rng.normal(size=annotators)[a] + rng.normal(size=len(c)) + s
    return Ratings(s, a, c, np.zeros_like(c), value)


def notes(found: SourceComparison) -> set[str | None]:
    return {each.estimate.interval_note for each in (*found.means, *found.differences)}


def assert_withheld(found: SourceComparison, note: str) -> None:
    assert notes(found) == {note}
    for each in (*found.means, *found.differences):
        assert each.estimate.low is each.estimate.high is None
    for each in found.differences:
        assert each.p_value is each.adjusted_p is each.effect is each.degrees_of_freedom is None


def test_differences_are_of_means_and_corrected_after_holm() -> None:
    found = compare_sources(crossed(sources=3), 3)
    assert [(each.first, each.second) for each in found.differences] == [(0, 1), (0, 2), (1, 2)]
    values = [each.estimate.value for each in found.means]
    assert found.differences[1].estimate.value == pytest.approx(values[0] - values[2])
    np.testing.assert_allclose([d.adjusted_p for d in found.differences], holm([d.p_value for d in found.differences]))
    assert notes(found) == {None}


def test_the_effect_is_the_difference_in_standard_deviations_of_a_rating() -> None:
    found = compare_sources(crossed(), 2)
    total = np.sqrt(sum(each.sd**2 for each in found.effects))
    assert found.differences[0].effect == pytest.approx(found.differences[0].estimate.value / total)


def test_a_complete_design_has_the_paired_t_of_dialogues_if_annotators_are_not_known() -> None:
    """With two sources and a rating of each by conversation the model is the paired t test, if conversations matter."""
    c, s = (each.ravel() for each in np.indices((20, 2)))
    rng = np.random.default_rng(1)
    value = 2 * rng.normal(size=20)[c] + rng.normal(size=40) + s / 2
    found = compare_sources(Ratings(s, None, c, np.zeros_like(c), value), 2).differences[0]
    pairs = value.reshape(20, 2)
    apart = pairs[:, 0] - pairs[:, 1]
    assert found.estimate.value == pytest.approx(apart.mean())
    assert found.estimate.standard_error == pytest.approx(apart.std(ddof=1) / np.sqrt(20), rel=1e-4)
    assert found.degrees_of_freedom == pytest.approx(19, rel=1e-3)


def test_one_annotator_has_means_and_no_interval() -> None:
    found = compare_sources(crossed(annotators=1), 2)
    assert_withheld(found, "single_annotator")
    assert found.weighting == "plain"
    assert found.means[0].estimate.value is not None
    assert "one annotator" in " ".join(left_out_sentences(found))


def test_an_annotator_for_each_source_has_no_interval() -> None:
    ratings = crossed(annotators=1)
    assert_withheld(compare_sources(replace(ratings, annotator=ratings.source), 2), "single_annotator")


def test_one_conversation_has_no_interval() -> None:
    assert_withheld(compare_sources(crossed(conversations=1), 2), "single_conversation")


@pytest.mark.parametrize("by_source", [0.0, 1.0])
def test_answers_that_do_not_vary_or_are_separated_have_no_interval(by_source: float) -> None:
    ratings = crossed()
    assert_withheld(compare_sources(replace(ratings, value=by_source * ratings.source), 2), "no_spread")


def test_two_ratings_have_no_interval() -> None:
    few = Ratings(np.array([0, 1]), np.array([0, 1]), np.array([0, 1]), np.array([0, 0]), np.array([1.0, 2.0]))
    assert_withheld(compare_sources(few, 2), "too_few_items")


def test_no_ratings_have_a_reason() -> None:
    nothing = np.zeros(0, np.int64)
    found = compare_sources(Ratings(nothing, nothing, nothing, nothing, np.zeros(0)), 2)
    assert {each.estimate.reason for each in found.means} == {"no_ratings"}
    assert found.differences == ()
    assert (found.n_ratings, found.n_annotators) == (0, 0)


def test_a_source_without_ratings_has_a_reason_and_the_others_keep_their_places() -> None:
    ratings = crossed()
    found = compare_sources(replace(ratings, source=2 * ratings.source), 3)
    assert found.means[1].estimate.reason == "no_ratings"
    assert [(each.first, each.second) for each in found.differences] == [(0, 2)]
    plain = compare_sources(ratings, 2)
    assert found.differences[0].estimate == plain.differences[0].estimate


def test_one_source_has_its_mean_and_no_difference() -> None:
    ratings = crossed(sources=1)
    found = compare_sources(ratings, 1)
    assert found.means[0].estimate.low < found.means[0].estimate.value < found.means[0].estimate.high
    assert found.differences == ()


def test_a_source_without_variance_is_compared() -> None:
    ratings = crossed()
    found = compare_sources(replace(ratings, value=np.where(ratings.source == 0, 3.0, ratings.value)), 2)
    assert found.means[0].estimate.value == pytest.approx(3, abs=0.5)
    assert found.differences[0].p_value is not None


def test_two_annotators_are_unreliable_and_said_so() -> None:
    assert notes(compare_sources(crossed(annotators=2), 2)) <= {"unreliable", "too_few_items"}


def test_ten_thousand_annotators_with_one_item_each_are_compared() -> None:
    rng = np.random.default_rng(2)
    conversation = np.arange(10_000) // 5
    source = conversation % 3
    value = rng.normal(size=2000)[conversation] + rng.normal(size=10_000)
    found = compare_sources(Ratings(source, np.arange(10_000), conversation, np.zeros(10_000, int), value), 3)
    assert [each.effect for each in found.effects] == ["conversation", "residual"]
    assert found.differences[0].p_value is not None


def test_annotators_who_are_too_many_for_the_model_have_the_check_alone() -> None:
    rng = np.random.default_rng(4)
    conversation = np.repeat(np.arange(8000), 3)
    ratings = Ratings(
        np.tile([0, 1, 2], 8000), rng.integers(0, 3000, 24_000), conversation, conversation * 0, rng.normal(size=24_000)
    )
    found = compare_sources(ratings, 3)
    assert_withheld(found, "too_many_annotators")
    assert found.checks[0].estimate.low < found.checks[0].estimate.high


def test_annotators_who_always_agree_count_once() -> None:
    c, s, a = (each.ravel() for each in np.indices((30, 2, 4)))
    value = np.random.default_rng(1).normal(size=(30, 2))[c, s]
    found = compare_sources(Ratings(s, a, c, np.zeros_like(c), value), 2)
    pairs = value.reshape(30, 2, 4)[:, :, 0]
    apart = pairs[:, 0] - pairs[:, 1]
    assert found.differences[0].estimate.standard_error == pytest.approx(apart.std(ddof=1) / np.sqrt(30), rel=1e-4)
    assert {each.reason for each in found.left_out if each.effect.startswith("annotator")} == {"always_agree"}
    assert found.n_ratings == 240


def test_where_no_interval_is_left_means_are_those_of_the_ratings() -> None:
    """Nine ratings by two annotators, of whom one gave a single one: the variances would move both means."""
    source = np.array([0, 1, 1, 0, 0, 0, 0, 1, 0])
    annotator = np.array([1, 0, 1, 1, 1, 1, 1, 1, 1])
    conversation = np.array([2, 3, 3, 0, 2, 0, 0, 2, 0])
    value = np.array([6.0, 6.0, 2.0, 5.0, 3.0, 7.0, 7.0, 5.0, 4.0])
    found = compare_sources(Ratings(source, annotator, conversation, np.zeros(9, int), value), 2)
    assert_withheld(found, "too_few_items")
    assert [each.estimate.value for each in found.means] == pytest.approx([32 / 6, 13 / 3])
    assert (found.weighting, found.effects) == ("plain", ())


def test_effects_that_explain_every_answer_leave_no_interval() -> None:
    ratings = crossed()
    assert_withheld(compare_sources(replace(ratings, value=ratings.annotator + 0.5 * ratings.source), 2), "no_residual")


def test_ends_of_the_scale_are_ends_of_the_intervals_of_means() -> None:
    ratings = crossed(conversations=10, annotators=3)
    value = (np.arange(60) == 7).astype(float)
    found = compare_sources(replace(ratings, value=value), 2, bounds=(0.0, 1.0))
    assert min(each.estimate.low for each in found.means) == pytest.approx(0)
    assert found.is_binary
    assert method_sentence(found).startswith("Linear probability model")


def test_plain_means_stand_beside_the_model_where_annotators_are_many() -> None:
    ratings = study("ordinal")
    found = compare_sources(ratings, 3)
    means = [ratings.value[ratings.source == s].mean() for s in range(3)]
    assert found.checks[0].estimate.value == pytest.approx(means[0] - means[1])
    assert found.checks[0].degrees_of_freedom == 29
    assert compare_sources(study("few_annotators"), 3).checks == ()


def test_two_way_clusters_are_added_and_their_overlap_taken_off() -> None:
    ratings = study("ordinal")
    influence = np.zeros(len(ratings))
    for source, sign in ((0, 1.0), (1, -1.0)):
        own = ratings.source == source
        influence[own] = sign * (ratings.value[own] - ratings.value[own].mean()) / own.sum()
    both = ratings.annotator * 1000 + ratings.conversation
    variance = 0.0
    for groups, sign in ((ratings.annotator, 1), (ratings.conversation, 1), (both, -1)):
        sums = [influence[groups == group].sum() for group in np.unique(groups)]
        variance += sign * np.square(sums).sum() * len(sums) / (len(sums) - 1)
    assert compare_sources(ratings, 3).checks[0].estimate.standard_error == pytest.approx(np.sqrt(variance))


def test_a_check_is_at_least_as_wide_as_with_one_clustering_alone() -> None:
    """Annotators differ, conversations do not: what both count takes off more than the conversations add."""
    conversation, source, annotator = (each.ravel() for each in np.indices((20, 2, 20)))
    apart = np.linspace(-1, 1, 20)
    value = np.where(source == 0, apart[annotator], 0.0)
    found = plain_differences(Ratings(source, annotator, conversation, np.zeros_like(source), value))[0]
    assert found.estimate.standard_error == pytest.approx(np.sqrt(np.square(apart / 20).sum() * 20 / 19))


def test_the_method_names_effects_weighting_and_corrections() -> None:
    said = method_sentence(compare_sources(study("ordinal"), 3))
    assert "annotator, annotator x source, conversation, conversation x source and item" in said
    assert "Satterthwaite" in said
    assert "Holm" in said
    assert "all 1,800 ratings" in said
    assert "generalised least squares" in said


def test_what_is_left_out_is_named_once_and_without_conversations_as_items() -> None:
    found = compare_sources(study("one_vote"), 3)
    assert left_out_sentences(found) == [
        "item: one rating in each, so it is part of the residual",
        "item x source: one rating in each, so it is part of the residual",
    ]
    alone = compare_sources(crossed(annotators=1, sources=2), 2)
    assert left_out_sentences(alone, has_conversations=False)[0] == "annotator: there is only one"


def test_intervals_of_differences_end_at_the_largest_possible_difference() -> None:
    rng = np.random.default_rng(4)
    ratings = crossed(annotators=3, conversations=4)
    value = (rng.random(len(ratings)) < np.where(ratings.source == 0, 0.9, 0.2)).astype(float)
    found = compare_sources(replace(ratings, value=value), 2, bounds=(0.0, 1.0))
    free = compare_sources(replace(ratings, value=value), 2)
    assert free.differences[0].estimate.high > 1
    assert found.differences[0].estimate.high == 1
    assert found.differences[0].p_value == free.differences[0].p_value


def test_a_mean_that_the_model_places_beyond_the_scale_is_its_end() -> None:
    """A harsh annotator alone rates the second source, nearly as high as one can: a kind one would go higher still."""
    c = np.arange(24)
    harsh, kind = 1.0 + c % 3, 4.0 + c % 2
    source, annotator = np.repeat([0, 0, 1], 24), np.repeat([0, 1, 0], 24)
    value = np.concatenate([harsh, kind, 5.0 - (c % 4 == 0)])
    ratings = Ratings(source, annotator, np.tile(c, 3), np.zeros(72, int), value)
    free, bound = compare_sources(ratings, 2), compare_sources(ratings, 2, bounds=(1.0, 5.0))
    assert free.means[1].estimate.value > 5.2
    assert bound.means[1].estimate.value == bound.means[1].estimate.high == 5.0
    assert bound.means[1].estimate.interval_note == "beyond_scale"
    assert bound.means[0].estimate.value == free.means[0].estimate.value
    assert bound.differences[0].estimate.value == free.differences[0].estimate.value


def test_a_variance_that_cannot_be_told_from_zero_is_zero_and_the_degrees_of_freedom_do_not_depend_on_the_search() -> (
    None
):
    rng = np.random.default_rng(2)
    is_there = rng.random((3, 4, 2)) < 0.6
    value = rng.integers(1, 6, (3, 4, 2)).astype(float)
    value[:, :, 1] = np.where(rng.random((3, 4)) < 0.85, 5, 4)
    annotator, dialogue, source = (each[is_there] for each in np.indices((3, 4, 2)))
    found = compare_sources(Ratings(source, annotator, dialogue, dialogue, value[is_there]), 2)
    assert {each.effect for each in found.effects if each.sd == 0} == {"annotator", "annotator_source", "conversation"}
    # Of the model with the one effect that is left, by lme4 and lmerTest.
    assert found.differences[0].degrees_of_freedom == pytest.approx(6.5164045, rel=1e-5)
