"""Tell the formats of chat logs apart by what they hold, and read them."""

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from annotation.importing.fields import Record
from annotation.importing.outcome import BadField, ErrorLog, Progress, no_progress, rejected
from annotation.importing.records import LOOKED_AT
from annotation.importing.shapes import DialogueOptions, ParsedDialogue
from annotation.importing.transcripts.calls import logs_of
from annotation.importing.transcripts.chats import read_chat
from annotation.importing.transcripts.inspect_logs import is_inspect, read_eval, read_inspect
from annotation.importing.transcripts.langfuse import is_langfuse, read_langfuse
from annotation.importing.transcripts.logs import Cutter, Log
from annotation.importing.transcripts.places import Found
from annotation.importing.transcripts.records import is_zip, read_records
from annotation.importing.transcripts.spans import is_openinference, is_telemetry, read_spans

CHATS, LANGFUSE, PHOENIX = "transcript-messages", "transcript-langfuse", "transcript-phoenix"
INSPECT, EVAL, OTEL = "transcript-inspect", "transcript-inspect-eval", "transcript-opentelemetry"
TRANSCRIPT_FORMATS = (CHATS, LANGFUSE, PHOENIX, INSPECT, EVAL, OTEL)


def transcript_format(path: Path) -> str:
    """Return the format that the first records show. Raise ImportRejected."""
    if not path.stat().st_size:
        raise rejected(_("the file is empty"))
    if is_zip(path):
        return EVAL
    log = ErrorLog()
    first = list(itertools.islice(read_records(path, log, no_progress), LOOKED_AT))
    if not first:
        log.refuse_any()
        raise rejected(_("the file contains no chat logs"))
    return next((name for _place, record in first if (name := _recognised(record))), CHATS)


def _recognised(record: Any) -> str:
    """Return the format of a record that only one format has; otherwise nothing."""
    if type(record) is not dict:
        return ""
    if is_inspect(record):
        return INSPECT
    if is_telemetry(record):
        return PHOENIX if is_openinference(record) else OTEL
    return LANGFUSE if is_langfuse(record) else ""


def read_transcripts(
    path: Path, name: str, options: DialogueOptions, log: ErrorLog, progress: Progress
) -> Iterator[ParsedDialogue]:
    try:
        cutter = Cutter(options)
    except BadField as error:
        raise rejected(error.reason, error.field, remedy=error.remedy) from None
    try:
        for each in _logs(path, name, options, log, progress):
            with log.catching(each.line):
                yield from cutter.dialogues(each)
    except RecursionError:
        raise rejected(_("is nested too deeply to be a chat log")) from None


def _logs(path: Path, name: str, options: DialogueOptions, log: ErrorLog, progress: Progress) -> Iterator[Log]:
    if name == EVAL:
        yield from read_eval(path, log, progress)
        return
    records = read_records(path, log, progress)
    if name == CHATS:
        yield from _chats(records, options, log)
    elif name == INSPECT:
        yield from read_inspect(_objects(records, log), log)
    else:
        read = read_langfuse if name == LANGFUSE else read_spans
        calls = read(_objects(records, log), log)
        if not calls:
            log.refuse_any()
            text = _("the file contains no calls of a model with their messages: export those, with input and output")
            raise rejected(text)
        yield from logs_of(calls, log)


def _objects(records: Iterator[Found], log: ErrorLog) -> Iterator[tuple[tuple[int, str], Record]]:
    for (line, place), record in records:
        if type(record) is dict:
            yield (line, place), record
        else:
            log.add(line, place, _("must be an object, like the others of the file"))


def _chats(records: Iterator[Found], options: DialogueOptions, log: ErrorLog) -> Iterator[Log]:
    """Yield the logs. Lines that are messages themselves are one conversation."""
    alone: list[Any] = []
    for place, record in records:
        if type(record) is dict and "role" in record and "messages" not in record:
            alone.append(record)
            continue
        with log.catching(place[0]):
            yield read_chat(place, record, options)
    if alone:
        with log.catching(0):
            yield read_chat((0, ""), alone, options)
