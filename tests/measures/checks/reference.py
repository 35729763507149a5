"""The project's reference cases: published matrices with values in exact fractions, printed by other programs too."""

from collections.abc import Callable, Iterable
from typing import Any

from tests.measures.checks import Check, Pair
from tests.measures.test_reference_cases import (
    AGREEMENT_CASES,
    COEFFICIENTS,
    STATISTICS,
    STATISTICS_CASES,
    statistic_of,
)

BESIDE = "reference cases: published values"


def coefficients(*names: str) -> Callable[[], Iterable[Pair]]:
    cases = [case for case in AGREEMENT_CASES if case["coefficient"] in names]
    return lambda: (pair for case in cases for pair in pairs_of(COEFFICIENTS[case["coefficient"]](case), case))


def statistics(*names: str) -> Callable[[], Iterable[Pair]]:
    cases = [case for case in STATISTICS_CASES if statistic_of(case) in names]
    return lambda: (pair for case in cases for pair in pairs_of(STATISTICS[statistic_of(case)](case), case))


def pairs_of(found: Any, case: dict[str, Any]) -> Iterable[Pair]:
    yield found, case["expected"]


FLEISS = ("fleiss_kappa", "fleiss_kappa_category", "fleiss_se_gwet", "scott_pi")
CHECKS = [
    Check(
        ("agreement.fleiss_kappa", "agreement.fleiss_kappa_category"), BESIDE,
        coefficients(*FLEISS),
    ),
    Check(
        ("agreement.gwet_ac", "agreement.brennan_prediger"), BESIDE, coefficients("gwet_ac", "brennan_prediger"),
    ),
    Check(
        ("agreement.percent_agreement", "agreement.all_agree_share"), BESIDE,
        coefficients("percent_agreement", "percent_all_raters_agree"),
    ),
    Check(("alpha.krippendorff_alpha",), BESIDE, coefficients("krippendorff_alpha")),
    Check(
        ("cohen.cohen_kappa", "cohen.conger_kappa", "pair_means.mean_pairwise_cohen"), BESIDE,
        coefficients("cohen_kappa", "cohen_se", "conger_kappa", "light_kappa"),
    ),
    Check(("intervals.wilson", "intervals.clopper_pearson"), BESIDE, statistics("wilson", "clopper")),
    Check(("acceptance.acceptance_probability",), BESIDE, statistics("oc_binom", "oc_hyper")),
    Check(
        ("comparison.holm", "comparison.benjamini_hochberg"), BESIDE, statistics("holm", "bh"),
    ),
    Check(
        (
            "prediction.accuracy", "prediction.unweighted_average_recall", "prediction.macro_precision",
            "prediction.macro_f1", "prediction.weighted_f1", "prediction.spearman", "prediction.pearson",
        ),
        BESIDE, statistics("acc", "uar", "macro_p", "macro_f1", "weighted_f1", "kappa", "spearman", "pearson"),
    ),
]  # fmt: skip
COMPARED = len(AGREEMENT_CASES) + len(STATISTICS_CASES)
