"""Missing values are the same to all commands on files: how they may be written, the warning, and the option."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

RATED = "item,source,who,value\n" + "".join(
    f"{item},{source},p{who},{1 + (item + who) % 3}\n" for item in range(12) for source in "ab" for who in range(3)
)
ANSWERS = "a,b,x,a,b,left\nb,a,y,b,a,left\na,b,z,a,b,right\nb,a,x,b,a,right\n"
COMPARED = "item,source,who,left,right,value\n" + ANSWERS * 3
COMMANDS = {
    "agreement": ("--item", "item", "--annotator", "who", "--value", "value", "--by", "source"),
    "compare": ("--item", "item", "--source", "source", "--annotator", "who", "--value", "value"),
    "rank": ("--left", "left", "--right", "right", "--winner", "value", "--annotator", "who"),
}


def printed(command: str, path: Path, *options: str) -> tuple[Any, str]:
    out, err = io.StringIO(), io.StringIO()
    call_command(command, str(path), *COMMANDS[command], "--json", *options, stdout=out, stderr=err)
    return json.loads(out.getvalue()), err.getvalue()


def file_of(command: str, *texts: str) -> str:
    if command == "rank":
        return COMPARED + "".join(f"0,a,x,a,b,{text}\n" for text in texts)
    return RATED + "".join(f"{20 + at},a,p0,{text}\n" for at, text in enumerate(texts))


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("spelling", ["NA", "n/a", "#N/A", "<NA>", "NaN", "NULL", "None"])
def test_a_missing_value_is_left_out_and_named_however_it_is_written(ratings: Any, command: str, spelling: str) -> None:
    without = printed(command, ratings(file_of(command), "without.csv"))
    found, said = printed(command, ratings(file_of(command, spelling, "", spelling)))
    if command == "compare":
        assert found["criteria"][0].pop("left_out") != without[0]["criteria"][0].pop("left_out")
    if command == "rank":
        assert found == without[0]
    if command == "compare":
        assert found["criteria"][0]["means"] == without[0]["criteria"][0]["means"]
        assert found["criteria"][0]["differences"] == without[0]["criteria"][0]["differences"]
    assert "3 of " in said
    assert f"empty 1, {spelling} 2" in said
    assert without[1].count("missing") == without[1].count("no winner") == 0


def test_agreement_is_that_without_the_missing_values(ratings: Any) -> None:
    rows = RATED.replace("\n0,a,p0,1\n", "\n0,a,p0,{}\n").replace("\n5,b,p1,1\n", "\n5,b,p1,{}\n")
    spelled, empty = (
        printed("agreement", ratings(rows.format(text, text), name), "--scale", "ordinal")[0]
        for text, name in (("NA", "spelled.csv"), ("", "empty.csv"))
    )
    assert spelled == empty


def test_an_answer_that_is_written_like_a_missing_value_can_be_kept(ratings: Any) -> None:
    path = ratings(RATED.replace(",1\n", ",NA\n"))
    found, said = printed("agreement", path, "--missing", "")
    assert "NA" in found[0]["fleiss_kappa_by_answer"]
    assert said == ""
    declared, said = printed("agreement", path, "--values", "NA,2,3")
    assert declared == found
    assert said == ""


def test_other_words_can_be_missing_values_instead(ratings: Any) -> None:
    found, said = printed("compare", ratings(file_of("compare", "cannot tell")), "--missing", "cannot tell")
    assert found["criteria"][0]["n_ratings"] == 72
    assert "1 of 73 values is missing and left out (cannot tell 1)" in said
