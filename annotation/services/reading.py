"""Reading before rating: when a dialogue was opened, and whether new instructions were read."""

from datetime import datetime, timedelta

from annotation.models import Assignment, Participant, Reading
from protocols.models import ProtocolVersion


def open_dialogue(assignment: Assignment, position: int, seconds: int, *, now: datetime) -> timedelta:
    """Start the clock of a dialogue, once. Returns how long it has to be read before answers are taken (E-5).

    What was opened in the future, before the server's clock went back, counts as opened now: stored as it was, it
    would refuse every answer until the clock has caught up.
    """
    if not seconds:
        return timedelta()
    reading, _ = Reading.objects.get_or_create(assignment=assignment, position=position, defaults={"opened_at": now})
    if reading.opened_at > now:
        reading.opened_at = now
        reading.save(update_fields=["opened_at"])
    return max(reading.opened_at + timedelta(seconds=seconds) - now, timedelta())


def mark_briefed(participant: Participant, version: ProtocolVersion) -> None:
    """They have read what is new in this version (B-6)."""
    participant.briefed_version = version
    participant.save(update_fields=["briefed_version"])
