"""Take records of OpenTelemetry apart: spans and log records, as OTLP, SDKs and Phoenix write them in JSON."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from annotation.importing.fields import Record, clean_key
from annotation.importing.outcome import BadField
from annotation.importing.transcripts.logs import LONGEST_LOG_KEY
from annotation.importing.transcripts.places import Found, Place, dotted, within_text

OTLP = (("resourceSpans", "resourceLogs"), ("scopeSpans", "scopeLogs"), ("spans", "logRecords"))
SPAN_IDS, TRACE_IDS = ("span_id", "spanId"), ("trace_id", "traceId")
TIMES = (
    "start_time", "startTimeUnixNano", "timeUnixNano", "timestamp", "observedTimeUnixNano", "observed_timestamp",
)  # fmt: skip
EVENT_NAMES = ("eventName", "event_name")
MOST_LEVELS, LONGEST_LIST = 12, 100_000


@dataclass(frozen=True, slots=True)
class Span:
    """A span, or an event in one, which says what happened in its body: a log record, or its field `said_in`."""

    place: Place
    key: str
    trace: str
    begun: str
    attributes: Record
    session: str
    event: str = ""
    body: Any = None
    said_in: str = "body"


def is_otlp(record: Record) -> bool:
    return any(type(record.get(name)) is list for name in OTLP[0])


def flat(place: Place, record: Any, level: int = 0) -> Iterator[Found]:
    """Yield the spans or logs of a record of OTLP, which nests them in resources and scopes; others are one."""
    line, prefix = place
    names = [each for pair in OTLP[level:] for each in pair]
    name = next((each for each in names if type(record) is dict and type(record.get(each)) is list), "")
    if not name:
        yield place, record
        return
    dot = dotted(prefix)
    for at, each in enumerate(record[name]):
        yield from flat((line, f"{dot}{name}[{at}]"), each, level + 1)


def spans_of(place: Place, record: Any) -> Iterator[Span]:
    """Yield a span and then the events in it, or a log record. Raise BadField."""
    if type(record) is not dict:
        raise BadField(place[1], _("must be a span or an event, an object with its ids and attributes"))
    line, dot = place[0], dotted(place[1])
    span = _span(place, record)
    yield span
    events = record.get("events")
    for at, event in enumerate(events if type(events) is list else ()):
        if type(event) is dict:
            inside, name, field = (line, f"{dot}events[{at}]"), str(event.get("name") or ""), "attributes"
            begun, said = _time(event) or span.begun, _pairs(event.get(field))
            yield Span(inside, span.key, span.trace, begun, {}, span.session, name, said, field)


def _span(place: Place, record: Record) -> Span:
    said = _pairs(record.get("attributes"))
    nested = _nested(record | {"attributes": said, "body": None})
    context = nested.get("context") if type(nested.get("context")) is dict else nested
    ids = [next((context[name] for name in names if context.get(name)), "") for names in (SPAN_IDS, TRACE_IDS)]
    attributes = nested.get("attributes")
    key, trace = (clean_key(each, place[1] or "context", LONGEST_LOG_KEY) for each in ids)
    attributes = attributes if type(attributes) is dict else {}
    _path, session = first(attributes, "gen_ai.conversation.id", "session.id", "langfuse.session.id")
    session = clean_key(session, place[1] or "session.id", LONGEST_LOG_KEY)
    return Span(place, key, trace, _time(nested), attributes, session, event_name(record), _body(record.get("body")))


def event_name(record: Record) -> str:
    """Return the event that a log record describes; empty for others."""
    said = _pairs(record.get("attributes"))
    found = [record.get(name) for name in EVENT_NAMES]
    found.append(said.get("event.name") if type(said) is dict else None)
    return next((each for each in found if each and type(each) is str), "")


def _time(record: Record) -> str:
    """Return when it began, so that texts sort like times."""
    begun = str(next((record[name] for name in TIMES if record.get(name)), ""))
    return begun.zfill(24) if begun.isdecimal() else begun


def _body(value: Any) -> Any:
    is_typed = type(value) is dict and {"kvlistValue", "arrayValue", "stringValue"} & value.keys()
    return within_text(_otlp_value(value) if is_typed else value)


def _pairs(attributes: Any) -> Any:
    """Return attributes as an object: OTLP writes them as [{"key", "value": {"stringValue"}}]."""
    return _otlp_pairs(attributes) if type(attributes) is list else attributes


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


def first(attributes: Record, *paths: str) -> tuple[str, Any]:
    """Return the first of these attributes, with its name."""
    found = ((path, _data(_in(attributes, path))) for path in paths)
    return next(((path, value) for path, value in found if value not in (None, "", [], {})), (paths[0], None))


def _data(value: Any) -> Any:
    """Return an attribute. Attributes cannot be lists of objects, so messages are often JSON within text."""
    return _nested(within_text(value)) if type(value) is str else value
