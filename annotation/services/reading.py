"""Record reading before rating: when a dialogue was opened, and whether new instructions were read."""

from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import Max, Min

from annotation.models import Assignment, Item, Participant, Reading
from protocols.models import ProtocolVersion


def open_dialogue(assignment: Assignment, position: int, seconds: int, *, now: datetime) -> timedelta:
    """Start the clock of a dialogue, once. Return how long it has to be read before answers are accepted."""
    if not seconds:
        return timedelta()
    floor = timedelta(seconds=seconds)
    return max(_begin(assignment, position, floor, now) + floor - now, timedelta())


def open_answered(assignment_id: int, item: UUID, seconds: int, *, now: datetime) -> timedelta:
    """Start the clock for the dialogue of an answer that came before it was opened: offline, nobody can open it."""
    assignment = Assignment.objects.get(pk=assignment_id)
    position = Item.objects.values_list("position", flat=True).get(batch=assignment.batch_id, token=item)
    return open_dialogue(assignment, position, seconds, now=now)


@transaction.atomic
def _begin(assignment: Assignment, position: int, floor: timedelta, now: datetime) -> datetime:
    """Return when the reading time of a dialogue begins. Dialogues opened at once are timed one after another.

    A conversation is read once: its later parts begin with its first. So does a pair of dialogues that is shown again.
    A dialogue shown in the future, before the server's clock was set back, counts as never shown: otherwise every
    answer would be refused until the clock has caught up.
    """
    Assignment.objects.select_for_update().get(pk=assignment.pk)  # the second of two tabs waits for the first
    shown = Reading.objects.filter(assignment=assignment, shown_at__lte=now)
    known = shown.filter(position=position).first()
    if known is not None:
        return known.opened_at
    mine = Item.objects.filter(batch=assignment.batch_id)
    here = mine.filter(position=position).select_related("dialogue").first()
    conversation = here.dialogue.conversation if here and here.dialogue else None
    other = here.other_dialogue_id if here else None
    parts = mine.filter(dialogue__conversation=conversation, other_dialogue=other).values("position")
    begun = shown.filter(position__in=parts).aggregate(first=Min("opened_at"))["first"]
    last = shown.aggregate(last=Max("opened_at"))["last"]
    begins = begun or (max(now, last + floor) if last else now)
    times = {"shown_at": now, "opened_at": begins}
    Reading.objects.update_or_create(assignment=assignment, position=position, defaults=times)
    return begins


def mark_briefed(participant: Participant, version: ProtocolVersion) -> None:
    """Store that the annotator has read what is new in this version."""
    participant.briefed_version = version
    participant.save(update_fields=["briefed_version"])
