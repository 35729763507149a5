"""Words for the codes in a study record, taken from the modules that define the codes."""

from typing import Any

from qualification.acceptance.tags import rule_in_words
from qualification.models import Qualification, Recruitment
from qualification.qualifying.tags import bound_words
from qualification.recruitment.selectors.demographics import SMALL

__all__ = ["SMALL", "gender", "plan_in_words", "rule_words"]


def gender(code: str) -> str:
    return str(Recruitment.Gender(code).label)


def rule_words(rule: dict[str, Any]) -> dict[str, str]:
    """Return the words for the codes of a qualification rule."""
    return {
        "method": str(Qualification.Method(rule["method"]).label),
        "scope": str(Qualification.Scope(rule["scope"]).label),
        "decision": f"{Qualification.Decision(rule['decision']).label}; {bound_words(rule['method'])}",
        "panel": str(Qualification.PanelMembers(rule["panel_members"]).label),
    }


def plan_in_words(plan: dict[str, Any]) -> str:
    """Return a sentence on what batch acceptance samples, and what it accepts."""
    return rule_in_words(plan)
