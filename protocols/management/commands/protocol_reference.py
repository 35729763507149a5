import json
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from protocols.schema import SCHEMA, TYPE_NAMES, resolved

Schema = Mapping[str, Any]
HEAD = """# Reference of the bundle format

Generated from [the schema](../protocols/bundle-1.schema.json) by `./dev manage protocol_reference --output
docs/bundle-reference.md`; do not edit. How to write a bundle: [write a protocol](write-a-protocol.md).

A key without a default must be given. No other keys are allowed. A *list of* something is written as in
`[a, b]` or with `-` lines; a *mapping* has keys of your own.
"""
LIMITS = (
    ("minLength", "not empty"),
    ("maxLength", "at most {} characters"),
    ("minItems", "at least {} entries"),
    ("maxItems", "at most {} entries"),
    ("maxProperties", "at most {} entries"),
    ("minimum", "at least {}"),
    ("maximum", "at most {}"),
)


class Command(BaseCommand):
    help = "Write the reference of the bundle format as Markdown, made from its schema."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--output", type=Path, help="The file to write. If left out: standard output.")

    def handle(self, *args, output: Path | None = None, **options) -> None:
        objects = {name: part for name, part in SCHEMA["$defs"].items() if "properties" in part}
        sections = [_section("The document", SCHEMA), *(_section(_title(name), part) for name, part in objects.items())]
        reference = "\n".join([HEAD, *sections])
        if output is None:
            self.stdout.write(reference, ending="")
        else:
            output.write_text(reference, encoding="utf-8", newline="\n")


def _section(title: str, part: Schema) -> str:
    rows = [_row(name, each, part.get("required", ())) for name, each in part["properties"].items()]
    about = [part["description"], ""] if "description" in part else []
    table = ["| key | type | default | allowed | description |", "|---|---|---|---|---|", *rows]
    return "\n".join([f"## {title}", "", *about, *table, ""])


def _row(name: str, own: Schema, required: list[str]) -> str:
    part = resolved(own)
    default = f"`{_shown(part['default'])}`" if "default" in part else "**required**" if name in required else ""
    allowed, about = list(_allowed(part)), part.get("description", "")
    cells = [f"`{name}`", _type(own), default, "; ".join(allowed), "" if about in allowed else about]
    return "| " + " | ".join(each.replace("|", "\\|") for each in cells) + " |"


def _type(own: Schema) -> str:
    part = resolved(own)
    if "const" in part or "enum" in part:
        return "a word" if "enum" in part else "a number"
    if "properties" in part:
        name = own["$ref"].removeprefix("#/$defs/")
        return f"[{_title(name).lower()}](#{_title(name).lower().replace(' ', '-')})"
    if part["type"] == "object":
        return f"a mapping to: {_type(part['additionalProperties'])}"
    names = [part["type"]] if isinstance(part["type"], str) else part["type"]
    return " or ".join(f"a list of: {_type(part['items'])}" if each == "array" else TYPE_NAMES[each] for each in names)


def _allowed(part: Schema) -> Iterator[str]:
    if "const" in part:
        yield f"`{part['const']}`"
    if "enum" in part:
        yield ", ".join(f"`{_shown(each)}`" for each in part["enum"])
    if "pattern" in part:
        yield str(_description_of_pattern(part))
    for rule, sentence in LIMITS:
        if rule in part:
            yield sentence.format(part[rule])
    if "items" in part and "properties" not in resolved(part["items"]):
        yield from (f"each {limit}" for limit in _allowed(resolved(part["items"])))
    if "propertyNames" in part:
        yield "keys: " + str(_description_of_pattern(resolved(part["propertyNames"])))


def _description_of_pattern(part: Schema) -> str:
    """Return what a pattern means: the schema describes each pattern once, beside it."""
    with_it = [each for each in (*SCHEMA["$defs"].values(), *SCHEMA["properties"].values()) if "pattern" in each]
    return next(each["description"] for each in with_it if each["pattern"] == part["pattern"])


def _shown(value: object) -> str:
    return value if isinstance(value, str) and value else json.dumps(value)


def _title(name: str) -> str:
    return name.replace("_", " ").capitalize()
