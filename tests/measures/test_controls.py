"""Control items: scipy says the same, orders are really counted, and the verdicts of a published study come out."""

import csv
import gzip
import itertools
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from measures.controls import control_test, orders_by_u

DATA = Path(__file__).parents[1] / "data" / "ratings"
# What Ji et al. pool of their seven criteria: those on which spoiled answers are worse for certain.
POOLED = {"interesting", "fun", "consistent", "fluent", "topic"}
scores = st.lists(st.one_of(st.integers(0, 5), st.floats(0, 5, width=16)), min_size=1, max_size=12)


@given(scores, scores)
@settings(max_examples=300, deadline=None)
def test_u_and_p_are_those_of_scipy_with_and_without_ties(control: list[float], other: list[float]) -> None:
    found = control_test(control, other)
    if len({*control, *other}) == 1:
        assert found.reason == "no_variation"
        return
    theirs = stats.mannwhitneyu(control, other, alternative="less")
    assert (found.statistic, found.p_value) == pytest.approx((theirs.statistic, theirs.pvalue), abs=1e-12)


@pytest.mark.parametrize(("n", "m"), [(1, 1), (2, 3), (4, 4), (3, 7), (8, 2)])
def test_orders_are_those_counted_one_by_one(n: int, m: int) -> None:
    counted = Counter(
        sum(place > at for place in control for at in range(n + m) if at not in control)
        for control in itertools.combinations(range(n + m), n)
    )
    assert orders_by_u(n, m) == [counted[u] for u in range(n * m + 1)]


def test_many_scores_beside_few_are_counted_in_whole_numbers() -> None:
    """Beyond the integers of the processor: C(5008, 8) has 26 digits."""
    control, other = np.arange(8) * 500 + 0.5, np.arange(5000)
    theirs = stats.mannwhitneyu(control, other, alternative="less", method="asymptotic")
    assert control_test(control, other).p_value == pytest.approx(theirs.pvalue, rel=0.02)


def test_equal_scores_and_missing_ones_have_no_p() -> None:
    assert control_test([], [1, 2]).reason == control_test([1], []).reason == "too_few_items"
    assert control_test([3, 3], [3]).reason == "no_variation"
    for wrong in ([[1, 2]], [float("nan")]):
        with pytest.raises(ValueError, match="finite"):
            control_test(wrong, [1, 2])


def workers() -> dict[str, tuple[list[float], list[float]]]:
    """Scores of control items and of the others, by worker and printed verdict."""
    found: dict[str, tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
    with gzip.open(DATA / "ji2022_free_run1.csv.gz", "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["criterion"] in POOLED:
                found[row["rater"]][row["source"] != "QualityControl"].append(float(row["value"]))
    return found


def test_all_248_verdicts_of_a_published_study_are_reproduced() -> None:
    verdicts = {name: control_test(*both) for name, both in workers().items()}
    assert len(verdicts) == 248
    passed = {name for name, found in verdicts.items() if found.p_value is not None and found.p_value < 0.05}
    assert passed == {name for name in verdicts if name.endswith(":pass")}
    assert len(passed) == 173
