"""Write and restore what comparisons have besides items and answers: sides drawn for annotators, whose screens are in
an order of their own, and identical pairs.

The files are left out of an archive that has none of these.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from annotation.importing.copying import execute, fetch
from annotation.models import IdenticalPair, Item, Study
from annotation.selectors.comparisons import ITEM_TEXT
from archive.rows import faulty, restore_rows, stage
from protocols.models import ProtocolVersion
from reporting.exports.cursors import stream

SIDES, SHUFFLED, IDENTICAL = "sides.csv", "shuffled.csv", "identical_pairs.csv"
SIDES_HEADER = ("batch", "annotator", "round", "dialogue", "item")
SHUFFLED_HEADER = ("batch", "annotator", "round")
IDENTICAL_HEADER = ("batch", "dialogue", "first", "second")
# One row for each comparison whose second candidate stood on the left.
SIDE_ROWS = f"""
    SELECT batch.key, participant.pseudonym, assignment.round, dialogue.key, {ITEM_TEXT}
    FROM annotation_batch batch
    JOIN annotation_assignment assignment ON assignment.batch_id = batch.id
    JOIN annotation_participant participant ON participant.id = assignment.participant_id
    JOIN annotation_item item ON item.batch_id = batch.id AND item.id = ANY(assignment.swapped)
    JOIN annotation_dialogue dialogue ON dialogue.id = item.dialogue_id
    LEFT JOIN annotation_candidate candidate ON candidate.id = item.candidate_id
    WHERE batch.study_id = %s ORDER BY batch.position, batch.id, assignment.id, item.id
"""
# One row for the work of each annotator whose screens are in the order that follows from the seed of the work.
SHUFFLED_ROWS = """
    SELECT batch.key, participant.pseudonym, assignment.round
    FROM annotation_batch batch
    JOIN annotation_assignment assignment ON assignment.batch_id = batch.id AND assignment.is_shuffled
    JOIN annotation_participant participant ON participant.id = assignment.participant_id
    WHERE batch.study_id = %s ORDER BY batch.position, batch.id, assignment.id
"""
# Without `first`, the dialogue itself is compared with the dialogue `second`.
IDENTICAL_ROWS = """
    SELECT batch.key, dialogue.key, first.key, coalesce(second.key, other.key)
    FROM annotation_identicalpair pair
    JOIN annotation_batch batch ON batch.id = pair.batch_id
    JOIN annotation_dialogue dialogue ON dialogue.id = pair.dialogue_id
    LEFT JOIN annotation_dialogue other ON other.id = pair.other_dialogue_id
    LEFT JOIN annotation_candidate first ON first.id = pair.first_id
    LEFT JOIN annotation_candidate second ON second.id = pair.second_id
    WHERE batch.study_id = %s ORDER BY batch.position, batch.id, pair.id
"""
STORE_SIDES = f"""
    UPDATE annotation_assignment SET swapped = found.items
    FROM (
        SELECT work.id, array_agg(item.id ORDER BY item.id) AS items
        FROM archive_side s
        JOIN annotation_batch batch ON batch.study_id = %(study)s AND batch.key = s.batch
        JOIN annotation_participant participant ON participant.study_id = %(study)s
            AND participant.pseudonym = s.annotator
        JOIN annotation_assignment work ON work.batch_id = batch.id AND work.participant_id = participant.id
            AND work.round = s.round
        JOIN annotation_dialogue dialogue ON dialogue.study_id = %(study)s AND dialogue.key = s.dialogue
        JOIN annotation_item item ON item.batch_id = batch.id AND item.unit = 'comparison'
            AND item.dialogue_id = dialogue.id
        LEFT JOIN annotation_candidate candidate ON candidate.id = item.candidate_id
        WHERE {ITEM_TEXT} = s.item
        GROUP BY work.id) found
    WHERE annotation_assignment.id = found.id
"""
STORE_SHUFFLED = """
    UPDATE annotation_assignment work SET is_shuffled = true
    FROM archive_shuffled s
    JOIN annotation_batch batch ON batch.study_id = %(study)s AND batch.key = s.batch
    JOIN annotation_participant participant ON participant.study_id = %(study)s AND participant.pseudonym = s.annotator
    WHERE work.batch_id = batch.id AND work.participant_id = participant.id AND work.round = s.round
"""
STORE_IDENTICAL = """
    INSERT INTO annotation_identicalpair (batch_id, dialogue_id, first_id, second_id, other_dialogue_id)
    SELECT batch.id, dialogue.id, one.id, two.id, other.id
    FROM archive_identical s
    JOIN annotation_batch batch ON batch.study_id = %(study)s AND batch.key = s.batch
    JOIN annotation_dialogue dialogue ON dialogue.study_id = %(study)s AND dialogue.key = s.dialogue
    LEFT JOIN annotation_candidate one ON one.dialogue_id = dialogue.id AND one.key = s.first
    LEFT JOIN annotation_candidate two ON one.id IS NOT NULL AND two.dialogue_id = dialogue.id AND two.key = s.second
    LEFT JOIN annotation_dialogue other ON s.first IS NULL AND other.study_id = %(study)s AND other.key = s.second
    WHERE two.id IS NOT NULL OR other.id IS NOT NULL
    ORDER BY s.line
"""


def has_comparisons(study: Study) -> bool:
    is_compared = Item.objects.filter(batch__study=study, unit=ProtocolVersion.Unit.COMPARISON).exists()
    return is_compared or IdenticalPair.objects.filter(batch__study=study).exists()


def side_rows(study: Study) -> Iterator[Any]:
    return stream(SIDE_ROWS, [study.pk])


def shuffled_rows(study: Study) -> Iterator[Any]:
    return stream(SHUFFLED_ROWS, [study.pk])


def identical_rows(study: Study) -> Iterator[Any]:
    return stream(IDENTICAL_ROWS, [study.pk])


def restore_sides(study: Study, folder: Path) -> None:
    """Restore the sides and identical pairs. Call it when there is work and before there are answers.

    Raise ImportRejected.
    """
    if not (folder / SIDES).exists():
        return
    restore_rows(
        folder / IDENTICAL,
        "archive_identical",
        "batch text, dialogue text, first text, second text",
        STORE_IDENTICAL,
        {"study": study.pk},
        lost=_("refers to batches, dialogues or candidates that are not in the archive"),
    )
    stage("archive_side", "batch text, annotator text, round int, dialogue text, item text", folder / SIDES)
    execute(STORE_SIDES, {"study": study.pk})
    n_rows = fetch("SELECT count(*) FROM archive_side")[0][0]
    n_sides = fetch(
        """SELECT coalesce(sum(cardinality(swapped)), 0) FROM annotation_assignment work
           JOIN annotation_batch batch ON batch.id = work.batch_id WHERE batch.study_id = %s""",
        [study.pk],
    )[0][0]
    if n_sides != n_rows:
        raise faulty(folder / SIDES, 0, _("refers to work or items that are not in the archive"))
    execute("DROP TABLE archive_side")


def restore_shuffled(study: Study, folder: Path) -> None:
    """Restore whose screens are in an order of their own: the seed that it follows from is restored with the work.

    Raise ImportRejected.
    """
    if (folder / SHUFFLED).exists():
        restore_rows(
            folder / SHUFFLED,
            "archive_shuffled",
            "batch text, annotator text, round int",
            STORE_SHUFFLED,
            {"study": study.pk},
            lost=_("refers to work that is not in the archive"),
        )
