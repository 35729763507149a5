"""Chat logs: each response of the assistant becomes one to rate, in its context, whatever wrote the log."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from annotation.importing import DialogueOptions, preview
from annotation.importing.outcome import RECORDS
from annotation.models import Candidate, Item, Study
from annotation.services.batching import make_batches
from tests.annotation.importing.conftest import DATA, NOW, Write, errors_of, load
from tests.factories import StudyFactory
from tests.factories_protocols import CriterionFactory, OptionFactory, VersionFactory, publish

LOGS = DATA / "transcripts"
SYSTEM, USER, ASSISTANT = "system", "user", "assistant"
SWIM = [USER, "Where can I swim?"], [ASSISTANT, "In the lake, north side."], [USER, "Is it cold?"]


def said(role: str, content: Any, **fields: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **fields}


def chat(key: str = "c", *texts: str, **fields: Any) -> dict[str, Any]:
    """A log in which user and assistant take turns."""
    messages = [said((USER, ASSISTANT)[at % 2], text) for at, text in enumerate(texts or ("Hi", "Hello"))]
    return {"id": key, "model": "m1", "messages": messages} | fields


def load_log(study: Study, path: Path, **options: Any):
    return load(study, path, transcript=True, **options)


def turns_of(study: Study, key: str) -> list[list[str]]:
    return [[turn["speaker"], turn["text"]] for turn in study.dialogues.get(key=key).turns]


def responses(study: Study) -> list[tuple[str, str, str, str]]:
    rows = Candidate.objects.filter(dialogue__study=study).order_by("dialogue__position")
    return list(rows.values_list("dialogue__key", "key", "source__key", "text"))


def test_every_response_is_rated_in_its_context_and_all_are_one_conversation(study: Study) -> None:
    summary = load_log(study, LOGS / "messages.jsonl")
    assert summary.format == "transcript-messages"
    assert responses(study) == [
        ("tea:1", "tea:1", "model_a", "Two minutes, at 80 degrees."),
        ("tea:2", "tea:2", "model_a", "Three to five minutes."),
        ("train:1", "train:1", "model_b", "At 9:40, from platform 2."),
        ("train:2", "train:2", "model_b", "You are welcome."),
    ]
    assert set(study.dialogues.values_list("conversation", flat=True)) == {"tea", "train"}
    assert turns_of(study, "tea:2") == [
        [USER, "How long does green tea need?"],
        [ASSISTANT, "Two minutes, at 80 degrees."],
        [USER, "And black tea?\n\n[image]"],
    ]
    assert set(study.dialogues.values_list("asker", flat=True)) == {USER}


def test_tool_calls_and_their_results_are_turns_of_the_context(study: Study) -> None:
    load_log(study, LOGS / "messages.jsonl")
    assert turns_of(study, "train:1")[1:] == [
        ["tool call", 'find_train({"to": "Trento"})'],
        ["tool result", '{"departs": "9:40"}'],
    ]


def test_the_system_prompt_is_kept_and_shown_only_if_asked_for(study: Study) -> None:
    load_log(study, LOGS / "messages.jsonl")
    first = study.dialogues.get(key="tea:1")
    assert (first.metadata, first.context) == ({"topic": "food", "system_prompt": "You are a patient cook."}, [])
    other = StudyFactory()
    load_log(other, LOGS / "messages.jsonl", show_system=True)
    shown = other.dialogues.get(key="tea:1")
    assert shown.context == [{"title": "System prompt", "text": "You are a patient cook."}]
    assert shown.metadata == {"topic": "food"}


@pytest.mark.parametrize(
    ("rate", "numbers"),
    [("all", "12345"), ("last", "5"), ("every:2", "24"), ("from:4", "45"), ("from:9", ""), ("every:1", "12345")],
)
def test_responses_can_be_chosen(study: Study, write: Write, rate: str, numbers: str) -> None:
    path = write(chat("c", *(f"text {at}" for at in range(10))), chat("d", *(f"line {at}" for at in range(20))))
    load_log(study, path, rate=rate)
    keys = set(study.dialogues.filter(conversation="c").values_list("key", flat=True))
    assert keys == {f"c:{number}" for number in numbers}


@pytest.mark.parametrize("rate", ["every:0", "first", "every:", "from:-1", "last:2", "from:٣"])
def test_another_choice_is_refused(study: Study, write: Write, rate: str) -> None:
    errors = errors_of(load_log, study, write(chat()), rate=rate)
    text = f"'{rate}' is not a choice of responses: use all, last, every:K, from:N or none, for example every:2"
    assert errors == [(0, "rate", text)]


def test_messages_of_users_are_rated_if_their_role_is_named(study: Study, write: Write) -> None:
    messages = [said(USER, "Hi"), said(ASSISTANT, "Hello"), said(USER, "Bye"), said(USER, "Now", model="sim")]
    path = write(chat(messages=messages))
    load_log(study, path, roles=["human"])
    assert responses(study) == [("c:user:2", "c:user:2", "users", "Bye"), ("c:user:3", "c:user:3", "sim", "Now")]
    assert turns_of(study, "c:user:2") == [[USER, "Hi"], [ASSISTANT, "Hello"]]
    load_log(study, path, roles=[USER, ASSISTANT], rate="from:2", with_dialogue=True)
    assert study.dialogues.get(key="c:1").candidates.get().source.key == "m1"
    assert study.dialogues.get(key="c").source.key == "m1"
    assert study.dialogues.count() == 4


@pytest.mark.parametrize("role", ["system", "tool", "wizard"])
def test_messages_that_are_context_cannot_be_rated(study: Study, write: Write, role: str) -> None:
    text = f"messages of '{role}' cannot be rated: use assistant or user. System prompts and tools are context"
    assert errors_of(load_log, study, write(chat()), roles=[role]) == [(0, "role", text)]


def test_a_log_without_a_message_of_the_wanted_role_is_refused(study: Study, write: Write) -> None:
    errors = errors_of(load_log, study, write(chat()), roles=[USER])
    text = "has no message of the user that follows another message, so there is nothing to rate"
    assert errors == [(1, "messages", text)]


def test_the_whole_dialogue_can_be_the_last_item(study: Study) -> None:
    version = VersionFactory()
    for unit in ("response", "dialogue"):
        OptionFactory(criterion=CriterionFactory(version=version, unit=unit))
    study.protocol_version = publish(version)
    load_log(study, LOGS / "messages.jsonl", with_dialogue=True)
    assert turns_of(study, "tea")[-1] == [ASSISTANT, "Three to five minutes."]
    make_batches(study, by="size", size=3, now=NOW)
    rows = Item.objects.filter(dialogue__conversation="tea").order_by("position")
    items = rows.values_list("dialogue__key", "unit", "source__key")
    assert list(items) == [
        ("tea:1", "response", "model_a"),
        ("tea:2", "response", "model_a"),
        ("tea", "dialogue", "model_a"),
    ]


def test_a_log_of_two_models_has_no_whole_dialogue(study: Study, write: Write) -> None:
    messages = [said(USER, "Hi"), said(ASSISTANT, "Hello", model="m1"), said(ASSISTANT, "Ciao", model="m2")]
    path = write({"id": "c", "messages": messages})
    load_log(study, path)
    assert [source for _, _, source, _ in responses(study)] == ["m1", "m2"]
    errors = errors_of(load_log, StudyFactory(), path, with_dialogue=True)
    assert [(line, field) for line, field, _ in errors] == [(1, "model")]
    assert "differs between the responses (m1, m2)" in errors[0][2]


@pytest.mark.parametrize(
    ("name", "format", "source", "keys"),
    [
        ("langfuse_observations.json", "langfuse", "", ("obs-1", "obs-2")),
        ("langfuse_traces.jsonl", "langfuse", "model_a", ("tr-1", "tr-2")),
        ("langfuse_session.json", "langfuse", "model_a", ("obs-1", "tr-2")),
        ("phoenix.jsonl", "phoenix", "", ("5f02", "5f03")),
        ("opentelemetry.json", "opentelemetry", "", ("aa01", "aa04")),
        ("opentelemetry_events.jsonl", "opentelemetry", "", ("aa01", "aa04")),
        ("opentelemetry_details.jsonl", "opentelemetry", "", ("aa01", "aa04")),
    ],
)
def test_traced_calls_become_their_conversation_with_the_ids_of_their_origin(
    study: Study, name: str, format: str, source: str, keys: tuple[str, str]
) -> None:
    summary = load_log(study, LOGS / name, source=source, with_dialogue=True)
    assert summary.format == f"transcript-{format}"
    found = responses(study)
    assert [(dialogue, key, text) for dialogue, key, _, text in found] == [
        ("swim:1", keys[0], "In the lake, north side."),
        ("swim:2", keys[1], "About 18 degrees."),
    ]
    assert {model.removesuffix("-2026") for _, _, model, _ in found} == {"model_a"}
    spoken = [turn for turn in turns_of(study, "swim:2") if not turn[0].startswith("tool")]
    assert spoken == list(SWIM)
    whole = study.dialogues.get(key="swim")
    assert (whole.source.key, whole.conversation) == (found[1][2], "swim")
    ids = [each.metadata for each in Candidate.objects.order_by("dialogue__position")]
    assert all(each["trace_id"] for each in ids)
    prompt = study.dialogues.get(key="swim:1").metadata.get("system_prompt")
    assert prompt == (None if source else "You know the valley.")


@pytest.mark.parametrize("options", [{}, {"with_dialogue": True}, {"rate": "from:3", "with_dialogue": True}])
def test_a_call_without_a_model_is_named_as_the_place_of_the_error(study: Study, options: dict[str, Any]) -> None:
    (error,) = errors_of(load_log, study, LOGS / "langfuse_session.json", **options)
    assert error[:2] == (0, "traces[1].model")
    assert error[2].startswith("is missing: name the model that answers")


def test_a_call_without_a_model_is_named_by_its_line(study: Study, write: Write) -> None:
    lines = (LOGS / "langfuse_traces.jsonl").read_text().splitlines()
    path = write(json.loads(lines[0]) | {"model": "model_a"}, json.loads(lines[1]))
    (error,) = errors_of(load_log, study, path)
    assert error[:2] == (2, "model")


@pytest.mark.parametrize("name", ["opentelemetry.json", "opentelemetry_events.jsonl", "opentelemetry_details.jsonl"])
def test_the_tool_of_a_traced_call_is_part_of_the_context(study: Study, name: str) -> None:
    load_log(study, LOGS / name)
    assert turns_of(study, "swim:2")[-2:] == [["tool call", 'water({"lake":"north"})'], ["tool result", "18 degrees"]]


HELLO = [said(USER, "Hi"), said(ASSISTANT, "Hello")]


@pytest.mark.parametrize(
    "content",
    [
        json.dumps([chat()]),
        json.dumps([chat()], indent=2),
        json.dumps({"data": [chat()]}, indent=2),
        json.dumps({"id": "c", "model": "m1", "conversations": [
            {"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello"}
        ]}),
        json.dumps({"custom_id": "c", "body": {"model": "m1", "messages": HELLO[:1]}, "response": {
            "body": {"choices": [{"message": HELLO[1]}]}
        }}),
        "\ufeff" + json.dumps(chat()),
        json.dumps(chat(messages=[HELLO[0], said(ASSISTANT, [{"type": "thinking", "thinking": "…"}, "Hello"])])),
    ],
    ids=["array", "indented", "wrapped", "sharegpt", "request", "bom", "thinking"],
)  # fmt: skip
def test_messages_are_found_in_the_forms_that_logs_have(study: Study, write: Write, content: str) -> None:
    load_log(study, write(content))
    assert responses(study) == [("c:1", "c:1", "m1", "Hello")]


def test_an_answer_beside_complete_messages_is_metadata(study: Study, write: Write) -> None:
    load_log(study, write(chat(output={"score": 3}), chat("d", "Hi", output="Hello there")))
    assert [text for *_, text in responses(study)] == ["Hello", "Hello there"]
    assert study.dialogues.get(key="c:1").metadata == {"output": {"score": 3}}


def test_lists_of_messages_alone_have_ids_of_their_own(study: Study, write: Write) -> None:
    load_log(study, write(json.dumps(HELLO), json.dumps([*HELLO, *HELLO])), source="m1")
    keys = set(study.dialogues.values_list("conversation", flat=True))
    assert len(keys) == 2
    assert all(key.startswith("t-") for key in keys)
    again = load_log(study, write(json.dumps(HELLO), json.dumps([*HELLO, *HELLO])), source="m1")
    assert (again.counts["dialogues_new"], again.counts["dialogues_unchanged"]) == (0, 3)


def test_lines_that_are_messages_are_one_conversation(study: Study, write: Write) -> None:
    load_log(study, write(*HELLO, said(USER, "Bye"), said(ASSISTANT, "See you")), source="m1")
    assert [text for *_, text in responses(study)] == ["Hello", "See you"]


def test_a_packed_log_is_read(study: Study, tmp_path: Path) -> None:
    path = tmp_path / "log.json.gz"
    path.write_bytes(gzip.compress(json.dumps([chat()], indent=1).encode()))
    load_log(study, path)
    assert len(responses(study)) == 1


def test_a_greeting_has_no_context_and_is_not_rated(study: Study, write: Write) -> None:
    load_log(study, write(chat(messages=[said(ASSISTANT, "Welcome"), *HELLO])))
    assert responses(study) == [("c:2", "c:2", "m1", "Hello")]
    assert turns_of(study, "c:2")[0] == [ASSISTANT, "Welcome"]


@pytest.mark.parametrize(
    ("change", "field", "reason"),
    [
        ({"messages": [said(USER, "Hi")]}, "messages", "has no message of the assistant"),
        ({"messages": [said("wizard", "Hi"), *HELLO]}, "messages[0].role", "'wizard' is not a known role: use system,"),
        ({"messages": [said(USER, ""), *HELLO]}, "messages[0].content", "is empty: remove the message"),
        ({"messages": [said(USER, "  "), *HELLO]}, "messages[0].content", "is empty: remove the message"),
        ({"messages": [{"content": "Hi"}, *HELLO]}, "messages[0].role", "is missing: name who says the message"),
        ({"messages": [said(USER, 7), *HELLO]}, "messages[0].content", "must be text or a list of parts, not a number"),
        ({"messages": [said(USER, "a\0"), *HELLO]}, "messages[0].content", "contains a NUL character"),
        ({"messages": ["Hi"]}, "messages[0]", "must be an object, not text"),
        (
            {"messages": [said(USER, [{"type": "hologram"}]), *HELLO]},
            "messages[0].content[0].type",
            "is a part of the unknown kind 'hologram'",
        ),
        ({"messages": None, "text": "Hi"}, "messages", "is missing: a chat log needs its messages"),
        (
            {"model": ""},
            "model",
            "is missing: name the model that answers, or one source for the whole file: use --source NAME",
        ),
        ({"id": "x" * 191}, "id", "is longer than 190 characters"),
        ({"model": "assistant"}, "speaker", "'assistant' is the source of this candidate"),
    ],
)  # fmt: skip
def test_a_faulty_log_is_refused_with_line_field_and_remedy(
    study: Study, write: Write, change: dict[str, Any], field: str, reason: str
) -> None:
    errors = errors_of(load_log, study, write(chat("fine"), chat() | change))
    assert [(line, name) for line, name, _ in errors] == [(2, field)]
    assert reason in errors[0][2]
    assert not study.dialogues.exists()


def test_in_one_document_the_place_is_named_instead_of_the_line(study: Study, write: Write) -> None:
    content = json.dumps([chat("fine"), chat(messages=[said(USER, "Hi"), said(ASSISTANT, "")])], indent=1)
    errors = errors_of(load_log, study, write(content))
    assert errors == [(RECORDS + 2, "messages[1].content", "is empty: remove the message, or give its text")]
    sample = json.loads((LOGS / "inspect.json").read_text())
    sample["samples"][1]["messages"][0]["role"] = "wizard"
    errors = errors_of(load_log, study, write(json.dumps(sample, indent=1)))
    assert [field for _, field, _ in errors] == ["samples[1].messages[0].role"]


def test_two_logs_of_one_id_are_refused_in_lines_and_in_documents(study: Study, write: Write) -> None:
    text = "has the same id, or without one the same messages, as {}: each log needs its own id"
    assert errors_of(load_log, study, write(chat(), chat("c", "Bye", "Ciao"))) == [(2, "id", text.format("line 1"))]
    errors = errors_of(load_log, study, write(json.dumps([chat(), chat()], indent=1)))
    assert errors == [(RECORDS + 2, "id", text.format("record 1"))]
    errors = errors_of(load_log, study, write(json.dumps([chat("a:1"), chat("a")], indent=1)), with_dialogue=True)
    assert errors == [(RECORDS + 2, "id", text.format("record 1"))]


def test_calls_that_do_not_go_on_are_refused(study: Study, write: Write) -> None:
    calls = json.loads((LOGS / "langfuse_observations.json").read_text())
    calls[0]["input"][2]["content"] = "Nowhere."
    errors = errors_of(load_log, study, write(json.dumps(calls, indent=1)))
    assert [(line, field) for line, field, _ in errors] == [(RECORDS + 1, "input")]
    assert "the call 'obs-2' does not go on where the one before it in 'swim' ends" in errors[0][2]


def test_a_call_may_be_given_only_the_last_messages(study: Study, write: Write) -> None:
    calls = json.loads((LOGS / "langfuse_observations.json").read_text())
    calls[0]["input"] = calls[0]["input"][2:]
    load_log(study, write(json.dumps(calls, indent=1)))
    assert turns_of(study, "swim:2") == list(SWIM)


def test_spans_without_messages_say_what_to_export(study: Study, write: Write) -> None:
    span = {"name": "x", "context": {"span_id": "a", "trace_id": "b"}, "attributes": {"gen_ai.request.model": "m"}}
    text = "the file contains no calls of a model with their messages: export those, with input and output"
    assert errors_of(load_log, study, write(span)) == [(0, "", text)]
    half = span | {"attributes": {"gen_ai.input.messages": json.dumps([said(USER, "Hi")])}}
    errors = errors_of(load_log, study, write(half))
    assert [(line, field) for line, field, _ in errors] == [(1, "attributes.gen_ai.output.messages")]


def test_prompts_and_completions_of_older_instrumentation_are_read(study: Study, write: Write) -> None:
    attributes = {
        "gen_ai.request.model": "m1",
        "gen_ai.prompt.0.role": "user",
        "gen_ai.prompt.0.content": "Hi",
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.content": "Hello",
    }
    load_log(study, write({"name": "chat", "context": {"span_id": "a", "trace_id": "b"}, "attributes": attributes}))
    assert responses(study) == [("b:1", "a", "m1", "Hello")]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "the file is empty"),
        ("[]", "the file contains no chat logs"),
        ("tea\ncoffee", "is not JSON"),
        ('{"id": "c", "messages": [', "is not JSON"),
        ("[1, 2]", "must be an object or a list of messages, not a number"),
        ('"tea"', "must be objects or a list of them, not text"),
    ],
)
def test_what_is_no_chat_log_is_refused(study: Study, write: Write, content: str, reason: str) -> None:
    assert reason in errors_of(load_log, study, write(content))[0][2]


def test_a_broken_line_among_others_is_named(study: Study, write: Write) -> None:
    errors = errors_of(load_log, study, write("{broken", chat("a"), chat("b")))
    assert [(line, field) for line, field, _ in errors] == [(1, "")]
    assert "is not JSON" in errors[0][2]


def test_a_longer_log_of_the_same_id_adds_its_turns(study: Study, write: Write) -> None:
    load_log(study, write(chat("c", "Hi", "Hello")))
    summary = load_log(study, write(chat("c", "Hi", "Hello", "Bye", "Ciao")))
    assert (summary.counts["dialogues_new"], summary.counts["dialogues_unchanged"]) == (1, 1)
    errors = errors_of(load_log, study, write(chat("c", "Hi", "Hello", "Hm", "So", "Bye", "Ciao")))
    assert [field for _, field, _ in errors] == ["dialogue_id"]


def test_the_preview_has_the_pages_of_the_first_conversations(study: Study) -> None:
    path = LOGS / "messages.jsonl"
    found = preview(path, "dialogues", options=DialogueOptions(transcript=True, with_dialogue=True))
    assert [each.key for each in found.conversations] == ["tea", "train"]
    first = found.conversations[0].rows
    assert [(row["key"], row["n_known"], len(row["turns"])) for row in first] == [
        ("tea:1", 0, 1),
        ("tea:2", 1, 3),
        ("tea", 3, 4),
    ]
