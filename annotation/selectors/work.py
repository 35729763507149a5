"""Read what an annotator sees: their studies and batches, one dialogue of a batch, and their progress.

The number of queries of a function grows with neither the batches nor the items.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import chain, repeat
from typing import Any
from uuid import UUID

from django.db.models import Case, Count, Exists, Func, IntegerField, OuterRef, Q, QuerySet, Value, When
from django.utils.translation import gettext_lazy as _

from annotation.context import ContextPanel, context_of
from annotation.models import Assignment, Batch, Candidate, Dialogue, Item, Participant, Rating, Seat, Study
from annotation.numbering import numbered_turns
from annotation.selectors.claims import OPEN_ENDED, claimable_by, is_free
from annotation.selectors.item_texts import item_text, other_dialogues_of, responses_of, swapped_of
from annotation.selectors.marks import OwnMarks, marks_on, skipped_of
from annotation.selectors.progress import Progress, first_missing, progresses
from annotation.selectors.screens import CONVERSATION, PAIR, Screen, screen_at
from annotation.selectors.team import is_of_team
from annotation.steps import KEYS, Answers, Choice, ItemText, SavedAnswer, Step, first_unanswered, order_items, steps_of
from parley.ready import Ready
from protocols.models import Option, ProtocolVersion
from protocols.specs import VersionSpec
from protocols.translating import Texts, spec_in, texts_in

Kind = Batch.Kind
SHOWN = (
    "dialogue__turns", "dialogue__asker", "dialogue__metadata", "dialogue__context", "dialogue__key",
    "dialogue__conversation",
    "candidate__text", "candidate__speaker", "candidate__context",
)  # fmt: skip
REASONS = {
    "draft": _("This study has not started yet. Your batches will appear here."),
    "closed": _("This study is closed. Thank you for your work."),
    "none": _("No batch is open at the moment. Check again later."),
    "full": _("All seats are taken at the moment. One may become free, so check again later."),
    "done": _("You have finished every open batch. Thank you."),
}


@dataclass(frozen=True, slots=True)
class StudyWork:
    """One study of an annotator. They can continue work, give consent or take a batch; otherwise `reason` says why."""

    participant: Participant
    active: Assignment | None = None
    progress: Progress | None = None
    lease: timedelta = timedelta()
    is_waiting_for_consent: bool = False
    is_reading_due: bool = False
    next_batch: Batch | None = None
    reason: str = ""
    n_submitted: int = 0
    is_of_team: bool = False

    @property
    def study(self) -> Study:
        return self.participant.study

    @property
    def batch(self) -> Batch | None:
        """Return the batch that was begun, otherwise the next one."""
        return self.active.batch if self.active and self.progress else self.next_batch

    @property
    def minutes_expected(self) -> int:
        """Return the expected minutes of that batch; without one, of the study's largest."""
        return self.study.minutes_for(self.batch.n_items)[0] if self.batch else self.study.minutes_expected

    @property
    def minutes_at_most(self) -> int:
        return self.study.minutes_for(self.batch.n_items)[1] if self.batch else self.study.minutes_at_most

    @property
    def kind(self) -> str:
        """Return the kind of that batch; empty if there is none."""
        return self.batch.kind if self.batch else ""

    @property
    def is_paid_by_batch(self) -> bool:
        """Return whether the pay per batch applies: other kinds than main earn nothing or have their own pay."""
        is_apart = self.participant.panel or self.is_of_team
        return self.kind == Kind.MAIN if self.kind else not is_apart


ON_SCREEN = (Option.Role.LEFT, Option.Role.EQUAL, Option.Role.RIGHT, Option.Role.BOTH_BAD)


@dataclass(frozen=True, slots=True)
class DialoguePage:
    """One screen of a batch, laid out for one annotator. The first `n_known` turns were on an earlier screen."""

    screen: Screen
    turns: list[dict[str, Any]]
    context: tuple[ContextPanel, ...]
    items: list[ItemText]
    steps: tuple[Step, ...]
    spec: VersionSpec
    marks: dict[UUID, OwnMarks]
    n_known: int = 0

    @property
    def position(self) -> int:
        return self.screen.position

    @property
    def is_one_item(self) -> bool:
        """Return whether the screen is called by its item: a pair, or the only one to rate of a turn."""
        return len(self.items) == 1 and (self.screen.kind == PAIR or self.screen.turn > 0)

    @property
    def is_numbered(self) -> bool:
        """Return whether turns have numbers: people need them where the dialogue itself is rated."""
        return any(item.unit == ProtocolVersion.Unit.DIALOGUE for item in self.items)

    @property
    def is_comparing(self) -> bool:
        return any(item.unit == ProtocolVersion.Unit.COMPARISON for item in self.items)

    @property
    def compared_by(self) -> list[Choice]:
        """Return the choices of the first comparison that have keys of their own, as they stand on screen."""
        choices = (question.choices for step in self.steps for _item, question in step.questions)
        found = next((each for each in choices if any(choice.arrow for choice in each)), ())
        return sorted(
            (each for each in found if each.arrow or each.option.role == ON_SCREEN[-1]),
            key=lambda each: ON_SCREEN.index(each.option.role),
        )

    @property
    def compares_dialogues(self) -> bool:
        return any(item.compares_dialogues for item in self.items)

    @property
    def marking(self) -> list[tuple[str, dict[str, Any]]]:
        """Return (key, turn) for the turns that can be marked. The key is empty if there are more turns than keys."""
        marked = [turn for turn in self.turns if turn["label"]]
        return list(zip(chain(KEYS, repeat("")), marked))  # noqa: B905 - keys never end


# --- the list of work ------------------------------------------------------------------------------
def needs_consent(participant: Participant, study: Study) -> bool:
    """Return whether the annotator must agree to the current consent text: a new version asks again."""
    return bool(study.consent_text) and participant.consent_version != study.consent_version


def is_reading_due(participant: Participant) -> bool:
    """Return whether the guidelines must be read: they are required before the first batch only."""
    return participant.briefed_version_id is None and not participant.assignments.exists()


def lease_left(assignment: Assignment, now: datetime) -> timedelta:
    """Return the time left; zero if the seat or its lease is gone, when answers are kept but do not count."""
    seat = getattr(assignment, "seat", None)
    if assignment.status != Assignment.Status.ACTIVE or seat is None or seat.lease_expires_at is None:
        return timedelta()
    return max(seat.lease_expires_at - now, timedelta())


def work_of(user_id: int | None, statuses: Mapping[Any, Any], now: datetime) -> list[StudyWork]:
    """Return all studies that this user rates in. `statuses` has the sentence for each status that stops a claim."""
    mine = Participant.objects.filter(user=user_id).select_related("study__protocol_version__protocol")
    has_begun = Exists(Assignment.objects.filter(participant=OuterRef("pk")))
    participants = list(mine.annotate(is_team=is_of_team(), has_begun=has_begun).order_by("-created_at", "-pk"))
    unfinished = {each.participant_id: each for each in _unfinished(participants)}
    progress = progresses(unfinished.values())
    claimable = {batch.study_id: batch for batch in _claimable(participants, now)}
    n_submitted, n_open = _counts(participants)
    return [
        _study_work(
            StudyWork(
                participant,
                active=(begun := unfinished.get(participant.pk)),
                n_submitted=n_submitted[participant.pk],
                is_of_team=participant.is_team,
                is_reading_due=participant.briefed_version_id is None and not participant.has_begun,
            ),
            progress.get(begun.pk) if begun else None,
            claimable.get(participant.study_id),
            str(statuses.get(participant.status) or REASONS[_empty_reason(participant, n_submitted, n_open)]),
            now,
        )
        for participant in participants
    ]


def _study_work(
    base: StudyWork, progress: Progress | None, claimable: Batch | None, reason: str, now: datetime
) -> StudyWork:
    participant, study, begun = base.participant, base.study, base.active
    is_open = study.status == Study.Status.OPEN
    if is_open and needs_consent(participant, study) and participant.status != Participant.Status.EXCLUDED:
        return replace(base, is_waiting_for_consent=True)
    if is_open and begun and (lease := lease_left(begun, now)):
        return replace(base, lease=lease, progress=progress)
    if is_open and claimable:
        return replace(base, next_batch=claimable)
    return replace(base, reason=reason)


def _unfinished(participants: Sequence[Participant]) -> QuerySet[Assignment]:
    """Return begun work. A participant has at most one active; those whose lease has ended can be resumed."""
    begun = Assignment.objects.filter(participant__in=participants)
    states = (Assignment.Status.EXPIRED, Assignment.Status.ACTIVE)
    return (
        begun.filter(status__in=states)
        .select_related("batch__study__protocol_version", "seat")
        .order_by("-status", "claimed_at")  # the active one last: it stays in the dictionary
    )


def _claimable(participants: Sequence[Participant], now: datetime) -> QuerySet[Batch]:
    """Return the next batch of each study: begun ones come first, then by stage and position."""
    mine = Assignment.objects.filter(participant__in=participants, batch=OuterRef("pk"), round=OuterRef("round"))
    taken = mine.filter(
        Q(status__in=(Assignment.Status.SUBMITTED, Assignment.Status.EXCLUDED)) | Q(seat__lease_expires_at__gt=now)
    )
    free = Seat.objects.filter(is_free(now), batch=OuterRef("pk"))
    has_room = Q(Exists(free)) | Q(kind__in=OPEN_ENDED)
    # Work that waits for one person comes first, then what leads to the main work.
    order = (Kind.ADJUDICATION, Kind.RE_RATING, Kind.REVIEW, Kind.TRAINING, Kind.PILOT, Kind.QUALIFICATION)
    stage = Case(*(When(kind=kind, then=Value(at)) for at, kind in enumerate(order)), default=Value(len(order)))
    return (
        Batch.objects.filter(~Exists(taken), has_room, claimable_by(participants), status=Batch.Status.OPEN)
        .annotate(is_begun=Exists(mine), stage=stage)
        .order_by("study", "-is_begun", "stage", "position")
        .distinct("study")
    )


def _counts(participants: Sequence[Participant]) -> tuple[Counter, Counter]:
    """Return the number of submitted assignments by participant, and of open batches not yet submitted by study."""
    submitted = Assignment.objects.filter(participant__in=participants, status=Assignment.Status.SUBMITTED)
    left = Batch.objects.filter(claimable_by(participants), status=Batch.Status.OPEN)
    others = left.exclude(Exists(submitted.filter(batch=OuterRef("pk"), round=OuterRef("round")))).order_by()
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
    """Return the protocol in the study's language."""
    study = assignment.batch.study
    return spec_in(study.protocol_version, study.content_language)


def texts_of_assignment(assignment: Assignment) -> Texts:
    study = assignment.batch.study
    return texts_in(study.protocol_version, study.content_language)


def missing_step(assignment: Assignment) -> tuple[DialoguePage, Step] | None:
    """Return the page and step of the first missing answer, or None if the batch is complete."""
    position = first_missing(assignment)
    page = None if position is None else dialogue_page(assignment, position)
    step = first_unanswered(page.steps) if page else None
    return (page, step) if page and step else None


def dialogue_page(assignment: Assignment, position: int) -> DialoguePage | None:
    rows = ITEMS(batch=assignment.batch_id, position=position)
    if not rows:
        return None
    marks = marks_on(assignment, position)
    together, others, swapped = responses_of(rows), other_dialogues_of(rows), swapped_of(assignment, rows)
    items = order_items(assignment.seed, [item_text(row, together, others, row.pk in swapped) for row in rows])
    dialogue = None if others else rows[0].dialogue  # two dialogues in comparison are alone on their page
    spec = spec_of_assignment(assignment)
    screen = screen_at(assignment, position)
    return DialoguePage(
        screen=screen,
        turns=numbered_turns(dialogue.turns, dialogue.asker) if dialogue else [],
        context=context_of(dialogue),
        items=items,
        steps=steps_of(spec, items, _answers(assignment, spec, rows, swapped), skipped_of(assignment, marks)),
        spec=spec,
        marks=marks,
        n_known=_n_known(assignment.batch_id, position, dialogue) if dialogue and screen.kind == CONVERSATION else 0,
    )


def _items(batch: int, position: int) -> QuerySet[Item]:
    shown = Item.objects.filter(batch=batch, position=position).select_related("dialogue", "candidate")
    return shown.only("token", "position", "unit", "shown", "other_dialogue", "asks", "repeats", *SHOWN)


def _ratings(assignment: int, batch: int, position: int) -> QuerySet[Rating]:
    return Rating.objects.filter(assignment=assignment, item__batch=batch, item__position=position)


def _n_known(batch: int, position: int, dialogue: Dialogue) -> int:
    """Return how many turns were on earlier screens of the conversation, with the response that was rated last.

    The whole dialogue may come first: then nothing is new on the screens of its turns.
    """
    n_turns = Func("dialogue__turns", function="jsonb_array_length", output_field=IntegerField())
    shown = Item.objects.filter(batch=batch, dialogue__conversation=dialogue.conversation, repeats=None)
    before = shown.filter(other_dialogue=None, position__lt=position).annotate(n_turns=n_turns)
    longest = before.order_by("-n_turns").first()
    if longest is None:
        return 0
    n_known: int = longest.n_turns
    rated = before.filter(position=longest.position).values_list("candidate", "shown")
    responses = Candidate.objects.filter(pk__in={pk for one, several in rated for pk in (one, *several)})
    texts = {text.strip() for text in responses.values_list("text", flat=True)}
    follows = [turn["text"].strip() in texts for turn in dialogue.turns[n_known : n_known + 1]]
    return n_known + sum(follows)


ITEMS = Ready(_items, batch=int, position=int)
RATINGS = Ready(_ratings, assignment=int, batch=int, position=int)


def _answers(assignment: Assignment, spec: VersionSpec, items: Sequence[Item], swapped: Collection[int]) -> Answers:
    tokens = {item.pk: item.token for item in items}
    found = {}
    for rating in RATINGS(assignment=assignment.pk, batch=assignment.batch_id, position=items[0].position):
        criterion = spec.by_id.get(rating.criterion_id)
        if criterion is None:
            continue
        option = criterion.option_of(rating.option_id)
        # By candidate, as it is stored; on screen it stands on the side that this annotator sees.
        chosen = criterion.mirrors[option.id] if option and rating.item_id in swapped else option
        reasons = option.explanations if option else ()
        found[tokens[rating.item_id], criterion.key] = SavedAnswer(
            option=chosen.code if chosen else "",
            explanations=frozenset(each.code for each in reasons if each.id in rating.explanations),
            free_text=rating.free_text,
            is_other=bool(rating.free_text),
            options=frozenset(each.code for each in criterion.options if each.id in rating.choices),
            turns=frozenset(rating.turns),
            is_saved=True,
        )
    return found


def has_changed_instructions(participant: Participant, version: ProtocolVersion) -> bool:
    """Return whether somebody has worked with another version of the protocol and has not read what is new."""
    if not version.changes or participant.briefed_version_id == version.pk:
        return False
    earlier = Rating.objects.filter(
        assignment__participant__user=participant.user_id, criterion__version__protocol=version.protocol_id
    )
    return earlier.exclude(criterion__version=version).exists()
