"""What the entries of a study's archive hold, each read in bounded memory."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from annotation.models import Study
from protocols.models import ProtocolVersion
from reporting.exports.cursors import items_of, parsed, stream
from reporting.exports.json_lines import as_line

FORMAT = 1  # of the archive
ASSIGNMENTS = ("batch", "annotator", "status", "seat", "seed", "claimed_at", "submitted_at", "comment")
ANNOTATORS = ("annotator", "standing", "consented_at", "consent_version")
ITEMS = ("batch", "unit", "position", "item_token", "dialogue", "source", "item", "shown")
IDS = ("dialogue", "item", "source")
SETTINGS = (
    "slug", "name", "description", "status", "seats", "seed", "majority_rule", "platform", "pay_currency",
    "consent_text", "consent_version", "content_language", "expected_minutes", "max_minutes",
)  # fmt: skip
TAKEN = frozenset({"dialogue_id", "batch", "history", "utterances", "candidates"})
TAKEN_OF_CANDIDATE = frozenset({"candidate_id", "source", "text"})

ASSIGNMENT_ROWS = """
    SELECT batch.key, participant.pseudonym, assignment.status, seat.number, assignment.seed, assignment.claimed_at,
        assignment.submitted_at, assignment.feedback
    FROM annotation_batch batch JOIN annotation_assignment assignment ON assignment.batch_id = batch.id
    JOIN annotation_participant participant ON participant.id = assignment.participant_id
    LEFT JOIN annotation_seat seat ON seat.assignment_id = assignment.id
    WHERE batch.study_id = %s ORDER BY batch.position, batch.id, assignment.id
"""
ANNOTATOR_ROWS = """
    SELECT pseudonym, standing, consented_at, consent_version FROM annotation_participant
    WHERE study_id = %s ORDER BY id
"""
# A line of the dialogue import must have texts: what has none is known by its id.
ID_ROWS = """
    SELECT dialogue.key, coalesce(candidate.key, ''), coalesce(source.key, '')
    FROM annotation_dialogue dialogue
    LEFT JOIN annotation_candidate candidate ON candidate.dialogue_id = dialogue.id
        AND (dialogue.is_textless OR candidate.text = '')
    LEFT JOIN annotation_source source ON source.id = candidate.source_id
    WHERE dialogue.study_id = %s AND (dialogue.is_textless OR candidate.id IS NOT NULL)
    ORDER BY dialogue.position, candidate.id
"""
DIALOGUES = """
    SELECT dialogue.key, dialogue.turns, dialogue.metadata, dialogue.batch_key,
        coalesce(jsonb_agg(jsonb_build_array(candidate.key, source.key, candidate.text, candidate.metadata)
            ORDER BY candidate.id) FILTER (WHERE candidate.text <> ''), '[]')
    FROM annotation_dialogue dialogue
    LEFT JOIN annotation_candidate candidate ON candidate.dialogue_id = dialogue.id
    LEFT JOIN annotation_source source ON source.id = candidate.source_id
    WHERE dialogue.study_id = %s AND NOT dialogue.is_textless
    GROUP BY dialogue.id ORDER BY dialogue.position
"""
HAS_BARE = """
    SELECT EXISTS (SELECT FROM annotation_dialogue dialogue
        WHERE dialogue.study_id = %s AND NOT dialogue.is_textless AND NOT EXISTS (
            SELECT FROM annotation_candidate candidate
            WHERE candidate.dialogue_id = dialogue.id AND candidate.text <> ''))
"""


def assignment_rows(study: Study) -> Iterator[Any]:
    return stream(ASSIGNMENT_ROWS, [study.pk])


def annotator_rows(study: Study) -> Iterator[Any]:
    return stream(ANNOTATOR_ROWS, [study.pk])


def id_rows(study: Study) -> Iterator[Any]:
    return stream(ID_ROWS, [study.pk])


def item_rows(study: Study) -> Iterator[list[Any]]:
    for item in items_of(study):
        shown = [[dialogue, candidate] for dialogue, candidate, _text in item.shown]
        yield [
            item.batch,
            item.unit,
            item.item_position,
            str(item.item_token),
            item.dialogue,
            item.source,
            item.candidate,
            json.dumps(shown, ensure_ascii=False) if shown else "",
        ]


def turns_field(study: Study) -> str:
    """`history` asks for candidates in every line; `utterances` does without."""
    return "utterances" if next(stream(HAS_BARE, [study.pk]))[0] else "history"


def dialogue_lines(study: Study) -> Iterator[bytes]:
    field = turns_field(study)
    for key, turns, metadata, batch, candidates in stream(DIALOGUES, [study.pk]):
        record = {"dialogue_id": key, "batch": batch, field: parsed(turns)}
        found = [_candidate(*each) for each in parsed(candidates)]
        record |= {"candidates": found} if found else {}
        yield as_line(record | _others(parsed(metadata), TAKEN))


def _candidate(key: str, source: str, text: str, metadata: dict[str, Any]) -> dict[str, Any]:
    return {"candidate_id": key, "source": source, "text": text} | _others(metadata, TAKEN_OF_CANDIDATE)


def _others(metadata: dict[str, Any], taken: frozenset[str]) -> dict[str, Any]:
    return {f"other_{name}" if name in taken else name: value for name, value in metadata.items()}


def settings_of(study: Study, versions: Mapping[str, ProtocolVersion]) -> dict[str, Any]:
    own = {name: getattr(study, name) for name in SETTINGS}
    own["pay_amount"] = None if study.pay_amount is None else str(study.pay_amount)
    batches = study.batches.order_by("position", "pk")
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
                "n_seats": batch.seats.count(),
                "is_begun": batch.ratings_version > 0,
            }
            for batch in batches
        ],
    }
