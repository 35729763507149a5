"""Read spans: OTLP as JSON, spans as SDKs print them, and exports of Phoenix.

The calls of models are those that carry messages: in `gen_ai.*` attributes of OpenTelemetry's conventions, or in
`llm.*` attributes of OpenInference, which Phoenix uses. Names may be flat (with dots) or nested at any level.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from annotation.importing.fields import LONGEST_SOURCE_KEY, Record, clean_key
from annotation.importing.outcome import BadField, ErrorLog
from annotation.importing.transcripts.calls import Call
from annotation.importing.transcripts.chats import answers_in, questions_in
from annotation.importing.transcripts.logs import LONGEST_LOG_KEY
from annotation.importing.transcripts.messages import SYSTEM, Message, read_message
from annotation.importing.transcripts.records import Found, Place, dotted, within_text

OTLP = ("resourceSpans", "scopeSpans", "spans")
SPAN_IDS, TRACE_IDS = ("span_id", "spanId"), ("trace_id", "traceId")
MOST_LEVELS, LONGEST_LIST = 12, 100_000


@dataclass(frozen=True, slots=True)
class Span:
    place: Place
    key: str
    trace: str
    begun: str
    attributes: Record
    session: str


def is_otlp(record: Record) -> bool:
    return type(record.get("resourceSpans")) is list


def is_span(record: Record) -> bool:
    context = record.get("context")
    has_context = type(context) is dict and "span_id" in context
    return has_context or "context.span_id" in record or ("spanId" in record and "traceId" in record)


def is_openinference(record: Record) -> bool:
    """Return whether a span has attributes of OpenInference, as those of Phoenix do."""
    attributes = record.get("attributes")
    names = [*record, *(attributes if type(attributes) is dict else ())]
    return any(name.removeprefix("attributes.").split(".")[0] in ("llm", "openinference") for name in names)


def read_spans(records: Iterable[Found], log: ErrorLog) -> list[Call]:
    """Return the calls of the models, each in its session or, without one, in its trace."""
    spans = []
    for place, record in records:
        with log.catching(place[0]):
            spans += [_span(found, each) for found, each in _flat(place, record)]
    sessions = {span.trace: span.session for span in spans if span.session}
    calls = []
    for span in spans:
        with log.catching(span.place[0]):
            call = _call(span, sessions.get(span.trace, ""))
            if call is not None:
                calls.append(call)
    return calls


def _flat(place: Place, record: Any, level: int = 0) -> Iterator[Found]:
    """Yield the spans of a record of OTLP, which nests them in resources and scopes; any other record is a span."""
    line, prefix = place
    name = next((each for each in OTLP[level:] if type(record) is dict and type(record.get(each)) is list), "")
    if not name:
        yield place, record
        return
    dot = dotted(prefix)
    for at, each in enumerate(record[name]):
        yield from _flat((line, f"{dot}{name}[{at}]"), each, level + 1)


def _span(place: Place, record: Any) -> Span:
    if type(record) is not dict:
        raise BadField(place[1], _("must be a span, an object with its ids and attributes"))
    attributes = record.get("attributes")
    if type(attributes) is list:  # of OTLP: [{"key", "value": {"stringValue"}}]
        record = record | {"attributes": _otlp_pairs(attributes)}
    nested = _nested(record)
    context = nested.get("context") if type(nested.get("context")) is dict else nested
    ids = [next((context[name] for name in names if context.get(name)), "") for names in (SPAN_IDS, TRACE_IDS)]
    begun = nested.get("start_time") or nested.get("startTimeUnixNano") or ""
    attributes = nested.get("attributes")
    key, trace = (clean_key(each, place[1] or "context", LONGEST_LOG_KEY) for each in ids)
    attributes = attributes if type(attributes) is dict else {}
    _path, session = _first(attributes, "gen_ai.conversation.id", "session.id", "langfuse.session.id")
    session = clean_key(session, place[1] or "session.id", LONGEST_LOG_KEY)
    return Span(place, key, trace, str(begun), attributes, session)


def _otlp_value(value: Any) -> Any:
    if type(value) is not dict:
        return value
    if type(value.get("arrayValue")) is dict:
        values = value["arrayValue"].get("values")
        return [_otlp_value(each) for each in values] if type(values) is list else []
    if type(value.get("kvlistValue")) is dict:
        return _otlp_pairs(value["kvlistValue"].get("values"))
    return next(iter(value.values()), None)


def _otlp_pairs(pairs: Any) -> Record:
    found = [each for each in pairs if type(each) is dict] if type(pairs) is list else []
    return {str(each.get("key")): _otlp_value(each.get("value")) for each in found}


def _nested(value: Any, level: int = 0) -> Any:
    """Return the value with every name that has dots taken apart, and numbered names as lists."""
    if level > MOST_LEVELS:
        return value
    if type(value) is list:
        return [_nested(each, level + 1) for each in value]
    if type(value) is not dict:
        return value
    found: Record = {}
    for name, each in value.items():
        *path, last = str(name).split(".")
        place = found
        for part in path:
            inner = place.setdefault(part, {})
            if type(inner) is not dict:  # a name is a value and the beginning of others: those say more
                inner = place[part] = {}
            place = inner
        new = _nested(each, level + 1)
        if type(place.get(last)) is dict and type(new) is dict:
            place[last] |= new
        elif type(place.get(last)) is not dict:
            place[last] = new
    return _with_lists(found)


def _with_lists(value: Any) -> Any:
    if type(value) is not dict:
        return value
    parts = {name: _with_lists(each) for name, each in value.items()}
    if parts and all(name.isdecimal() and int(name) < LONGEST_LIST for name in parts):
        return [parts[name] for name in sorted(parts, key=int)]
    return parts


def _in(value: Any, path: str) -> Any:
    for name in path.split("."):
        value = value.get(name) if type(value) is dict else None
    return value


def _first(attributes: Record, *paths: str) -> tuple[str, Any]:
    """Return the first of these attributes that a span has, with its name."""
    found = ((path, _data(_in(attributes, path))) for path in paths)
    return next(((path, value) for path, value in found if value not in (None, "", [], {})), (paths[0], None))


def _data(value: Any) -> Any:
    """Return an attribute. Attributes cannot be lists of objects, so messages are often JSON within text."""
    return _nested(within_text(value)) if type(value) is str else value


def _call(span: Span, session: str) -> Call | None:
    """Return the call that a span describes; None for a span that has no messages, such as that of a tool."""
    dot = dotted(span.place[1])
    at = span.attributes
    given_as, given = _first(at, "gen_ai.input.messages", "llm.input_messages", "gen_ai.prompt")
    answered_as, answered = _first(at, "gen_ai.output.messages", "llm.output_messages", "gen_ai.completion")
    if given is None and answered is None:
        return None
    if given is None or answered is None:
        name = given_as if given is None else answered_as
        raise BadField(f"{dot}attributes.{name}", _("is missing: record the messages that the model gets and gives"))
    _path, model = _first(at, "gen_ai.response.model", "gen_ai.request.model", "llm.model_name")
    return Call(
        place=span.place,
        key=span.key,
        conversation=session or span.trace or span.key,
        begun=span.begun.zfill(24) if span.begun.isdecimal() else span.begun,
        model=clean_key(model, f"{dot}attributes.model", LONGEST_SOURCE_KEY),
        given=[*_instructions(at, dot), *questions_in(given, f"{dot}attributes.{given_as}")],
        answered=answers_in(answered, f"{dot}attributes.{answered_as}"),
        ids={"span_id": span.key, "trace_id": span.trace},
    )


def _instructions(attributes: Record, dot: str) -> list[Message]:
    """Return the system prompt of OpenTelemetry, which may stand apart from the messages."""
    _path, parts = _first(attributes, "gen_ai.system_instructions")
    if parts is None:
        return []
    content = parts if type(parts) is list else [parts]
    return read_message({"role": SYSTEM, "content": content}, f"{dot}attributes.gen_ai.system_instructions")
