"""What Parley exports of a study it takes back into an empty one, and exports again just so."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from django.utils import timezone

from annotation.importing import import_dialogues, import_ratings
from annotation.models import Dialogue, Study
from tests.factories import StudyFactory
from tests.reporting.exports.conftest import score_dialogue
from tests.shipped import Work

Written = Callable[..., bytes]
OF_VOTES = ("votes", "decided_by")


def lines_of(data: bytes) -> list[dict]:
    return [json.loads(line) for line in data.splitlines()]


def brought_back(work: Work, exported: bytes, path: Path) -> Study:
    path.write_bytes(exported)
    study = StudyFactory(protocol_version=work.study.protocol_version, seed=work.study.seed)
    import_dialogues(study, path, now=timezone.now())
    import_ratings(study, path, now=timezone.now())
    return study


def test_a_data_set_comes_back_and_is_exported_just_so(diqad: Work, written: Written, tmp_path: Path):
    first = written(diqad.study, "diqad-jsonl")
    copy = brought_back(diqad, first, tmp_path / "first.jsonl")
    second = written(copy, "diqad-jsonl")
    assert [{k: v for k, v in line.items() if k not in OF_VOTES} for line in lines_of(second)] == [
        {k: v for k, v in line.items() if k not in OF_VOTES} for line in lines_of(first)
    ]
    assert written(brought_back(diqad, second, tmp_path / "second.jsonl"), "diqad-jsonl") == second


def test_the_data_set_of_one_annotator_comes_back_byte_for_byte(db: None, written: Written, tmp_path: Path):
    work = Work("diqad-1.0", n_dialogues=3).has_read_all()
    for place, answer in enumerate((("1", "incomplete", "less_proactive"), ("0", "not_relevant"), ("2",))):
        score_dialogue(work, place, *answer, turns=(1, 2) if answer == ("2",) else ())
    first = written(work.study, "diqad-jsonl")
    assert len(lines_of(first)) == 3
    assert written(brought_back(work, first, tmp_path / "first.jsonl"), "diqad-jsonl") == first


def test_who_asks_comes_back_with_the_data_set(diqad: Work, written: Written, tmp_path: Path):
    Dialogue.objects.filter(study=diqad.study).update(asker="B")
    copy = brought_back(diqad, written(diqad.study, "diqad-jsonl"), tmp_path / "first.jsonl")
    assert set(copy.dialogues.values_list("asker", flat=True)) == {"B"}


def rows_of(data: bytes) -> list[dict[str, str]]:
    """Without what an import makes anew."""
    anew = {"study", "batch", "item_token", "created_at", "updated_at"}
    rows = csv.DictReader(io.StringIO(data.decode("utf-8-sig")))
    found = [{name: value for name, value in row.items() if name not in anew} for row in rows]
    return sorted(found, key=lambda row: (row["dialogue"], row["annotator"], row["criterion"]))


@pytest.mark.parametrize("is_own", [True, False])
def test_ratings_of_every_kind_come_back_from_the_long_table(diqad: Work, written, tmp_path: Path, is_own: bool):
    """As our own export, and as a file from elsewhere that has only the columns the documentation names."""
    dialogues, ratings = tmp_path / "d.jsonl", tmp_path / "r.csv"
    turns = {item.dialogue.key: item.dialogue.turns for item in diqad.items("dialogue")}
    dialogues.write_text("\n".join(json.dumps({"id": key, "utterances": said}) for key, said in turns.items()))
    exported = written(diqad.study, "long-csv")
    ratings.write_bytes(exported if is_own else from_elsewhere(exported))
    study = StudyFactory(protocol_version=diqad.study.protocol_version)
    import_dialogues(study, dialogues, now=timezone.now())
    import_ratings(study, ratings, now=timezone.now())
    assert rows_of(written(study, "long-csv")) == rows_of(exported)


def from_elsewhere(exported: bytes) -> bytes:
    rows = list(csv.DictReader(io.StringIO(exported.decode("utf-8-sig"))))
    names = ("dialogue", "annotator", "criterion", "choices", "turns", "explanations", "free_text", "answered_at")
    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=[*names, "value"])
    writer.writeheader()
    writer.writerows({name: row[name] for name in names} | {"value": row["option"]} for row in rows)
    return out.getvalue().encode()
