"""What the offline command refuses, with file, line and column, and nothing on stdout."""

import gzip
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tests.reporting.test_agreement_command import PARTS, ROOT, results, twelve_items


def refusal(path: Path, *options: str) -> str:
    out = io.StringIO()
    with pytest.raises(CommandError) as caught:
        call_command("agreement", str(path), *PARTS, *options, stdout=out)
    assert caught.value.returncode == 1
    assert out.getvalue() == ""
    assert str(caught.value).startswith(str(path))
    return str(caught.value).removeprefix(str(path))


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("", (), ", line 1: the file is empty"),
        ("\n\n", (), ", line 1: the file is empty"),
        ("item,rater,value\n", (), ", line 1: no ratings below the header"),
        (
            "item,who,value\n1,x,a\n",
            (),
            ", line 1, column 'rater': no such column, the file has item, who, value",
        ),
        ("item,rater,value,item\n", (), ", line 1, column 'item': this column is there twice"),
        ("item,rater,value\n1,x,a\n1,y\n", (), ", line 3: 2 fields, the header has 3"),
        ("item,rater,value\n1,x,a,b\n", (), ", line 2: 4 fields, the header has 3"),
        ("item,rater,value\n1,,a\n", (), ", line 2, column 'rater': is empty"),
        ("item,rater,value\n,x,a\n", (), ", line 2, column 'item': is empty"),
        (
            "item,rater,value\n1,x,a\n2,x,b\n1,x,\n",
            (),
            ", line 4, column 'rater': rates an item again, first on line 2",
        ),
        (
            "item,rater,value\n1,x,a\n1,y,c\n",
            ("--values", "a,b"),
            ", line 3, column 'value': 'c' is not one of the declared values",
        ),
        (
            "item,rater,value\n1,x,1\n1,y,one\n",
            ("--values", "1,2"),
            ", line 3, column 'value': 'one' is not one of the declared values",
        ),
        (
            "item,rater,value\n1,x,1\n1,y,1_0\n",
            ("--scale", "interval"),
            ", line 3, column 'value': '1_0' is not a number, an interval scale needs numbers",
        ),
        (
            "item,rater,value\n1,x,nan\n",
            ("--scale", "interval", "--missing", ""),
            ", line 2, column 'value': 'nan' is not a number, an interval scale needs numbers",
        ),
        (
            "item,rater,value\n1,x,1\n",
            ("--scale", "interval", "--values", "1,two"),
            ", column 'value': declared value 'two' is not a number, an interval scale needs numbers",
        ),
        ('item,rater,value\n1,x,"a\n', (), ", line 2: is not CSV: unexpected end of data"),
        (
            'note,item,rater,value\n"two\nlines",1,x,a\n,1,x,b\n',
            (),
            ", line 4, column 'rater': rates an item again, first on line 2",
        ),
    ],
)
def test_a_refusal_names_file_line_and_column(ratings: Any, text: str, options: Any, message: str) -> None:
    assert refusal(ratings(text), *options) == message


def test_a_value_left_out_need_not_be_declared(ratings: Any) -> None:
    path = ratings("item,rater,value\n1,x,a\n1,y,c\n1,z,b\n")
    assert results(path, "--values", "a,b", "--leave-out", "c")[0]["n_ratings"] == 2


def test_the_same_rating_in_another_group_is_no_duplicate(ratings: Any) -> None:
    path = ratings("round,item,rater,value\n1,1,x,a\n2,1,x,a\n")
    assert len(results(path, "--by", "round")) == 2
    assert "first on line 2" in refusal(path)


def test_a_missing_or_broken_file_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none.csv") == ": cannot be read: No such file or directory"
    cut = tmp_path / "cut.csv.gz"
    cut.write_bytes(gzip.compress(twelve_items().encode())[:-12])
    assert refusal(cut).startswith(": cannot be read: Compressed file ended")
    latin = tmp_path / "latin.csv"
    latin.write_bytes("item,rater,value\n1,x,ä\n".encode("latin-1"))
    assert refusal(latin) == ", line 2: is not UTF-8 text"


def test_a_group_column_cannot_have_the_name_of_a_figure(ratings: Any) -> None:
    path = ratings(twelve_items().replace("item,", "n_items,"))
    with pytest.raises(CommandError, match="n_items: the result has fields of that name"):
        call_command("agreement", str(path), *PARTS, "--by", "n_items")


def run_manage(*arguments: str) -> subprocess.CompletedProcess[str]:
    nowhere = {"DATABASE_URL": "postgres://nobody@127.0.0.1:1/none", "REDIS_URL": "redis://127.0.0.1:1/0"}
    command = [sys.executable, str(ROOT / "manage.py"), "agreement", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=os.environ | nowhere, check=False)


def test_the_command_runs_without_a_database_and_fails_with_1(ratings: Any) -> None:
    good = run_manage(str(ratings(twelve_items())), *PARTS, "--json")
    assert (good.returncode, good.stderr) == (0, "")
    assert json.loads(good.stdout)[0]["n_items"] == 12
    bad = run_manage(str(ratings("item,rater,value\n", "bad.csv")), *PARTS, "--json")
    assert (bad.returncode, bad.stdout) == (1, "")
    assert "no ratings below the header" in bad.stderr


def test_a_file_with_several_systems_is_told_how_to_name_them(ratings: Any) -> None:
    path = ratings("dialogue,Model,rater,value\n1,m,x,a\n1,n,x,b\n1,m,y,a\n1,n,y,b\n")
    parts = ("--annotator", "rater", "--value", "value")
    with pytest.raises(CommandError) as caught:
        call_command("agreement", str(path), "--item", "dialogue", *parts)
    assert str(caught.value).endswith(
        "rates an item again, first on line 2. If column 'Model' tells apart what was rated, use --item dialogue,Model "
        "for one result, or --by Model for one each"
    )
    for items in (("--item", "dialogue,Model"), ("--item", "dialogue", "--item", "Model")):
        out = io.StringIO()
        call_command("agreement", str(path), *items, *parts, "--json", stdout=out)
        assert [(each["n_items"], each["n_ratings"]) for each in json.loads(out.getvalue())] == [(2, 4)]
