"""Record the marks that are posted with a step as a plain form."""

import uuid
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from django.core.exceptions import ValidationError
from django.http import QueryDict

from annotation.models import Assignment
from annotation.models.marks import LONGEST_WORDS
from annotation.selectors.marks import OwnMarks, marks_on
from annotation.services.marking import Kind, Marking, record_mark
from annotation.steps import Step
from annotation.views.posted import form_key

UNMARKED = OwnMarks()


class Posted(NamedTuple):
    """Posted marks, only of the form's items. `is_held` is false if the seat was lost: the marks are kept."""

    marks: dict[uuid.UUID, OwnMarks]
    is_changed: bool = False
    is_held: bool = True

    @property
    def sentences(self) -> list[str]:
        """Return the error messages of all marks."""
        return [each for marks in self.marks.values() for errors in marks.errors.values() for each in errors]


def record_posted_marks(assignment: Assignment, position: int, step: Step, data: QueryDict, *, now: datetime) -> Posted:
    """Store the marks that the form changes. Items without fields in the form are not changed. Raise Refused."""
    said = {}
    for part in step.parts:
        name = f"mark-{part.item.token}"
        if name in data:
            reason = data.get(f"{name}-reason", "")
            words = data.get(f"{name}-words", "").replace("\r\n", "\n").strip()[: LONGEST_WORDS + 1]
            said[part.item.token] = OwnMarks(f"{name}-unsure" in data, reason, words if reason else "")
    stored = marks_on(assignment, position) if said else {}
    changed = {token: marks for token, marks in said.items() if marks != stored.get(token, UNMARKED)}
    is_held = True
    for token, marks in changed.items():
        for marking in _markings(token, stored.get(token, UNMARKED), marks, data):
            try:
                is_held &= record_mark(assignment.pk, marking, now=now).is_held
            except ValidationError as invalid:
                said[token] = replace(said[token], errors=invalid.message_dict)
    return Posted(said, bool(changed), is_held)


def _markings(token: uuid.UUID, before: OwnMarks, now: OwnMarks, data: QueryDict) -> Iterator[Marking]:
    """Yield the changes. Their keys are made from the form and the mark, so a form sent twice marks once."""

    def key(said: object) -> uuid.UUID:
        return uuid.uuid5(form_key(data), f"{token}|{said}".encode("utf-8", "replace").decode())

    if now.is_unsure != before.is_unsure:
        yield Marking(token, Kind.UNSURE, now.is_unsure, key(now.is_unsure))
    if (now.reason, now.words) != (before.reason, before.words):
        yield Marking(token, Kind.FLAG, bool(now.reason), key((now.reason, now.words)), now.reason, now.words)
