import csv
import gzip
from collections.abc import Iterable
from pathlib import Path

import pytest

from annotation.importing import RatingOptions, import_ratings
from annotation.models import Batch, Participant, Rating, Study
from tests.clock import NOW
from tests.factories import StudyFactory
from tests.factories_protocols import make_he_version
from tests.he_study import DATA

COLUMNS = {"dialogue": "dialogue_id", "item": "item", "source": "source", "annotator": "annotator",
           "criterion": "criterion", "value": "answer", "batch": "batch"}  # fmt: skip
PANEL = {"internal_expert": "expert", "internal_nonexpert": "non_expert"}
SECONDS = {"appropriateness": 10, "contextualization": 14, "listening": 21, "correctness": 21}


def internal_rows() -> list[dict[str, str]]:
    with gzip.open(DATA / "qualification_ratings.csv.gz", "rt", encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row["role"] in PANEL]


@pytest.fixture
def study(db: None, tmp_path: Path) -> Study:
    """The 3 experts and 3 non-experts of the simulated study, with what they answered as its pilot."""
    study = StudyFactory(slug="he", protocol_version=make_he_version(), seats=6)
    rows = internal_rows()
    import_ratings(study, _file(tmp_path, rows), options=RatingOptions(columns=COLUMNS, create_missing=True), now=NOW)
    Batch.objects.filter(study=study).update(kind=Batch.Kind.PILOT, status=Batch.Status.OPEN)
    for name, role in {row["annotator"]: row["role"] for row in rows}.items():
        Participant.objects.filter(study=study, pseudonym=name).update(panel=PANEL[role])
    for key, seconds in SECONDS.items():
        Rating.objects.filter(criterion__key=key).update(active_ms=seconds * 1000)
    return study


def _file(folder: Path, rows: Iterable[dict[str, str]]) -> Path:
    path = folder / "pilot.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(COLUMNS.values()), extrasaction="ignore")
        writer.writeheader()
        writer.writerows(row | {"item": f"{row['dialogue_id']}-{row['source']}", "batch": "pilot-1"} for row in rows)
    return path
