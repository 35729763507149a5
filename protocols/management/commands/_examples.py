"""Suggest a valid value for the place of an error, so that nobody needs the reference to correct a bundle."""

import json
import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from jsonschema import Draft202012Validator

from protocols.schema import SCHEMA, BundleError, resolved
from protocols.sides import BOTH_SIDES

Schema = Mapping[str, Any]
ONE_OF = "one of: "
PLACE = re.compile(r"'[^']*'|\[\d+\]|[^.\[\]]+")
RIGHT: dict[str, Any] = {
    "protocol": "politeness",
    "name": "Politeness",
    "version": "1.0",
    "summary": "How polite a response is.",
    "citation": "A. Author. 2026. A title. A journal.",
    "batch_items": 2000,
    "reading_seconds": 20,
    "words_min": 3,
    "words_max": 30,
    "context_title": "Read this first",
    "item_title": "Rate this",
    "scale_above": True,
    "flagged": "skip",
    "facts": ["I keep bees."],
    "welcome": "Thank you for taking part.",
    "changes": "The third question is new.",
    "notices": ["Texts may be in lower case."],
    "guidelines_short": "Judge each response **by itself**.",
    "guidelines": "## What polite means here",
    "key": "polite",
    "label": "Polite",
    "short": "POL",
    "question": "Is this response polite?",
    "definition": "It respects the other person.",
    "alone": True,
    "conditions": ["It thanks the other person."],
    "unit": "response",
    "criterion": "politeness",
    "option": "polite",
    "value": 1,
    "text": "Thank you!",
    "sub_dimension": "Thanks",
    "title": "A thank you",
    "speaker": "A",
    "rated_turn": 1,
    "why": "It thanks.",
    "translations": {"it": {"name": "Cortesia"}},
    "options": [{"key": "polite", "label": "Polite"}, {"key": "rude", "label": "Rude"}],
    "scales": {"agreement": [{"key": "no", "label": "I disagree"}, {"key": "yes", "label": "I agree"}]},
}
TWO_SIDES = [{"key": side, "label": side.capitalize(), "role": side} for side in ("left", "equal", "right")]


def example_for(error: BundleError) -> str:
    """Return `key: value` as YAML, or an empty string if the place is not part of the format, such as a line."""
    found = _find(PLACE.findall(error.path))
    if found is None:
        return ""
    name, part, is_right_name = found
    allowed = error.expected.removeprefix(ONE_OF).split(", ") if error.expected.startswith(ONE_OF) else []
    if not is_right_name and allowed and name not in allowed:
        name = allowed[0]
    value = _expected_value(error.expected, allowed, resolved(part)) if is_right_name else None
    shown = json.dumps(right_value(name, part) if value is None else value, ensure_ascii=False)
    return f"{name}: {shown}" if name else f"- {shown}"


def right_value(name: str, part: Schema) -> Any:
    """Return a valid value for a key, or for an entry of a list if `name` is empty."""
    part = resolved(part)
    if "const" in part or (name in RIGHT and _is_valid(RIGHT[name], part)):
        return part.get("const", RIGHT.get(name))
    if part.get("type") == "object":
        known = part.get("properties")
        if not known:
            return {RIGHT["key"]: right_value("", part["additionalProperties"])}
        return {each: right_value(each, known[each]) for each in part.get("required") or list(known)[:1]}
    if part.get("type") == "array":
        return [right_value("", part["items"])]
    if "enum" in part:
        return next(filter(None, part["enum"]))
    return part.get("default") or RIGHT["key" if "pattern" in part else "definition"]


def _is_valid(value: object, part: Schema) -> bool:
    """Return whether a value fits: the same key is a list in a criterion and a mapping in a translation."""
    return bool(Draft202012Validator({**part, "$defs": SCHEMA["$defs"]}).is_valid(value))


def _expected_value(expected: str, allowed: list[str], part: Schema) -> Any:
    """Return the value that the error asks for, as it knows the other parts of the bundle; None if it names none."""
    number = re.fullmatch(r"at (?:least|most) (\d+)", expected)
    if number and _is_valid(int(number[1]), part):
        return int(number[1])
    if expected == BOTH_SIDES:
        return TWO_SIDES
    if expected in part.get("enum", ()):
        return expected
    return [] if expected.startswith("none") else next(filter(None, allowed), None)


def _find(tokens: list[str]) -> tuple[str, Schema, bool] | None:
    """Return (the last key, its schema, whether it is right), or the most similar key for one that is unknown."""
    name, is_right_name = "", True
    part: Schema = SCHEMA
    for token in tokens:
        part, key = resolved(part), token.strip("'")
        known, other = part.get("properties", {}), part.get("additionalProperties")
        if token.startswith("[") and "items" in part:
            name, part, is_right_name = "", part["items"], True
        elif key in known:
            name, part, is_right_name = key, known[key], True
        elif other:
            name, part, is_right_name = key, other, False
        else:
            near = get_close_matches(key, known, n=1)
            return (near[0], known[near[0]], False) if near else None
    return name, part, is_right_name
