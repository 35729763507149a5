"""Keep parsed dialogues in temporary files, as lines of PostgreSQL's COPY format, until all are checked."""

import hashlib
from array import array
from collections import Counter
from contextlib import AbstractContextManager
from typing import IO

import orjson
from django.utils.translation import gettext as _

from annotation.importing.copying import copy_text, spool_file
from annotation.importing.fields import Record, canonical_json
from annotation.importing.outcome import BadField, named_place
from annotation.importing.shapes import ParsedCandidate, ParsedDialogue
from annotation.speakers import next_speaker

MOST_SOURCES = 200
NOBODY = "prompt"


def derived_key(turns: list[Record]) -> str:
    """Return a key for a dialogue that has none: the same turns get the same key in every import."""
    return "h-" + hashlib.sha256(_named(turns)).hexdigest()[:24]


def _named(turns: list[Record]) -> bytes:
    """Return the turns as JSON. A turn without a speaker gets the name that older imports gave it."""
    return orjson.dumps([{**turn, "speaker": turn["speaker"] or NOBODY} for turn in turns])


class DialogueSpool(AbstractContextManager):
    """Checked dialogues. `lines[n]` is the line of the n-th one; `sources` are in order of first appearance."""

    def __init__(self, study_id: int) -> None:
        self._study = str(study_id).encode()
        self.dialogues: IO[bytes] = spool_file()
        self.candidates: IO[bytes] = spool_file()
        self.authors: IO[bytes] = spool_file()  # the sources of whole dialogues
        self.n_authors = 0
        self.lines = array("Q")
        self.n_candidates = 0
        self.sources: Counter[str] = Counter()  # with the number of their responses and dialogues
        self.metadata_fields: set[str] = set()
        self.has_conversations = False
        self.conversations: set[str] = set()  # that the file names
        self._line_of: dict[str, int] = {}

    def __exit__(self, *_error: object) -> None:
        self.dialogues.close()
        self.candidates.close()
        self.authors.close()

    def add(self, dialogue: ParsedDialogue) -> None:
        """Write the dialogue. Raise BadField, and write nothing, if it repeats a key or cannot be stored."""
        turns = orjson.dumps(dialogue.turns)
        metadata = canonical_json(dialogue.metadata, "metadata")
        following = next_speaker(dialogue.turns)
        candidates = [(each, canonical_json(each.metadata, "candidates")) for each in dialogue.candidates]
        key = self._new_key(dialogue)
        named = [dialogue.source] if dialogue.source else [candidate.source for candidate in dialogue.candidates]
        self.sources.update(named)
        if len(self.sources) > MOST_SOURCES:
            text = _("is one of more than %(most)s sources: is this the right column?")
            raise BadField("source", text % {"most": MOST_SOURCES})
        context = orjson.dumps(dialogue.context)
        contents = sorted(_content(*each, following) for each in candidates)
        if dialogue.asker != dialogue.turns[0]["speaker"]:  # left out if they speak first, as in older digests
            contents.append(dialogue.asker.encode())
        conversation = dialogue.conversation or key
        if dialogue.conversation:
            self.conversations.add(conversation)
        if conversation != key:  # left out if it is its own, as in older digests
            contents.append(b"\x01" + conversation.encode())
            self.has_conversations = True
        if dialogue.context:
            contents.append(b"\x02" + context)
        if dialogue.source or dialogue.scenario:
            contents.append(b"\x03" + orjson.dumps([dialogue.source, dialogue.scenario]))
        content = b"\x00".join((_named(dialogue.turns), metadata, dialogue.batch_key.encode(), *contents))
        digest = hashlib.sha256(content).hexdigest().encode()
        position = str(len(self.lines)).encode()
        self.dialogues.write(
            b"\t".join((
                self._study, copy_text(key), position, turns.replace(b"\\", b"\\\\"),
                metadata.replace(b"\\", b"\\\\"), copy_text(dialogue.batch_key), digest, b"f",
                copy_text(dialogue.asker), copy_text(conversation), context.replace(b"\\", b"\\\\"),
                copy_text(dialogue.scenario) + b"\n",
            ))
        )  # fmt: skip
        if dialogue.source:
            self.authors.write(b"\t".join((position, copy_text(dialogue.source))) + b"\n")
            self.n_authors += 1
        for each, extra in candidates:
            texts = (each.source, each.key, each.speaker or following, each.text)
            cells = (position, *map(copy_text, texts))
            more = (extra, orjson.dumps(each.context))
            self.candidates.write(b"\t".join((*cells, *(cell.replace(b"\\", b"\\\\") for cell in more))) + b"\n")
        self.lines.append(dialogue.line)
        self.n_candidates += len(candidates)
        self.metadata_fields.update(dialogue.metadata)

    def _new_key(self, dialogue: ParsedDialogue) -> str:
        key = dialogue.key or derived_key(dialogue.turns)
        before = self._line_of.setdefault(key, dialogue.line)
        if before != dialogue.line:
            if dialogue.key:
                text = _("has the same id %(key)r as %(place)s: each dialogue needs its own id")
            else:
                text = _("has no id and the same turns as %(place)s: each dialogue needs its own id")
            raise BadField("dialogue_id", text % {"key": key, "place": named_place(before)})
        return key


def _content(candidate: ParsedCandidate, metadata: bytes, following: str) -> bytes:
    """Return a candidate's part of the digest. A speaker that follows from the dialogue is left out of it."""
    if candidate.speaker not in ("", following):
        metadata = canonical_json(candidate.metadata | {"speaker": candidate.speaker}, "candidates")
    context = orjson.dumps(candidate.context) if candidate.context else b""
    return orjson.dumps([candidate.key, candidate.source, candidate.text]) + metadata + context
