"""Record an answer in one transaction, idempotent by the client's key, raising the batch's counter last.

This is the busiest path of the platform, so an answer is stored by one function of the database
(sql/record_answer.sql): it locks the assignment, adds or changes the rating, adds its revision and raises the version.
Answers that arrive together are sent as calls in one statement: one trip to the database, one wait for its disk.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple
from uuid import UUID, uuid5

from django.db import connection, transaction
from django.utils.translation import gettext_lazy as _

from annotation.models import Assignment, Item, Study
from annotation.nudging import nudge_after_commit
from annotation.selectors.comparisons import swapped_tokens
from annotation.services.dependent_answers import settle
from annotation.services.refusals import Refused
from protocols.answers import Given, InvalidAnswer, parse_answer
from protocols.models import Criterion, ProtocolVersion
from protocols.specs import CriterionSpec, VersionSpec

LONGEST_ACTIVE_MS = 4 * 60 * 60 * 1000
OLDEST_ANSWER = timedelta(days=30)

RECORD = """
    SELECT %s AS place, refusal, revision, is_repeat, is_counted, batch_id, item_id, is_nudge_due
    FROM annotation_record_answer(
        %s, %s, %s, %s, %s::bigint[], %s::integer[], %s::bigint[], %s, %s, %s, %s, %s, %s, %s
    )
"""
REFUSALS = {
    Assignment.Status.SUBMITTED: _("You have finished this batch: its answers can no longer be changed."),
    Assignment.Status.EXCLUDED: _("You no longer take part in this study."),
    Study.Status.CLOSED: _("This study is closed."),
    "unknown_item": _("This is not one of your items."),
    "too_soon": _("Read the whole dialogue first. You can answer shortly."),
}


@dataclass(frozen=True, slots=True)
class Submission:
    """An answer as a page or the API sent it, not yet checked. `age_ms` is how long the browser has held it.

    `active_ms` is the time for this answer alone: it is added to the time of earlier answers to the question.
    """

    item: UUID
    criterion: str
    given: Given
    client_key: UUID
    age_ms: int = 0
    active_ms: int = 0
    protocol: str = ""  # the fingerprint of the version on screen, if the sender named it


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    """A stored answer. If the seat was lost, `is_counted` is false: the answer is kept and counts with a new seat."""

    revision: int
    is_repeat: bool
    is_counted: bool


class Values(NamedTuple):
    """The database function's parameters, in its order."""

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


Outcome = Acknowledgement | InvalidAnswer | Refused


class Stored(NamedTuple):
    """The database's reply to one answer."""

    place: int
    refusal: str | None
    revision: int
    is_repeat: bool
    is_counted: bool
    batch_id: int
    item_id: int
    is_nudge_due: bool

    @property
    def outcome(self) -> Acknowledgement | Refused:
        if self.refusal is not None:
            return Refused(self.refusal, REFUSALS[self.refusal])
        return Acknowledgement(self.revision, self.is_repeat, self.is_counted)


def record_rating(assignment_id: int, spec: VersionSpec, submission: Submission, *, now: datetime) -> Acknowledgement:
    """Store one answer of the assignment's annotator to a question of the study's protocol.

    Raise InvalidAnswer for an answer that the protocol does not allow, Refused if the work is over. An answer that
    comes after the lease has ended is kept and acknowledged as not counted: nothing entered is ever lost.
    """
    outcome = record_ratings(assignment_id, spec, [submission], now=now)[0]
    if isinstance(outcome, Acknowledgement):
        return outcome
    raise outcome


def record_ratings(
    assignment_id: int, spec: VersionSpec, submissions: Sequence[Submission], *, now: datetime
) -> list[Outcome]:
    """Store several answers. Return the outcome of each in their order: each is stored or refused on its own."""
    looked_at = _by_candidate(assignment_id, spec, [_looked_at(assignment_id, spec, each, now) for each in submissions])
    valid = [each for each in looked_at if isinstance(each, Values)]
    if any(_decides(spec, each) for each in valid):
        outcomes = iter([_record_alone(spec, each) for each in valid])
    else:
        outcomes = iter([each.outcome for each in _record(valid)])
    return [next(outcomes) if isinstance(each, Values) else each for each in looked_at]


def _by_candidate(assignment_id: int, spec: VersionSpec, answers: list[Outcome | Values]) -> list[Outcome | Values]:
    """Turn answers to comparisons from sides to candidates: where the sides are swapped, the mirror is stored."""
    compared = [each for each in answers if isinstance(each, Values) and each.unit == ProtocolVersion.Unit.COMPARISON]
    swapped = swapped_tokens(assignment_id, {each.item for each in compared}) if compared else ()
    return [_mirrored(spec, each) if isinstance(each, Values) and each.item in swapped else each for each in answers]


def _mirrored(spec: VersionSpec, answer: Values) -> Values:
    criterion = spec.by_id[answer.criterion]
    option = criterion.option_of(answer.option)
    if option is None:
        return answer
    mirror = criterion.mirrors[option.id]
    codes = {each.code for each in option.explanations if each.id in answer.explanations}
    return answer._replace(
        option=mirror.id, explanations=[each.id for each in mirror.explanations if each.code in codes]
    )


def _decides(spec: VersionSpec, answer: Values) -> bool:
    """Return whether other answers may follow from this one, or its question depends on others."""
    criterion = spec.by_id[answer.criterion]
    return criterion.key in spec.depended_on or bool(criterion.when)


def _record_alone(spec: VersionSpec, answer: Values) -> Acknowledgement | Refused:
    """Store one answer, and in the same transaction what follows from it: both or neither."""
    try:
        with transaction.atomic():
            stored = _record([answer])[0]
            if stored.refusal is None and not stored.is_repeat and _decides(spec, answer):
                settle(answer.assignment, spec, stored.item_id, partial(_record_computed, answer))
    except Refused as refused:
        return refused
    return stored.outcome


def _record(answers: Sequence[Values]) -> list[Stored]:
    if not answers:
        return []
    with connection.cursor() as cursor:
        values = [value for place, each in enumerate(answers) for value in (place, *each)]
        cursor.execute(" UNION ALL ".join([RECORD] * len(answers)), values)
        found = sorted(map(Stored._make, cursor.fetchall()))
    for batch_id in {each.batch_id for each in found if each.is_nudge_due}:
        nudge_after_commit(batch_id)
    return found


def _record_computed(cause: Values, item: Item, criterion: CriterionSpec, option_id: int) -> None:
    """Store a computed answer with the key of the answer it follows from. The minimum reading time is not checked."""
    key = uuid5(cause.client_key, f"{item.token} {criterion.key}")
    answer = cause._replace(
        item=item.token, criterion=criterion.id, option=option_id, choices=[], turns=[], explanations=[],
        free_text="", client_key=key, active_ms=0, unit=item.unit, reading_seconds=0,
    )  # fmt: skip
    if isinstance(outcome := _record([answer])[0].outcome, Refused):  # the study was closed just now
        raise outcome


def _looked_at(assignment_id: int, spec: VersionSpec, submission: Submission, now: datetime) -> Outcome | Values:
    if submission.protocol not in ("", spec.fingerprint):
        # The same code may stand for another option now, so storing it could be wrong.
        return Refused("protocol_changed", _("The questions of this study have changed. Reload the page."))
    criterion = spec.by_key.get(submission.criterion)
    if criterion is None:
        return Refused("unknown_criterion", _("This study does not ask that question."))
    turns = None
    if criterion.kind == Criterion.Kind.TURNS:
        turns = Item.objects.filter(token=submission.item).values_list("dialogue__turns", flat=True).first()
    try:
        answer = parse_answer(criterion, submission.given, len(turns or ()))
    except InvalidAnswer as invalid:
        return invalid
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
