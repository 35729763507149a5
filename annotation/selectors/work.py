"""What an annotator sees: their studies and batches, one dialogue of a batch, how far they are.

Every function takes a number of queries that grows with neither the batches nor the items.
"""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from django.db.models import Count, Exists, FilteredRelation, Max, Min, OuterRef, Q, QuerySet, Sum
from django.utils.safestring import SafeString

from annotation.models import Assignment, Batch, Item, Participant, Rating, Seat, Study
from annotation.steps import Answers, ItemText, SavedAnswer, Step, first_unanswered, order_items, steps_of
from protocols.models import ProtocolVersion
from protocols.rendering import render_markdown
from protocols.specs import VersionSpec, spec_of

LEAST_TIMED = 5  # answers after which an annotator's own pace says more than the expected time
REASONS = {
    "draft": "This study has not begun yet. Your batches will appear here.",
    "closed": "This study is closed. Thank you for your work.",
    "none": "No batch is open at the moment. Look again later.",
    "full": "All seats are taken at the moment. One may come free later: look again then.",
    "done": "You have finished every open batch. Thank you!",
}


@dataclass(frozen=True, slots=True)
class Progress:
    n_done: int
    n_wanted: int
    pace_ms: int  # what one answer takes this annotator

    @property
    def minutes_left(self) -> int:
        return math.ceil(max(self.n_wanted - self.n_done, 0) * self.pace_ms / 60_000)


@dataclass(frozen=True, slots=True)
class StudyWork:
    """One study of an annotator: what leads on is the work begun, the consent, the next batch, or a reason."""

    participant: Participant
    active: Assignment | None = None
    progress: Progress | None = None
    lease: timedelta = timedelta()
    is_waiting_for_consent: bool = False
    next_batch: Batch | None = None
    reason: str = ""
    n_submitted: int = 0

    @property
    def study(self) -> Study:
        return self.participant.study


@dataclass(frozen=True, slots=True)
class DialoguePage:
    """One dialogue of a batch, laid out for one annotator."""

    position: int
    previous: int | None
    next: int | None
    number: int
    n_dialogues: int
    turns: list[dict[str, Any]]
    items: list[ItemText]
    steps: tuple[Step, ...]


# --- the list of work ------------------------------------------------------------------------------
def needs_consent(participant: Participant, study: Study) -> bool:
    """The text agreed to must be the one of today: a new version asks again."""
    return bool(study.consent_text) and participant.consent_version != study.consent_version


def lease_left(assignment: Assignment, now: datetime) -> timedelta:
    """Zero when the seat is gone or its lease has ended: what is answered then is kept, and not counted."""
    seat = getattr(assignment, "seat", None)
    if assignment.status != Assignment.Status.ACTIVE or seat is None or seat.lease_expires_at is None:
        return timedelta()
    return max(seat.lease_expires_at - now, timedelta())


def work_of(user_id: int | None, standings: Mapping[Any, str], now: datetime) -> list[StudyWork]:
    """All studies this user rates in. `standings` has the sentence for each standing that stops a claim."""
    mine = Participant.objects.filter(user=user_id).select_related("study__protocol_version__protocol")
    participants = list(mine.order_by("-created_at", "-pk"))
    unfinished = {each.participant_id: each for each in _unfinished(participants)}
    claimable = {batch.study_id: batch for batch in _claimable(participants, now)}
    n_submitted, n_open = _counts(participants)
    return [
        _study_work(
            participant,
            unfinished.get(participant.pk),
            claimable.get(participant.study_id),
            standings.get(participant.standing) or REASONS[_empty_reason(participant, n_submitted, n_open)],
            n_submitted[participant.pk],
            now,
        )
        for participant in participants
    ]


def _study_work(
    participant: Participant,
    begun: Assignment | None,
    claimable: Batch | None,
    reason: str,
    n_submitted: int,
    now: datetime,
) -> StudyWork:
    study = participant.study
    is_open = study.status == Study.Status.OPEN
    is_standing = participant.standing == Participant.Standing.CLEARED
    base = StudyWork(participant, n_submitted=n_submitted, active=begun)
    if is_open and needs_consent(participant, study) and participant.standing != Participant.Standing.EXCLUDED:
        return replace(base, is_waiting_for_consent=True)
    if is_open and begun and (lease := lease_left(begun, now)):
        n_done, active_ms, n_timed = (getattr(begun, name) for name in ("n_done", "active_ms", "n_timed"))  # annotated
        return replace(base, lease=lease, progress=progress_of(begun, n_done, active_ms, n_timed))
    if is_open and is_standing and claimable:
        return replace(base, next_batch=claimable)
    return replace(base, reason=reason)


def _unfinished(participants: list[Participant]) -> QuerySet[Assignment]:
    """At most one is active; the ones whose lease has ended can be resumed."""
    begun = Assignment.objects.filter(participant__in=participants)
    states = (Assignment.Status.EXPIRED, Assignment.Status.ACTIVE)
    return (
        begun.filter(status__in=states)
        .select_related("batch__study__protocol_version", "seat")
        .annotate(
            n_done=Count("ratings"),
            n_timed=Count("ratings", filter=Q(ratings__active_ms__gt=0)),
            active_ms=Sum("ratings__active_ms", default=0),
        )
        .order_by("-status", "claimed_at")  # the active one last: it stays in the dictionary
    )


def _claimable(participants: list[Participant], now: datetime) -> QuerySet[Batch]:
    """The next batch of each study: one that was begun before any other, then in the order of the study."""
    mine = Assignment.objects.filter(participant__in=participants, batch=OuterRef("pk"))
    taken = mine.filter(
        Q(status__in=(Assignment.Status.SUBMITTED, Assignment.Status.EXCLUDED)) | Q(seat__lease_expires_at__gt=now)
    )
    free = Seat.objects.filter(Q(assignment=None) | Q(lease_expires_at__lte=now), batch=OuterRef("pk"))
    studies = [each.study_id for each in participants if each.standing == Participant.Standing.CLEARED]
    return (
        Batch.objects.filter(~Exists(taken), Exists(free), study__in=studies, status=Batch.Status.OPEN)
        .annotate(is_begun=Exists(mine))
        .order_by("study", "-is_begun", "position")
        .distinct("study")
    )


def _counts(participants: list[Participant]) -> tuple[Counter, Counter]:
    """Submitted assignments by participant, and open batches not submitted by them, by study."""
    submitted = Assignment.objects.filter(participant__in=participants, status=Assignment.Status.SUBMITTED)
    studies = [participant.study_id for participant in participants]
    left = Batch.objects.filter(study__in=studies, status=Batch.Status.OPEN)
    others = left.exclude(Exists(submitted.filter(batch=OuterRef("pk")))).order_by()
    n_submitted = submitted.order_by().values_list("participant").annotate(n=Count("pk"))
    return Counter(dict(n_submitted)), Counter(dict(others.values_list("study").annotate(n=Count("pk"))))


def _empty_reason(participant: Participant, n_submitted: Counter, n_open: Counter) -> str:
    if participant.study.status != Study.Status.OPEN:
        return participant.study.status
    if n_open[participant.study_id]:
        return "full"
    return "done" if n_submitted[participant.pk] else "none"


# --- one batch -------------------------------------------------------------------------------------
def spec_of_assignment(assignment: Assignment) -> VersionSpec:
    return spec_of(assignment.batch.study.protocol_version)


def n_wanted(assignment: Assignment) -> int:
    return assignment.batch.n_items * len(spec_of_assignment(assignment).criteria)


def read_progress(assignment: Assignment) -> Progress:
    found = assignment.ratings.aggregate(
        n=Count("pk"), n_timed=Count("pk", filter=Q(active_ms__gt=0)), active_ms=Sum("active_ms", default=0)
    )
    return progress_of(assignment, found["n"], found["active_ms"], found["n_timed"])


def progress_of(assignment: Assignment, n_done: int, active_ms: int, n_timed: int) -> Progress:
    wanted = n_wanted(assignment)
    expected = assignment.batch.study.protocol_version.expected_minutes * 60_000 / max(wanted, 1)
    pace = active_ms / n_timed if n_timed >= LEAST_TIMED else expected
    return Progress(n_done, wanted, round(pace))


def first_missing(assignment: Assignment) -> int | None:
    """The position of the first dialogue with an answer missing."""
    mine = FilteredRelation("ratings", condition=Q(ratings__assignment=assignment))
    answered = Item.objects.filter(batch=assignment.batch_id).annotate(mine=mine, n=Count("mine"))
    incomplete = answered.filter(n__lt=len(spec_of_assignment(assignment).criteria))
    return incomplete.order_by("position").values_list("position", flat=True).first()


def missing_step(assignment: Assignment) -> tuple[DialoguePage, Step] | None:
    """Where the first answer is missing, or None when the batch is complete."""
    position = first_missing(assignment)
    page = None if position is None else dialogue_page(assignment, position)
    step = first_unanswered(page.steps) if page else None
    return (page, step) if page and step else None


def dialogue_page(assignment: Assignment, position: int) -> DialoguePage | None:
    rows = list(
        Item.objects.filter(batch=assignment.batch_id, position=position)
        .select_related("dialogue", "candidate")
        .only("token", "position", "dialogue__turns", "candidate__text")
    )
    if not rows:
        return None
    items = order_items(
        assignment.seed, [ItemText(row.token, row.candidate.text if row.candidate else None) for row in rows]
    )
    return DialoguePage(
        position=position,
        turns=rows[0].dialogue.turns,
        items=items,
        steps=steps_of(spec_of_assignment(assignment), items, _answers(assignment, rows)),
        **_neighbours(assignment, position),
    )


def _answers(assignment: Assignment, items: list[Item]) -> Answers:
    spec = spec_of_assignment(assignment)
    tokens = {item.pk: item.token for item in items}
    found = {}
    for rating in Rating.objects.filter(assignment=assignment, item__in=items):
        criterion = spec.by_id[rating.criterion_id]
        option = criterion.options[criterion.index_of(rating.option_id)]
        codes = frozenset(each.code for each in option.explanations if each.id in rating.explanations)
        found[tokens[rating.item_id], criterion.key] = SavedAnswer(option.code, codes, rating.free_text)
    return found


def _neighbours(assignment: Assignment, position: int) -> dict[str, Any]:
    return Item.objects.filter(batch=assignment.batch_id).aggregate(
        previous=Max("position", filter=Q(position__lt=position)),
        next=Min("position", filter=Q(position__gt=position)),
        number=Count("position", distinct=True, filter=Q(position__lte=position)),
        n_dialogues=Count("position", distinct=True),
    )


# --- guidelines ------------------------------------------------------------------------------------
@lru_cache(maxsize=256)
def rendered(text: str) -> SafeString:
    """Markdown takes milliseconds, and every page of every annotator shows the same text."""
    return render_markdown(text)


def worked_examples(version: ProtocolVersion) -> list[tuple[Any, list[dict[str, Any]]]]:
    """D-8: each criterion with its examples; the answer of an example is told by its label."""
    criteria = version.criteria.prefetch_related("options", "examples")
    return [(criterion, [_example(each, criterion) for each in criterion.examples.all()]) for criterion in criteria]


def _example(example: Any, criterion: Any) -> dict[str, Any]:
    labels = {option.key: option.label for option in criterion.options.all()}
    candidates = [
        {"text": each.get("text", ""), "label": labels.get(each.get("option"), ""), "why": each.get("why", "")}
        for each in example.candidates
    ]
    return {"title": example.title, "history": example.history, "candidates": candidates}
