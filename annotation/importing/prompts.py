"""Read dialogues from a crowd-task CSV: each row is one candidate (`machine_completion`) of its `prompt`.

Rows of one dialogue may be anywhere in the file, so they wait in a temporary file, not in memory.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import orjson
from django.utils.translation import gettext as _

from annotation.importing.copying import spool_file
from annotation.importing.fields import (
    LONGEST_BATCH_KEY,
    LONGEST_KEY,
    LONGEST_SOURCE_KEY,
    Record,
    clean_key,
    clean_text,
)
from annotation.importing.outcome import BadField, ErrorLog, Progress, rejected
from annotation.importing.shapes import (
    BATCH_KEYS,
    CONVERSATION_KEYS,
    SOURCE_KEYS,
    SPEAKER_KEYS,
    DialogueOptions,
    ParsedCandidate,
    ParsedDialogue,
    name_candidates,
)
from annotation.importing.spool import derived_key
from annotation.importing.tables import Table, find_column, need_column

PROMPT, COMPLETION = ("prompt",), ("machine_completion",)
# The names by which a file may call its columns, besides the two that every file must have.
COLUMNS: dict[str, tuple[str, ...]] = {
    "dialogue": ("dialogue_id", "dialogue", "id"),
    "candidate": ("candidate_id", "candidate"),
    "source": SOURCE_KEYS,
    "speaker": SPEAKER_KEYS,
    "batch": BATCH_KEYS,
    "conversation": CONVERSATION_KEYS,
}
ONLY_SOURCE = "model"  # the source in files that name none


@dataclass(slots=True)
class Group:
    """The rows of one dialogue: their places in the temporary file, and what must be the same in all of them."""

    line: int
    digest: str
    batch_key: str
    conversation: str
    places: list[int] = field(default_factory=list)
    candidates: dict[str, int] = field(default_factory=dict)


def read_prompts(path: Path, options: DialogueOptions, log: ErrorLog, progress: Progress) -> Iterator[ParsedDialogue]:
    table = Table(path, log, progress)
    try:
        places = {"prompt": need_column(table.columns, PROMPT), "completion": need_column(table.columns, COMPLETION)}
    except BadField as error:
        raise rejected(error.reason, error.field, line=1) from None
    found = {name: find_column(table.columns, known) for name, known in COLUMNS.items()}
    places |= {name: place for name, place in found.items() if place is not None}
    groups: dict[str, Group] = {}
    with spool_file() as waiting:
        for row in table:
            with log.catching(row.line):
                _keep(_candidate_row(row.values, table.columns, places, options), row.line, groups, waiting)
        for key, group in groups.items():
            with log.catching(group.line):
                yield _dialogue(key, group, waiting)


def _candidate_row(values: list[str], names: list[str], places: dict[str, int], options: DialogueOptions) -> Record:
    def key_in(name: str, longest: int = LONGEST_KEY) -> str:
        return clean_key(values[places[name]], names[places[name]], longest) if name in places else ""

    def text_in(name: str) -> str:
        return clean_text(values[places[name]], names[places[name]], is_unescaping=options.unescape_newlines)

    source = key_in("source", LONGEST_SOURCE_KEY) or options.source
    if not source and "source" in places:
        raise BadField(names[places["source"]], _("is empty: name the model or person who wrote it"))
    used = set(places.values())
    return {
        "prompt": text_in("prompt"),
        "dialogue": key_in("dialogue"),
        "batch": key_in("batch", LONGEST_BATCH_KEY),
        "conversation": key_in("conversation"),
        "key": key_in("candidate"),
        "source": source or ONLY_SOURCE,
        "speaker": key_in("speaker"),
        "text": text_in("completion"),
        "others": {name: values[at] for at, name in enumerate(names) if at not in used},
    }


def _turns(prompt: str) -> list[Record]:
    """Return the prompt as one turn without a speaker: it may hold the lines of several speakers."""
    return [{"speaker": "", "text": prompt}]


def _keep(row: Record, line: int, groups: dict[str, Group], waiting: IO[bytes]) -> None:
    digest = derived_key(_turns(row["prompt"]))
    key = row["dialogue"] or digest
    group = groups.setdefault(key, Group(line, digest, row["batch"], row["conversation"]))
    if group.digest != digest:
        text = _("differs from the text on line %(line)s of the same dialogue %(dialogue)r")
        raise BadField("prompt", text % {"line": group.line, "dialogue": key})
    for name, own in (("batch", group.batch_key), ("conversation", group.conversation)):
        if own != row[name]:
            text = _("is %(batch)r, but %(other)r on line %(line)s of the same dialogue")
            raise BadField(name, text % {"batch": row[name], "line": group.line, "other": own})
    if row["key"] and group.candidates.setdefault(row["key"], line) != line:
        names = {"key": row["key"], "line": group.candidates[row["key"]]}
        raise BadField("candidate_id", _("%(key)r is also on line %(line)s") % names)
    group.places.append(waiting.tell())
    waiting.write(orjson.dumps(row) + b"\n")


def _dialogue(key: str, group: Group, waiting: IO[bytes]) -> ParsedDialogue:
    rows = []
    for place in group.places:
        waiting.seek(place)
        rows.append(orjson.loads(waiting.readline()))
    others = [row["others"] for row in rows]
    # Columns that are the same in all rows belong to the dialogue, the others to the candidates.
    shared = {name: value for name, value in others[0].items() if all(each[name] == value for each in others)}
    candidates = []
    for row in rows:
        own = {name: value for name, value in row["others"].items() if name not in shared}
        candidates.append(ParsedCandidate(row["key"], row["source"], row["text"], own, row["speaker"]))
    name_candidates(candidates)
    return ParsedDialogue(
        group.line, key, _turns(rows[0]["prompt"]), candidates, shared, group.batch_key, "", group.conversation
    )
