"""Read the turns of a dialogue from one cell: a list as JSON, or a text with a speaker at the start of each turn."""

import ast
import re

import orjson
from django.utils.translation import gettext as _

from annotation.importing.fields import Record, clean_text
from annotation.importing.outcome import BadField
from annotation.importing.shapes import DialogueOptions, shape_of, turns_in

LONGEST_SPEAKER = 40
# "User: hello", not "https://...", "10:30" or "He said, quietly: hello".
SPEAKS = re.compile(
    rf"\s*(?P<speaker>[^\s\d:.,;!?\"][^:.,;!?\"\n]{{0,{LONGEST_SPEAKER - 1}}})[:：](?!//)\s*(?P<text>.*)"
)


def cell_turns(cell: str, field: str, options: DialogueOptions) -> tuple[list[Record], list[Record]]:
    """Return the turns, and the other fields of each. Raise BadField.

    A text that does not begin with a speaker is one turn without one.
    """
    listed = list_in(cell, field)
    if listed is None:
        turns = _spoken(clean_text(cell, field, is_unescaping=options.unescape_newlines))
        for turn in turns:
            clean_text(turn["text"], field)
        return turns, [{} for _turn in turns]
    found = shape_of({"turns": listed})
    if found is None:
        raise BadField(field, _("is a list, but not of turns with a speaker and a text"))
    try:
        return turns_in({"turns": listed}, found[1], options)
    except BadField as error:
        raise BadField(error.field.replace("turns", field, 1), error.reason) from None


def list_in(cell: str, field: str) -> list[object] | None:
    """Return the list in a cell. pandas writes lists to CSV as Python does, with single quotation marks."""
    text = cell.strip()
    if not text.startswith(("[{", '["', "['")):
        return None
    try:
        return list(orjson.loads(text))
    except orjson.JSONDecodeError:
        try:
            return list(ast.literal_eval(text))
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            reason = _("begins like a list, but is not JSON: Excel cuts cells after 32,767 characters")
            raise BadField(field, reason) from None


def _spoken(text: str) -> list[Record]:
    turns: list[Record] = []
    for line in text.split("\n"):
        speaks = SPEAKS.fullmatch(line)
        if speaks:
            turns.append({"speaker": speaks["speaker"].strip(), "text": speaks["text"]})
        elif turns:
            turns[-1]["text"] += "\n" + line
        elif line.strip():
            return [{"speaker": "", "text": text}]
    return [{**turn, "text": turn["text"].strip()} for turn in turns]
