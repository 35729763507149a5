"""Kinds of files are recognised by their content."""

import gzip
import json
import zipfile
from pathlib import Path

import pytest

from annotation.importing.kinds import JSON, JSON_LINES, PARQUET, TABLE, WORKBOOK, file_kind
from annotation.importing.outcome import ImportRejected
from tests.annotation.importing.conftest import Write, dialogue, parquet, workbook


def test_a_wrong_ending_does_not_hide_what_a_file_is(tmp_path: Path) -> None:
    assert file_kind(workbook(tmp_path / "a.csv", [["id"]])) == WORKBOOK
    assert file_kind(parquet(tmp_path / "a.xlsx", id=[1])) == PARQUET


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ("a;b\n1;2", TABLE),
        (json.dumps(dialogue()), JSON_LINES),
        (json.dumps(dialogue()) + "\n" + json.dumps(dialogue("d2")), JSON_LINES),
        ("{\n" + json.dumps(dialogue()), JSON_LINES),
        (json.dumps(dialogue(), indent=1), JSON),
        (json.dumps([dialogue()]), JSON),
        (json.dumps({"version": 1, "dialogues": [dialogue()]}), JSON),
        ('{"dialogues": [\n' + json.dumps(dialogue()) + "\n]}", JSON),
        ('{"dialogue": "d1", "ratings": [{"label": 1}]}', JSON_LINES),
        ("\n \n[1]", JSON),
    ],
)
def test_texts_are_told_apart(write: Write, content: str, kind: str) -> None:
    assert file_kind(write(content)) == kind
    assert file_kind(write(exactly=gzip.compress(content.encode()))) == kind
    assert file_kind(write(exactly=content.encode("utf-16"))) == kind


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "a workbook of an old format, or one with a password"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00", "none of the files that can be read: CSV, TSV, XLSX"),
        (b"PK\x03\x04 but no archive", "damaged or incomplete"),
        (b"", "the file is empty"),
    ],
)
def test_a_file_of_another_kind_is_refused_in_words(write: Write, content: bytes, said: str) -> None:
    with pytest.raises(ImportRejected, match=said):
        file_kind(write(exactly=content))


@pytest.mark.parametrize(
    ("member", "said"), [("content.xml", "of another format: save it as .xlsx"), ("a.csv", "unpack it, and import")]
)
def test_an_archive_is_refused_with_what_to_do(tmp_path: Path, member: str, said: str) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(member, "x")
    with pytest.raises(ImportRejected, match=said):
        file_kind(tmp_path / "a.zip")
