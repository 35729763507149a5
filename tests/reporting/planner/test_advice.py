"""Advice says what the numbers of the plan say: more people only where they help, and how many."""

import pytest

from reporting.planner.advice import advice, advice_codes
from reporting.planner.plans import make_plan
from reporting.planner.sentences import answer, uneven
from reporting.planner.tables import annotators_table, differences_table
from tests.reporting.planner.asked import LOAD, own, question


def test_few_annotators_cost_dialogues_and_the_plan_says_how_many_people_save_them():
    alone = make_plan(question(), LOAD)
    assert (alone.n_needed, alone.n_needed_for_these_annotators) == (225, 108)
    assert "with 12 annotators in total, 128 dialogues are enough" in advice(alone)[0]
    assert [crowd.n_annotators for crowd in alone.by_annotators] == [3, 6, 12, 24, 48]
    powers = [crowd.power for crowd in alone.by_annotators]
    assert powers == sorted(powers)
    assert "share_dialogues" not in advice_codes(make_plan(question(n_annotators=48), LOAD))


def test_more_people_are_advised_only_if_they_are_enough_otherwise_dialogues():
    short = make_plan(question(n_annotators=12, n_dialogues=100), LOAD)
    assert advice(short)[0] == (
        "More annotators in total do not raise the power to 80 %. Plan 128 dialogues, or 5 annotators per dialogue."
    )
    now, before = (make_plan(question(n_annotators=12, n_dialogues=100, ratings=n), LOAD).power for n in (5, 4))
    assert now >= 0.8 > before
    shared = make_plan(question(n_dialogues=150), LOAD)
    assert f"with {shared.enough_annotators} annotators in total, these dialogues reach 80 % power" in advice(shared)[0]
    now, before = (
        make_plan(question(n_dialogues=150, n_annotators=n), LOAD).power
        for n in (shared.enough_annotators, shared.enough_annotators - 1)
    )
    assert now >= 0.8 > before


def test_annotators_are_not_advised_where_dialogues_alone_differ_too_much():
    short = make_plan(question(n_annotators=12, n_dialogues=20), LOAD)
    assert make_plan(question(n_annotators=600, n_dialogues=20, ratings=50), LOAD).power < 0.8
    assert advice(short)[0] == (
        "More annotators do not raise the power to 80 %, as the sources differ too much from dialogue to dialogue. "
        f"Plan {short.n_needed} dialogues."
    )


def test_annotators_and_dialogues_are_both_advised_where_neither_alone_is_enough():
    both = make_plan(question(n_dialogues=20, variances=own(0.01)), LOAD)
    assert (both.n_needed, both.enough_annotators) == (None, None)
    assert advice(both)[0].startswith("Add annotators and dialogues:")


def test_the_same_few_people_and_their_hours_stand_in_the_first_sentence():
    plan = make_plan(question(), LOAD)
    assert answer(plan, LOAD)[0] == (
        f"225 dialogues, all by the same 3 annotators, {plan.work.hours_each:,.1f} hours each, detect a difference of "
        "10 points with 80 % power."
    )
    assert "would do" not in " ".join(answer(plan, LOAD))
    alone = make_plan(question(ratings=1), LOAD)
    assert "all by the same annotator, " in answer(alone, LOAD)[0]


def test_fewer_ratings_with_more_annotators_per_dialogue_are_explained():
    said = "The annotators in total grow here, too, from 2 annotators to 7 annotators: that is what saves ratings."
    assert said in advice(make_plan(question(), LOAD))
    assert not any("grow here" in sentence for sentence in advice(make_plan(question(n_annotators=24), LOAD)))


def test_smaller_batches_are_advised_if_some_people_get_none():
    plan = make_plan(question(n_annotators=24, n_dialogues=20), LOAD)
    said = "Only 6 annotators get a batch. For all 24 annotators to rate, make batches of at most 2 dialogues."
    assert said in advice(plan)
    small = make_plan(question(n_annotators=24, n_dialogues=20, batch_size=2), LOAD)
    assert small.work.n_working == 24
    assert "smaller_batches" not in advice_codes(small)
    few = make_plan(question(n_annotators=100, n_dialogues=20), LOAD)
    assert "there are not enough dialogues for 100 annotators" in " ".join(advice(few))


def test_annotators_who_differ_need_more_annotators_not_more_dialogues():
    hopeless = make_plan(question(ratings=7, variances=own(0.01)), LOAD)
    assert (hopeless.n_needed, hopeless.n_dialogues, hopeless.work) == (None, None, None)
    assert next(iter(advice_codes(hopeless))) == "more_annotators"
    assert not any("More dialogues help" in sentence for sentence in advice(hopeless))
    sentence = answer(hopeless, LOAD)[0]
    assert sentence.startswith("With 7 annotators in total, no number of dialogues detects")
    assert sentence.endswith("You need at least 10 annotators.")
    assert "–" in [figure.text for line in differences_table(hopeless) for figure, _ in line.cells]
    some = make_plan(question(n_annotators=20, variances=own(0.01)), LOAD)
    assert some.n_needed > 119
    assert "annotators_differ" in advice_codes(some)
    dialogues = (0.0388 + 0.2927 / 3) / some.n_needed
    assert some.annotators_share == pytest.approx(0.01 / 20 / (0.01 / 20 + dialogues), abs=0.01)


def test_the_fewest_annotators_are_those_of_the_test_in_the_report():
    hopeless = make_plan(question(variances=own(0.01)), LOAD)
    enough, below = (
        make_plan(question(variances=own(0.01), n_annotators=n), LOAD).n_needed
        for n in (hopeless.fewest_annotators, hopeless.fewest_annotators - 1)
    )
    assert enough is not None
    assert below is None


def test_two_annotators_who_differ_are_said_to_err_too_often():
    plan = make_plan(question(ratings=2, n_dialogues=108, variances=own(0.01)), LOAD)
    said = "it finds a difference that does not exist in 11 of 100 studies instead of 5"
    assert said in " ".join(advice(plan))
    assert "false_alarms" not in advice_codes(make_plan(question(n_annotators=24), LOAD))


def test_a_power_that_falls_with_one_annotator_more_is_explained():
    falling = make_plan(question(ratings=2, n_annotators=3, n_dialogues=108), LOAD)
    powers = [crowd.power for crowd in falling.by_annotators]
    assert powers[0] > powers[1]
    assert "the power may fall a little when one more rates" in uneven(falling)
    assert uneven(make_plan(question(), LOAD)) == ""


def test_several_comparisons_share_the_level_and_one_rating_is_warned_about():
    plan = make_plan(question(n_comparisons=10, ratings=1, n_annotators=12), LOAD)
    assert plan.question.level_each == pytest.approx(0.005)
    assert plan.n_needed > 331
    assert {"comparisons", "three_ratings"} <= set(advice_codes(plan))
    assert "More dialogues help more than more annotators per dialogue." in advice(plan)
    assert all(sentence and "%(" not in sentence for sentence in advice(plan))


def test_more_dialogues_are_not_said_to_help_more_where_more_people_do():
    assert "More dialogues help more than more annotators per dialogue." not in advice(make_plan(question(), LOAD))


def test_more_annotators_per_dialogue_than_there_are_in_all_are_said_to_be_more():
    plan = make_plan(question(n_annotators=4, n_dialogues=100), LOAD)
    assert plan.enough_ratings > 4
    assert f"or {plan.enough_ratings} annotators per dialogue: more than the 4 annotators in total." in advice(plan)[0]


def test_rows_of_annotators_without_a_batch_say_how_many_have_one():
    plan = make_plan(question(n_annotators=12, n_dialogues=40), LOAD)
    headings = [line.heading for line in annotators_table(plan)]
    assert headings == ["3", "6", "12", "24 (only 12 get a batch)", "48 (only 12 get a batch)"]
