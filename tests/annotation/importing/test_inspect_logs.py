"""Logs of Inspect: `.json`, and `.eval`, which is a zip file in one of two methods of compression."""

import json
import zipfile
import zlib
from pathlib import Path

import pyarrow
import pytest

from annotation.models import Study
from tests.annotation.importing.conftest import errors_of
from tests.annotation.importing.test_transcripts import ASSISTANT, LOGS, load_log, responses, turns_of
from tests.factories import StudyFactory


def test_a_log_of_inspect_has_a_scenario_for_each_sample(study: Study) -> None:
    assert load_log(study, LOGS / "inspect.json").format == "transcript-inspect"
    assert responses(study) == [
        ("u-green-1:1", "m3", "lab/model_a", "Let me look."),
        ("u-green-1:2", "m5", "lab/model_a", "Two minutes."),
        ("Rk7/2/1:1", "Rk7/2/1:1", "lab/model_a", "Four minutes."),
    ]
    first = study.dialogues.get(key="u-green-1:1")
    assert first.scenario == "tea_advice/green"
    kept = {name: first.metadata[name] for name in ("epoch", "target", "sample_id", "task", "run_id")}
    assert kept == {"epoch": 1, "target": "2 minutes", "sample_id": "green", "task": "tea_advice", "run_id": "Rk7"}
    assert turns_of(study, "u-green-1:2")[1:] == [
        [ASSISTANT, "Let me look."],
        ["tool call", 'lookup({"tea":"green"})'],
        ["tool result", "2 min"],
    ]


def eval_file(path: Path, *, is_zstd: bool = False) -> Path:
    """The same log as Inspect writes it into a zip file, whose newer method of compression is Zstandard."""
    log = json.loads((LOGS / "inspect.json").read_text())
    samples = log.pop("samples")
    parts = {f"samples/{sample['id']}_epoch_1.json": sample for sample in samples}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED if is_zstd else zipfile.ZIP_DEFLATED) as archive:
        for name, part in (parts | {"summaries.json": [], "header.json": log}).items():
            data = json.dumps(part).encode()
            archive.writestr(name, pyarrow.compress(data, "zstd", asbytes=True) if is_zstd else data)
            if is_zstd:  # the directory at the end of the file is written from these
                info = archive.getinfo(name)
                info.compress_type, info.CRC, info.file_size = 93, zlib.crc32(data), len(data)
    return path


@pytest.mark.parametrize("is_zstd", [False, True], ids=["deflate", "zstandard"])
def test_an_eval_file_of_inspect_is_the_same(study: Study, tmp_path: Path, is_zstd: bool) -> None:
    path = eval_file(tmp_path / "log.eval", is_zstd=is_zstd)
    assert load_log(study, path).format == "transcript-inspect-eval"
    other = StudyFactory()
    load_log(other, LOGS / "inspect.json")
    assert responses(study) == responses(other)


def test_a_damaged_eval_file_is_refused(study: Study, tmp_path: Path) -> None:
    path = eval_file(tmp_path / "log.eval", is_zstd=True)
    with zipfile.ZipFile(path) as archive:
        at = archive.getinfo("header.json").header_offset + 30 + len("header.json")
    data = bytearray(path.read_bytes())
    data[at + 40 : at + 60] = bytes(20)
    path.write_bytes(data)
    [(line, field, reason)] = errors_of(load_log, study, path)
    assert (line, field) == (0, "")
    assert reason.startswith("cannot be unpacked (")
    assert reason.endswith("): convert it with the command inspect log convert to .json, and import that")


def test_another_zip_file_is_refused(study: Study, tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("notes.json", "{}")
    assert errors_of(load_log, study, path) == [(0, "", "is a zip file without a header.json of an Inspect log")]
    path.write_bytes(b"PK\x03\x04 and nothing more")
    assert "cannot be unpacked" in errors_of(load_log, study, path)[0][2]
