"""The human ceiling: cases counted by hand, and no bias from items on which people disagree."""

import numpy as np
import pytest

from measures.estimate import NO_VARIATION, TOO_FEW_ITEMS
from measures.machines.ceiling import INTERVAL, NOMINAL, Ceiling, human_ceiling
from measures.machines.judged import Judged


def study(*items: tuple[list[float], float]) -> Judged:
    """Items with their votes and the judge's answer."""
    votes = [(at, who, value) for at, (values, _) in enumerate(items) for who, value in enumerate(values)]
    item, annotator, value = zip(*votes, strict=True) if votes else ((), (), ())
    return Judged.of(item, annotator, value, [judge for _, judge in items])


def found(judged: Judged, scale: str = NOMINAL) -> dict[tuple[str, str], Ceiling]:
    return {(each.against, each.measure): each for each in human_ceiling(judged, scale)}


def test_pairs_and_majorities_are_those_counted_by_hand():
    """Votes 0 0 1: a third of the pairs agree; the rest are a tie for each 0 and two zeros for the 1."""
    ceiling = found(study(([0, 0, 1], 0), ([1, 1], 1)))
    assert ceiling["one_other", "accuracy"].people.value == pytest.approx((1 / 3 + 1) / 2)
    assert ceiling["one_other", "accuracy"].judge.value == pytest.approx((2 / 3 + 1) / 2)
    assert ceiling["rest", "accuracy"].people.value == pytest.approx(((0.5 + 0.5 + 0) / 3 + 1) / 2)
    assert ceiling["rest", "accuracy"].judge.value == pytest.approx(((0.5 + 0.5 + 1) / 3 + 1) / 2)
    assert ceiling["rest", "accuracy"].difference.value == pytest.approx((2 / 3 - 1 / 3) / 2)


def test_numbers_are_compared_with_the_mean_of_the_rest():
    ceiling = found(study(([1, 2, 6], 3), ([4, 4], 4)), INTERVAL)
    rest = (1 - 4) ** 2 + (2 - 3.5) ** 2 + (6 - 1.5) ** 2
    assert ceiling["rest", "rmse"].people.value == pytest.approx(np.sqrt(rest / 3 / 2))
    assert ceiling["one_other", "rmse"].people.value == pytest.approx(np.sqrt((1 + 25 + 16) * 2 / 6 / 2))
    assert ceiling["one_other", "rmse"].judge.value == pytest.approx(np.sqrt((4 + 1 + 9) / 3 / 2))


def test_an_item_with_many_votes_counts_as_one_item():
    few, many = ([0, 0], 0), ([0, 1] * 10, 0)
    assert found(study(few, many))["one_other", "accuracy"].people.value == pytest.approx((1 + 9 / 19) / 2)


def test_the_numbers_of_items_and_votes_are_those_that_were_used():
    people = found(study(([0, 0, 1], 0), ([1], 1), ([1, 1], np.nan), ([0, 1], 7)))["one_other", "accuracy"].people
    assert (people.n_items, people.n_ratings, people.n_left_out) == (2, 5, 2)


def test_three_votes_are_not_compared_only_where_the_other_two_agree():
    """Annotators who are right in 8 of 10 items agree on .68: using agreeing pairs only would say .77."""
    rng = np.random.default_rng(4)
    right = rng.random((4000, 3)) < 0.8
    ceiling = found(study(*((row.astype(int).tolist(), 1) for row in right)))
    expected = 0.8**2 + 0.2**2
    assert ceiling["rest", "accuracy"].people.value == pytest.approx(expected, abs=0.02)
    assert ceiling["one_other", "accuracy"].people.value == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize(
    ("items", "reason"), [([([1], 1)], TOO_FEW_ITEMS), ([([1, 1], 1), ([1, 1], 1)], NO_VARIATION), ([], TOO_FEW_ITEMS)]
)
@pytest.mark.parametrize(("scale", "measure"), [(NOMINAL, "kappa"), (INTERVAL, "pearson")])
def test_what_cannot_be_computed_says_why(items, reason, scale, measure):
    ceiling = found(study(*items), scale)["rest", measure]
    assert [each.reason for each in (ceiling.people, ceiling.judge, ceiling.difference)] == [reason] * 3


@pytest.mark.parametrize(("n", "note"), [(9, "too_few_items"), (10, "unreliable"), (19, "unreliable"), (20, None)])
def test_few_conversations_have_no_interval_or_one_that_is_marked(n, note):
    rng = np.random.default_rng(5)
    people = found(study(*((rng.integers(0, 2, 3).tolist(), 1) for _ in range(n))))["one_other", "accuracy"].people
    assert people.interval_note == note
    assert (people.low is None) == (n < 10)


def test_one_conversation_has_no_interval():
    judged = study(*(([0, 1], 1) for _ in range(30)))
    whole = Judged(judged.item, judged.annotator, judged.value, judged.judge, np.zeros(30, np.int64))
    people = found(whole)["one_other", "accuracy"].people
    assert (people.value, people.low, people.interval_note) == (0.0, None, TOO_FEW_ITEMS)
