"""Read which pair a row is about: by the sources of both sides, or by what our own export says of them."""

from collections.abc import Callable

import orjson
from django.utils.translation import gettext as _

from annotation.importing.copying import NULL
from annotation.importing.fields import LONGEST_SOURCE_KEY
from annotation.importing.outcome import BadField

SIDES = ("left", "right")
EXPORTED_SIDES = ("first_source", "second_source")  # the columns of our own export
AGAIN = "again"  # the third part of an exported item that shows its pair again
BOOLEANS = {"": NULL, "true": b"t", "1": b"t", "yes": b"t", "false": b"f", "0": b"f", "no": b"f"}

Key = Callable[..., str]  # of a field's name, and of the most characters that it may have


def named_sides(key: Key, dialogue: str, has_dialogues: bool) -> str:
    """Return the sources of both sides, as they stand in the file, and the scenario of a row without a dialogue.

    `resolve_pairs` finds their candidates, and `resolve_scenarios` their dialogues. Raise BadField.
    """
    return _sides(key, SIDES, "" if dialogue else _scenario(key, has_dialogues))


def exported_sides(key: Key, dialogue: str, item: str) -> str:
    """Return the same of a row of our own export. Of whole dialogues, its item names the dialogue first."""
    return _sides(key, EXPORTED_SIDES, key("scenario") if _keys_in(item)[0] == dialogue else "")


def are_sides(left: str, right: str) -> bool:
    """Return whether columns of these names say where the sources stood. Those of A and B are an order only."""
    return left.strip().casefold().startswith(SIDES[0]) and right.strip().casefold().startswith(SIDES[1])


def is_swapped_cell(text: str) -> bytes:
    """Return the cell of a boolean column. Raise BadField."""
    if text.casefold() not in BOOLEANS:
        raise BadField("is_swapped", _("%(text)r is neither true nor false: correct it, or empty it") % {"text": text})
    return BOOLEANS[text.casefold()]


def _keys_in(item: str) -> list[str]:
    try:
        keys = orjson.loads(item)
    except orjson.JSONDecodeError:
        keys = None
    if type(keys) is not list or not all(type(each) is str for each in keys) or keys[2:] not in ([], [AGAIN]):
        keys = []
    if len(keys) < 2:
        text = _("%(item)r does not name two sides: write it as the export does, for example %(example)s")
        raise BadField("item", text % {"item": item, "example": '["candidate-1", "candidate-2"]'})
    return keys


def _sides(key: Key, names: tuple[str, str], scenario: str) -> str:
    sources = [key(name, LONGEST_SOURCE_KEY) for name in names]
    for name, source in zip(names, sources, strict=True):
        if not source:
            raise BadField(name, _("is empty: name the source of this side"))
    if sources[0] == sources[1]:
        text = _("is %(source)r like the other side: compare two sources")
        raise BadField(names[1], text % {"source": sources[0]})
    return orjson.dumps([*sources, scenario] if scenario else sources).decode()


def _scenario(key: Key, has_dialogues: bool) -> str:
    """Return the scenario of a row that names no dialogue: it is about whole dialogues. Raise BadField."""
    if scenario := key("scenario"):
        return scenario
    if not has_dialogues:
        raise BadField("scenario", _("is empty: name the scenario whose dialogues are compared"))
    text = _("is empty: name the dialogue whose responses are compared, or the scenario of whole dialogues")
    raise BadField("dialogue", text)
