import itertools
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from measures import pairs
from measures.pair_means import mean_pairwise_cohen, mean_pairwise_cohens_with_intervals
from measures.pairs import PairTable

RATERS = np.array([3, 17, 40, 41])


def some_codes(seed: int = 0, n_items: int = 30, missing: float = 0.3) -> np.ndarray:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, (n_items, len(RATERS))).astype(np.int8)
    codes[rng.random(codes.shape) < missing] = -1
    return codes


def as_votes(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    item, rater = np.nonzero(codes >= 0)
    return item, RATERS[rater], codes[item, rater].astype(np.int64)


def plain_table(codes: np.ndarray, a: int, b: int) -> list[list[int]]:
    return [[int(((codes[:, a] == i) & (codes[:, b] == j)).sum()) for j in range(3)] for i in range(3)]


@pytest.fixture(params=["dense", "sparse"])
def route(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "sparse":
        monkeypatch.setattr(pairs, "MOST_DENSE_CELLS", 0)
    return str(request.param)


def test_every_pair_has_its_table_in_both_directions(route: str) -> None:
    codes = some_codes()
    table = PairTable.from_votes(*as_votes(codes), 3)
    for a, b in itertools.combinations(range(4), 2):
        assert table.table(RATERS[a], RATERS[b]).tolist() == plain_table(codes, a, b)
        assert table.table(RATERS[b], RATERS[a]).T.tolist() == plain_table(codes, a, b)
    assert table == PairTable.from_matrix(codes, 3, RATERS)
    assert table.n_pairs == 6


def test_blocks_of_items_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    codes = some_codes()
    whole = PairTable.from_matrix(codes, 3, RATERS)
    monkeypatch.setattr(pairs, "BLOCK_CELLS", 50)
    assert PairTable.from_matrix(codes, 3, RATERS) == whole


def test_a_rater_with_two_votes_on_an_item_is_refused(route: str) -> None:
    with pytest.raises(ValueError, match="two votes"):
        PairTable.from_votes([1, 1, 1], [5, 5, 6], [0, 1, 0], 2)


def test_batches_with_different_raters_add_up(route: str) -> None:
    codes = some_codes()
    item, rater, code = as_votes(codes)
    early = (item < 12) & (rater != 41)
    parts = [PairTable.from_votes(item[part], rater[part], code[part], 3) for part in (early, item >= 12)]
    kept = early | (item >= 12)
    whole = PairTable.from_votes(item[kept], rater[kept], code[kept], 3)
    assert parts[0] + parts[1] == whole
    assert whole - parts[1] == parts[0]
    assert parts[0] + PairTable.empty(3) == parts[0]


def test_taking_out_what_is_not_in_is_refused() -> None:
    one = PairTable.from_votes([1, 1], [3, 17], [0, 1], 2)
    for other in (
        PairTable.from_votes([1, 1], [3, 17], [1, 1], 2),
        PairTable.from_votes([1, 1], [3, 40], [0, 1], 2),
        one + one,
    ):
        with pytest.raises(ValueError, match=r"does not|fewer"):
            one - other
    with pytest.raises(ValueError, match="categories do not add"):
        one + PairTable.empty(3)


def test_json_keeps_only_what_occurs_and_comes_back() -> None:
    table = PairTable.from_votes([1, 1, 2, 2], [17, 3, 3, 17], [0, 1, 1, 0], 3)
    assert table.to_json() == {"3,17": [[1, 0, 2]]}
    whole = PairTable.from_votes(*as_votes(some_codes()), 3)
    assert PairTable.from_json(whole.to_json(), 3) == whole
    assert PairTable.from_json({}, 3) == PairTable.empty(3)
    np.testing.assert_array_equal(PairTable.from_json(whole.to_json(), 3).cells, whole.cells)


def test_stored_tables_add_up_without_being_read_one_by_one() -> None:
    tables = [PairTable.from_votes(*as_votes(some_codes(seed)), 3) for seed in range(4)]
    whole = PairTable.total_of_json([table.to_json() for table in tables], 3)
    assert whole == tables[0] + tables[1] + tables[2] + tables[3]
    assert whole.cells.tolist() == (tables[0] + tables[1] + tables[2] + tables[3]).cells.tolist()
    assert PairTable.total_of_json([], 3) == PairTable.empty(3)


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_kappas_are_those_of_scikit_learn(weights: str | None) -> None:
    codes = some_codes(missing=0)
    expected = [
        cohen_kappa_score(codes[:, a], codes[:, b], labels=[0, 1, 2], weights=weights)
        for a, b in itertools.combinations(range(4), 2)
    ]
    table = PairTable.from_matrix(codes, 3)
    np.testing.assert_allclose(table.kappas(weights), expected, atol=1e-12)
    found = mean_pairwise_cohen(table, weights=weights)
    assert (found.value, found.n_pairs, found.n_undefined) == (pytest.approx(np.mean(expected)), 6, 0)


def test_undefined_pairs_are_counted_and_not_averaged() -> None:
    codes = np.array([[0, 0, 0], [0, 0, 1], [0, 0, 1]], np.int8)
    found = mean_pairwise_cohen(PairTable.from_matrix(codes, 2))
    assert (found.value, found.n_pairs, found.n_undefined) == (0.0, 2, 1)


def test_without_a_defined_pair_there_is_a_reason() -> None:
    same = mean_pairwise_cohen(PairTable.from_matrix(np.zeros((4, 3), np.int8), 2))
    assert (same.value, same.reason, same.n_undefined) == (None, "no_variation", 3)
    (alone,) = mean_pairwise_cohens_with_intervals([1, 2], [5, 6], [0, 1], 2)
    assert (alone.value, alone.reason, alone.n_left_out) == (None, "no_pairs", 2)
    (nothing,) = mean_pairwise_cohens_with_intervals([], [], [], 2)
    assert nothing.reason == "no_pairs"


def brute_force_interval(codes: np.ndarray, n_groups: int) -> tuple[float, float, float]:
    """Delete groups of items one by one and compute from scratch."""

    def mean(part: np.ndarray) -> float:
        return float(np.nanmean(PairTable.from_matrix(part, 3).kappas()))

    rated = codes[(codes >= 0).sum(axis=1) >= 2]
    groups = min(n_groups, len(rated))
    left_out = np.array([mean(rated[np.arange(len(rated)) % groups != g]) for g in range(groups)])
    error = np.sqrt((groups - 1) / groups * ((left_out - left_out.mean()) ** 2).sum())
    half = stats.t.ppf(0.975, groups - 1) * error
    value = mean(codes)
    return value, value - half, value + half


@pytest.mark.parametrize("n_groups", [7, 200])
def test_the_jackknife_is_the_one_by_brute_force(n_groups: int, route: str) -> None:
    codes = some_codes(seed=4)
    (found,) = mean_pairwise_cohens_with_intervals(*as_votes(codes), 3, n_groups=n_groups)
    expected: Any = brute_force_interval(codes, n_groups)
    assert (found.value, found.low, found.high) == pytest.approx(expected, abs=1e-12)
    assert found.n_items + found.n_left_out == (codes >= 0).any(axis=1).sum()


def test_the_jackknife_does_not_depend_on_the_order_of_votes() -> None:
    item, rater, code = as_votes(some_codes())
    order = np.random.default_rng(1).permutation(len(item))
    shuffled = mean_pairwise_cohens_with_intervals(item[order], rater[order], code[order], 3)
    assert shuffled == mean_pairwise_cohens_with_intervals(item, rater, code, 3)


def test_the_weighted_kappas_of_a_table_are_those_counted_by_hand() -> None:
    """Ten items on a scale of three: seven are answered alike, two a step apart, and one at both ends."""
    first = [0, 0, 0, 1, 1, 2, 2, 0, 1, 0]
    second = [0, 0, 0, 1, 1, 2, 2, 1, 2, 2]
    items, raters = [*range(10), *range(10)], [1] * 10 + [2] * 10
    found = mean_pairwise_cohens_with_intervals(items, raters, [*first, *second], 3, ["linear", "quadratic"])
    # Steps apart: 4 in 10 items, 94 in the 100 combinations of both margins; squared, 6 and 146.
    assert [each.value for each in found] == pytest.approx([1 - 40 / 94, 1 - 60 / 146])


def test_whole_clusters_are_left_out_where_items_are_not_independent() -> None:
    codes = some_codes(seed=4)
    item, rater, code = as_votes(codes)
    (whole,) = mean_pairwise_cohens_with_intervals(item, rater, code, 3, clusters=item // 3)
    clusters = np.arange(len(codes)) // 3
    rest = [PairTable.from_matrix(codes[clusters != each], 3) for each in np.unique(clusters)]
    left_out = [float(np.nanmean(table.kappas())) for table in rest]
    m = len(left_out)
    error = np.sqrt((m - 1) / m * sum((each - np.mean(left_out)) ** 2 for each in left_out))
    assert whole.standard_error == pytest.approx(error)


def test_one_common_item_gives_a_value_and_no_interval() -> None:
    (found,) = mean_pairwise_cohens_with_intervals([1, 1], [3, 4], [0, 1], 2)
    assert (found.value, found.low, found.interval_note) == (0.0, None, "too_few_items")


def test_many_annotators_with_few_votes_take_the_sparse_route() -> None:
    rng = np.random.default_rng(2)
    raters = np.array([rng.choice(400, 3, replace=False) for _ in range(500)])
    codes = rng.integers(0, 3, raters.shape)
    table = PairTable.from_votes(np.repeat(np.arange(500), 3), raters.ravel(), codes.ravel(), 3)
    assert table.counts.sum() == 1500
    assert len(table.cells) <= 1500


@pytest.mark.parametrize("ignored", [0, 1, 2])
def test_ignoring_a_category_is_as_if_its_votes_had_been_missing(ignored: int, route: str) -> None:
    codes = some_codes()
    missing = np.where(codes == ignored, -1, np.where(codes > ignored, codes - 1, codes))
    left = PairTable.from_votes(*as_votes(missing), 2)
    assert PairTable.from_votes(*as_votes(codes), 3).ignoring(ignored) == left
