"""Check the form of a bundle with bundle-1.schema.json, and put the validator's errors into sentences."""

import copy
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from parley.listing import either

SCHEMA_PATH = Path(__file__).with_name("bundle-1.schema.json")
SCHEMA: dict[str, Any] = json.loads(SCHEMA_PATH.read_text(encoding="utf-8"))
_VALIDATOR = Draft202012Validator(SCHEMA)
KEY = re.compile(SCHEMA["$defs"]["key"]["pattern"])

TYPE_NAMES = {
    "object": gettext_noop("a mapping"),
    "array": gettext_noop("a list"),
    "string": gettext_noop("a text"),
    "integer": gettext_noop("a whole number"),
    "number": gettext_noop("a number"),
    "boolean": gettext_noop("true or false"),
    "null": gettext_noop("nothing"),
}
NO_DEFAULT = object()
# Descriptions of the schema that pages show, as help in the editor or as the expected value of a fault.
SHOWN_DESCRIPTIONS = (
    gettext_noop("Shown before the first batch."),
    gettext_noop("How long a batch should take."),
    gettext_noop("Maximum words of a free text."),
    gettext_noop("Ask for optional remarks at the end of a batch."),
    gettext_noop("Where it was published."),
    gettext_noop("If false, annotators may answer that none of the options applies."),
    gettext_noop("A short label for tables."),
    gettext_noop("Optional for the points of a scale."),
    gettext_noop("Minimum words of its free text, if different from the protocol's."),
    gettext_noop("Maximum words of its free text, if different from the protocol's."),
    gettext_noop("The evaluation of the history, or of a comparison."),
    gettext_noop("A note on the evaluation."),
    gettext_noop("The speaker. If empty: of two speakers, the one who did not speak last."),
    gettext_noop("lowercase letters, digits, - and _"),
    gettext_noop('letters, digits, dots, - and _, in quotes: "1.0"'),
    gettext_noop("an ISO code such as en or zh-Hans"),
    gettext_noop("an amount"),
    gettext_noop("a text without control characters"),
)


@dataclass(frozen=True, slots=True)
class BundleError:
    """A fault of a bundle. `path` says where, for example criteria[0].options[2].role; `expected` may be empty."""

    path: str
    message: str
    expected: str = ""

    def __str__(self) -> str:
        return _("%(path)s: %(reason)s") % {"path": self.path, "reason": self.reason}

    @property
    def reason(self) -> str:
        if not self.expected:
            return self.message
        return _("%(message)s (expected %(expected)s)") % {"message": self.message, "expected": self.expected}


class InvalidBundle(ValueError):
    def __init__(self, errors: Iterable[BundleError]) -> None:
        self.errors = list(errors)
        super().__init__("\n".join(map(str, self.errors)))


def form_errors(doc: object) -> list[BundleError]:
    return [error for found in _VALIDATOR.iter_errors(doc) if not _names_nothing(found) for error in explained(found)]


def _names_nothing(found: ValidationError) -> bool:
    """Return whether a reference to a part is not a key. meaning_errors reports it, with the parts that exist."""
    place: list[str | int] = list(found.absolute_path)
    is_listed = place[-2:-1] in (["options"], ["explanations"]) and isinstance(place[-1], int)
    return found.validator == "pattern" and (is_listed or place[-1] in ("criterion", "option"))


def with_defaults(value: Any, schema: Mapping[str, Any] = SCHEMA) -> Any:
    """Return the document with every default that was left out, in the order of the schema."""
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
    """Return the document without the values that equal their default: the inverse of with_defaults."""
    schema = resolved(schema)
    if isinstance(value, list) and "items" in schema:
        return [without_defaults(each, schema["items"]) for each in value]
    if not isinstance(value, dict) or "properties" not in schema:
        return value
    parts = schema["properties"]
    kept = {}
    for name, each in value.items():
        default = resolved(parts[name]).get("default", NO_DEFAULT)
        # In Python, 0 equals False and 1 equals True.
        if each != default or isinstance(each, bool) != isinstance(default, bool):
            kept[name] = without_defaults(each, parts[name])
    return kept


def described(schema: Mapping[str, Any]) -> str:
    """Return the schema's description in the language of the page. SHOWN_DESCRIPTIONS lists those to translate."""
    sentence = str(schema.get("description", ""))
    return _(sentence) if sentence else ""


def path_of(parts: Iterable[str | int]) -> str:
    """Return a path like criteria[0].key. An unusual key is quoted and escaped, so that any terminal can print it."""
    path = ""
    for part in parts:
        if isinstance(part, int):
            path += f"[{part}]"
        else:
            path += "." * bool(path) + (part if part.isidentifier() and part.isascii() else ascii(part))
    return path or "document"


def resolved(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schema with its $ref resolved; a key beside the $ref overrides one behind it."""
    if "$ref" not in schema:
        return schema
    name = schema["$ref"].removeprefix("#/$defs/")
    return {**SCHEMA["$defs"].get(name, {}), **schema}


# --- jsonschema's errors in our words ---------------------------------------------------------------
def explained(found: ValidationError) -> Iterator[BundleError]:
    """Yield the faults behind an error of jsonschema, for any schema that uses the rules of `_PHRASES`."""
    place = list(found.absolute_path)
    rule, wanted, given = str(found.validator), found.validator_value, found.instance
    if rule == "required":
        missing = re.match(r"'(\w+)'", found.message)
        name = missing[1] if missing else _("a key")
        yield BundleError(path_of([*place, name]), _("is missing"), _wanted_of(found, name))
    elif rule == "additionalProperties":
        known = found.schema["properties"]
        for name in sorted(set(given) - set(known)):
            yield BundleError(path_of([*place, name]), _("is not a key of the format"), one_of(known))
    else:
        say, expect = _PHRASES[rule]
        expected = described(found.schema) if rule == "pattern" else expect(wanted)
        yield BundleError(path_of(place), say(given), expected)


def _wanted_of(found: ValidationError, name: str) -> str:
    part = resolved(found.schema["properties"].get(name, {}))
    if "enum" in part:
        return one_of(part["enum"])
    return str(part.get("const") or _type_name(part.get("type", "")))


def _shown(given: object) -> str:
    if isinstance(given, dict | list):
        return _type_name("object" if isinstance(given, dict) else "array")
    text = json.dumps(given)  # ASCII: any terminal can print it
    return text if len(text) <= 60 else text[:57] + "..."


def as_typed(key: str) -> str:
    """Return what stands in place of a key, escaped so that any terminal can print it, in one line."""
    return key.encode("unicode_escape").decode() or _("empty")


def one_of(values: Iterable[object]) -> str:
    return _("one of: %(values)s") % {"values": ", ".join(filter(None, map(str, values)))}


def _type_name(kind: str) -> str:
    return _(TYPE_NAMES[kind]) if kind in TYPE_NAMES else ""


def _is(given: object) -> str:
    return _("is %(value)s") % {"value": _shown(given)}


def n_entries(given: Sized) -> str:
    return _("has %(n)s entries") % {"n": len(given)}


def at_least(wanted: object) -> str:
    return _("at least %(n)s") % {"n": wanted}


def at_most(wanted: object) -> str:
    return _("at most %(n)s") % {"n": wanted}


_PHRASES: dict[str, tuple[Callable[[Any], str], Callable[[Any], str]]] = {
    "type": (_is, lambda wanted: either(map(_type_name, [wanted] if isinstance(wanted, str) else wanted))),
    "enum": (_is, one_of),
    "const": (_is, str),
    "pattern": (_is, str),
    "format": (_is, lambda wanted: _("a date")),
    "minLength": (lambda given: _("is empty"), lambda wanted: _("a text")),
    "maxLength": (lambda given: _("has %(n)s characters") % {"n": len(given)}, at_most),
    "minItems": (n_entries, at_least),
    "maxItems": (n_entries, at_most),
    "maxProperties": (n_entries, at_most),
    "minimum": (lambda given: _("is %(value)s") % {"value": given}, at_least),
    "maximum": (lambda given: _("is %(value)s") % {"value": given}, at_most),
}
