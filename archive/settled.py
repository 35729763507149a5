"""Write and restore labels on which two people disagreed at first, and the answers kept with settled ones."""

from pathlib import Path

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.importing.copying import execute
from annotation.importing.outcome import ImportSummary
from annotation.models import Study
from archive.rows import FOUND_ITEM, restore_rows, stage
from protocols.models import ProtocolVersion
from qualification.models import Disagreement

SETTLED = (
    "number", "batch", "unit", "dialogue", "source", "item", "protocol_sha256", "criterion", "round", "state", "how",
    "option", "found_at", "settled_at", "settled_by",
)  # fmt: skip
SETTLED_ANSWERS = ("number", "batch", "annotator", "criterion")
WRITTEN_LABELS = """
    FROM (SELECT disagreement.*, row_number() OVER (ORDER BY disagreement.id) AS number, item.unit, item.dialogue_id,
              item.source_id, item.candidate_id, batch.key AS batch, batch.study_id
          FROM annotation_batch batch JOIN annotation_item item ON item.batch_id = batch.id
          JOIN qualification_disagreement disagreement ON disagreement.item_id = item.id
          WHERE batch.study_id = %s) label
    JOIN protocols_criterion criterion ON criterion.id = label.criterion_id
"""
# Team members have no names in an archive, only a role.
SETTLED_ROWS = f"""
    SELECT label.number, label.batch, label.unit, dialogue.key, source.key, candidate.key, version.sha256,
        criterion.key, label.round, label.state, label.how, option.key, label.found_at, label.settled_at, member.role
    {WRITTEN_LABELS}
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
    {WRITTEN_LABELS}
    JOIN qualification_disagreement_answers kept ON kept.disagreement_id = label.id
    JOIN annotation_rating rating ON rating.id = kept.rating_id
    JOIN annotation_batch given ON given.id = rating.batch_id
    JOIN annotation_assignment work ON work.id = rating.assignment_id
    JOIN annotation_participant participant ON participant.id = work.participant_id
    JOIN protocols_criterion answered ON answered.id = rating.criterion_id
    ORDER BY label.number, rating.id
"""
LABEL_COLUMNS = (
    "number int, batch text, unit text, dialogue text, source text, item text, protocol_sha256 text, criterion text, "
    "round int, state text, how text, option text, found_at timestamptz, settled_at timestamptz, settled_by text"
)
# Imported annotators cannot re-rate: labels that wait for them go to adjudication.
LABELS = f"""
    INSERT INTO qualification_disagreement (item_id, criterion_id, round, state, how, option_id, note, found_at,
        settled_at)
    SELECT item.id, criterion.id, s.round, CASE s.state WHEN 're_rating' THEN 'adjudication' ELSE s.state END,
        coalesce(s.how, ''), option.id, '', s.found_at, s.settled_at
    FROM archive_label s
    JOIN annotation_batch batch ON batch.study_id = %(study)s AND batch.key = s.batch
    {FOUND_ITEM}
    JOIN protocols_protocolversion version ON version.id = ANY(%(versions)s) AND version.sha256 = s.protocol_sha256
    JOIN protocols_criterion criterion ON criterion.version_id = version.id AND criterion.key = s.criterion
    LEFT JOIN protocols_option option ON option.criterion_id = criterion.id AND option.key = s.option
    WHERE (s.option IS NULL) = (option.id IS NULL) ORDER BY s.number
"""
ANSWER_COLUMNS = "number int, batch text, annotator text, criterion text"
ANSWERS = """
    INSERT INTO qualification_disagreement_answers (disagreement_id, rating_id)
    SELECT label.id, rating.id
    FROM archive_answer s
    JOIN (SELECT disagreement.id, row_number() OVER (ORDER BY disagreement.id) AS number, criterion.version_id,
              item.unit, item.dialogue_id, item.source_id, item.candidate_id
          FROM qualification_disagreement disagreement
          JOIN annotation_item item ON item.id = disagreement.item_id
          JOIN annotation_batch batch ON batch.id = item.batch_id
          JOIN protocols_criterion criterion ON criterion.id = disagreement.criterion_id
          WHERE batch.study_id = %(study)s) label ON label.number = s.number
    JOIN annotation_batch batch ON batch.study_id = %(study)s AND batch.key = s.batch
    JOIN annotation_item item ON item.batch_id = batch.id AND item.unit = label.unit
        AND item.dialogue_id IS NOT DISTINCT FROM label.dialogue_id
        AND item.source_id IS NOT DISTINCT FROM label.source_id
        AND item.candidate_id IS NOT DISTINCT FROM label.candidate_id
    JOIN annotation_participant participant ON participant.study_id = %(study)s
        AND participant.pseudonym = s.annotator
    JOIN annotation_assignment work ON work.batch_id = batch.id AND work.participant_id = participant.id
    JOIN protocols_criterion criterion ON criterion.version_id = label.version_id AND criterion.key = s.criterion
    JOIN annotation_rating rating ON rating.assignment_id = work.id AND rating.item_id = item.id
        AND rating.criterion_id = criterion.id
"""


def restore_settled(study: Study, folder: Path, versions: list[ProtocolVersion], summary: ImportSummary) -> None:
    """Store the labels with their states and the answers kept with them. Raise ImportRejected."""
    summary.counts["settled_new"] = restore_rows(
        folder / "settled.csv",
        "archive_label",
        LABEL_COLUMNS,
        LABELS,
        {"study": study.pk, "versions": [each.pk for each in versions]},
        known={
            "state": (Disagreement.State.values, _("has an unknown state")),
            "how": (Disagreement.How.values, _("was settled in an unknown way")),
        },
        lost=_("refers to items or answers that are not in the archive"),
    )
    # Answers that do not count are not restored as ratings.
    n_answers = stage("archive_answer", ANSWER_COLUMNS, folder / "settled_answers.csv")
    n_missing = n_answers - execute(ANSWERS, {"study": study.pk})
    execute("DROP TABLE archive_answer")
    if n_missing:
        text = ngettext(
            "%(n)s answer kept with a settled label did not count and was left out.",
            "%(n)s answers kept with settled labels did not count and were left out.",
            n_missing,
        )
        summary.notes.append(text % {"n": n_missing})
