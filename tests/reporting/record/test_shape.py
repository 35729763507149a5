"""What an archive says of a study's conduct: its shape, and what is wrong with what is not of it."""

import pytest

from measures.acceptance import FixedRule, SharesRule
from measures.sequential import SequentialRule
from qualification.acceptance.selectors.plans import RULES
from qualification.models import AcceptancePlan, Qualification, Recruitment
from qualification.recruitment.selectors.facts import CRITERIA
from reporting.record.shape import RULE, STUDY_RECORD, Many, Maybe, Record, between, faults_of, in_order, one_of, text

SHAPE = Record({"b": between(0, 1), "a": Maybe(Many(2, Record({"y": text(3), "x": one_of("on", "off")})))})


def test_values_of_the_shape_have_no_fault_and_get_their_order_back():
    value = {"a": [{"x": "on", "y": "abc"}], "b": 0.5}
    assert list(faults_of(value, SHAPE)) == []
    ordered = in_order(value, SHAPE)
    assert ordered == value
    assert (list(ordered), list(ordered["a"][0])) == (["b", "a"], ["y", "x"])


@pytest.mark.parametrize(
    ("value", "fields"),
    [
        ([], ["document"]),
        ({}, ["b", "a"]),
        ({"b": True, "a": None}, ["b"]),
        ({"b": float("nan"), "a": None}, ["b"]),
        ({"b": 1.01, "a": "no list"}, ["b", "a"]),
        ({"b": 0, "a": [{"y": "abc", "x": "on"}] * 3}, ["a"]),
        ({"b": 0, "a": [{"y": "abcd", "x": ["on"]}]}, ["a[0].y", "a[0].x"]),
        ({"b": 0, "a": None, "c d": 1}, ["'c d'"]),
    ],
)
def test_every_fault_names_its_field(value: object, fields: list[str]):
    assert [field for field, _reason in faults_of(value, SHAPE)] == fields


def leaf(*path: str):
    shape = STUDY_RECORD
    for name in path:
        while isinstance(shape, Maybe | Many):
            shape = shape.of
        shape = shape.keys[name]
    return shape


def test_the_words_of_the_shape_are_those_of_the_models():
    choices = {
        "method": Qualification.Method, "scope": Qualification.Scope, "threshold_from": Qualification.ThresholdFrom,
        "panel_members": Qualification.PanelMembers, "decision": Qualification.Decision,
    }  # fmt: skip
    for name, values in choices.items():
        assert RULE.keys[name].expected == ", ".join(values.values)
    gender = leaf("recruitment", "criteria").keys["gender"]
    assert gender.expected == ", ".join(filter(None, Recruitment.Gender.values))  # only what is set is told
    assert set(leaf("recruitment", "criteria").keys) == set(CRITERIA)


def test_each_kind_of_plan_has_the_numbers_of_its_rule():
    plans = leaf("acceptance").of.keys["plans"].of.records
    assert set(plans) == set(AcceptancePlan.Kind.values) == set(RULES)
    for kind, rule in (("shares", SharesRule), ("fixed", FixedRule), ("sequential", SequentialRule)):
        numbers = set(plans[kind].keys) - {"kind", "criterion", "is_blind", "decisions"}
        assert numbers == set(rule.__dataclass_fields__)
