"""Documents of chat logs that are too large to be parsed as a whole: they are read a record at a time."""

import gzip
import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from annotation.importing import documents
from annotation.importing.outcome import ErrorLog, no_progress
from annotation.importing.transcripts import large
from annotation.importing.transcripts.calls import Call
from annotation.importing.transcripts.langfuse import read_langfuse
from annotation.importing.transcripts.records import read_records
from annotation.importing.transcripts.spans import read_spans
from annotation.models import Study
from tests.annotation.importing.conftest import Write, errors_of
from tests.annotation.importing.test_transcripts import LOGS, chat, load_log, responses
from tests.factories import StudyFactory

FILLER = "x" * 6000


@pytest.fixture(autouse=True)
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read as large what is larger than some kilobytes."""
    monkeypatch.setattr(large, "LONGEST_DOCUMENT", 1 << 13)
    for module in (large, documents):
        monkeypatch.setattr(module, "BLOCK", 1 << 10)


def logs(n: int) -> list[dict[str, Any]]:
    return [chat(f"c{at}", "Hi", f"Hello {at}", note=FILLER) for at in range(n)]


@pytest.mark.parametrize("is_packed", [False, True], ids=["plain", "packed"])
@pytest.mark.parametrize(
    "document",
    [logs(3), {"data": logs(3)}, {"meta": {"page": 1}, "counts": [1, 2], "logs": logs(3), "total": 3}],
    ids=["array", "wrapped", "page"],
)
def test_the_records_of_a_large_document_are_those_of_a_small_one(
    study: Study, tmp_path: Path, document: Any, is_packed: bool
) -> None:
    path = tmp_path / "log.json"
    data = json.dumps(document, indent=1).encode()
    path.write_bytes(gzip.compress(data) if is_packed else data)
    assert large.is_large(path)
    assert load_log(study, path).format == "transcript-messages"
    assert responses(study) == [(f"c{at}:1", f"c{at}:1", "m1", f"Hello {at}") for at in range(3)]


def test_samples_of_a_large_log_of_inspect_are_read_one_by_one(study: Study, write: Write) -> None:
    log = json.loads((LOGS / "inspect.json").read_text())
    for sample in log["samples"]:
        sample["store"] = FILLER
    path = write(json.dumps(log, indent=1))
    assert large.is_large(path)
    assert load_log(study, path).format == "transcript-inspect"
    other = StudyFactory()
    load_log(other, LOGS / "inspect.json")
    assert responses(study) == responses(other)
    log["samples"][1]["messages"][0]["role"] = "wizard"
    errors = errors_of(load_log, study, write(json.dumps(log, indent=1)))
    assert [(line, field) for line, field, _ in errors] == [(0, "samples[1].messages[0].role")]


def test_large_observations_of_langfuse_are_joined(study: Study, write: Write) -> None:
    calls = json.loads((LOGS / "langfuse_observations.json").read_text())
    path = write(json.dumps([call | {"metadata": FILLER} for call in calls], indent=1))
    assert large.is_large(path)
    load_log(study, path)
    assert [text for *_, text in responses(study)] == ["In the lake, north side.", "About 18 degrees."]


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        (chat("c", *["Hi", FILLER] * 3), "is one record of more than 0 MB: write one conversation per line"),
        ([*chat("c", *["Hi", FILLER] * 3)["messages"]], "is one record of more than 0 MB"),
        ({"id": "t", "observations": logs(2)}, "is one record of more than 0 MB"),
        ([chat("c", "Hi", "x" * (1 << 15))], "one record is longer than 0 MB"),
    ],
    ids=["log", "messages", "trace", "record"],
)
def test_a_conversation_that_is_too_large_is_refused(study: Study, write: Write, document: Any, reason: str) -> None:
    [(_line, _field, said)] = errors_of(load_log, study, write(json.dumps(document, indent=1)))
    assert reason in said


@pytest.mark.parametrize("end", ["", "]", ', "more"', "]}", ', {"id": ]', ", NaN]}"])
def test_a_broken_end_is_refused_with_its_line_and_nothing_is_stored(study: Study, write: Write, end: str) -> None:
    content = '{"data": ' + json.dumps(logs(3), indent=1).rstrip().removesuffix("]").rstrip()
    path = write(content + ("\n" + end if end != "]}" else "]} {}"))
    errors = errors_of(load_log, study, path)
    assert errors[-1][0] >= content.count("\n")
    assert not study.dialogues.exists()


def test_memory_does_not_grow_with_the_document(write: Write) -> None:
    peaks = []
    for n in (20, 800):
        path = write(json.dumps(logs(n), indent=1), name=f"{n}.json")
        tracemalloc.start()
        assert sum(1 for _ in read_records(path, ErrorLog(), no_progress)) == n
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] + 100_000
    assert path.stat().st_size > 20 * peaks[1]


def observation(at: int) -> dict[str, Any]:
    return {"id": f"o{at}", "traceId": "t", "type": "TOOL", "input": "Where?", "output": [FILLER]}


def span(at: int) -> dict[str, Any]:
    found = {"retrieval.documents": FILLER, "gen_ai.request.model": "m"}
    return {"spanId": f"s{at}", "traceId": "t", "name": "retrieve", "attributes": found}


@pytest.mark.parametrize(
    ("read", "make"), [(read_langfuse, observation), (read_spans, span)], ids=["langfuse", "spans"]
)
def test_what_tools_were_given_and_answered_is_not_kept(
    write: Write, read: Callable[..., list[Call]], make: Callable[[int], dict[str, Any]]
) -> None:
    peaks = []
    for n in (20, 800):
        path = write(json.dumps({"data": [make(at) for at in range(n)]}, indent=1), name=f"{n}.json")
        tracemalloc.start()
        assert read(read_records(path, ErrorLog(), no_progress), ErrorLog()) == []
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert path.stat().st_size > 5 * peaks[1]
    assert peaks[1] < peaks[0] + path.stat().st_size / 5
