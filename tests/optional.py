"""A sheet of behaviours and two other questions, none of which has to have an answer."""

from typing import Any

from django.utils import timezone

from annotation.models import Batch
from annotation.services.batching import make_batches
from protocols.services import store_bundle
from tests.factories import CandidateFactory, DialogueFactory, SourceFactory, StudyFactory

BEHAVIOURS: dict[str, Any] = {
    "key": "behaviours",
    "name": "Behaviours",
    "question": "What does the response do?",
    "kind": "multiple",
    "required": False,
    "options": [
        {"key": "ignores", "label": "Ignores"},
        {"key": "repeats", "label": "Repeats"},
        {"key": "preaches", "label": "Preaches"},
    ],
}
SHEET: dict[str, Any] = {
    "bundle": 1,
    "protocol": "sheet",
    "name": "Sheet",
    "version": "1.0",
    "unit": "dialogue",
    "order": "item_first",
    "criteria": [
        BEHAVIOURS,
        {
            "key": "tone",
            "name": "Tone",
            "question": "Which tone stands out?",
            "required": False,
            "options": [
                {"key": "warm", "label": "Warm"},
                {"key": "cold", "label": "Cold"},
                {"key": "dry", "label": "Dry"},
            ],
        },
        {
            "key": "where",
            "name": "Where",
            "question": "Which turns does it contradict?",
            "kind": "turns",
            "required": False,
        },
    ],
}


def make_sheet_batch(n_dialogues: int = 1, **changes: Any) -> Batch:
    """One response to each dialogue; two seats."""
    now = timezone.now()
    version, _ = store_bundle(SHEET | changes, publish=True, now=now)
    study = StudyFactory(protocol_version=version, seats=2)
    source = SourceFactory(study=study)
    for _ in range(n_dialogues):
        CandidateFactory(dialogue=DialogueFactory(study=study), source=source)
    batch = make_batches(study, by="size", size=n_dialogues, now=now)[0]
    Batch.objects.filter(pk=batch.pk).update(status=Batch.Status.OPEN)
    batch.refresh_from_db()
    return batch
