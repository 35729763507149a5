"""Parsed dialogues as lines of PostgreSQL's COPY format in temporary files: checked first, stored in one go."""

import hashlib
from array import array
from types import TracebackType
from typing import IO, Self

import orjson
from django.utils.translation import gettext as _

from annotation.services.importing.copying import copy_text, spool_file
from annotation.services.importing.fields import Record, canonical_json
from annotation.services.importing.outcome import BadField
from annotation.services.importing.shapes import ParsedCandidate, ParsedDialogue

MOST_SOURCES = 200


def derived_key(turns: list[Record]) -> str:
    """A key for a dialogue that brings none: the same turns have the same key in every import."""
    return "h-" + hashlib.sha256(orjson.dumps(turns)).hexdigest()[:24]


class DialogueSpool:
    """`lines[n]` is the line of the n-th dialogue; `sources` are in the order of their first appearance."""

    def __init__(self, study_id: int) -> None:
        self._study = str(study_id).encode()
        self.dialogues: IO[bytes] = spool_file()
        self.candidates: IO[bytes] = spool_file()
        self.lines = array("Q")
        self.n_candidates = 0
        self.sources: dict[str, None] = {}
        self.metadata_fields: set[str] = set()
        self._line_of: dict[str, int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.dialogues.close()
        self.candidates.close()

    def add(self, dialogue: ParsedDialogue) -> None:
        """Write the dialogue. Raises BadField, and writes nothing, when it repeats a key or cannot be stored."""
        turns = orjson.dumps(dialogue.turns)
        metadata = canonical_json(dialogue.metadata, "metadata")
        candidates = [(each, canonical_json(each.metadata, "candidates")) for each in dialogue.candidates]
        key = self._new_key(dialogue)
        self._note_sources(dialogue.candidates)
        digest = _digest(turns, metadata, dialogue.batch_key, candidates)
        position = str(len(self.lines)).encode()
        self.dialogues.write(
            b"\t".join((
                self._study, copy_text(key), position, turns.replace(b"\\", b"\\\\"),
                metadata.replace(b"\\", b"\\\\"), copy_text(dialogue.batch_key), digest, b"f\n",
            ))
        )  # fmt: skip
        for each, extra in candidates:
            cells = (position, copy_text(each.source), copy_text(each.key), copy_text(each.text))
            self.candidates.write(b"\t".join((*cells, extra.replace(b"\\", b"\\\\"))) + b"\n")
        self.lines.append(dialogue.line)
        self.n_candidates += len(candidates)
        self.metadata_fields.update(dialogue.metadata)

    def _new_key(self, dialogue: ParsedDialogue) -> str:
        key = dialogue.key or derived_key(dialogue.turns)
        before = self._line_of.setdefault(key, dialogue.line)
        if before != dialogue.line:
            if dialogue.key:
                text = _("has the id %(key)r as line %(line)s: each dialogue needs its own id")
            else:
                text = _("has no id and the same turns as line %(line)s: each dialogue needs its own id")
            raise BadField("dialogue_id", text % {"key": key, "line": before})
        return key

    def _note_sources(self, candidates: list[ParsedCandidate]) -> None:
        for candidate in candidates:
            self.sources.setdefault(candidate.source)
        if len(self.sources) > MOST_SOURCES:
            text = _("is one of more than %(most)s sources: is this the right column?")
            raise BadField("source", text % {"most": MOST_SOURCES})


def _digest(turns: bytes, metadata: bytes, batch_key: str, candidates: list[tuple[ParsedCandidate, bytes]]) -> bytes:
    """The content of a dialogue in 64 characters; the order of its candidates is no content."""
    parts = sorted(orjson.dumps([each.key, each.source, each.text]) + extra for each, extra in candidates)
    whole = b"\x00".join((turns, metadata, batch_key.encode(), *parts))
    return hashlib.sha256(whole).hexdigest().encode()
