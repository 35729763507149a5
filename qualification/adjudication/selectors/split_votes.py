"""Find items whose annotators do not all agree, for any number of seats, the most split first."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.db import connection

from annotation.models import Assignment, Batch, Item, Rating, Study
from protocols.specs import CriterionSpec, spec_of
from qualification.adjudication.selectors.cases import Said, Shown, said_by_each, shown_items, with_words, words_of

# Only submitted work: nobody reads answers that may still change.
SPLIT = """
    WITH vote AS (
        SELECT rating.item_id, rating.criterion_id, rating.option_id, count(*) AS n
        FROM annotation_batch batch
        JOIN annotation_rating rating ON rating.batch_id = batch.id
        JOIN annotation_assignment work ON work.id = rating.assignment_id AND work.status = 'submitted'
        JOIN annotation_seat seat ON seat.assignment_id = work.id
        JOIN annotation_item item ON item.id = rating.item_id
        WHERE batch.study_id = %(study)s AND batch.kind = 'main' AND rating.is_active AND NOT item.is_check
            AND rating.option_id IS NOT NULL AND rating.criterion_id = ANY(%(criteria)s)
        GROUP BY 1, 2, 3),
    split AS (
        SELECT item_id, criterion_id, 1 - sum(n * (n - 1)) / (sum(n) * (sum(n) - 1)) AS share, sum(n) AS n
        FROM vote GROUP BY 1, 2 HAVING count(*) > 1)
"""
COUNT = SPLIT + "SELECT count(*) FROM split"
PAGE = (
    SPLIT
    + """SELECT item_id, criterion_id, share::float8 FROM split
    ORDER BY share DESC, n DESC, item_id, criterion_id LIMIT %(limit)s OFFSET %(offset)s"""
)


class Split(NamedTuple):
    """`share` is the share of pairs of annotators who gave different answers."""

    item_id: int
    criterion_id: int
    share: float


@dataclass(frozen=True, slots=True)
class SplitCard:
    item: Item
    criterion: CriterionSpec
    share: float
    shown: Shown
    votes: tuple[tuple[str, int], ...]
    said: list[Said]


def n_split(study: Study, criteria: Sequence[CriterionSpec]) -> int:
    """Return the number of (item, question) on which not all annotators agree."""
    with connection.cursor() as cursor:
        cursor.execute(COUNT, {"study": study.pk, "criteria": [each.id for each in criteria]})
        return cursor.fetchone()[0]


def split_items(study: Study, criteria: Sequence[CriterionSpec], *, limit: int, offset: int = 0) -> list[Split]:
    """Return one page of items and questions on which not all agree, the most split first."""
    ids = [each.id for each in criteria]
    with connection.cursor() as cursor:
        cursor.execute(PAGE, {"study": study.pk, "criteria": ids, "limit": limit, "offset": offset})
        return [Split(*row) for row in cursor.fetchall()]


def questions_of(study: Study, key: str = "") -> list[CriterionSpec]:
    """Return the questions answered with one option, or only the one with this key if it is among them."""
    voted = [each for each in spec_of(study.protocol_version).voted if each.is_asked]
    return [each for each in voted if each.key == key] or voted


def split_cards(study: Study, found: Sequence[Split]) -> list[SplitCard]:
    """Return the items with all votes, in a fixed number of queries."""
    spec = spec_of(study.protocol_version)
    items = Item.objects.select_related("dialogue", "candidate", "batch").in_bulk({each.item_id for each in found})
    shown = shown_items(items.values())
    counted = Rating.objects.filter(
        item__in=items, assignment__seat__isnull=False, assignment__status=Assignment.Status.SUBMITTED,
        batch__kind=Batch.Kind.MAIN,
    )  # fmt: skip
    rows: dict[int, list[Rating]] = defaultdict(list)
    for row in with_words(counted):
        rows[row.item_id].append(row)
    words = words_of(row for own in rows.values() for row in own)
    cards = []
    for pk, criterion_id, share in found:
        criterion, said = spec.by_id[criterion_id], said_by_each(rows[pk], criterion_id, words)
        given = [row.option_id for row in rows[pk] if row.criterion_id == criterion_id]
        counts = ((option.label, given.count(option.id)) for option in criterion.options)
        votes = sorted(((label, n) for label, n in counts if n), key=lambda vote: -vote[1])
        cards.append(SplitCard(items[pk], criterion, share, shown[pk], tuple(votes), said))
    return cards
