"""Workbooks and Parquet files."""

import gzip
import random
import subprocess
import sys
import zipfile
from datetime import date, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from annotation.importing import PredictionOptions, import_predictions, sheets
from annotation.importing.outcome import ErrorLog, no_progress
from annotation.importing.tables import Table, open_table
from annotation.models import Dialogue, Study
from tests.annotation.importing.conftest import (
    NOW,
    errors_of,
    load,
    load_ratings,
    parquet,
    responses_of,
    turns_of,
    workbook,
)

HEADER = ["id", "history", "response", "model"]
ROW = ["d1", "A: Hi\nB: Hello", "Bye.", "bot"]


def table_of(path: Path) -> Table:
    return open_table(path, ErrorLog(), no_progress)


def test_cells_are_texts_as_the_sheet_shows_them(tmp_path: Path) -> None:
    row = [1, 2.0, 2.5, "007", "NA", True, datetime(2026, 1, 2), datetime(2026, 1, 2, 3, 4, 5), date(2026, 1, 2), None]
    path = workbook(tmp_path / "a.xlsx", [[], [None] * 10, [*"abcdefghij"], row, [], [5]])
    table = table_of(path)
    texts = ["1", "2", "2.5", "007", "NA", "true", "2026-01-02", "2026-01-02T03:04:05", "2026-01-02", ""]
    assert table.columns == [*"abcdefghi", "j"]
    assert [(each.line, each.values) for each in table] == [(4, texts), (6, ["5", *[""] * 9])]


def test_empty_columns_are_none_and_a_column_without_a_name_has_a_number(tmp_path: Path) -> None:
    table = table_of(workbook(tmp_path / "a.xlsx", [["id", None, None], [1, None, 2]]))
    assert (table.columns, [row.values for row in table]) == (["id", "column_2"], [["1", "2"]])


def test_dialogues_of_a_workbook_are_those_of_the_same_csv(study: Study, tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", [HEADER, ROW])
    assert load(study, path).format == "table-responses"
    assert turns_of(study, "d1") == [("A", "Hi"), ("B", "Hello")]
    assert responses_of(study, "d1") == [("bot", "Bye.")]
    (tmp_path / "a.csv").write_text('id,history,response,model\nd1,"A: Hi\nB: Hello",Bye.,bot\n')
    assert load(study, tmp_path / "a.csv").counts["dialogues_unchanged"] == 1
    (tmp_path / "b.gz").write_bytes(gzip.compress(path.read_bytes()))
    assert load(study, tmp_path / "b.gz").counts["dialogues_unchanged"] == 1


def test_a_mistake_in_a_workbook_names_the_row_of_the_sheet(study: Study, tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", [HEADER, ROW, [], ["d2", "A: Hi", None, "bot"]])
    assert errors_of(load, study, path) == [(4, "response", "is empty")]
    assert not Dialogue.objects.exists()


def test_formulas_need_a_stored_value(study: Study, tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", [HEADER, ["d1", "A: Hi", '="Bye"&"."', "bot"]])
    reason = "is a formula without a stored value: open the file in Excel or LibreOffice and save it again"
    assert errors_of(load, study, path) == [(2, "C", reason)]
    counted = tmp_path / "b.xlsx"
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(counted, "w") as new:
        for name in old.namelist():
            text = old.read(name)
            if name == "xl/worksheets/sheet1.xml":
                assert b'<c r="C2"><f>' in text
                text = text.replace(b'<c r="C2"><f>', b'<c r="C2" t="str"><f>').replace(b"<v />", b"<v>Bye.</v>")
                text = text.replace(b"<v/>", b"<v>Bye.</v>").replace(b"<v></v>", b"<v>Bye.</v>")
            new.writestr(name, text)
    load(study, counted)
    assert responses_of(study, "d1") == [("bot", "Bye.")]


def test_an_error_in_a_cell_is_refused(study: Study, tmp_path: Path) -> None:
    errors = errors_of(load, study, workbook(tmp_path / "a.xlsx", [HEADER, ["d1", "A: Hi", "#REF!", "bot"]]))
    assert (errors[0][:2], "an error such as #REF!" in errors[0][2]) == ((2, "response"), True)


def test_an_error_in_the_header_is_refused(study: Study, tmp_path: Path) -> None:
    errors = errors_of(load, study, workbook(tmp_path / "a.xlsx", [["id", "#REF!"], ["d1", "x"]]))
    assert (errors[0][0], "an error such as #REF!" in errors[0][2]) == (1, True)


def test_several_sheets_with_content_are_a_question(study: Study, tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", [HEADER, ROW], [["notes"]], [])
    [(line, field, reason)] = errors_of(load, study, path)
    assert (line, field) == (0, "sheet")
    assert "has 2 sheets with content (Sheet and Sheet1): name one with --sheet NAME, or keep one of them in" in reason
    errors = errors_of(load, study, path, sheet="Sheet2")
    assert errors == [(0, "sheet", "the workbook has no sheet 'Sheet2' with content: use Sheet or Sheet1")]
    assert not study.dialogues.exists()
    load(study, path, sheet="sheet")
    assert study.dialogues.count() == 1
    load(study, workbook(tmp_path / "b.xlsx", [], [HEADER, ROW], []))
    assert study.dialogues.count() == 1


def test_a_formula_of_another_sheet_does_not_matter(study: Study, tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", [HEADER, ROW], [["=1+1"]])
    load(study, path, sheet="Sheet")
    errors = errors_of(
        load, study, workbook(tmp_path / "b.xlsx", [["=1+1"]], [HEADER, ["=1+1", *ROW[1:]]]), sheet="Sheet1"
    )
    assert [(line, field) for line, field, _ in errors] == [(2, "A")]


def test_a_sheet_of_another_kind_of_file_is_refused(study: Study, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,prompt,response,model\nd1,Hi,Ho,a\n")
    errors = errors_of(load, study, path, sheet="Sheet")
    assert errors == [(0, "sheet", "is only for workbooks, and this file is none: leave it out")]


def test_ratings_and_predictions_have_sheets_too(study: Study, tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", [["rater", "value"]], [["note"]])
    assert errors_of(load_ratings, study, path)[0][1] == "sheet"
    assert "no column has a recognised name" in errors_of(load_ratings, study, path, sheet="Sheet")[0][2]
    run = partial(import_predictions, study, path, now=NOW)
    assert errors_of(run)[0][1] == "sheet"
    assert errors_of(run, options=PredictionOptions(sheet="Sheet1"))[0][1] != "sheet"


def test_a_packed_file_is_unpacked_once(study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    n_read = 0

    class Counting(gzip.GzipFile):
        def readinto(self, buffer: Any) -> int:
            nonlocal n_read
            n = super().readinto(buffer)
            n_read += n
            return n

    noise = random.Random(1).randbytes(1 << 22).hex()
    history = [[{"speaker": "A", "text": noise[at : at + 2000]}] for at in range(0, len(noise), 2000)]
    candidates = [[{"source": "m", "text": "Ho"}] for _ in history]
    plain = parquet(tmp_path / "a.parquet", id=[f"d{at}" for at in range(len(history))], history=history,
        candidates=candidates)  # fmt: skip
    packed = tmp_path / "a.parquet.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes(), 1))
    monkeypatch.setattr(gzip, "GzipFile", Counting)
    load(study, packed)
    assert study.dialogues.count() == len(history)
    assert plain.stat().st_size <= n_read < 1.5 * plain.stat().st_size


@pytest.mark.parametrize("rows", [[], [[None]]])
def test_an_empty_workbook_is_empty(study: Study, tmp_path: Path, rows: list[list[None]]) -> None:
    assert errors_of(load, study, workbook(tmp_path / "a.xlsx", rows)) == [(0, "", "the file is empty")]


def test_a_damaged_workbook_and_one_that_unpacks_without_end_are_refused(
    study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = workbook(tmp_path / "a.xlsx", [HEADER, ROW])
    broken = tmp_path / "b.xlsx"
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(broken, "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name)[:200])
    assert "cannot be read" in errors_of(load, study, broken)[0][2]
    monkeypatch.setattr(sheets, "MOST_WORKBOOK", 1000)
    assert "save the sheet as CSV" in errors_of(load, study, path)[0][2]


def test_three_hundred_columns_are_metadata(study: Study, tmp_path: Path) -> None:
    names = [f"x{n}" for n in range(300)]
    load(study, workbook(tmp_path / "a.xlsx", [HEADER + names, ROW + list(range(300))]))
    assert study.dialogues.get().metadata == {name: str(n) for n, name in enumerate(names)}


def test_too_many_columns_are_refused(study: Study, tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", [[f"x{n}" for n in range(1001)]])
    assert errors_of(load, study, path) == [
        (1, "", "the table has more than 1,000 columns: delete those that are not needed")
    ]


# --- Parquet -------------------------------------------------------------------------------------
def test_turns_in_a_parquet_file_are_turns(study: Study, tmp_path: Path) -> None:
    turns = [[{"role": "user", "content": "Hi", "n": None}, {"role": "assistant", "content": "Hello", "n": 3}]]
    candidates = [[{"model": "a", "content": "One"}, {"model": "b", "content": "Two"}]]
    path = parquet(tmp_path / "a", id=["m1"], messages=turns, candidates=candidates, when=[date(2026, 1, 2)], k=[None])
    assert load(study, path).format == "jsonl-messages"
    assert turns_of(study, "m1") == [("user", "Hi"), ("assistant", "Hello")]
    assert responses_of(study, "m1") == [("a", "One"), ("b", "Two")]
    assert study.dialogues.get().metadata == {"when": "2026-01-02", "turn_fields": [{}, {"n": 3}]}


def test_a_flat_parquet_file_is_a_table(study: Study, tmp_path: Path) -> None:
    columns = {"prompt": ["Hi", "Ho"], "completion": ["One", "Two"], "id": [1, None], "tags": [["a"], []]}
    assert load(study, parquet(tmp_path / "a", **columns)).format == "table-responses"
    assert turns_of(study, "1") == [("", "Hi")]
    assert study.dialogues.get(key="1").metadata == {"tags": '["a"]'}


def test_a_response_beside_nested_turns_is_a_row(study: Study, tmp_path: Path) -> None:
    turns = [[{"role": "user", "content": "Hi"}]] * 2
    load(study, parquet(tmp_path / "a", id=["d", "d"], messages=turns, response=["One", "Two"], model=["a", "b"]))
    assert turns_of(study, "d") == [("user", "Hi")]
    assert responses_of(study, "d") == [("a", "One"), ("b", "Two")]


@pytest.mark.parametrize(
    ("columns", "field", "said"),
    [
        ({"history": [[{"a": 1}]]}, "history[0].speaker", "must name the speaker"),
        ({"history": ["A: Hi"], "response": ["Yes"], "audio": [b"x"]}, "audio", "holds binary data"),
        ({"history": [[[1]]]}, "history[0]", "must be an object, not a list"),
    ],
)
def test_other_contents_are_refused(study: Study, tmp_path: Path, columns: dict, field: str, said: str) -> None:
    errors = errors_of(load, study, parquet(tmp_path / "a", **columns))
    assert (errors[0][:2], said in errors[0][2]) == ((1, field), True)


def test_a_damaged_parquet_file_is_refused(study: Study, tmp_path: Path) -> None:
    path = parquet(tmp_path / "a", prompt=["Hi"], completion=["One"])
    path.write_bytes(path.read_bytes()[:-20])
    assert "the Parquet file cannot be read" in errors_of(load, study, path)[0][2]


def test_ratings_are_read_from_a_workbook_and_from_parquet(coherence_study: Study, tmp_path: Path) -> None:
    header, row = ["item", "rater", "label", "when"], ["d1", "r1", 2, datetime(2026, 1, 2)]
    options = {"create_missing": True, "columns": {"answered_at": "when", "source": "model"}}
    path = workbook(tmp_path / "a.xlsx", [[*header, "model"], [*row, "bot"]])
    assert load_ratings(coherence_study, path, **options).counts["ratings_new"] == 1
    columns = {name: [value] for name, value in zip([*header, "model"], [*row, "bot"], strict=True)}
    again = load_ratings(coherence_study, parquet(tmp_path / "b", **columns), **options)
    assert again.counts["ratings_unchanged"] == 1


def test_pandas_is_imported_only_when_such_a_file_is_read() -> None:
    code = (
        "import os, sys, django; os.environ['DJANGO_SETTINGS_MODULE'] = 'parley.settings'; django.setup(); "
        "import annotation.importing, annotation.views.imports, annotation.api.imports, annotation.tasks; "
        "print(sorted({'pandas', 'openpyxl', 'pyarrow'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
