"""Count the annotators' flags by reason. Flags are not answers, and no other table counts them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Batch, ItemMark, Study
from annotation.selectors.marks import may_skip
from protocols.specs import spec_of

ALL = "any"
# Flags count as answers do: in main batches, from a seat, and not on checks. A flagged item counts as skipped if the
# same annotator left a question about it unanswered.
FLAGS = """
    SELECT coalesce(mark.reason, %(all)s), count(*), count(DISTINCT mark.item_id),
        count(DISTINCT assignment.participant_id),
        count(*) FILTER (WHERE %(may_skip)s AND EXISTS (
            SELECT FROM unnest(%(criteria)s::bigint[], %(units)s::text[]) AS wanted (id, unit)
            WHERE wanted.unit = item.unit AND NOT EXISTS (
                SELECT FROM annotation_rating rating WHERE rating.assignment_id = mark.assignment_id
                    AND rating.item_id = mark.item_id AND rating.criterion_id = wanted.id AND rating.is_active)))
    FROM annotation_batch batch
    JOIN annotation_assignment assignment ON assignment.batch_id = batch.id
    JOIN annotation_seat seat ON seat.assignment_id = assignment.id
    JOIN annotation_itemmark mark ON mark.assignment_id = assignment.id AND mark.reason <> ''
    JOIN annotation_item item ON item.id = mark.item_id AND NOT item.is_check
    WHERE batch.study_id = %(study)s AND batch.kind = %(kind)s
    GROUP BY GROUPING SETS ((mark.reason), ())
"""


@dataclass(frozen=True, slots=True)
class Flags:
    """The flags with a reason: how many, on how many items, by how many annotators, and how many items were skipped."""

    reason: str
    flags: int
    items: int
    annotators: int
    skipped: int


def flags_table(study: Study) -> list[Flags]:
    """Return a row for each reason that was given, in the order of the dialog, and one for all; none without flags."""
    spec = spec_of(study.protocol_version)
    values: dict[str, Any] = {
        "all": ALL, "study": study.pk, "kind": Batch.Kind.MAIN, "may_skip": may_skip(spec, Batch.Kind.MAIN),
        "criteria": [each.id for each in spec.counted], "units": [each.unit for each in spec.counted],
    }  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute(FLAGS, values)
        found = {row[0]: Flags(*row) for row in cursor.fetchall()}
    return [found[each] for each in (*ItemMark.Reason.values, ALL) if each in found and found[each].flags]


def reason_word(reason: str) -> str:
    return _("Any reason") if reason == ALL else str(ItemMark.Reason(reason).label)


def flag_sentences(rows: list[Flags]) -> Iterable[str]:
    """Yield sentences for the methods section; none without flags."""
    if not rows:
        return
    whole = rows[-1]
    yield ngettext(
        "Annotators flagged %(items)s item as faulty; flags are not counted as answers.",
        "Annotators flagged %(items)s items as faulty; flags are not counted as answers.",
        whole.items,
    ) % {"items": f"{whole.items:,}"}
    if whole.skipped:
        yield ngettext(
            "Flagged items could be left unanswered; this happened %(n)s time.",
            "Flagged items could be left unanswered; this happened %(n)s times.",
            whole.skipped,
        ) % {"n": f"{whole.skipped:,}"}
