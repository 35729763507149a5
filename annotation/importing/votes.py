"""Read ratings from a long CSV or from JSON Lines: check each row against the protocol, and write it for COPY."""

import unicodedata
import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import IO

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.importing.answer_cells import (
    AnswerCells,
    asked_in_file,
    explanation_ids,
    importable,
    number_of,
    whole,
)
from annotation.importing.columns import (
    ALIASES,
    NONE,
    NONE_APPLIES,
    OWN_STUDY,
    columns_of_ratings,
    is_own_export,
    none_left,
)
from annotation.importing.copying import NULL, copy_ids, copy_text, spool_file
from annotation.importing.extent import Extent
from annotation.importing.fields import LONGEST_BATCH_KEY, LONGEST_KEY, LONGEST_SOURCE_KEY, clean_key, nul
from annotation.importing.labels import LABEL_FIELDS, holds_labels, label_rows
from annotation.importing.outcome import BadField, ErrorLog, ImportRejected, LineError, Progress
from annotation.importing.pair_cells import SIDES, are_sides, exported_sides, is_swapped_cell, named_sides
from annotation.importing.remedies import choose_one_of
from annotation.importing.tables import Row, open_table
from annotation.models import Study
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
# How programs write that a value is missing. "None" is not among them: it answers that none of the options applies.
MISSING = frozenset(("", "na", "n/a", "#n/a", "<na>", "nan", "null"))
LONGEST_PAIR = 500  # the keys of two candidates
STAGE_COLUMNS = (
    "line, dialogue, conversation, scenario, item, source, annotator, batch, criterion_id, option_id, explanations, "
    "free_text, answered_at, client_key, choices, turns, active_ms, unit, is_swapped"
)


@dataclass(frozen=True, slots=True)
class RatingOptions:
    """How to read a file of ratings. `columns` is {our field: the file's column}.

    With `create_missing`, dialogues, sources and candidates missing from the study are created by their id alone.
    `criterion` is the question that all rows or labels of the file answer. For labels in JSON Lines, `annotator` is the
    name on lines that name nobody.
    `sheet` names one of the sheets of a workbook.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    create_missing: bool = False
    reference: str = ""
    criterion: str = ""
    annotator: str = ""
    sheet: str = ""


class VoteSpool(AbstractContextManager):
    """The checked rows of one file, ready for COPY."""

    def __init__(self, study_id: int, spec: VersionSpec, now: datetime) -> None:
        self.file: IO[bytes] = spool_file()
        self.n_rows = 0
        self.has_pairs = False
        self.unused: list[str] = []
        self._study = str(study_id)
        self._spec = spec
        self._answers = AnswerCells(spec)
        self.is_own = self._is_quoted = False
        self._studies: set[str] = set()  # that our own export names
        self._place_of_study: int | None = None
        self.n_uncounted = self.n_without_answer = self.n_without_sides = 0
        self.has_sides = False  # the names of the columns of both sources say where they stood
        self._is_table = False
        self._units = {each.unit for each in importable(spec)}
        self._now = now
        self._places: dict[str, int] = {}
        self._only: CriterionSpec | None = None  # that all rows answer
        self._wide: dict[int, CriterionSpec] = {}  # by the place of its column, if each criterion has one
        self.no_source: LineError | None = None  # no column says whose responses were rated
        self._said: list[tuple[int, LineError]] = []  # about the record that is read: it may give several rows
        self._sides: dict[str, str] = {}  # the roles that the names of the columns of both sources stand for

    @property
    def has_column_each(self) -> bool:
        """Return whether each criterion has a column, so that a row may have several answers."""
        return bool(self._wide)

    @property
    def _names_sides(self) -> bool:
        """Return whether the rows name the sources of both sides, as files from elsewhere do."""
        return not self.is_own and "left" in self._places

    @property
    def says_swapped(self) -> bool:
        return "is_swapped" in self._places

    def is_export_of(self, study: Study) -> bool:
        """Return whether the file is our own export of this study, and of no other."""
        return self.is_own and self._studies == {study.slug}

    def __exit__(self, *_error: object) -> None:
        self.file.close()

    def read(self, path: Path, options: RatingOptions, log: ErrorLog, progress: Progress, extent: Extent) -> None:
        if holds_labels(path):
            self._places = {name: at for at, name in enumerate(LABEL_FIELDS)}
            self._answers = AnswerCells(self._spec, is_own=True)  # the reader of labels has looked at their questions
            asked = {"criterion": options.criterion, "annotator": options.annotator}
            rows = extent.of(label_rows(path, self._spec, log, progress, **asked), log)
        else:
            self._is_table = True
            table = open_table(path, log, progress, extent.n_needed, options.sheet)
            wanted = dict(options.columns)
            try:
                if options.criterion:
                    (self._only,) = asked_in_file(self._spec, options.criterion)
                self._places, self._wide = columns_of_ratings(table.columns, wanted, self._spec, options.criterion)
            except BadField as error:
                raise ImportRejected([error.on_line(1)]) from None
            self.is_own = is_own_export(table.columns)
            self._sides = {table.columns[self._places[side]].casefold(): side for side in SIDES if side in self._places}
            self.has_sides = self._names_sides and are_sides(*(table.columns[self._places[side]] for side in SIDES))
            self._is_quoted = self.is_own and table.may_be_quoted
            if self.is_own:
                self._place_of_study = table.columns.index(OWN_STUDY) if OWN_STUDY in table.columns else None
                self._answers = AnswerCells(self._spec, is_own=True)
            used = set(range(len(table.columns)) if self.is_own else (*self._places.values(), *self._wide))
            self.unused = [name for at, name in enumerate(table.columns) if at not in used]
            self._look_for_source()
            rows = (Row(row.line, row.values, at) for at, row in enumerate(extent.of(table, log)))
            log.has_several_on_a_line = self.has_column_each
            if self._wide:
                rows = self._long_rows(rows, len(table.columns))
        for row in rows:
            self._add(row, log)

    def _look_for_source(self) -> None:
        """Keep the error of a table about responses without a column that names the source or the candidate.

        It is one only if a dialogue has several responses.
        """
        is_about_responses = self._units != {Unit.DIALOGUE} and "left" not in self._places
        if not self.is_own and is_about_responses and not {"item", "source"} & self._places.keys():
            reason = none_left([*ALIASES["source"], *ALIASES["item"]], self.unused)
            self.no_source = LineError(1, "source", reason, choose_one_of("source", "item"))

    def _long_rows(self, rows: Iterable[Row], width: int) -> Iterator[Row]:
        """Yield a row for each answer of a row with a column for each criterion. An empty cell is no answer."""
        self._places |= {"criterion": width, "value": width + 1}
        for row in rows:
            for at, criterion in self._wide.items():
                cell = row.values[at].strip()
                is_none = cell == NONE and not self._answers.find_option(criterion, cell)
                if not cell:
                    self.n_without_answer += 1
                else:
                    yield Row(row.line, [*row.values, criterion.key, "" if is_none else cell], row.record)

    def _value(self, row: Row, name: str) -> str:
        place = self._places.get(name)
        if place is None:
            return ""
        return unquote_formula(row.values[place]) if self._is_quoted else row.values[place]

    def _key(self, row: Row, name: str, longest: int = 200) -> str:
        return clean_key(self._value(row, name), name, longest)

    def _add(self, row: Row, log: ErrorLog) -> None:
        """Write the row, or log all that is wrong with it, not only what is noticed first."""
        if self._value(row, "is_counted") == "false" and self._value(row, "is_repetition") != "true":
            self.n_uncounted += 1
            return
        if self.is_own:
            self._studies.add("" if self._place_of_study is None else row.values[self._place_of_study])
        if self._is_table and not self.is_own and self._has_no_answer(row):
            self.n_without_answer += 1
            return
        try:
            self._write(row)
        except BadField:
            for read in (self._unit, self._annotator, self._answer, self._about_answer):
                try:
                    read(row)
                except BadField as error:
                    self._say_once(error.on_line(row.line), row.record, log)

    def _say_once(self, error: LineError, record: int, log: ErrorLog) -> None:
        self._said = [each for each in self._said if each[0] == record]
        if (record, error) not in self._said:
            self._said.append((record, error))
            log.add_all([error])

    def _has_no_answer(self, row: Row) -> bool:
        """Return whether the cells of the answer say nothing. Choosing nothing may be an answer, unless one is due."""
        value = self._value(row, "value").strip()
        others = "".join(self._value(row, name).strip() for name in ("choices", "turns"))
        if value.casefold() not in MISSING or others:
            return False
        try:
            criterion = self._criterion(row)
        except BadField:  # it is an error of this row
            return False
        if value:
            return self._answers.find_option(criterion, value) is None
        return not self._wide and (criterion.required or criterion.kind == Criterion.Kind.SINGLE)

    def _criterion(self, row: Row) -> CriterionSpec:
        return self._only or self._answers.criterion(self._value(row, "criterion"), "criterion" in self._places)

    def _write(self, row: Row) -> None:
        dialogue, item, source, unit = self._unit(row)
        annotator = self._annotator(row)
        criterion, option, explanations, choices, turns = self._answer(row)
        # A dialogue is known by its key: naming its source too, in a later file, must not make another answer of it.
        author = "" if unit in (Unit.DIALOGUE, Unit.COMPARISON) else source
        who = (self._study, annotator, dialogue, item, author, criterion.key)
        conversation, scenario, batch, free_text, answered_at, active_ms, is_swapped = self._about_answer(row)
        cells = (
            str(row.line).encode(),
            copy_text(dialogue),
            conversation,
            scenario,
            copy_text(item),
            copy_text(source),
            copy_text(annotator),
            batch,
            str(criterion.id).encode(),
            str(option.id).encode() if option else NULL,
            copy_ids(explanations),
            free_text,
            answered_at,
            str(uuid.uuid5(NAMESPACE, "\x1f".join(who))).encode(),
            copy_ids(choices),
            copy_ids(turns),
            active_ms,
            unit.encode(),
            is_swapped,
        )
        self.n_without_sides += unit == Unit.COMPARISON and is_swapped == NULL
        self.file.write(b"\t".join(cells) + b"\n")
        self.n_rows += 1

    def _annotator(self, row: Row) -> str:
        annotator = self._key(row, "annotator", LONGEST_PSEUDONYM)
        if not annotator:
            raise BadField("annotator", _("is empty: name the annotator"))
        return annotator

    def _about_answer(self, row: Row) -> tuple[bytes, ...]:
        """Return the cells of conversation, scenario, batch, free text, time, duration and sides."""
        return (
            copy_text(self._key(row, "conversation")),
            copy_text(self._key(row, "scenario")),
            copy_text(self._key(row, "batch", LONGEST_BATCH_KEY)),
            copy_text(_free_text(self._value(row, "free_text"))),
            _answered_at(self._value(row, "answered_at"), self._now),
            str(whole(self._value(row, "active_ms") or "0", "active_ms")).encode(),
            self._is_swapped(row),
        )

    def _is_swapped(self, row: Row) -> bytes:
        """Return the cell of whether the source of the right column stood on the left, NULL where nobody knows."""
        is_told = self.says_swapped or not self.has_sides
        return is_swapped_cell(self._value(row, "is_swapped")) if is_told else b"f"

    def _answer(self, row: Row) -> tuple[CriterionSpec, OptionSpec | None, list[int], list[int], list[int]]:
        """Return (criterion, option, reasons, choices, turns)."""
        criterion = self._criterion(row)
        value = self._value(row, "value")
        if self._is_none(criterion, value):
            return criterion, None, [], [], []
        if criterion.kind == Criterion.Kind.MULTIPLE:
            return criterion, None, [], self._answers.choices(criterion, self._value(row, "choices") or value), []
        if criterion.kind == Criterion.Kind.TURNS:
            return criterion, None, [], [], self._answers.turns(criterion, self._value(row, "turns") or value)
        if (self.is_own or self._wide) and not value and not criterion.required:  # an explicit none
            return criterion, None, [], [], []
        option = self._option(row, criterion, value)
        return criterion, option, explanation_ids(option, self._value(row, "explanations")), [], []

    def _is_none(self, criterion: CriterionSpec, value: str) -> bool:
        """Return whether the cell says that none applies, as our export does, and means no option of that name."""
        said = value.strip().casefold() == NONE_APPLIES
        return said and not criterion.required and not self._answers.find_option(criterion, value)

    def _option(self, row: Row, criterion: CriterionSpec, value: str) -> OptionSpec:
        field = criterion.key if self._wide else "value"
        if not self._names_sides:
            return self._answers.option(criterion, value, field)
        sides = self._sides | {self._key(row, side, LONGEST_SOURCE_KEY).casefold(): side for side in SIDES}
        return self._answers.preference(criterion, value, sides, field)

    def _asked_unit(self, row: Row) -> str:
        """Return whether a row of a file from elsewhere is about a response or a whole dialogue."""
        if Unit.DIALOGUE not in self._units or self.is_own:
            return Unit.RESPONSE
        is_whole = self._units == {Unit.DIALOGUE} or self._criterion(row).unit == Unit.DIALOGUE
        return Unit.DIALOGUE if is_whole else Unit.RESPONSE

    def _unit(self, row: Row) -> tuple[str, str, str, str]:
        """Return (dialogue, item, source, unit) of what was rated. Only our own export names the unit.

        The source of a comparison lists both of its sides.
        """
        unit = self._asked_unit(row)
        if self.is_own and (unit := self._value(row, "unit")) not in PARTS:
            text = _("%(unit)r is not a unit: use %(known)s")
            raise BadField("unit", text % {"unit": unit, "known": ", ".join(PARTS)})
        longest = LONGEST_PAIR if unit == Unit.COMPARISON else LONGEST_KEY
        dialogue, item = self._key(row, "dialogue"), self._key(row, "item", longest)
        source = self._key(row, "source", LONGEST_SOURCE_KEY)
        if self.is_own:
            keys = dict(zip(UNIT_FIELDS, (dialogue, item, source), strict=True))
            for name in PARTS[unit]:
                if not keys[name]:
                    raise BadField(name, _("is empty: name what was rated"))
            known = {*PARTS[unit], "source"}
            dialogue, item, source = (keys[name] if name in known else "" for name in UNIT_FIELDS)
            if unit == Unit.COMPARISON:
                self.has_pairs = True
                source = exported_sides(partial(self._key, row), dialogue, item)
            return dialogue, item, source, unit
        if self._names_sides:
            self.has_pairs = True
            sides = named_sides(partial(self._key, row), dialogue, "dialogue" in self._places)
            return dialogue, sides, sides, Unit.COMPARISON
        if unit == Unit.DIALOGUE and (dialogue or self._units == {Unit.DIALOGUE}):
            dialogue, item = dialogue or item, ""
        if not dialogue and not item:
            raise BadField("item", _("is empty: name what was rated"))
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
