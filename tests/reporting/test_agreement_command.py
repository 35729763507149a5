"""The offline command: real data, refusals that name the place, nothing on stdout when refused, no
database.
"""

import gzip
import io
import json
import re
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from sklearn.metrics import cohen_kappa_score

from measures.further import ORDERED_OF_ANNOTATORS, ORDERED_OF_PATTERNS
from reporting.report.further import WORDS
from reporting.tables.cells import written
from reporting.tables.columns import Format

ROOT = Path(__file__).resolve().parents[2]
RATINGS = ROOT / "tests" / "data" / "ratings"
PARTS = ("--item", "item", "--annotator", "rater", "--value", "value")
COEFFICIENTS = (
    "fleiss_kappa", "krippendorff_alpha", "cohen_kappa_mean", "conger_kappa", "gwet_ac1", "brennan_prediger",
    "percent_agreement", "all_agree_share",
)  # fmt: skip
OVERALL_HEADS = {
    "krippendorff_alpha": "Krippendorff's alpha",
    "fleiss_kappa": "Fleiss' kappa",
    "cohen_kappa_linear": "Weighted kappa, linear",
    "gwet_ac1": "Gwet's AC1",
}
WEIGHTED = ("cohen_kappa_linear", "cohen_kappa_quadratic")


def printed(path: Path, *options: str) -> str:
    out = io.StringIO()
    call_command("agreement", str(path), *PARTS, *options, stdout=out)
    return out.getvalue()


def results(path: Path, *options: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(printed(path, "--json", *options))
    return found


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
    assert list(found[0]) == ["batch", "criterion", *counts, *COEFFICIENTS, "new_annotators", "fleiss_kappa_by_answer"]


NEW = {"fleiss_kappa": "Fleiss' kappa", "gwet_ac1": "Gwet's AC1", "krippendorff_alpha": "Krippendorff's alpha"}
HEADS = ("Items", "Answers", "Annotators", "Krippendorff's alpha", "Fleiss' kappa", "Gwet's AC1", "Per cent agreement")


def tables_in(text: str) -> list[list[list[str]]]:
    """The tables, each with its lines as cells, without the notes below them."""
    parts = [[re.split(r"  +", line.strip()) for line in part.splitlines()] for part in text.split("\n\n")]
    return [[line for line in part if len(line) > 1] for part in parts[:-1]]


def test_answers_with_an_order_have_further_coefficients_and_the_table_those_asked_for(ratings: Any) -> None:
    rows = [f"{i},{r},{1 + (i * (7 + at) + at) % 5}" for i in range(30) for at, r in enumerate("xyz")]
    path = ratings("\n".join(["item,rater,value", *rows]))
    found = results(path, "--scale", "interval")[0]
    further = (*ORDERED_OF_PATTERNS, *ORDERED_OF_ANNOTATORS)
    assert set(further) <= set(found)
    assert not set(further) & set(results(path)[0])
    overall, others = tables_in(printed(path, "--scale", "interval", "--coefficients", "icc_1,pearson_mean"))
    assert overall[0] == ["Criterion", *HEADS[:3]]
    assert [line[0] for line in others[1:]] == ["ICC(1)", "Pearson's r, mean of pairs"]
    assert others[1][1] == " ".join([two(found["icc_1"]["value"]), interval_of(found["icc_1"])])
    names = {WORDS[name][0] for name in further}
    assert names <= {line[0] for line in tables_in(printed(path, "--scale", "interval", "--coefficients", "all"))[-2]}
    assert not [name for name in names if name in printed(path, "--scale", "interval")]


def two(value: float) -> str:
    return written(value, Format.FIGURE).replace("−", "-")


def interval_of(ends: dict[str, Any]) -> str:
    return f"[{two(ends['low'])}, {two(ends['high'])}]"


def test_the_tables_are_those_of_the_report(ratings: Any) -> None:
    rows = [f"{i},{r},{1 + (i * (7 + at) + at) % 5}" for i in range(30) for at, r in enumerate("xyz")]
    path = ratings("\n".join(["item,rater,value", *rows]))
    [found] = results(path, "--scale", "ordinal")
    text = printed(path, "--scale", "ordinal")
    for name, heading in OVERALL_HEADS.items():
        heads, values = next(table for table in tables_in(text) if heading in table[0])
        assert values[heads.index(heading)] == f"{two(found[name]['value'])} {interval_of(found[name])}"


def test_a_coefficient_that_the_scale_does_not_have_is_refused_with_those_it_has(ratings: Any) -> None:
    path = ratings("item,rater,value\n1,x,a\n1,y,a\n")
    with pytest.raises(CommandError, match=r"--coefficients icc_1: with this scale there are fleiss_kappa"):
        printed(path, "--coefficients", "icc_1")


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


def test_there_are_intervals_for_new_annotators_too() -> None:
    path = RATINGS / "dices_350.csv.gz"
    [found] = results(path, "--leave-out", "Unsure")
    for name, ends in found["new_annotators"].items():
        assert ends["low"] < found[name]["low"] < found[name]["high"] < ends["high"]
    _counts, _more, _further, (heads, values) = tables_in(printed(path, "--leave-out", "Unsure"))
    shown = dict(zip(heads, values, strict=True))
    for name, heading in NEW.items():
        assert shown[heading] == f"{two(found[name]['value'])} {interval_of(found['new_annotators'][name])}"


def test_two_raters_say_nothing_of_others(ratings: Any) -> None:
    path = ratings(twelve_items())
    nothing = {"low": None, "high": None, "interval_note": "few_annotators"}
    assert results(path)[0]["new_annotators"] == {
        "fleiss_kappa": nothing,
        "gwet_ac1": nothing,
        "krippendorff_alpha": nothing,
    }
    text = printed(path)
    assert "Intervals for new annotators too" not in text
    assert "Krippendorff's alpha; Gwet's AC1: no interval for new annotators with fewer than 3 annotators." in " ".join(
        text.split()
    )


def test_the_table_is_aligned(ratings: Any) -> None:
    text = printed(ratings(twelve_items()))
    first, second, *_ = tables_in(text)
    assert first[0] + second[0][1:] == ["Criterion", *HEADS]
    assert first[1][:4] == ["value", "12", "24", "2"]
    for part in text.split("\n\n")[:2]:
        heading, numbers = part.splitlines()
        assert len(heading) == len(numbers) <= 110


def test_a_table_that_is_too_wide_continues_below_with_the_labels_again(ratings: Any) -> None:
    text = "item,rater,value,about\n" + "".join(
        f"{at},{rater},{at % 3 + (at == 5) * (rater == 'y')},{about}\n"
        for at in range(12)
        for rater in "xy"
        for about in ("tone", "fact")
    )
    shown = printed(ratings(text), "--criterion", "about", "--scale", "ordinal")
    for table in tables_in(shown)[:2]:
        assert [line[0] for line in table] == ["Criterion", "tone", "fact"]
    assert max(map(len, shown.splitlines())) <= 110


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


def test_a_dash_is_explained_below_the_tables(ratings: Any) -> None:
    words = " ".join(printed(ratings("item,rater,value\ni1,x,1\ni2,x,2\n")).split())
    assert "Share on which all agree: no item was rated by more than one annotator." in words
    assert "Intervals are" not in words
