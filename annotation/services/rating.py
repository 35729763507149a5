"""Recording an answer: one transaction, idempotent by the client's key, the batch's counter last.

The hottest path of the platform, so what is stored is one call of a function in the database
(migration 0002_record_answer): locks the assignment, adds or changes the rating, adds its revision, raises the version.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection

from annotation.models import Assignment, Study
from annotation.services.nudging import nudge_after_commit
from annotation.services.refusals import Refused
from protocols.forms import Answer, Given, parse_answer
from protocols.specs import VersionSpec

LONGEST_ACTIVE_MS = 4 * 60 * 60 * 1000
OLDEST_ANSWER = timedelta(days=30)

RECORD = """
    SELECT refusal, revision, is_repeat, is_counted, batch_id, is_nudge_due
    FROM annotation_record_answer(%s, %s, %s, %s, %s::bigint[], %s, %s, %s, %s, %s)
"""
REFUSALS = {
    Assignment.Status.SUBMITTED: "You have finished this batch: its answers cannot be changed any more.",
    Assignment.Status.EXCLUDED: "You do not take part in this study any more.",
    Study.Status.CLOSED: "This study is closed.",
    "unknown_item": "This is not one of your items.",
}


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


def record_rating(assignment_id: int, spec: VersionSpec, submission: Submission, *, now: datetime) -> Acknowledgement:
    """Store one answer of the assignment's annotator to a question of the study's protocol.

    Raises InvalidAnswer for an answer the protocol does not allow, Refused when the work is over. An answer that
    comes after the lease has ended is kept and acknowledged as not counted: nothing entered is ever lost (X-7).
    """
    answer = _parse(spec, submission)
    with connection.cursor() as cursor:
        cursor.execute(RECORD, _values(assignment_id, answer, submission, now))
        refusal, revision, is_repeat, is_counted, batch_id, is_nudge_due = cursor.fetchone()
    if refusal is not None:
        raise Refused(refusal, REFUSALS[refusal])
    if is_nudge_due:
        nudge_after_commit(batch_id)
    return Acknowledgement(revision, is_repeat, is_counted)


def _parse(spec: VersionSpec, submission: Submission) -> Answer:
    criterion = spec.by_key.get(submission.criterion)
    if criterion is None:
        raise Refused("unknown_criterion", "This study does not ask that question.")
    return parse_answer(criterion, Given(submission.option, submission.explanations, submission.free_text))


def _values(assignment_id: int, answer: Answer, submission: Submission, now: datetime) -> list[Any]:
    """In the order of the function's parameters."""
    return [
        assignment_id,
        submission.item,
        answer.criterion_id,
        answer.option_id,
        list(answer.explanation_ids),
        answer.free_text,
        submission.client_key,
        min(max(submission.active_ms, 0), LONGEST_ACTIVE_MS),
        now - min(timedelta(milliseconds=max(submission.age_ms, 0)), OLDEST_ANSWER),
        now,
    ]
