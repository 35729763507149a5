"""Read, check and hash bundles, and write them from rows. A bundle is a document that holds one protocol version."""

import hashlib
import json
import math
import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from protocols.documents import parse_text, read_file, unreadable, write_yaml
from protocols.meaning import meaning_errors
from protocols.models import Option, ProtocolVersion
from protocols.scales import once_for_each_scale, with_scales
from protocols.schema import BundleError, InvalidBundle, form_errors, one_of, path_of, with_defaults, without_defaults

__all__ = [
    "VERSION_FIELDS",
    "BundleError",
    "InvalidBundle",
    "bundle_hash",
    "canonical_json",
    "check_bundle",
    "complete_bundle",
    "dump_bundle",
    "load_bundle",
    "readable_bundle",
    "readable_json",
    "readable_yaml",
    "write_yaml",
]

Bundle = dict[str, Any]
# Keys of a bundle that are fields of ProtocolVersion by the same name.
VERSION_FIELDS = (
    "version", "language", "summary", "citation", "unit", "granularity", "mode", "interaction", "order",
    "context_title", "item_title", "scale_above", "options", "response", "guide", "flagged",
    "expected_minutes", "max_minutes", "batch_items", "reading_seconds", "words_min", "words_max", "feedback_box",
    "welcome", "changes", "notices", "guidelines_short", "guidelines", "dimensions", "translations",
)  # fmt: skip
MAX_DEPTH = 30  # the format has 10 levels; a few hundred would end every function here in a RecursionError
ONLY_IN_FILES = ("extends", "without")
FILE_NAME = re.compile(r"\w[\w .-]*")  # no folders: an untrusted bundle can only read files beside it
# Newline and tab are allowed. PostgreSQL refuses NUL, UTF-8 has no lone surrogates, and the others are invisible.
UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")


# --- reading ---------------------------------------------------------------------------------------
def load_bundle(source: Path | str) -> Bundle:
    """Read a bundle from a file (Path) or a text (str). What a file `extends` is merged in.

    The contents are not checked. Raises InvalidBundle if it cannot be read.
    """
    if isinstance(source, Path):
        return _load_file(source, ())
    doc = _parsed(source)
    for key in ONLY_IN_FILES:
        if key in doc:
            raise unreadable(key, _("needs a file: pasted text has no folder to look in"), _("the complete bundle"))
    return doc


def _parsed(text: str) -> Bundle:
    try:
        doc = parse_text(text)
    except OverflowError:  # PyYAML raises it for "\UFFFFFFFF"
        message = _("has an escape sequence beyond the last Unicode character")
        raise unreadable("document", message, _("plain text")) from None
    if _is_deep(doc):
        raise InvalidBundle([_too_deep()])
    return doc


def _load_file(path: Path, seen: tuple[str, ...]) -> Bundle:
    if path.name in seen:
        circle = " -> ".join([*seen, path.name])
        raise unreadable("extends", _("is circular: %(files)s") % {"files": circle})
    doc = _parsed(read_file(path))
    base_name, without = doc.pop("extends", None), doc.pop("without", None)
    if base_name is None:
        if without is not None:
            raise unreadable("without", _("has nothing to remove criteria from"), _("`extends` as well"))
        return doc
    if not isinstance(base_name, str) or not FILE_NAME.fullmatch(base_name):
        raise unreadable("extends", _("is not a file name"), _("a file in the same folder"))
    base = _load_file(path.with_name(base_name), (*seen, path.name))
    return _extended(_without(base, without or []), doc)


def _extended(base: Bundle, own: Bundle) -> Bundle:
    """Return the base with the file's own keys in place of its own; `scales` and `translations` are merged."""
    merged = base | own
    for name in ("scales", "translations"):
        theirs, ours = base.get(name), own.get(name)
        if isinstance(theirs, dict) and isinstance(ours, dict):
            both = {each for each in ours if isinstance(theirs.get(each), dict) and isinstance(ours[each], dict)}
            merged[name] = theirs | ours | {each: theirs[each] | ours[each] for each in both}
    return merged


def _without(base: Bundle, keys: object) -> Bundle:
    criteria = base.get("criteria")
    if not isinstance(criteria, list) or not isinstance(keys, list):
        raise unreadable("without", _("is not a list of criterion keys"), _("for example [listening]"))
    known = [_key_of(each) for each in criteria]
    if unknown := [key for key in keys if key not in known]:
        message = _("has no such criterion: %(key)s") % {"key": ascii(unknown[0])}
        raise unreadable("without", message, one_of(known))
    left = base | {"criteria": [each for each in criteria if _key_of(each) not in keys]}
    if isinstance(base.get("translations"), dict):
        # The translations lose the same criteria.
        left["translations"] = dict(base["translations"])
        for code, texts in base["translations"].items():
            if isinstance(texts, dict) and isinstance(texts.get("criteria"), dict):
                told = {key: part for key, part in texts["criteria"].items() if key not in keys}
                left["translations"][code] = texts | {"criteria": told}
    return left


def _key_of(criterion: object) -> object:
    return criterion.get("key") if isinstance(criterion, dict) else None


# --- one form for equal contents ------------------------------------------------------------------------
def complete_bundle(doc: Bundle) -> Bundle:
    """Return the document in normal form: scales written out, every default filled in. Raises InvalidBundle."""
    if errors := check_bundle(doc):
        raise InvalidBundle(errors)
    return with_defaults(with_scales(_normal(doc)))


def canonical_json(doc: Bundle) -> bytes:
    """Return equal bytes for equal contents: sorted keys, NFC, stripped texts, no defaults, 1.0 written as 1.

    Without defaults, a key that the format gains later does not change the hash of a protocol that does not use it.
    """
    short = without_defaults(complete_bundle(doc))
    return json.dumps(short, sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def bundle_hash(doc: Bundle) -> str:
    return hashlib.sha256(canonical_json(doc)).hexdigest()


def _normal(value: Any) -> Any:
    if isinstance(value, str):
        return unicodedata.normalize("NFC", re.sub("\r\n?", "\n", value)).strip()
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: _normal(each) for key, each in value.items()}
    return [_normal(each) for each in value] if isinstance(value, list) else value


# --- checking ----------------------------------------------------------------------------------------
def check_bundle(doc: object) -> list[BundleError]:
    """Return all faults of the form; if there are none, all faults of the meaning."""
    if _is_deep(doc):
        return [_too_deep()]
    normal = _normal(doc)
    if errors := list(chain(_character_errors(normal, []), form_errors(normal))):
        return errors
    try:
        plain = with_defaults(with_scales(normal))
    except InvalidBundle as refusal:
        return refusal.errors
    return list(once_for_each_scale(normal, meaning_errors(plain)))


def _too_deep() -> BundleError:
    return BundleError("document", _("is nested too deeply"), _("at most %(n)s levels") % {"n": MAX_DEPTH})


def _is_deep(doc: object) -> bool:
    level = [doc]
    for _depth in range(MAX_DEPTH):
        level = [each for outer in level if isinstance(outer, dict | list) for _key, each in _parts(outer)]
    return bool(level)


def _parts(value: Bundle | list[Any]) -> Iterable[tuple[Any, Any]]:
    return value.items() if isinstance(value, dict) else enumerate(value)


def _character_errors(value: Any, place: list[str | int]) -> Iterator[BundleError]:
    if isinstance(value, str) and (found := UNPRINTABLE.search(value)):
        code = f"U+{ord(found[0]):04X}"
        message = _("has the unprintable character %(code)s") % {"code": code}
        yield BundleError(path_of(place), message, _("printable text"))
    elif isinstance(value, float) and not math.isfinite(value):
        yield BundleError(path_of(place), _("is %(value)s") % {"value": value}, _("a finite number"))
    elif isinstance(value, dict | list):
        for key, each in _parts(value):
            if str(key) != str(key).strip():  # "it\n" would pass for "it": Python's $ matches before a final newline
                yield BundleError(path_of([*place, key]), _("has spaces around the key"), _("only the key"))
            yield from _character_errors(each, [*place, key])


# --- writing -----------------------------------------------------------------------------------------
def dump_bundle(version: ProtocolVersion) -> Bundle:
    head: Bundle = {"bundle": 1, "protocol": version.protocol.slug, "name": version.protocol.name}
    head |= {field: getattr(version, field) for field in VERSION_FIELDS}
    criteria = []
    for row in version.criteria.prefetch_related("options__explanations", "examples"):
        own = _fields(row, "key name short question definition kind unit scale required when rules")
        options = [_dump_option(option) for option in row.options.all()]
        examples = [
            _fields(each, "title facts history candidates rated_turn option why") for each in row.examples.all()
        ]
        criteria.append(own | {"options": options, "examples": examples})
    return head | {"criteria": criteria}


def readable_bundle(version: ProtocolVersion) -> Bundle:
    """Return a stored version as a person would write it: in the order of the format and without defaults.

    A draft need not be valid: one with faults can be written to a file and corrected there.
    """
    return without_defaults(with_defaults(dump_bundle(version)))


def readable_yaml(version: ProtocolVersion) -> str:
    return write_yaml(readable_bundle(version))


def readable_json(version: ProtocolVersion) -> str:
    return json.dumps(readable_bundle(version), ensure_ascii=False, indent=2) + "\n"


def _dump_option(row: Option) -> Bundle:
    explanations = [_fields(each, "key text sub_dimension") for each in row.explanations.all()]
    own = _fields(row, "key label definition conditions role value asks alone words_min words_max")
    return own | {"value": _normal(row.value), "explanations": explanations}


def _fields(row: object, names: str) -> Bundle:
    return {name: getattr(row, name) for name in names.split()}
