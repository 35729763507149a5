"""Ratings of a long CSV, each row checked against the protocol and written as a line of COPY format."""

import unicodedata
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.services.importing.columns import is_own_export, map_columns
from annotation.services.importing.copying import NULL, copy_ids, copy_text, spool_file
from annotation.services.importing.fields import LONGEST_BATCH_KEY, LONGEST_SOURCE_KEY, clean_key, nul
from annotation.services.importing.outcome import BadField, ErrorLog, ImportRejected, LineError, Progress
from annotation.services.importing.tables import Row, Table
from parley.formulas import unquote_formula
from protocols.models import Criterion, ProtocolVersion
from protocols.specs import CriterionSpec, OptionSpec, VersionSpec

LONGEST_PSEUDONYM = 80
LONGEST_FREE_TEXT = 20_000
MILLISECONDS_FROM = 1e11  # as seconds this were the year 5138
NAMESPACE = uuid.UUID("5d3a4c1e-9f0b-5c55-8d4e-6a1f2b7c9e10")
Unit = ProtocolVersion.Unit
UNIT_FIELDS = ("dialogue", "item", "source")
PARTS: dict[str, tuple[str, ...]] = {
    Unit.RESPONSE: UNIT_FIELDS,
    Unit.DIALOGUE: ("dialogue",),
    Unit.CANDIDATE_SET: ("dialogue", "source"),
    Unit.MODEL: ("source",),
}
STAGE_COLUMNS = (
    "line, dialogue, item, source, annotator, batch, criterion_id, option_id, explanations, free_text, "
    "answered_at, client_key, choices, turns, active_ms, unit"
)


@dataclass(frozen=True, slots=True)
class RatingOptions:
    """`columns`: our field -> the file's column. `create_missing`: make what is known by its id alone."""

    columns: Mapping[str, str] = field(default_factory=dict)
    create_missing: bool = False
    reference: str = ""


def _importable(spec: VersionSpec, is_own: bool = False) -> list[CriterionSpec]:
    """A row of a file from elsewhere has one value: several choices, marked turns and computed answers have no place
    in it. Our own export has columns for them.
    """
    return [each for each in spec.criteria if is_own or each.kind == Criterion.Kind.SINGLE]


class Answers:
    """What the protocol calls its criteria, options and explanations; keys go before labels before numbers."""

    def __init__(self, spec: VersionSpec, is_own: bool = False) -> None:
        criteria = _importable(spec, is_own)
        self._only = criteria[0] if len(criteria) == 1 else None
        self._criteria = {each.name.casefold(): each for each in criteria}
        self._criteria |= {each.key.casefold(): each for each in criteria}
        self._options = {each.id: _options_of(each) for each in criteria}

    def criterion(self, name: str, is_column: bool) -> CriterionSpec:
        if not is_column and self._only:
            return self._only
        found = self._criteria.get(name.strip().casefold())
        if found is None:
            known = ", ".join(dict.fromkeys(each.key for each in self._criteria.values()))
            text = _("%(name)r is not in the protocol, only: %(known)s")
            raise BadField("criterion", text % {"name": name, "known": known})
        return found

    def choices(self, criterion: CriterionSpec, cell: str) -> list[int]:
        """Ids of the options whose keys stand between the bars, in the protocol's order."""
        chosen = {self.option(criterion, part).id for part in _parts(cell)}
        if criterion.required and not chosen:
            raise BadField("choices", _("is empty: %(criterion)s needs an answer") % {"criterion": criterion.key})
        return [option.id for option in criterion.options if option.id in chosen]

    def option(self, criterion: CriterionSpec, value: str) -> OptionSpec:
        options = self._options[criterion.id]
        found = options.get(value.strip().casefold()) or options.get(_number(value))
        if found is None:
            known = ", ".join(option.label for option in criterion.options)
            text = _("%(value)r is no answer to %(criterion)s: it has %(known)s")
            raise BadField("value", text % {"value": value, "criterion": criterion.key, "known": known})
        return found


def _options_of(criterion: CriterionSpec) -> dict[str | float | None, OptionSpec]:
    options: dict[str | float | None, OptionSpec] = {
        each.value: each for each in criterion.options if each.value is not None
    }
    options |= {each.label.casefold(): each for each in criterion.options}
    return options | {each.key.casefold(): each for each in criterion.options}


def _number(value: str) -> float | None:
    try:
        return float(value)
    except ValueError:
        return None


class VoteSpool:
    """The checked rows of one file, ready for COPY."""

    def __init__(self, study_id: int, spec: VersionSpec, now: datetime) -> None:
        self.file: IO[bytes] = spool_file()
        self.n_rows = 0
        self.unused: list[str] = []
        self._study = str(study_id)
        self._spec = spec
        self._answers = Answers(spec)
        self._is_own = False
        self.n_uncounted = 0
        self._n_criteria = len(_importable(spec))
        self._is_whole_dialogue = spec.unit == Unit.DIALOGUE
        self._now = now
        self._places: dict[str, int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.file.close()

    def read(self, path: Path, columns: Mapping[str, str], log: ErrorLog, progress: Progress) -> None:
        table = Table(path, log, progress)
        try:
            self._places = map_columns(table.columns, dict(columns), self._n_criteria)
        except BadField as error:
            raise ImportRejected([LineError(1, error.field, error.reason)]) from None
        self._is_own = is_own_export(table.columns)
        if self._is_own:
            self._answers = Answers(self._spec, is_own=True)
        used = set(range(len(table.columns)) if self._is_own else self._places.values())
        self.unused = [name for at, name in enumerate(table.columns) if at not in used]
        for row in table:
            try:
                self._add(row)
            except BadField as error:
                log.add(row.line, error.field, error.reason)

    def _value(self, row: Row, name: str) -> str:
        place = self._places.get(name)
        if place is None:
            return ""
        return unquote_formula(row.values[place]) if self._is_own else row.values[place]

    def _key(self, row: Row, name: str, longest: int = 200) -> str:
        return clean_key(self._value(row, name), name, longest)

    def _add(self, row: Row) -> None:
        if self._value(row, "is_counted") == "false":
            self.n_uncounted += 1
            return
        dialogue, item, source, unit = self._unit(row)
        annotator = self._key(row, "annotator", LONGEST_PSEUDONYM)
        if not annotator:
            raise BadField("annotator", _("is empty: who answered?"))
        criterion = self._answers.criterion(self._value(row, "criterion"), "criterion" in self._places)
        option, choices, turns = self._answer(row, criterion)
        who = (self._study, annotator, dialogue, item, source, criterion.key)
        cells = (
            str(row.line).encode(),
            copy_text(dialogue),
            copy_text(item),
            copy_text(source),
            copy_text(annotator),
            copy_text(self._key(row, "batch", LONGEST_BATCH_KEY)),
            str(criterion.id).encode(),
            str(option.id).encode() if option else NULL,
            copy_ids(_explanations(option, self._value(row, "explanations")) if option else []),
            copy_text(_free_text(self._value(row, "free_text"))),
            _answered_at(self._value(row, "answered_at"), self._now),
            str(uuid.uuid5(NAMESPACE, "\x1f".join(who))).encode(),
            copy_ids(choices),
            copy_ids(turns),
            str(_whole(self._value(row, "active_ms") or "0", "active_ms")).encode(),
            unit.encode(),
        )
        self.file.write(b"\t".join(cells) + b"\n")
        self.n_rows += 1

    def _answer(self, row: Row, criterion: CriterionSpec) -> tuple[OptionSpec | None, list[int], list[int]]:
        if criterion.kind == Criterion.Kind.MULTIPLE:
            return None, self._answers.choices(criterion, self._value(row, "choices")), []
        if criterion.kind == Criterion.Kind.TURNS:
            return None, [], sorted({_whole(part, "turns", 1) for part in _parts(self._value(row, "turns"))})
        return self._answers.option(criterion, self._value(row, "value")), [], []

    def _unit(self, row: Row) -> tuple[str, str, str, str]:
        if self._is_own:
            return self._own_unit(row)
        dialogue, item = self._key(row, "dialogue"), self._key(row, "item")
        source = self._key(row, "source", LONGEST_SOURCE_KEY)
        if self._is_whole_dialogue:
            dialogue, item, source = dialogue or item, "", ""
        if not dialogue and not item:
            raise BadField("item", _("is empty: what was rated?"))
        if not (self._is_whole_dialogue or item or source):
            raise BadField("item", _("is empty: responses are rated, so name the candidate or its source"))
        return dialogue, item, source, Unit.DIALOGUE if self._is_whole_dialogue else Unit.RESPONSE

    def _own_unit(self, row: Row) -> tuple[str, str, str, str]:
        unit = self._value(row, "unit")
        if unit not in PARTS:
            text = _("%(unit)r is no unit, only: %(known)s")
            raise BadField("unit", text % {"unit": unit, "known": ", ".join(PARTS)})
        keys = [self._key(row, name, LONGEST_SOURCE_KEY if name == "source" else 200) for name in UNIT_FIELDS]
        for name, key in zip(UNIT_FIELDS, keys, strict=True):
            if name in PARTS[unit] and not key:
                raise BadField(name, _("is empty: what was rated?"))
        dialogue, item, source = (
            key if name in PARTS[unit] else "" for name, key in zip(UNIT_FIELDS, keys, strict=True)
        )
        return dialogue, item, source, unit


def _parts(cell: str) -> list[str]:
    return [part.strip() for part in cell.split("|") if part.strip()]


def _whole(text: str, field: str, least: int = 0) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text) >= least):
        raise BadField(field, _("%(text)r is no whole number from %(least)s") % {"text": text, "least": least})
    return int(text)


def _explanations(option: OptionSpec, cell: str) -> list[int]:
    """Ids, sorted, of the keys between the bars."""
    known = {each.key.casefold(): each.id for each in option.explanations}
    keys = [part.strip().casefold() for part in cell.split("|") if part.strip()]
    unknown = [key for key in keys if key not in known]
    if unknown:
        if known:
            text = _("%(key)r is no explanation of %(option)s: it has %(known)s")
        else:
            text = _("%(key)r is no explanation of %(option)s: it has none")
        names = {"key": unknown[0], "option": option.label, "known": ", ".join(known)}
        raise BadField("explanations", text % names)
    return sorted({known[key] for key in keys})


def _free_text(cell: str) -> str:
    if "\x00" in cell:
        raise BadField("free_text", nul())
    if len(cell) > LONGEST_FREE_TEXT:
        raise BadField("free_text", _("is longer than %(most)s characters") % {"most": intcomma(LONGEST_FREE_TEXT)})
    return unicodedata.normalize("NFC", cell.replace("\r\n", "\n")).strip()


def _answered_at(cell: str, now: datetime) -> bytes:
    """ISO 8601 or seconds since 1970 as the cell of a time column; none when the file does not say."""
    if not cell.strip():
        return NULL
    try:
        number = _number(cell)
        if number is None:
            when = datetime.fromisoformat(cell.strip())
        else:
            when = datetime.fromtimestamp(number / (1000 if number > MILLISECONDS_FROM else 1), UTC)
        when = when if timezone.is_aware(when) else timezone.make_aware(when)
    except (ValueError, OverflowError, OSError):
        text = _("%(time)r is no time: write it as 2026-11-21T09:30:00Z or in seconds since 1970")
        raise BadField("answered_at", text % {"time": cell}) from None
    if when > now:
        raise BadField("answered_at", _("%(time)r lies in the future") % {"time": cell})
    return when.astimezone(UTC).isoformat().encode()
