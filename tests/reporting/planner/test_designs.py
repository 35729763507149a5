"""The planner plans the design that will be run: batches for some of the annotators, turns, comparisons."""

import json

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Batch, Dialogue
from measures.layouts import ComparedLayout, RatedLayout, Variances
from measures.planning import crossed_power
from tests.cast import Cast
from tests.comparing import make_compared, make_compared_dialogues
from tests.factories import CandidateFactory, DialogueFactory, MembershipFactory, SourceFactory, StudyFactory
from tests.factories_protocols import make_scale_version
from tests.he_study import load_he_study

pytestmark = pytest.mark.django_db


def asked(study, name: str = "planner", **query) -> str:
    client = Client()
    client.force_login(MembershipFactory(study=study, role="lead").user)
    return client.get(reverse(name, args=[study.slug]), query).content.decode()


def document(study, **query) -> dict:
    return json.loads(asked(study, "planner_json", **query))


def test_the_page_says_to_whom_each_batch_goes(cast: Cast):
    page = asked(cast.study, annotators="12", dialogues="108", batch_size="6")
    assert "Each batch of 6 dialogues goes to 3 of the 12 annotators, who take about as many batches each." in page
    assert "The same 3 annotators rate everything." in asked(cast.study, dialogues="108")
    page = asked(cast.study, annotators="500", dialogues="108", batch_size="6")
    assert "18 batches of 6 dialogues have seats for 54 annotators only: the others rate nothing." in page


def test_batch_size_and_seats_are_those_of_the_layout(cast: Cast):
    found = document(cast.study, annotators="12", dialogues="108", comparisons="1", sources="2", batch_size="27")
    layout = RatedLayout(dialogues=108, ratings=3, annotators=12, batch_size=27)
    assert found["power"] == pytest.approx(crossed_power(0.1, layout, Variances(0.0388, 0.2927)))
    assert (found["question"]["batch_size"], found["question"]["ratings"]) == (27, 3)


def test_one_annotator_for_each_dialogue_has_a_power_if_several_share_the_dialogues(cast: Cast):
    assert document(cast.study, ratings="1", annotators="12", dialogues="250")["power"] > 0.5
    page = asked(cast.study, ratings="1", dialogues="250")
    assert "The test in the report needs two annotators, and most of them need two dialogues." in page


# --- turns
def test_turns_of_a_conversation_are_one_dialogue():
    study = load_he_study(now=timezone.now(), slug="turned")
    dialogues = list(study.dialogues.order_by("position"))
    for at, dialogue in enumerate(dialogues):
        dialogue.conversation = f"c{at // 3}"
    Dialogue.objects.bulk_update(dialogues, ["conversation"])
    study.batches.update(kind=Batch.Kind.PILOT)
    page = asked(study, dialogues="60")
    assert "The study has 42 dialogues in 14 conversations so far." in page
    found = document(study, dialogues="60", components="pilot")
    assert found["question"]["turns"] == 3
    assert found["question"]["variances"]["s_turn"] >= 0
    assert found["question"]["variances"]["n_dialogues"] == 14
    assert found["work"]["ratings_each"] == 60 * found["question"]["ratings"] * 3


def test_more_turns_need_fewer_dialogues_and_the_formula_has_their_mean(cast: Cast):
    one, five = (document(cast.study, turns=turns, comparisons="1") for turns in ("1", "5"))
    assert (one["n_needed"], five["n_needed"]) == (151, 53)
    assert (one["n_needed_for_these_annotators"], five["n_needed_for_these_annotators"]) == (108, 46)
    page = asked(cast.study, turns="5", comparisons="1", ratings="1")
    assert "7.849 × (0.0388 + 0.05854 / 1) / 0.1² ≤ 77" in page
    assert "takes 385 ratings of each source with 1 annotator per dialogue" in page  # 77 dialogues
    assert "Two sources are taken to differ by as much in every turn of a dialogue." in page


def test_own_values_may_differ_between_turns(cast: Cast):
    own = {"components": "own", "s_between": "0.03", "s_within": "0.3", "s_annotator": "0", "turns": "5"}
    found = document(cast.study, **own, s_turn="0.1")
    assert found["question"]["variances"]["s_turn"] == 0.1
    assert found["n_needed"] > document(cast.study, **own)["n_needed"]
    assert "between turns" in asked(cast.study, **own, s_turn="0.1").lower()


# --- whole dialogues
def test_sources_with_dialogues_of_their_own_are_planned_as_such():
    study = StudyFactory(slug="apart", protocol_version=make_scale_version(1, unit="dialogue"))
    for place in range(2):
        source = SourceFactory(study=study, key=f"m{place}", position=place)
        for at in range(3):
            DialogueFactory(study=study, source=source, key=f"{place}-{at}", conversation=f"{place}-{at}")
    page = asked(study)
    assert "every source has its own. The plan counts the dialogues of one source." in page
    found = document(study, dialogues="100", annotators="12", batch_size="10")
    assert found["question"]["is_matched"] is False
    assert found["work"]["n_batches"] == 20
    study.dialogues.update(scenario="s")
    assert document(study)["question"]["is_matched"] is True


def test_without_dialogues_it_is_asked_whether_each_conversation_belongs_to_one_source():
    study = StudyFactory(slug="empty", protocol_version=make_scale_version(1))
    assert "belongs to one source" in asked(study)
    assert document(study)["question"]["is_matched"] is True
    assert document(study, together="no")["question"]["is_matched"] is False
    assert "The plan counts the conversations of one source." in asked(study, together="no")


@pytest.mark.parametrize("is_shared", [True, False])
def test_dialogues_tell_whether_responses_of_several_sources_are_in_one(is_shared: bool):
    study = StudyFactory(slug="logs", protocol_version=make_scale_version(1))
    sources = [SourceFactory(study=study, key=f"m{place}", position=place) for place in range(2)]
    for at in range(4):
        dialogue = DialogueFactory(study=study, key=f"{at}", conversation=f"{at}")
        for source in sources if is_shared else sources[at % 2 :][:1]:
            CandidateFactory(dialogue=dialogue, source=source, key=source.key)
    assert "This study has no dialogues yet that would tell" not in asked(study)
    assert document(study, together="no" if is_shared else "yes")["question"]["is_matched"] is is_shared


def test_the_minutes_are_for_a_batch_of_the_study_also_if_another_size_is_planned(cast: Cast):
    usual, double = (document(cast.study, dialogues="100", **size) for size in ({}, {"batch_size": "4"}))
    assert usual["load"]["n_in_batch"] == double["load"]["n_in_batch"] > 0
    assert usual["work"]["hours"] == double["work"]["hours"]
    assert "For a batch of 2 dialogues, as in the study." in asked(cast.study)


def test_larger_batches_pay_in_proportion_and_the_plan_says_so(cast: Cast):
    cast.study.pay_amount, cast.study.pay_currency = "3.50", "GBP"
    cast.study.save()
    usual, double = (document(cast.study, dialogues="100", **size) for size in ({}, {"batch_size": "4"}))
    assert (usual["work"]["pay_of_batch"], double["work"]["pay_of_batch"]) == (3.5, 7.0)
    assert usual["work"]["cost"] == double["work"]["cost"] == 50 * 3 * 3.5
    said = "The study pays 3.50 GBP for a batch of"
    assert said not in asked(cast.study, dialogues="100")
    assert said in asked(cast.study, dialogues="100", batch_size="4")


# --- comparisons
def test_a_study_that_compares_is_planned_by_its_win_rate():
    study = make_compared(slug="pairs")
    page = asked(study, dialogues="100", annotators="12", batch_size="10")
    assert "In percentage points: 10 means that a source wins 60 per cent, a tie counting half." in page
    assert "Assumed values, not measured ones" in page
    assert "The ranks in the report hold for all pairs at once" in page
    assert "Holm" not in page
    assert "A pair is compared once in a dialogue, so the plan has no turns." in page
    found = document(study, dialogues="100", annotators="12", batch_size="10", comparisons="1")
    layout = ComparedLayout(dialogues=100, ratings=3, annotators=12, batch_size=10, sources=3, pairs=3)
    assert found["power"] == pytest.approx(crossed_power(0.1, layout, Variances(0.017, 0.168)))
    assert (found["question"]["unit"], found["question"]["pairs"]) == ("wins", 3)
    assert found["work"]["n_judgements"] == 100 * 3 * 3
    assert "That is 300 answers about each pair of sources, and 900 judgements in total." in asked(
        study, dialogues="100"
    )


def test_fewer_pairs_in_a_dialogue_need_more_dialogues():
    study = make_compared(slug="pairs")
    every, one = (document(study, comparisons="1", pairs=pairs) for pairs in ("3", "1"))
    assert one["n_needed"] > 2 * every["n_needed"]


def test_no_source_wins_by_fifty_points():
    study = make_compared(slug="pairs")
    assert "cannot differ by 50 or more" in asked(study, difference="50")


@pytest.mark.parametrize("make", [make_compared, make_compared_dialogues])
def test_a_pilot_of_comparisons_says_how_much_they_vary(make):
    study = make(slug="pairs")
    study.batches.update(kind=Batch.Kind.PILOT)
    found = document(study, components="pilot")
    variances = found["question"]["variances"]
    assert (variances["origin"], variances["n_pairs"], variances["n_dialogues"]) == ("pilot", 3, 3)
    assert variances["n_annotators"] == 3
    assert found["question"]["pairs"] == 3  # 2.7: two sources have identical texts in one dialogue
    page = asked(study, components="pilot", pair="model-b~model-c")
    assert "3 annotators. The pair is Model B – Model C." in page
