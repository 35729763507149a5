"""Read the details of answers: multiple choices, marked turns, explanations and free text."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from django.db import connection

from annotation.models import Batch, Study
from measures.arrays import IntArray

# Answers with the same details are one row: there are few combinations of choices, marks and explanations.
DETAILS = """
    SELECT rating.choices, rating.turns, rating.explanations, rating.free_text, string_agg(int8send(rating.id), '')
    FROM annotation_rating rating
    JOIN annotation_seat seat ON seat.assignment_id = rating.assignment_id
    JOIN annotation_batch batch ON batch.id = rating.batch_id
    JOIN annotation_item item ON item.id = rating.item_id AND NOT item.is_check
    WHERE batch.study_id = %s AND batch.kind = %s AND rating.is_active AND (rating.choices <> '{}'
        OR rating.turns <> '{}' OR rating.explanations <> '{}' OR rating.free_text <> '')
    GROUP BY 1, 2, 3, 4
"""
# Marks by criterion, source, speaker and number of the turn, counted by the database.
MARKS = """
    SELECT rating.criterion_id, coalesce(item.source_id, 0), turn.number,
        dialogue.turns -> (turn.number - 1) ->> 'speaker', count(*)
    FROM annotation_rating rating
    JOIN annotation_seat seat ON seat.assignment_id = rating.assignment_id
    JOIN annotation_batch batch ON batch.id = rating.batch_id
    JOIN annotation_item item ON item.id = rating.item_id AND NOT item.is_check
    LEFT JOIN annotation_dialogue dialogue ON dialogue.id = item.dialogue_id
    CROSS JOIN LATERAL unnest(rating.turns) AS turn(number)
    WHERE batch.study_id = %s AND batch.kind = %s AND rating.is_active AND rating.turns <> '{}'
    GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
"""


@dataclass(frozen=True, slots=True)
class Detail:
    """The details shared by all the answers in `ratings` (ids)."""

    choices: tuple[int, ...]
    turns: tuple[int, ...]
    explanations: tuple[int, ...]
    free_text: str
    ratings: IntArray


@dataclass(frozen=True, slots=True)
class Marks:
    """The number of marks (`n`) on turn `number` of a speaker, over all dialogues."""

    criterion: int
    source: int
    number: int
    speaker: str | None
    n: int


def answer_details(study: Study, kind: str = Batch.Kind.MAIN) -> list[Detail]:
    with connection.cursor() as cursor:
        cursor.execute(DETAILS, [study.pk, kind])
        return [
            Detail(tuple(choices), tuple(turns), tuple(explanations), text, np.frombuffer(ids, ">i8").astype(np.int64))
            for choices, turns, explanations, text, ids in cursor.fetchall()
        ]


def ratings_of(details: Iterable[Detail]) -> IntArray:
    """Return the ids of all answers, detail by detail."""
    return np.concatenate([np.zeros(0, np.int64), *(each.ratings for each in details)])


def marked_turns(study: Study, details: Iterable[Detail], kind: str = Batch.Kind.MAIN) -> list[Marks]:
    """Count marked turns. `details` are those of the same answers: if none has marks, the query is skipped."""
    if not any(each.turns for each in details):
        return []
    with connection.cursor() as cursor:
        cursor.execute(MARKS, [study.pk, kind])
        return [Marks(*row) for row in cursor.fetchall()]
