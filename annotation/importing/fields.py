"""Check the values of a line. Each check returns the clean value or raises BadField, which says what to do."""

from typing import Any

import orjson
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from annotation.importing.outcome import BadField

LONGEST_KEY = 200
LONGEST_BATCH_KEY = 100
LONGEST_SOURCE_KEY = 100

Record = dict[str, Any]


def kind_of(value: object) -> str:
    names = {
        # Translators: follows "this is", as the following five
        dict: _("an object"),
        list: _("a list"),
        str: pgettext("kind of a value", "text"),
        bool: _("true or false"),
        type(None): pgettext("kind of a value", "null"),
    }
    return names.get(type(value), _("a number"))


def nul() -> str:
    return _("contains a NUL character (\\u0000), which PostgreSQL cannot store: remove it")


def clean_text(value: object, field: str, *, is_unescaping: bool = False) -> str:
    """Return text for display: line breaks become \\n; a literal backslash-n is converted only if asked for."""
    if type(value) is not str:
        raise BadField(field, _("must be text, not %(kind)s") % {"kind": kind_of(value)})
    if not value.strip():
        raise BadField(field, _("is empty"))
    if "\x00" in value:
        raise BadField(field, nul())
    if "\r" in value:
        value = value.replace("\r\n", "\n").replace("\r", "\n")
    return value.replace("\\n", "\n") if is_unescaping else value


def clean_key(value: object, field: str, longest: int = LONGEST_KEY) -> str:
    """Return a name or number that identifies something as text; '' if there is none."""
    if value is None:
        return ""
    if type(value) is int:
        value = str(value)
    if type(value) is not str:
        raise BadField(field, _("must be text or a whole number, not %(kind)s") % {"kind": kind_of(value)})
    value = value.strip()
    if "\x00" in value:
        raise BadField(field, nul())
    if len(value) > longest:
        raise BadField(field, _("is longer than %(most)s characters") % {"most": longest})
    return value


def first_key(record: Record, names: tuple[str, ...], prefix: str = "", longest: int = LONGEST_KEY) -> tuple[str, str]:
    """Return the name and the key of the first of the fields that is there; two empty texts if none is."""
    for name in names:
        if record.get(name) is not None:
            return name, clean_key(record[name], prefix + name, longest)
    return "", ""


def canonical_json(value: object, field: str) -> bytes:
    """Return the same bytes for the same content. Raise BadField for what jsonb cannot hold."""
    try:
        data = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError as error:
        raise BadField(field, _("cannot be stored (%(error)s)") % {"error": error}) from None
    if b"\\u0000" in data and holds_nul(value):
        raise BadField(field, nul())
    return data


def holds_nul(value: object) -> bool:
    if isinstance(value, str):
        return "\x00" in value
    if isinstance(value, dict):
        return any(holds_nul(key) or holds_nul(each) for key, each in value.items())
    return isinstance(value, list) and any(holds_nul(each) for each in value)
