"""Read a table of known answers, and check each row against the protocol and the study's dialogues."""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from django.utils.translation import gettext as _

from annotation.importing.fields import clean_key, nul
from annotation.importing.files import ready
from annotation.importing.outcome import BadField, ErrorLog, ImportRejected, LineError, no_progress
from annotation.importing.tables import Row, find_column, open_table
from annotation.importing.votes import AnswerCells
from annotation.models import Candidate, Dialogue, Study
from parley.listing import both
from protocols.models import ProtocolVersion
from protocols.specs import CriterionSpec, spec_of
from qualification.models import KnownAnswer

COLUMNS: dict[str, tuple[str, ...]] = {
    "dialogue": ("dialogue", "dialogue_id"),
    "candidate": ("candidate", "candidate_id", "item", "item_id"),
    "source": ("source", "model", "system"),
    "criterion": ("criterion",),
    "options": ("options", "answers", "answer", "value", "label"),
    "kind": ("kind",),
    "explanation": ("explanation", "why"),
}
NEEDED = ("dialogue", "criterion", "options")
LONGEST_EXPLANATION = 5_000
MOST_ROWS = 100_000
Units = ProtocolVersion.Unit


class Unit(NamedTuple):
    """Hold what is asked about, and the question. The fields are those of a known answer."""

    unit: str
    dialogue_id: int
    candidate_id: int | None
    source_id: int | None
    criterion_id: int


class Wanted(NamedTuple):
    unit: Unit
    kind: str
    options: tuple[int, ...]  # ids, ascending
    explanation: str


def read_known_answers(study: Study, path: Path, log: ErrorLog, sheet: str = "") -> list[Wanted]:
    """Return the valid rows, of the wanted sheet of a workbook; errors go to the log.

    Raise ImportRejected if the header lacks a needed column.
    """
    with ready(path, sheet) as file:
        table = open_table(file, log, no_progress, sheet=sheet)
        places = _places(table.columns)
        rows: list[Row] = []
        for row in table:
            if len(rows) == MOST_ROWS:
                log.add(row.line, "", _("the file has more than %(most)s rows: split it") % {"most": f"{MOST_ROWS:,}"})
                break
            rows.append(row)
    reader = Reader(study, {row.values[places["dialogue"]].strip() for row in rows}, places)
    wanted = []
    for row in rows:
        try:
            wanted.append(reader.read(row))
        except BadField as error:
            log.add(row.line, error.field, error.reason)
    return wanted


def _places(columns: list[str]) -> dict[str, int]:
    found = {name: find_column(columns, aliases) for name, aliases in COLUMNS.items()}
    if missing := [name for name in NEEDED if found[name] is None]:
        reason = _("the header has no such column, only: %(columns)s") % {"columns": ", ".join(columns)}
        raise ImportRejected([LineError(1, both(missing), reason)])
    return {name: place for name, place in found.items() if place is not None}


class Reader:
    """Read the rows of one file, and refuse a second answer to the same question about the same unit."""

    def __init__(self, study: Study, keys: Iterable[str], places: dict[str, int]) -> None:
        """`keys` are the keys of all dialogues that the file names."""
        self._answers = AnswerCells(spec_of(study.protocol_version))
        self._places = places
        self._lines: dict[Unit, int] = {}
        named = Dialogue.objects.filter(study=study, key__in=[key for key in keys if "\x00" not in key])
        self._dialogues = {key: (pk, source) for key, pk, source in named.values_list("key", "pk", "source")}
        dialogues = [pk for pk, _source in self._dialogues.values()]
        candidates = Candidate.objects.filter(dialogue__in=dialogues).order_by("pk")
        self._candidates: dict[int, list[tuple[int, str, int, str]]] = defaultdict(list)  # by dialogue
        columns = ("dialogue_id", "pk", "key", "source_id", "source__key")
        for dialogue, pk, key, source, name in candidates.values_list(*columns):
            self._candidates[dialogue].append((pk, key, source, name))

    def read(self, row: Row) -> Wanted:
        criterion = self._answers.criterion(self._cell(row, "criterion"), is_column=True)
        unit = self._unit(row, criterion)
        if (line := self._lines.setdefault(unit, row.line)) != row.line:
            raise BadField("dialogue", _("line %(line)s already answers the same question") % {"line": line})
        return Wanted(unit, self._kind(row), self._options(row, criterion), self._explanation(row))

    def _cell(self, row: Row, name: str) -> str:
        place = self._places.get(name)
        return "" if place is None else clean_key(row.values[place], name, LONGEST_EXPLANATION)

    def _kind(self, row: Row) -> str:
        kind = self._cell(row, "kind").casefold() or KnownAnswer.Kind.GOLD
        if kind not in KnownAnswer.Kind.values:
            text = _("%(kind)r is not one of %(known)s")
            raise BadField("kind", text % {"kind": kind, "known": ", ".join(KnownAnswer.Kind.values)})
        return kind

    def _options(self, row: Row, criterion: CriterionSpec) -> tuple[int, ...]:
        parts = [part for part in self._cell(row, "options").split("|") if part.strip()]
        if not parts:
            raise BadField("options", _("is empty: give the correct answers, separated by |"))
        try:
            return tuple(sorted({self._answers.option(criterion, part).id for part in parts}))
        except BadField as error:
            raise BadField("options", error.reason) from None

    def _explanation(self, row: Row) -> str:
        place = self._places.get("explanation")
        text = "" if place is None else row.values[place].strip()
        if "\x00" in text:
            raise BadField("explanation", nul())
        if len(text) > LONGEST_EXPLANATION:
            raise BadField("explanation", _("is longer than %(most)s characters") % {"most": LONGEST_EXPLANATION})
        return text

    # --- what is asked about
    def _unit(self, row: Row, criterion: CriterionSpec) -> Unit:
        if criterion.unit == Units.MODEL:
            text = _("%(criterion)s is asked about a whole model and has no single known answer")
            raise BadField("criterion", text % {"criterion": criterion.key})
        key = self._cell(row, "dialogue")
        if key not in self._dialogues:
            raise BadField("dialogue", _("the study has no dialogue %(key)r") % {"key": key})
        dialogue, author = self._dialogues[key]
        if criterion.unit == Units.DIALOGUE:
            return Unit(criterion.unit, dialogue, None, author, criterion.id)
        candidate, source = self._candidate(row, dialogue, is_whole_source=criterion.unit == Units.CANDIDATE_SET)
        return Unit(criterion.unit, dialogue, candidate, source, criterion.id)

    def _candidate(self, row: Row, dialogue: int, *, is_whole_source: bool) -> tuple[int | None, int]:
        key, source = self._cell(row, "candidate"), self._cell(row, "source")
        known = self._candidates[dialogue]  # (id, key, source id, source key)
        found = [each for each in known if (not key or each[1] == key) and (not source or each[3] == source)]
        field_name = "candidate" if key or not source else "source"
        if not found:
            names = ", ".join(each[1] for each in known[:20]) or "-"
            text = _("the dialogue has no such candidate, only: %(names)s")
            raise BadField(field_name, text % {"names": names})
        if is_whole_source and len({each[2] for each in found}) == 1:
            return None, found[0][2]
        if len(found) > 1:
            raise BadField(field_name, _("%(n)s candidates match: name one") % {"n": len(found)})
        return found[0][0], found[0][2]
