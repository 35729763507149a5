"""The commands on files find the figures of the report in an export, by the options that the documentation names."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Study
from reporting.report.build import Report, build_report
from tests.reporting.conftest import NOW

pytestmark = pytest.mark.django_db
COMPARE = (
    "--item", "dialogue", "--conversation", "conversation", "--source", "source", "--annotator", "annotator",
    "--criterion", "criterion", "--value", "value", "--role", "role", "--where", "is_counted=true",
)  # fmt: skip


def exported(study: Study, folder: Path) -> Path:
    path = folder / "ratings.csv"
    call_command("export_study", study.slug, format="long-csv", output=path, stdout=io.StringIO())
    return path


def compared(path: Path, *options: str) -> dict[str, dict[str, Any]]:
    out = io.StringIO()
    call_command("compare", str(path), *options, "--json", stdout=out, stderr=io.StringIO())
    return {each["criterion"]: each for each in json.loads(out.getvalue())["criteria"]}


def main_table(report: Report) -> dict[str, list[tuple[str, Any, Any, Any, int]]]:
    return {
        each.criterion: sorted(
            (str(mean.source), mean.mean, mean.limits.low, mean.limits.high, mean.limits.n_ratings)
            for mean in each.means
        )
        for each in report.comparisons
        if each.means
    }


def is_that_of(found: dict[str, dict[str, Any]], report: Report) -> bool:
    wanted = main_table(report)
    assert wanted
    for criterion, rows in wanted.items():
        means = sorted(tuple(each[name] for name in ("source", "mean", "low", "high", "n"))
                       for each in found[criterion]["means"])  # fmt: skip
        assert [row[0] for row in means] == [row[0] for row in rows]
        assert [row[-1] for row in means] == [row[-1] for row in rows]
        for ours, theirs in zip(means, rows, strict=True):
            assert ours[1:4] == pytest.approx(theirs[1:4], abs=1e-6)
    return True


def test_compare_prints_the_main_table_of_shares(he_study: Study, he_report: Report, tmp_path: Path) -> None:
    assert is_that_of(compared(exported(he_study, tmp_path), *COMPARE), he_report)


def test_compare_prints_the_main_table_of_numbers(scale_study: Study, tmp_path: Path) -> None:
    found = compared(exported(scale_study, tmp_path), *COMPARE, "--ends", "1,5")
    assert is_that_of(found, build_report(scale_study, now=NOW))


def test_the_labels_of_positive_answers_give_the_same(he_study: Study, tmp_path: Path) -> None:
    path = exported(he_study, tmp_path)
    criterion = "appropriateness"
    by_label = ["label" if each == "value" else each for each in COMPARE if each not in ("--role", "role")]
    found = compared(path, *by_label, "--positive", "Appropriate", "--where", f"criterion={criterion}")
    assert found[criterion]["means"] == compared(path, *COMPARE)[criterion]["means"]


def test_an_export_without_roles_is_refused_with_the_option(he_study: Study, tmp_path: Path) -> None:
    path = exported(he_study, tmp_path)
    err = io.StringIO()
    call_command("compare", str(path), *[each for each in COMPARE if each not in ("--role", "role")],
                 stdout=io.StringIO(), stderr=err)  # fmt: skip
    assert "no answer has a number: add --role role for an export of Parley" in err.getvalue()
    by_label = ["label" if each == "value" else each for each in COMPARE if each not in ("--role", "role")]
    with pytest.raises(CommandError, match="add --role role"):
        call_command("compare", str(path), *by_label, "--scale", "interval", stdout=io.StringIO())
