"""Write and restore annotators' marks on items. Their file is left out of an archive without marks."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from annotation.importing.copying import execute
from annotation.models import ItemMark, Study
from annotation.selectors.comparisons import ITEM_TEXT
from archive.rows import FOUND_ITEM, restore_rows
from reporting.exports.cursors import stream
from reporting.study.names import PARTS_OF_ITEM

MARKS = "marks.csv"
HEADER = (
    "batch", "annotator", "round", "unit", "dialogue", "source", "item", "is_unsure", "unsure_at", "reason", "words",
    "flagged_at", "seen_at", "seen_note",
)  # fmt: skip
# An archive does not say which team member looked at a flag.
MARK_ROWS = f"""
    SELECT batch.key, participant.pseudonym, assignment.round, item.unit, dialogue.key, source.key, {ITEM_TEXT},
        mark.is_unsure, mark.unsure_at, mark.reason, mark.words, mark.flagged_at, mark.seen_at, mark.seen_note
    FROM annotation_batch batch
    JOIN annotation_assignment assignment ON assignment.batch_id = batch.id
    JOIN annotation_itemmark mark ON mark.assignment_id = assignment.id
    JOIN annotation_participant participant ON participant.id = assignment.participant_id
    JOIN annotation_item item ON item.id = mark.item_id
    {PARTS_OF_ITEM}
    WHERE batch.study_id = %s ORDER BY batch.position, batch.id, assignment.id, mark.id
"""
COLUMNS = (
    "batch text, annotator text, round int, unit text, dialogue text, source text, item text, is_unsure boolean, "
    "unsure_at timestamptz, reason text, words text, flagged_at timestamptz, seen_at timestamptz, seen_note text"
)
# The archive has only the current marks and not their history, so each becomes one change.
STORE = f"""
    INSERT INTO annotation_itemmark (assignment_id, item_id, is_unsure, unsure_at, reason, words, flagged_at, seen_at,
        seen_note)
    SELECT work.id, item.id, s.is_unsure, s.unsure_at, coalesce(s.reason, ''), coalesce(s.words, ''), s.flagged_at,
        s.seen_at, coalesce(s.seen_note, '')
    FROM archive_mark s
    JOIN annotation_batch batch ON batch.study_id = %(study)s AND batch.key = s.batch
    JOIN annotation_participant participant ON participant.study_id = %(study)s
        AND participant.pseudonym = s.annotator
    JOIN annotation_assignment work ON work.batch_id = batch.id AND work.participant_id = participant.id
        AND work.round = s.round
    {FOUND_ITEM}
    ORDER BY s.line
"""
CHANGES = """
    INSERT INTO annotation_markchange (mark_id, kind, is_set, reason, words, client_key, marked_at, received_at)
    SELECT mark.id, kind.name, CASE kind.name WHEN 'flag' THEN mark.reason <> '' ELSE mark.is_unsure END,
        CASE kind.name WHEN 'flag' THEN mark.reason ELSE '' END, CASE kind.name WHEN 'flag' THEN mark.words ELSE '' END,
        gen_random_uuid(), kind.at, kind.at
    FROM annotation_itemmark mark
    JOIN annotation_assignment work ON work.id = mark.assignment_id
    JOIN annotation_batch batch ON batch.id = work.batch_id AND batch.study_id = %(study)s
    CROSS JOIN LATERAL (VALUES ('unsure', mark.unsure_at), ('flag', mark.flagged_at)) AS kind (name, at)
    WHERE kind.at IS NOT NULL ORDER BY mark.id, kind.name
"""


def restore_marks(study: Study, path: Path) -> int:
    """Restore marks and return how many. Call it before the answers, which start measuring. Raise ImportRejected."""
    if not path.exists():
        return 0
    n_marks = restore_rows(
        path,
        "archive_mark",
        COLUMNS,
        STORE,
        {"study": study.pk},
        known={"reason": (ItemMark.Reason.values, _("has an unknown flag reason"))},
        lost=_("refers to work or items that are not in the archive"),
    )
    execute(CHANGES, {"study": study.pk})
    return n_marks


def has_marks(study: Study) -> bool:
    return ItemMark.objects.filter(assignment__batch__study=study).exists()


def mark_rows(study: Study) -> Iterator[Any]:
    return stream(MARK_ROWS, [study.pk])
