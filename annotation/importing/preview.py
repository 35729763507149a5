"""Preview the first rows of a file, so that people can check how it is read. The database is not used."""

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from annotation.context import context_beside, context_in
from annotation.importing.columns import columns_of_ratings, guessed_columns, rating_columns
from annotation.importing.formats import dialogue_format, read_dialogues
from annotation.importing.kinds import file_kind
from annotation.importing.layouts import ALIASES as DIALOGUE_ALIASES
from annotation.importing.layouts import TABLE_FORMATS, layout_of, usual_places
from annotation.importing.log_pages import Pages, as_asked, first_conversations
from annotation.importing.matching import Sides, grounded_in, refuse_unmatched
from annotation.importing.outcome import BadField, ErrorLog, ImportRejected, LineError, no_progress
from annotation.importing.prediction_cells import PredictionOptions, places_of_predictions
from annotation.importing.predictions import CSV_PREDICTIONS
from annotation.importing.ratings import CSV_RATINGS, JSONL_LABELS, rating_format
from annotation.importing.records import first_records, read_records
from annotation.importing.shapes import DialogueOptions, ParsedDialogue
from annotation.importing.sheets import cell_text
from annotation.importing.tables import open_table
from annotation.importing.votes import RatingOptions
from annotation.models import ImportJob
from annotation.numbering import numbered_turns
from annotation.speakers import next_speaker
from protocols.models import ProtocolVersion
from protocols.specs import VersionSpec

Unit = ProtocolVersion.Unit
ROWS_LOOKED_AT = 500  # of a table: one dialogue may have many
SHOWN_OR_TOLD = ("persona", "turn_fields", "pairs")  # metadata that is shown, of turns, or said to be compared


@dataclass(frozen=True, slots=True)
class Kept:
    """Fields of a file that annotators do not see: of dialogues, and of responses."""

    with_dialogues: tuple[str, ...] = ()
    with_responses: tuple[str, ...] = ()

    @classmethod
    def of(cls, dialogues: Iterable[ParsedDialogue]) -> "Kept":
        found = list(dialogues)
        own = dict.fromkeys(name for each in found for one in each.candidates for name in one.metadata)
        shared = dict.fromkeys(name for each in found for name in each.metadata)
        return cls(tuple(name for name in shared if name not in {*own, *SHOWN_OR_TOLD}), tuple(own))


@dataclass(frozen=True, slots=True)
class ShownConversation:
    """One conversation of a chat log: rows for its pages, and how many pages and turns are not shown."""

    key: str
    rows: list[dict[str, Any]]
    n_pages: int
    n_left_out: int
    n_unasked: int


@dataclass(frozen=True, slots=True)
class Preview:
    """The first rows of a file. `errors` are those of these rows only.

    Of a table, `mapping` is {our field: the file's column}, and `has_columns` says that columns can be chosen. Without
    a `format`, it is not known how the columns are to be read, and `rows` are as in the file. `sides` are those that a
    whole file has to compare. `asked` are columns of panels whose names do not tell the source, with the one that was
    chosen, and `responses` the sources to choose from.
    """

    kind: str
    format: str
    columns: list[str]
    rows: list[dict[str, Any]]
    mapping: dict[str, str] = field(default_factory=dict)
    errors: list[LineError] = field(default_factory=list)
    has_columns: bool = False
    sides: Sides = field(default_factory=Sides)
    kept: Kept = Kept()
    asked: list[tuple[str, str]] = field(default_factory=list)
    responses: list[str] = field(default_factory=list)
    conversations: list[ShownConversation] = field(default_factory=list)  # the first ones of a chat log
    hides_responses: bool = False  # the protocol asks only about whole dialogues

    @property
    def are_dialogues(self) -> bool:
        return self.kind == ImportJob.Kind.DIALOGUES and bool(self.format)


def preview(
    path: Path,
    kind: str,
    format: str = "",
    n: int = 10,
    *,
    options: DialogueOptions | RatingOptions | PredictionOptions | None = None,
    spec: VersionSpec | None = None,
    is_part: bool = False,
) -> Preview:
    """Return the first `n` rows. Raise ImportRejected if not even the format can be recognised.

    `spec` is the protocol of the study. `is_part` says that the file is the beginning of one, cut anywhere.
    """
    columns, sheet = (dict(options.columns), options.sheet) if options else ({}, "")
    if kind == ImportJob.Kind.RATINGS:
        if rating_format(path, format) == JSONL_LABELS:
            return _labels(path, n)
        criterion = options.criterion if isinstance(options, RatingOptions) else ""
        return _table(
            path, n, kind, CSV_RATINGS, sheet,
            lambda names: _mapping_of_ratings(names, columns, spec, criterion),
            lambda names: guessed_columns(names, spec),
        )  # fmt: skip
    if kind == ImportJob.Kind.PREDICTIONS:
        return _table(
            path, n, kind, CSV_PREDICTIONS, sheet,
            lambda names: _by_name(names, places_of_predictions(names, columns)),
        )  # fmt: skip
    read = options if isinstance(options, DialogueOptions) else DialogueOptions()
    try:
        name = dialogue_format(path, format, read)
    except ImportRejected as rejected:
        if not rejected.errors[0].field or format:  # not a matter of columns
            raise
        return _table(
            path, n, kind, "", sheet,
            lambda names: layout_of(names, columns).as_mapping(names),
            lambda names: usual_places(names, {}, DIALOGUE_ALIASES),
        )  # fmt: skip
    return _dialogues(path, name, n, read, spec, is_part)


def _mapping_of_ratings(
    names: list[str], wanted: dict[str, str], spec: VersionSpec | None, criterion: str
) -> dict[str, str]:
    if spec:
        places, wide = columns_of_ratings(names, wanted, spec, criterion)
    else:  # it is not known whether the criterion may be left out
        places, wide = rating_columns(names, wanted, [], 1)
    return _by_name(names, places) | {each.key: names[at] for at, each in wide.items()}


def _by_name(names: list[str], places: dict[str, int]) -> dict[str, str]:
    return {field: names[at] for field, at in places.items()}


def _row(dialogue: ParsedDialogue, number: int, n_known: int = 0) -> dict[str, Any]:
    """Return a dialogue as the page shows it. The first `n_known` turns of a conversation stood on the page before."""
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
    return {
        "line": dialogue.line,
        "key": dialogue.key,
        "batch": dialogue.batch_key,
        "conversation": dialogue.conversation,
        "scenario": dialogue.scenario,
        "source": dialogue.source,
        "context": context_beside(dialogue.metadata, dialogue.context),
        "turns": numbered_turns(dialogue.turns, dialogue.asker),
        "page": number,
        "n_known": n_known,
        "asker": dialogue.asker,
        "candidates": candidates,
        "metadata": dialogue.metadata,
    }


def _dialogues(
    path: Path, name: str, n: int, options: DialogueOptions, spec: VersionSpec | None, is_part: bool
) -> Preview:
    units = spec.units if spec else ()
    log = ErrorLog()
    # Whether both sides of a comparison are there is known only at the end of the file.
    is_read_whole = Unit.COMPARISON in units and not is_part
    sides = Sides(units, format=name, is_part=is_part, grounded=grounded_in(spec) if spec else "")
    read = read_dialogues(path, name, options, log, no_progress, None if is_read_whole else ROWS_LOOKED_AT)
    found = _checked(read, log, sides, units, name)
    if options.transcript:
        conversations = [_conversation(each) for each in first_conversations(found, units)]
        rows = [row for each in conversations for row in each.rows]
    else:
        conversations, shown = [], list(itertools.islice(found, n))
        rows = [_row(as_asked(dialogue, units), at) for at, dialogue in enumerate(shown, start=1)]
    for _dialogue in found if is_read_whole else ():
        pass  # it is checked as it is read
    last = max((row["line"] for row in rows), default=0)
    errors = [each for each in log.errors if not is_part or each.line <= last][:n]
    plain = Preview(ImportJob.Kind.DIALOGUES, name, [], rows, errors=errors, sides=sides)
    if options.transcript:
        return replace(plain, conversations=conversations)
    plain = replace(plain, kept=Kept.of(shown), hides_responses=_hides_responses(shown, units))
    if name in TABLE_FORMATS:
        columns = open_table(path, ErrorLog(), no_progress, most=1, sheet=options.sheet).columns
        layout = layout_of(columns, options.columns, name)
        mapping, asked = layout.as_mapping(columns), layout.panels.asked(columns)
        return replace(
            plain, columns=columns, mapping=mapping, has_columns=True, asked=asked, responses=list(layout.responses)
        )
    return replace(plain, columns=list(next(iter(first_records(path, file_kind(path))), {})))


def _checked(
    dialogues: Iterator[ParsedDialogue], log: ErrorLog, sides: Sides, units: Sequence[str], name: str
) -> Iterator[ParsedDialogue]:
    for dialogue in dialogues:
        with log.catching(dialogue.line):
            refuse_unmatched(dialogue, units, name in TABLE_FORMATS)
            sides.add(dialogue)
        yield dialogue


def _conversation(pages: Pages) -> ShownConversation:
    rows = [_row(page.dialogue, page.number, page.n_known) for page in pages.shown]
    return ShownConversation(pages.key, rows, pages.n_pages, pages.n_left_out, pages.n_unasked)


def _hides_responses(dialogues: Iterable[ParsedDialogue], units: Sequence[str]) -> bool:
    return any(dialogue.candidates and not as_asked(dialogue, units).candidates for dialogue in dialogues)


def _labels(path: Path, n: int) -> Preview:
    log = ErrorLog()
    rows = []
    for line, record in itertools.islice(read_records(path, file_kind(path), log, no_progress), n):
        with log.catching(line):
            rows.append({name: cell_text(value, name) for name, value in record.items()})
    columns = list(dict.fromkeys(name for row in rows for name in row))
    cells = [{name: row.get(name, "") for name in columns} for row in rows]
    return Preview(ImportJob.Kind.RATINGS, JSONL_LABELS, columns, cells, errors=log.errors)


def _table(
    path: Path,
    n: int,
    kind: str,
    format: str,
    sheet: str,
    find: Callable[[list[str]], dict[str, str]],
    guess: Callable[[list[str]], dict[str, int]] | None = None,
) -> Preview:
    """Return the rows as they are in the file, and the columns that `find` recognises, or at least those of `guess`."""
    log = ErrorLog()
    table = open_table(path, log, no_progress, n, sheet)
    mapping: dict[str, str] = {}
    with log.catching(1):
        mapping = find(table.columns)
    if not mapping and guess:
        with suppress(BadField):  # the error says already what is to be chosen
            mapping = _by_name(table.columns, guess(table.columns))
    rows = [dict(zip(table.columns, row.values, strict=True)) for row in itertools.islice(table, n)]
    return Preview(kind, format, table.columns, rows, mapping, log.errors[:n], has_columns=True)
