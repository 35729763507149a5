"""Read comparisons: the sources of each pair, and on which sides annotators have seen them."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Func, TextField, Value

from annotation.models import Assignment

# A response as people read it: two that read the same are not compared.
READING = Func("text", Value(" \t\r\n"), function="btrim", output_field=TextField())
# The sides of a comparison in its order: the candidates that it shows, or its dialogue and the other one.
SIDES = """(
    SELECT place.at, side.key, side.source_id FROM unnest(item.shown) WITH ORDINALITY AS place (id, at)
    JOIN annotation_candidate side ON side.id = place.id
    UNION ALL
    SELECT place.at, side.key, side.source_id
    FROM unnest(ARRAY[item.dialogue_id, item.other_dialogue_id]) WITH ORDINALITY AS place (id, at)
    JOIN annotation_dialogue side ON side.id = place.id
    WHERE item.other_dialogue_id IS NOT NULL)"""
# Joins the sources of both.
PAIR = f"""CROSS JOIN LATERAL (
    SELECT max(side.source_id) FILTER (WHERE side.at = 1) AS first_source,
        max(side.source_id) FILTER (WHERE side.at = 2) AS second_source
    FROM {SIDES} side) pair"""
# How files name what an item is about below its dialogue: a response by its key, and a comparison by the keys of both
# sides as JSON, with a third part if it shows the pair again.
ITEM_TEXT = f"""CASE WHEN item.unit = 'comparison' THEN (
        (SELECT jsonb_agg(side.key ORDER BY side.at) FROM {SIDES} side)
        || CASE WHEN item.repeats_id IS NULL THEN '[]' ELSE '["again"]' END::jsonb
    )::text ELSE candidate.key END"""
PAIRS = f"""
    SELECT item.id, pair.first_source, pair.second_source
    FROM annotation_item item
    JOIN annotation_batch batch ON batch.id = item.batch_id
    {PAIR}
    WHERE item.unit = 'comparison' AND item.repeats_id IS NULL AND {{}}
    ORDER BY item.id
"""
# How often the first candidate stood on the left, less how often the second did, for those who hold a seat.
SEEN = """
    SELECT item.id, sum(CASE WHEN item.id = ANY(assignment.swapped) THEN -1 ELSE 1 END)
    FROM annotation_item item
    JOIN annotation_seat seat ON seat.batch_id = item.batch_id
    JOIN annotation_assignment assignment ON assignment.id = seat.assignment_id
    WHERE item.batch_id = %s AND item.unit = 'comparison' AND assignment.id <> %s AND NOT assignment.is_imported
    GROUP BY 1
"""
# The same for one annotator and each source, over everything they have seen. A repetition stands for nothing: it is
# the reverse of what it repeats.
LEANING = f"""
    SELECT side.source, sum(side.sign)
    FROM annotation_assignment assignment
    JOIN annotation_item item ON item.batch_id = assignment.batch_id
        AND item.unit = 'comparison' AND NOT item.is_check
    {PAIR}
    CROSS JOIN LATERAL (SELECT CASE WHEN item.id = ANY(assignment.swapped) THEN -1 ELSE 1 END AS sign) seen
    CROSS JOIN LATERAL (VALUES (pair.first_source, seen.sign), (pair.second_source, -seen.sign)) AS side (source, sign)
    WHERE assignment.participant_id = %s AND assignment.id <> %s AND NOT assignment.is_imported
    GROUP BY 1
"""
SWAPPED = """
    SELECT item.token FROM annotation_assignment assignment
    JOIN annotation_item item ON item.batch_id = assignment.batch_id AND item.id = ANY(assignment.swapped)
    WHERE assignment.id = %s AND item.token = ANY(%s)
"""
Pair = tuple[int, int]


def pairs_of_batch(batch_id: int) -> dict[int, Pair]:
    """Return {comparison: ids of its two sources}, without repetitions."""
    return _pairs("item.batch_id = %s", batch_id)


def pairs_of_kind(study_id: int, kind: str) -> dict[int, Pair]:
    return _pairs("batch.study_id = %s AND batch.kind = %s", study_id, kind)


def show_several_sources(items: Iterable[int]) -> bool:
    """Return whether the comparisons among these items show more than two sources.

    Agreement is then computed over both orders of their pairs, see :func:`annotation.pairings.in_orders_of`.
    """
    return len(set().union(*_pairs("item.id = ANY(%s)", list(items)).values())) > 2


def _pairs(condition: str, *values: Any) -> dict[int, Pair]:
    return {item: (first, second) for item, first, second in _rows(PAIRS.format(condition), *values)}


def seen_by_others(assignment: Assignment) -> dict[int, int]:
    """Return {comparison: how much more often others in the batch saw its first candidate on the left}."""
    return dict(_rows(SEEN, assignment.batch_id, assignment.pk))


def leaning_of(assignment: Assignment) -> dict[int, int]:
    """Return {source: how much more often its annotator saw it on the left than on the right, in other batches}."""
    return dict(_rows(LEANING, assignment.participant_id, assignment.pk))


def swapped_tokens(assignment_id: int, tokens: Iterable[UUID]) -> set[UUID]:
    """Return the items among these whose second candidate stands on the left in this assignment."""
    return {token for (token,) in _rows(SWAPPED, assignment_id, list(tokens))}


def _rows(statement: str, *values: Any) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchall()
