"""Join the calls of a model that were traced one by one into the conversations they were made in."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from annotation.importing.fields import Record
from annotation.importing.outcome import BadField, ErrorLog
from annotation.importing.transcripts.logs import Log
from annotation.importing.transcripts.messages import ASSISTANT, SYSTEM, Message
from annotation.importing.transcripts.places import Place


@dataclass(slots=True)
class Call:
    """One call of a model: what it was given and what it gave back. `conversation` is the session or the trace."""

    place: Place
    key: str
    conversation: str
    begun: str
    model: str
    given: list[Message]
    answered: list[Message]
    ids: Record = field(default_factory=dict)
    metadata: Record = field(default_factory=dict)


def logs_of(calls: Iterable[Call], log: ErrorLog) -> Iterator[Log]:
    """Yield a log for each conversation, in the order of the file. Errors go to the log of errors."""
    found: dict[str, list[Call]] = {}
    for call in calls:
        found.setdefault(call.conversation or call.key, []).append(call)
    for key, group in found.items():
        group.sort(key=lambda call: call.begun)  # stable: calls without a time stay in the order of the file
        with log.catching(group[0].place[0]):
            yield _joined(key, group)


def _joined(key: str, calls: list[Call]) -> Log:
    messages: list[Message] = []
    for call in calls:
        messages += _new(messages, call)
        for message in call.answered:
            message.model = message.model or call.model
            message.ids, message.call = call.ids, call.place
        said = [message for message in call.answered if message.role == ASSISTANT]
        if said:
            said[-1].key = call.key
        messages += call.answered
    line, place = calls[0].place
    metadata = {name: value for call in reversed(calls) for name, value in call.metadata.items()}
    return Log(line, place, key, "", messages, metadata)


def _new(known: list[Message], call: Call) -> list[Message]:
    """Return the messages that a call adds to those before it: after the part that both have. Raise BadField."""
    prompts = {message.said for message in known if message.role == SYSTEM}
    systems = [each for each in call.given if each.role == SYSTEM and each.said not in prompts]
    before = [message.said for message in known if message.role != SYSTEM]
    given = [message for message in call.given if message.role != SYSTEM]
    for message in given:
        if message.role == ASSISTANT:
            message.model, message.call = message.model or call.model, call.place
    said = [message.said for message in given]
    # A call is given all that was said, or the last part of it.
    for n in range(min(len(before), len(said)), 0, -1):
        if before[-n:] == said[:n]:
            return [*systems, *given[n:]]
    if before and any(message.role == ASSISTANT for message in given):
        text = _(
            "the call %(key)r does not go on where the one before it in %(conversation)r ends. Export only the calls "
            "that answer the user, or give each conversation a session of its own"
        )
        line, place = call.place
        raise BadField(place or "input", text % {"key": call.key, "conversation": call.conversation}, line=line)
    return [*systems, *given]
