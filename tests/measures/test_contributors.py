from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from sklearn.metrics import cohen_kappa_score

from measures.cohen import cohen_kappa
from measures.contributors import (
    Entropy,
    MajorityAgreement,
    MajorityTables,
    agrees_with_majority,
    answer_entropy,
    flags,
    kappa_with_majority,
    table_kappa_kernel,
)
from measures.estimate import Estimate

K = 3
MATRICES = st.tuples(st.integers(1, 9), st.integers(1, 6)).flatmap(
    lambda shape: arrays.arrays(np.int8, shape, elements=st.integers(-1, K - 1))
)


def naive_majority(codes: np.ndarray) -> np.ndarray:
    found = np.full(codes.shape, -1)
    for item, annotator in np.ndindex(codes.shape):
        others = [int(c) for g, c in enumerate(codes[item]) if g != annotator and c >= 0]
        ranked = Counter(others).most_common()
        if ranked and (len(ranked) == 1 or ranked[0][1] > ranked[1][1]):
            found[item, annotator] = ranked[0][0]
    return found


def study(n_items: int = 126, seed: int = 0, clicker: str | None = None, n_annotators: int = 7) -> np.ndarray:
    """(items, annotators): three answers, each annotator right 75% of the time; number 2 may click."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(K, n_items, p=[0.5, 0.3, 0.2])
    noise = rng.integers(0, K, (n_items, n_annotators))
    codes = np.where(rng.random((n_items, n_annotators)) < 0.65, truth[:, None], noise).astype(np.int8)
    if clicker == "uniform":
        codes[:, 2] = rng.integers(0, K, n_items)
    if clicker == "modal":
        codes[:, 2] = 0
    return codes


@given(MATRICES)
def test_tables_count_answers_against_the_majority_and_what_is_left_out(codes: np.ndarray) -> None:
    majority = naive_majority(codes)
    tables = MajorityTables.from_matrix(codes, K)
    for place, rater in enumerate(tables.raters):
        own, others = codes[:, rater], majority[:, rater]
        expected = [[int(((own == i) & (others == j)).sum()) for j in range(K)] for i in range(K)]
        assert tables.tables[place].tolist() == expected
        alone = (own >= 0) & ((codes >= 0).sum(axis=1) == 1)
        assert tables.alone[place] == alone.sum()
        assert tables.tied[place] == ((own >= 0) & (others < 0) & ~alone).sum()


@given(MATRICES, st.data())
def test_tables_of_batches_add_up(codes: np.ndarray, data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(codes)))
    parts = [MajorityTables.from_matrix(part, K) for part in (codes[:cut], codes[cut:])]
    total, whole = parts[0] + parts[1], MajorityTables.from_matrix(codes, K)
    for name in ("raters", "tables", "tied", "alone"):
        assert getattr(total, name).tolist() == getattr(whole, name).tolist()


def test_different_scales_and_undeclared_codes_are_refused() -> None:
    with pytest.raises(ValueError, match="different scales"):
        MajorityTables.from_votes([1, 1], [1, 2], [0, 1], 2) + MajorityTables.from_votes([1, 1], [1, 2], [0, 1], 3)
    with pytest.raises(ValueError, match="0 to 1"):
        agrees_with_majority(np.array([0, 0]), np.array([0, 2]), 2)


def test_kappa_is_that_of_scikit_learn_with_ties_dropped() -> None:
    codes = study(60)
    majority = naive_majority(codes)
    for found in kappa_with_majority(MajorityTables.from_matrix(codes, K), seed=1, n_resamples=200):
        used = majority[:, found.rater] >= 0
        own, others = codes[used, found.rater], majority[used, found.rater]
        assert found.kappa.value == pytest.approx(cohen_kappa_score(own, others), abs=1e-12)
        assert found.agreement.value == pytest.approx(float((own == others).mean()))
        assert (found.kappa.n_items, found.n_tied, found.n_alone) == (used.sum(), (~used).sum(), 0)
        assert found.kappa.n_left_out == found.n_tied
        assert found.kappa.low < found.kappa.value < found.kappa.high  # type: ignore[operator]


def test_resampled_cells_have_the_kappa_of_their_table() -> None:
    cells = np.array([0, 1, 3, 4, 8])
    counts = np.array([[5, 2, 1, 7, 3], [1, 0, 0, 9, 2], [4, 0, 0, 0, 0]])
    found = table_kappa_kernel(cells, 3)(counts.astype(float))
    for value, row in zip(found[:2], counts, strict=False):
        table = np.zeros(9, int)
        table[cells] = row
        assert value == pytest.approx(cohen_kappa(table.reshape(3, 3)).value, abs=1e-12)
    assert np.isnan(found[2])


def test_intervals_repeat_with_their_seed_and_follow_the_guards() -> None:
    tables = MajorityTables.from_matrix(study(60), K)
    assert kappa_with_majority(tables, seed=1) == kappa_with_majority(tables, seed=1)
    assert kappa_with_majority(tables, seed=1) != kappa_with_majority(tables, seed=2)
    few = kappa_with_majority(MajorityTables.from_matrix(study(8), K), seed=1)
    assert {found.kappa.interval_note for found in few} == {"too_few_items"}
    live = kappa_with_majority(tables, seed=1, n_resamples=0)
    assert all(found.kappa.high is None and found.kappa.value is not None for found in live)


def test_annotators_without_company_or_variation_have_no_kappa() -> None:
    alone = kappa_with_majority(MajorityTables.from_votes([1, 2], [5, 5], [0, 1], 2), seed=1)
    assert (alone[0].kappa.reason, alone[0].agreement.reason, alone[0].n_alone) == ("no_pairs", "no_pairs", 2)
    same = kappa_with_majority(MajorityTables.from_matrix(np.zeros((30, 3), np.int8), 2), seed=1)
    assert {found.kappa.reason for found in same} == {"no_variation"}


def test_entropy_in_bits_and_beside_the_others() -> None:
    found = answer_entropy([[5, 5, 0], [10, 0, 0], [2, 2, 0], [0, 0, 0]])
    assert [entropy.bits for entropy in found] == [1.0, 0.0, 1.0, None]
    assert [entropy.relative for entropy in found] == [2.0, 0.0, 2.0, None]
    assert answer_entropy([[3, 3]]) == [Entropy(1.0, None, 6)]


@pytest.mark.parametrize(("clicker", "reason"), [("uniform", "low_kappa"), ("modal", "low_entropy")])
def test_clickers_are_flagged_and_nobody_else(clicker: str, reason: str) -> None:
    hits, others = 0, 0
    for seed in range(12):
        tables = MajorityTables.from_matrix(study(seed=seed, clicker=clicker), K)
        found = flags(kappa_with_majority(tables, seed=1, n_resamples=200), answer_entropy(tables.tables.sum(axis=2)))
        hits += reason in found[2].reasons
        others += sum(bool(flag.reasons) for flag in found if flag.rater != 2)
    assert hits >= 11
    assert others <= 3


def test_below_the_threshold_of_the_study() -> None:
    tables = MajorityTables.from_matrix(study(clicker="uniform"), K)
    found = flags(kappa_with_majority(tables, seed=1, n_resamples=500), threshold=0.3)
    assert [flag.rater for flag in found if "below_threshold" in flag.reasons] == [2]
    assert found[2].p_values["below_threshold"] < 0.01


def agreement(rater: int, kappa: float, n: int, high: float | None = None) -> MajorityAgreement:
    limits = {} if high is None else {"low": 2 * kappa - high, "high": high}
    return MajorityAgreement(rater, Estimate(kappa, n_items=n, **limits), Estimate(0.5), 0, 0)  # type: ignore[arg-type]


def test_nobody_is_flagged_below_twenty_items_whatever_is_asked() -> None:
    honest = [agreement(rater, 0.5 + rater / 100, 40, 0.7) for rater in range(9)]
    bad = flags([*honest, agreement(9, -0.4, 20, -0.2)], threshold=0.3)[-1]
    assert set(bad.reasons) == {"below_threshold", "low_kappa"}
    spared = flags([*honest, agreement(9, -0.4, 19, -0.2)], threshold=0.3, fewest_items=5)[-1]
    assert (spared.reasons, spared.kappa_z, spared.note) == ((), None, "too_few_items")


def test_one_of_seven_that_would_be_flagged_alone_is_not_with_all_of_them_in_view() -> None:
    honest = [agreement(rater, 0.5 + rater / 100, 40, 0.99) for rater in range(6)]
    low = flags([*honest, agreement(6, 0.42, 40, 0.599)], threshold=0.6)[-1]
    assert low.kappa_z is not None
    assert low.kappa_z < -3
    assert low.p_values["below_threshold"] == pytest.approx(7 * 0.025, abs=0.005)
    assert low.p_values["low_kappa"] > 0.1
    assert low.reasons == ()


def test_the_p_of_a_threshold_is_a_fortieth_at_the_upper_limit() -> None:
    found = flags([agreement(1, 0.1, 40, 0.4)], threshold=0.4)[0]
    assert found.p_values["below_threshold"] == pytest.approx(0.025)
    assert found.reasons == ()


def test_detection_at_one_false_alarm_in_a_hundred_is_about_that_of_the_specification() -> None:
    """Statistics 4.1, two answers 70/30, kappa about .3, 40 items: uniform .65, modal 1.0, half-noisy .16."""
    rng = np.random.default_rng(1)

    def kappas(spoil: str, times: int = 300) -> np.ndarray:
        found = []
        for _ in range(times):
            truth, noise = rng.choice(2, 40, p=[0.7, 0.3]), rng.choice(2, (40, 7), p=[0.7, 0.3])
            codes = np.where(rng.random((40, 7)) < 0.55, truth[:, None], noise)
            clicks = rng.integers(0, 2, 40)
            half = np.where(rng.random(40) < 0.5, codes[:, 0], clicks)
            codes[:, 0] = {"no": codes[:, 0], "uniform": clicks, "modal": 0 * clicks, "half": half}[spoil]
            tables = MajorityTables.from_matrix(codes, 2)
            found.append([one.kappa.value for one in kappa_with_majority(tables, seed=1, n_resamples=0)])
        return np.array(found, float)

    cut = np.nanquantile(kappas("no"), 0.01)
    detected = {spoil: (kappas(spoil)[:, 0] <= cut).mean() for spoil in ("uniform", "modal", "half")}
    assert detected == pytest.approx({"uniform": 0.65, "modal": 1.0, "half": 0.16}, abs=0.15)


def test_votes_that_are_the_majority_of_the_others() -> None:
    items, codes = [1, 1, 1, 2, 2, 3, 4, 4], [0, 0, 1, 1, 1, 0, -1, 2]
    assert agrees_with_majority(items, codes, 3).tolist() == [-1, -1, 0, 1, 1, -1, -1, -1]


def test_entropy_beside_the_others_is_beside_their_median_without_oneself() -> None:
    counts = np.random.default_rng(4).integers(0, 6, (41, 3)) * [1, 1, 0]
    counts[:3] = 0
    found = answer_entropy(counts)
    bits = [each.bits for each in found]
    for place, each in enumerate(found):
        others = [value for other, value in enumerate(bits) if other != place and value is not None]
        assert each.relative == (None if each.bits is None else each.bits / float(np.median(others)))
