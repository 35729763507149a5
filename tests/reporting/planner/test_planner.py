"""The planner: the printed table, and what it says with which figures."""

from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from measures.mixed.sources import compare_sources
from measures.pilots import components_of
from reporting.planner.advice import advice
from reporting.planner.plans import Load, make_plan
from reporting.planner.sentences import MEASURED_ANNOTATORS, answer, doubts, origin, points
from reporting.planner.tables import (
    annotators_table,
    curve_picture,
    dialogues_table,
    differences_table,
    facts,
    variance_facts,
)
from reporting.planner.variances import PILOT, SCALE, Variances, default_variances
from tests.measures.crossed import crossed_p, dialogue_p
from tests.measures.mixed.reading import study as real_study
from tests.reporting.planner.asked import LOAD, own, question

TABLE = {5: (1184, 651, 473, 331, 271), 10: (317, 170, 122, 85, 70), 15: (141, 78, 56, 39, 33)}  # as printed


# --- the plan ------------------------------------------------------------------------------------------
def test_the_usual_values_give_the_printed_table():
    grid = make_plan(question(n_annotators=24), LOAD).by_difference
    assert grid.columns == (1, 2, 3, 5, 7)
    assert {round(100 * row.value): row.cells for row in grid.rows} == TABLE
    assert [row.chosen for row in grid.rows] == [None, 2, None]


def test_a_plan_is_for_the_test_of_the_report_and_says_what_it_takes():
    plan = make_plan(question(n_annotators=33), LOAD)
    assert (plan.n_needed, plan.n_dialogues, plan.work.ratings_each) == (119, 119, 357)
    assert plan.work.n_judgements == 119 * 3 * 5 * 4
    assert (plan.work.n_batches, plan.work.n_turns, plan.work.cost) == (12, 36, 36 * 3.5)
    assert plan.work.hours == pytest.approx(11.9 * 3 * 35 / 60)
    assert plan.work.hours_each == pytest.approx(plan.work.hours / 33)
    assert " ".join(answer(plan, LOAD)) == (
        "119 dialogues with 3 annotators each detect a difference of 10 points with 80 % power. This is the test in "
        "the report. It holds for new annotators, too. That is 357 "
        "ratings per source and criterion, and 7,140 judgements in total. About 38 minutes of work per annotator who "
        "has a batch. Pay: 126.00 GBP."
    )


def test_one_number_of_dialogues_stands_in_the_answer_the_tile_and_every_table():
    plan = make_plan(question(n_annotators=12, n_comparisons=3, n_sources=3, turns=4), LOAD)
    assert answer(plan, LOAD)[0].startswith("72 dialogues")
    assert facts(plan, LOAD)[0].figure.text == "72"
    chosen = [
        figure.text
        for line in [*differences_table(plan), *annotators_table(plan)]
        for figure, is_chosen in line.cells
        if is_chosen
    ]
    assert chosen == ["72", "80 %"]
    assert next(crowd.n_dialogues for crowd in plan.by_annotators if crowd.is_chosen) == 72
    powers = {fact.name: fact.figure.text for fact in facts(plan, LOAD) if "Power" in fact.name}
    assert powers["Power"] == "80 %"
    assert powers["Power for these annotators only"] > "80 %"


def test_where_the_report_has_no_test_the_plan_is_for_another_and_says_so():
    plan = make_plan(question(ratings=1), LOAD)
    assert (plan.test, plan.n_needed) == ("these_annotators", 261)
    said = " ".join(answer(plan, LOAD))
    assert "The test in the report needs two annotators" in said
    assert "It holds for these annotators only." in said
    assert "For the test in the report, let more people rate: with 16 annotators in total, 311" in " ".join(
        advice(plan)
    )
    assert (261, 146, 108, 77, 64) in [row.cells for row in plan.by_difference.rows]


def test_a_number_of_dialogues_is_told_what_it_finds_and_what_it_lacks():
    plan = make_plan(question(n_dialogues=42, ratings=7), LOAD)
    assert plan.power == pytest.approx(0.535, abs=0.001)
    assert plan.power_for_these_annotators == pytest.approx(0.627, abs=0.001)
    assert answer(plan, LOAD)[:3] == [
        "42 dialogues, all by the same 7 annotators, 2.4 hours each, detect a difference of 10 points with 53 % power.",
        "With 80 % power they detect a difference of 13.5 points or more.",
        "To detect a difference of 10 points with 80 % power, plan 76 dialogues.",
    ]
    assert [row.value for row in plan.by_dialogues.rows] == [25, 42, 50, 100, 200, 400]


def test_what_is_detectable_has_the_power_of_the_report():
    asked = question(n_annotators=12, n_dialogues=50)
    found = make_plan(asked, LOAD).detectable
    assert make_plan(replace(asked, difference=found), LOAD).power == pytest.approx(0.8, abs=1e-4)


@pytest.mark.parametrize(
    ("dialogues", "ratings", "difference", "simulated"),
    [(100, 3, 0.10, 0.77), (42, 7, 0.15, 0.92), (400, 7, 0.05, 0.91)],
)
def test_the_power_for_these_annotators_is_that_of_the_printed_simulations(dialogues, ratings, difference, simulated):
    plan = make_plan(question(n_dialogues=dialogues, ratings=ratings, difference=difference), LOAD)
    assert plan.power_for_these_annotators == pytest.approx(simulated, abs=0.04)


@pytest.mark.parametrize(("ratings", "groups", "s_annotator"), [(3, 1, 0.0), (3, 10, 0.0), (7, 4, 0.0), (3, 10, 0.01)])
def test_both_powers_are_those_of_simulated_studies(ratings, groups, s_annotator):
    crowd = {"n_annotators": ratings * groups, "batch_size": 60 // groups}
    asked = question(ratings=ratings, n_dialogues=60, variances=own(s_annotator), **crowd)
    plan, rng, n_runs = make_plan(asked, LOAD), np.random.default_rng(5), 600
    found = np.zeros(2)
    for _ in range(n_runs):
        shape = (60 // groups, ratings)
        tastes = rng.normal(0, np.sqrt(s_annotator), (groups, 1, ratings))
        blocks = [
            0.1 + rng.normal(0, np.sqrt(0.0388), (shape[0], 1)) + taste + rng.normal(0, np.sqrt(0.2927), shape)
            for taste in tastes
        ]
        # The difference in the mean of these annotators is .1, whatever they prefer.
        of_these = [block - tastes.mean() for block in blocks]
        found += [p < 0.05 for p in (crossed_p(blocks), dialogue_p(of_these))]
    assert plan.power == pytest.approx(found[0] / n_runs, abs=0.05)
    assert plan.power_for_these_annotators == pytest.approx(found[1] / n_runs, abs=0.05)


def test_what_is_unknown_of_the_work_stays_a_dash():
    plan = make_plan(question(n_dialogues=108), Load(2, 4, 0, 0, None, 2000, None, ""))
    shown = {fact.name: fact.figure.text for fact in facts(plan, Load(2, 4, 0, 0, None, 2000, None, ""))}
    assert (shown["Batches"], shown["Time per annotator"], shown["Total pay"]) == ("–", "–", "–")
    assert shown["Judgements in total"] == f"{108 * 3 * 2 * 4:,}"


@pytest.mark.parametrize("asked", [{"n_annotators": 30}, {"ratings": 1}])
def test_every_number_explains_itself(asked):
    plan = make_plan(question(**asked, variances=own(0.0005)), LOAD)
    figures = [
        figure for table in (differences_table, dialogues_table) for line in table(plan) for figure, _ in line.cells
    ]
    assert all(figure.lines for figure in [*figures, *(fact.figure for fact in facts(plan, LOAD))])


def test_the_test_over_dialogues_explains_itself_by_its_formula():
    plan = make_plan(question(ratings=1, variances=own(0.0005)), LOAD)
    chosen = next(figure for line in differences_table(plan) for figure, is_chosen in line.cells if is_chosen)
    assert chosen.lines[-1] == f"7.849 × (0.0388 + 0.2927 / 1) / 0.1² ≤ {plan.n_needed}"
    found = next(figure for line in dialogues_table(plan) for figure, is_chosen in line.cells if is_chosen)
    assert found.lines[-1].startswith(f"√(7.849 × (0.0388 + 0.2927 / 1) / {plan.n_needed}) = 0.09")


def test_the_formula_counts_who_rates_a_dialogue_where_not_everybody_does():
    plan = make_plan(question(ratings=1, n_annotators=20, n_dialogues=20, batch_size=1, variances=own(0.01)), LOAD)
    assert plan.test == "these_annotators"
    chosen = next(figure for line in differences_table(plan) for figure, is_chosen in line.cells if is_chosen)
    reach = "1.960 × √(0.0388 + 0.2927 / 1 + 0.01 × (1 / 1 − 1 / 20)) + 0.842 × √(0.0388 + 0.2927 / 1)"
    assert chosen.lines[-1] == f"({reach})² / 0.1² ≤ {plan.n_needed}"
    assert plan.n_needed == plan.n_needed_for_these_annotators == 266
    found = next(figure for line in dialogues_table(plan) for figure, is_chosen in line.cells if is_chosen)
    assert found.lines[-1].startswith(f"({reach}) / √20 = 0.36")


def test_the_power_for_these_annotators_does_not_count_what_they_prefer():
    one, other = (make_plan(question(n_dialogues=100, variances=own(s_a)), LOAD) for s_a in (0.0, 0.02))
    assert one.power_for_these_annotators == other.power_for_these_annotators > one.power > other.power
    tile = next(fact.figure for fact in facts(other, LOAD) if fact.name == "Power for these annotators only")
    assert "a difference of 10 points between their own mean scores in 77." in tile.lines[0]


def test_points_are_of_a_share_or_of_a_scale():
    assert points(0.1, question()) == "10 points"
    assert points(0.01, question()) == "1 point"
    assert points(0.4, question(unit=SCALE, span=4.0)) == "0.4 scale points"


def test_a_small_pilot_is_called_rough_and_what_is_zero_is_named():
    small = Variances(0.0, 0.3, 0.01, PILOT, n_pairs=1, n_dialogues=19, n_annotators=7, at_zero=("s_between",))
    assert "rough" in doubts(small)[0]
    assert doubts(small)[1] == "Estimated as 0: between dialogues."
    assert not doubts(Variances(0.04, 0.3, 0.01, PILOT, n_pairs=1, n_dialogues=20, n_annotators=3))


def test_a_pilot_of_single_turns_does_not_know_what_differs_between_turns():
    single = Variances(0.04, 0.3, 0.01, PILOT, n_pairs=1, n_dialogues=20, n_annotators=3, are_turns_known=False)
    assert "Between turns: unknown" in doubts(single, turns=4)[0]
    assert not doubts(single, turns=1)
    names = {fact.name: fact.figure.text for fact in variance_facts(question(turns=4, variances=single))}
    assert names["between turns"] == "–"


def test_typical_values_say_that_they_are_hopeful_about_annotators():
    scale = question(unit=SCALE, span=4.0, difference=0.4, variances=default_variances(4.0))
    said = origin(scale.variances, scale, "")
    assert "Annotators are taken to agree about the sources, which is hopeful" in said
    assert "varied by 0.088 (on your scale)" in said


def test_the_hopeful_value_is_measured_in_the_real_ratings():
    found = components_of(real_study("swbd_coh"), compare_sources(real_study("swbd_coh"), 3, bounds=(1, 3)))
    assert found.s_annotator / (3 - 1) ** 2 == pytest.approx(MEASURED_ANNOTATORS, abs=0.00005)
    assert found.n_annotators == 37


@pytest.mark.parametrize(
    "asked", [{}, {"n_dialogues": 5000}, {"difference": 0.001}, {"ratings": 12, "variances": own(1.0)}]
)
def test_the_picture_is_well_formed_whatever_is_asked(asked):
    root = ElementTree.fromstring(curve_picture(make_plan(question(**asked), LOAD)))
    curves = [each.get("points") for each in root.iter("{http://www.w3.org/2000/svg}polyline")]
    assert 1 <= len(curves) <= 3
    assert root.get("role") == "img"
