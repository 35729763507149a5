"""Labels on which two did not agree at first, and the answers that are kept with those that were settled."""

from collections.abc import Iterator
from typing import Any

from annotation.models import Study
from reporting.exports.cursors import stream

SETTLED = (
    "number", "batch", "unit", "dialogue", "source", "item", "protocol_sha256", "criterion", "round", "state", "how",
    "option", "found_at", "settled_at", "settled_by",
)  # fmt: skip
SETTLED_ANSWERS = ("number", "batch", "annotator", "criterion")
LABELS = """
    FROM (SELECT disagreement.*, row_number() OVER (ORDER BY disagreement.id) AS number, item.unit, item.dialogue_id,
              item.source_id, item.candidate_id, batch.key AS batch, batch.study_id
          FROM annotation_batch batch JOIN annotation_item item ON item.batch_id = batch.id
          JOIN qualification_disagreement disagreement ON disagreement.item_id = item.id
          WHERE batch.study_id = %s) label
    JOIN protocols_criterion criterion ON criterion.id = label.criterion_id
"""
# People of the team have no names in an archive, only a role.
SETTLED_ROWS = f"""
    SELECT label.number, label.batch, label.unit, dialogue.key, source.key, candidate.key, version.sha256,
        criterion.key, label.round, label.state, label.how, option.key, label.found_at, label.settled_at, member.role
    {LABELS}
    JOIN protocols_protocolversion version ON version.id = criterion.version_id
    LEFT JOIN annotation_dialogue dialogue ON dialogue.id = label.dialogue_id
    LEFT JOIN annotation_source source ON source.id = label.source_id
    LEFT JOIN annotation_candidate candidate ON candidate.id = label.candidate_id
    LEFT JOIN protocols_option option ON option.id = label.option_id
    LEFT JOIN annotation_membership member ON member.user_id = label.settled_by_id
        AND member.study_id = label.study_id
    ORDER BY label.number
"""
ANSWER_ROWS = f"""
    SELECT label.number, given.key, participant.pseudonym, answered.key
    {LABELS}
    JOIN qualification_disagreement_answers kept ON kept.disagreement_id = label.id
    JOIN annotation_rating rating ON rating.id = kept.rating_id
    JOIN annotation_batch given ON given.id = rating.batch_id
    JOIN annotation_assignment work ON work.id = rating.assignment_id
    JOIN annotation_participant participant ON participant.id = work.participant_id
    JOIN protocols_criterion answered ON answered.id = rating.criterion_id
    ORDER BY label.number, rating.id
"""


def settled_rows(study: Study) -> Iterator[Any]:
    return stream(SETTLED_ROWS, [study.pk])


def settled_answer_rows(study: Study) -> Iterator[Any]:
    return stream(ANSWER_ROWS, [study.pk])
