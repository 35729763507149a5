"""Values of a line, checked. Each function returns the clean value or raises BadField with what to do."""

from typing import Any

import orjson

from annotation.services.importing.outcome import BadField

LONGEST_KEY = 200
LONGEST_BATCH_KEY = 100
LONGEST_SOURCE_KEY = 100
NUL = "holds a NUL character (\\u0000), which PostgreSQL cannot store: remove it"

Record = dict[str, Any]


def kind_of(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")


def clean_text(value: object, field: str, *, is_unescaping: bool = False) -> str:
    """Text that is shown: line breaks kept, as \\n alone; a literal backslash-n only when asked for (E-15)."""
    if type(value) is not str:
        raise BadField(field, f"must be text, this is {kind_of(value)}")
    if not value.strip():
        raise BadField(field, "is empty")
    if "\x00" in value:
        raise BadField(field, NUL)
    if "\r" in value:
        value = value.replace("\r\n", "\n").replace("\r", "\n")
    return value.replace("\\n", "\n") if is_unescaping else value


def clean_key(value: object, field: str, longest: int = LONGEST_KEY) -> str:
    """A name or number that identifies something; '' when there is none."""
    if value is None:
        return ""
    if type(value) is int:
        value = str(value)
    if type(value) is not str:
        raise BadField(field, f"must be text or a whole number, this is {kind_of(value)}")
    value = value.strip()
    if "\x00" in value:
        raise BadField(field, NUL)
    if len(value) > longest:
        raise BadField(field, f"is longer than {longest} characters")
    return value


def first_key(record: Record, names: tuple[str, ...], prefix: str = "", longest: int = LONGEST_KEY) -> tuple[str, str]:
    """The first of the fields that is there: its name and its value as a key."""
    for name in names:
        if record.get(name) is not None:
            return name, clean_key(record[name], prefix + name, longest)
    return "", ""


def canonical_json(value: object, field: str) -> bytes:
    """The same bytes for the same content; refuses what jsonb cannot hold."""
    try:
        data = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError as error:
        raise BadField(field, f"cannot be stored ({error})") from None
    if b"\\u0000" in data and holds_nul(value):
        raise BadField(field, NUL)
    return data


def holds_nul(value: object) -> bool:
    if isinstance(value, str):
        return "\x00" in value
    if isinstance(value, dict):
        return any(holds_nul(key) or holds_nul(each) for key, each in value.items())
    return isinstance(value, list) and any(holds_nul(each) for each in value)
