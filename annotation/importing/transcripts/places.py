"""Places in a file of chat logs, to name them in errors."""

from typing import Any

import orjson

from annotation.importing.outcome import RECORDS

Place = tuple[int, str]  # the line, 0 in a document; the place in a document
Found = tuple[Place, Any]


def dotted(place: str) -> str:
    """Return what stands before the name of a field at this place."""
    return f"{place}." if place else ""


def member(line: int, name: str, at: int) -> Place:
    """Return the place of a member of a list. Of a document that is one list, members are records, counted from 1."""
    return (line, f"{name}[{at}]") if line or name else (RECORDS + at + 1, "")


def within_text(value: Any) -> Any:
    """Return a value, or what it holds if it is JSON within text, as some exports write inputs and outputs."""
    if type(value) is str and value.lstrip()[:1] in ("[", "{"):
        try:
            return orjson.loads(value)
        except orjson.JSONDecodeError:
            return value
    return value
