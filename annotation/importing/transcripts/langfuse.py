"""Read exports of Langfuse: observations, traces with or without their observations, and sessions.

Its user interface and its API write sessionId and traceId; its exports to blob storage write session_id and trace_id.
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
from annotation.importing.transcripts.places import Found, Place, dotted, within_text

OBSERVED = frozenset({
    "GENERATION", "SPAN", "EVENT", "AGENT", "TOOL", "CHAIN", "RETRIEVER", "EVALUATOR", "EMBEDDING", "GUARDRAIL",
})  # fmt: skip
MODELS = ("model", "providedModelName", "provided_model_name")
BEGUN = ("startTime", "start_time", "timestamp")
KEPT = ("tags", "userId", "user_id", "name", "metadata", "environment", "release", "version")
USED = ("type", "input", "output", *BEGUN, *MODELS, *KEPT)


@dataclass(frozen=True, slots=True)
class Part:
    """A trace, or an observation, which has a trace. `session` is its own, or that of what it is a part of.

    `record` holds what a call is made of, without the parts of a trace: a file may have more than the memory holds.
    """

    place: Place
    record: Record
    key: str
    trace: str
    session: str


def is_langfuse(record: Record) -> bool:
    if "messages" in record:
        return False
    if _value(record, "traceId") is not None and str(record.get("type")) in OBSERVED:
        return True
    if type(record.get("observations")) is list and ("input" in record or "timestamp" in record):
        return True
    is_trace = _value(record, "sessionId") is not None and ("input" in record or "output" in record)
    return is_trace or type(record.get("trace")) is dict or type(record.get("traces")) is list


def read_langfuse(records: Iterable[Found], log: ErrorLog) -> list[Call]:
    """Return the calls of the models. A trace whose observations the file does not have is one call itself."""
    parts: list[Part] = []
    for place, record in records:
        with log.catching(place[0]):
            parts += (part for part in _parts(place, record, "") if not part.trace or _is_generation(part))
    sessions = {part.key: part.session for part in parts if not part.trace}
    observed = {part.trace for part in parts if _is_generation(part)}
    calls = []
    for part in parts:
        if _is_generation(part) or (not part.trace and part.key not in observed):
            with log.catching(part.place[0]):
                calls.append(_call(part, part.session or sessions.get(part.trace, "")))
    return calls


def _is_generation(part: Part) -> bool:
    return bool(part.trace) and part.record.get("type") in ("GENERATION", None)


def _parts(place: Place, record: Any, session: str) -> Iterator[Part]:
    """Yield a record without its parts, and then its parts: the traces of a session, the observations of a trace."""
    if type(record) is not dict:
        return
    line, prefix = place
    dot = dotted(prefix)
    inner = record.get("trace")
    if type(inner) is dict:
        yield from _parts((line, f"{dot}trace"), inner | {"observations": record.get("observations")}, session)
        return
    key = _key(record, "id", dot)
    traces, observations = record.get("traces"), record.get("observations")
    if type(traces) is list:
        for at, trace in enumerate(traces):
            yield from _parts((line, f"{dot}traces[{at}]"), trace, key)
        return
    mine = _key(record, "sessionId", dot) or session
    used = {name: record[name] for name in USED if name in record}
    yield Part(place, used, key, _key(record, "traceId", dot), mine)
    if type(observations) is list:
        for at, each in enumerate(observations):
            yield from _parts((line, f"{dot}observations[{at}]"), _of_trace(each, key), mine)


def _of_trace(observation: Any, trace: str) -> Any:
    return {"traceId": trace} | observation if type(observation) is dict else observation


def _call(part: Part, session: str) -> Call:
    record, dot = part.record, dotted(part.place[1])
    given, answered = (_data(record.get(name)) for name in ("input", "output"))
    if given is None or answered is None:
        name = "input" if given is None else "output"
        raise BadField(f"{dot}{name}", _("is missing: export the traces or observations with input and output"))
    model = next((record[name] for name in MODELS if record.get(name)), "")
    times = (_value(record, name) for name in ("startTime", "timestamp"))
    own = {"observation_id": part.key, "trace_id": part.trace} if part.trace else {"trace_id": part.key}
    return Call(
        place=part.place,
        key=part.key,
        conversation=session or part.trace or part.key,
        begun=next((str(time) for time in times if time), ""),
        model=clean_key(model, f"{dot}model", LONGEST_SOURCE_KEY),
        given=questions_in(given, f"{dot}input"),
        answered=answers_in(answered, f"{dot}output"),
        ids=own,
        metadata={name: record[name] for name in KEPT if record.get(name)},
    )


def _data(value: Any) -> Any:
    """Return an input or output; None if it is empty."""
    return None if value in ("", [], {}) else within_text(value)


def _value(record: Record, name: str) -> Any:
    """Return the value of a field that is written in camel case or with underscores."""
    snake = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
    return record.get(name, record.get(snake))


def _key(record: Record, name: str, dot: str) -> str:
    return clean_key(_value(record, name), f"{dot}{name}", LONGEST_LOG_KEY)
