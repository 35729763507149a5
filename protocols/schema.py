"""The form of a bundle: bundle-1.schema.json read, applied, and its complaints put into sentences."""

import copy
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

SCHEMA_PATH = Path(__file__).with_name("bundle-1.schema.json")
SCHEMA: dict[str, Any] = json.loads(SCHEMA_PATH.read_text(encoding="utf-8"))
_VALIDATOR = Draft202012Validator(SCHEMA)

TYPE_NAMES = {
    "object": "a mapping",
    "array": "a list",
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "nothing",
}


@dataclass(frozen=True, slots=True)
class BundleError:
    """`path` says where, for example criteria[0].options[2].role; `expected` may be empty."""

    path: str
    message: str
    expected: str = ""

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" + (f" (expected {self.expected})" if self.expected else "")


class InvalidBundle(ValueError):
    def __init__(self, errors: Iterable[BundleError]) -> None:
        self.errors = list(errors)
        super().__init__("\n".join(map(str, self.errors)))


def form_errors(doc: object) -> list[BundleError]:
    return [error for found in _VALIDATOR.iter_errors(doc) for error in _explained(found)]


def with_defaults(value: Any, schema: Mapping[str, Any] = SCHEMA) -> Any:
    """The same document with every key that was left out, in the order of the schema."""
    schema = resolved(schema)
    if isinstance(value, list) and "items" in schema:
        return [with_defaults(each, schema["items"]) for each in value]
    if not isinstance(value, dict) or "properties" not in schema:
        return value
    parts = {name: resolved(part) for name, part in schema["properties"].items()}
    filled = {
        name: with_defaults(value[name], part) if name in value else copy.deepcopy(part["default"])
        for name, part in parts.items()
        if name in value or "default" in part
    }
    return filled | {name: each for name, each in value.items() if name not in parts}


def without_defaults(value: Any, schema: Mapping[str, Any] = SCHEMA) -> Any:
    """The inverse: only what says more than its absence."""
    schema = resolved(schema)
    if isinstance(value, list) and "items" in schema:
        return [without_defaults(each, schema["items"]) for each in value]
    if not isinstance(value, dict) or "properties" not in schema:
        return value
    parts = schema["properties"]
    return {
        name: without_defaults(each, parts[name])
        for name, each in value.items()
        if "default" not in resolved(parts[name]) or not _is_equal(each, resolved(parts[name])["default"])
    }


def _is_equal(value: object, default: object) -> bool:
    """Python takes 0 for False and 1 for True."""
    return value == default and isinstance(value, bool) == isinstance(default, bool)


def path_of(parts: Iterable[str | int]) -> str:
    """criteria[0].key; a key that is no word appears quoted and escaped, so that any terminal can print it."""
    path = ""
    for part in parts:
        if isinstance(part, int):
            path += f"[{part}]"
        else:
            path += "." * bool(path) + (part if part.isidentifier() and part.isascii() else ascii(part))
    return path or "document"


def resolved(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """With what its $ref stands for; a key beside the $ref goes before one behind it."""
    if "$ref" not in schema:
        return schema
    name = schema["$ref"].removeprefix("#/$defs/")
    return {**SCHEMA["$defs"][name], **schema}


# --- jsonschema's complaints in our words -----------------------------------------------------------
def _explained(found: ValidationError) -> Iterator[BundleError]:
    place = list(found.absolute_path)
    rule, wanted, given = str(found.validator), found.validator_value, found.instance
    if rule == "required":
        missing = re.match(r"'(\w+)'", found.message)
        name = missing[1] if missing else "a key"
        yield BundleError(path_of([*place, name]), "is missing", _wanted_of(found, name))
    elif rule == "additionalProperties":
        known = found.schema["properties"]
        for name in sorted(set(given) - set(known)):
            yield BundleError(path_of([*place, name]), "is not a key of the format", "one of: " + ", ".join(known))
    else:
        say, expect = _PHRASES[rule]
        expected = str(found.schema.get("description", "")) if rule == "pattern" else expect(wanted)
        yield BundleError(path_of(place), say(given), expected)


def _wanted_of(found: ValidationError, name: str) -> str:
    part = resolved(found.schema["properties"].get(name, {}))
    if "enum" in part:
        return _one_of(part["enum"])
    return str(part.get("const") or TYPE_NAMES.get(part.get("type", ""), ""))


def _shown(given: object) -> str:
    if isinstance(given, dict | list):
        return TYPE_NAMES["object" if isinstance(given, dict) else "array"]
    text = json.dumps(given)  # ASCII: any terminal can print it
    return text if len(text) <= 60 else text[:57] + "..."


def _one_of(values: Iterable[object]) -> str:
    return "one of: " + ", ".join(map(str, values))


def _types(wanted: str | list[str]) -> str:
    names = [wanted] if isinstance(wanted, str) else wanted
    return " or ".join(TYPE_NAMES[name] for name in names)


_PHRASES: dict[str, tuple[Callable[[Any], str], Callable[[Any], str]]] = {
    "type": (lambda given: f"is {_shown(given)}", _types),
    "enum": (lambda given: f"is {_shown(given)}", _one_of),
    "const": (lambda given: f"is {_shown(given)}", str),
    "pattern": (lambda given: f"is {_shown(given)}", str),
    "minLength": (lambda given: "is empty", lambda wanted: "a text"),
    "maxLength": (lambda given: f"has {len(given)} characters", lambda wanted: f"at most {wanted}"),
    "minItems": (lambda given: f"has {len(given)} entries", lambda wanted: f"at least {wanted}"),
    "maxItems": (lambda given: f"has {len(given)} entries", lambda wanted: f"at most {wanted}"),
    "maxProperties": (lambda given: f"has {len(given)} entries", lambda wanted: f"at most {wanted}"),
    "minimum": (lambda given: f"is {given}", lambda wanted: f"at least {wanted}"),
    "maximum": (lambda given: f"is {given}", lambda wanted: f"at most {wanted}"),
}
