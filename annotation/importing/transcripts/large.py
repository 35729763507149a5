"""Read a document that is too large to be parsed as a whole: one of its records at a time."""

import io
import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson
from django.utils.translation import gettext as _

from annotation.importing.documents import UNREADABLE, Text, elements, why_unreadable
from annotation.importing.fields import Record
from annotation.importing.files import BLOCK, DAMAGED, unpacking
from annotation.importing.outcome import READING, ImportRejected, Progress, rejected
from annotation.importing.transcripts.places import Found, member

LONGEST_DOCUMENT = 64 * 1024 * 1024  # it is parsed as a whole, which takes some times its size
WRAPPERS = ("data", "traces", "spans", "observations", "items", "conversations", "logs")
OF_A_RECORD = frozenset({"input", "output", "messages", "id"})  # with a list beside them, they are one record


def is_large(path: Path) -> bool:
    with path.open("rb") as raw:
        source = unpacking(raw)
        blocks = iter(lambda: source.read(BLOCK), b"")
        try:
            return next(itertools.islice(blocks, LONGEST_DOCUMENT // BLOCK, None), None) is not None
        except DAMAGED:
            return False  # the reader of small ones says so


def large_members(path: Path, progress: Progress) -> Iterator[Found]:
    """Yield the members of a list, in the document or in the field that wraps it. Raise ImportRejected.

    A log of Inspect is one record, whose samples are an iterator that must be used before the next record is asked for.
    """
    with path.open("rb") as raw:
        yield from _Document(raw, path.stat().st_size, progress).members()


def is_message(value: Any) -> bool:
    return type(value) is dict and ("role" in value or "from" in value) and "messages" not in value


def too_long(place: str = "") -> ImportRejected:
    text = _(
        "is one record of more than %(most)s MB: write one conversation per line (JSON Lines), or export fewer at "
        "a time"
    )
    return rejected(text % {"most": LONGEST_DOCUMENT >> 20}, place)


class _Document:
    def __init__(self, raw: io.BufferedReader, total: int, progress: Progress) -> None:
        self._raw, self._total, self._progress = raw, total, progress
        self._text = Text(unpacking(raw), LONGEST_DOCUMENT)

    def members(self) -> Iterator[Found]:
        with self._refusing():
            if self._text.next() == "[":
                yield from self._listed("")
            else:
                yield from self._of_object()
            if self._text.next():
                raise rejected(_("is not JSON: there is text after the end of the list"), line=self._text.line)

    @contextmanager
    def _refusing(self) -> Iterator[None]:
        try:
            yield
        except UNREADABLE as error:
            raise rejected(why_unreadable(error), line=self._text.line) from None

    def _of_object(self) -> Iterator[Found]:
        header: Record = {}
        has_records = False
        self._text.take("{")
        while self._text.next() == '"':
            name = orjson.loads(self._text.value())
            self._text.take(":")
            if self._text.next() != "[":
                header[name] = orjson.loads(self._text.value())
            elif name == "samples" and type(header.get("eval")) is dict:
                samples = self._values()
                yield (0, ""), header | {name: samples}
                has_records = True
                for _rest in samples:
                    pass
            elif name in WRAPPERS and not has_records:
                yield from self._listed(name)
                has_records = True
            else:
                header[name] = None
                for _rest in elements(self._text):
                    pass
            if self._text.take(",}") == "}":
                break
        if not has_records or OF_A_RECORD & header.keys():
            raise too_long()

    def _listed(self, name: str) -> Iterator[Found]:
        for at, value in enumerate(self._values()):
            if is_message(value) and not at:  # a bare list of messages is one conversation
                raise too_long()
            yield member(0, name, at), value

    def _values(self) -> Iterator[Any]:
        with self._refusing():
            for _line, value in elements(self._text):
                yield orjson.loads(value)
                self._progress(self._raw.tell(), self._total, READING)
