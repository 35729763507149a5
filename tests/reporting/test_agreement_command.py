"""The offline command: real data, refusals that name the place, nothing on stdout when refused, no
database.
"""

import gzip
import io
import json
import os
import subprocess
import sys
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from sklearn.metrics import cohen_kappa_score

ROOT = Path(__file__).resolve().parents[2]
RATINGS = ROOT / "tests" / "data" / "ratings"
PARTS = ("--item", "item", "--annotator", "rater", "--value", "value")
COEFFICIENTS = (
    "fleiss_kappa", "krippendorff_alpha", "cohen_kappa_mean", "conger_kappa", "gwet_ac1", "brennan_prediger",
    "percent_agreement", "all_agree_share",
)  # fmt: skip
WEIGHTED = ("cohen_kappa_linear", "cohen_kappa_quadratic")


def printed(path: Path, *options: str) -> str:
    out = io.StringIO()
    call_command("agreement", str(path), *PARTS, *options, stdout=out)
    return out.getvalue()


def results(path: Path, *options: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(printed(path, "--json", *options))
    return found


def refusal(path: Path, *options: str) -> str:
    out = io.StringIO()
    with pytest.raises(CommandError) as caught:
        call_command("agreement", str(path), *PARTS, *options, stdout=out)
    assert caught.value.returncode == 1
    assert out.getvalue() == ""
    assert str(caught.value).startswith(str(path))
    return str(caught.value).removeprefix(str(path))


@pytest.fixture
def ratings(tmp_path: Path) -> Any:
    def write(text: str, name: str = "ratings.csv") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def twelve_items(values: str = "abababababab", header: str = "item,rater,value") -> str:
    """Two raters; the second one differs on the last item."""
    other = values[:-1] + values[0]
    rows = [f"i{n},{rater},{given[n]}" for n in range(12) for rater, given in (("x", values), ("y", other))]
    return "\n".join([header, *rows]) + "\n"


# Real data


@pytest.mark.parametrize(("scale", "alpha"), [("nominal", 0.408), ("ordinal", 0.572), ("interval", 0.570)])
def test_switchboard_coherence_has_its_published_alpha(scale: str, alpha: float) -> None:
    [found] = results(RATINGS / "swbd_coh.csv.gz", "--scale", scale, "--criterion", "criterion")
    assert round(found["krippendorff_alpha"]["value"], 3) == alpha
    assert (found["criterion"], found["n_items"], found["n_ratings"], found["n_annotators"]) == (
        "coherence",
        7000,
        35000,
        37,
    )


def test_dices_has_the_alpha_printed_in_its_source() -> None:
    [found] = results(RATINGS / "dices_350.csv.gz")
    assert found["krippendorff_alpha"]["value"] == pytest.approx(0.16086021565770392, abs=1e-12)
    assert found["fleiss_kappa"]["value"] == pytest.approx(0.160841, abs=5e-7)
    assert (found["n_items"], found["n_ratings"], found["n_annotators"]) == (350, 43050, 123)
    for name in set(COEFFICIENTS) - {"conger_kappa", "all_agree_share"}:
        assert found[name]["low"] < found[name]["value"] < found[name]["high"]
        assert (found[name]["reason"], found[name]["interval_note"]) == (None, None)


def test_two_raters_have_the_kappa_of_cohen_as_congers_and_each_answer_has_its_own(ratings: Any) -> None:
    text = twelve_items("abcabcabcabc")
    [found] = results(ratings(text))
    assert found["conger_kappa"]["value"] == pytest.approx(found["cohen_kappa_mean"]["value"], abs=1e-12)
    assert found["all_agree_share"]["value"] == pytest.approx(11 / 12)
    assert list(found["fleiss_kappa_by_answer"]) == ["a", "b", "c"]
    [others] = results(ratings(text.replace(",c", ",b"), "together.csv"))
    assert found["fleiss_kappa_by_answer"]["a"] == others["fleiss_kappa"]


def test_dices_with_unsure_left_out_as_missing() -> None:
    [found] = results(RATINGS / "dices_350.csv.gz", "--leave-out", "Unsure")
    assert found["krippendorff_alpha"]["value"] == pytest.approx(0.2008, abs=5e-5)
    assert found["n_items"] == 350


def test_two_runs_print_the_same() -> None:
    path = RATINGS / "dices_350.csv.gz"
    assert printed(path) == printed(path)


def test_items_with_one_rating_enter_the_expected_agreement_and_are_warned_of(ratings: Any) -> None:
    path = ratings("item,rater,value\n1,x,yes\n1,y,no\n2,x,yes\n2,y,no\n3,x,yes\n")
    err = io.StringIO()
    call_command("agreement", str(path), *PARTS, "--json", stdout=io.StringIO(), stderr=err)
    assert "1 of 3 items have one rating only" in err.getvalue()
    [found] = results(path)
    assert found["fleiss_kappa"]["value"] == pytest.approx(-1.25, abs=1e-12)
    assert found["krippendorff_alpha"]["value"] == pytest.approx(-0.5, abs=1e-12)


# Groups and answers


def test_one_result_per_group_in_the_order_of_the_file(ratings: Any) -> None:
    rows = [
        f"{batch},{criterion},{item},{rater},{(item + (rater == 'y') * shift) % 2}"
        for batch, shift in (("late", 0), ("early", 1))
        for criterion in ("tone", "fact")
        for item in range(12)
        for rater in "xy"
    ]
    path = ratings("\n".join(["batch,aspect,item,rater,value", *rows]))
    found = results(path, "--by", "batch", "--criterion", "aspect")
    keys = [(row["batch"], row["criterion"]) for row in found]
    assert keys == [("late", "tone"), ("late", "fact"), ("early", "tone"), ("early", "fact")]
    assert [row["fleiss_kappa"]["value"] for row in found] == [1, 1, -1, -1]
    counts = ("n_items", "n_ratings", "n_annotators")
    assert list(found[0]) == ["batch", "criterion", *counts, *COEFFICIENTS, "fleiss_kappa_by_answer"]


def test_answers_of_one_criterion_are_not_declared_for_another(ratings: Any) -> None:
    rows = [f"{c},{i},{r},{'abc'[i % n]}" for c, n in (("two", 2), ("three", 3)) for i in range(12) for r in "xy"]
    rows[0] = "two,0,x,b"
    together = ratings("\n".join(["aspect,item,rater,value", *rows]))
    alone = ratings("\n".join(["aspect,item,rater,value", *rows[:24]]), "alone.csv")
    assert results(together, "--criterion", "aspect")[0]["gwet_ac1"] == results(alone)[0]["gwet_ac1"]
    declared = results(alone, "--values", "a,b,c")[0]
    assert declared["gwet_ac1"]["value"] != results(alone)[0]["gwet_ac1"]["value"]
    assert declared["fleiss_kappa"] == results(alone)[0]["fleiss_kappa"]


def test_numbers_sort_as_numbers_and_1_is_1_0(ratings: Any) -> None:
    text = twelve_items("abcabcabcabc")
    small = ratings(text.replace(",a", ",9").replace(",b", ",10").replace(",c", ",11"))
    [found] = results(small, "--scale", "ordinal")
    assert found == results(small, "--scale", "ordinal", "--values", "9,10,11")[0]
    mixed = ratings(text.replace(",a", ",9.0").replace(",b", ",10").replace(",c", ",11"), "mixed.csv")
    mixed.write_text(mixed.read_text().replace("x,9.0", "x,9"))
    assert results(mixed, "--scale", "ordinal") == [found]


def test_interval_alpha_uses_the_values_not_their_positions(ratings: Any) -> None:
    text = twelve_items("abcabcabcabc")
    near, far = (
        ratings(text.replace(",a", ",1").replace(",b", ",2").replace(",c", c), f"{c[1:]}.csv") for c in (",3", ",30")
    )
    first, second = results(near, "--scale", "interval")[0], results(far, "--scale", "interval")[0]
    assert first["krippendorff_alpha"]["value"] != pytest.approx(second["krippendorff_alpha"]["value"])
    assert first["fleiss_kappa"] == second["fleiss_kappa"]


@pytest.mark.parametrize(("scale", "values"), [("ordinal", (0, 1, 2)), ("interval", (1, 2, 30))])
def test_weighted_kappas_are_the_means_of_scikit_learn_over_all_pairs(ratings: Any, scale: str, values: tuple) -> None:
    """An interval scale weighs by its numbers, an ordinal one by places."""
    answers = {"x": "abcabcabcabc", "y": "abbabcacbabc", "z": "bbcabcabccba"}
    numbers = dict(zip("abc", (1, 2, 30), strict=True))
    rows = [f"{i},{who},{numbers[each]}" for who, given in answers.items() for i, each in enumerate(given)]
    [found] = results(ratings("\n".join(["item,rater,value", *rows])), "--scale", scale)
    for name in WEIGHTED:
        wanted = [_weighted_kappa(answers[a], answers[b], values, name) for a, b in combinations("xyz", 2)]
        assert found[name]["value"] == pytest.approx(sum(wanted) / 3)
        assert found[name]["low"] < found[name]["value"] < found[name]["high"]


def _weighted_kappa(first: str, second: str, values: tuple, name: str) -> float:
    """scikit-learn weighs by places: every number of the scale from the lowest to the highest is one."""
    places = [[values["abc".index(each)] for each in given] for given in (first, second)]
    labels = range(min(values), max(values) + 1)
    return float(cohen_kappa_score(*places, labels=labels, weights=name.removeprefix("cohen_kappa_")))


def test_a_nominal_scale_has_no_weighted_kappa(ratings: Any) -> None:
    [found] = results(ratings(twelve_items("abcabcabcabc")))
    assert not set(WEIGHTED) & set(found)


def test_weighted_kappas_of_one_and_the_same_answer_are_undefined(ratings: Any) -> None:
    [found] = results(ratings(twelve_items("a" * 12)), "--scale", "ordinal", "--values", "a,b,c")
    assert {(found[name]["value"], found[name]["reason"]) for name in WEIGHTED} == {(None, "no_variation")}


def test_negative_declared_values_need_no_equals_sign(ratings: Any) -> None:
    path = ratings(twelve_items().replace(",a", ",-2").replace(",b", ",2"))
    assert results(path, "--values", "-2,-1,0,1,2", "--scale", "interval")[0]["n_items"] == 12
    assert results(path, "--leave-out", "-2.0")[0]["n_ratings"] == 11


def test_empty_values_are_missing_votes(ratings: Any) -> None:
    [found] = results(ratings(twelve_items() + "i12,x,a\ni12,y,\ni13,x,  \n\n,,\n"))
    assert (found["n_items"], found["n_ratings"]) == (13, 25)


def test_a_group_without_a_single_vote_has_a_reason(ratings: Any) -> None:
    [found] = results(ratings("item,rater,value\ni1,x,\ni1,y,\n"))
    assert (found["n_items"], found["n_ratings"], found["n_annotators"]) == (0, 0, 0)
    assert {found[name]["reason"] for name in COEFFICIENTS} == {"no_pairs"}


def test_one_answer_only_is_null_with_a_reason_and_full_agreement(ratings: Any) -> None:
    [found] = results(ratings(twelve_items("aaaaaaaaaaaa")))
    for name in ("fleiss_kappa", "krippendorff_alpha", "cohen_kappa_mean"):
        assert (found[name]["value"], found[name]["reason"]) == (None, "no_variation")
    assert found["percent_agreement"]["value"] == 1.0


def test_few_items_have_a_value_and_no_interval(ratings: Any) -> None:
    nine = "\n".join(twelve_items().splitlines()[:19])
    [found] = results(ratings(nine))
    for name in COEFFICIENTS:
        assert found[name]["value"] == 1.0
        assert (found[name]["low"], found[name]["high"], found[name]["interval_note"]) == (
            None,
            None,
            "too_few_items",
        )


def test_the_table_is_aligned(ratings: Any) -> None:
    lines = printed(ratings(twelve_items())).splitlines()
    assert lines[0].split() == ["n_items", "n_ratings", "n_annotators", *COEFFICIENTS]
    assert lines[1].split()[:3] == ["12", "24", "2"]
    assert len(lines) == 2
    assert len(lines[0]) == len(lines[1])


def test_gzip_is_known_by_its_content(ratings: Any, tmp_path: Path) -> None:
    plain = ratings(twelve_items())
    packed = tmp_path / "download.csv"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert results(packed) == results(plain)


def test_byte_order_mark_and_windows_line_ends(ratings: Any, tmp_path: Path) -> None:
    path = tmp_path / "windows.csv"
    path.write_bytes(b"\xef\xbb\xbf" + twelve_items().replace("\n", "\r\n").encode())
    assert results(path) == results(ratings(twelve_items()))


def test_text_answers_on_an_ordinal_scale_warn_of_their_order(ratings: Any) -> None:
    errors = io.StringIO()
    path = str(ratings(twelve_items()))
    call_command("agreement", path, *PARTS, "--scale", "ordinal", stdout=io.StringIO(), stderr=errors)
    assert "alphabetical order (a, b)" in errors.getvalue()


# Refusals


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
            ("--scale", "interval"),
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
