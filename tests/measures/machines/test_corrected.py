"""The rate corrected for a judge's errors: published arithmetic, and when there is none."""

import numpy as np
import pytest

from measures.estimate import NO_VARIATION
from measures.machines.corrected import CLIPPED, NOT_BINARY, NOT_TOLD_FROM_CHANCE, WEAK_JUDGE, corrected_rate
from measures.machines.powered import NO_LABELS, Part


def counted(*, hits: int, misses: int, rejections: int, alarms: int, positive: int, negative: int) -> Part:
    """Rated items by what people and the judge said, and others by what the judge said."""
    human = [1] * (hits + misses) + [0] * (rejections + alarms)
    judge = [1] * hits + [0] * misses + [0] * rejections + [1] * alarms + [1] * positive + [0] * negative
    return Part(
        np.array([*human, *[np.nan] * (positive + negative)], float), np.array(judge, float), np.arange(len(judge))
    )


def test_the_rate_is_that_of_rogan_and_gladen():
    """Sensitivity .9, specificity .8, apparent share .41: (.41 + .8 - 1) / .7 = .3."""
    found = corrected_rate(
        counted(hits=90, misses=10, rejections=80, alarms=20, positive=4100 - 110, negative=5900 - 90)
    )
    assert (found.sensitivity, found.specificity, found.judged) == (0.9, 0.8, 0.41)
    assert found.estimate.value == pytest.approx(0.3)


def test_the_variance_is_theirs_where_the_rated_items_are_few_of_all():
    part = counted(hits=90, misses=10, rejections=80, alarms=20, positive=410_000, negative=590_000)
    found = corrected_rate(part).estimate
    share, n = found.value, len(part.judge)
    theirs = (0.41 * 0.59 / n + share**2 * 0.9 * 0.1 / 100 + (1 - share) ** 2 * 0.8 * 0.2 / 100) / 0.7**2
    assert found.standard_error == pytest.approx(np.sqrt(theirs), rel=0.01)


@pytest.mark.parametrize(
    ("counts", "reason"),
    [
        ({"hits": 10, "misses": 10, "rejections": 10, "alarms": 10}, WEAK_JUDGE),
        ({"hits": 5, "misses": 15, "rejections": 5, "alarms": 15}, WEAK_JUDGE),
        ({"hits": 10, "misses": 10, "rejections": 0, "alarms": 0}, NO_VARIATION),
        ({"hits": 0, "misses": 0, "rejections": 0, "alarms": 0}, NO_LABELS),
    ],
)
def test_a_weak_judge_and_missing_answers_leave_no_rate(counts, reason):
    found = corrected_rate(counted(**counts, positive=50, negative=50)).estimate
    assert (found.value, found.reason, found.low) == (None, reason, None)


def test_a_judge_that_may_be_weak_has_no_interval():
    found = corrected_rate(counted(hits=11, misses=9, rejections=10, alarms=10, positive=50, negative=50)).estimate
    assert found.value is not None
    assert (found.low, found.interval_note) == (None, NOT_TOLD_FROM_CHANCE)


def test_a_rate_below_nothing_is_put_at_nothing_and_says_so():
    found = corrected_rate(counted(hits=45, misses=5, rejections=40, alarms=10, positive=20, negative=980)).estimate
    assert (found.value, found.low, found.warnings) == (0.0, 0.0, (CLIPPED,))
    assert found.high is not None


@pytest.mark.parametrize(("human", "judge"), [([1, 2, np.nan], [1, 0, 1]), ([1, 0, np.nan], [1, 0, 0.5])])
def test_answers_that_are_not_binary_leave_no_rate(human, judge):
    found = corrected_rate(Part(np.array(human, float), np.array(judge, float), np.arange(3))).estimate
    assert found.reason == NOT_BINARY


def test_conversations_make_the_interval_wider():
    part = counted(hits=90, misses=10, rejections=80, alarms=20, positive=400, negative=600)
    grouped = Part(part.human, part.judge, np.arange(len(part.judge)) // 10)
    alone, together = corrected_rate(part).estimate, corrected_rate(grouped).estimate
    assert together.standard_error > 1.5 * alone.standard_error
