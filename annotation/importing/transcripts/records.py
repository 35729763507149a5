"""Read the records of a file of chat logs: lines of JSON, one JSON document, or the entries of a zip file."""

import io
import itertools
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson
from django.utils.translation import gettext as _

from annotation.importing.fields import kind_of
from annotation.importing.files import BOM, DAMAGED, ZIP, damaged, read_lines, unpacking
from annotation.importing.outcome import READING, ErrorLog, Progress, no_progress, rejected
from annotation.importing.records import LOOKED_AT
from annotation.importing.transcripts.large import (
    LONGEST_DOCUMENT,
    OF_A_RECORD,
    WRAPPERS,
    is_large,
    is_message,
    large_members,
    too_long,
)
from annotation.importing.transcripts.places import Found, member

ZSTANDARD = 93  # a method of compression in zip files
LOCAL_HEADER = 30  # bytes before an entry's name


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
        is_whole = not is_large(path)
        yield from members(read_document(path, log, progress), 0) if is_whole else large_members(path, progress)
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
        if not name or OF_A_RECORD & document.keys():
            yield (line, place), document
            return
        place, document = name, document[name]
    if type(document) is not list:
        raise rejected(_("must be objects or a list of them, not %(kind)s") % {"kind": kind_of(document)})
    if document and is_message(document[0]):  # a bare list of messages is one conversation
        yield (line, place), document
        return
    for at, each in enumerate(document):
        yield member(line, place, at), each


def _is_list_of_objects(value: Any) -> bool:
    return type(value) is list and bool(value) and all(type(each) in (dict, list) for each in value)


def read_document(path: Path, log: ErrorLog, progress: Progress) -> Any:
    """Return the parsed document. Raise ImportRejected if it is damaged or no JSON."""
    with path.open("rb") as raw:
        try:
            data = unpacking(raw).read()
        except DAMAGED as error:
            raise rejected(damaged(error)) from None
    progress(path.stat().st_size, path.stat().st_size, READING)
    log.refuse_any()
    return parse_document(data, "")


def parse_document(data: bytes, place: str) -> Any:
    if len(data) > LONGEST_DOCUMENT:
        raise too_long(place)
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
    except (zipfile.BadZipFile, NotImplementedError, EOFError, zlib.error, RuntimeError, struct.error) as error:
        text = _(
            "cannot be unpacked (%(error)s): convert it with the command inspect log convert to .json, and import that"
        )
        raise rejected(text % {"error": error}) from None


def _entry(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    if info.compress_type == ZSTANDARD:
        return _unpacked(archive, info)
    with archive.open(info) as file:
        return file.read(LONGEST_DOCUMENT + 1)


def _unpacked(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """Return an entry that is compressed as Inspect does it. Python's own reader knows this method from 3.14 on."""
    import pyarrow  # here: it takes a tenth of a second, and few files need it

    with Path(str(archive.filename)).open("rb") as file:
        file.seek(info.header_offset)
        lengths = struct.unpack_from("<HH", file.read(LOCAL_HEADER), LOCAL_HEADER - 4)  # of its name and extra fields
        file.seek(sum(lengths), io.SEEK_CUR)
        packed = pyarrow.BufferReader(file.read(info.compress_size))
    try:
        with pyarrow.CompressedInputStream(packed, "zstd") as stream:
            data: bytes = stream.read(LONGEST_DOCUMENT + 1)
    except OSError as error:
        raise zipfile.BadZipFile(f"{info.filename}: {error}") from None
    if len(data) <= LONGEST_DOCUMENT and zlib.crc32(data) != info.CRC:
        raise zipfile.BadZipFile(f"Bad CRC-32 for file {info.filename!r}")
    return data
