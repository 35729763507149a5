"""The scripts in an archive compute the main table of its report from its answers, in R and in Python."""

import csv
import json
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from annotation.models import Dialogue, Study
from tests.factories import StudyFactory, make_annotator, make_batch, take_seat
from tests.factories_protocols import make_scale_version
from tests.he_study import load_he_study
from tests.reporting.conftest import NOW, make_scale_study
from tests.reporting.report.conftest import overlapping_rows
from tests.reporting.report.test_rankings import make_answered
from tests.reporting.report.test_whole_dialogues import rated_study
from tests.working import rate_everything

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("unprinted")]
NEEDED = "apt-get install r-cran-lme4 r-cran-lmertest"
COMMANDS = {"analyse.py": [sys.executable], "analyse.R": ["Rscript"]}
NUMBERS = ("low", "high", "p", "p_holm", "mean", "difference")


def make_turns_study() -> Study:
    """The reference study as if every three dialogues were turns of one conversation."""
    study = load_he_study(now=NOW, slug="turns")
    dialogues = list(study.dialogues.order_by("position"))
    for at, dialogue in enumerate(dialogues):
        dialogue.conversation = f"conversation-{at // 3}"
    Dialogue.objects.bulk_update(dialogues, ["conversation"])
    return study


def make_special_study() -> Study:
    """One mean is beyond the scale; about another criterion all agree, and a third has the same answer everywhere."""
    study = StudyFactory(slug="special", protocol_version=make_scale_version(3))
    batch = make_batch(study, n_dialogues=4, n_sources=2)
    rng = np.random.default_rng(68)
    is_there = rng.random((3, 4, 2)) < 0.6
    fluency = rng.integers(1, 6, (3, 4, 2))
    fluency[:, :, 1] = np.where(rng.random((3, 4)) < 0.85, 5, 4)
    coherence = rng.integers(1, 6, (4, 2))
    dialogues, sources = list(study.dialogues.order_by("position")), list(study.sources.order_by("position"))
    for who in range(3):
        assignment = take_seat(make_annotator(study, f"rater-{who}"), batch)
        rate_everything(assignment, now=NOW)
        for rating in assignment.ratings.select_related("item__dialogue", "item__source", "criterion"):
            place = (dialogues.index(rating.item.dialogue), sources.index(rating.item.source))
            value = {"fluency": fluency[who][place], "coherence": coherence[place]}.get(rating.criterion.key, 3)
            rating.option = rating.criterion.options.get(value=value)
            rating.is_active = rating.criterion.key != "fluency" or bool(is_there[who][place])
            rating.save()
    return study


@pytest.fixture
def make_study(tmp_path: Path) -> Callable[[str], Study]:
    makers = {
        "teams that overlap": lambda: load_he_study(now=NOW, slug="overlapping", rows=overlapping_rows()),
        "conversations of several turns": make_turns_study,
        "a scale": make_scale_study,
        "whole dialogues of scenarios": lambda: rated_study(tmp_path),
        "special cases": make_special_study,
    }
    return lambda name: makers[name]()


def unpacked(data: bytes, folder: Path) -> Path:
    with zipfile.ZipFile(BytesIO(data)) as archive:
        archive.extractall(folder)
    return folder / "report"


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def expect_the_same(found: list[dict[str, str]], wanted: list[dict[str, Any]]) -> None:
    """Every number to 1e-6; degrees of freedom to five digits, as the report and lmerTest differentiate by steps."""
    assert len(found) == len(wanted)
    for row, of_report in zip(found, wanted, strict=True):
        for name in ("criterion", "source", "source_a", "source_b", "n"):
            assert row.get(name) == (str(of_report[name] or "") if name in of_report else None)
        for name in (*NUMBERS, "df"):
            if name in row:
                number, right = row[name] and float(row[name]), of_report[name]
                tolerance = {"rel": 1e-5} if name == "df" else {"abs": 1e-6, "rel": 0}
                assert number == ("" if right is None else pytest.approx(right, **tolerance)), (name, row)


def as_in_scripts(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row of the report under the names of the scripts' columns."""
    return row | {"df": row["degrees_of_freedom"]} | ({"n": row["n_ratings"]} if "mean" in row else {})


@pytest.mark.parametrize(
    "name",
    [
        "teams that overlap",
        "conversations of several turns",
        "a scale",
        "whole dialogues of scenarios",
        "special cases",
    ],
)
def test_both_scripts_find_the_main_table_in_the_answers(
    name: str, make_study: Callable[[str], Study], written: Callable[..., bytes], tmp_path: Path
) -> None:
    assert shutil.which("Rscript"), NEEDED
    report = unpacked(written(make_study(name), "archive"), tmp_path / "archive")
    comparisons = json.loads((report / "report.json").read_text(encoding="utf-8"))["comparisons"]
    means = [as_in_scripts(mean) for each in comparisons for mean in each["means"]]
    pairs = [as_in_scripts(pair) for each in comparisons for pair in each["pairs"]]
    assert means
    for script, command in COMMANDS.items():
        done = subprocess.run(
            [*command, report / "analysis" / script], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, (done.stderr, NEEDED)
        found = rows_of(report / "analysis" / "means.csv")
        expect_the_same(found, means)
        expect_the_same(rows_of(report / "analysis" / "differences.csv"), pairs)
        assert [row["note"] == "beyond_scale" for row in found] == [
            each["interval_note"] == "beyond_scale" for each in means
        ]
        assert float(done.stdout.split("Largest distance from the report: ")[1]) <= 1e-6


def test_where_no_criterion_has_scores_both_scripts_say_that_nothing_was_computed(
    written: Callable[..., bytes], tmp_path: Path
):
    report = unpacked(written(make_answered(), "archive"), tmp_path / "archive")
    for script, command in COMMANDS.items():
        done = subprocess.run([*command, report / "analysis" / script], capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert done.stdout == ""
        assert done.stderr.startswith("Nothing was computed: no criterion of this study has scores"), script


def test_the_special_cases_are_special(
    make_study: Callable[[str], Study], written: Callable[..., bytes], tmp_path: Path
):
    report = unpacked(written(make_study("special cases"), "archive"), tmp_path / "archive")
    notes = {(row["criterion"], row["interval_note"]) for row in rows_of(report / "tables" / "means.csv")}
    assert notes >= {("fluency", "beyond_scale"), ("consistency", "no_spread")}
    left_out = {(row["criterion"], row["left_out"]) for row in rows_of(report / "tables" / "variances.csv")}
    assert ("coherence", "always_agree") in left_out
