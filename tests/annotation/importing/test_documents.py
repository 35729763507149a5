"""JSON files that are one list, or an object with lists."""

import gzip
import json
from pathlib import Path

import pytest

from annotation.importing import documents, files
from annotation.importing.documents import read_document
from annotation.importing.outcome import ErrorLog, no_progress
from annotation.models import Dialogue, Study
from tests.annotation.importing.conftest import Write, dialogue, errors_of, load, turns_of


def read(path: Path) -> tuple[list[tuple[int, dict]], list[tuple[int, str]]]:
    log = ErrorLog()
    found = list(read_document(path, log, no_progress))
    return found, [(error.line, error.reason) for error in log.errors]


@pytest.mark.parametrize("block", [3, 1024])
def test_records_have_the_line_they_begin_on(write: Write, monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    monkeypatch.setattr(documents, "BLOCK", block)
    found, errors = read(write('[\n {"a": 1,\n "b": [true, "]\\n\\""]},\n\n {"é": 12345}, {}]\n'))
    assert found == [(2, {"a": 1, "b": [True, ']\n"']}), (5, {"é": 12345}), (5, {})]
    assert not errors


def test_every_list_of_objects_in_an_object_is_read(write: Write) -> None:
    found, errors = read(write('{"v": 1.5, "train": [{"a": 1}],\n"tags": ["x", 2], "test": [{"a": 2}], "n": null}'))
    assert (found, errors) == ([(1, {"a": 1}), (2, {"a": 2})], [])


def test_an_object_that_is_a_record_itself_is_read_as_one(write: Write) -> None:
    found, errors = read(write(json.dumps(dialogue(), indent=2)))
    assert (found, errors) == ([(1, dialogue())], [])


@pytest.mark.parametrize(
    ("content", "line", "reason"),
    [
        ('[{"a": 1},\n{"a": }]', 2, "is not JSON (Expecting value)"),
        ('[{"a": 1}\n{"a": 2}]', 2, "is not JSON: expected , ] here, not '{'"),
        ('[{"a": 1},\n', 3, "is not JSON (Expecting value)"),
        ('[{"a": 1}', 2, "is not JSON: expected , ] here, not the end of the file"),
        ('[{"a": 1}]\nmore', 2, "is not JSON: there is text after the end of the list"),
        ('[{"a": 1},\n2]', 2, "must be one object {...}, not a number"),
        ('[{"a": 1},\n{"a": NaN}]', 2, "is not JSON"),
        ('[{"a": 1},\n{"a": ' + "[" * 100_000 + "]", 2, "is nested too deep"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(write: Write, content: str, line: int, reason: str) -> None:
    found, errors = read(write(content))
    assert found[0] == (1, {"a": 1})
    assert (errors[0][0], reason in errors[0][1]) == (line, True)


def test_a_record_without_end_is_not_read_into_memory(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (files, documents):
        monkeypatch.setattr(module, "LONGEST_LINE", 1 << 20)
    monkeypatch.setattr(documents, "BLOCK", 1 << 18)
    path = write('[{"a": 1}, {"a": "' + "x" * (8 << 20))
    assert read(path) == ([(1, {"a": 1})], [(1, "one record is longer than 1 MB")])


def test_wrong_bytes_and_a_damaged_gz_are_refused(write: Write) -> None:
    assert "not UTF-8" in read(write(b'[{"a": "M\xfcde"}]'))[1][0][1]
    packed = gzip.compress(json.dumps([dialogue(str(n)) for n in range(2000)]).encode())
    assert "damaged or incomplete" in read(write(exactly=packed[:-100]))[1][0][1]


def test_dialogues_of_a_list_are_imported_as_those_of_json_lines(study: Study, write: Write) -> None:
    both = [dialogue("a"), dialogue("b")]
    assert load(study, write(json.dumps(both, indent=1))).counts["dialogues_new"] == 2
    assert load(study, write(*both)).counts["dialogues_unchanged"] == 2
    assert load(study, write(exactly=json.dumps({"data": both}).encode("utf-16"))).counts["dialogues_unchanged"] == 2
    assert turns_of(study, "b")[0] == ("A", "How are you?")


def test_one_bad_dialogue_in_a_list_refuses_all(study: Study, write: Write) -> None:
    errors = errors_of(
        load, study, write("[" + json.dumps(dialogue()) + ",\n" + json.dumps(dialogue(history=[])) + "]")
    )
    assert errors == [(2, "history", "is an empty list")]
    assert not Dialogue.objects.exists()
