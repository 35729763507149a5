"""Read ratings from a long CSV or from JSON Lines: check each row against the protocol, and write it for COPY."""

import unicodedata
import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.importing.answer_cells import (
    AnswerCells,
    explanation_ids,
    importable,
    number_of,
    whole,
    with_one_option,
)
from annotation.importing.columns import NONE, is_own_export, rating_columns
from annotation.importing.copying import NULL, copy_ids, copy_text, spool_file
from annotation.importing.fields import LONGEST_BATCH_KEY, LONGEST_KEY, LONGEST_SOURCE_KEY, clean_key, nul
from annotation.importing.labels import LABEL_FIELDS, holds_labels, label_rows
from annotation.importing.outcome import BadField, ErrorLog, Progress, rejected
from annotation.importing.tables import Row, Table, open_table
from parley.formulas import unquote_formula
from protocols.models import Criterion, ProtocolVersion
from protocols.specs import CriterionSpec, OptionSpec, VersionSpec

LONGEST_PSEUDONYM = 80
LONGEST_FREE_TEXT = 20_000
MILLISECONDS_FROM = 1e11  # in seconds this would be the year 5138
NAMESPACE = uuid.UUID("5d3a4c1e-9f0b-5c55-8d4e-6a1f2b7c9e10")
Unit = ProtocolVersion.Unit
UNIT_FIELDS = ("dialogue", "item", "source")
PARTS: dict[str, tuple[str, ...]] = {
    Unit.RESPONSE: UNIT_FIELDS,
    Unit.DIALOGUE: ("dialogue",),
    Unit.CANDIDATE_SET: ("dialogue", "source"),
    Unit.MODEL: ("source",),
    Unit.COMPARISON: ("dialogue", "item"),
}
LONGEST_PAIR = 500  # the keys of two candidates
STAGE_COLUMNS = (
    "line, dialogue, conversation, scenario, item, source, annotator, batch, criterion_id, option_id, explanations, "
    "free_text, answered_at, client_key, choices, turns, active_ms, unit"
)


@dataclass(frozen=True, slots=True)
class RatingOptions:
    """How to read a file of ratings. `columns` is {our field: the file's column}.

    With `create_missing`, dialogues, sources and candidates missing from the study are created by their id alone. For
    labels in JSON Lines, `criterion` is the question they answer and `annotator` the name on lines that name nobody.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    create_missing: bool = False
    reference: str = ""
    criterion: str = ""
    annotator: str = ""


class VoteSpool(AbstractContextManager):
    """The checked rows of one file, ready for COPY."""

    def __init__(self, study_id: int, spec: VersionSpec, now: datetime) -> None:
        self.file: IO[bytes] = spool_file()
        self.n_rows = 0
        self.unused: list[str] = []
        self._study = str(study_id)
        self._spec = spec
        self._answers = AnswerCells(spec)
        self._is_own = self._is_quoted = False
        self.n_uncounted = 0
        self._is_whole_dialogue = spec.unit == Unit.DIALOGUE
        self._now = now
        self._places: dict[str, int] = {}
        self._wide: dict[int, CriterionSpec] = {}  # by the place of its column, if each criterion has one

    def __exit__(self, *_error: object) -> None:
        self.file.close()

    def read(self, path: Path, options: RatingOptions, log: ErrorLog, progress: Progress) -> None:
        if holds_labels(path):
            self._places = {name: at for at, name in enumerate(LABEL_FIELDS)}
            asked = {"criterion": options.criterion, "annotator": options.annotator}
            rows: Iterable[Row] = label_rows(path, self._spec, log, progress, **asked)
        else:
            rows = table = open_table(path, log, progress)
            criteria = importable(self._spec)
            n_single = len(with_one_option(criteria))
            try:
                self._places, self._wide = rating_columns(table.columns, dict(options.columns), criteria, n_single)
            except BadField as error:
                raise rejected(error.reason, error.field, line=1) from None
            self._is_own = is_own_export(table.columns)
            self._is_quoted = self._is_own and table.may_be_quoted
            if self._is_own:
                self._answers = AnswerCells(self._spec, is_own=True)
            used = set(range(len(table.columns)) if self._is_own else (*self._places.values(), *self._wide))
            self.unused = [name for at, name in enumerate(table.columns) if at not in used]
            if self._wide:
                rows = self._long_rows(table)
        for row in rows:
            with log.catching(row.line):
                self._add(row)

    def _long_rows(self, table: Table) -> Iterator[Row]:
        """Yield a row for each answer of a row with a column for each criterion. An empty cell is no answer."""
        width = len(table.columns)
        self._places |= {"criterion": width, "value": width + 1}
        for row in table:
            for at, criterion in self._wide.items():
                cell = row.values[at].strip()
                is_none = cell == NONE and not self._answers.find_option(criterion, cell)
                if cell:
                    yield Row(row.line, [*row.values, criterion.key, "" if is_none else cell])

    def _value(self, row: Row, name: str) -> str:
        place = self._places.get(name)
        if place is None:
            return ""
        return unquote_formula(row.values[place]) if self._is_quoted else row.values[place]

    def _key(self, row: Row, name: str, longest: int = 200) -> str:
        return clean_key(self._value(row, name), name, longest)

    def _add(self, row: Row) -> None:
        if self._value(row, "is_counted") == "false" and self._value(row, "is_repetition") != "true":
            self.n_uncounted += 1
            return
        dialogue, item, source, unit = self._unit(row)
        annotator = self._key(row, "annotator", LONGEST_PSEUDONYM)
        if not annotator:
            raise BadField("annotator", _("is empty: name the annotator"))
        criterion = self._answers.criterion(self._value(row, "criterion"), "criterion" in self._places)
        option, choices, turns = self._answer(row, criterion)
        # A dialogue is known by its key: naming its source too, in a later file, must not make another answer of it.
        author = "" if unit == Unit.DIALOGUE else source
        who = (self._study, annotator, dialogue, item, author, criterion.key)
        cells = (
            str(row.line).encode(),
            copy_text(dialogue),
            copy_text(self._key(row, "conversation")),
            copy_text(self._key(row, "scenario")),
            copy_text(item),
            copy_text(source),
            copy_text(annotator),
            copy_text(self._key(row, "batch", LONGEST_BATCH_KEY)),
            str(criterion.id).encode(),
            str(option.id).encode() if option else NULL,
            copy_ids(explanation_ids(option, self._value(row, "explanations")) if option else []),
            copy_text(_free_text(self._value(row, "free_text"))),
            _answered_at(self._value(row, "answered_at"), self._now),
            str(uuid.uuid5(NAMESPACE, "\x1f".join(who))).encode(),
            copy_ids(choices),
            copy_ids(turns),
            str(whole(self._value(row, "active_ms") or "0", "active_ms")).encode(),
            unit.encode(),
        )
        self.file.write(b"\t".join(cells) + b"\n")
        self.n_rows += 1

    def _answer(self, row: Row, criterion: CriterionSpec) -> tuple[OptionSpec | None, list[int], list[int]]:
        value = self._value(row, "value")
        if criterion.kind == Criterion.Kind.MULTIPLE:
            return None, self._answers.choices(criterion, self._value(row, "choices") or value), []
        if criterion.kind == Criterion.Kind.TURNS:
            return None, [], self._answers.turns(criterion, self._value(row, "turns") or value)
        if (self._is_own or self._wide) and not value and not criterion.required:  # an explicit none
            return None, [], []
        return self._answers.option(criterion, value, criterion.key if self._wide else "value"), [], []

    def _unit(self, row: Row) -> tuple[str, str, str, str]:
        """Return (dialogue, item, source, unit) of what was rated. Only our own export names the unit."""
        unit: str = Unit.DIALOGUE if self._is_whole_dialogue else Unit.RESPONSE
        if self._is_own and (unit := self._value(row, "unit")) not in PARTS:
            text = _("%(unit)r is not a unit: use %(known)s")
            raise BadField("unit", text % {"unit": unit, "known": ", ".join(PARTS)})
        longest = LONGEST_PAIR if unit == Unit.COMPARISON else LONGEST_KEY
        dialogue, item = self._key(row, "dialogue"), self._key(row, "item", longest)
        source = self._key(row, "source", LONGEST_SOURCE_KEY)
        if self._is_own:
            keys = dict(zip(UNIT_FIELDS, (dialogue, item, source), strict=True))
            for name in PARTS[unit]:
                if not keys[name]:
                    raise BadField(name, _("is empty: name what was rated"))
            known = {*PARTS[unit], "source"}
            dialogue, item, source = (keys[name] if name in known else "" for name in UNIT_FIELDS)
            return dialogue, item, source, unit
        if self._is_whole_dialogue:
            dialogue, item = dialogue or item, ""
        if not dialogue and not item:
            raise BadField("item", _("is empty: name what was rated"))
        if not (self._is_whole_dialogue or item or source):
            raise BadField("item", _("is empty: responses are rated, so name the candidate or its source"))
        return dialogue, item, source, unit


def _free_text(cell: str) -> str:
    if "\x00" in cell:
        raise BadField("free_text", nul())
    if len(cell) > LONGEST_FREE_TEXT:
        raise BadField("free_text", _("is longer than %(most)s characters") % {"most": intcomma(LONGEST_FREE_TEXT)})
    return unicodedata.normalize("NFC", cell.replace("\r\n", "\n")).strip()


def _answered_at(cell: str, now: datetime) -> bytes:
    """Return a time column's cell from ISO 8601 or from (milli)seconds since 1970; NULL for an empty cell."""
    if not cell.strip():
        return NULL
    try:
        number = number_of(cell)
        if number is None:
            when = datetime.fromisoformat(cell.strip())
        else:
            when = datetime.fromtimestamp(number / (1000 if number > MILLISECONDS_FROM else 1), UTC)
        when = when if timezone.is_aware(when) else timezone.make_aware(when)
    except (ValueError, OverflowError, OSError):
        text = _("%(time)r is not a time: write it as 2026-11-21T09:30:00Z or in seconds since 1970")
        raise BadField("answered_at", text % {"time": cell}) from None
    if when > now:
        raise BadField("answered_at", _("%(time)r is in the future") % {"time": cell})
    return when.astimezone(UTC).isoformat().encode()
