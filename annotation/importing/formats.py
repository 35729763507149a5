"""Recognise the format of a file of dialogues, and read the file."""

import itertools
from collections.abc import Iterator
from pathlib import Path

from django.utils.translation import gettext as _

from annotation.importing.files import read_lines
from annotation.importing.outcome import ErrorLog, Progress, no_progress, rejected
from annotation.importing.prompts import COMPLETION, PROMPT, read_prompts
from annotation.importing.shapes import SHAPES, DialogueOptions, ParsedDialogue, first_record, read_json_lines
from annotation.importing.tables import delimiter_of

CSV_PROMPTS = "csv-prompts"
DIALOGUE_FORMATS = (*SHAPES, CSV_PROMPTS)
LOOKED_AT = 20  # lines: a bad first line must not hide the format of the rest


def read_dialogues(
    path: Path, name: str, options: DialogueOptions, log: ErrorLog, progress: Progress
) -> Iterator[ParsedDialogue]:
    if name == CSV_PROMPTS:
        return read_prompts(path, options, log, progress)
    return read_json_lines(path, SHAPES[name], options, log, progress)


def dialogue_format(path: Path, wanted: str = "") -> str:
    """Return the wanted format, otherwise the one that the first lines show. Raise ImportRejected."""
    if wanted and wanted not in DIALOGUE_FORMATS:
        text = _("%(name)r is unknown: use one of %(known)s")
        raise rejected(text % {"name": wanted, "known": ", ".join(DIALOGUE_FORMATS)}, "format")
    log = ErrorLog()
    lines = ((number, line) for number, line in read_lines(path, log, no_progress) if line.strip())
    first = list(itertools.islice(lines, LOOKED_AT))
    if not first:
        log.refuse_any()
        raise rejected(_("the file is empty"))
    return wanted or _recognise(first)


def _recognise(lines: list[tuple[int, bytes]]) -> str:
    number, first = lines[0]
    start = first.lstrip()[:1]
    if start == b"[":
        text = _("is a JSON list: write one object per line (JSON Lines), without the brackets")
        raise rejected(text, line=number)
    if start != b"{":
        header = first.decode(errors="replace").strip()
        names = [name.strip().strip('"').casefold() for name in header.split(delimiter_of(header))]
        if PROMPT[0] in names and COMPLETION[0] in names:
            return CSV_PROMPTS
        text = _(
            "is neither JSON Lines nor CSV with the columns prompt and machine_completion. The first line is: %(line)r"
        )
        raise rejected(text % {"line": header[:200]}, line=number)
    record = first_record(lines)
    if record is None:
        return next(iter(SHAPES))  # its reader says what is wrong with each line
    for name, shape in SHAPES.items():
        if shape.turns in record:
            return name
    text = _("has no field named history, messages or utterances, only: %(names)s")
    raise rejected(text % {"names": ", ".join(record)}, line=number)
