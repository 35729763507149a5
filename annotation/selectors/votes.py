"""Read the counted answers of a batch as arrays. An answer counts while its assignment holds a seat."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from django.db import connection
from django.db.models import Count

from annotation.agreement_cells import NO_SOURCE, CellKey, Votes
from annotation.models import Batch, Seat
from annotation.pairings import repetition_key, vote_key
from annotation.selectors.comparisons import PAIR
from annotation.selectors.marks import may_skip
from protocols.specs import VersionSpec

# Four 8-byte numbers per answer in one value: as rows, a thousand answers would be a thousand Python tuples.
VOTES = """
    SELECT rating.criterion_id, coalesce(item.source_id, 0),
        string_agg(int8send(rating.item_id) || int8send(assignment.participant_id) || int8send(rating.option_id)
            || int8send(rating.active_ms), '')
    FROM annotation_rating rating
    JOIN annotation_seat seat ON seat.assignment_id = rating.assignment_id
    JOIN annotation_assignment assignment ON assignment.id = rating.assignment_id
    JOIN annotation_item item ON item.id = rating.item_id
    WHERE rating.batch_id = %s AND rating.is_active AND rating.option_id IS NOT NULL AND NOT item.is_check
    GROUP BY 1, 2 ORDER BY 1, 2
"""
REASONS = """
    SELECT rating.criterion_id, coalesce(item.source_id, 0), rating.explanations, count(*)
    FROM annotation_rating rating
    JOIN annotation_seat seat ON seat.assignment_id = rating.assignment_id
    JOIN annotation_item item ON item.id = rating.item_id
    WHERE rating.batch_id = %s AND rating.is_active AND rating.explanations <> '{}' AND NOT item.is_check
    GROUP BY 1, 2, 3
"""
# Of comparisons: who was compared with whom, what was answered (0 for none), and on which sides they stood.
PAIRINGS = f"""
    SELECT rating.criterion_id, pair.first_source, pair.second_source, coalesce(rating.option_id, 0),
        rating.is_swapped, count(*)
    FROM annotation_rating rating
    JOIN annotation_seat seat ON seat.assignment_id = rating.assignment_id
    JOIN annotation_item item ON item.id = rating.item_id AND item.unit = 'comparison' AND NOT item.is_check
    {PAIR}
    WHERE rating.batch_id = %s AND rating.is_active
    GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
"""
REPEATED = """
    SELECT rating.criterion_id, rating.option_id, again.option_id, count(*)
    FROM annotation_item item
    JOIN annotation_rating again ON again.item_id = item.id AND again.is_active
    JOIN annotation_rating rating ON rating.item_id = item.repeats_id AND rating.is_active
        AND rating.assignment_id = again.assignment_id AND rating.criterion_id = again.criterion_id
    JOIN annotation_seat seat ON seat.assignment_id = rating.assignment_id
    WHERE item.batch_id = %s AND item.repeats_id IS NOT NULL
        AND rating.option_id IS NOT NULL AND again.option_id IS NOT NULL
    GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
"""
# Every counted answer, of whatever kind, also that none applies.
ANSWERS = """
    SELECT rating.criterion_id, assignment.is_imported, floor(extract(epoch FROM rating.answered_at) / 3600)::bigint,
        count(*)
    FROM annotation_rating rating
    JOIN annotation_seat seat ON seat.assignment_id = rating.assignment_id
    JOIN annotation_assignment assignment ON assignment.id = rating.assignment_id
    JOIN annotation_item item ON item.id = rating.item_id
    WHERE rating.batch_id = %s AND rating.is_active AND NOT item.is_check
    GROUP BY 1, 2, 3 ORDER BY 3
"""
# For people who hold a seat: their flagged items times the unanswered questions that everybody is asked about them.
SKIPPED = """
    SELECT count(*) FROM annotation_itemmark mark
    JOIN annotation_assignment assignment ON assignment.id = mark.assignment_id AND NOT assignment.is_imported
    JOIN annotation_seat seat ON seat.assignment_id = assignment.id
    JOIN annotation_item item ON item.id = mark.item_id AND NOT item.is_check
    JOIN unnest(%s::bigint[], %s::text[]) AS criterion (id, unit) ON criterion.unit = item.unit
    WHERE assignment.batch_id = %s AND mark.reason <> '' AND NOT EXISTS (
        SELECT FROM annotation_rating rating WHERE rating.assignment_id = mark.assignment_id
            AND rating.item_id = mark.item_id AND rating.criterion_id = criterion.id AND rating.is_active)
"""


def votes_of(batch_id: int) -> dict[CellKey, Votes]:
    """Return votes by criterion and source, in the order of their ids."""
    with connection.cursor() as cursor:
        cursor.execute(VOTES, [batch_id])
        return {
            (criterion, source): Votes(*np.frombuffer(ids, ">i8").reshape(-1, 4).T.astype(np.int64))
            for criterion, source, ids in cursor.fetchall()
        }


def reasons_of(batch_id: int) -> dict[CellKey, dict[str, int]]:
    """Return {cell: {explanation id: votes}}. The ids are text, as they come back from JSON."""
    found: dict[CellKey, dict[str, int]] = {}
    with connection.cursor() as cursor:
        cursor.execute(REASONS, [batch_id])
        for criterion, source, reasons, votes in cursor.fetchall():
            counts = found.setdefault((criterion, source), {})
            for reason in map(str, reasons):
                counts[reason] = counts.get(reason, 0) + votes
    return found


def pairings_of(batch_id: int) -> dict[CellKey, dict[str, int]]:
    """Return {cell: counts of the answers to comparisons}, as annotation/pairings.py reads them."""
    found: dict[CellKey, dict[str, int]] = {}
    with connection.cursor() as cursor:
        cursor.execute(PAIRINGS, [batch_id])
        for criterion, *vote, n in cursor.fetchall():
            found.setdefault((criterion, NO_SOURCE), {})[vote_key(*vote)] = n
        cursor.execute(REPEATED, [batch_id])
        for criterion, *options, n in cursor.fetchall():
            found.setdefault((criterion, NO_SOURCE), {})[repetition_key(*options)] = n
    return found


@dataclass(frozen=True, slots=True)
class AnswerCount:
    """The `n` counted answers to a criterion that were given in an hour, counted since 1970."""

    criterion: int
    is_imported: bool
    hour: int
    n: int


def answer_counts(batch_id: int) -> list[AnswerCount]:
    with connection.cursor() as cursor:
        cursor.execute(ANSWERS, [batch_id])
        return [AnswerCount(*row) for row in cursor.fetchall()]


def n_wanted(batch: Batch, spec: VersionSpec, given: Iterable[AnswerCount]) -> int:
    """Return how many counted answers a finished batch has. Imported annotators count with the answers they have.

    Answers to questions that depend on another answer count as wanted once they are given, and computed answers once
    they are there: nobody knows beforehand how many there will be.
    """
    own = Seat.objects.filter(batch=batch).exclude(assignment__is_imported=True).count()
    items = dict(batch.items.filter(is_check=False).order_by().values_list("unit").annotate(n=Count("pk")))
    wanted = own * sum(items.get(criterion.unit, 0) for criterion in spec.asked_always)
    if may_skip(spec, batch.kind):  # not needed, because the protocol lets flagged items be skipped
        with connection.cursor() as cursor:
            ids, units = [each.id for each in spec.asked_always], [each.unit for each in spec.asked_always]
            cursor.execute(SKIPPED, [ids, units, batch.pk])
            wanted -= cursor.fetchone()[0]
    always = {each.id for each in spec.asked_always}
    return wanted + sum(each.n for each in given if each.is_imported or each.criterion not in always)
