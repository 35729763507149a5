"""The marks of annotators on items, as an archive keeps them: an optional file of it."""

from collections.abc import Iterator
from typing import Any

from annotation.models import ItemMark, Study
from reporting.exports.cursors import stream

MARKS = (
    "batch", "annotator", "round", "unit", "dialogue", "source", "item", "is_unsure", "unsure_at", "reason", "words",
    "flagged_at", "seen_at", "seen_note",
)  # fmt: skip
# Who of the team looked at a flag has no name in an archive.
MARK_ROWS = """
    SELECT batch.key, participant.pseudonym, assignment.round, item.unit, dialogue.key, source.key, candidate.key,
        mark.is_unsure, mark.unsure_at, mark.reason, mark.words, mark.flagged_at, mark.seen_at, mark.seen_note
    FROM annotation_batch batch
    JOIN annotation_assignment assignment ON assignment.batch_id = batch.id
    JOIN annotation_itemmark mark ON mark.assignment_id = assignment.id
    JOIN annotation_participant participant ON participant.id = assignment.participant_id
    JOIN annotation_item item ON item.id = mark.item_id
    LEFT JOIN annotation_dialogue dialogue ON dialogue.id = item.dialogue_id
    LEFT JOIN annotation_source source ON source.id = item.source_id
    LEFT JOIN annotation_candidate candidate ON candidate.id = item.candidate_id
    WHERE batch.study_id = %s ORDER BY batch.position, batch.id, assignment.id, mark.id
"""


def has_marks(study: Study) -> bool:
    return ItemMark.objects.filter(assignment__batch__study=study).exists()


def mark_rows(study: Study) -> Iterator[Any]:
    return stream(MARK_ROWS, [study.pk])
