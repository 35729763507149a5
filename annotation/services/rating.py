"""Recording an answer: one transaction, idempotent by the client's key, the batch's counter last.

The hottest path of the platform, so its statements are SQL: composing them from models each time took a web worker
longer than PostgreSQL takes to run them.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection, transaction

from annotation.models import Assignment, Study
from annotation.services.nudging import raise_version
from annotation.services.refusals import Refused
from protocols.forms import Answer, parse_answer
from protocols.specs import VersionSpec, spec_of

LONGEST_ACTIVE_MS = 4 * 60 * 60 * 1000
OLDEST_ANSWER = timedelta(days=30)

# Look-ups inside, not joins: PostgreSQL plans every statement anew, and a join of four costs it more than the rest.
LOCK_WORK = """
    SELECT status,
        (SELECT status FROM annotation_study WHERE id =
            (SELECT study_id FROM annotation_batch WHERE id = assignment.batch_id)),
        (SELECT lease_expires_at FROM annotation_seat WHERE assignment_id = assignment.id)
    FROM annotation_assignment assignment WHERE id = %s FOR UPDATE
"""
# Adds nothing when the item is somebody else's, or has a rating already.
ADD = """
    INSERT INTO annotation_rating (assignment_id, item_id, criterion_id, batch_id, option_id, explanations, free_text,
        revision, active_ms, answered_at, created_at, updated_at)
    SELECT %(assignment)s, id, %(criterion)s, batch_id, %(option)s, %(explanations)s::bigint[], %(free_text)s,
        1, %(active_ms)s, %(answered_at)s, %(now)s, %(now)s
    FROM annotation_item WHERE token = %(token)s AND batch_id = %(batch)s
    ON CONFLICT (assignment_id, item_id, criterion_id) DO NOTHING
"""
FIND = """
    SELECT rating.id, rating.answered_at, revision.number
    FROM annotation_item item
    JOIN annotation_rating rating ON rating.item_id = item.id
        AND rating.assignment_id = %(assignment)s AND rating.criterion_id = %(criterion)s
    LEFT JOIN annotation_ratingrevision revision ON revision.rating_id = rating.id AND revision.client_key = %(key)s
    WHERE item.token = %(token)s AND item.batch_id = %(batch)s
"""
CHANGE = """
    UPDATE annotation_rating SET option_id = %(option)s, explanations = %(explanations)s::bigint[],
        free_text = %(free_text)s, active_ms = %(active_ms)s, answered_at = %(answered_at)s,
        revision = revision + 1, updated_at = %(now)s
    WHERE id = %(rating)s
"""
# An answer held offline that comes late is history, not the current one.
KEEP = "UPDATE annotation_rating SET revision = revision + 1, updated_at = %(now)s WHERE id = %(rating)s"
WITH_REVISION = """
    WITH stored AS ({} RETURNING id, revision)
    INSERT INTO annotation_ratingrevision
        (rating_id, number, option_id, explanations, free_text, client_key, active_ms, answered_at, received_at)
    SELECT id, revision, %(option)s, %(explanations)s::bigint[], %(free_text)s, %(key)s, %(active_ms)s, %(answered_at)s,
        %(now)s
    FROM stored RETURNING number
"""


@dataclass(frozen=True, slots=True)
class Submission:
    """What a page or the API sent, not yet looked at. `age_ms`: how long the browser has held the answer."""

    item: UUID
    criterion: str
    option: str
    explanations: tuple[str, ...]
    free_text: str
    client_key: UUID
    age_ms: int = 0
    active_ms: int = 0


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    """`is_counted` is false when the seat had been lost: the answer is kept, and counts again with a new seat."""

    revision: int
    is_repeat: bool
    is_counted: bool


def record_rating(assignment: Assignment, submission: Submission, *, now: datetime) -> Acknowledgement:
    """Store one answer of the assignment's annotator.

    Raises InvalidAnswer for an answer the protocol does not allow, Refused when the work is over. An answer that
    comes after the lease has ended is kept and acknowledged as not counted: nothing entered is ever lost (X-7).
    """
    answer = _parse(spec_of(assignment.batch.study.protocol_version), submission)
    values = _values(assignment, answer, submission, now)
    with transaction.atomic():
        is_counted = _lock_work(assignment, now)
        revision = _write(ADD, values)
        if revision is None:
            revision, is_repeat = _revise(values)
            if is_repeat:
                return Acknowledgement(revision, is_repeat=True, is_counted=is_counted)
        if is_counted:
            raise_version(assignment.batch_id)
    return Acknowledgement(revision, is_repeat=False, is_counted=is_counted)


def _parse(spec: VersionSpec, submission: Submission) -> Answer:
    criterion = spec.by_key.get(submission.criterion)
    if criterion is None:
        raise Refused("unknown_criterion", "This study does not ask that question.")
    return parse_answer(criterion, submission.option, submission.explanations, submission.free_text)


def _values(assignment: Assignment, answer: Answer, submission: Submission, now: datetime) -> dict[str, Any]:
    return {
        "assignment": assignment.pk,
        "batch": assignment.batch_id,
        "token": submission.item,
        "criterion": answer.criterion_id,
        "option": answer.option_id,
        "explanations": list(answer.explanation_ids),
        "free_text": answer.free_text,
        "key": submission.client_key,
        "active_ms": min(max(submission.active_ms, 0), LONGEST_ACTIVE_MS),
        "answered_at": now - min(timedelta(milliseconds=max(submission.age_ms, 0)), OLDEST_ANSWER),
        "now": now,
    }


def _lock_work(assignment: Assignment, now: datetime) -> bool:
    """Lock the assignment and say whether its answers count now. Raises Refused when its work is over.

    Whoever takes the seat away must also write the assignment, so the one lock orders both.
    """
    status, study_status, lease_expires_at = _row(LOCK_WORK, [assignment.pk])
    if status == Assignment.Status.SUBMITTED:
        raise Refused("submitted", "You have finished this batch: its answers cannot be changed any more.")
    if status == Assignment.Status.EXCLUDED:
        raise Refused("excluded", "You do not take part in this study any more.")
    if study_status == Study.Status.CLOSED:
        raise Refused("closed", "This study is closed.")
    return status == Assignment.Status.ACTIVE and lease_expires_at is not None and lease_expires_at > now


def _revise(values: dict[str, Any]) -> tuple[int, bool]:
    """The number of the revision, and whether it was there before. Raises Refused for somebody else's item.

    Read after the lock: nobody else writes a rating of this assignment now.
    """
    found = _row(FIND, values)
    if found is None:
        raise Refused("unknown_item", "This is not one of your items.")
    rating, answered_at, known_as = found
    if known_as is not None:
        return known_as, True
    change = CHANGE if values["answered_at"] >= answered_at else KEEP
    return _write(change, values | {"rating": rating}), False


def _write(statement: str, values: dict[str, Any]) -> Any:
    """Write a rating together with its revision. Returns the revision's number, None when no rating was written."""
    row = _row(WITH_REVISION.format(statement), values)
    return row[0] if row else None


def _row(statement: str, values: Any) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchone()
