import numpy as np
import pytest

from measures.histograms import Histogram, ordered_keys, total, total_of_json

VOTES = np.array([[0, 0, 1], [2, -1, 2], [1, 0, 0], [1, -1, -1], [-1, -1, -1]], np.int8)


def histogram() -> Histogram:
    return Histogram.from_matrix(VOTES, 3)


def test_items_with_the_same_tally_share_a_pattern() -> None:
    assert histogram().to_json() == {"0,0,2": 1, "0,1,0": 1, "2,1,0": 2}


def test_counts_of_items_and_votes() -> None:
    found = histogram()
    assert (found.n_items, found.n_rated, found.n_left_out, found.n_votes) == (4, 3, 1, 9)
    assert found.category_votes.tolist() == [4, 3, 2]
    assert found.largest_share == pytest.approx(4 / 9)


def test_an_empty_histogram_has_no_share_and_needs_its_categories() -> None:
    empty = Histogram.empty(3)
    assert (empty.n_items, empty.largest_share, empty.to_json()) == (0, None, {})
    assert Histogram.from_json({}, 3) == empty
    with pytest.raises(ValueError, match="n_categories"):
        Histogram.from_json({})


def test_strong_judgements_drop_the_item_and_keep_the_category_declared() -> None:
    strong = histogram().without(2)
    assert strong.to_json() == {"0,1,0": 1, "2,1,0": 2}
    assert strong.n_categories == 3


def test_ignored_votes_leave_the_item_with_the_others() -> None:
    ignoring = Histogram.from_tallies([[2, 1, 0], [1, 1, 3], [0, 0, 2]]).ignoring(2)
    assert ignoring.to_json() == {"1,1": 1, "2,1": 1}


def test_listwise_keeps_items_with_the_full_number_of_votes() -> None:
    assert histogram().complete().to_json() == {"2,1,0": 2}
    assert histogram().complete(n_raters=2).to_json() == {"0,0,2": 1}


def test_taking_out_what_is_not_in_is_refused() -> None:
    with pytest.raises(ValueError, match="fewer than no items"):
        histogram() - Histogram.from_tallies([[3, 0, 0]])


def test_different_scales_do_not_add() -> None:
    with pytest.raises(ValueError, match="3 and 2 categories"):
        histogram() + Histogram.empty(2)


@pytest.mark.parametrize("code", [-2, 3])
def test_a_code_outside_the_declared_answers_is_refused(code: int) -> None:
    with pytest.raises(ValueError, match="run from 0 to 2"):
        Histogram.from_matrix(np.array([[0, code]], np.int8), 3)
    with pytest.raises(ValueError, match="run from 0 to 2"):
        Histogram.from_votes([1, 1], [0, code], 3)


def test_unsigned_codes_are_refused_because_missing_is_negative() -> None:
    with pytest.raises(ValueError, match="signed"):
        Histogram.from_matrix(np.array([[0, 1]], np.uint8), 3)  # type: ignore[arg-type]


def test_text_item_ids_work_like_numbers() -> None:
    assert Histogram.from_votes(["b", "a", "b"], [0, 1, 0], 2).to_json() == {"0,1": 1, "2,0": 1}


@pytest.mark.parametrize(("n_categories", "n_raters"), [(2, 3), (3, 7), (5, 9), (12, 6), (30, 4), (101, 8)])
def test_all_key_widths_give_the_plain_tallies(n_categories: int, n_raters: int) -> None:
    rng = np.random.default_rng(n_categories)
    codes = rng.integers(-1, n_categories, (400, n_raters)).astype(np.int8)
    plain = Histogram.from_tallies([[(row == k).sum() for k in range(n_categories)] for row in codes])
    items = np.repeat(np.arange(400) * 1_000_003, n_raters)
    assert Histogram.from_matrix(codes, n_categories) == plain
    assert Histogram.from_votes(items, codes.ravel(), n_categories) == plain


def test_the_sum_of_many_is_the_sum_of_two_and_two() -> None:
    parts = [Histogram.from_matrix(VOTES[i : i + 1], 3) for i in range(len(VOTES))]
    assert total(parts, 3) == histogram()
    assert total([], 3) == Histogram.empty(3)


def test_equal_histograms_have_equal_hashes() -> None:
    assert hash(histogram()) == hash(Histogram.from_matrix(VOTES[::-1], 3))
    assert histogram() != Histogram.empty(3)
    assert histogram() != {"2,1,0": 2}


def test_a_histogram_cannot_be_changed_in_place() -> None:
    with pytest.raises(ValueError, match="read-only"):
        histogram().counts[0] = 5


@pytest.mark.parametrize("most", [1, 6, 10**7])
def test_tallies_of_any_size_are_counted_as_row_by_row(most: int) -> None:
    rows = np.random.default_rng(most).integers(0, min(most, 2) + 1, (200, 4)) * most
    distinct, counts = np.unique(rows, axis=0, return_counts=True)
    assert Histogram.from_tallies(rows) == Histogram(distinct, counts)
    keys = ordered_keys(rows)
    assert (np.argsort(keys, kind="stable") == np.lexsort(rows.T[::-1])).all()


def test_stored_histograms_add_up_without_being_read_one_by_one() -> None:
    parts = [histogram().to_json(), {"0,1,0": 3}, {}]
    found = total_of_json(parts, 3)
    assert found == total((Histogram.from_json(part, 3) for part in parts), 3)
    assert total_of_json([], 3) == Histogram.empty(3)
