"""Recognise how a file holds dialogues, and read the file."""

from collections.abc import Iterator
from pathlib import Path

from django.utils.translation import gettext as _

from annotation.importing.columns import named
from annotation.importing.fields import Record
from annotation.importing.kinds import PARQUET, TABLE, WORKBOOK, file_kind
from annotation.importing.layouts import ALIASES, TABLE_FORMATS, TURNS, layout_of
from annotation.importing.outcome import BadField, ErrorLog, ImportRejected, Progress, no_progress, rejected
from annotation.importing.records import first_records, read_records
from annotation.importing.remedies import as_chat_log, choose_columns, if_chat_log
from annotation.importing.response_rows import read_responses
from annotation.importing.shapes import (
    JSONL_TURNS,
    SHAPES,
    TURN_NAMES,
    DialogueOptions,
    ParsedDialogue,
    Shape,
    parse_records,
    shape_of,
)
from annotation.importing.sheets import parquet_columns
from annotation.importing.tables import open_table
from annotation.importing.transcripts import CHATS, TRANSCRIPT_FORMATS, read_transcripts, transcript_format
from annotation.importing.turn_rows import read_turn_rows
from parley.listing import either

DIALOGUE_FORMATS = (*SHAPES, JSONL_TURNS, *TABLE_FORMATS)


def read_dialogues(
    path: Path, name: str, options: DialogueOptions, log: ErrorLog, progress: Progress, most: int | None = None
) -> Iterator[ParsedDialogue]:
    """Yield the dialogues of a file in a known format. With `most`, only the first rows of a table are needed."""
    if name in TABLE_FORMATS:
        table = open_table(path, log, progress, most, options.sheet)
        try:
            layout = layout_of(table.columns, options.columns, name)
        except BadField as error:
            raise ImportRejected([error.on_line(1)]) from None
        with log.catching(1):
            layout.panels.refuse_unclear(table.columns)
        read = read_turn_rows if name == TURNS else read_responses
        return read(table, layout, options, log)
    if name in TRANSCRIPT_FORMATS:
        return read_transcripts(path, name, options, log, progress)
    kind = file_kind(path)
    return parse_records(read_records(path, kind, log, progress), _shape(path, kind, name), options, log)


def dialogue_format(path: Path, wanted: str = "", options: DialogueOptions = DialogueOptions()) -> str:  # noqa: B008
    """Return the wanted format, otherwise the one that the beginning of the file shows. Raise ImportRejected."""
    if options.transcript:
        return transcript_format(path)
    if wanted and wanted not in DIALOGUE_FORMATS:
        text = _("%(name)r is unknown: use one of %(known)s")
        raise rejected(text % {"name": wanted, "known": ", ".join(DIALOGUE_FORMATS)}, "format")
    kind = file_kind(path)
    if wanted and wanted not in TABLE_FORMATS and kind in (TABLE, WORKBOOK):
        text = _("the file is a table, not %(wanted)s: leave the format out")
        raise rejected(text % {"wanted": wanted}, "format")
    if wanted:
        return wanted
    records = _dialogues_in(path, kind, options)
    if records is not None:
        found = next(filter(None, map(shape_of, records)), None)
        return found[0] if found else next(iter(SHAPES))  # its reader says what is wrong with each line
    columns = open_table(path, ErrorLog(), no_progress, most=1, sheet=options.sheet).columns
    if kind == TABLE and len(columns) == 1:
        text = _("is neither a table with several columns nor JSON Lines. The first line is: %(line)r")
        raise rejected(text % {"line": columns[0][:200]}, line=1)
    try:
        return layout_of(columns, options.columns).format
    except BadField as error:
        if error.field == "history" and kind not in (TABLE, WORKBOOK):
            raise _without_turns(path, columns) from None
        raise ImportRejected([error.on_line(1)]) from None


def _without_turns(path: Path, columns: list[str]) -> ImportRejected:
    """Return the error of objects that have no list of turns, and too few fields to be rows of a table."""
    if transcript_format(path) != CHATS:
        return rejected(_("is a chat log, and not dialogues with responses"), "", 1, as_chat_log())
    text = _("no list of turns found (%(names)s); the fields are: %(columns)s")
    reason = text % {"names": either(TURN_NAMES), "columns": named(columns)}
    return rejected(reason, "history", 1, if_chat_log(choose_columns("history", "response")))


def _dialogues_in(path: Path, kind: str, options: DialogueOptions) -> list[Record] | None:
    """Return the first objects if they are dialogues with turns and candidates; None if they are rows of a table."""
    if kind in (TABLE, WORKBOOK) or options.columns:
        return None
    if kind == PARQUET and not any(parquet_columns(path).get(name) for name in TURN_NAMES):
        return None
    records = first_records(path, kind)
    is_table = records and not any(shape_of(each) and not _is_row(each) for each in records)
    return None if is_table else records


def _is_row(record: Record) -> bool:
    """Return whether a record with turns has its one response beside them, as a row of a table has."""
    return "candidates" not in record and any(type(record.get(name)) is str for name in ALIASES["response"])


def _shape(path: Path, kind: str, name: str) -> Shape:
    """Return the shape of the wanted format, with the names that the turns of this file have."""
    found = (shape_of(record) for record in first_records(path, kind))
    fitting = next((each[1] for each in found if each and each[0] == name), None)
    return fitting or SHAPES.get(name) or Shape("turns", "speaker", "text", needs_candidates=False)
