"""Read YAML or JSON text into plain values, and write YAML. This module does not know the bundle format.

YAML is read as version 1.2 (so `language: no` is a text). Aliases, tags and repeated keys are refused:
an alias lets 1 kB grow to gigabytes, and one of two equal keys would be lost unnoticed.
"""

import json
import re
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import yaml
from django.utils.translation import gettext as _
from yaml.constructor import ConstructorError
from yaml.nodes import MappingNode, Node

from protocols.schema import BundleError, InvalidBundle

MAX_BYTES = 1_000_000  # the largest built-in bundle has 13,000; the pure Python reader needs seconds for a million
TEXT_TAG = "tag:yaml.org,2002:str"
_PLAIN = (
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("int", r"[-+]?(?:0|[1-9][0-9]*)", list("-+0123456789")),
    ("float", r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", list("-+.0123456789")),
)


def read_file(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        message = _("cannot be read: %(why)s") % {"why": error.strerror}
        raise unreadable(path.name, message, _("a YAML or JSON file")) from None
    if len(data) > MAX_BYTES:
        raise unreadable(path.name, _("is too large"), _("at most %(n)s bytes") % {"n": f"{MAX_BYTES:,}"})
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = _("is not UTF-8 at byte %(place)s") % {"place": error.start}
        raise unreadable(path.name, message, _("text in UTF-8")) from None


def parse_text(text: str) -> dict[str, Any]:
    """Parse a text that starts with { as JSON and any other as YAML. Raises InvalidBundle unless it is a mapping."""
    if len(text) > MAX_BYTES:
        raise unreadable("document", _("is too large"), _("at most %(n)s characters") % {"n": f"{MAX_BYTES:,}"})
    try:
        value = _parse_json(text) if text.lstrip().startswith("{") else _parse_yaml(text)
    except RecursionError:
        raise unreadable("document", _("is nested too deeply")) from None
    if not isinstance(value, dict):
        raise unreadable("document", _("contains no keys"), _("a mapping such as `protocol: my-protocol`"))
    return value


def write_yaml(doc: dict[str, Any]) -> str:
    return yaml.dump(doc, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)


def unreadable(path: str, message: str, expected: str = "") -> InvalidBundle:
    return InvalidBundle([BundleError(path, message, expected)])


def _line(number: int) -> str:
    return _("line %(number)s") % {"number": number}


# --- JSON ------------------------------------------------------------------------------------------
def _parse_json(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_unrepeated, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise unreadable(_line(error.lineno), error.msg, _("JSON, because the text starts with {")) from None
    except InvalidBundle:
        raise
    except ValueError as error:
        raise unreadable("document", str(error)) from None


def _unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            message = _("the key %(key)s appears twice") % {"key": ascii(key)}
            raise unreadable("document", message, _("each key once"))
        found[key] = value
    return found


def _no_constant(name: str) -> None:
    raise ValueError(_("%(name)s is not a JSON number") % {"name": name})


# --- YAML ------------------------------------------------------------------------------------------
class _Loader(yaml.SafeLoader):
    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}

    def compose_node(self, parent: Node | None, index: int) -> Node | None:
        event: Any = self.peek_event()
        mark = event.start_mark
        if isinstance(event, yaml.AliasEvent):
            raise ConstructorError(None, None, _("aliases (*name) are not allowed"), mark)
        if getattr(event, "tag", None) is not None:
            raise ConstructorError(None, None, _("tags (!name) are not allowed"), mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[str] = set()
        for key, _value in node.value:
            if key.tag != TEXT_TAG:
                raise ConstructorError(None, None, _("a key is not text"), key.start_mark)
            if key.value in seen:
                message = _("the key %(key)s appears twice") % {"key": ascii(key.value)}
                raise ConstructorError(None, None, message, key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)


class _Dumper(yaml.SafeDumper):
    """A dumper that quotes every text that a reader of YAML 1.1 or 1.2 would take for another type."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


for _kind, _pattern, _first in _PLAIN:
    for _class in (_Loader, _Dumper):
        _class.add_implicit_resolver(f"tag:yaml.org,2002:{_kind}", re.compile(f"(?:{_pattern})\\Z"), _first)


_Dumper.add_representer(
    str, lambda dumper, text: dumper.represent_scalar(TEXT_TAG, text, style="|" if "\n" in text else None)
)


def _parse_yaml(text: str) -> Any:
    try:
        return yaml.load(text, Loader=_Loader)  # noqa: S506 - a SafeLoader with less
    except yaml.MarkedYAMLError as error:
        place = _line(error.problem_mark.line + 1 if error.problem_mark else 1)
        if "'\\t'" in (error.problem or ""):
            wanted = _("spaces: YAML uses them to show what belongs together")
            raise unreadable(place, _("starts with a tab"), wanted) from None
        raise unreadable(place, error.problem or _("is not YAML"), _("plain YAML")) from None
    except yaml.YAMLError as error:
        raise unreadable("document", str(error).splitlines()[0], _("plain YAML")) from None
    except ValueError as error:  # a number with thousands of digits
        raise unreadable("document", str(error)) from None
