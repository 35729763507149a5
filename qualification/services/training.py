"""Training items out of the protocol's worked examples, and what is said after each of their answers."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from annotation.models import Batch, Candidate, Dialogue, Source, Study
from annotation.services import activity
from annotation.services.batching import make_batches
from annotation.services.importing.dialogues import lock_study, next_position
from annotation.services.refusals import Refused
from protocols.models import Criterion, Example, ProtocolVersion
from qualification.models import KnownAnswer

Unit = ProtocolVersion.Unit


@dataclass(frozen=True, slots=True)
class Lesson:
    """One evaluated text of an example: a candidate, or the history itself."""

    criterion: Criterion
    text: str | None
    option: str
    why: str


@transaction.atomic
def make_training(study: Study, *, by: User, now: datetime) -> list[Batch]:
    """One open training batch of all examples that are not in one yet. The same twice changes nothing.

    Examples with the same history become one dialogue. Raises Refused when none can be rated on its own.
    """
    lock_study(study)
    lessons = _lessons(study)
    waits = Dialogue.objects.filter(study=study, purpose=Dialogue.Purpose.TRAINING, items=None)
    if not lessons and not waits.exists():
        raise Refused(
            "no_examples", _("The protocol has no examples that can be rated: write training items yourself.")
        )
    for history, found in lessons.items():
        store_lessons(study, json.loads(history), found, now)
    waiting = waits.count()
    made = make_batches(study, by="size", size=waiting, kind=Batch.Kind.TRAINING, seats=1, now=now) if waiting else []
    Batch.objects.filter(pk__in=[batch.pk for batch in made]).update(status=Batch.Status.OPEN)
    details = {"dialogues": len(lessons), "batches": [batch.key for batch in made]}
    activity.log(study, by, "training", details=details, now=now)
    return made


def _lessons(study: Study) -> dict[str, list[Lesson]]:
    """By history. Turns of a history that are rated, sets and models cannot be shown as items of their own."""
    found: dict[str, list[Lesson]] = defaultdict(list)
    version = study.protocol_version
    examples = Example.objects.filter(criterion__version=version, rated_turn=None).select_related("criterion")
    for example in examples.order_by("criterion__position", "position"):
        unit = example.criterion.unit or version.unit
        found[json.dumps(example.history, sort_keys=True)] += _of_example(example, unit)
    return {history: lessons for history, lessons in found.items() if lessons}


def _of_example(example: Example, unit: str) -> Iterable[Lesson]:
    if unit == Unit.RESPONSE:
        for each in example.candidates:
            yield Lesson(example.criterion, each["text"], each.get("option", ""), each.get("why", ""))
    elif unit == Unit.DIALOGUE and not example.candidates and example.option:
        yield Lesson(example.criterion, None, example.option, example.why)


def store_lessons(study: Study, history: list[dict[str, Any]], lessons: list[Lesson], now: datetime) -> Dialogue:
    """A dialogue held apart, which the next training batch is made of. Call it with the study locked."""
    digest = hashlib.sha256(json.dumps(history, sort_keys=True).encode()).hexdigest()
    dialogue, _new = Dialogue.objects.get_or_create(
        study=study,
        key=f"example-{digest[:12]}",
        defaults={
            "position": next_position(study), "turns": history, "digest": digest,
            "purpose": Dialogue.Purpose.TRAINING,
        },
    )  # fmt: skip
    for lesson in lessons:
        candidate = None if lesson.text is None else _candidate(study, dialogue, lesson.text)
        _know(study, dialogue, candidate, lesson, now)
    return dialogue


def _candidate(study: Study, dialogue: Dialogue, text: str) -> Candidate:
    key = f"example-{hashlib.sha256(text.encode()).hexdigest()[:12]}"
    known = Candidate.objects.filter(dialogue=dialogue, key=key).first()
    return known or Candidate.objects.create(dialogue=dialogue, key=key, text=text, source=_source(study))


def _source(study: Study) -> Source:
    last = Source.objects.filter(study=study).aggregate(last=Max("position"))["last"] or 0
    values = {"name": _("Examples of the protocol"), "position": last + 1}
    return Source.objects.get_or_create(study=study, key=Source.EXAMPLES, defaults=values)[0]


def _know(study: Study, dialogue: Dialogue, candidate: Candidate | None, lesson: Lesson, now: datetime) -> None:
    right = lesson.criterion.options.filter(key=lesson.option).first()
    if right is None:
        return
    KnownAnswer.objects.get_or_create(
        dialogue=dialogue,
        candidate=candidate,
        source=None,
        unit=Unit.DIALOGUE if candidate is None else Unit.RESPONSE,
        criterion=lesson.criterion,
        defaults={
            "study": study, "kind": KnownAnswer.Kind.TRAINING, "options": [right.pk], "explanation": lesson.why,
            "created_at": now,
        },
    )  # fmt: skip
