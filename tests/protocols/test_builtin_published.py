"""USR, ABC-Eval, SSA and the dialogue questionnaire: labels, scales and orders are those of the published designs."""

from typing import Any

import pytest

from protocols.bundles import complete_bundle, load_bundle
from protocols.selectors import BUILTIN
from protocols.specs import spec_of_document

AGREEMENT = [
    "Strongly disagree", "Disagree", "Slightly disagree", "Neither agree nor disagree", "Slightly agree", "Agree",
    "Strongly agree",
]  # fmt: skip
BEHAVIOURS = [
    "Uninterpretable", "Antisocial", "Preference info", "Life info", "Empathetic", "Lack of empathy",
    "Commonsense contradiction", "Incorrect fact", "Correct fact", "Self contradiction", "Partner contradiction",
    "Redundant", "Ignore", "Irrelevant", "Follow-up", "Topic switch",
]  # fmt: skip


def bundle(name: str) -> dict[str, Any]:
    (path,) = BUILTIN.glob(f"{name}-1.?.yaml")
    return complete_bundle(load_bundle(path))


def scales(criteria: list[dict[str, Any]]) -> dict[str, list[tuple[str, float | None]]]:
    return {each["name"]: [(option["label"], option["value"]) for option in each["options"]] for each in criteria}


def test_usr_has_its_six_criteria_on_their_scales():
    assert scales(bundle("usr")["criteria"]) == {
        "Understandable": [("0 (no)", 0), ("1 (yes)", 1)],
        "Natural": [("1 (bad)", 1), ("2 (ok)", 2), ("3 (good)", 3)],
        "Maintains Context": [("1 (no)", 1), ("2 (somewhat)", 2), ("3 (yes)", 3)],
        "Interesting": [("1 (dull)", 1), ("2 (somewhat interesting)", 2), ("3 (interesting)", 3)],
        "Uses Knowledge": [("0 (no)", 0), ("1 (yes)", 1)],
        "Overall Quality": [
            ("1 (very bad)", 1), ("2 (bad)", 2), ("3 (neutral)", 3), ("4 (good)", 4), ("5 (very good)", 5),
        ],
    }  # fmt: skip


def test_abc_eval_asks_for_sixteen_behaviours_each_of_which_may_be_absent():
    asked = [each for each in bundle("abc-eval")["criteria"] if not each["unit"]]
    assert [option["label"] for each in asked for option in each["options"]] == BEHAVIOURS
    assert {(each["kind"], each["required"]) for each in asked} == {("multiple", False)}


def test_abc_eval_rates_the_whole_dialogue_after_its_responses_from_one_to_five():
    doc = bundle("abc-eval")
    assert [run[0].unit for run in spec_of_document(doc).runs] == ["response", "dialogue"]
    whole = scales([each for each in doc["criteria"] if each["unit"] == "dialogue"])
    names = "Grammatical, Relevant, Informative, Emotion Aware, Engaging, Consistent, Proactive, Quality"
    assert list(whole) == names.split(", ")
    points = [("1 (least)", 1), ("2", 2), ("3", 3), ("4", 4), ("5 (most)", 5)]
    assert list(whole.values()) == [points] * 8


@pytest.mark.parametrize("pair", [{"empathetic", "lack_of_empathy"}, {"incorrect_fact", "correct_fact"}])
def test_behaviours_that_exclude_each_other_are_not_ticked_together(pair: set[str]):
    options = [option for each in bundle("abc-eval")["criteria"] for option in each["options"]]
    assert {option["key"] for option in options if option["alone"]} >= pair


def test_ssa_asks_for_specificity_after_yes_and_averages_both():
    sensible, asked, specific, average = bundle("ssa")["criteria"]
    assert asked["when"] == [{"criterion": "sensible", "options": ["yes"]}]
    assert [each["kind"] for each in (sensible, asked, specific, average)] == [
        "single",
        "single",
        "computed",
        "computed",
    ]
    assert all(scale == [("Yes", 1), ("No", 0)] for scale in scales([sensible, asked, specific]).values())
    assert scales([average]) == {"SSA": [("0", 0), ("0.5", 0.5), ("1", 1)]}


def test_the_questionnaire_has_eight_statements_about_whole_dialogues_on_seven_points():
    doc = bundle("dialogue-questionnaire")
    assert doc["unit"] == "dialogue"
    points = [(label, at) for at, label in enumerate(AGREEMENT, start=1)]
    assert list(scales(doc["criteria"]).values()) == [points] * 8
