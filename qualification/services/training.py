"""Training items of the protocol's worked examples and of cases, and what is said after each of their answers."""

import hashlib
import json
from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, F, Max, OuterRef
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Assignment, Batch, Candidate, Dialogue, Item, Seat, Source, Study
from annotation.services import activity
from annotation.services.batching import make_batches
from annotation.services.importing.dialogues import lock_study, next_position
from annotation.services.importing.shapes import free_key
from annotation.services.nudging import raise_version
from annotation.services.refusals import Refused
from protocols.models import Criterion, Example, ProtocolVersion
from qualification.models import KnownAnswer

Unit = ProtocolVersion.Unit
Turn = dict[str, Any]
TOGETHER = (Unit.CANDIDATE_SET, Unit.MODEL)
GROUPED, INNER, OTHER = "grouped", "inner", "other"  # why an example is left out


@dataclass(frozen=True, slots=True)
class Lesson:
    """One evaluated text of an example: a candidate, or the history itself."""

    criterion: Criterion
    text: str | None
    option: str
    why: str


@dataclass(frozen=True, slots=True)
class Examples:
    """Of a protocol: lessons by history, as JSON, and how many cannot be shown on their own, by the reason."""

    lessons: dict[str, list[Lesson]]
    left_out: Counter[str]


@transaction.atomic
def make_training(study: Study, *, by: User, now: datetime) -> list[Batch]:
    """One open training batch of all examples that are not in one yet. The same twice changes nothing.

    Examples with the same history become one dialogue. Raises Refused when none can be rated on its own.
    """
    lock_study(study)
    examples = _examples_of(study)
    waits = Dialogue.objects.filter(study=study, purpose=Dialogue.Purpose.TRAINING, items=None)
    if not examples.lessons and not waits.exists():
        raise Refused("no_examples", _why_none(examples))
    for history, found in examples.lessons.items():
        store_lessons(study, json.loads(history), found, now)
    waiting = waits.count()
    made = make_batches(study, by="size", size=waiting, kind=Batch.Kind.TRAINING, seats=1, now=now) if waiting else []
    for batch in made:
        _open(batch)
    details = {"dialogues": len(examples.lessons), "batches": [batch.key for batch in made]}
    activity.log(study, by, "training", details=details, now=now)
    return made


def _open(batch: Batch) -> None:
    """Without sets and models: examples are no sample of what a source says."""
    batch.items.filter(source__key=Source.EXAMPLES, unit__in=TOGETHER).delete()
    batch.n_items, batch.status = batch.items.count(), Batch.Status.OPEN
    batch.save(update_fields=["n_items", "status"])


# --- examples ----------------------------------------------------------------------------------------
def left_out(study: Study) -> str:
    """Which examples cannot be shown on their own, and why; empty when all can."""
    found = _reasons(_examples_of(study))
    return _("Left out: %(reasons)s.") % {"reasons": found} if found else ""


def _why_none(examples: Examples) -> str:
    if not examples.left_out:
        return _("The protocol has no examples: write training items yourself.")
    text = _("No example of the protocol can be rated on its own: %(reasons)s. Write training items yourself.")
    return text % {"reasons": _reasons(examples)}


def _reasons(examples: Examples) -> str:
    counts = examples.left_out
    sentences = {
        GROUPED: ngettext(
            "%(n)s example is of a set of responses or of a model",
            "%(n)s examples are of sets of responses or of models",
            counts[GROUPED],
        ),
        INNER: ngettext(
            "%(n)s example rates a turn that is not the last, or has none before it",
            "%(n)s examples rate a turn that is not the last, or has none before it",
            counts[INNER],
        ),
        OTHER: ngettext(
            "%(n)s example evaluates another part of the dialogue than annotators rate",
            "%(n)s examples evaluate another part of the dialogue than annotators rate",
            counts[OTHER],
        ),
    }
    return "; ".join(text % {"n": counts[reason]} for reason, text in sentences.items() if counts[reason])


def _examples_of(study: Study) -> Examples:
    found = Examples(defaultdict(list), Counter())
    version = study.protocol_version
    examples = Example.objects.filter(criterion__version=version).select_related("criterion")
    for example in examples.order_by("criterion__position", "position"):
        shown = _shown(example, example.criterion.unit or version.unit)
        if isinstance(shown, str):
            found.left_out[shown] += 1
        else:
            found.lessons[json.dumps(shown[0], sort_keys=True)] += shown[1]
    return found


def _shown(example: Example, unit: str) -> tuple[list[Turn], list[Lesson]] | str:
    """The dialogue, and what is judged of it; or why it cannot be shown on its own."""
    history, criterion, at = example.history, example.criterion, example.rated_turn
    if unit in TOGETHER:
        return GROUPED
    if unit == Unit.RESPONSE and example.candidates:
        said = example.candidates
        return history, [Lesson(criterion, each["text"], each.get("option", ""), each.get("why", "")) for each in said]
    if unit == Unit.RESPONSE and at is not None:
        if not 1 < at == len(history):
            return INNER
        return history[:-1], [Lesson(criterion, history[-1]["text"], example.option, _explanation(example))]
    if unit == Unit.DIALOGUE and not example.candidates and at is None and example.option:
        return history, [Lesson(criterion, None, example.option, example.why)]
    return OTHER


def _explanation(example: Example) -> str:
    """With the title, which names what the turn is held against, such as the facts of a persona."""
    return "\n".join(part for part in (example.title, example.why) if part)


# --- lessons -----------------------------------------------------------------------------------------
def give_lesson(study: Study, history: list[Turn], lesson: Lesson, now: datetime) -> Item:
    """Show a lesson in the open training batch that nobody has begun, or in a new one. Call it with the study locked.

    What an open training batch shows already is explained there from now on.
    """
    dialogue = store_lessons(study, history, [lesson], now)
    candidate = None if lesson.text is None else _candidate(study, dialogue, lesson.text)
    unit = Unit.DIALOGUE if candidate is None else Unit.RESPONSE
    opened = Item.objects.filter(batch__kind=Batch.Kind.TRAINING, batch__status=Batch.Status.OPEN)
    known = opened.filter(dialogue=dialogue, candidate=candidate, unit=unit).first()
    return known or _add_item(_batch_to_fill(study), dialogue, candidate, unit)


def _batch_to_fill(study: Study) -> Batch:
    """Candidates who have finished a batch would never see what is added to it."""
    begun = Assignment.objects.filter(batch=OuterRef("pk"))
    opened = study.batches.filter(kind=Batch.Kind.TRAINING, status=Batch.Status.OPEN, reserved_for=None, group=None)
    return opened.exclude(Exists(begun)).order_by("position").last() or _new_batch(study)


def _new_batch(study: Study) -> Batch:
    last = study.batches.aggregate(last=Max("position"))["last"] or 0
    key = free_key("training-cases", set(study.batches.values_list("key", flat=True)), count(1))
    batch = Batch.objects.create(
        study=study, key=key, kind=Batch.Kind.TRAINING, status=Batch.Status.OPEN, position=last + 1, ratings_version=1
    )
    Seat.objects.create(batch=batch, number=1)
    return batch


def _add_item(batch: Batch, dialogue: Dialogue, candidate: Candidate | None, unit: str) -> Item:
    """On the screen of its dialogue, if that is there; else on a new one, the last."""
    screen = batch.items.filter(dialogue=dialogue).values_list("position", flat=True).first()
    last = batch.items.aggregate(last=Max("position"))["last"] or 0
    source = candidate.source_id if candidate else None
    item = Item.objects.create(
        batch=batch, unit=unit, dialogue=dialogue, candidate=candidate, source_id=source, position=screen or last + 1
    )
    Batch.objects.filter(pk=batch.pk).update(n_items=F("n_items") + 1)
    raise_version(batch.pk)
    return item


def store_lessons(study: Study, history: list[Turn], lessons: list[Lesson], now: datetime) -> Dialogue:
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
