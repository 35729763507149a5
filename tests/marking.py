"""Annotators who mark items, through the service; and a protocol that lets flagged items be skipped."""

from typing import Any
from uuid import uuid4

from django.utils import timezone

from annotation.models import Assignment, Batch, Item, ItemMark
from annotation.services.batching import make_batches
from annotation.services.marking import Marked, Marking, record_mark
from protocols.services import store_bundle
from tests.factories import CandidateFactory, DialogueFactory, SourceFactory, StudyFactory

YES, NO = {"key": "yes", "label": "Yes"}, {"key": "no", "label": "No"}


def when(criterion: str) -> list[dict[str, Any]]:
    return [{"criterion": criterion, "options": ["no"]}]


# Two units, three questions of a response that depend on each other, one that may stay empty.
SKIPPING: dict[str, Any] = {
    "bundle": 1,
    "protocol": "skipping",
    "name": "Skipping",
    "version": "1.0",
    "order": "criterion_first",
    "flagged": "skip",
    "criteria": [
        {"key": "fit", "name": "Fit", "question": "Does it fit?", "options": [YES, NO]},
        {"key": "why", "name": "Why", "question": "Is it rude?", "options": [YES, NO], "when": when("fit")},
        {"key": "deep", "name": "Deep", "question": "Is it dull?", "options": [YES, NO], "when": when("why")},
        {"key": "clear", "name": "Clear", "question": "Is it clear?", "options": [YES, NO]},
        {"key": "extra", "name": "Extra", "question": "Is it odd?", "options": [YES, NO], "required": False},
        {"key": "whole", "name": "Whole", "question": "Is all good?", "unit": "dialogue", "options": [YES, NO]},
    ],
}


def make_skipping_batch(n_dialogues: int = 2, **changes: Any) -> Batch:
    """Two responses to each dialogue, and the dialogue itself; two seats."""
    now = timezone.now()
    version, _ = store_bundle(SKIPPING | changes, publish=True, now=now)
    study = StudyFactory(protocol_version=version, seats=2)
    sources = [SourceFactory(study=study) for _ in range(2)]
    for _ in range(n_dialogues):
        dialogue = DialogueFactory(study=study)
        for source in sources:
            CandidateFactory(dialogue=dialogue, source=source)
    batch = make_batches(study, by="size", size=n_dialogues, now=now)[0]
    Batch.objects.filter(pk=batch.pk).update(status=Batch.Status.OPEN)
    batch.refresh_from_db()
    return batch


def flag(assignment: Assignment, item: Item, reason: str = "broken", words: str = "", **more: Any) -> Marked:
    return _mark(assignment, item, "flag", True, reason=reason, words=words, **more)


def take_back(assignment: Assignment, item: Item, **more: Any) -> Marked:
    return _mark(assignment, item, "flag", False, **more)


def be_unsure(assignment: Assignment, item: Item, is_set: bool = True, **more: Any) -> Marked:
    return _mark(assignment, item, "unsure", is_set, **more)


def _mark(assignment: Assignment, item: Item, kind: str, is_set: bool, **more: Any) -> Marked:
    values = {"client_key": uuid4()} | more
    return record_mark(assignment.pk, Marking(item.token, kind, is_set, **values), now=timezone.now())


def mark_of(assignment: Assignment, item: Item) -> ItemMark:
    return ItemMark.objects.get(assignment=assignment, item=item)
