"""Hours follow the judgements, and are shared by those who have a batch."""

from dataclasses import replace

import pytest

from reporting.planner.plans import make_plan
from reporting.planner.sentences import duration
from reporting.planner.tables import facts
from tests.reporting.planner.asked import LOAD, question


def test_hours_follow_judgements_whatever_the_turns_and_the_size_of_batches():
    load = replace(LOAD, n_in_batch=200)
    one, four = (make_plan(question(n_annotators=12, n_dialogues=100, turns=turns), load).work for turns in (1, 4))
    assert four.n_judgements == 4 * one.n_judgements
    assert four.hours == pytest.approx(4 * one.hours)
    assert one.hours == pytest.approx(one.n_judgements / 200 * 35 / 60)
    small = make_plan(question(n_annotators=12, n_dialogues=100), replace(load, batch_size=5)).work
    assert small.hours == pytest.approx(one.hours)


def test_less_than_an_hour_is_said_in_minutes():
    assert [duration(each) for each in (0.001, 0.069, 0.5, 1.0, 21.04)] == [
        "1 minute", "4 minutes", "30 minutes", "1.0 hours", "21.0 hours"
    ]  # fmt: skip


def test_hours_are_those_of_the_people_who_get_a_batch():
    plan = make_plan(question(n_annotators=24, n_dialogues=50), LOAD)
    assert plan.work.n_working == 15
    assert plan.work.hours_each == pytest.approx(plan.work.hours / 15)
    hours = next(fact.figure for fact in facts(plan, LOAD) if fact.name == "Time per annotator")
    assert "shared by 15 annotators" in hours.lines[0]
    assert hours.lines[1] == "Assumes 35 minutes for 200 judgements, as expected, not measured."
