"""Write the lists of a bundle as lines of text for a form, and read them back."""

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

INDENT = "  "


@dataclass(frozen=True, slots=True)
class Notation:
    """The notation of a list: `write` and `read` handle one entry, `help` explains it with an example."""

    write: Callable[[Any], str]
    read: Callable[[str], Any]
    help: str | Promise


def write_lines(notation: Notation, value: list[Any]) -> str:
    """Return a list with one entry per line, or as JSON if read_lines would not return the same list."""
    try:
        text = "\n".join(notation.write(entry).replace("\n", f"\n{INDENT}") for entry in value)
        is_same = _bare(read_lines(notation, text)) == _bare(value)
    except (ValidationError, TypeError, KeyError, AttributeError):
        is_same = False
    return text if is_same else json.dumps(value, ensure_ascii=False, indent=2)


def read_lines(notation: Notation, text: str) -> list[Any]:
    """Return the entries of a text of lines or a JSON list. Raises ValidationError with the line it cannot read."""
    with suppress(ValueError, RecursionError):
        if text.lstrip().startswith("["):
            value: list[Any] = json.loads(text)  # what begins with a bracket is a list
            return value
    return [notation.read(entry) for entry in _entries(text)]


def _entries(text: str) -> Iterator[str]:
    """Return the entries. A line that begins with a space continues the entry above it."""
    entries: list[str] = []
    for line in text.replace("\r\n", "\n").split("\n"):
        if entries and line[:1].isspace():
            entries[-1] += "\n" + (line.removeprefix(INDENT) if line.startswith(INDENT) else line.lstrip())
        elif line.strip():
            entries.append(line)
    return (entry.strip() for entry in entries)


def _bare(value: Any) -> Any:
    """Return the value without its empty parts, which mean the same as missing ones."""
    if isinstance(value, dict):
        return {name: _bare(each) for name, each in value.items() if each not in ("", [], None)}
    return [_bare(each) for each in value] if isinstance(value, list) else value


# --- one entry of each kind ------------------------------------------------------------------------
def _write_sentence(sentence: str) -> str:
    if not isinstance(sentence, str):
        raise TypeError
    return sentence


def _split(entry: str, sign: str, refusal: str) -> tuple[str, str]:
    """Return what is before and after a sign. Raises ValidationError if an entry lacks it."""
    before, found, after = entry.partition(sign)
    if not found:
        raise ValidationError(refusal % {"entry": entry})
    return before.strip(), after.strip()


def _read_turn(entry: str) -> dict[str, str]:
    speaker, text = _split(entry, ":", _("“%(entry)s” names no speaker. Write “A: Hello”."))
    return {"speaker": speaker, "text": text}


def _read_dimension(entry: str) -> dict[str, str]:
    refusal = _("“%(entry)s” has no definition. Write “Fluency: How well it reads.”")
    name, definition = _split(entry, ":", refusal)
    return {"name": name, "definition": definition}


def _write_response(response: dict[str, Any]) -> str:
    parts = [response["option"], response["text"], response.get("why", ""), ", ".join(response.get("explanations", []))]
    return " | ".join(parts).rstrip(" |").lstrip()  # in a comparison, no answer comes first


def _read_response(entry: str) -> dict[str, Any]:
    _split(entry, "|", _("“%(entry)s” has no text. Write “answer | response | why”."))
    texts = (part.strip() for part in entry.split("|", 3))
    read: dict[str, Any] = dict(zip(("option", "text", "why", "explanations"), texts, strict=False))
    return read | {"explanations": _listed(read["explanations"])} if "explanations" in read else read


def _listed(text: str) -> list[str]:
    return [each.strip() for each in text.split(",") if each.strip()]


def _write_condition(condition: dict[str, Any]) -> str:
    return f"{condition['criterion']} = {', '.join(condition['options'])}"


def _read_condition(entry: str) -> dict[str, Any]:
    refusal = _("“%(entry)s” is not a condition. Write “fluency = good, fair”.")
    criterion, options = _split(entry, "=", refusal)
    return {"criterion": criterion, "options": _listed(options)}


def _write_rule(rule: dict[str, Any]) -> str:
    conditions = "; ".join(map(_write_condition, rule.get("when", [])))
    return f"{rule['option']} if {conditions}" if conditions else str(rule["option"])


def _read_rule(entry: str) -> dict[str, Any]:
    option, _if, conditions = entry.partition(" if ")
    return {"option": option.strip(), "when": [_read_condition(each) for each in conditions.split(";") if each.strip()]}


SENTENCES = Notation(
    _write_sentence,
    str,
    gettext_lazy("One sentence per line. A line that starts with a space continues the line above it."),
)
NOTATIONS: dict[str, Notation] = {
    "history": Notation(
        lambda turn: f"{turn['speaker']}: {turn['text']}",
        _read_turn,
        gettext_lazy("One turn per line, with its speaker. Example: “A: How was your day?”"),
    ),
    "dimensions": Notation(
        lambda dimension: f"{dimension['name']}: {dimension['definition']}",
        _read_dimension,
        gettext_lazy("One dimension per line, with its definition. Example: “Fluency: How well it reads.”"),
    ),
    "candidates": Notation(
        _write_response,
        _read_response,
        gettext_lazy(
            "One response per line: its answer, the response, why and, if the answer has reasons, their "
            "names in the report. Example: “bad | It was. | It says too little. | Dullness, Brevity”"
        ),
    ),
    "when": Notation(
        _write_condition,
        _read_condition,
        gettext_lazy(
            "If empty, always. Otherwise the key of an earlier criterion and the keys of its answers. "
            "Example: “fluency = good, fair”"
        ),
    ),
    "rules": Notation(
        _write_rule,
        _read_rule,
        gettext_lazy(
            "For a computed answer, one rule per line; the first that holds counts. "
            "Example: “high if fluency = good; safety = yes”. An answer without “if” always holds."
        ),
    ),
}
