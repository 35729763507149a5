"""Whatever stands in a chat log, it is read or refused in words: no value of any field breaks the program."""

import copy
import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from annotation.importing.fields import canonical_json
from annotation.importing.formats import dialogue_format, read_dialogues
from annotation.importing.outcome import ErrorLog, ImportRejected, no_progress
from annotation.importing.shapes import DialogueOptions
from annotation.models import Study
from tests.annotation.importing.conftest import DATA, errors_of
from tests.annotation.importing.test_transcripts import chat, load_log

LOGS = sorted((DATA / "transcripts").glob("*.json*"))
ODD: tuple[Any, ...] = (None, 7, 1.5, True, "", "[", "\0", [], [None], [[]], ["x"], {}, {"x": 1}, {"x": {"y": [1]}})
OPTIONS = DialogueOptions(transcript=True, source="m", show_system=True)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, each in parts:
        yield from places(each, (*path, name))


def with_value(document: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    changed = copy.deepcopy(document)
    inner = changed
    for name in path[:-1]:
        inner = inner[name]
    inner[path[-1]] = value
    return changed


def outcome(path: Path, document: Any) -> str:
    """Read as an import does, up to the database."""
    path.write_text(json.dumps(document))
    log = ErrorLog()
    try:
        name = dialogue_format(path, "", OPTIONS)
        for dialogue in read_dialogues(path, name, OPTIONS, log, no_progress):
            with log.catching(dialogue.line):
                canonical_json(dialogue.metadata, "metadata")
        log.refuse_any()
    except ImportRejected:
        return "refused"
    return "read"


@pytest.mark.parametrize("sample", LOGS, ids=[path.name for path in LOGS])
def test_any_value_in_any_place_is_read_or_refused(sample: Path, tmp_path: Path) -> None:
    text = sample.read_text()
    document = json.loads(text) if sample.suffix == ".json" else [json.loads(line) for line in text.splitlines()]
    path = tmp_path / "log.json"
    assert outcome(path, document) == "read"
    odd = itertools.cycle(ODD)  # another one in each place: all in every place take minutes and find no more
    found = {outcome(path, with_value(document, place, next(odd))) for place in places(document)}
    assert found == {"read", "refused"}


@pytest.mark.parametrize(
    "log",
    [
        '{"trace": ' * 900 + "{}" + "}" * 900,
        '{"id": "o", "traceId": "t", "type": "GENERATION", "output": "x", "input": '
        + '{"input": ' * 900 + '"x"' + "}" * 901,
        '{"context": {"span_id": "s", "trace_id": "t"}, "attributes": {"llm": ' + '{"x": ' * 900 + "1" + "}" * 902,
    ],
    ids=["traces", "inputs", "attributes"],
)  # fmt: skip
def test_a_log_that_is_nested_a_thousand_deep_breaks_nothing(log: str, tmp_path: Path) -> None:
    assert outcome(tmp_path / "log.json", json.loads(log)) in ("read", "refused")


def test_a_line_of_many_megabytes_is_refused_in_words(study: Study, tmp_path: Path) -> None:
    path = tmp_path / "huge.jsonl"
    with path.open("wb") as file:
        file.write(b'{"id": "c", "messages": [{"role": "user", "content": "')
        file.writelines(b"x" * 1024 * 1024 for _ in range(70))
        file.write(b'"}]}\n')
    assert errors_of(load_log, study, path) == [(1, "", "one record is longer than 64 MB")]
    path.write_bytes(b"\n".join([json.dumps(chat()).encode(), b'{"id": "' + b"x" * 6 * 1024**2 + b'"}', b""]))
    assert errors_of(load_log, study, path) == [(2, "", "the line is longer than 5 MB")]
