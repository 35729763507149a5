"""The offline audit of a judge: the shape of its JSON, refusals that name the place, reasons instead of numbers."""

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from django.core.management import CommandError, call_command

from measures.machines.alternative import alternative_test
from measures.machines.judged import Judged
from measures.machines.powered import Part, powered_mean
from reporting.tables import cells
from reporting.tables.columns import Format

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("--item", "item", "--annotator", "who", "--value", "value")
N = 200


@pytest.fixture(scope="module")
def frames() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Four people on the first 80 of 200 items in conversations of four, one of each source."""
    rng = np.random.default_rng(1)
    conversation, source = np.arange(N) // 4, np.arange(N) % 4
    truth = rng.normal(size=N // 4)[conversation] + rng.normal(size=N) + 0.4 * source
    item = [f"i{at}" for at in range(N)]
    judge = pd.DataFrame(
        {"item": item, "conversation": [f"c{at}" for at in conversation], "source": np.array(list("abcd"))[source],
         "value": (truth + rng.normal(0, 0.5, N) > 0).astype(int)}
    )  # fmt: skip
    people = [
        pd.DataFrame(
            {"item": item[:80], "who": f"p{at}", "value": (truth + rng.normal(0, 0.8, N) > 0)[:80].astype(int)}
        )
        for at in range(4)
    ]
    return pd.concat(people), judge


@pytest.fixture
def files(frames: tuple[pd.DataFrame, pd.DataFrame], tmp_path: Path) -> tuple[Path, Path]:
    paths = tmp_path / "humans.csv", tmp_path / "judge.csv"
    for frame, path in zip(frames, paths, strict=True):
        frame.to_csv(path, index=False)
    return paths


@pytest.fixture
def written(tmp_path: Path) -> Any:
    def write(humans: str, judge: str) -> tuple[Path, Path]:
        paths = tmp_path / "humans.csv", tmp_path / "judge.csv"
        for path, text in zip(paths, (humans, judge), strict=True):
            path.write_text(text, encoding="utf-8")
        return paths

    return write


def printed(files: tuple[Path, Path], *options: str) -> tuple[str, str]:
    out, err = io.StringIO(), io.StringIO()
    call_command("audit", *map(str, files), *PARTS, *options, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def result(files: tuple[Path, Path], *options: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(printed(files, "--json", *options)[0])
    return found


def refusal(files: tuple[Path, Path], *options: str) -> str:
    with pytest.raises(CommandError) as caught:
        printed(files, *options)
    return str(caught.value).replace(str(files[0]), "HUMANS").replace(str(files[1]), "JUDGE")


def test_the_object_has_exactly_what_was_promised_in_full_precision(files, frames):
    found = result(files, "--cluster", "conversation")
    assert list(found)[:3] == ["alt_test", "corrected", "ppi"]
    assert list(found["alt_test"]) == ["epsilon", "winning_rate", "advantage_probability", "passes", "annotators"]
    assert list(found["ppi"]) == ["estimate", "low", "high", "n_labelled", "n_all"]
    humans, judge = frames
    item = humans["item"].str[1:].astype(int).to_numpy()
    conversation = np.arange(N) // 4
    judged = Judged.of(item, humans["who"].str[1:].astype(int), humans["value"], judge["value"], conversation)
    test = alternative_test(judged, "nominal")
    assert found["alt_test"]["advantage_probability"] == test.advantage.value
    assert [each["p"] for each in found["alt_test"]["annotators"]] == [each.p_value for each in test.annotators]
    mean = powered_mean(Part(judged.means(), judged.judge, conversation)).estimate
    assert found["ppi"]["estimate"] == pytest.approx(mean.value, abs=1e-14)
    assert found["ppi"]["low"] == pytest.approx(mean.low, abs=1e-14)
    assert (found["ppi"]["n_labelled"], found["ppi"]["n_all"]) == (80, N)
    assert found["corrected"]["low"] < found["corrected"]["estimate"] < found["corrected"]["high"]


def test_every_kind_of_file_gives_the_same(files, frames, tmp_path):
    first = result(files, "--source", "source")
    for ending, writer in (("tsv", "to_csv"), ("xlsx", "to_excel"), ("parquet", "to_parquet"), ("jsonl", "to_json")):
        paths = tmp_path / f"h.{ending}", tmp_path / f"j.{ending}"
        for frame, path in zip(frames, paths, strict=True):
            how: dict[str, Any] = {"orient": "records", "lines": True} if ending == "jsonl" else {"index": False}
            getattr(frame.reset_index(drop=True), writer)(path, **how, **({"sep": "\t"} if ending == "tsv" else {}))
        assert result(paths, "--source", "source") == first


def two(value: float) -> str:
    return cells.written(value, Format.FIGURE)


def shown(found: dict[str, Any]) -> str:
    return f"{two(found['value'])} [{two(found['low'])}, {two(found['high'])}]"


def test_the_text_has_every_table_as_the_report_writes_it(files):
    text, _ = printed(files, "--cluster", "conversation", "--source", "source")
    found = result(files, "--cluster", "conversation", "--source", "source")
    words = " ".join(text.split())
    assert (
        "320 ratings by 4 annotators; the judge answered 200 items, of which people rated 80; 50 conversations."
        in words
    )
    assert "Alternative annotator test: passed. Winning rate 1.00 with epsilon 0.15" in words
    for annotator in found["alt_test"]["annotators"]:
        assert [
            annotator["annotator"],
            "t",
            "test",
            str(annotator["n_items"]),
            two(annotator["advantage_probability"]),
        ] in [line.split()[:5] for line in text.splitlines()]
    assert f"Accuracy against one other answer  {shown(found['ceiling'][0]['people'])}" in re.sub("  +", "  ", text)
    assert "80 items with two ratings or more" in words
    assert shown(found["ppi"] | {"value": found["ppi"]["estimate"]}) in text
    assert [each["source"] for each in found["sources"]] == ["a", "b", "c", "d"]
    assert len(found["differences"]) == 6
    assert any(line.startswith("a minus d") for line in text.splitlines())
    assert f"Kendall's tau {two(found['systems']['kendall']['value'])}" in words
    assert "People and judge differ most on" in text
    assert "for new conversations like these, but for these annotators only." in text
    assert max(map(len, text.splitlines())) <= 110


def test_words_are_labels_and_positive_ones_have_a_mean(written):
    humans = "item,who,value\n" + "".join(
        f"i{i},p{p},{'good' if i % 3 else 'bad'}\n" for i in range(60) for p in range(3)
    )
    judge = "item,value\n" + "".join(f"i{i},{'good' if i % 3 else 'awful'}\n" for i in range(90))
    files = written(humans, judge)
    found = result(files)
    assert found["alt_test"]["annotators"][0]["advantage_probability"] == pytest.approx(2 / 3)
    assert found["ppi"]["estimate"] is None
    assert "--positive" in found["reasons"]["ppi"]
    found = result(files, "--positive", "good")
    assert found["ppi"]["estimate"] == pytest.approx(2 / 3)
    assert [each.partition(": ")[2] for each in found["warnings"]] == [
        "60 of 180 answers count as not positive (bad 60)",
        "30 of 90 answers count as not positive (awful 30)",
    ]


def test_numbers_on_an_interval_scale_are_scored_by_distance(written):
    humans = "item,who,value\n" + "".join(f"i{i},p{p},{1 + p}\n" for i in range(40) for p in range(3))
    found = result(written(humans, "item,value\n" + "".join(f"i{i},2.0\n" for i in range(40))), "--scale", "interval")
    assert [each["own_probability"] for each in found["alt_test"]["annotators"]] == [0.0, 1.0, 0.0]
    assert [each["measure"] for each in found["ceiling"]] == ["rmse", "pearson"] * 2
    assert "0 or 1" in found["reasons"]["corrected"]


def test_sources_may_share_an_item(written):
    humans = "item,source,who,value\n" + "".join(
        f"i{i},{s},p{p},{s}\n" for i in range(20) for s in (0, 1) for p in range(3)
    )
    judge = "item,source,value\n" + "".join(f"i{i},{s},{s}\n" for i in range(20) for s in (0, 1))
    found = result(written(humans, judge), "--source", "source")
    assert [each["ppi"]["estimate"] for each in found["sources"]] == [0.0, 1.0]
    assert found["systems"]["kendall"]["value"] == 1.0


ONE = "item,value\na,1\n"
GOOD = "item,who,value\na,x,1\na,y,0\nb,x,1\n"


CHAT = ("--cluster", "chat")
NUMBERS = ("--scale", "interval")


@pytest.mark.parametrize(
    ("humans", "judge", "options", "told"),
    [
        (ONE, ONE, (), "HUMANS, line 1, column 'who': no such column, the file has item, value"),
        (GOOD, "item,said\na,1\n", (), "JUDGE, line 1, column 'value': no such column, the file has item, said"),
        (GOOD + "a,x,1\n", ONE, (), "HUMANS, line 5, column 'who': rates an item again, first on line 2"),
        (GOOD, ONE + "a,0\n", (), "JUDGE, line 3, column 'item': the judge answers this item again, first on line 2"),
        (GOOD, ONE, CHAT, "JUDGE, line 1, column 'chat': no such column here or in HUMANS: add it"),
        (GOOD, "item,value\na,good\n", NUMBERS, "JUDGE, line 2, column 'value': 'good' is not a number"),
        (GOOD, "item,value\na,1e200\n", NUMBERS, "JUDGE, line 2, column 'value': '1e200' is too large"),
        (GOOD + ",x,1\n", ONE, (), "HUMANS, line 5, column 'item': is empty"),
        (GOOD, ONE, ("--positive", "good"), "HUMANS, line 1, column 'value': --positive good: no such answer"),
        ("item,chat,who,value\na,c,x,1\na,d,y,1\n", ONE, CHAT,
         "HUMANS, line 3, column 'chat': item 'a' has 'd' here and 'c' elsewhere"),
        ("item,chat,who,value\na,c,x,1\n", ONE + "b,1\n", CHAT,
         "JUDGE, line 3, column 'chat': item 'b' has none: add this column to the file"),
        ("item,who,value\n", ONE, (), "HUMANS, line 1: no ratings below the header"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_used_is_refused_with_place_and_remedy(written, humans, judge, options, told):
    assert refusal(written(humans, judge), *options).startswith(told)


def test_texts_are_no_labels(written):
    humans = "item,who,value\n" + "".join(f"i{at},x,text {at}\n" for at in range(201))
    assert "201 different answers are no labels" in refusal(written(humans, "item,value\ni1,text 1\n"))


def test_a_missing_file_is_refused(tmp_path):
    assert "No such file" in refusal((tmp_path / "a.csv", tmp_path / "b.csv"))


@pytest.mark.parametrize("epsilon", ["2", "-1", "nan", "much"])
def test_an_epsilon_that_is_no_share_is_refused(files, epsilon):
    with pytest.raises(CommandError, match="is not a number from 0 to 1"):
        printed(files, f"--epsilon={epsilon}")


@pytest.mark.parametrize(
    ("humans", "judge"),
    [
        (GOOD, ONE),
        (GOOD, "item,value\nz,1\n"),
        ("item,who,value\na,x,NA\n", "item,value\na,NA\n"),
        ("item,who,value\na,x,1\n", "item,value\na,\n"),
        ("item,who,value\n" + "".join(f"{at},{who},1\n" for at in range(40) for who in "xyz"),
         "item,value\n" + "".join(f"{at},1\n" for at in range(60))),
    ],
    ids=["few", "other items", "all missing", "no answer", "all alike"],
)  # fmt: skip
@pytest.mark.parametrize("scale", ["nominal", "interval"])
def test_hopeless_data_have_reasons_and_no_traceback(written, humans, judge, scale):
    files = written(humans, judge)
    found = result(files, "--scale", scale, "--source", "item")
    assert found["reasons"]["corrected"]
    assert printed(files, "--scale", scale, "--source", "item")[0]


def test_a_weak_judge_has_no_corrected_rate_and_a_reason(written):
    humans = "item,who,value\n" + "".join(f"{at},x,{at % 2}\n" for at in range(40))
    judge = "item,value\n" + "".join(f"{at},{at // 2 % 2}\n" for at in range(80))
    found = result(written(humans, judge))
    assert (found["corrected"]["estimate"], found["corrected"]["low"]) == (None, None)
    assert "together 1 or less" in found["reasons"]["corrected"]


def test_a_test_on_few_items_says_that_it_is_easily_won(written):
    humans = "item,who,value\n" + "".join(f"{at},{who},1\n" for at in range(20) for who in "xyz")
    files = written(humans, "item,value\n" + "".join(f"{at},1\n" for at in range(20)))
    assert "easily won" in result(files)["reasons"]["alt_test"]
    assert "easily won" in printed(files)[0]


def test_what_is_left_out_is_told(written):
    humans = GOOD + "c,x,\nd,z,1\n"
    said = printed(written(humans, "item,value\na,1\nb,NA\nc,1\n"))[1]
    assert "humans.csv: 1 of 5 values is missing and left out (empty 1)" in said
    assert "judge.csv: 1 of 3 values is missing and left out (NA 1)" in said
    assert "2 rated items without an answer of the judge: left out" in said


def test_only_rows_with_the_value_asked_for_are_used(files, frames, written):
    humans = pd.concat([frames[0].assign(counted="yes"), frames[0].assign(counted="no")])
    humans.to_csv(files[0].with_name("twice.csv"), index=False)
    assert result((files[0].with_name("twice.csv"), files[1]), "--where", "counted=yes") == result(files)


def test_it_runs_without_a_database(files):
    environment = os.environ | {"DATABASE_URL": "postgres://nobody@127.0.0.1:1/nothing"}
    done = subprocess.run(
        [sys.executable, "manage.py", "audit", *map(str, files), *PARTS, "--json"],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["ppi"]["n_all"] == N


def _answers(says_no: Callable[[int], bool], n_no: int = 14) -> tuple[str, str]:
    """Return files of three people on 300 items, of which the first few are "no", and of a judge."""
    humans = "item,who,value\n" + "".join(f"i{i},p{p},{int(i >= n_no)}\n" for i in range(300) for p in range(3))
    return humans, "item,value\n" + "".join(f"i{i},{int(not says_no(i))}\n" for i in range(300))


def test_a_judge_that_says_yes_to_all_items_but_one_passes_with_a_caution(written):
    files = written(*_answers(lambda i: i == 0))
    found = result(files)
    assert found["alt_test"]["passes"]
    assert found["caution"].startswith("The judge may agree with people by chance only: kappa")
    assert "It gives the same answer to 299 of 300 rated items" in found["caution"]
    words = " ".join(printed(files)[0].split())
    assert "Alternative annotator test: passed." in words
    assert f"Caution: {found['caution']}" in words


def test_a_judge_that_finds_half_of_the_rare_items_is_told_what_it_misses(written):
    found = result(written(*_answers(lambda i: i < 7)))
    assert found["caution"] == (
        "858 of people's 900 answers are the same, so the test says little about the other 42. "
        "The judge matches 21 of these."
    )


def test_a_judge_that_passes_on_answers_of_both_kinds_needs_no_caution(written):
    assert result(written(*_answers(lambda i: i < 100, n_no=100)))["caution"] is None


def test_intervals_of_shares_stop_at_1(written):
    humans, judge = _answers(lambda i: i == 3, n_no=1)
    assert result(written(humans, judge))["ppi"]["high"] == 1.0
