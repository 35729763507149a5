"""Record the marks of annotators on items, idempotent by the client's key, as answers are.

The assignment's lock orders marks, answers and the submission: no mark is accepted after the submission.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Assignment, Item, ItemMark, MarkChange, Seat, Study
from annotation.models.marks import LONGEST_WORDS
from annotation.nudging import raise_version
from annotation.selectors.marks import skips
from annotation.services.rating import OLDEST_ANSWER, REFUSALS
from annotation.services.refusals import Refused

Kind = MarkChange.Kind
OVER = (Assignment.Status.SUBMITTED, Assignment.Status.EXCLUDED)


@dataclass(frozen=True, slots=True)
class Marking:
    """A mark as a page or the API sent it, not yet checked. `age_ms` is how long the browser has held it."""

    item: UUID
    kind: str
    is_set: bool
    client_key: UUID
    reason: str = ""
    words: str = ""
    age_ms: int = 0


@dataclass(frozen=True, slots=True)
class Marked:
    """The result of a mark. `is_held` is false if the seat was lost: the mark is kept and counts with a new seat."""

    is_repeat: bool
    is_held: bool


@transaction.atomic
def record_mark(assignment_id: int, marking: Marking, *, now: datetime) -> Marked:
    """Store one mark of the assignment's annotator.

    Raise ValidationError for a flag without a reason, or without words where the reason needs them. Raise Refused if
    the work is over or the item is not one of the annotator's.
    """
    marking = _checked(marking)
    assignment = _lock(assignment_id)
    item = Item.objects.filter(batch=assignment.batch_id, token=marking.item).first()
    if item is None:
        raise Refused("unknown_item", REFUSALS["unknown_item"])
    mark = ItemMark.objects.get_or_create(assignment=assignment, item=item)[0]
    is_active = assignment.status == Assignment.Status.ACTIVE
    is_held = is_active and Seat.objects.filter(assignment=assignment, lease_expires_at__gt=now).exists()
    if mark.changes.filter(client_key=marking.client_key).exists():
        return Marked(is_repeat=True, is_held=is_held)
    marked_at = now - min(timedelta(milliseconds=max(marking.age_ms, 0)), OLDEST_ANSWER)
    is_changed = _apply(mark, marking, marked_at)
    MarkChange.objects.create(
        mark=mark,
        kind=marking.kind,
        is_set=marking.is_set,
        reason=marking.reason,
        words=marking.words,
        client_key=marking.client_key,
        marked_at=marked_at,
        received_at=now,
    )
    if is_changed and marking.kind == Kind.FLAG and skips(assignment):
        raise_version(assignment.batch_id)  # answers to a skipped item are no longer wanted, or wanted again
    return Marked(is_repeat=False, is_held=is_held)


def _checked(marking: Marking) -> Marking:
    """Return the mark with only the values that belong to it. Raise ValidationError by field."""
    if marking.kind != Kind.FLAG or not marking.is_set:
        return Marking(marking.item, marking.kind, marking.is_set, marking.client_key, age_ms=marking.age_ms)
    words = marking.words.replace("\x00", "").strip()
    if marking.reason not in ItemMark.Reason.values:
        raise ValidationError({"reason": _("Choose what is wrong with it.")})
    if marking.reason == ItemMark.Reason.OTHER and not words:
        raise ValidationError({"words": _("Say in your own words what is wrong.")})
    if len(words) > LONGEST_WORDS:
        text = ngettext("Write at most %(n)s character.", "Write at most %(n)s characters.", LONGEST_WORDS)
        raise ValidationError({"words": text % {"n": LONGEST_WORDS}})
    return Marking(marking.item, Kind.FLAG, True, marking.client_key, marking.reason, words, marking.age_ms)


def _lock(assignment_id: int) -> Assignment:
    """Return the assignment, locked. Raise Refused if an answer would be refused too."""
    rows = Assignment.objects.select_related("batch__study__protocol_version")
    assignment = rows.select_for_update(of=("self",)).get(pk=assignment_id)
    if assignment.status in OVER:
        raise Refused(assignment.status, REFUSALS[Assignment.Status(assignment.status)])
    if assignment.batch.study.status == Study.Status.CLOSED:
        raise Refused(Study.Status.CLOSED, REFUSALS[Study.Status.CLOSED])
    return assignment


def _apply(mark: ItemMark, marking: Marking, marked_at: datetime) -> bool:
    """Set the mark unless a newer one is stored; a late one from offline is only history. Return whether it is set."""
    last = mark.unsure_at if marking.kind == Kind.UNSURE else mark.flagged_at
    if last is not None and marked_at < last:
        return False
    if marking.kind == Kind.UNSURE:
        mark.is_unsure, mark.unsure_at = marking.is_set, marked_at
    else:
        mark.reason, mark.words, mark.flagged_at = marking.reason, marking.words, marked_at
        mark.seen_at, mark.seen_by, mark.seen_note = None, None, ""
    mark.save()
    return True
