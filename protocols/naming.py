"""Turn the names of criteria and answers into the keys that a document needs; people may type either."""

from collections.abc import Iterable, Mapping
from typing import Any

from protocols.bundles import Bundle


def by_keys(criteria: list[Bundle]) -> list[Bundle]:
    """Return the criteria with keys in place of names in conditions, rules and examples; other text stays as typed."""
    return [
        criterion
        | {
            "when": [_condition(each, criteria) for each in criterion["when"]],
            "rules": [_rule(each, criterion, criteria) for each in criterion["rules"]],
            "examples": [_example(each, criterion["options"]) for each in criterion["examples"]],
        }
        for criterion in criteria
    ]


def key_of(typed: Any, parts: Iterable[Mapping[str, Any]], name: str) -> Any:
    """Return the key of a name, ignoring case. A key, an unknown name and one that two parts share stay as typed."""
    if not isinstance(typed, str) or any(part["key"] == typed for part in parts):
        return typed
    found = [part["key"] for part in parts if str(part[name]).casefold() == typed.casefold()]
    return found[0] if len(found) == 1 else typed


def _condition(typed: Any, criteria: list[Bundle]) -> Any:
    if not isinstance(typed, dict) or not isinstance(typed.get("options"), list):
        return typed
    key = key_of(typed.get("criterion"), criteria, "name")
    options: list[Bundle] = next((each["options"] for each in criteria if each["key"] == key), [])
    return typed | {"criterion": key, "options": [key_of(each, options, "label") for each in typed["options"]]}


def _rule(typed: Any, criterion: Bundle, criteria: list[Bundle]) -> Any:
    rule = _answered(typed, criterion["options"])
    if not isinstance(rule, dict) or not isinstance(rule.get("when"), list):
        return rule
    return rule | {"when": [_condition(each, criteria) for each in rule["when"]]}


def _example(example: Bundle, options: list[Bundle]) -> Bundle:
    return _answered(example, options) | {"candidates": [_candidate(each, options) for each in example["candidates"]]}


def _candidate(typed: Any, options: list[Bundle]) -> Any:
    """Return a candidate with the keys of its answer and of its reasons, which are looked up in the answer."""
    candidate = _answered(typed, options)
    if not isinstance(candidate, dict) or not isinstance(candidate.get("explanations"), list):
        return candidate
    known: list[Bundle] = next((each["explanations"] for each in options if each["key"] == candidate.get("option")), [])
    return candidate | {"explanations": [key_of(each, known, "sub_dimension") for each in candidate["explanations"]]}


def _answered(typed: Any, options: list[Bundle]) -> Any:
    if not isinstance(typed, dict) or "option" not in typed:
        return typed
    return typed | {"option": key_of(typed["option"], options, "label")}
