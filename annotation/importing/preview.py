"""Preview the first rows of a file, so that people can check how it is read. The database is not used."""

import itertools
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from annotation.context import context_in
from annotation.importing.columns import map_columns, places_of_columns
from annotation.importing.files import read_lines
from annotation.importing.formats import CSV_PROMPTS, dialogue_format, read_dialogues
from annotation.importing.outcome import ErrorLog, LineError, no_progress
from annotation.importing.prediction_cells import ALIASES, PredictionOptions
from annotation.importing.predictions import CSV_PREDICTIONS
from annotation.importing.ratings import CSV_RATINGS, JSONL_LABELS, rating_format
from annotation.importing.shapes import DialogueOptions, first_record, load_record
from annotation.importing.tables import Table
from annotation.importing.votes import RatingOptions
from annotation.models import ImportJob
from annotation.numbering import numbered_turns
from annotation.speakers import next_speaker


@dataclass(frozen=True, slots=True)
class Preview:
    """The first rows of a file. `mapping` is {our field: the file's column}; `errors` are those of these rows only."""

    kind: str
    format: str
    columns: list[str]
    rows: list[dict[str, Any]]
    mapping: dict[str, str] = field(default_factory=dict)
    errors: list[LineError] = field(default_factory=list)


def preview(
    path: Path,
    kind: str,
    format: str = "",
    n: int = 5,
    *,
    options: DialogueOptions | RatingOptions | PredictionOptions | None = None,
) -> Preview:
    """Return the first `n` rows. Raise ImportRejected if not even the format can be recognised."""
    columns = dict(options.columns) if isinstance(options, (RatingOptions, PredictionOptions)) else {}
    if kind == ImportJob.Kind.RATINGS:
        if rating_format(path, format) == JSONL_LABELS:
            return _labels(path, n)
        # The import checks whether the criterion may be left out: that depends on the protocol.
        return _table(path, n, kind, CSV_RATINGS, lambda names: map_columns(names, columns, n_criteria=1))
    if kind == ImportJob.Kind.PREDICTIONS:
        return _table(path, n, kind, CSV_PREDICTIONS, lambda names: places_of_columns(names, columns, ALIASES))
    return _dialogues(path, format, n, options if isinstance(options, DialogueOptions) else DialogueOptions())


def _dialogues(path: Path, wanted: str, n: int, options: DialogueOptions) -> Preview:
    name = dialogue_format(path, wanted)
    log = ErrorLog()
    found = itertools.islice(read_dialogues(path, name, options, log, no_progress), n)
    rows = []
    for dialogue in found:
        following = next_speaker(dialogue.turns)
        candidates = [
            {
                "key": each.key,
                "source": each.source,
                "speaker": each.speaker or following,
                "text": each.text,
                "context": context_in(each.context),
            }
            for each in dialogue.candidates
        ]
        rows.append(
            {
                "line": dialogue.line,
                "key": dialogue.key,
                "batch": dialogue.batch_key,
                "conversation": dialogue.conversation,
                "context": context_in(dialogue.context),
                "turns": numbered_turns(dialogue.turns, dialogue.asker),
                "asker": dialogue.asker,
                "candidates": candidates,
                "metadata": dialogue.metadata,
            }
        )
    if name == CSV_PROMPTS:
        columns = Table(path, ErrorLog(), no_progress).columns
    else:
        columns = list(first_record(read_lines(path, ErrorLog(), no_progress)) or {})
    return Preview(ImportJob.Kind.DIALOGUES, name, columns, rows, errors=log.errors[:n])


def _labels(path: Path, n: int) -> Preview:
    log = ErrorLog()
    rows = []
    for number, line in itertools.islice(read_lines(path, ErrorLog(), no_progress), n):
        with log.catching(number):
            rows.append(load_record(line) or {})
    columns = list(dict.fromkeys(name for row in rows for name in row))
    cells = [{name: row.get(name, "") for name in columns} for row in rows]
    for row in cells:
        row |= {
            name: json.dumps(value, ensure_ascii=False) for name, value in row.items() if not isinstance(value, str)
        }
    return Preview(ImportJob.Kind.RATINGS, JSONL_LABELS, columns, cells, errors=log.errors)


def _table(path: Path, n: int, kind: str, format: str, find: Callable[[list[str]], dict[str, int]]) -> Preview:
    log = ErrorLog()
    table = Table(path, log, no_progress)
    mapping = {}
    with log.catching(1):
        mapping = {name: table.columns[at] for name, at in find(table.columns).items()}
    rows = [dict(zip(table.columns, row.values, strict=True)) for row in itertools.islice(table, n)]
    return Preview(kind, format, table.columns, rows, mapping, log.errors[:n])
