"""The counted answers of a batch as arrays: an answer counts while its assignment holds a seat."""

from dataclasses import dataclass

import numpy as np
from django.db import connection

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
NO_SOURCE = 0  # whole dialogues have no source; ids of rows start at 1

CellKey = tuple[int, int]  # criterion id, source id or NO_SOURCE


@dataclass(frozen=True, slots=True)
class Votes:
    """(N,) arrays, one entry per counted answer: ids of rows."""

    criterion: np.ndarray
    source: np.ndarray
    item: np.ndarray
    participant: np.ndarray
    option: np.ndarray

    def __len__(self) -> int:
        return len(self.item)

    def cells(self) -> list[tuple[CellKey, "Votes"]]:
        """The votes of each criterion and source, in the order of their ids."""
        keys, place = np.unique(np.stack([self.criterion, self.source]), axis=1, return_inverse=True)
        place = place.ravel()
        return [((int(c), int(s)), self._where(place == at)) for at, (c, s) in enumerate(keys.T)]

    def _where(self, kept: np.ndarray) -> "Votes":
        return Votes(
            *(column[kept] for column in (self.criterion, self.source, self.item, self.participant, self.option))
        )


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
