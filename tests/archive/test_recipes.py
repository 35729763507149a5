"""The code in the recipe 'From Parley to pandas, R and Hugging Face' runs on the exported files as it is printed."""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from annotation.models import Study
from tests.archive.test_analysis import NEEDED

pytestmark = pytest.mark.django_db
DOCUMENT = Path(__file__).parents[2] / "docs" / "researchers.md"
# Reads what the loader of Hugging Face datasets of that name reads: Parquet files, and JSON Lines of one schema.
LOADER = """
from pyarrow import json, parquet

def load_dataset(format, data_files):
    return {"train": {"parquet": parquet.read_table, "json": json.read_json}[format](data_files)}
"""


def blocks(language: str) -> list[str]:
    recipe = DOCUMENT.read_text(encoding="utf-8").split("### From Parley to pandas, R and Hugging Face\n")[1]
    return re.findall(rf"```{language}\n(.*?)```", recipe.split("\n## ")[0], re.DOTALL)


def printed(command: list[str], code: str, folder: Path) -> str:
    script = folder / "recipe"
    script.write_text(code, encoding="utf-8")
    done = subprocess.run([*command, str(script)], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def folder(he_study: Study, written: Callable[..., bytes], tmp_path: Path) -> Path:
    files = {"ratings.parquet": "long-parquet", "ratings.csv": "long-csv", "dataset.jsonl": "diqad-jsonl"}
    for name, format in files.items():
        (tmp_path / name).write_bytes(written(he_study, format))
    return tmp_path


def test_the_code_for_pandas_and_for_r_finds_the_same_shares(folder: Path) -> None:
    assert shutil.which("Rscript"), NEEDED
    by_pandas = printed([sys.executable], blocks("python")[0], folder)
    by_r = printed(["Rscript"], blocks("r")[0], folder)
    pandas_said = re.findall(r"geppetto +Appropriate +(0\.\d+)", by_pandas)
    r_said = re.findall(r"geppetto +(0\.\d+)", by_r)
    assert float(pandas_said[0]) == pytest.approx(float(r_said[0]), abs=1e-5)


def test_the_files_are_those_that_hugging_face_datasets_reads(folder: Path) -> None:
    (folder / "datasets.py").write_text(LOADER, encoding="utf-8")
    code = blocks("python")[1] + "\nprint(answers.num_rows, labels.num_rows)"
    n_answers, n_labels = map(int, printed([sys.executable], code, folder).split())
    assert n_answers == 5880
    assert n_labels > 0
