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
    LONGEST_SOURCE_KEY,
    Record,
    clean_key,
    clean_text,
)
from annotation.importing.outcome import BadField, ErrorLog, ImportRejected, LineError, Progress
from annotation.importing.shapes import (
    BATCH_KEYS,
    SOURCE_KEYS,
    SPEAKER_KEYS,
    DialogueOptions,
    ParsedCandidate,
    ParsedDialogue,
    name_candidates,
)
from annotation.importing.spool import derived_key
from annotation.importing.tables import Row, Table, find_column, need_column

PROMPT, COMPLETION = ("prompt",), ("machine_completion",)
DIALOGUE_COLUMNS = ("dialogue_id", "dialogue", "id")
CANDIDATE_COLUMNS = ("candidate_id", "candidate")
ONLY_SOURCE = "model"  # the source in files that name none


@dataclass(slots=True)
class Columns:
    names: list[str]
    prompt: int
    completion: int
    dialogue: int | None
    candidate: int | None
    source: int | None
    speaker: int | None
    batch: int | None
    others: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, names: list[str]) -> "Columns":
        columns = cls(
            names=names,
            prompt=need_column(names, PROMPT),
            completion=need_column(names, COMPLETION),
            dialogue=find_column(names, DIALOGUE_COLUMNS),
            candidate=find_column(names, CANDIDATE_COLUMNS),
            source=find_column(names, SOURCE_KEYS),
            speaker=find_column(names, SPEAKER_KEYS),
            batch=find_column(names, BATCH_KEYS),
        )
        used = {
            columns.prompt,
            columns.completion,
            columns.dialogue,
            columns.candidate,
            columns.source,
            columns.speaker,
            columns.batch,
        }
        columns.others = [at for at in range(len(names)) if at not in used]
        return columns


@dataclass(slots=True)
class Group:
    """The rows of one dialogue: their places in the temporary file, and what must be the same in all of them."""

    line: int
    digest: str
    batch_key: str
    places: list[int] = field(default_factory=list)
    candidates: dict[str, int] = field(default_factory=dict)


def read_prompts(path: Path, options: DialogueOptions, log: ErrorLog, progress: Progress) -> Iterator[ParsedDialogue]:
    table = Table(path, log, progress)
    try:
        columns = Columns.of(table.columns)
    except BadField as error:
        raise ImportRejected([LineError(1, error.field, error.reason)]) from None
    groups: dict[str, Group] = {}
    with spool_file() as waiting:
        for row in table:
            try:
                _keep(_candidate_row(row, columns, options), row.line, groups, waiting)
            except BadField as error:
                log.add(row.line, error.field, error.reason)
        for key, group in groups.items():
            try:
                yield _dialogue(key, group, waiting)
            except BadField as error:
                log.add(group.line, error.field, error.reason)


def _candidate_row(row: Row, columns: Columns, options: DialogueOptions) -> Record:
    def key_in(place: int | None, longest: int = 200) -> str:
        return "" if place is None else clean_key(row.values[place], columns.names[place], longest)

    values, unescape = row.values, options.unescape_newlines
    source = key_in(columns.source, LONGEST_SOURCE_KEY) or options.source
    if not source and columns.source is not None:
        raise BadField(columns.names[columns.source], _("is empty: name the model or person who wrote it"))
    prompt = clean_text(values[columns.prompt], columns.names[columns.prompt], is_unescaping=unescape)
    completion = columns.names[columns.completion]
    return {
        "dialogue": key_in(columns.dialogue),
        "batch": key_in(columns.batch, LONGEST_BATCH_KEY),
        "prompt": prompt,
        "key": key_in(columns.candidate),
        "source": source or ONLY_SOURCE,
        "speaker": key_in(columns.speaker),
        "text": clean_text(values[columns.completion], completion, is_unescaping=unescape),
        "others": {columns.names[at]: values[at] for at in columns.others},
    }


def _turns(prompt: str) -> list[Record]:
    """Return the prompt as one turn without a speaker: it may hold the lines of several speakers."""
    return [{"speaker": "", "text": prompt}]


def _keep(row: Record, line: int, groups: dict[str, Group], waiting: IO[bytes]) -> None:
    digest = derived_key(_turns(row["prompt"]))
    key = row["dialogue"] or digest
    group = groups.setdefault(key, Group(line, digest, row["batch"]))
    if group.digest != digest:
        text = _("differs from the text on line %(line)s of the same dialogue %(dialogue)r")
        raise BadField("prompt", text % {"line": group.line, "dialogue": key})
    if group.batch_key != row["batch"]:
        text = _("is %(batch)r, but %(other)r on line %(line)s of the same dialogue")
        raise BadField("batch", text % {"batch": row["batch"], "line": group.line, "other": group.batch_key})
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
    shared, own = _split([row["others"] for row in rows])
    candidates = [
        ParsedCandidate(row["key"], row["source"], row["text"], metadata, row["speaker"])
        for row, metadata in zip(rows, own, strict=True)
    ]
    name_candidates(candidates)
    return ParsedDialogue(group.line, key, _turns(rows[0]["prompt"]), candidates, shared, group.batch_key, "")


def _split(others: list[Record]) -> tuple[Record, list[Record]]:
    """Return columns that are the same in all rows, for the dialogue, and each row's other columns."""
    shared = {name: value for name, value in others[0].items() if all(each[name] == value for each in others)}
    return shared, [{k: v for k, v in each.items() if k not in shared} for each in others]
