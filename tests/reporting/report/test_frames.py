"""Each table is one frame: typed, also without rows, and the same values in every file."""

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import openpyxl
import pandas as pd
import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from annotation.models import Study
from reporting.report.build import Report, build_report
from reporting.report.frames import TABLES
from reporting.report.tags import TABLE_NAMES
from reporting.tables.table import rows_of
from tests.cast import Cast
from tests.clock import NOW
from tests.factories import MembershipFactory

pytestmark = pytest.mark.django_db
KEYS = {"source": "string", "criterion": "string", "mean": "Float64", "n_ratings": "Int64", "is_binary": "boolean"}


def download(study: Study, table: str, ending: str) -> bytes:
    client = Client()
    client.force_login(MembershipFactory(study=study, role="lead").user)
    return client.get(reverse("report_table", args=[study.slug, table, ending])).content


def read_csv(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"))))


@pytest.fixture
def empty(cast: Cast) -> Report:
    return build_report(cast.study, now=NOW)


@pytest.mark.parametrize("table", TABLES)
def test_a_table_without_rows_has_its_columns_and_their_types(empty: Report, he_report: Report, table: str):
    frames = [TABLES[table].frame(report) for report in (empty, he_report)]
    assert frames[0].dtypes.to_dict() == frames[1].dtypes.to_dict()
    assert list(frames[0]) == [column.name for column in TABLES[table].columns]
    for name, dtype in KEYS.items():
        assert name not in frames[0] or str(frames[0].dtypes[name]) == dtype


def test_every_file_of_a_table_has_the_same_values(he_study: Study):
    written = read_csv(download(he_study, "comparisons", "csv"))
    parquet = pd.read_parquet(io.BytesIO(download(he_study, "comparisons", "parquet")))
    told = json.loads(download(he_study, "comparisons", "json"))
    sheet = openpyxl.load_workbook(io.BytesIO(download(he_study, "comparisons", "xlsx")))["comparisons"]
    head, *rows = sheet.iter_rows(values_only=True)
    assert list(written[0]) == list(parquet) == list(told[0]) == list(head)
    assert [float(row["difference"]) for row in written] == parquet["difference"].tolist()
    assert [row["difference"] for row in told] == parquet["difference"].tolist()
    assert [row[head.index("difference")] for row in rows] == pytest.approx(parquet["difference"].tolist())


def test_parquet_keeps_the_types_and_what_is_missing(he_study: Study):
    found = pd.read_parquet(io.BytesIO(download(he_study, "ratings_used", "parquet")))
    types = found.dtypes.astype(str)
    assert types[["n_ratings", "scale_high", "is_binary"]].tolist() == ["Int64", "Float64", "boolean"]
    assert found["reason"].isna().all()


def test_a_column_of_numbers_and_texts_is_one_of_texts_in_parquet(he_study: Study):
    found = pd.read_parquet(io.BytesIO(download(he_study, "time_and_pay", "parquet")))
    written = read_csv(download(he_study, "time_and_pay", "csv"))
    assert found["value"].fillna("").tolist() == [row["value"] for row in written]


def test_cells_of_the_spreadsheet_are_typed_and_formatted(he_study: Study):
    book = openpyxl.load_workbook(io.BytesIO(download(he_study, "comparisons", "xlsx")))
    cells = dict(zip([each.value for each in book["comparisons"][1]], book["comparisons"][2], strict=True))
    assert {name: cells[name].number_format for name in ("p_holm", "low", "n_ratings")} == {
        "p_holm": "0.000",
        "low": "0.00",
        "n_ratings": "#,##0",
    }


def test_there_is_no_other_table_and_no_other_format(he_study: Study):
    client = Client()
    client.force_login(MembershipFactory(study=he_study, role="lead").user)
    for table, ending in (("nothing", "csv"), ("means", "exe")):
        assert client.get(reverse("report_table", args=[he_study.slug, table, ending])).status_code == 404


def test_every_table_is_named_on_the_page_and_in_the_documentation():
    documented = (Path(settings.BASE_DIR) / "docs" / "researchers.md").read_text(encoding="utf-8")
    assert list(TABLES) == [name for name in TABLES if name in TABLE_NAMES and f"`{name}`" in documented]


@pytest.mark.parametrize("table", TABLES)
def test_a_page_has_the_values_of_the_frame(he_report: Report, table: str):
    found = TABLES[table].values(he_report)
    assert list(zip(*found.values(), strict=True)) == list(rows_of(TABLES[table].frame(he_report)))


def modules_after(code: str) -> str:
    """Return which of pandas and pyarrow a process of its own imports for this code."""
    start = "import os, sys, django; os.environ['DJANGO_SETTINGS_MODULE'] = 'parley.settings'; django.setup(); "
    end = "; print(sorted({'pandas', 'pyarrow'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", start + code + end], capture_output=True, text=True, check=True)
    return done.stdout.strip().splitlines()[-1]


def test_pandas_is_imported_only_when_a_frame_is_made():
    assert modules_after("import reporting.report.views, archive.report_files") == "[]"


def test_a_table_is_drawn_without_pandas(tmp_path: Path):
    path = tmp_path / "ratings.csv"
    path.write_text("item,who,value\n1,x,a\n1,y,a\n", encoding="utf-8")
    parts = ["--item", "item", "--annotator", "who", "--value", "value"]
    code = f"from django.core.management import call_command; call_command('agreement', {str(path)!r}, *{parts!r})"
    assert modules_after(code) == "[]"
