"""The counted answers of a batch as arrays: an answer counts while its assignment holds a seat."""

import numpy as np
from django.db import connection

from annotation.figures import CellKey, Votes
from annotation.models import Batch, Seat

VOTES = """
    SELECT rating.criterion_id, coalesce(item.source_id, 0), rating.item_id, assignment.participant_id, rating.option_id
    FROM annotation_rating rating
    JOIN annotation_seat seat ON seat.assignment_id = rating.assignment_id
    JOIN annotation_assignment assignment ON assignment.id = rating.assignment_id
    JOIN annotation_item item ON item.id = rating.item_id
    WHERE rating.batch_id = %s
"""
REASONS = """
    SELECT rating.criterion_id, coalesce(item.source_id, 0), reason, count(*)
    FROM annotation_rating rating
    JOIN annotation_seat seat ON seat.assignment_id = rating.assignment_id
    JOIN annotation_item item ON item.id = rating.item_id
    CROSS JOIN unnest(rating.explanations) AS reason
    WHERE rating.batch_id = %s
    GROUP BY 1, 2, 3
"""


def votes_of(batch_id: int) -> Votes:
    with connection.cursor() as cursor:
        cursor.execute(VOTES, [batch_id])
        rows = np.array(cursor.fetchall(), dtype=np.int64).reshape(-1, 5)
    return Votes(*rows.T)


def reasons_of(batch_id: int) -> dict[CellKey, dict[str, int]]:
    """{cell: {explanation id: votes}}; the ids are text, as they come back from JSON."""
    found: dict[CellKey, dict[str, int]] = {}
    with connection.cursor() as cursor:
        cursor.execute(REASONS, [batch_id])
        for criterion, source, reason, votes in cursor.fetchall():
            found.setdefault((criterion, source), {})[str(reason)] = votes
    return found


def n_wanted(batch: Batch, n_criteria: int, n_imported: int) -> int:
    """How many counted answers a finished batch has. Imported annotators are taken as they came."""
    own = Seat.objects.filter(batch=batch).exclude(assignment__is_imported=True).count()
    return own * batch.n_items * n_criteria + n_imported


def n_imported_votes(batch_id: int) -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM annotation_rating rating JOIN annotation_assignment a ON a.id = rating.assignment_id "
            "JOIN annotation_seat seat ON seat.assignment_id = a.id WHERE rating.batch_id = %s AND a.is_imported",
            [batch_id],
        )
        return cursor.fetchone()[0]
