"""Read labels in objects as rows of ratings. An object has one label or lists several ratings."""

import re
from collections.abc import Iterator, Set
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from annotation.data_set import SEPARATOR, harmless
from annotation.dependence import holds
from annotation.importing.answer_cells import AnswerCells, find_explanation
from annotation.importing.columns import ALIASES
from annotation.importing.fields import LONGEST_KEY, LONGEST_SOURCE_KEY, Record, clean_key, first_key, kind_of
from annotation.importing.kinds import ITEM_KEYS, PARQUET, TABLE, WORKBOOK, file_kind
from annotation.importing.outcome import BadField, ErrorLog, Progress, rejected
from annotation.importing.records import first_records, read_records
from annotation.importing.shapes import BATCH_KEYS, DIALOGUE_COLUMNS, OWN_DATA_SET, SOURCE_KEYS, TURN_NAMES
from annotation.importing.sheets import parquet_columns
from annotation.importing.tables import Row
from protocols.models import Criterion
from protocols.specs import CriterionSpec, OptionSpec, VersionSpec

ANNOTATOR = "data-set"
LABEL_FIELDS = (
    "dialogue", "item", "source", "batch", "annotator", "criterion", "value", "choices", "turns", "explanations",
    "free_text",
)  # fmt: skip
# Fields that only rows of a table have. The names of `annotator` are the others of a table: a label has that one.
OF_ROWS = frozenset({"criterion", "value", *ALIASES["annotator"]}) - {"annotator"}
NUMBERED = re.compile(r"(\d{1,9})(?::|$)")


def holds_labels(path: Path) -> bool:
    """Return whether the file holds objects with a label or a list of ratings, not rows of a table."""
    kind = file_kind(path)
    if kind in (TABLE, WORKBOOK):
        return False
    if kind == PARQUET:
        columns = parquet_columns(path)
        has_objects = columns.get("ratings") or any(columns.get(name) for name in TURN_NAMES)
        return bool(has_objects) and _is_labelled(columns.keys())
    records = first_records(path, kind)
    return not records or any(_is_labelled(each.keys()) for each in records)


def _is_labelled(names: Set[str]) -> bool:
    return bool({"label", "ratings"} & names) and not OF_ROWS & names


def label_rows(
    path: Path, spec: VersionSpec, log: ErrorLog, progress: Progress, *, criterion: str, annotator: str
) -> Iterator[Row]:
    """Yield a row for each answer. Errors in a line go to the log. Raise ImportRejected for an unknown criterion."""
    labelled = spec.label_criterion(criterion)
    if labelled is None:
        known = ", ".join(each.key for each in spec.voted)
        text = _("%(name)r is not a single-choice question: choose one of %(known)s")
        if not known:
            text = _("the protocol has no single-choice question for labels: write the answers as a table")
        raise rejected(text % {"name": criterion, "known": known}, "criterion")
    labels = Labels(spec, labelled, annotator or ANNOTATOR)
    for at, (number, record) in enumerate(read_records(path, file_kind(path), log, progress)):
        with log.catching(number):
            for cells in labels.of(record):
                yield Row(number, [cells.get(name, "") for name in LABEL_FIELDS], at)


class Labels:
    """Read the lines of one file with a protocol. `criterion` is the question that the labels answer."""

    def __init__(self, spec: VersionSpec, criterion: CriterionSpec, annotator: str) -> None:
        self._spec, self._criterion, self._annotator = spec, criterion, annotator
        self._answers = AnswerCells(spec)
        self._own = AnswerCells(spec, is_own=True)  # of our own data set, which has computed answers too

    def of(self, record: Record) -> Iterator[dict[str, str]]:
        """Yield the answers of a line as {our field: text}."""
        unit = {
            "dialogue": first_key(record, DIALOGUE_COLUMNS)[1],
            "item": first_key(record, ITEM_KEYS)[1],
            "source": first_key(record, SOURCE_KEYS, longest=LONGEST_SOURCE_KEY)[1],
            "batch": first_key(record, BATCH_KEYS)[1],
        }
        utterances = record.get("utterances")
        turns = utterances if type(utterances) is list else []
        texts = [harmless(str(turn.get("text", ""))) for turn in turns if type(turn) is dict]
        cells = self._own if record.keys() >= OWN_DATA_SET else self._answers
        for place, rating in _ratings(record):
            try:
                who = clean_key(rating.get("annotator"), "annotator", LONGEST_KEY) or self._annotator
                for answer in self._answers_of(rating, texts, cells):
                    yield unit | {"annotator": who} | answer
            except BadField as error:
                raise BadField(place + error.field, error.reason) from None

    def _answers_of(self, rating: Record, texts: list[str], cells: AnswerCells) -> Iterator[dict[str, str]]:
        option = self._answers.option(self._criterion, _label(rating.get("label"), "label"), "label")
        given = {self._criterion.key: option.key}
        for criterion, other in self._others(rating.get("answers"), cells):
            given[criterion.key] = other.key
            yield {"criterion": criterion.key, "value": other.key}
        asked = [each for each in self._spec.asked_of(self._criterion.unit) if holds(each.when, given)]
        explanations, choices = self._reasons(rating.get("reason"), option, asked)
        text = rating.get("free_text")
        if text is not None and type(text) is not str:
            raise BadField("free_text", _("must be text, not %(kind)s") % {"kind": kind_of(text)})
        yield {
            "criterion": self._criterion.key, "value": option.key, "explanations": "|".join(explanations),
            "free_text": text or "",
        }  # fmt: skip
        yield from ({"criterion": key, "choices": "|".join(keys)} for key, keys in choices.items())
        numbers = [_turn_number(part, texts) for part in _parts(rating.get("turns"), "turns")]
        marking = next((each for each in asked if each.kind == Criterion.Kind.TURNS), None)
        if marking is None and numbers:
            raise BadField("turns", _("this label does not ask for marked turns: leave the field out"))
        if marking is not None and numbers:
            yield {"criterion": marking.key, "turns": "|".join(map(str, numbers))}

    def _others(self, said: Any, cells: AnswerCells) -> Iterator[tuple[CriterionSpec, OptionSpec]]:
        """Yield (criterion, option) for the answers to other questions. Raise BadField."""
        if said is not None and type(said) is not dict:
            raise BadField("answers", _("must be an object, not %(kind)s") % {"kind": kind_of(said)})
        for name, value in (said or {}).items():
            criterion = cells.criterion(name, is_column=True)
            if criterion != self._criterion:
                field = f"answers.{name}"
                yield criterion, cells.option(criterion, _label(value, field), field)

    def _reasons(
        self, said: Any, option: OptionSpec, asked: list[CriterionSpec]
    ) -> tuple[list[str], dict[str, list[str]]]:
        """Return the keys of the label's own reasons, and {criterion: option keys} of multiple choices after it."""
        explanations: list[str] = []
        choices: dict[str, list[str]] = {}
        several = [each for each in asked if each.kind == Criterion.Kind.MULTIPLE]
        for part in _parts(said, "reason"):
            explanation = find_explanation(option, part)
            found = [
                (each, choice)
                for each in several
                if (choice := {harmless(one.label): one for one in each.options}.get(part))
                or (choice := self._answers.find_option(each, part))
            ]
            if explanation:
                explanations.append(explanation.key)
            elif found:
                criterion, choice = found[0]
                choices.setdefault(criterion.key, []).append(choice.key)
            else:
                raise BadField("reason", _no_reason(part, option, several))
        return explanations, choices


def _ratings(record: Record) -> Iterator[tuple[str, Record]]:
    """Yield (place, rating) for each rating that the line lists, or the line itself if it has no list."""
    listed = record.get("ratings")
    if listed is None:
        yield "", record
        return
    if type(listed) is not list or not all(type(each) is dict for each in listed):
        raise BadField("ratings", _("must be a list of objects"))
    yield from ((f"ratings[{at}].", rating) for at, rating in enumerate(listed))


def _label(value: Any, field: str) -> str:
    if value is None or value == "":
        raise BadField(field, _("is missing: each line or rating needs a label"))
    if type(value) not in (str, int, float):
        raise BadField(field, _("must be text or a number, not %(kind)s") % {"kind": kind_of(value)})
    return str(value)


def _parts(value: Any, field: str) -> list[str]:
    """Return the parts of a joined text or of a list."""
    if value is None:
        return []
    parts = value.split(SEPARATOR) if type(value) is str else value
    if type(parts) is not list or not all(type(each) in (str, int) for each in parts):
        raise BadField(field, _("must be text, with %(separator)s between several values") % {"separator": SEPARATOR})
    return [text for each in parts if (text := str(each).strip())]


def _turn_number(part: str, texts: list[str]) -> int:
    if numbered := NUMBERED.match(part):
        return int(numbered[1])
    if part not in (found := [text.strip() for text in texts]):
        text = _("%(part)r is not a turn: write its number, or its number, a colon and its text")
        raise BadField("turns", text % {"part": part[:80]})
    return found.index(part) + 1


def _no_reason(part: str, option: OptionSpec, several: list[CriterionSpec]) -> str:
    known = [each.text for each in option.explanations]
    known += [choice.label for each in several for choice in each.options]
    if not known:
        text = _("%(reason)r is not a reason for %(label)s, which has none: leave the field out")
        return text % {"reason": part, "label": option.label}
    text = _("%(reason)r is not a reason for %(label)s: use %(known)s")
    return text % {"reason": part, "label": option.label, "known": ", ".join(known)}
