"""Read a JSON file that is one list, or an object that holds lists: one record at a time, with its line."""

import codecs
import io
import json
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import orjson
from django.utils.translation import gettext as _

from annotation.importing.fields import Record
from annotation.importing.files import BLOCK, DAMAGED, LONGEST_LINE, UTF_16, damaged, unpacking
from annotation.importing.kinds import is_record
from annotation.importing.outcome import READING, RECORDS, BadField, ErrorLog, Progress
from annotation.importing.shapes import load_record

SPACE = " \t\r\n"
UNREADABLE = (UnicodeDecodeError, orjson.JSONDecodeError, BadField, *DAMAGED)
NEAR_THE_END = 100  # an error so near the end of what was read comes from stopping there


def read_document(path: Path, log: ErrorLog, progress: Progress) -> Iterator[tuple[int, Record]]:
    """Yield (line, record) of every list of objects in the file. Errors go to the log; a broken file ends there."""
    total = path.stat().st_size
    with path.open("rb") as raw:
        text = Text(unpacking(raw), LONGEST_LINE)
        try:
            for line, record in _numbered(_records(text)):
                with log.catching(line):
                    found = load_record(record.encode())
                    if found is not None:
                        yield line, found
                progress(raw.tell(), total, READING)
        except UNREADABLE as error:
            log.add(text.line, "", why_unreadable(error))
    progress(total, total, READING)


def _numbered(records: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Yield the records with their lines, or with their numbers if the first two share a line: see RECORDS."""
    first = next(records, None)
    if first is None:
        return
    try:
        second = next(records, None)
    except BadField:
        yield first
        raise
    is_on_one_line = second is not None and second[0] == first[0]
    for number, (line, record) in enumerate(chain([first], [second] if second else [], records), start=1):
        yield RECORDS + number if is_on_one_line else line, record


def why_unreadable(error: Exception) -> str:
    """Return why the text of a document, or one of its records, cannot be read."""
    if isinstance(error, BadField):
        return error.reason
    if isinstance(error, UnicodeDecodeError):
        return _("contains a character that is not UTF-8: save the file as UTF-8")
    if isinstance(error, orjson.JSONDecodeError):
        return _("is not JSON (%(error)s)") % {"error": error.msg}
    return damaged(error)


class Text:
    """The text of a file from the place on that was read, one block ahead. `line` is the number of its line.

    No record may be longer than `longest`.
    """

    def __init__(self, source: io.BufferedReader, longest: int) -> None:
        self._source, self._longest = source, longest
        self._decoder: codecs.IncrementalDecoder | None = None
        self._rest, self._at = "", 0
        self.line = 1

    def _read_on(self) -> bool:
        """Append a block. Return False at the end of the file."""
        if self._decoder is None:
            encoding = "utf-16" if self._source.peek(2)[:2] in UTF_16 else "utf-8-sig"
            self._decoder = codecs.getincrementaldecoder(encoding)()
        block = self._source.read(BLOCK)
        if block:
            self._rest, self._at = self._rest[self._at :] + self._decoder.decode(block), 0
        else:
            self._decoder.decode(b"", final=True)
        return bool(block)

    def _advance(self, to: int) -> str:
        passed = self._rest[self._at : to]
        self.line += passed.count("\n")
        self._at = to
        return passed

    def next(self) -> str:
        """Return the next character that is no space, without passing it; empty at the end."""
        while True:
            at = self._at
            while at < len(self._rest) and self._rest[at] in SPACE:
                at += 1
            self._advance(at)
            if at < len(self._rest):
                return self._rest[at]
            if not self._read_on():
                return ""

    def take(self, wanted: str) -> str:
        """Pass the next character if it is one of these. Raise BadField otherwise."""
        found = self.next()
        if not found or found not in wanted:
            text = _("is not JSON: expected %(wanted)s here, not %(found)s")
            there = repr(found) if found else _("the end of the file")
            raise BadField("", text % {"wanted": " ".join(wanted), "found": there})
        return self._advance(self._at + 1)

    def value(self) -> str:
        """Pass one value and return its text. Raise BadField."""
        self.next()
        while True:
            try:
                _value, end = json.JSONDecoder().raw_decode(self._rest, self._at)
            except json.JSONDecodeError as error:
                n_blocks = (len(self._rest) - self._at) // BLOCK
                if len(self._rest) - self._at <= self._longest and self._read_on():
                    for _more in range(1, n_blocks):  # twice the text: one block would mean to parse it for each block
                        self._read_on()
                    continue
                raise self._refusal(error) from None
            except RecursionError:
                raise BadField("", _("is nested too deep")) from None
            if end < len(self._rest) or not self._read_on():  # a number at the end of a block may go on in the next
                return self._advance(end)

    def _refusal(self, error: json.JSONDecodeError) -> BadField:
        is_cut = error.pos >= len(self._rest) - NEAR_THE_END or error.msg.startswith("Unterminated")
        if is_cut and len(self._rest) - self._at > self._longest:
            return BadField("", _("one record is longer than %(most)s MB") % {"most": self._longest >> 20})
        self._advance(error.pos)
        return BadField("", _("is not JSON (%(error)s)") % {"error": error.msg})

    def short(self) -> str:
        """Return all that is left, without passing it, if it is not longer than a record may be; otherwise empty."""
        while len(self._rest) - self._at <= self._longest:
            if not self._read_on():
                return self._rest[self._at :]
        return ""


def _records(text: Text) -> Iterator[tuple[int, str]]:
    """Yield (line, text) of each element of the lists of the file. Raise BadField where it is not JSON."""
    if text.next() == "[":
        yield from elements(text)
    elif whole := _single(text):
        yield text.line, whole
        text.value()
    else:
        yield from _members(text)
    if text.next():
        raise BadField("", _("is not JSON: there is text after the end of the list"))


def _single(text: Text) -> str:
    """Return the whole file if it is one record, otherwise an empty text."""
    whole = text.short()
    try:
        found = orjson.loads(whole)
    except orjson.JSONDecodeError:
        return ""
    return whole if type(found) is dict and is_record(found) else ""


def elements(text: Text) -> Iterator[tuple[int, str]]:
    """Yield (line, text) of each element of the list that comes next. Raise BadField where it is not JSON."""
    text.take("[")
    if text.next() == "]":
        text.take("]")
        return
    while True:
        text.next()
        yield text.line, text.value()
        if text.take(",]") == "]":
            return


def _members(text: Text) -> Iterator[tuple[int, str]]:
    """Yield the elements of every list in an object. Its other values say something about the file, and are passed."""
    text.take("{")
    while text.next() == '"':
        text.value()
        text.take(":")
        if text.next() == "[":
            yield from (each for each in elements(text) if each[1].startswith("{"))
        else:
            text.value()
        if text.take(",}") == "}":
            return
    text.take("}")
