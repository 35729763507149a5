"""Read the records of a file of chat logs: lines of JSON, one JSON document, or the entries of a zip file."""

import itertools
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson
from django.utils.translation import gettext as _

from annotation.importing.fields import kind_of
from annotation.importing.files import BOM, DAMAGED, damaged, read_lines, unpacking
from annotation.importing.kinds import ZIP
from annotation.importing.outcome import READING, ErrorLog, Progress, no_progress, rejected
from annotation.importing.records import LOOKED_AT

LONGEST_DOCUMENT = 64 * 1024 * 1024  # it is parsed as a whole, which takes some times its size
WRAPPERS = ("data", "traces", "spans", "observations", "items", "conversations", "logs")

Place = tuple[int, str]  # the line, 0 in a document; the place in a document
Found = tuple[Place, Any]


def dotted(place: str) -> str:
    """Return what stands before the name of a field at this place."""
    return f"{place}." if place else ""


def within_text(value: Any) -> Any:
    """Return a value, or what it holds if it is JSON within text, as some exports write inputs and outputs."""
    if type(value) is str and value.lstrip()[:1] in ("[", "{"):
        try:
            return orjson.loads(value)
        except orjson.JSONDecodeError:
            return value
    return value


def is_zip(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(ZIP)) == ZIP


def is_lines(path: Path) -> bool:
    """Return whether the file has one JSON value per line. Otherwise it is one document."""
    lines = (line for _number, line in read_lines(path, ErrorLog(), no_progress) if line.strip())
    values = [_parsed(line) for line in itertools.islice(lines, LOOKED_AT)]
    complete = [value for value in values if value is not None]
    return (len(values) > 1 and len(complete) > len(values) / 2) or [type(each) for each in values] == [dict]


def _parsed(line: bytes) -> Any:
    """Return the object or list of a line; None if it is not a complete one."""
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return value if type(value) in (dict, list) else None


def read_records(path: Path, log: ErrorLog, progress: Progress) -> Iterator[Found]:
    """Yield the place and the value of each line, or of each member of a document. Raise ImportRejected."""
    if not is_lines(path):
        yield from members(read_document(path, log, progress), 0)
        return
    for number, line in read_lines(path, log, progress):
        if not line.strip():
            continue
        try:
            value = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            text = _("is not JSON (%(error)s, character %(place)s): each line must be one complete value")
            log.add(number, "", text % {"error": error.msg, "place": error.pos + 1})
            continue
        if type(value) is dict:
            yield from members(value, number)
        else:
            yield (number, ""), value


def members(document: Any, line: int) -> Iterator[Found]:
    """Yield the members of a list, in the document or in the field that wraps it; otherwise the document itself."""
    place = ""
    if type(document) is dict:
        name = next((each for each in WRAPPERS if _is_list_of_objects(document.get(each))), "")
        # A trace with its observations is one record; a page of an API is not.
        if not name or {"input", "output", "messages", "id"} & document.keys():
            yield (line, place), document
            return
        place, document = name, document[name]
    if type(document) is not list:
        raise rejected(_("must be objects or a list of them, not %(kind)s") % {"kind": kind_of(document)})
    if document and _is_message(document[0]):  # a bare list of messages is one conversation
        yield (line, place), document
        return
    for at, each in enumerate(document):
        yield (line, f"{place}[{at}]"), each


def _is_list_of_objects(value: Any) -> bool:
    return type(value) is list and bool(value) and all(type(each) in (dict, list) for each in value)


def _is_message(value: Any) -> bool:
    return type(value) is dict and ("role" in value or "from" in value) and "messages" not in value


def read_document(path: Path, log: ErrorLog, progress: Progress) -> Any:
    """Return the parsed document. Raise ImportRejected if it is too large, damaged or no JSON."""
    with path.open("rb") as raw:
        try:
            data = unpacking(raw).read(LONGEST_DOCUMENT + 1)
        except DAMAGED as error:
            raise rejected(damaged(error)) from None
    progress(path.stat().st_size, path.stat().st_size, READING)
    log.refuse_any()
    return parse_document(data, "")


def parse_document(data: bytes, place: str) -> Any:
    if len(data) > LONGEST_DOCUMENT:
        text = _(
            "is one JSON document, or begins with one line, of more than %(most)s MB: write one conversation per line "
            "(JSON Lines), or export fewer at a time"
        )
        raise rejected(text % {"most": LONGEST_DOCUMENT >> 20}, place)
    if not data.strip():
        raise rejected(_("the file is empty"), place)
    try:
        return orjson.loads(data.removeprefix(BOM))
    except orjson.JSONDecodeError as error:
        text = _("is not JSON (%(error)s, line %(line)s, character %(place)s)")
        said = {"error": error.msg, "line": error.lineno, "place": error.colno}
        raise rejected(text % said, place, line=0 if place else error.lineno) from None


def read_entries(path: Path, is_wanted: Callable[[str], bool], progress: Progress) -> Iterator[tuple[str, Any]]:
    """Yield the name and the value of each JSON entry with a wanted name. Raise ImportRejected."""
    total = path.stat().st_size
    try:
        with zipfile.ZipFile(path) as archive:
            for info in archive.infolist():
                if is_wanted(info.filename):
                    yield info.filename, parse_document(_entry(archive, info), info.filename)
                    progress(min(info.header_offset + info.compress_size, total), total, READING)
    except (zipfile.BadZipFile, NotImplementedError, EOFError, zlib.error, RuntimeError) as error:
        text = _(
            "cannot be unpacked (%(error)s): convert it with the command inspect log convert to .json, and import that"
        )
        raise rejected(text % {"error": error}) from None


def _entry(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    with archive.open(info) as file:
        return file.read(LONGEST_DOCUMENT + 1)
