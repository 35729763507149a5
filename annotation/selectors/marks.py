"""Read the marks of annotators on items, and decide which items a flag lets them skip."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from uuid import UUID

from django.db.models import Q, QuerySet

from annotation.models import Assignment, Batch, ItemMark
from parley.ready import Ready
from protocols.specs import VersionSpec, spec_of

# In other kinds, answers decide about a person, who could flag away the hard items to pass.
SKIPPABLE = (Batch.Kind.MAIN, Batch.Kind.PILOT)
STANDS = ~Q(reason="")


def may_skip(spec: VersionSpec, kind: str) -> bool:
    """Return whether flagged items of such a batch may stay without answers."""
    return spec.skips_flagged and kind in SKIPPABLE


def has_marks(assignment: Assignment) -> bool:
    """Return whether its items can be marked: not in a training batch, where nothing counts."""
    return assignment.batch.kind != Batch.Kind.TRAINING


def skips(assignment: Assignment) -> bool:
    return may_skip(spec_of(assignment.batch.study.protocol_version), assignment.batch.kind)


@dataclass(frozen=True, slots=True)
class OwnMarks:
    """The marks of one annotator on one item. `errors` says by field what a posted flag lacks."""

    is_unsure: bool = False
    reason: str = ""
    words: str = ""
    errors: Mapping[str, list[str]] = field(default_factory=dict)


def _marks(assignment: int, batch: int, position: int) -> QuerySet[ItemMark, tuple[UUID, bool, str, str]]:
    rows = ItemMark.objects.filter(assignment=assignment, item__batch=batch, item__position=position)
    return rows.values_list("item__token", "is_unsure", "reason", "words")


MARKS = Ready(_marks, assignment=int, batch=int, position=int)


def marks_on(assignment: Assignment, position: int) -> dict[UUID, OwnMarks]:
    """Return this annotator's own marks on one dialogue: annotators must not see the marks of others."""
    rows = MARKS(assignment=assignment.pk, batch=assignment.batch_id, position=position)
    return {token: OwnMarks(is_unsure, reason, words) for token, is_unsure, reason, words in rows}


def marks_text(marks: Mapping[UUID, OwnMarks]) -> str:
    """Return the marks as JSON for the rating screen."""
    return json.dumps({
        str(token): {"unsure": each.is_unsure, "reason": each.reason, "words": each.words}
        for token, each in marks.items()
    })  # fmt: skip


def status_flags(assignments: Iterable[Assignment]) -> QuerySet[ItemMark]:
    return ItemMark.objects.filter(STANDS, assignment__in=list(assignments))


def skipped_of(assignment: Assignment, marks: Mapping[UUID, OwnMarks]) -> frozenset[UUID]:
    """Return the items of a dialogue with these marks that need no answer."""
    flagged = frozenset(token for token, mark in marks.items() if mark.reason)
    return flagged if flagged and skips(assignment) else frozenset()
