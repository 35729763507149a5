"""Read the latest answers of one annotator and everybody's answers on the same items, with their times.

The amount is limited whatever the size of the study: whole batches are read, newest first, until there are enough.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.db import connection

from annotation.models import Assignment, Batch
from measures.arrays import IntArray

MOST_ANSWERS = 2000
# Items and people, a few hundred rows, come first: joining them to each answer would cost more than the answers.
ANSWERS = """
    WITH items AS MATERIALIZED (
        SELECT id, coalesce(dialogue_id, 0) AS dialogue FROM annotation_item
        WHERE batch_id = ANY(%(batches)s) AND NOT is_check),
    work AS MATERIALIZED (
        SELECT assignment.id, assignment.participant_id AS participant
        FROM annotation_seat seat JOIN annotation_assignment assignment ON assignment.id = seat.assignment_id
        WHERE seat.batch_id = ANY(%(batches)s))
    SELECT string_agg(int8send(rating.criterion_id) || int8send(rating.item_id) || int8send(work.participant)
        || int8send(rating.option_id) || int8send((extract(epoch FROM rating.answered_at) * 1000)::bigint)
        || int8send(rating.batch_id) || int8send(items.dialogue), '')
    FROM work JOIN annotation_rating rating ON rating.assignment_id = work.id
    JOIN items ON items.id = rating.item_id
    WHERE rating.criterion_id = ANY(%(criteria)s) AND rating.is_active AND rating.option_id IS NOT NULL
"""


@dataclass(frozen=True, slots=True)
class StudyAnswers:
    """Answers as (N,) arrays of ids and of milliseconds since 1970. If not `is_whole`, earlier batches are left out."""

    criterion: IntArray
    item: IntArray
    participant: IntArray
    option: IntArray
    answered_ms: IntArray
    batch: IntArray
    dialogue: IntArray  # 0 for a whole model
    is_whole: bool


def latest_answers(participant_id: int, criteria: Sequence[int], *, most: int = MOST_ANSWERS) -> StudyAnswers:
    """Return the counted answers in the annotator's newest main batches, including everybody else's.

    Whole batches are read until there are `most` answers of the annotator or more. Checks are left out.
    """
    work = Assignment.objects.filter(participant=participant_id, seat__isnull=False, batch__kind=Batch.Kind.MAIN)
    newest = work.order_by("-claimed_at", "-pk").values_list("batch", "batch__n_items")
    batches: list[int] = []
    n_answers, is_whole = 0, True
    for batch_id, n_items in newest[: most + 1]:
        if n_answers >= most:
            is_whole = False
            break
        batches.append(batch_id)
        n_answers += n_items * len(criteria)
    with connection.cursor() as cursor:
        cursor.execute(ANSWERS, {"batches": batches, "criteria": list(criteria)})
        rows = np.frombuffer(cursor.fetchone()[0] or b"", ">i8").reshape(-1, 7).astype(np.int64)
    criterion, item, participant, option, answered_ms, batch, dialogue = rows.T
    return StudyAnswers(criterion, item, participant, option, answered_ms, batch, dialogue, is_whole)
