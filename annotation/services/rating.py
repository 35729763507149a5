"""Recording an answer: one transaction, idempotent by the client's key, the batch's counter last."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import FilteredRelation, Q

from annotation.models import Assignment, Item, Rating, RatingRevision, Study
from annotation.services.nudging import raise_version
from annotation.services.refusals import Refused
from protocols.forms import Answer, parse_answer
from protocols.specs import VersionSpec, spec_of

LONGEST_ACTIVE_MS = 4 * 60 * 60 * 1000
OLDEST_ANSWER = timedelta(days=30)


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
    answered_at = now - min(timedelta(milliseconds=max(submission.age_ms, 0)), OLDEST_ANSWER)
    values = {
        "option_id": answer.option_id,
        "explanations": list(answer.explanation_ids),
        "free_text": answer.free_text,
        "active_ms": min(max(submission.active_ms, 0), LONGEST_ACTIVE_MS),
        "answered_at": answered_at,
    }
    with transaction.atomic():
        is_counted = _lock_work(assignment, now)
        rating = _find(assignment, submission.item, answer.criterion_id)
        known = rating.pk and rating.revisions.filter(client_key=submission.client_key).first()
        if known:
            return Acknowledgement(known.number, is_repeat=True, is_counted=is_counted)
        _store(rating, values, submission.client_key, now)
        if is_counted:
            raise_version(assignment.batch_id)
    return Acknowledgement(rating.revision, is_repeat=False, is_counted=is_counted)


def _parse(spec: VersionSpec, submission: Submission) -> Answer:
    criterion = spec.by_key.get(submission.criterion)
    if criterion is None:
        raise Refused("unknown_criterion", "This study does not ask that question.")
    return parse_answer(criterion, submission.option, submission.explanations, submission.free_text)


def _lock_work(assignment: Assignment, now: datetime) -> bool:
    """Lock the assignment and say whether its answers count now. Raises Refused when its work is over.

    Whoever takes the seat away must also write the assignment, so the one lock orders both.
    """
    status, study_status, lease_expires_at = (
        Assignment.objects.select_for_update(of=("self",))
        .values_list("status", "batch__study__status", "seat__lease_expires_at")
        .get(pk=assignment.pk)
    )
    if status == Assignment.Status.SUBMITTED:
        raise Refused("submitted", "You have finished this batch: its answers cannot be changed any more.")
    if status == Assignment.Status.EXCLUDED:
        raise Refused("excluded", "You do not take part in this study any more.")
    if study_status == Study.Status.CLOSED:
        raise Refused("closed", "This study is closed.")
    return status == Assignment.Status.ACTIVE and lease_expires_at is not None and lease_expires_at > now


def _find(assignment: Assignment, token: UUID, criterion_id: int) -> Rating:
    """The rating to revise, or a new one without a key. Raises Refused for somebody else's item."""
    mine = FilteredRelation("ratings", condition=Q(ratings__assignment=assignment, ratings__criterion=criterion_id))
    found = (
        Item.objects.filter(token=token, batch_id=assignment.batch_id)
        .annotate(mine=mine)
        .values_list("pk", "mine__pk", "mine__revision", "mine__answered_at", "mine__created_at")
        .first()
    )
    if found is None:
        raise Refused("unknown_item", "This is not one of your items.")
    item_id, pk, revision, answered_at, created_at = found
    return Rating(
        pk=pk,
        assignment_id=assignment.pk,
        item_id=item_id,
        criterion_id=criterion_id,
        batch_id=assignment.batch_id,
        revision=revision or 0,
        answered_at=answered_at,
        created_at=created_at,
    )


def _store(rating: Rating, values: dict[str, Any], client_key: UUID, now: datetime) -> None:
    """Write the rating and its revision. An answer held offline that comes late is history, not the current one."""
    is_latest = rating.pk is None or values["answered_at"] >= rating.answered_at
    rating.revision += 1
    fields = values if is_latest else {}
    for name, value in fields.items():
        setattr(rating, name, value)
    rating.updated_at = now
    if rating.pk is None:
        rating.created_at = now
        rating.save(force_insert=True)
    else:
        rating.save(update_fields=["revision", "updated_at", *fields])
    RatingRevision.objects.create(
        rating=rating, number=rating.revision, client_key=client_key, received_at=now, **values
    )
