"""The schema of the study record: it knows the words of today's models, and names the field of each fault."""

from typing import Any

import pytest

from archive.record import VALIDATOR
from measures.acceptance import FixedRule, SharesRule
from measures.sequential import SequentialRule
from protocols.schema import explained
from qualification.acceptance.selectors.plans import RULES
from qualification.models import AcceptancePlan, Qualification, Recruitment
from qualification.recruitment.selectors.facts import CRITERIA
from reporting.record.record import SCHEMA


def part(*path: str | int) -> dict[str, Any]:
    found: Any = SCHEMA
    for name in path:
        found = found[name] if isinstance(name, int) or name in found else found["properties"][name]
    return found


def faults_of(name: str, value: object) -> list[tuple[str, str]]:
    validator = VALIDATOR.evolve(schema={**part(name), "$defs": SCHEMA["$defs"]})
    return [(fault.path, fault.reason) for error in validator.iter_errors(value) for fault in explained(error)]


def test_the_schema_is_one_of_its_own_draft():
    VALIDATOR.check_schema(SCHEMA)


def test_the_words_of_the_schema_are_those_of_the_models():
    rule = part("qualification", "rules", "items", "properties")
    choices = {
        "method": Qualification.Method, "scope": Qualification.Scope, "threshold_from": Qualification.ThresholdFrom,
        "panel_members": Qualification.PanelMembers, "decision": Qualification.Decision,
    }  # fmt: skip
    for name, values in choices.items():
        assert rule[name]["enum"] == values.values
    criteria = part("recruitment", "criteria", "properties")
    assert criteria["gender"]["enum"] == list(filter(None, Recruitment.Gender.values))  # only what is set is told
    assert set(criteria) == set(CRITERIA)


def test_each_kind_of_plan_has_the_numbers_of_its_rule():
    plan = part("acceptance", "plans", "items")
    forms = {each["if"]["properties"]["kind"]["const"]: each["then"]["properties"] for each in plan["allOf"]}
    assert set(forms) == set(plan["properties"]["kind"]["enum"]) == set(AcceptancePlan.Kind.values) == set(RULES)
    for kind, rule in (("shares", SharesRule), ("fixed", FixedRule), ("sequential", SequentialRule)):
        assert set(forms[kind]) - {"kind", "criterion", "is_blind", "decisions"} == set(rule.__dataclass_fields__)


@pytest.mark.parametrize(
    ("name", "value", "faults"),
    [
        ("feedback", [{"since": "2026-02-28", "until": None}], []),
        ("feedback", [{"since": "2026-02-30", "until": None}], [("[0].since", 'is "2026-02-30" (expected a date)')]),
        ("feedback", [{"since": "2026-02-28"}], [("[0].until", "is missing")]),
        ("feedback", {}, [("document", "is a mapping (expected a list)")]),
        ("pay", {"floor": "6 pounds", "floor_currency": "GBP", "ledger": None}, [
            ("floor", 'is "6 pounds" (expected an amount)'),
        ]),
        ("people", {"apart": [], "n_asked": -1}, [("n_asked", "is -1 (expected at least 0)")]),
        ("people", {"apart": [], "n_asked": True}, [("n_asked", "is true (expected a whole number)")]),
        ("people", {"apart": ["x" * 81], "n_asked": 0}, [("apart[0]", "has 81 characters (expected at most 80)")]),
        ("people", {"apart": [], "n_asked": 0, "c d": 1}, [
            ("'c d'", "is not a key of the format (expected one of: apart, n_asked)"),
        ]),
    ],
)  # fmt: skip
def test_every_fault_names_its_field_and_what_is_expected(name: str, value: object, faults: list[tuple[str, str]]):
    assert faults_of(name, value) == faults
