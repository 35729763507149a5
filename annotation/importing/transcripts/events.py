"""Read the messages of models from log events of OpenTelemetry, one event for each message of a call.

Its conventions up to 1.36 have `gen_ai.user.message` and others for what a model is given, and `gen_ai.choice` for what
it answers. The events of a call have the ids of its span, which names the model.
"""

from collections.abc import Iterable, Iterator, Mapping

from django.utils.translation import gettext as _

from annotation.importing.fields import LONGEST_SOURCE_KEY, Record, clean_key
from annotation.importing.outcome import BadField, ErrorLog
from annotation.importing.transcripts.calls import Call
from annotation.importing.transcripts.messages import ASSISTANT, SYSTEM, TOOL, USER, Message, read_message
from annotation.importing.transcripts.otlp import Span, first
from annotation.importing.transcripts.places import dotted, within_text

CHOICE = "gen_ai.choice"
MODEL = ("gen_ai.response.model", "gen_ai.request.model", "llm.model_name")
MESSAGES = {f"gen_ai.{role}.message": role for role in (SYSTEM, USER, ASSISTANT, TOOL)} | {CHOICE: ASSISTANT}


def calls_of_events(
    events: Iterable[Span], facts: Mapping[tuple[str, str], Record], sessions: Mapping[str, str], log: ErrorLog
) -> Iterator[Call]:
    """Yield the calls whose messages these events are. `facts` are attributes of spans, by trace and span."""
    found: dict[tuple[str, str], list[Span]] = {}
    for event in events:
        found.setdefault((event.trace, event.key), []).append(event)
    for ids, group in found.items():
        group.sort(key=lambda event: event.begun)  # stable: events without a time stay in the order of the file
        said: dict[bool, list[Message]] = {True: [], False: []}
        for event in group:
            with log.catching(event.place[0]):
                said[event.event == CHOICE] += _messages(event)
        with log.catching(group[0].place[0]):
            yield _call(group[0], said[False], said[True], facts.get(ids, {}), sessions)


def _call(
    event: Span, given: list[Message], answered: list[Message], facts: Record, sessions: Mapping[str, str]
) -> Call:
    dot = dotted(event.place[1])
    if not event.key:
        raise BadField(f"{dot}spanId", _("is missing: the messages of a call are known by its span"))
    if not given or not answered:
        name = CHOICE if given else f"gen_ai.{USER}.message"
        text = _("is missing: the span %(key)r has no event of this name. Record all messages of a call")
        raise BadField(f"{dot}{name}", text % {"key": event.key})
    return Call(
        place=event.place,
        key=event.key,
        conversation=event.session or sessions.get(event.trace, "") or event.trace or event.key,
        begun=event.begun,
        model=model_in(facts, dot) or model_in(event.attributes, dot),
        given=given,
        answered=answered,
        ids={"span_id": event.key, "trace_id": event.trace},
    )


def model_in(attributes: Record, dot: str) -> str:
    """Return the model that the attributes of a span or event name. Raise BadField."""
    _path, model = first(attributes, *MODEL)
    return clean_key(model, f"{dot}attributes.model", LONGEST_SOURCE_KEY)


def _messages(event: Span) -> list[Message]:
    """Return the message of an event and its tool calls. A body may give the role another name: the event has it."""
    body = event.body if type(event.body) is dict else {"content": event.body}
    message = within_text(body.get("message"))
    if message is not None:
        body = body | (message if type(message) is dict else {"content": message}) | {"message": None}
    body = body | {"role": MESSAGES[event.event], "tool_calls": within_text(body.get("tool_calls"))}
    return read_message(body, f"{dotted(event.place[1])}{event.said_in}")
