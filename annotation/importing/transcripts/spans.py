"""Read spans and log events: OTLP as JSON, spans as SDKs print them, and exports of Phoenix.

The calls of models are those that carry messages: in `gen_ai.*` attributes of OpenTelemetry's conventions or in its
events, or in `llm.*` attributes of OpenInference, which Phoenix uses. Names may be flat (with dots) or nested at any
level.
"""

from collections.abc import Iterable
from dataclasses import replace

from django.utils.translation import gettext as _

from annotation.importing.fields import Record, clean_key
from annotation.importing.outcome import BadField, ErrorLog
from annotation.importing.transcripts.calls import Call
from annotation.importing.transcripts.chats import answers_in, questions_in
from annotation.importing.transcripts.events import MESSAGES, MODEL, calls_of_events, model_in
from annotation.importing.transcripts.messages import SYSTEM, Message, read_message
from annotation.importing.transcripts.otlp import Span, event_name, first, flat, is_otlp, spans_of
from annotation.importing.transcripts.places import Found, dotted

GIVEN = ("gen_ai.input.messages", "llm.input_messages", "gen_ai.prompt")
ANSWERED = ("gen_ai.output.messages", "llm.output_messages", "gen_ai.completion")


def is_telemetry(record: Record) -> bool:
    """Return whether a record is of OpenTelemetry: OTLP, a span, or an event about a model."""
    context = record.get("context")
    has_context = type(context) is dict and "span_id" in context
    is_span = has_context or "context.span_id" in record or ("spanId" in record and "traceId" in record)
    return is_span or is_otlp(record) or event_name(record).startswith("gen_ai.")


def is_openinference(record: Record) -> bool:
    """Return whether a span has attributes of OpenInference, as those of Phoenix do."""
    attributes = record.get("attributes")
    names = [*record, *(attributes if type(attributes) is dict else ())]
    return any(name.removeprefix("attributes.").split(".")[0] in ("llm", "openinference") for name in names)


def read_spans(records: Iterable[Found], log: ErrorLog) -> list[Call]:
    """Return the calls of the models, each in its session or, without one, in its trace."""
    spans: list[Span] = []
    for place, record in records:
        with log.catching(place[0]):
            for found, each in flat(place, record):
                spans += map(_lean, spans_of(found, each))
    sessions = {span.trace: span.session for span in spans if span.session and span.trace}
    messages = [span for span in spans if span.event in MESSAGES]
    calls: dict[tuple[str, str], Call] = {}
    for at, span in enumerate(spans):
        with log.catching(span.place[0]):
            call = None if span.event in MESSAGES else _call(span, sessions.get(span.trace, ""))
            # An event may repeat what its span says.
            known = (span.trace, span.key) if span.key else ("", str(at))
            if call is not None and known not in calls:
                calls[known] = call
    facts = {(span.trace, span.key): span.attributes for span in spans if not span.event}
    told = [span for span in messages if (span.trace, span.key) not in calls]
    return [*calls.values(), *calls_of_events(told, facts, sessions, log)]


def _lean(span: Span) -> Span:
    """Return the span, without the attributes of one that has no messages: those of tools may hold whole documents."""
    if first(span.attributes, *GIVEN)[1] is not None or first(span.attributes, *ANSWERED)[1] is not None:
        return span
    model = first(span.attributes, *MODEL)[1]
    return replace(span, attributes={"llm": {"model_name": model}} if model is not None else {})


def _call(span: Span, session: str) -> Call | None:
    """Return the call that a span describes; None for one that has no messages, such as that of a tool."""
    dot = dotted(span.place[1])
    at = span.attributes
    given_as, given = first(at, *GIVEN)
    answered_as, answered = first(at, *ANSWERED)
    if given is None and answered is None:
        return None
    if given is None or answered is None:
        name = given_as if given is None else answered_as
        raise BadField(f"{dot}attributes.{name}", _("is missing: record the messages that the model gets and gives"))
    key = span.key or clean_key(first(at, "gen_ai.response.id")[1], f"{dot}attributes.gen_ai.response.id")
    return Call(
        place=span.place,
        key=key,
        conversation=session or span.session or span.trace or key,
        begun=span.begun,
        model=model_in(at, dot),
        given=[*_instructions(at, dot), *questions_in(given, f"{dot}attributes.{given_as}")],
        answered=answers_in(answered, f"{dot}attributes.{answered_as}"),
        ids={"span_id": span.key, "trace_id": span.trace},
    )


def _instructions(attributes: Record, dot: str) -> list[Message]:
    """Return the system prompt of OpenTelemetry, which may stand apart from the messages."""
    _path, parts = first(attributes, "gen_ai.system_instructions")
    if parts is None:
        return []
    content = parts if type(parts) is list else [parts]
    return read_message({"role": SYSTEM, "content": content}, f"{dot}attributes.gen_ai.system_instructions")
