"""Make training items from the protocol's worked examples and from cases, with an explanation for each answer."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import count, groupby, takewhile
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, F, Max, OuterRef, Q
from django.utils.translation import gettext as _

from annotation.importing.dialogues import lock_study, next_position
from annotation.importing.pairs import PAIRS
from annotation.importing.shapes import free_key
from annotation.models import Assignment, Batch, Candidate, Dialogue, Item, Seat, Source, Study
from annotation.nudging import raise_version
from annotation.services import activity
from annotation.services.batching import make_batches
from annotation.services.refusals import Refused
from annotation.speakers import next_speaker
from protocols.models import Criterion, ProtocolVersion
from protocols.translating import WorkedExample, examples_in
from qualification.models import KnownAnswer
from qualification.qualifying.services.asking import ask_what_is_known

Unit = ProtocolVersion.Unit
Turn = dict[str, Any]
Skipped = dict[str, list[str]]  # {reason: titles of the examples}
Response = tuple[list[Turn], str]  # (the turns before it, its text)
TOGETHER = (Unit.CANDIDATE_SET, Unit.MODEL)
FEWEST_TOGETHER = 2
# The reasons to leave out an example.
FEW, INNER, OTHER, UNASKED = "few", "inner", "other", "unasked"
OMITTED = [{"speaker": "…", "text": "…"}]  # stands for a history that the example does not show


@dataclass(frozen=True, slots=True)
class Lesson:
    """Hold one evaluated part of an example: a response, the history itself, or responses that are rated together.

    `together` has the responses with their histories; if it is empty, the lesson is about `text` or the dialogue.
    """

    criterion: Criterion
    text: str | None
    option: str
    why: str
    speaker: str = ""  # of the text; empty for the side whose turn it is
    together: tuple[Response, ...] = ()
    context: str = "[]"  # panels above the text, as JSON

    @property
    def unit(self) -> str:
        if self.together:
            return self.criterion.unit or self.criterion.version.unit
        return Unit.DIALOGUE if self.text is None else Unit.RESPONSE


@dataclass(frozen=True, slots=True)
class Scene:
    """Hold what a lesson is judged by: the turns before it, facts about the speaker, and panels; the last as JSON."""

    turns_json: str
    facts: tuple[str, ...] = ()
    asker: str = ""  # empty if names tell who asks
    context: str = "[]"

    @classmethod
    def of(cls, turns: list[Turn], facts: Iterable[str] = (), asker: str = "", context: str = "[]") -> "Scene":
        return cls(json.dumps(turns, sort_keys=True), tuple(facts), asker, context)

    @property
    def turns(self) -> list[Turn]:
        found: list[Turn] = json.loads(self.turns_json)
        return found

    @property
    def digest(self) -> str:
        whole = self.turns_json + (json.dumps(self.facts) if self.facts else "")
        whole += self.context if self.context != "[]" else ""
        return _digest(whole)


@dataclass(frozen=True, slots=True)
class Shown:
    """Hold what a training item and its known answer are about."""

    dialogue: Dialogue | None
    candidate: Candidate | None = None
    source: Source | None = None  # of responses that are rated together


@transaction.atomic
def make_training(study: Study, *, by: User, now: datetime) -> list[Batch]:
    """Make an open training batch of all examples that are not in one yet. A second call changes nothing.

    Examples with the same history and facts become one dialogue. Raise Refused if no example can be asked.
    """
    lock_study(study)
    lessons, skipped = _examples_of(study)
    # Training dialogues in no batch, without those that only show what a model says.
    apart = Dialogue.objects.filter(study=study, purpose=Dialogue.Purpose.TRAINING, items=None)
    waits = apart.exclude(candidates__source__key__startswith=_source_key(Unit.MODEL))
    if not lessons and not waits.exists():
        if not skipped:
            raise Refused("no_examples", _("The protocol has no examples. Write training items yourself."))
        text = _("No example of the protocol can be a training item: %(reasons)s. Write training items yourself.")
        raise Refused("no_examples", text % {"reasons": _reasons(skipped)})
    for scene, found in lessons.items():
        store_lessons(study, scene, found, now)
    size = study.dialogues.count()  # large enough to put everything that waits into one batch
    kind = Batch.Kind.TRAINING
    made = make_batches(study, by="size", size=size, kind=kind, seats=1, now=now) if waits.exists() else []
    for batch in made:
        _open(batch)
    made = list(dict.fromkeys([*made, *_add_models(study, made)]))
    ask_what_is_known(study, Item.objects.filter(batch__in=made))
    details = {"dialogues": len(lessons), "batches": [batch.key for batch in made]}
    activity.log(study, by, "training", details=details, now=now)
    return made


def _open(batch: Batch) -> None:
    """Open the batch, without items that the examples do not evaluate.

    Single responses are not rated as a set, and responses of a set are not asked one by one. The dialogue before them
    is rated only if another example evaluates it.
    """
    single = Q(unit=Unit.RESPONSE, source__key=Source.EXAMPLES)
    together = Q(unit=Unit.CANDIDATE_SET, source__key__startswith=_source_key(Unit.CANDIDATE_SET))
    batch.items.filter(source__key__startswith=Source.EXAMPLES).exclude(single | together).delete()
    responses = Candidate.objects.filter(dialogue=OuterRef("dialogue"), source__key__startswith=Source.EXAMPLES)
    evaluated = KnownAnswer.objects.filter(dialogue=OuterRef("dialogue"), unit=Unit.DIALOGUE, is_active=True)
    batch.items.filter(Exists(responses), ~Exists(evaluated), unit=Unit.DIALOGUE).delete()
    batch.n_items, batch.status = batch.items.count(), Batch.Status.OPEN
    batch.save(update_fields=["n_items", "status"])


def _add_models(study: Study, made: Iterable[Batch]) -> list[Batch]:
    """Add the models of the examples to the first of `made`, or to a batch nobody has begun. Return these batches."""
    known = study.sources.filter(key__startswith=_source_key(Unit.MODEL), items=None).order_by("position")
    batches = []
    for source in known:
        batch = next(iter(made), None) or _batch_to_fill(study)
        shown = list(source.candidates.order_by("pk").values_list("pk", flat=True))
        _add_item(batch, Shown(None, source=source), Unit.MODEL, shown)
        batches.append(batch)
    return batches


# --- examples ----------------------------------------------------------------------------------------
def left_out(study: Study) -> str:
    """Return which examples cannot be asked, and why, as a sentence; empty if all can."""
    _lessons, found = _examples_of(study)
    return _("Left out: %(reasons)s.") % {"reasons": _reasons(found)} if found else ""


def _reasons(skipped: Skipped) -> str:
    names = {
        FEW: _("has fewer than two responses to rate together"),
        INNER: _("rates a turn that is not the last, or that has no turn before it"),
        OTHER: _("evaluates a part of the dialogue that annotators do not rate"),
        UNASKED: _("is about a question without options to choose from"),
    }
    found = [(title, names[reason]) for reason, titles in skipped.items() for title in titles]
    return "; ".join(_("“%(title)s” %(reason)s") % {"title": title, "reason": reason} for title, reason in found)


def _examples_of(study: Study) -> tuple[dict[Scene, list[Lesson]], Skipped]:
    """Return the lessons of the protocol by their scene, and the examples left out."""
    lessons: dict[Scene, list[Lesson]] = defaultdict(list)
    skipped: Skipped = defaultdict(list)
    version = study.protocol_version
    criteria = {each.pk: each for each in version.criteria.select_related("version")}
    for example in examples_in(version, study.content_language):
        criterion = criteria[example.criterion_id]
        is_chosen = criterion.kind in (Criterion.Kind.SINGLE, Criterion.Kind.MULTIPLE)
        shown = _shown(example, criterion, criterion.unit or version.unit) if is_chosen else UNASKED
        if isinstance(shown, str):
            skipped[shown].append(example.title)
        else:
            lessons[Scene.of(shown[0], example.facts)] += shown[1]
    return lessons, skipped


def _shown(example: WorkedExample, criterion: Criterion, unit: str) -> tuple[list[Turn], list[Lesson]] | str:
    """Return the dialogue and the lessons about it, or the reason why it cannot be asked."""
    history, at = example.history, example.rated_turn
    if unit in (*TOGETHER, Unit.COMPARISON):
        return _rated_together(example, criterion, unit)
    if unit == Unit.RESPONSE and example.candidates:
        names = ("option", "why", "speaker")
        said = [(each["text"], *(each.get(name, "") for name in names)) for each in example.candidates]
        return history, [Lesson(criterion, *each) for each in said]
    if unit == Unit.RESPONSE and at is not None:
        if not 1 < at == len(history):
            return INNER
        text, speaker = history[-1]["text"], history[-1]["speaker"]
        return history[:-1], [Lesson(criterion, text, example.option, example.why or example.title, speaker)]
    is_answered = bool(example.option) or not criterion.required
    if unit == Unit.DIALOGUE and not example.candidates and at is None and is_answered:
        return history, [Lesson(criterion, None, example.option, example.why)]
    return OTHER


def _rated_together(example: WorkedExample, criterion: Criterion, unit: str) -> tuple[list[Turn], list[Lesson]] | str:
    if unit == Unit.COMPARISON:
        history, said = example.history, [(example.history, each["text"]) for each in example.candidates]
    elif unit == Unit.CANDIDATE_SET:
        history, said = _set_of(example.history)
    else:
        history, said = [], _short_dialogues(example.history)
    if len(said) < FEWEST_TOGETHER:
        return FEW
    return history, [Lesson(criterion, None, example.option, example.why, together=tuple(said))]


def _set_of(turns: list[Turn]) -> tuple[list[Turn], list[Response]]:
    """Return the history and the responses: the last turns, by the side that did not open the dialogue."""
    opener = turns[0]["speaker"] if turns else ""
    n = sum(1 for _turn in takewhile(lambda turn: turn["speaker"] != opener, reversed(turns)))
    history = turns[: len(turns) - n]
    return history, [(history, turn["text"]) for turn in turns[len(history) :]]


def _short_dialogues(turns: list[Turn]) -> list[Response]:
    """Return one response of each dialogue. Names tell them apart, as in `Dialogue 2, S1`, or the opening speaker.

    If the first speaker does not come back, every turn is a response of its own.
    """
    names = [turn["speaker"].rpartition(",") for turn in turns]
    if all(name for name, _comma, _speaker in names):
        told = [(name, turn | {"speaker": side.strip()}) for (name, _, side), turn in zip(names, turns, strict=True)]
        parts = [[turn for _name, turn in group] for _key, group in groupby(told, key=lambda each: each[0])]
    else:
        opened = [at for at, turn in enumerate(turns) if turn["speaker"] == turns[0]["speaker"]]
        starts = opened if len(opened) > 1 else list(range(len(turns)))
        parts = [turns[start:end] for start, end in zip(starts, [*starts[1:], len(turns)], strict=True)]
    return [(part[:-1] or OMITTED, part[-1]["text"]) for part in parts]


# --- lessons -----------------------------------------------------------------------------------------
def give_lesson(study: Study, scene: Scene, lesson: Lesson, now: datetime) -> Item:
    """Show a lesson in the open training batch that nobody has begun, or in a new one. Call it with the study locked.

    If an open training batch already shows it, it is explained there from now on.
    """
    shown = store_lessons(study, scene, [lesson], now)[0]
    opened = Item.objects.filter(batch__kind=Batch.Kind.TRAINING, batch__status=Batch.Status.OPEN)
    known = opened.filter(dialogue=shown.dialogue, candidate=shown.candidate, unit=lesson.unit).first()
    item = known or _add_item(_batch_to_fill(study), shown, lesson.unit)
    ask_what_is_known(study, Item.objects.filter(pk=item.pk))
    return item


def _batch_to_fill(study: Study) -> Batch:
    """Return a training batch that nobody has begun, or a new one: later additions would not reach those who began."""
    begun = Assignment.objects.filter(batch=OuterRef("pk"))
    opened = study.batches.filter(kind=Batch.Kind.TRAINING, status=Batch.Status.OPEN, reserved_for=None, group=None)
    free = opened.exclude(Exists(begun)).order_by("position").last()
    if free is not None:
        return free
    last = study.batches.aggregate(last=Max("position"))["last"] or 0
    key = free_key("training-cases", set(study.batches.values_list("key", flat=True)), count(1))
    batch = Batch.objects.create(
        study=study, key=key, kind=Batch.Kind.TRAINING, status=Batch.Status.OPEN, position=last + 1, ratings_version=1
    )
    Seat.objects.create(batch=batch, number=1)
    return batch


def _add_item(batch: Batch, shown: Shown, unit: str, together: Sequence[int] = ()) -> Item:
    """Add an item on the screen of its dialogue, or on a new last screen if the dialogue is not there."""
    same = batch.items.filter(dialogue=shown.dialogue) if shown.dialogue else batch.items.filter(unit=Unit.MODEL)
    screen = same.values_list("position", flat=True).first()
    last = batch.items.aggregate(last=Max("position"))["last"] or 0
    item = Item.objects.create(
        batch=batch, unit=unit, dialogue=shown.dialogue, candidate=shown.candidate,
        source=shown.candidate.source if shown.candidate else shown.source, shown=list(together),
        position=screen or last + 1,
    )  # fmt: skip
    Batch.objects.filter(pk=batch.pk).update(n_items=F("n_items") + 1)
    raise_version(batch.pk)
    return item


def store_lessons(study: Study, scene: Scene, lessons: list[Lesson], now: datetime) -> list[Shown]:
    """Store lessons as training dialogues for the next training batch. Call it with the study locked.

    If a question is asked only after another answer, that answer is stored as known too, so that training leads to it.
    """
    places = [_place(study, scene, lesson) for lesson in lessons]
    for lesson, shown in zip(lessons, places, strict=True):
        _know(study, shown, lesson, [lesson.option], now)
    for lesson, shown in zip(lessons, places, strict=True):
        for criterion, options in _leading_to(lesson.criterion):
            _know(study, shown, replace(lesson, criterion=criterion, why=""), options, now)
    return places


def _leading_to(criterion: Criterion) -> Iterator[tuple[Criterion, list[str]]]:
    """Yield the questions that lead to this one, each with the answers that do."""
    for each in criterion.when:
        before = Criterion.objects.select_related("version").get(version=criterion.version_id, key=each["criterion"])
        yield before, each["options"]
        yield from _leading_to(before)


def _place(study: Study, scene: Scene, lesson: Lesson) -> Shown:
    if not lesson.together:
        dialogue = _dialogue(study, scene)
        if lesson.text is None:
            return Shown(dialogue)
        speaker = lesson.speaker or next_speaker(scene.turns)
        return Shown(dialogue, _candidate(dialogue, lesson.text, speaker, _source(study), lesson.context))
    if lesson.unit == Unit.COMPARISON:
        return _place_pair(study, scene, lesson)
    source, is_model = _source(study, lesson), lesson.unit == Unit.MODEL
    for before, text in lesson.together:
        told = Scene.of(before) if is_model else scene
        _candidate(_dialogue(study, told, "model-" if is_model else ""), text, next_speaker(before), source)
    return Shown(None if is_model else _dialogue(study, scene), source=source)


def _place_pair(study: Study, scene: Scene, lesson: Lesson) -> Shown:
    """Store both candidates, each of a source of its own, as a pair that the dialogue lists."""
    dialogue = _dialogue(study, scene)
    sources = [_source(study, lesson, f"-{side}") for side in (1, 2)]
    first, _second = [
        _candidate(dialogue, text, next_speaker(before), source)
        for (before, text), source in zip(lesson.together, sources, strict=True)
    ]
    pair, listed = [source.key for source in sources], dialogue.metadata.get(PAIRS, [])
    if pair not in listed:
        dialogue.metadata[PAIRS] = [*listed, pair]
        dialogue.save(update_fields=["metadata"])
    return Shown(dialogue, first)


def _dialogue(study: Study, scene: Scene, mark: str = "") -> Dialogue:
    values = {
        "position": next_position(study), "turns": scene.turns, "digest": scene.digest, "asker": scene.asker,
        "metadata": {"persona": list(scene.facts)} if scene.facts else {}, "purpose": Dialogue.Purpose.TRAINING,
        "context": json.loads(scene.context),
    }  # fmt: skip
    return Dialogue.objects.get_or_create(study=study, key=f"example-{mark}{scene.digest[:12]}", defaults=values)[0]


def _candidate(dialogue: Dialogue, text: str, speaker: str, source: Source, context: str = "[]") -> Candidate:
    digest = _digest(text + (context if context != "[]" else ""))
    key = source.key.replace(Source.EXAMPLES, "example") + f"-{digest[:12]}"
    known = Candidate.objects.filter(dialogue=dialogue, key=key).first()
    return known or Candidate.objects.create(
        dialogue=dialogue, key=key, text=text, speaker=speaker, source=source, context=json.loads(context)
    )


def _source(study: Study, lesson: Lesson | None = None, side: str = "") -> Source:
    """Return the source: one for all single responses, one for each lesson rated together, or one for a pair's side."""
    key = Source.EXAMPLES
    if lesson is not None:
        asked = [] if side else [lesson.criterion.key]
        told = json.dumps([*asked, *lesson.together], sort_keys=True)
        key = f"{_source_key(lesson.unit)}{_digest(told)[:12]}{side}"
    last = Source.objects.filter(study=study).aggregate(last=Max("position"))["last"] or 0
    values = {"name": _("Protocol examples"), "position": last + 1}
    return Source.objects.get_or_create(study=study, key=key, defaults=values)[0]


def _source_key(unit: str) -> str:
    """Return the beginning of the keys of sources whose responses are rated together in this unit."""
    return f"{Source.EXAMPLES}-{unit}-"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _know(study: Study, shown: Shown, lesson: Lesson, keys: list[str], now: datetime) -> None:
    """Store a known answer, empty if none applies, unless there is one: an example says more than what it leads to."""
    right = list(lesson.criterion.options.filter(key__in=keys).values_list("pk", flat=True))
    if not right and lesson.criterion.required:
        return
    KnownAnswer.objects.get_or_create(
        dialogue=shown.dialogue,
        candidate=shown.candidate,
        source=shown.source,
        unit=lesson.unit,
        criterion=lesson.criterion,
        defaults={
            "study": study, "kind": KnownAnswer.Kind.TRAINING, "options": right, "explanation": lesson.why,
            "created_at": now,
        },
    )  # fmt: skip
