"""A protocol of several units: behaviours of each response, and seven-point items about the whole dialogue."""

from collections.abc import Sequence
from typing import Any

from django.utils import timezone

from annotation.models import Assignment, Batch, Study
from annotation.services.batching import make_batches
from protocols.services import store_bundle
from tests.factories import CandidateFactory, DialogueFactory, SourceFactory, StudyFactory, make_annotator, take_seat
from tests.optional import BEHAVIOURS as SHEET_OF_BEHAVIOURS

TURNS = [{"speaker": "AB"[at % 2], "text": f"turn {at}."} for at in range(5)]
BEHAVIOURS: dict[str, Any] = {
    **SHEET_OF_BEHAVIOURS,
    "examples": [
        {
            "title": "Said twice",
            "history": [{"speaker": "A", "text": "I have a cold."}],
            "candidates": [{"text": "A cold, a cold.", "option": "repeats", "why": "It says one thing twice."}],
        }
    ],
}
LIKED: dict[str, Any] = {
    "key": "liked",
    "name": "Liked",
    "question": "How likeable is B?",
    "unit": "dialogue",
    "scale": "ordinal",
    "options": [{"key": f"p{at}", "label": str(at), "value": at} for at in range(1, 8)],
    "examples": [
        {
            "title": "A kind dialogue",
            "history": [{"speaker": "A", "text": "I have a cold."}, {"speaker": "B", "text": "Then sleep well."}],
            "option": "p7",
            "why": "B cares.",
        }
    ],
}
CLEAR: dict[str, Any] = {**LIKED, "key": "clear", "name": "Clear", "question": "How clear is B?", "examples": []}
AT_THE_END, FIRST, AROUND = [BEHAVIOURS, LIKED, CLEAR], [LIKED, CLEAR, BEHAVIOURS], [LIKED, BEHAVIOURS, CLEAR]


def sitting(criteria: list[dict[str, Any]], **changes: Any) -> dict[str, Any]:
    made = {"bundle": 1, "protocol": "sitting", "name": "Sitting", "version": "1.0", "order": "item_first"}
    return made | {"criteria": criteria} | changes


def make_conversation(
    criteria: list[dict[str, Any]], *, whole: Sequence[dict[str, str]] = (), n_turns: int = 3, **changes: Any
) -> Study:
    """Return a study of one conversation, with a response of one source to each turn, and the `whole` if given."""
    version, _ = store_bundle(sitting(criteria, **changes), publish=True, now=timezone.now())
    study: Study = StudyFactory(protocol_version=version, seats=2)
    source = SourceFactory(study=study)
    for at in range(n_turns):
        turns = TURNS[: 2 * at + 1]
        dialogue = DialogueFactory(study=study, key=f"c-{at + 1}", conversation="c", turns=turns, position=at)
        CandidateFactory(dialogue=dialogue, source=source, text=f"response {at + 1}.", speaker="B")
    if whole:
        DialogueFactory(study=study, key="c", conversation="c", turns=list(whole), position=n_turns)
    return study


def begin_conversation(criteria: list[dict[str, Any]], **more: Any) -> Assignment:
    study = make_conversation(criteria, **more)
    (batch,) = make_batches(study, by="size", size=9, now=timezone.now())
    Batch.objects.filter(pk=batch.pk).update(status=Batch.Status.OPEN)
    batch.refresh_from_db()
    return take_seat(make_annotator(study, "ann"), batch)
