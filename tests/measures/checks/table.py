"""The table of docs/statistics.md: what every number was compared with, how often, and how far it was off."""

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import measures
from tests.measures.checks import (
    Check,
    agreement,
    annotators,
    comparisons,
    further,
    intervals,
    machines,
    preferences,
    reference,
)

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "statistics.md"
HEADING = "## What every number was checked against"
TITLES = "| functions | compared with | cases | largest difference | test |\n|---|---|---|---|---|\n"
CHECKS: list[Check] = [
    check
    for part in (reference, agreement, further, intervals, comparisons, annotators, preferences, machines)
    for check in part.CHECKS
]


@dataclass(frozen=True)
class Proof:
    """What is shown by another test than a comparison of numbers: a simulation, or a case made to have one answer."""

    functions: tuple[str, ...]
    beside: str
    test: str


COVERAGE = "simulated coverage of the interval"
PROOFS = [
    Proof(("agreement.fleiss_kappa", "agreement.gwet_ac", "agreement.percent_agreement"), COVERAGE,
          "measures/test_coverage.py::test_live_intervals_of_balanced_studies_hold_the_truth"),
    Proof(("intervals.bootstrap_interval", "alpha.krippendorff_alpha_with_interval"), COVERAGE,
          "measures/test_coverage.py::test_intervals_of_the_report_hold_the_truth"),
    Proof(("clusters.cluster_bootstrap_intervals",), COVERAGE,
          "measures/test_coverage.py::test_dialogues_must_be_drawn_whole"),
    Proof(("population.population_intervals",), "each annotator, group and both left out by counting anew",
          "measures/test_population.py::"
          "test_the_variance_adds_annotators_and_groups_less_what_both_count_and_is_at_least_the_larger"),
    Proof(("population.population_intervals",), COVERAGE,
          "measures/test_population.py::test_intervals_hold_agreement_among_all_where_those_for_these_annotators_do_not"),
    Proof(("intervals.bootstrap_intervals", "intervals.intervals_of_counts"), "each coefficient alone, same seed",
          "measures/test_intervals_and_words.py::test_intervals_of_several_coefficients_are_those_of_each_alone"),
    Proof(("clusters.cluster_bootstrap_intervals",), "each coefficient alone, same seed",
          "measures/test_clusters.py::test_intervals_of_several_coefficients_are_those_of_each_alone"),
    Proof(("cohen.cohen_kappas",), "each table alone",
          "measures/test_coefficients.py::test_kappas_of_many_tables_are_those_of_each_alone"),
    Proof(("contributors.kappa_with_majority", "leave_one_out.leave_one_out"), COVERAGE,
          "measures/test_coverage.py::test_intervals_of_annotators_hold_the_truth"),
    Proof(("mixed.spread.spreads_of", "mixed.spread.share_spread"), "answers made with equal and unequal variances",
          "measures/mixed/test_spread.py::"
          "test_a_source_with_nearly_all_answers_at_the_end_of_a_scale_is_named_as_rare_answers_are"),
    Proof(("mixed.shared.shared_annotators",), "sets of names, counted in the test",
          "reporting/test_compare_command.py::test_few_annotators_of_both_sources_are_warned_of_and_counted"),
    Proof(("mixed.spread.unequal_variances",), "simulated coverage of the interval, below the threshold",
          "measures/mixed/test_spread.py::test_intervals_hold_where_rates_differ_as_much_as_goes_without_a_warning"),
    Proof(("mixed.letters.compact_letters",), "pairs by lot: a letter is shared exactly where they do not differ",
          "measures/mixed/test_letters.py::test_sources_share_a_letter_exactly_if_they_do_not_differ"),
    Proof(("preferences.ranking.rank", "preferences.ranks.rank_limits"),
          "simulated coverage of strengths, win rates and ranks",
          "measures/preferences/test_ranking.py::test_intervals_hold_the_truth_where_those_of_the_model_alone_do_not"),
    Proof(("preferences.consistency.consistency",), "simulation: transitive sources, and a circle of three",
          "measures/preferences/test_consistency.py::test_a_circle_of_three_is_found_and_transitive_sources_are_not_blamed"),
    Proof(("prediction_intervals.label_estimates", "prediction_intervals.score_estimates"), COVERAGE,
          "measures/test_coverage.py::test_intervals_of_predictions_hold_the_truth"),
    Proof(("intervals.wilson", "intervals.clopper_pearson"), "exact coverage of the interval",
          "measures/test_coverage.py::test_intervals_of_shares_hold_what_each_promises"),
    Proof(("intervals.guarded",), "simulation: what has poor coverage is hidden or marked",
          "measures/test_coverage.py::test_wherever_coverage_is_poor_the_guards_speak"),
    Proof(("contributors.flags",), "simulation: careless annotators found, others left alone",
          "measures/test_contributors.py::test_clickers_are_flagged_and_nobody_else"),
    Proof(("batch_drift.cause_of",), "batches made with one bad annotator, and hard ones",
          "measures/test_batch_drift.py::test_one_bad_annotator_is_the_cause"),
    Proof(("drift.cusum", "drift.cusum_limit", "drift.ewma_width"), "simulation: false alarms in 400 courses",
          "measures/test_drift.py::test_false_alarms_come_as_rarely_as_promised"),
    Proof(("planning.crossed_power",), "simulation: the report's own tests of three layouts",
          "measures/test_planning.py::test_the_power_of_a_layout_is_that_of_the_tests_of_the_report"),
    Proof(("planning.crossed_difference",), "its power",
          "measures/test_planning.py::test_the_difference_that_a_layout_detects_is_found_with_its_power"),
    Proof(("planning.crossed_annotators",), "its power, and that of one annotator less",
          "measures/test_planning.py::test_the_fewest_annotators_of_a_layout_reach_its_power_and_one_less_do_not"),
    Proof(("planning.crossed_dialogues",), "its power, and that of one dialogue less",
          "measures/test_planning.py::test_dialogues_for_the_crossed_test_reach_its_power_and_one_less_does_not"),
    Proof(("planning.power", "planning.n_dialogues", "planning.detectable_difference"),
          "simulation: t tests over dialogues, for given annotators who differ",
          "measures/test_planning.py::test_the_power_for_given_annotators_is_that_of_t_tests_over_their_dialogues"),
    Proof(("alpha.krippendorff_alpha",), "35,000 real ratings: the published values",
          "reporting/test_agreement_command.py::test_switchboard_coherence_has_its_published_alpha"),
    Proof(("alpha.krippendorff_alpha", "agreement.fleiss_kappa"), "43,050 real ratings: the published values",
          "reporting/test_agreement_command.py::test_dices_has_the_alpha_printed_in_its_source"),
    Proof(("agreement.fleiss_kappa", "pair_means.mean_pairwise_cohen"), "reference study: 5,880 and 4,600 ratings",
          "reporting/test_reference_study.py::test_every_number_of_the_reference_study_is_printed"),
    Proof(("acceptance.decide_by_shares", "acceptance.describe"), "counting, for classes drawn at random",
          "measures/test_acceptance.py::test_the_outcome_equals_counting"),
    Proof(("acceptance.proportion",), "Wilson's limits, and wider ones where classes are weighted",
          "measures/test_acceptance.py::test_intervals_are_wilsons_and_weights_make_them_wider"),
    Proof(("acceptance.errors_allowed",), "counted by hand around the steps at 10, 20 and 30",
          "measures/test_acceptance.py::test_the_errors_that_ninety_per_cent_allow"),
    Proof(("acceptance.decide_by_errors",), "the published plan of 233 and 17",
          "measures/test_acceptance.py::test_a_fixed_sample_allows_so_many_errors"),
    Proof(("acceptance.draw_sample",), "simulation: how often each item is drawn",
          "measures/test_acceptance.py::test_every_item_is_as_likely_as_every_other"),
    Proof(("acceptance_curves.overall_curve",), "hypergeometric probabilities to three decimals",
          "measures/test_acceptance_curves.py::test_the_printed_row_of_the_overall_rule"),
    Proof(("acceptance_curves.kept_curve",), "a sum over every sample",
          "measures/test_acceptance_curves.py::test_the_joint_rule_equals_a_sum_over_every_sample"),
    Proof(("acceptance_curves.curve_of",), "simulation: samples drawn and decided",
          "measures/test_acceptance_curves.py::test_the_curve_is_what_samples_and_decisions_do"),
    Proof(("sequential.characteristic", "sequential.lines_of"), "published mean sizes and acceptance",
          "measures/test_acceptance_curves.py::test_the_printed_numbers_of_the_sequential_plan"),
    Proof(("sequential.decide_in_turn",), "simulation: decided item by item",
          "measures/test_acceptance_curves.py::test_the_characteristic_is_what_decisions_do"),
    Proof(("qualification_rule.measure", "qualification_rule.cells_of"), "Cohen's kappa on a table counted in the test",
          "measures/test_qualification_rule.py::test_the_majority_is_cohens_kappa_without_the_ties"),
    Proof(("qualification_rule.judge",), "forty simulated workers, decided by the generator",
          "qualification/qualifying/test_he_protocol.py::test_the_rule_of_the_study_clears_its_35_and_no_other"),
    Proof(("qualification_rule.panels_own",), "Cohen's kappa of each member on a table counted in the test",
          "measures/test_qualification_rule.py::test_the_panels_own_kappa_with_its_majority_is_the_mean_over_its_members"),
    Proof(("qualification_rule.weakest",), "criteria made so that one is below",
          "measures/test_qualification_rule.py::test_of_several_criteria_the_weakest_decides"),
    Proof(("signals.share_difference",), "Newcombe's limits and his table of small samples",
          "measures/test_signals.py::test_the_interval_of_a_difference_is_newcombes"),
    Proof(("signals.lower_tail",), "the binomial sum",
          "measures/test_signals.py::test_the_lower_tail_is_that_of_the_binomial"),
    Proof(("difficulty.difficulty_of",), "items made easy and split",
          "measures/test_difficulty.py::test_items_all_agree_on_are_easy_and_split_ones_hard"),
    Proof(("mixed.sources.compare_sources", "mixed.fitting.fit"), "lme4 and lmerTest, ten studies",
          "measures/mixed/test_oracle.py::test_estimates_errors_and_degrees_of_freedom_are_those_of_lmertest"),
    Proof(("mixed.fitting.pieces_at", "mixed.fitting.deviance", "mixed.fitting.curvature", "mixed.fitting.newton_step"),
          "lme4, standard deviations of the effects",
          "measures/mixed/test_oracle.py::test_standard_deviations_are_those_of_lme4"),
    Proof(("mixed.annotators.roots", "mixed.annotators.rooted", "mixed.annotators.sides"),
          "the covariance matrix of all ratings, written out",
          "measures/mixed/test_equations.py::test_pieces_are_those_of_the_whole_matrix"),
    Proof(("mixed.robust.plain_differences",), "sums over clusters, added by loops",
          "measures/mixed/test_sources.py::test_two_way_clusters_are_added_and_their_overlap_taken_off"),
    Proof(("ordinal.odds.odds_ratios",), "ordinal (clmm) and lme4 (glmer), four studies",
          "measures/ordinal/test_odds.py::test_odds_errors_and_standard_deviations_are_those_of_the_package"),
    Proof(("ordinal.answers.likelihood",), "differences of small steps",
          "measures/ordinal/test_odds.py::test_derivatives_of_an_answer_are_those_of_small_steps"),
    Proof(("agreement.positive_agreement",), "all ordered pairs of raters, one by one",
          "measures/test_overlap.py::test_any_number_of_raters_have_that_of_all_ordered_pairs"),
    Proof(("overlap.mean_jaccard",), "pairs of sets, counted by hand",
          "measures/test_overlap.py::test_the_mean_overlap_is_that_of_all_pairs_with_a_mark"),
    Proof(("machines.jackknife.guarded_by_clusters",), "conversations by ones around the limits of 10 and 20",
          "measures/machines/test_ceiling.py::test_few_conversations_have_no_interval_or_one_that_is_marked"),
    Proof(("machines.powered.powered_mean", "machines.powered.powered_difference", "machines.corrected.corrected_rate"),
          COVERAGE, "measures/machines/test_judge_coverage.py::"
          "test_clustered_intervals_hold_the_truth_where_those_of_independent_items_do_not"),
    Proof(("machines.ceiling.agreement_beyond_chance",), "the human ceiling, of which it is a part",
          "measures/machines/test_telling.py::test_agreement_beyond_chance_is_that_of_the_human_ceiling"),
    Proof(("machines.telling.telling_of",), "items made rare, and counted by hand",
          "measures/machines/test_telling.py::"
          "test_a_judge_that_finds_half_of_the_rare_items_is_told_from_chance_but_lopsided"),
    Proof(("suggestions.minutes_of_batch",), "counted by hand",
          "measures/test_difficulty.py::test_minutes_are_rounded_up_to_five"),
]  # fmt: skip


@dataclass(frozen=True)
class Line:
    """A line of the table, as it is on the page."""

    functions: str
    beside: str
    cases: str
    largest: str
    test: str

    def __str__(self) -> str:
        return f"| {self.functions} | {self.beside} | {self.cases} | {self.largest} | {self.test} |"


def line_of(row: Check | Proof, cases: int = 0, largest: float = 0.0) -> Line:
    functions = ", ".join(f"`{name}`" for name in row.functions)
    if isinstance(row, Proof):
        return Line(functions, row.beside, "", "", f"`{row.test}`")
    return Line(functions, row.beside, f"{cases:,}", rounded_up(largest), in_brackets(row))


def in_brackets(check: Check) -> str:
    """The parameter of the test that runs all checks."""
    return f"[{check.name}]"


def rounded_up(largest: float) -> str:
    """One digit: 0, 3e-16, 0.006."""
    if not largest:
        return "0"
    text = f"{largest:.0e}"
    if float(text) < largest:
        digit, exponent = text.split("e")
        text = f"{float(f'{int(digit) + 1}e{exponent}'):.0e}"
    return f"{float(text):g}"


def printed() -> list[Line]:
    """The table on the page."""
    section = PAGE.read_text(encoding="utf-8").partition(HEADING + "\n")[2].partition("\n## ")[0]
    lines = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("| `")]
    return [Line(*(cell.strip() for cell in line)) for line in lines]


def figures() -> Iterator[str]:
    """Public functions of measures that return a figure: a number, or a class that says what is known of one."""
    for module in pkgutil.walk_packages(measures.__path__, "measures."):
        for name, function in vars(importlib.import_module(module.name)).items():
            inner = inspect.unwrap(function) if callable(function) else None
            is_own = inspect.isfunction(inner) and inner.__module__ == module.name
            if is_own and not name.startswith("_") and returns_figure(inspect.signature(inner).return_annotation):
                yield f"{module.name}.{name}".removeprefix("measures.")


# Containers that figures are computed from.
NO_FIGURES = {
    "Chance", "CompleteBatches", "Contribution", "Histogram", "MajorityTables", "NumberedVotes", "LeftOut", "Cells",
    "Products", "Rows", "Nested", "Dense", "Sparse", "Judged", "Part",
}  # fmt: skip


def returns_figure(annotation: object) -> bool:
    text = inspect.formatannotation(annotation)
    if "numpy" in text or "Callable" in text:
        return False
    classes = set(re.findall(r"measures\.(?:\w+\.)+(\w+)", text))
    return bool(classes - NO_FIGURES) or bool(re.search(r"\b(float|int)\b", text) and not classes)


def write_page() -> None:
    """The table as it is measured now, in place of the one on the page."""
    lines = [line_of(check, *check.measured()) for check in CHECKS] + [line_of(proof) for proof in PROOFS]
    table = "".join(f"{line}\n" for line in lines)
    before, heading, rest = PAGE.read_text(encoding="utf-8").partition(HEADING + "\n")
    section, next_heading, after = rest.partition("\n## ")
    words = section.partition(TITLES)[0]
    PAGE.write_text(before + heading + words + TITLES + table + next_heading + after, encoding="utf-8")
