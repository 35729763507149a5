"""Every case of reference_cases.json, each really compared; a case nobody handles fails."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from measures.acceptance import acceptance_probability
from measures.agreement import (
    all_agree_share,
    brennan_prediger,
    fleiss_kappa,
    fleiss_kappa_category,
    gwet_ac,
    percent_agreement,
)
from measures.alpha import krippendorff_alpha
from measures.cohen import cohen_kappa, confusion_matrix, conger_kappa, rater_margins
from measures.comparison import benjamini_hochberg, holm
from measures.estimate import Estimate
from measures.histograms import Histogram
from measures.intervals import clopper_pearson, wilson
from measures.pair_means import mean_pairwise_cohen
from measures.pairs import PairTable
from measures.prediction import (
    accuracy,
    macro_f1,
    macro_precision,
    pearson,
    spearman,
    unweighted_average_recall,
    weighted_f1,
)
from measures.weights import agreement_weights

REFERENCE = json.loads((Path(__file__).parent / "data" / "reference_cases.json").read_text())
Case = dict[str, Any]
# Parley does not compute these; the file stays as the project agreed on it.
NOT_COMPUTED = {"fleiss_se_null", "fleiss_category_se_null", "icc", "wilcoxon_p", "friedman_stat", "friedman_p"}
AGREEMENT_CASES = [case for case in REFERENCE["agreement_cases"] if case["coefficient"] not in NOT_COMPUTED]
STATISTICS_CASES = [case for case in REFERENCE["statistics_cases"] if case["id"] not in NOT_COMPUTED]


def codes_of(case: Case) -> np.ndarray:
    """(items, raters) positions in the declared categories, -1 for null."""
    place = {value: code for code, value in enumerate(case["input"]["categories"])} | {None: -1}
    return np.array([[place[value] for value in row] for row in case["input"]["data"]], np.int8)


def of_two_raters(table: np.ndarray) -> Histogram:
    """Of a (K, K) table: the first rater's answers in rows, the second's in columns."""
    pairs = np.repeat(np.argwhere(table >= 0), table.ravel(), axis=0)
    return Histogram.from_matrix(pairs.astype(np.int8), len(table))


def histogram_of(case: Case) -> Histogram:
    kind, data = case["input"]["kind"], case["input"]["data"]
    if kind == "tally":
        return Histogram.from_tallies(data)
    if kind == "confusion":
        return of_two_raters(np.array(data))
    return Histogram.from_matrix(codes_of(case), len(case["input"]["categories"]))


def confusion_of(case: Case) -> np.ndarray:
    if case["input"]["kind"] == "confusion":
        return np.array(case["input"]["data"])
    return confusion_matrix(*codes_of(case).T, len(case["input"]["categories"]))


def weights_of(case: Case) -> np.ndarray:
    categories = case["input"]["categories"]
    return agreement_weights(case["weights"] or "nominal", len(categories), categories)


def fleiss_of(case: Case) -> Estimate:
    convention = case["convention"] or "gwet"
    return fleiss_kappa(histogram_of(case), weights=weights_of(case), convention=convention)


def category_of(case: Case) -> Estimate:
    value = int(case["id"].rsplit("_", 1)[1])
    return fleiss_kappa_category(histogram_of(case), case["input"]["categories"].index(value))


def conger_of(case: Case) -> Estimate:
    codes = codes_of(case)
    n_categories = len(case["input"]["categories"])
    raters = np.tile(np.arange(codes.shape[1]), len(codes))
    margins = rater_margins(raters, codes.ravel(), codes.shape[1], n_categories)
    return conger_kappa(histogram_of(case), margins, weights=weights_of(case))


def cohen_of(case: Case) -> Estimate:
    # 'full_scale' is what the weights of the declared categories are.
    assert case["convention"] in (None, "full_scale")
    return cohen_kappa(confusion_of(case), weights=weights_of(case))


def alpha_of(case: Case) -> Estimate:
    return krippendorff_alpha(histogram_of(case), case["level"], case["input"]["categories"])


def light_of(case: Case) -> Estimate:
    return mean_pairwise_cohen(PairTable.from_matrix(codes_of(case), len(case["input"]["categories"])))


COEFFICIENTS: dict[str, Callable[[Case], Any]] = {
    "fleiss_kappa": lambda case: fleiss_of(case).value,
    "fleiss_kappa_category": lambda case: category_of(case).value,
    "fleiss_se_gwet": lambda case: fleiss_of(case).standard_error,
    "light_kappa": lambda case: light_of(case).value,
    "percent_agreement": lambda case: percent_agreement(histogram_of(case)).value,
    "percent_all_raters_agree": lambda case: all_agree_share(histogram_of(case)).value,
    "gwet_ac": lambda case: gwet_ac(histogram_of(case), weights=weights_of(case)).value,
    "brennan_prediger": lambda case: brennan_prediger(histogram_of(case), weights=weights_of(case)).value,
    "conger_kappa": lambda case: conger_of(case).value,
    "krippendorff_alpha": lambda case: alpha_of(case).value,
    "cohen_kappa": lambda case: cohen_of(case).value,
    "cohen_se": lambda case: cohen_of(case).standard_error,
    "scott_pi": lambda case: fleiss_kappa(of_two_raters(confusion_of(case))).value,
}

REASONS = {
    "fleiss_all_one_category": (fleiss_of, "no_variation"),
    "alpha_no_pairable": (alpha_of, "no_pairs"),
    "fleiss_single_rater": (fleiss_of, "no_pairs"),
}


def ids(case: Case) -> str:
    return str(case["id"])


def assert_close(found: Any, expected: Any, tolerance: float) -> None:
    if expected is None:
        assert found is None
    elif isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for key, value in expected.items():
            assert_close(found[key], value, tolerance)
    else:
        assert found is not None
        assert np.shape(found) == np.shape(expected)
        np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance)


@pytest.mark.parametrize("case", AGREEMENT_CASES, ids=ids)
def test_an_agreement_case_has_its_exact_value(case: Case) -> None:
    assert_close(COEFFICIENTS[case["coefficient"]](case), case["expected"], case["tolerance"])


def test_every_undefined_case_names_its_reason() -> None:
    undefined = {case["id"]: case for case in AGREEMENT_CASES if case["expected"] is None}
    assert undefined.keys() == REASONS.keys()
    for name, (coefficient, reason) in REASONS.items():
        assert coefficient(undefined[name]).reason == reason


def test_every_field_that_changes_a_value_is_understood() -> None:
    cases = AGREEMENT_CASES
    assert {case["coefficient"] for case in cases} == COEFFICIENTS.keys()
    assert {case["input"]["kind"] for case in cases} == {"raw", "tally", "confusion"}
    for case in cases:
        assert case["level"] is None or case["coefficient"] == "krippendorff_alpha"
        weighted = {"fleiss_kappa", "gwet_ac", "brennan_prediger", "conger_kappa", "cohen_kappa", "cohen_se"}
        assert case["weights"] is None or case["coefficient"] in weighted
        assert case["convention"] is None or case["coefficient"] in {"fleiss_kappa", "cohen_kappa"}


def test_one_rater_constant_is_zero_with_a_warning() -> None:
    case = next(case for case in REFERENCE["agreement_cases"] if case["id"] == "cohen_one_constant")
    found = cohen_of(case)
    assert (found.value, found.warnings) == (0.0, ("constant_rater",))


def proportion(interval: Callable[..., Any], case: Case) -> tuple[float, float]:
    data = case["input"]
    found = interval(data["successes"], data["n"], data["level"])
    return found.low, found.high


def curve(case: Case) -> float:
    data = case["input"]
    accept = data["accept_if_errors_at_most"]
    return acceptance_probability(data["n"], accept, data["true_accuracy"], data["batch"])


def labels(case: Case) -> np.ndarray:
    return confusion_matrix(case["input"]["true"], case["input"]["pred"], 3)


# By the first part of the id, or the whole of it.
STATISTICS: dict[str, Callable[[Case], Any]] = {
    "clopper": lambda case: proportion(clopper_pearson, case),
    "wilson": lambda case: proportion(wilson, case),
    "oc_binom": curve,
    "oc_hyper": curve,
    "holm": lambda case: holm(case["input"]),
    "bh": lambda case: benjamini_hochberg(case["input"]),
    "spearman": lambda case: spearman(case["input"]["true"], case["input"]["pred"]).value,
    "pearson": lambda case: pearson(case["input"]["true"], case["input"]["pred"]).value,
    "acc": lambda case: accuracy(labels(case)).value,
    "uar": lambda case: unweighted_average_recall(labels(case)).value,
    "macro_p": lambda case: macro_precision(labels(case)).value,
    "macro_f1": lambda case: macro_f1(labels(case)).value,
    "weighted_f1": lambda case: weighted_f1(labels(case)).value,
    "kappa": lambda case: cohen_kappa(labels(case)).value,
}


def statistic_of(case: Case) -> str:
    """The longest name that starts the id: 'oc_hyper_0.97' is 'oc_hyper', an unknown id is a KeyError."""
    name = str(case["id"])
    found = [known for known in STATISTICS if name == known or name.startswith(known + "_")]
    return max(found, key=len, default=name)


@pytest.mark.parametrize("case", STATISTICS_CASES, ids=ids)
def test_a_statistics_case_has_its_value(case: Case) -> None:
    assert_close(STATISTICS[statistic_of(case)](case), case["expected"], 1e-9)


def test_every_statistic_of_the_file_is_handled_and_no_other() -> None:
    assert {statistic_of(case) for case in STATISTICS_CASES} == STATISTICS.keys()


def test_the_file_is_the_one_the_project_agreed_on() -> None:
    assert len(REFERENCE["agreement_cases"]) == 57
    assert len(REFERENCE["statistics_cases"]) == 30
    assert (len(AGREEMENT_CASES), len(STATISTICS_CASES)) == (53, 27)
    assert REFERENCE.keys() == {"about", "undefined", "conventions", "agreement_cases", "statistics_cases"}
