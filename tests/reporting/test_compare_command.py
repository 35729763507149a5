"""The offline comparison of sources: the shape of its JSON, refusals that name the place, no database."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from django.core.management import CommandError, call_command

from measures.mixed.design import Ratings
from measures.ordinal.odds import odds_ratios
from tests.measures.mixed.reading import REFERENCE

ROOT = Path(__file__).resolve().parents[2]
COHERENCE = ROOT / "tests" / "data" / "ratings" / "swbd_coh.csv.gz"
STUDY = ROOT / "tests" / "measures" / "data" / "mixed" / "ordinal.csv.gz"
PARTS = ("--item", "item", "--source", "source", "--annotator", "annotator", "--value", "value")
TURNS = ("--conversation", "conversation")


def printed(path: Path, *options: str, parts: tuple[str, ...] = PARTS) -> tuple[str, str]:
    out, err = io.StringIO(), io.StringIO()
    call_command("compare", str(path), *parts, *options, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def criteria(path: Path, *options: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(printed(path, "--json", *options)[0])["criteria"]
    return found


def refusal(path: Path, *options: str) -> str:
    out = io.StringIO()
    with pytest.raises(CommandError) as caught:
        call_command("compare", str(path), *PARTS, *options, stdout=out)
    assert out.getvalue() == ""
    assert str(caught.value).startswith(str(path))
    return str(caught.value).removeprefix(str(path))


def crossed(values: Any = None, *, annotators: int = 3, sources: str = "ab", items: int = 12) -> pd.DataFrame:
    i, s, a = (each.ravel() for each in np.indices((items, len(sources), annotators)))
    given = np.random.default_rng(1).normal(size=len(i)).round(3) if values is None else values
    return pd.DataFrame({"item": i, "source": np.array(list(sources))[s], "annotator": a, "value": given})


def test_the_json_has_the_values_of_lmertest_in_full_precision() -> None:
    [found] = criteria(STUDY, *TURNS)
    assert list(found) == [
        "criterion",
        "means",
        "differences",
        "method",
        "left_out",
        "n_ratings",
        "checks",
        "variances",
        "warnings",
    ]
    assert [list(each) for each in found["means"]] == [
        ["source", "mean", "low", "high", "n", "plain_mean", "standard_error", "df", "note"]
    ] * 3
    keys = ["a", "b", "difference", "low", "high", "p", "p_holm", "df", "standard_error", "effect_size", "note"]
    assert list(found["differences"][0]) == [*keys, "annotators"]
    theirs = dict(zip(REFERENCE["ordinal"]["columns"], REFERENCE["ordinal"]["differences"][0], strict=True))
    ours = found["differences"][0]
    assert (ours["a"], ours["b"]) == ("0", "1")
    assert (ours["difference"], ours["df"]) == (
        pytest.approx(theirs["estimate"], abs=1e-6),
        pytest.approx(theirs["df"], rel=1e-3),
    )
    assert (found["criterion"], found["n_ratings"], found["means"][0]["n"]) == (None, 1800, 600)
    assert found["left_out"] == ["item x source: the same groups as item, whose effect stands for both"]


def test_the_table_names_the_weighting_and_has_both_estimates_of_a_real_crowd() -> None:
    parts = ("--item", "item", "--source", "source", "--annotator", "rater", "--value", "value")
    text, err = printed(COHERENCE, "--conversation", "dialogue", "--criterion", "criterion", parts=parts)
    lines = text.splitlines()
    assert lines[0] == "coherence: 35,000 ratings, 37 annotators, 1,000 conversations, weighted by the model"
    assert any(line.split()[:4] == ["internal_swap", "minus", "original", "-0.76"] for line in lines)
    assert any(line.split()[:5] == ["internal_swap", "minus", "original", "20,000", "-0.83"] for line in lines)
    assert "generalised least squares" in text
    assert err == ""


def test_criteria_come_in_the_order_of_the_file_with_their_own_ratings(ratings: Any) -> None:
    both = pd.concat([crossed().assign(about="tone"), crossed().assign(about="fact")[:60]])
    found = criteria(ratings(both.to_csv(index=False)), "--criterion", "about")
    assert [(each["criterion"], each["n_ratings"]) for each in found] == [("tone", 72), ("fact", 60)]


def test_binary_answers_are_shares_also_in_words(ratings: Any) -> None:
    answers = np.random.default_rng(2).random(72) < 0.95
    numbers = criteria(ratings(crossed(answers.astype(int)).to_csv(index=False)))
    words = criteria(
        ratings(crossed(np.where(answers, "Yes", "no")).to_csv(index=False), "words.csv"), "--scale", "binary"
    )
    assert numbers == words
    assert numbers[0]["method"].startswith("Linear probability model")
    assert max(each["high"] for each in numbers[0]["means"]) <= 1


@pytest.mark.parametrize("name", ["r.tsv", "r.xlsx", "r.parquet", "r.jsonl", "r.csv.zip"])
def test_any_table_that_pandas_reads_gives_the_same(tmp_path: Path, ratings: Any, name: str) -> None:
    table, path = crossed(), tmp_path / name
    wanted = criteria(ratings(table.to_csv(index=False)))
    if name.endswith(("tsv", "zip")):
        table.to_csv(path, index=False, sep="\t" if name.endswith("tsv") else ",")
    elif name.endswith("jsonl"):
        table.to_json(path, orient="records", lines=True)
    else:
        getattr(table, {"r.xlsx": "to_excel", "r.parquet": "to_parquet"}[name])(path, index=False)
    assert criteria(path) == wanted


def test_odds_ratios_come_when_asked_for_and_are_those_of_the_model(ratings: Any) -> None:
    answers = np.random.default_rng(2).integers(1, 6, 72)
    path = ratings(crossed(answers).to_csv(index=False))
    assert "odds_ratios" not in criteria(path)[0]
    [found] = criteria(path, "--odds-ratios")[0]["odds_ratios"]["pairs"]
    item, source, annotator = (each.ravel() for each in np.indices((12, 2, 3)))
    [pair] = odds_ratios(Ratings(source, annotator, item, item, answers.astype(float))).pairs
    assert (found["a"], found["b"]) == ("a", "b")
    assert (found["odds_ratio"], found["low"], found["high"]) == pytest.approx((pair.ratio, pair.low, pair.high))
    text = printed(path, "--odds-ratios")[0]
    [line] = [line.split() for line in text.splitlines() if line.startswith("a / b")]
    assert line[3:6] == [f"{pair.ratio:.3g}", f"[{pair.low:.3g},", f"{pair.high:.3g}]"]
    nothing = criteria(ratings(crossed(np.ones(72)).to_csv(index=False)), "--odds-ratios")[0]["odds_ratios"]
    assert nothing == {"pairs": [], "sds": None, "reason": "no_variation"}


def test_missing_values_are_counted_and_warned_of(ratings: Any) -> None:
    table = crossed().astype({"value": object})
    table.loc[[3, 5], "value"] = ["", "NaN"]
    out, err = printed(ratings(table.to_csv(index=False)), "--json")
    [found] = json.loads(out)["criteria"]
    assert found["n_ratings"] == 70
    assert "2 of 72 ratings without a value" in found["left_out"]
    assert "2 of 72 values are missing and left out (empty 1, NaN 1)" in err


def test_annotators_that_are_not_identified_are_warned_of_and_compared(ratings: Any) -> None:
    out, err = printed(ratings(crossed().assign(annotator=range(72)).to_csv(index=False)), "--json")
    assert "annotators are not identified" in err
    [found] = json.loads(out)["criteria"]
    assert "annotator: one rating in each, so it is part of the residual" in found["left_out"]
    assert found["differences"][0]["p"] is not None


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        (crossed(annotators=1), "one annotator"),
        (crossed(items=1), "one conversation or item"),
        (crossed(np.ones(72)), "do not vary"),
        (crossed(np.repeat([[0, 1]], 36, axis=0).reshape(12, 3, 2).swapaxes(1, 2).ravel()), "do not vary"),
        (crossed()[:1], "too few ratings"),
    ],
    ids=["one annotator", "one item", "constant", "separated", "one rating"],
)
def test_too_little_data_have_means_and_a_reason_and_no_p(ratings: Any, table: pd.DataFrame, reason: str) -> None:
    [found] = criteria(ratings(table.to_csv(index=False)))
    assert reason in found["left_out"][-1]
    assert all(each["mean"] is not None and each["low"] is None for each in found["means"])
    for each in found["differences"]:
        assert each["low"] is each["high"] is each["p"] is each["p_holm"] is each["df"] is None


def test_one_source_has_its_mean_alone(ratings: Any) -> None:
    path = ratings(crossed(sources="a").to_csv(index=False))
    [found] = criteria(path)
    assert found["differences"] == []
    assert found["means"][0]["low"] is not None
    text = printed(path)[0]
    assert "holm" not in text.casefold()


def test_the_table_says_for_whom_and_what_its_words_mean(ratings: Any) -> None:
    text = printed(ratings(crossed(annotators=2, items=9).to_csv(index=False)))[0]
    assert "Intervals are 95 %, each by itself, for new annotators and new conversations like these" in text
    assert "]†" in text
    assert "† Few data: with fewer than 3 annotators or 10 conversations" in text
    alone = printed(ratings(crossed(annotators=1).to_csv(index=False)))[0]
    assert alone.startswith("24 ratings, 1 annotator, 12 conversations")


def test_the_plain_share_stands_beside_that_of_the_model(ratings: Any) -> None:
    table = crossed((np.random.default_rng(4).random(72) < 0.5).astype(int))
    table.loc[table["source"] == "a", "value"] = 1
    text = printed(ratings(table.to_csv(index=False)))[0]
    heading, first = text.splitlines()[2:4]
    assert heading.split() == ["Source", "Mean", "95", "%", "interval", "Plain", "mean", "Answers"]
    assert first.split()[-2:] == ["1.00", "36"]


def test_odds_ratios_that_are_separated_say_why(ratings: Any) -> None:
    table = crossed(np.random.default_rng(2).integers(1, 4, 72))
    table.loc[table["source"] == "a", "value"] = 3
    text = printed(ratings(table.to_csv(index=False)), "--odds-ratios")[0]
    assert "None: a source has only the highest or only the lowest answer" in text


def test_the_check_stands_beside_the_differences_and_says_what_it_is() -> None:
    parts = ("--item", "item", "--source", "source", "--annotator", "rater", "--value", "value")
    lines = printed(COHERENCE, "--conversation", "dialogue", parts=parts)[0].splitlines()
    assert ["Sources", "Answers", "Check"] in [line.split() for line in lines]
    assert "The check compares plain means, with errors clustered by annotator and conversation." in lines
    assert max(map(len, lines)) <= 110


HEADER = "item,source,annotator,value\n"


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("", (), ": cannot be read: No columns to parse from file"),
        (HEADER, (), ", line 1: no ratings below the header"),
        ("item,annotator\n", (), ", line 1, column 'source': no such column, the file has item, annotator"),
        (HEADER + "1,a,x,1\n\n2,,x,1\n", (), ", line 4, column 'source': is empty"),
        (HEADER + "1,a,x,1\n1,b,x,1\n1,a,x,2\n", (),
         ", line 4, column 'annotator': rates an item of a source again, first on line 2"),
    ],
)  # fmt: skip
def test_a_refusal_names_file_line_and_column(ratings: Any, text: str, options: Any, message: str) -> None:
    assert refusal(ratings(text), *options) == message


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("1,a,x,1\n1,b,x,inf\n", (), ", line 3, column 'value': 'inf' is not a number: one of 1 such values among 2"),
        ("1,a,x,yes\n1,b,x,maybe\n", (),
         ", line 3, column 'value': 'maybe' is not a number: one of 1 such values among 2 (others are yes)"),
        ("1,a,x,2\n1,b,x,1\n", ("--scale", "binary"),
         ", line 2, column 'value': '2' is not 0 or 1, yes or no, true or false: one of 1 such values"),
    ],
)  # fmt: skip
def test_a_stray_value_is_named_with_its_remedies(ratings: Any, text: str, options: Any, message: str) -> None:
    said = refusal(ratings(HEADER + text), *options)
    assert said.startswith(message)
    assert "Correct it, leave it out with --missing '" in said
    assert said.endswith("or name the answers that count as 1 with --positive")


def test_a_stray_value_can_be_left_out_or_count_as_not_positive(ratings: Any) -> None:
    table = crossed(np.where(np.arange(72) % 3 == 0, "yes", "no"))
    table.loc[4, "value"] = "maybe"
    path = ratings(table.to_csv(index=False))
    assert criteria(path, "--missing", "maybe")[0]["n_ratings"] == 71
    [found] = criteria(path, "--positive", "yes")
    assert found["n_ratings"] == 72
    assert all(0 <= each["mean"] < 0.5 for each in found["means"])


def test_answers_that_are_all_words_need_the_positive_ones(ratings: Any) -> None:
    path = ratings(crossed(np.where(np.arange(72) % 3 == 0, "good", "bad")).to_csv(index=False))
    said = refusal(path)
    assert "'good' is not a number, and no answer is: name those that count as 1 with --positive" in said
    assert "add --role role if this is an export of Parley" in said
    assert refusal(path, "--positive", "well").endswith("--positive well: no such answer, the file has bad, good")
    means = criteria(path, "--positive", "good")[0]["means"]
    assert all(0.2 < each["mean"] < 0.5 for each in means)


def test_a_missing_or_broken_file_is_refused(tmp_path: Path, ratings: Any) -> None:
    assert refusal(tmp_path / "none.csv") == ": cannot be read: No such file or directory"
    assert refusal(ratings("no workbook", "r.xlsx")).startswith(": cannot be read: ")
    latin = tmp_path / "latin.csv"
    latin.write_bytes((HEADER + "ä,a,x,1\n").encode("latin-1"))
    assert refusal(latin).startswith(": cannot be read: ")


def test_the_command_runs_without_a_database_and_fails_with_1(ratings: Any) -> None:
    nowhere = {"DATABASE_URL": "postgres://nobody@127.0.0.1:1/none", "REDIS_URL": "redis://127.0.0.1:1/0"}

    def run(path: Path) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(ROOT / "manage.py"), "compare", str(path), *PARTS, "--json"]
        return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=os.environ | nowhere, check=False)

    good, bad = run(ratings(crossed().to_csv(index=False))), run(ratings(HEADER, "bad.csv"))
    assert (good.returncode, good.stderr) == (0, "")
    assert json.loads(good.stdout)["criteria"][0]["n_ratings"] == 72
    assert (bad.returncode, bad.stdout) == (1, "")


NO_TASTE = (
    "The variance of annotator x source is estimated as 0, from 3 annotators. The intervals hold for new annotators"
)


def alike() -> pd.DataFrame:
    """Three annotators who like both sources equally: their differences in every item add up to nothing."""
    table = crossed()
    sign = np.where(table["source"] == "a", 1, -1)
    table["value"] = table["value"] - sign * (table["value"] * sign).groupby(table["annotator"]).transform("mean")
    return table


def test_a_variance_of_0_between_annotators_is_what_the_claim_about_new_ones_rests_on(ratings: Any) -> None:
    path = ratings(alike().to_csv(index=False))
    text, _ = printed(path)
    assert NO_TASTE in " ".join(text.split())
    rows = [line.split() for line in text.splitlines()]
    assert ["annotator", "x", "source", "0.00", "0.00", "6"] in rows
    [found] = criteria(path)
    assert [each for each in found["warnings"] if each.startswith(NO_TASTE)]
    assert {"effect": "annotator x source", "sd": 0.0, "variance": 0.0, "n_groups": 6} in found["variances"]


def test_annotators_who_differ_are_not_doubted(ratings: Any) -> None:
    table = crossed()
    table["value"] += np.where(table["source"] == "a", 1, -1) * table["annotator"]
    [found] = criteria(ratings(table.to_csv(index=False)))
    assert found["warnings"] == []
    assert "estimated as 0" not in printed(ratings(table.to_csv(index=False)))[0]


def test_the_json_has_plain_means_standard_errors_and_the_check() -> None:
    parts = ("--item", "item", "--source", "source", "--annotator", "rater", "--value", "value")
    found = json.loads(printed(COHERENCE, "--conversation", "dialogue", "--json", parts=parts)[0])["criteria"][0]
    assert [round(each["plain_mean"], 3) for each in found["means"]] == [1.413, 1.812, 2.641]
    third = found["checks"][2]
    assert (third["a"], third["b"], third["df"]) == ("internal_swap", "original", 36)
    assert [round(third[key], 3) for key in ("difference", "low", "high")] == [-0.828, -0.940, -0.717]
    low, high = found["differences"][2]["low"], found["differences"][2]["high"]
    assert found["differences"][2]["standard_error"] == pytest.approx((high - low) / 2 / 1.978, rel=0.01)
    assert [each["effect"] for each in found["variances"]][-1] == "residual"


def test_values_that_are_all_missing_are_said_to_be_no_numbers(ratings: Any) -> None:
    _, err = printed(ratings(crossed(np.full(72, "NaN")).to_csv(index=False)))
    assert "no value is a number: all are missing" in err
    assert "--positive" not in err


def test_very_different_shares_and_a_handful_of_answers_are_said_in_text_and_in_json(tmp_path: Path) -> None:
    of_source = {"mild": 1, "plain": 55, "sharp": 60}
    value = np.array([np.random.default_rng(at).permutation(120) < n for at, n in enumerate(of_source.values())])
    table = crossed(value.reshape(3, 40, 3).swapaxes(0, 1).ravel().astype(int), sources="abc", items=40)
    table["source"] = table["source"].map(dict(zip("abc", of_source, strict=True)))
    table.to_csv(file := tmp_path / "shares.csv", index=False)
    text = " ".join(printed(file)[0].split())
    assert "too narrow for plain and sharp and too wide for mild" in text
    assert "use --odds-ratios" in text
    assert "Rare answer: fewer than 5 answers of a source are 1, or fewer than 5 are 0" in text
    [found] = criteria(file)
    assert any("too narrow for plain and sharp" in warning for warning in found["warnings"])
    assert [each["note"] for each in found["means"]] == ["rare_answer", None, None]
    assert [each["note"] for each in found["differences"]] == ["rare_answer", "rare_answer", None]


def test_answers_that_count_as_not_positive_are_named_with_their_numbers(ratings: Any) -> None:
    answers = np.resize(["good", "bad", "cannot tell", "good", "good"], 72)
    path = ratings(crossed(answers).to_csv(index=False))
    said = refusal(path)
    assert said.endswith("The answers are good 43, bad 15, cannot tell 14")
    assert "such as" not in said
    warning = "29 of 72 answers count as not positive (bad 15, cannot tell 14)"
    assert warning in printed(path, "--positive", "good")[1]
    assert criteria(path, "--positive", "good")[0]["warnings"][0] == warning
    roles = np.resize(["positive", "", "unsure", "positive", "excluding"], 72)
    table = crossed(answers).assign(role=roles, value="")
    by_role = criteria(ratings(table.to_csv(index=False), "roles.csv"), "--role", "role")[0]
    assert "14 of 43 answers count as not positive (unsure 14)" in by_role["warnings"]


def test_few_annotators_of_both_sources_are_warned_of_and_counted(ratings: Any) -> None:
    table = crossed(np.random.default_rng(3).integers(1, 6, 192), annotators=8)
    is_own = (table["source"] == "b") & (table["annotator"] > 1)
    table.loc[is_own, "annotator"] += 10
    path = ratings(table.to_csv(index=False))
    [found] = criteria(path)
    assert found["differences"][0]["annotators"] == {"a": 8, "b": 8, "both": 2}
    said = "Few annotators rated both sources of a pair, so a difference between them can be one between annotators."
    assert found["warnings"][0] == f"{said} Annotators of each, and of both: a (8) and b (8): 2."
    text = printed(path)[0]
    assert said in " ".join(text.split())
    assert "2 of 8 and 8" in text
    shared = criteria(ratings(crossed(np.random.default_rng(3).integers(1, 6, 72)).to_csv(index=False), "all.csv"))
    assert not any("Few annotators" in each for each in shared[0]["warnings"])
