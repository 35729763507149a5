"""Files written for one test, and studies under protocols that ship."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from openpyxl import Workbook

from annotation.importing import (
    DialogueOptions,
    ImportRejected,
    ImportSummary,
    RatingOptions,
    import_dialogues,
    import_ratings,
)
from annotation.models import Study
from protocols.models import ProtocolVersion
from protocols.services import store_bundle
from tests.factories import StudyFactory
from tests.shipped import bundle_of

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
DATA = Path(__file__).parents[2] / "data"
HE_DIALOGUES = DATA / "he_protocol_sim" / "dialogues.jsonl"
HE_RATINGS = DATA / "he_protocol_sim" / "ratings.csv.gz"
SWITCHBOARD = DATA / "ratings" / "swbd_coh.csv.gz"
DIQAD = DATA / "diqad_scale_sim" / "sample_mixed_100.jsonl"
HEAD = "dialogue,item,source,annotator,criterion,value"  # of a file of ratings
REPLACE = "use --replace-unused to correct it, or give the new dialogue another id"

Write = Callable[..., Path]


def builtin(name: str) -> ProtocolVersion:
    return store_bundle(bundle_of(name), publish=True, now=NOW)[0]


@pytest.fixture
def study(db: None) -> Study:
    return StudyFactory()


@pytest.fixture
def he_study(db: None) -> Study:
    return StudyFactory(protocol_version=builtin("he-protocol-1.0"), seats=7)


@pytest.fixture
def coherence_study(db: None) -> Study:
    return StudyFactory(protocol_version=builtin("three-point-coherence-1.0"))


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a file of text, bytes, or one JSON line per object."""

    def write(*content: Any, name: str = "file.jsonl", exactly: bytes | None = None) -> Path:
        path = tmp_path / name
        if exactly is not None:
            path.write_bytes(exactly)
            return path
        parts = [part if isinstance(part, (str, bytes)) else json.dumps(part) for part in content]
        lines = [part.encode() if isinstance(part, str) else part for part in parts]
        path.write_bytes(b"\n".join(lines) + b"\n" if lines else b"")
        return path

    return write


def workbook(path: Path, *sheets: list[list[Any]]) -> Path:
    """Write a workbook with these sheets."""
    book = Workbook()
    book.remove(book.active)
    for rows in sheets:
        sheet = book.create_sheet()
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def parquet(path: Path, **columns: Any) -> Path:
    pq.write_table(pa.table(columns), path)
    return path


def turns_of(study: Study, key: str) -> list[tuple[str, str]]:
    return [(turn["speaker"], turn["text"]) for turn in study.dialogues.get(key=key).turns]


def responses_of(study: Study, key: str) -> list[tuple[str, str]]:
    candidates = study.dialogues.get(key=key).candidates.order_by("pk")
    return [(each.source.key, each.text) for each in candidates.select_related("source")]


def dialogue(key: str | None = "d1", **fields: Any) -> dict[str, Any]:
    """One line in the shape of history and candidates."""
    line: dict[str, Any] = {
        "dialogue_id": key,
        "history": [{"speaker": "A", "text": "How are you?"}, {"speaker": "B", "text": "Tired."}],
        "candidates": [
            {"candidate_id": f"{key}-gold", "source": "ground_truth", "text": "Why is that?"},
            {"candidate_id": f"{key}-bot", "source": "bot", "text": "I see."},
        ],
    }
    return {name: value for name, value in (line | fields).items() if value is not None}


def load(study: Study, path: Path, *, is_dry_run: bool = False, format: str = "", **options: Any) -> ImportSummary:
    return import_dialogues(
        study, path, format=format, options=DialogueOptions(**options), is_dry_run=is_dry_run, now=NOW
    )


def load_ratings(study: Study, path: Path, *, is_dry_run: bool = False, **options: Any) -> ImportSummary:
    return import_ratings(study, path, options=RatingOptions(**options), is_dry_run=is_dry_run, now=NOW)


def errors_of(call: Callable[..., Any], *args: Any, **kwargs: Any) -> list[tuple[int, str, str]]:
    """The errors for which the import is refused, in the words of the command."""
    with pytest.raises(ImportRejected) as refused:
        call(*args, **kwargs)
    errors = [error.for_command() for error in refused.value.errors]
    return [(error.line, error.field, error.reason) for error in errors]


@pytest.fixture
def small(he_study: Study) -> Study:
    load(he_study, HE_DIALOGUES)
    return he_study
