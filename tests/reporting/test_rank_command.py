"""The offline ranking: every kind of file, refusals that name the place, nothing dropped in silence, no database."""

import gzip
import io
import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from django.core.management import CommandError, call_command

from bench.rank_coverage_model import Preferences

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("--left", "left", "--right", "right", "--winner", "winner", "--annotator", "who")
WINNERS = {1: "left", -1: "right", 0: "tie", 2: "both_bad"}


def ranked(path: Path, *options: str) -> tuple[str, str]:
    out, err = io.StringIO(), io.StringIO()
    call_command("rank", str(path), *PARTS, *options, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def result(path: Path, *options: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(ranked(path, "--json", *options)[0])
    return found


def refusal(path: Path, *options: str) -> str:
    out = io.StringIO()
    with pytest.raises(CommandError) as caught:
        call_command("rank", str(path), *PARTS, *options, stdout=out)
    assert out.getvalue() == ""
    assert str(caught.value).startswith(str(path))
    return str(caught.value).removeprefix(str(path))


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    drawn = Preferences(30, 3, 6, 3, of_conversation=0.5, of_annotator=0.3, strengths=(0.5, 0.0, -0.5)).draw(
        np.random.default_rng(3)
    )
    return pd.DataFrame(
        {
            "left": [f"bot {at}" for at in drawn.left],
            "right": [f"bot {at}" for at in drawn.right],
            "winner": [WINNERS[int(at)] for at in drawn.outcome],
            "who": [f"p{at}" for at in drawn.annotator],
            "conversation": [f"c{at}" for at in drawn.cluster],
        }
    )


@pytest.fixture
def written(tmp_path: Path) -> Any:
    def write(text: str, name: str = "answers.csv") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


HEADER = "left,right,winner,who\n"
BALANCED = "a,b,left,x\nb,a,left,y\na,b,right,y\nb,a,right,x\n"


def test_the_object_has_exactly_what_was_promised(frame: pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    frame.to_csv(path, index=False)
    found = result(path, "--cluster", "conversation")
    assert list(found) == ["sources", "tie", "side_bias", "n", "pairs"]
    assert [each["source"] for each in found["sources"]] == ["bot 0", "bot 1", "bot 2"]
    for each in found["sources"]:
        known = ["source", "strength", "low", "high", "win_rate", "rank_low", "rank_high"]
        assert list(each) == [*known, "win_rate_low", "win_rate_high"]
        assert each["win_rate_low"] < each["win_rate"] < each["win_rate_high"]
        assert each["low"] < each["strength"] < each["high"]
        assert 1 <= each["rank_low"] <= each["rank_high"] <= 3
    assert abs(sum(each["strength"] for each in found["sources"])) < 1e-12
    assert found["n"] == (frame["winner"] != "both_bad").sum()
    assert [(each["a"], each["b"]) for each in found["pairs"]] == [
        ("bot 0", "bot 1"),
        ("bot 0", "bot 2"),
        ("bot 1", "bot 2"),
    ]
    counts = ("a_preferred", "b_preferred", "ties", "both_bad")
    assert sum(each[name] for each in found["pairs"] for name in counts) == len(frame)
    assert all(each["win_rate_low"] < each["win_rate"] < each["win_rate_high"] for each in found["pairs"])


def test_every_kind_of_file_gives_the_same(frame: pd.DataFrame, tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a.csv", "a.tsv", "a.xlsx", "a.parquet", "a.json", "a.jsonl", "a.csv.gz")]
    frame.to_csv(paths[0], index=False)
    frame.to_csv(paths[1], index=False, sep="\t")
    frame.to_excel(paths[2], index=False)
    frame.to_parquet(paths[3], index=False)
    frame.to_json(paths[4], orient="records")
    frame.to_json(paths[5], orient="records", lines=True)
    paths[6].write_bytes(gzip.compress(paths[0].read_bytes()))
    first, *others = [result(path, "--cluster", "conversation") for path in paths]
    assert all(other == first for other in others)


def test_the_table_has_the_model_the_pairs_and_both_scales(frame: pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    frame.to_csv(path, index=False)
    table, said = ranked(path, "--cluster", "conversation")
    found = result(path, "--cluster", "conversation")
    best = max(found["sources"], key=lambda each: each["strength"])
    assert table.splitlines()[1].startswith(best["source"])
    assert f"{best['strength']:+.2f} [{best['low']:+.2f}, {best['high']:+.2f}]" in table
    assert f"{best['win_rate']:.0%} [{best['win_rate_low']:.0%}, {best['win_rate_high']:.0%}]" in table
    assert f"{400 / math.log(10) * best['strength']:+.0f}" in table
    _ranking, answers, matrix, *_ = table.split("\n\n")
    pair = next(each for each in found["pairs"] if (each["a"], each["b"]) == ("bot 0", "bot 1"))
    [line] = [line.split() for line in answers.splitlines() if line.startswith("bot 0 and bot 1")]
    assert line[5:8] == [str(pair[name]) for name in ("a_preferred", "b_preferred", "ties")]
    [line] = [line for line in matrix.splitlines() if line.startswith("bot 0")]
    assert f"{pair['win_rate']:.0%} [{pair['win_rate_low']:.0%}, {pair['win_rate_high']:.0%}] n" in line
    assert "Davidson" in table
    assert "30 conversations" in table
    n_bad = (frame["winner"] == "both_bad").sum()
    assert f"{n_bad} answers call both bad" in said


def test_a_covariate_is_read_and_reported(written: Any) -> None:
    rows = [
        f"{line},{length}" for line, length in zip(BALANCED.splitlines() * 6, [1, 2, -1, 0, 3, -2] * 4, strict=True)
    ]
    found = result(written(HEADER.strip() + ",length\n" + "\n".join(rows)), "--covariate", "length")
    assert found["covariates"][0]["covariate"] == "length"
    assert found["covariates"][0]["low"] < found["covariates"][0]["effect"] < found["covariates"][0]["high"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", ": the file is empty"),
        ("left,right,who\na,b,x\n", ":1: winner: no such column, the file has left, right, who"),
        (HEADER + "a,b,A,x\n", ":2: winner: 'A' is none of left, right, tie, both_bad"),
        (HEADER + "a,b,left,x\na,a,left,x\n", ":3: right: 'a' is compared with itself: delete the row"),
        (HEADER + "a,b,left,\n", ":2: who: is empty"),
        (HEADER + ",b,left,x\n", ":2: left: is empty"),
        (HEADER + "a,b,left\n", ":2: has 3 values, but the header has 4 columns"),
        (HEADER + "a,b,,x\n", ", column 'winner': no row has a winner"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_with_place_and_remedy(written: Any, text: str, told: str) -> None:
    assert refusal(written(text)).startswith(told)


def test_all_errors_of_a_file_are_told_at_once_up_to_twenty(written: Any) -> None:
    told = refusal(written(HEADER + "a,b,who knows,x\n" * 25))
    assert told.count("is none of") == 20
    assert told.endswith("... and 5 more")


@pytest.mark.parametrize("value", ["nan", "inf", "long"])
def test_a_covariate_that_is_no_number_is_refused(written: Any, value: str) -> None:
    told = refusal(written(f"left,right,winner,who,length\na,b,left,x,{value}\n"), "--covariate", "length")
    assert told.startswith(f":2: length: '{value}' is not a number")


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    assert "No such file" in refusal(tmp_path / "nothing.csv")


def test_rows_without_a_winner_are_left_out_and_counted(written: Any) -> None:
    _table, said = ranked(written(HEADER + BALANCED * 3 + "a,b,,x\n"))
    assert "1 of 13 rows have no winner and are left out" in said


def test_winners_may_be_written_in_other_ways(written: Any) -> None:
    path = written(HEADER + BALANCED * 3 + "a,b,Both bad,x\na,b,TIE,y\n")
    assert result(path)["n"] == 13


def test_sides_that_were_exchanged_are_turned_back(frame: pd.DataFrame, tmp_path: Path) -> None:
    frame.to_csv(tmp_path / "sides.csv", index=False)
    turned = frame.copy()
    turned["swapped"] = np.arange(len(frame)) % 3 == 0
    exchanged = turned["swapped"]
    turned.loc[exchanged, ["left", "right"]] = turned.loc[exchanged, ["right", "left"]].to_numpy()
    turned.loc[exchanged, "winner"] = turned.loc[exchanged, "winner"].replace({"left": "right", "right": "left"})
    turned.to_csv(tmp_path / "turned.csv", index=False)
    assert result(tmp_path / "turned.csv", "--swapped", "swapped") == result(tmp_path / "sides.csv")


def test_a_side_that_is_not_said_is_refused(written: Any) -> None:
    said = refusal(written("left,right,winner,who,swapped\na,b,left,x,maybe\n"), "--swapped", "swapped")
    assert said.startswith(":2: swapped: 'maybe' is none of true, 1, yes, false, 0, no")


def test_only_rows_with_the_value_asked_for_are_ranked(written: Any) -> None:
    rows = "".join(f"{line},yes\n" for line in (BALANCED * 3).splitlines()) + "a,b,left,x,no\n" * 9
    path = written(HEADER.strip() + ",counted\n" + rows)
    assert result(path, "--where", "counted=yes") == result(written(HEADER + BALANCED * 3))


def test_what_has_no_estimate_is_null_and_says_why(written: Any) -> None:
    path = written(HEADER + BALANCED * 3 + "c,a,left,x\nb,c,right,y\n")
    found, said = result(path), ranked(path)[1]
    third = found["sources"][2]
    assert (third["source"], third["strength"]) == ("c", None)
    assert (third["rank_low"], third["rank_high"]) == (1, 3)
    assert found["n"] == 12
    assert "c has no strength: it never lost" in said
    assert "2 answers about sources without a strength are left out" in said


WOLF = "wolf,a,left,x\na,wolf,right,y\nwolf,b,left,z\nb,wolf,right,x\n"


@pytest.mark.parametrize(
    ("rows", "order", "ranks", "why"),
    [
        (WOLF, ["wolf", "a", "b"], {"wolf": "1", "a": "2 to 3", "b": "2 to 3"}, "it never lost"),
        (WOLF.replace("left", "?").replace("right", "left").replace("?", "right"), ["a", "b", "wolf"],
         {"wolf": "3", "a": "1 to 2", "b": "1 to 2"}, "it never won"),
    ],
    ids=["won everything", "lost everything"],
)  # fmt: skip
def test_a_source_whose_answers_all_went_one_way_stands_at_its_end_of_the_table(
    written: Any, rows: str, order: list[str], ranks: dict[str, str], why: str
) -> None:
    table = ranked(written(HEADER + BALANCED * 5 + "a,b,left,z\n" + rows * 30))[0]
    lines = [line.split() for line in table.splitlines()[1:4]]
    assert [line[0] for line in lines] == order
    assert {line[0]: " ".join(line[-4:-1] if "to" in line else line[-2:-1]) for line in lines} == ranks
    assert f"wolf has no strength: {why}" in table


def test_the_table_says_for_whom_and_which_win_rate(frame: pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    frame.to_csv(path, index=False)
    table = ranked(path, "--cluster", "conversation")[0]
    assert "Expected win rate  Plain win rate" in table
    assert "Intervals are 95 %, each by itself, for new annotators and new conversations like these." in table
    assert "Ranks hold for all sources at once with 95 %." in " ".join(table.split())
    left, right, winner = frame["left"] == "bot 0", frame["right"] == "bot 0", frame["winner"]
    counted = (left | right) & (winner != "both_bad")
    won = (left & (winner == "left")) | (right & (winner == "right"))
    plain = (won.sum() + (counted & (winner == "tie")).sum() / 2) / counted.sum()
    line = next(line for line in table.splitlines() if line.startswith("bot 0  "))
    assert f"{plain:.0%}" in line.split("]")[2].split()
    assert "1 triad of sources." in table
    assert max(map(len, table.splitlines())) <= 120


def test_a_p_value_of_several_triads_is_said_to_be_simulated(written: Any) -> None:
    pairs = [(one, other) for one in "abcd" for other in "abcd" if one != other]
    rows = "".join(f"{one},{other},{side},p{at % 5}\n" for at, (one, other) in enumerate(pairs * 9)
                   for side in ("left", "right"))  # fmt: skip
    assert "over 4 triads of sources, simulated" in ranked(written(HEADER + rows))[0]


def test_one_annotator_is_told_and_so_are_sides_that_never_change(written: Any) -> None:
    said = ranked(written(HEADER + "a,b,left,x\na,b,right,x\na,b,left,x\n"))[1]
    assert "there is one annotator" in said
    assert "each pair always has the same sides" in said


def test_sides_that_nobody_knows_are_told_and_are_no_order_of_sources(written: Any) -> None:
    of_export = (
        "first_source,second_source,role,annotator,is_swapped\n" + "a,b,left,x,\na,b,right,y,\na,b,left,y,\n" * 3
    )
    columns = ("--left", "first_source", "--right", "second_source", "--winner", "role", "--annotator", "annotator")
    for more in ((), ("--swapped", "is_swapped")):
        table, said = ranked(written(of_export), *columns, *more)
        assert "the sides are unknown: the model assumes that neither is preferred" in said
        assert "the same sides" not in said
        assert "Side: log odds of the left one - (no_sides)" in table
        assert "with the sides even" not in table


def test_answers_without_a_side_among_others_are_counted(written: Any) -> None:
    rows = "".join(f"{line},false\n" for line in (BALANCED * 5).splitlines()) + "a,b,left,x,\na,b,right,y,\n"
    said = ranked(written("left,right,winner,who,swapped\n" + rows), "--swapped", "swapped")[1]
    assert (
        "the sides of 2 of 22 answers are unknown: for them, the model assumes that neither side is preferred" in said
    )


def test_annotators_that_are_never_the_same_are_told(written: Any) -> None:
    rows = [f"{line[:-1]}p{at}" for at, line in enumerate((BALANCED * 2).splitlines())]
    assert "every answer has an annotator of its own" in ranked(written(HEADER + "\n".join(rows)))[1]


def test_it_runs_without_a_database(written: Any) -> None:
    path = written(HEADER + BALANCED * 3)
    environment = os.environ | {"DATABASE_URL": "postgres://nobody@127.0.0.1:1/nothing"}
    done = subprocess.run(
        [sys.executable, "manage.py", "rank", str(path), *PARTS, "--json"],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["n"] == 12
