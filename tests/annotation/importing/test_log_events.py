"""Log events of OpenTelemetry: messages and details of calls, with and without the spans that they belong to.

The events are documented at github.com/open-telemetry/semantic-conventions/blob/v1.36.0/docs/gen-ai/gen-ai-events.md
(one for each message) and at opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-events (the details of an operation).
"""

from typing import Any

import pytest

from annotation.models import Study
from tests.annotation.importing.conftest import Write, errors_of
from tests.annotation.importing.test_transcripts import LOGS, load_log, responses


def event(name: str, body: Any, span: str = "a", **fields: Any) -> dict[str, Any]:
    """A log record as an SDK prints it."""
    return {"event_name": f"gen_ai.{name}", "body": body, "trace_id": "t", "span_id": span, "attributes": {}} | fields


ASKED = event("user.message", {"content": "Hi"})
ANSWERED = event("choice", {"index": 0, "message": {"content": "Hello"}})


def test_without_their_spans_the_messages_of_a_trace_are_a_conversation(study: Study, write: Write) -> None:
    lines = (LOGS / "opentelemetry_events.jsonl").read_text().splitlines()
    path = write(*(line for line in lines if "resourceLogs" in line))
    errors = errors_of(load_log, study, path)
    assert {(field, reason.split(":")[0]) for _, field, reason in errors} == {
        ("resourceLogs[0].scopeLogs[0].logRecords[0].model", "is missing")
    }
    load_log(study, path, source="model_b")
    assert responses(study) == [
        ("f001:1", "aa01", "model_b", "In the lake, north side."),
        ("f002:1", "f002:1", "model_b", "In the lake, north side."),
        ("f002:2", "aa04", "model_b", "About 18 degrees."),
    ]


def test_events_may_stand_in_their_span(study: Study, write: Write) -> None:
    span = {
        "context": {"span_id": "a", "trace_id": "t"},
        "attributes": {"gen_ai.request.model": "m1"},
        "events": [
            {"name": "gen_ai.user.message", "attributes": {"content": "Hi"}},
            {"name": "gen_ai.choice", "attributes": {"index": 0, "message": '{"content": "Hello"}'}},
        ],
    }
    load_log(study, write(span))
    assert responses(study) == [("t:1", "a", "m1", "Hello")]


def test_messages_that_a_span_and_its_event_both_have_are_read_once(study: Study, write: Write) -> None:
    said = {"gen_ai.request.model": "m1", "gen_ai.input.messages": [{"role": "user", "content": "Hi"}]}
    said["gen_ai.output.messages"] = [{"role": "assistant", "content": "Hello"}]
    span = {"context": {"span_id": "a", "trace_id": "t"}, "attributes": said}
    details = event("client.inference.operation.details", None, attributes=said)
    load_log(study, write(span, details, ASKED, ANSWERED))
    assert responses(study) == [("t:1", "a", "m1", "Hello")]


def test_details_without_a_span_are_known_by_their_response(study: Study, write: Write) -> None:
    said = {"gen_ai.request.model": "m1", "gen_ai.response.id": "r1", "gen_ai.conversation.id": "c"}
    said["gen_ai.input.messages"] = '[{"role": "user", "parts": [{"type": "text", "content": "Hi"}]}]'
    said["gen_ai.output.messages"] = '[{"role": "assistant", "parts": [{"type": "text", "content": "Hello"}]}]'
    details = event("client.inference.operation.details", None, attributes=said, trace_id=None, span_id=None)
    load_log(study, write(details))
    assert responses(study) == [("c:1", "r1", "m1", "Hello")]


def test_the_place_of_a_faulty_event_is_named(study: Study, write: Write) -> None:
    text = (LOGS / "opentelemetry_events.jsonl").read_text().replace("Where can I swim?", " ")
    place = "resourceLogs[0].scopeLogs[0].logRecords[1].body.content"
    errors = errors_of(load_log, study, write(text.strip()))
    assert errors[0] == (2, place, "is empty: remove the message, or give its text")
    said = [{"name": "gen_ai.user.message", "attributes": {"content": 7}}, {"name": "gen_ai.choice"}]
    errors = errors_of(load_log, study, write({"context": {"span_id": "a", "trace_id": "t"}, "events": said}))
    assert errors[0][:2] == (1, "events[0].attributes.content")


def test_messages_come_in_the_order_of_their_times(study: Study, write: Write) -> None:
    times = ("2026-05-05T17:00:00Z", "2026-05-05T17:00:01Z", "2026-05-05T17:00:02Z")
    first, last, answer = (
        each | {"timestamp": time}
        for each, time in zip((ASKED, event("user.message", {"content": "Well?"}), ANSWERED), times, strict=True)
    )
    load_log(study, write(answer, last, first), source="m1")
    assert [turn["text"] for turn in study.dialogues.get().turns] == ["Hi", "Well?"]


@pytest.mark.parametrize(
    ("events", "field", "reason"),
    [
        ([ASKED], "gen_ai.choice", "is missing: the span 'a' has no event of this name. Record all messages of a call"),
        ([ANSWERED], "gen_ai.user.message", "is missing: the span 'a' has no event of this name."),
        ([ASKED | {"span_id": ""}, ANSWERED], "spanId", "is missing: the messages of a call are known by its span"),
        ([event("user.message", {"content": 7}), ANSWERED], "body.content", "must be text or a list of parts"),
        ([event("user.message", {}), ANSWERED], "body.content", "is empty: remove the message, or give its text"),
    ],
    ids=["asked", "answered", "no span", "number", "nothing"],
)
def test_events_that_are_no_call_are_refused(
    study: Study, write: Write, events: list[Any], field: str, reason: str
) -> None:
    errors = errors_of(load_log, study, write(*events), source="m1")
    assert (errors[0][0], errors[0][1]) == (1, field)
    assert reason in errors[0][2]
    assert not study.dialogues.exists()
