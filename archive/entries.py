"""Produce the contents of the entries of a study's archive, each read in bounded memory."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from annotation.models import Study
from annotation.speakers import next_speaker
from protocols.models import Criterion, ProtocolVersion
from reporting.exports.cursors import items_of, parsed, stream
from reporting.exports.json_lines import as_line
from reporting.exports.tables import time_text

FORMAT = 6  # of the archive. Those before it were written by versions that were never released
ASSIGNMENTS = (
    "batch", "annotator", "status", "seat", "seed", "claimed_at", "submitted_at", "comment", "is_imported", "round",
)  # fmt: skip
ANNOTATORS = ("annotator", "status", "consented_at", "consent_version")
ITEMS = ("batch", "unit", "position", "item_token", "dialogue", "source", "item", "shown", "is_check")
IDS = ("dialogue", "conversation", "scenario", "author", "item", "source")
METRICS = (
    "number", "key", "name", "kind", "higher_is_better", "origin", "judge", "protocol_sha256", "criterion", "note",
    "created_at", "is_active",
)  # fmt: skip
PREDICTIONS = ("metric", "dialogue", "item", "value", "option")
DATASHEET = ("question", "text", "updated_at")
PURPOSES = ("dialogue", "purpose")
# The protocol version and the pay are added separately. Invitation settings are not exported.
SETTINGS = (
    "slug", "name", "description", "status", "seats", "seed", "majority_rule", "word_scale", "kappa_floor",
    "equivalence_margin", "platform", "pay_currency", "consent_text", "consent_version", "content_language",
    "text_format", "expected_minutes", "max_minutes",
)  # fmt: skip
# For runs that made metrics. Prompts, answers, endpoint and prices are left out: observers may export but not see them.
JUDGE = (
    "name", "content_language", "model", "n_shots", "temperature", "seed", "most_targets", "n_total", "n_answered",
    "n_refused", "n_malformed", "n_rejected", "n_requests", "tokens_prompt", "tokens_answer",
)  # fmt: skip
JUDGE_TIMES = ("created_at", "started_at", "finished_at")
TAKEN = frozenset({
    "dialogue_id", "conversation", "scenario", "batch", "history", "utterances", "candidates", "asker", "context",
})  # fmt: skip
TAKEN_OF_CANDIDATE = frozenset({"candidate_id", "source", "speaker", "text", "context"})

ASSIGNMENT_ROWS = """
    SELECT batch.key, participant.pseudonym, assignment.status, seat.number, assignment.seed, assignment.claimed_at,
        assignment.submitted_at, assignment.feedback, assignment.is_imported, assignment.round
    FROM annotation_batch batch JOIN annotation_assignment assignment ON assignment.batch_id = batch.id
    JOIN annotation_participant participant ON participant.id = assignment.participant_id
    LEFT JOIN annotation_seat seat ON seat.assignment_id = assignment.id
    WHERE batch.study_id = %s ORDER BY batch.position, batch.id, assignment.id
"""
ANNOTATOR_ROWS = """
    SELECT pseudonym, status, consented_at, consent_version FROM annotation_participant
    WHERE study_id = %s ORDER BY id
"""
# Dialogues for pilots, training and checks. A line of the dialogue import cannot hold the purpose.
PURPOSE_ROWS = """
    SELECT key, purpose FROM annotation_dialogue WHERE study_id = %s AND purpose <> 'main' ORDER BY position, id
"""
# Dialogues and candidates without texts, listed by id: a line of the dialogue import must have texts.
ID_ROWS = """
    SELECT dialogue.key, dialogue.conversation, dialogue.scenario, coalesce(author.key, ''),
        coalesce(candidate.key, ''), coalesce(source.key, '')
    FROM annotation_dialogue dialogue
    LEFT JOIN annotation_source author ON author.id = dialogue.source_id
    LEFT JOIN annotation_candidate candidate ON candidate.dialogue_id = dialogue.id
        AND (dialogue.is_textless OR candidate.text = '')
    LEFT JOIN annotation_source source ON source.id = candidate.source_id
    WHERE dialogue.study_id = %s AND (dialogue.is_textless OR candidate.id IS NOT NULL)
    ORDER BY dialogue.position, candidate.id
"""
# Deleted metrics are included, so that old reports stay traceable. Numbers never change: new metrics come last.
METRIC_ROWS = """
    SELECT row_number() OVER (ORDER BY metric.id), metric.key, metric.name, metric.kind, metric.higher_is_better,
        metric.origin, run.name, version.sha256, criterion.key, metric.note, metric.created_at, metric.is_active
    FROM annotation_metric metric LEFT JOIN annotation_judgerun run ON run.id = metric.run_id
    LEFT JOIN protocols_criterion criterion ON criterion.id = metric.criterion_id
    LEFT JOIN protocols_protocolversion version ON version.id = criterion.version_id
    WHERE metric.study_id = %s ORDER BY metric.id
"""
PREDICTION_ROWS = """
    SELECT metric.number, dialogue.key, candidate.key, prediction.value, option.key
    FROM (SELECT id, row_number() OVER (ORDER BY id) AS number FROM annotation_metric WHERE study_id = %s) metric
    JOIN annotation_prediction prediction ON prediction.metric_id = metric.id
    LEFT JOIN annotation_candidate candidate ON candidate.id = prediction.candidate_id
    JOIN annotation_dialogue dialogue ON dialogue.id = coalesce(candidate.dialogue_id, prediction.dialogue_id)
    LEFT JOIN protocols_option option ON option.id = prediction.option_id
    ORDER BY metric.number, prediction.id
"""
DATASHEET_ROWS = """
    SELECT question, text, updated_at FROM annotation_datasheetanswer WHERE study_id = %s ORDER BY question
"""
DIALOGUES = """
    SELECT dialogue.key, dialogue.conversation, dialogue.turns, dialogue.metadata, dialogue.batch_key, dialogue.asker,
        dialogue.context, dialogue.scenario, author.key,
        coalesce(jsonb_agg(jsonb_build_array(candidate.key, source.key, candidate.speaker, candidate.text,
            candidate.metadata, candidate.context)
            ORDER BY candidate.id) FILTER (WHERE candidate.text <> ''), '[]')
    FROM annotation_dialogue dialogue
    LEFT JOIN annotation_source author ON author.id = dialogue.source_id
    LEFT JOIN annotation_candidate candidate ON candidate.dialogue_id = dialogue.id
    LEFT JOIN annotation_source source ON source.id = candidate.source_id
    WHERE dialogue.study_id = %s AND NOT dialogue.is_textless
    GROUP BY dialogue.id, author.key ORDER BY dialogue.position
"""
HAS_BARE = """
    SELECT EXISTS (SELECT FROM annotation_dialogue dialogue
        WHERE dialogue.study_id = %s AND NOT dialogue.is_textless AND NOT EXISTS (
            SELECT FROM annotation_candidate candidate
            WHERE candidate.dialogue_id = dialogue.id AND candidate.text <> ''))
"""


def item_rows(study: Study) -> Iterator[list[Any]]:
    for item in items_of(study, with_checks=True):
        shown = [[dialogue, candidate] for dialogue, candidate, *_texts in item.shown]
        yield [
            item.batch,
            item.unit,
            item.item_position,
            item.item_token,
            item.dialogue,
            item.source,
            item.candidate,
            json.dumps(shown, ensure_ascii=False) if shown else "",
            item.is_check,
        ]


def turns_field(study: Study) -> str:
    """Return the name of the field for turns: `history` requires candidates in every line, `utterances` does not."""
    return "utterances" if next(stream(HAS_BARE, [study.pk]))[0] else "history"


def dialogue_lines(study: Study) -> Iterator[bytes]:
    field = turns_field(study)
    rows = stream(DIALOGUES, [study.pk])
    for key, conversation, turns, metadata, batch, asker, context, scenario, author, candidates in rows:
        record = {"dialogue_id": key, "conversation": conversation, "batch": batch, "asker": asker}
        record["scenario"] = scenario
        record[field] = parsed(turns)
        following = next_speaker(record[field])
        found = []
        for candidate, source, speaker, text, more, above in parsed(candidates):
            said = {"candidate_id": candidate, "source": source, "text": text} | _context(above)
            if speaker not in ("", following):  # otherwise the import can tell the speaker from the dialogue
                said["speaker"] = speaker
            found.append(said | _others(more, TAKEN_OF_CANDIDATE))
        # Even an empty source is written: without the field, the import would take one from the metadata.
        rated = {"candidates": found} if found else {"source": author or ""}
        record |= _context(parsed(context)) | rated
        yield as_line(record | _others(parsed(metadata), TAKEN | rated.keys()))


def _context(panels: list[dict[str, str]]) -> dict[str, Any]:
    return {"context": panels} if panels else {}


def _others(metadata: dict[str, Any], taken: frozenset[str]) -> dict[str, Any]:
    return {f"other_{name}" if name in taken else name: value for name, value in metadata.items()}


def settings_of(study: Study, versions: Mapping[str, ProtocolVersion]) -> dict[str, Any]:
    own = {name: getattr(study, name) for name in SETTINGS}
    own["pay_amount"] = None if study.pay_amount is None else str(study.pay_amount)
    judges = []
    for run in study.judge_runs.filter(metrics__isnull=False).distinct().order_by("pk"):
        times = {name: getattr(run, name) for name in JUDGE_TIMES}
        criteria = Criterion.objects.filter(pk__in=run.criteria).order_by("position", "pk")
        judges.append(
            {
                **{name: getattr(run, name) for name in JUDGE},
                **{name: time_text(value) if value else None for name, value in times.items()},
                "protocol_sha256": run.protocol_version.sha256,
                "criteria": list(criteria.values_list("key", flat=True)),
            }
        )
    return {
        "parley_archive": FORMAT,
        "study": own,
        "protocols": {
            name: {"protocol": each.protocol.slug, "version": each.version, "sha256": each.sha256}
            for name, each in versions.items()
        },
        "dialogue_format": f"jsonl-{turns_field(study)}",
        "sources": list(study.sources.values("key", "name", "is_reference", "position")),
        "batches": [
            {
                "key": batch.key,
                "kind": batch.kind,
                "status": batch.status,
                "position": batch.position,
                "round": batch.round,
                "n_seats": batch.seats.count(),
                "is_begun": batch.ratings_version > 0,
            }
            for batch in study.batches.order_by("position", "pk")
        ],
        "judges": judges,
    }
