"""Read any number of rows in bounded memory: the server keeps the result, and 2000 rows are fetched at a time."""

import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db import connection
from psycopg2.extensions import UNICODE, new_type, register_type

from annotation.models import Rating, Study
from annotation.numbering import asker_of
from annotation.selectors.comparisons import ITEM_TEXT
from reporting.exports.tables import in_blocks, time_text
from reporting.study.names import PARTS_OF_ITEM

FETCHED = 2000
# timestamptz and integer arrays stay text, as PostgreSQL writes them: an object for each doubles the cost of reading.
AS_WRITTEN = new_type((1184, 1005, 1007, 1016), "AS_WRITTEN", UNICODE)


class RatingRow(NamedTuple):
    """One stored judgement, in the column order of RATINGS; the legend has the names of its ids."""

    batch_position: int
    batch_id: int
    item_position: int
    item_id: int
    batch: str
    kind: str
    unit: str
    item_token: str
    dialogue: str | None
    conversation: str | None
    scenario: str | None
    source: str | None
    candidate: str | None
    speaker: str | None
    criterion_id: int
    option_id: int | None
    choices: list[int]
    turns: list[int]
    explanations: list[int]
    free_text: str
    revision: int
    answered_at: datetime | None  # None if an imported file did not say
    created_at: datetime
    updated_at: datetime
    active_ms: int | None  # None if nothing measured it
    is_active: bool
    has_seat: bool
    assignment_id: int
    annotator: str
    is_excluded: bool
    account: str | None
    round: int
    is_check: bool
    is_superseded: bool
    is_unsure: bool
    flag: str
    first_source: str | None  # of a comparison, as the following two
    second_source: str | None
    is_swapped: bool | None
    is_repetition: bool
    metadata: str | None  # of the dialogue, as JSON
    platform_study: str | None

    @property
    def item_key(self) -> tuple[int, int, int, int]:
        """Return a key that ascends when rows are read by item."""
        return self[:4]


RATINGS = f"""
    SELECT batch.position, batch.id, item.position, item.id, batch.key, batch.kind, item.unit, item.token::text,
        dialogue.key, dialogue.conversation, dialogue.scenario, source.key, {ITEM_TEXT}, candidate.speaker,
        rating.criterion_id, rating.option_id, rating.choices, rating.turns, rating.explanations,
        rating.free_text, rating.revision,
        CASE WHEN NOT assignment.is_imported OR rating.answered_at <> rating.created_at THEN rating.answered_at END,
        rating.created_at, rating.updated_at,
        nullif(rating.active_ms, 0), rating.is_active,
        seat.id IS NOT NULL, assignment.id, participant.pseudonym, participant.status = 'excluded', account.username,
        assignment.round, item.is_check, assignment.status = 'superseded', coalesce(mark.is_unsure, false),
        coalesce(mark.reason, ''), first_source.key, second_source.key, rating.is_swapped, item.repeats_id IS NOT NULL,
        CASE WHEN dialogue.metadata <> '{{}}' THEN dialogue.metadata::text END, entry.platform_study
    FROM annotation_batch batch
    JOIN annotation_rating rating ON rating.batch_id = batch.id
    JOIN annotation_item item ON item.id = rating.item_id
    JOIN annotation_assignment assignment ON assignment.id = rating.assignment_id
    JOIN annotation_participant participant ON participant.id = assignment.participant_id
    LEFT JOIN annotation_seat seat ON seat.assignment_id = assignment.id
    LEFT JOIN annotation_itemmark mark ON mark.assignment_id = assignment.id AND mark.item_id = item.id
    {PARTS_OF_ITEM}
    LEFT JOIN annotation_candidate first ON item.unit = 'comparison' AND first.id = item.shown[1]
    LEFT JOIN annotation_candidate second ON item.unit = 'comparison' AND second.id = item.shown[2]
    LEFT JOIN annotation_dialogue other ON other.id = item.other_dialogue_id
    LEFT JOIN annotation_source first_source ON first_source.id = CASE
        WHEN other.id IS NULL THEN first.source_id ELSE dialogue.source_id END
    LEFT JOIN annotation_source second_source ON second_source.id = coalesce(other.source_id, second.source_id)
    LEFT JOIN qualification_entry entry ON entry.participant_id = participant.id
    LEFT JOIN auth_user account ON account.id = participant.user_id
    LEFT JOIN protocols_criterion criterion ON criterion.id = rating.criterion_id
    WHERE batch.study_id = %s AND (%s = '' OR batch.kind = %s)
    ORDER BY
"""
# Constants, never user input. "item" keeps all answers to an item together, "work" those of an annotator to a batch.
ORDERS = {
    "work": "batch.position, batch.id, assignment.id, rating.id",
    "item": "batch.position, batch.id, item.position, item.id, criterion.position, criterion.id, assignment.id",
    "item_work": "batch.position, batch.id, item.position, item.id, assignment.id, criterion.position, criterion.id",
}


def stream(sql: str, params: Sequence[Any], *types: Any) -> Iterator[tuple[Any, ...]]:
    with connection.chunked_cursor() as cursor:
        for each in types:
            register_type(each, cursor.cursor)
        cursor.execute(sql, list(params))
        while rows := cursor.fetchmany(FETCHED):
            yield from rows


def ratings_of(study: Study, *, order: str, kind: str = "") -> Iterator[RatingRow]:
    """Yield every judgement of the study, or of one kind of batch."""
    return map(RatingRow._make, stream(RATINGS + ORDERS[order], [study.pk, kind, kind]))


def rating_blocks(study: Study, *, order: str, kind: str = "") -> Iterator[Any]:
    """Yield the same rows in blocks: each is a RatingRow whose fields hold lists of values.

    Times and arrays are text as PostgreSQL writes it.
    """
    return map(RatingRow._make, in_blocks(stream(RATINGS + ORDERS[order], [study.pk, kind, kind], AS_WRITTEN)))


def numbers_in(written: str) -> tuple[int, ...]:
    """Return the numbers in an array as PostgreSQL writes it."""
    return tuple(json.loads(f"[{written[1:-1]}]"))


def utc_text(written: str | None) -> str | None:
    """Convert a time as PostgreSQL writes it to the form of time_text; its fraction has no trailing zeros."""
    if written is None:
        return None
    if written[26:] == "+00":
        return f"{written[:10]}T{written[11:26]}Z"
    return time_text(datetime.fromisoformat(written))


def count_ratings(study: Study) -> int:
    return Rating.objects.filter(batch__study=study).count()


class ItemRow(NamedTuple):
    """An item with its texts, in the column order of ITEMS."""

    batch_position: int
    batch_id: int
    item_position: int
    item_id: int
    batch: str
    kind: str
    unit: str
    item_token: str
    dialogue: str | None
    turns: list[dict[str, str]]
    metadata: dict[str, Any]
    source: str | None
    is_reference: bool
    candidate: str | None
    speaker: str
    text: str
    # (dialogue, candidate, text, turns) of each candidate that the item shows together; in a comparison of whole
    # dialogues, of each dialogue, without a candidate and its text
    shown: list[list[Any]]
    is_check: bool
    asker: str
    conversation: str | None
    scenario: str | None
    context: list[dict[str, str]]
    above: list[dict[str, str]]  # the context of the response

    @property
    def item_key(self) -> tuple[int, int, int, int]:
        return self[:4]

    @property
    def dialogues(self) -> list[list[dict[str, str]]]:
        """Return the turns of both dialogues if whole dialogues are compared, otherwise nothing."""
        return [turns for _dialogue, candidate, _text, turns in self.shown if candidate is None]


ITEMS = f"""
    SELECT batch.position, batch.id, item.position, item.id, batch.key, batch.kind, item.unit, item.token::text,
        dialogue.key, coalesce(dialogue.turns, '[]'), coalesce(dialogue.metadata, '{{}}'), source.key,
        coalesce(source.is_reference, false), {ITEM_TEXT}, coalesce(candidate.speaker, ''),
        coalesce(candidate.text, ''),
        CASE WHEN other.id IS NULL THEN (
            SELECT coalesce(jsonb_agg(jsonb_build_array(of.key, each.key, each.text, of.turns) ORDER BY place.at), '[]')
            FROM unnest(item.shown) WITH ORDINALITY AS place (id, at)
            JOIN annotation_candidate each ON each.id = place.id
            JOIN annotation_dialogue of ON of.id = each.dialogue_id
        ) ELSE jsonb_build_array(
            jsonb_build_array(dialogue.key, NULL, '', dialogue.turns),
            jsonb_build_array(other.key, NULL, '', other.turns)
        ) END,
        item.is_check, coalesce(dialogue.asker, ''), dialogue.conversation, dialogue.scenario,
        coalesce(dialogue.context, '[]'), coalesce(candidate.context, '[]')
    FROM annotation_batch batch
    JOIN annotation_item item ON item.batch_id = batch.id
    {PARTS_OF_ITEM}
    LEFT JOIN annotation_dialogue other ON other.id = item.other_dialogue_id
    WHERE batch.study_id = %s AND (%s = '' OR batch.kind = %s) AND (%s OR NOT item.is_check)
    ORDER BY batch.position, batch.id, item.position, item.id
"""


def items_of(study: Study, *, kind: str = "", with_checks: bool = False) -> Iterator[ItemRow]:
    """Yield every item of the study with its texts, rated or not; checks only on request, as they are not results."""
    for row in stream(ITEMS, [study.pk, kind, kind, with_checks]):
        turns, asker = parsed(row[9]), row[18]
        facts = (
            *row[:9],
            turns,
            parsed(row[10]),
            *row[11:16],
            parsed(row[16]),
            row[17],
            asker or asker_of(turns),
            *row[19:21],
            parsed(row[21]),
            parsed(row[22]),
        )
        yield ItemRow._make(facts)


def with_ratings(items: Iterator[ItemRow], ratings: Iterator[RatingRow]) -> Iterator[tuple[ItemRow, list[RatingRow]]]:
    """Yield each item with its answers. Both are sorted by item; rows added between the two readings are skipped."""
    waiting = next(ratings, None)
    for item in items:
        own = []
        while waiting is not None and waiting.item_key <= item.item_key:
            if waiting.item_key == item.item_key:
                own.append(waiting)
            waiting = next(ratings, None)
        yield item, own


def parsed(value: Any) -> Any:
    """Parse jsonb from a raw query, which Django leaves as text for its model fields to parse."""
    return json.loads(value) if isinstance(value, str | bytes) else value
