"""Tell kinds of files apart by their content: names and endings of files are often wrong."""

import io
import itertools
import zipfile
from pathlib import Path

import orjson
from django.utils.translation import gettext as _

from annotation.importing.fields import Record
from annotation.importing.files import BOM, DAMAGED, PARQUET_MAGIC, UTF_16, ZIP, read_lines, unpacking
from annotation.importing.outcome import ErrorLog, no_progress, rejected
from annotation.importing.shapes import DIALOGUE_KEYS, TURN_NAMES

TABLE, JSON_LINES, JSON, WORKBOOK, PARQUET = "table", "json-lines", "json", "workbook", "parquet"
ITEM_KEYS = ("item", "candidate_id")
LOOKED_AT = 64 * 1024
OLD_OFFICE = b"\xd0\xcf\x11\xe0"
CONTROL = bytes(each for each in range(32) if each not in b"\t\n\r\f")
MOST_CONTROL = 0.05  # of the bytes: texts may hold a stray one, and it has a line to be named with


def file_kind(path: Path) -> str:
    """Return what the file is. Raise ImportRejected if it is empty or none of these."""
    with path.open("rb") as raw:
        try:
            head = unpacking(raw).read(LOOKED_AT)
        except DAMAGED:
            return TABLE  # the reader of lines says what is wrong
    if head.startswith(PARQUET_MAGIC):
        return PARQUET
    if head.startswith(ZIP):
        return _kind_of_zip(path)
    if head.startswith(OLD_OFFICE):
        reason = _("is a workbook of an old format, or one with a password: save it as .xlsx without a password")
        raise rejected(reason)
    return _kind_of_text(path, head)


def _kind_of_zip(path: Path) -> str:
    try:
        with zipfile.ZipFile(path) as book:
            names = set(book.namelist())
    except zipfile.BadZipFile as error:
        raise rejected(_("the workbook is damaged or incomplete (%(error)s)") % {"error": error}) from None
    if "xl/workbook.xml" in names:
        return WORKBOOK
    if {"content.xml", "xl/workbook.bin"} & names:
        raise rejected(_("is a workbook of another format: save it as .xlsx or CSV"))
    raise rejected(_("is a .zip archive: unpack it, and import the file in it"))


def _kind_of_text(path: Path, head: bytes) -> str:
    if head[:2] in UTF_16:
        head = io.TextIOWrapper(io.BytesIO(head), encoding="utf-16", errors="replace").read().encode()
    beginning = head.removeprefix(BOM).lstrip()
    if not beginning and len(head) < LOOKED_AT:
        raise rejected(_("the file is empty"))
    if len(head) - len(head.translate(None, CONTROL)) > MOST_CONTROL * len(head):
        known = _("is none of the files that can be read: CSV, TSV, XLSX, Parquet, JSON and JSON Lines, also as .gz")
        raise rejected(known)
    if beginning[:1] == b"[":
        return JSON
    return TABLE if beginning[:1] != b"{" else _kind_of_objects(path)


def _kind_of_objects(path: Path) -> str:
    """Return whether each line is an object, or the lines together are one."""
    lines = (line.strip() for _number, line in read_lines(path, ErrorLog(), no_progress))
    first, second = (*itertools.islice(filter(None, lines), 2), b"", b"")[:2]
    try:
        only = orjson.loads(first)
    except orjson.JSONDecodeError:
        # The first line of one written over several lines ends within it, and the next goes on there.
        goes_on = {b"{": (b'"', b"}"), b",": (b'"',), b"[": (b"{", b"]"), b":": (b"[", b"{")}.get(first[-1:], ())
        return JSON if not first or second.startswith(goes_on) else JSON_LINES
    return JSON if not second and type(only) is dict and not is_record(only) else JSON_LINES


def is_record(whole: Record) -> bool:
    """Return whether an object is a dialogue or a rating itself, not one that holds a list of them."""
    lists = [name for name, value in whole.items() if type(value) is list and value and type(value[0]) is dict]
    return not lists or bool({*TURN_NAMES, *DIALOGUE_KEYS, *ITEM_KEYS} & whole.keys())
