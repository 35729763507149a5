"""Recording an answer: one transaction, idempotent by the client's key, the batch's counter last.

The hottest path of the platform, so what is stored is one call of a function in the database
(migration 0003_record_answer): locks the assignment, adds or changes the rating, adds its revision, raises the version.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple
from uuid import UUID, uuid5

from django.db import connection, transaction
from django.utils.translation import gettext_lazy as _

from annotation.models import Assignment, Item, Study
from annotation.services.nudging import nudge_after_commit
from annotation.services.refusals import Refused
from annotation.services.settling import settle
from protocols.forms import Given, parse_answer
from protocols.models import Criterion
from protocols.specs import CriterionSpec, VersionSpec

LONGEST_ACTIVE_MS = 4 * 60 * 60 * 1000
OLDEST_ANSWER = timedelta(days=30)

RECORD = """
    SELECT refusal, revision, is_repeat, is_counted, batch_id, item_id, is_nudge_due FROM annotation_record_answer(
        %s, %s, %s, %s, %s::bigint[], %s::integer[], %s::bigint[], %s, %s, %s, %s, %s, %s, %s
    )
"""
REFUSALS = {
    Assignment.Status.SUBMITTED: _("You have finished this batch: its answers cannot be changed any more."),
    Assignment.Status.EXCLUDED: _("You do not take part in this study any more."),
    Study.Status.CLOSED: _("This study is closed."),
    "unknown_item": _("This is not one of your items."),
    "too_soon": _("Read the whole dialogue first: answers are taken a little later."),
}


@dataclass(frozen=True, slots=True)
class Submission:
    """What a page or the API sent, not yet looked at. `age_ms`: how long the browser has held the answer.

    `active_ms` is of this answer alone: that of a changed one is added to what the question took before.
    """

    item: UUID
    criterion: str
    given: Given
    client_key: UUID
    age_ms: int = 0
    active_ms: int = 0
    protocol: str = ""  # the fingerprint of the version that was on screen, if the sender said it


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    """`is_counted` is false when the seat had been lost: the answer is kept, and counts again with a new seat."""

    revision: int
    is_repeat: bool
    is_counted: bool


class Values(NamedTuple):
    """In the order of the database function's parameters."""

    assignment: int
    item: UUID
    criterion: int
    option: int | None
    choices: list[int]
    turns: list[int]
    explanations: list[int]
    free_text: str
    client_key: UUID
    active_ms: int
    answered_at: datetime
    now: datetime
    unit: str
    reading_seconds: int


def record_rating(assignment_id: int, spec: VersionSpec, submission: Submission, *, now: datetime) -> Acknowledgement:
    """Store one answer of the assignment's annotator to a question of the study's protocol.

    Raises InvalidAnswer for an answer the protocol does not allow, Refused when the work is over. An answer that
    comes after the lease has ended is kept and acknowledged as not counted: nothing entered is ever lost (X-7).
    """
    if submission.protocol not in ("", spec.fingerprint):
        # The same code may stand for another option now: taking the answer would store what nobody said.
        raise Refused("protocol_changed", _("The questions of this study have changed. Load the page again."))
    criterion = spec.by_key.get(submission.criterion)
    if criterion is None:
        raise Refused("unknown_criterion", _("This study does not ask that question."))
    values = _values(assignment_id, spec, criterion, submission, now)
    if criterion.key not in spec.depended_on and not criterion.when:
        return _record(values)[0]
    with transaction.atomic():
        acknowledged, item_id = _record(values)
        if not acknowledged.is_repeat:
            settle(assignment_id, spec, item_id, partial(_record_computed, values))
    return acknowledged


def _record(values: Values) -> tuple[Acknowledgement, int]:
    with connection.cursor() as cursor:
        cursor.execute(RECORD, list(values))
        refusal, revision, is_repeat, is_counted, batch_id, item_id, is_nudge_due = cursor.fetchone()
    if refusal is not None:
        raise Refused(refusal, REFUSALS[refusal])
    if is_nudge_due:
        nudge_after_commit(batch_id)
    return Acknowledgement(revision, is_repeat, is_counted), item_id


def _record_computed(cause: Values, item: Item, criterion: CriterionSpec, option_id: int) -> None:
    """In the name of the answer it follows from; the reading floor was for that one."""
    key = uuid5(cause.client_key, f"{item.token} {criterion.key}")
    _record(
        cause._replace(
            item=item.token, criterion=criterion.id, option=option_id, choices=[], turns=[], explanations=[],
            free_text="", client_key=key, active_ms=0, unit=item.unit, reading_seconds=0,
        )
    )  # fmt: skip


def _values(
    assignment_id: int, spec: VersionSpec, criterion: CriterionSpec, submission: Submission, now: datetime
) -> Values:
    n_turns = _n_turns(submission.item) if criterion.kind == Criterion.Kind.TURNS else 0
    answer = parse_answer(criterion, submission.given, n_turns)
    return Values(
        assignment=assignment_id,
        item=submission.item,
        criterion=answer.criterion_id,
        option=answer.option_id,
        choices=list(answer.choice_ids),
        turns=list(answer.turns),
        explanations=list(answer.explanation_ids),
        free_text=answer.free_text,
        client_key=submission.client_key,
        active_ms=min(max(submission.active_ms, 0), LONGEST_ACTIVE_MS),
        answered_at=now - min(timedelta(milliseconds=max(submission.age_ms, 0)), OLDEST_ANSWER),
        now=now,
        unit=criterion.unit,
        reading_seconds=spec.reading_seconds,
    )


def _n_turns(token: UUID) -> int:
    turns = Item.objects.filter(token=token).values_list("dialogue__turns", flat=True).first()
    return len(turns or ())
