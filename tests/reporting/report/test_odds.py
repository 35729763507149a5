"""The odds ratios of a report are those of the command, in every file, with what they say and for whom."""

import csv
import io
import json
import re
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.template.loader import render_to_string
from django.test import Client
from django.urls import reverse
from django.utils.html import strip_tags

from annotation.models import Seat, Study
from annotation.services.agreement import sweep
from parley.numbers import ratio
from reporting.report.build import Report, build_report
from reporting.report.downloads import as_csv, as_json
from reporting.report.latex import latex_tables
from reporting.report.model_words import warnings_of
from reporting.report.odds_words import odds_sentences
from reporting.report.page import page_of as shown
from tests.clock import NOW
from tests.factories import MembershipFactory
from tests.reporting.test_commands_on_an_export import COMPARE, exported

pytestmark = pytest.mark.django_db
NUMBERS = ("odds_ratio", "low", "high", "p", "p_holm")


def commanded(study: Study, folder: Path) -> dict[tuple[str, str, str], dict[str, Any]]:
    out = io.StringIO()
    options = (*COMPARE, "--odds-ratios", "--json")
    call_command("compare", str(exported(study, folder)), *options, stdout=out, stderr=io.StringIO())
    found = {}
    for criterion in json.loads(out.getvalue())["criteria"]:
        for pair in criterion["odds_ratios"]["pairs"]:
            found[criterion["criterion"], pair["a"], pair["b"]] = pair
    return found


def test_the_report_has_the_odds_ratios_of_the_command(he_study: Study, he_report: Report, tmp_path: Path) -> None:
    theirs = commanded(he_study, tmp_path)
    assert len(he_report.odds_ratios) == len(theirs)
    for row in he_report.odds_ratios:
        if (pair := theirs.get((row.criterion, row.source_a, row.source_b))) is not None:
            wanted = [pair[name] for name in NUMBERS]
        else:  # the file has its sources in another order
            pair = theirs[row.criterion, row.source_b, row.source_a]
            wanted = [1 / pair["odds_ratio"], 1 / pair["high"], 1 / pair["low"], pair["p"], pair["p_holm"]]
        assert [getattr(row, name) for name in NUMBERS] == pytest.approx(wanted, rel=1e-3, abs=1e-9)


def page_of(study: Study) -> str:
    client = Client()
    client.force_login(MembershipFactory(study=study, role="lead").user)
    return client.get(reverse("report", args=[study.slug])).content.decode()


def test_the_page_has_them_below_the_differences_with_what_they_say(he_study: Study, he_report: Report) -> None:
    page = page_of(he_study)
    names = {each.key: each.name for each in he_report.sources}
    fold = page[page.index("<summary>Odds ratios</summary>") :]
    assert "the same annotator and dialogue" in fold
    assert "for new annotators and new dialogues" in fold
    cells = {(row, *cells) for row, cells in rows_of(page)}
    for row in he_report.odds_ratios:
        name = {each.key: each.name for each in he_report.criteria}[row.criterion]
        said = f"{ratio(row.odds_ratio)} {ratio(row.low)} to {ratio(row.high)}"
        assert any(each[:3] == (name, f"{names[row.source_a]} over {names[row.source_b]}", said) for each in cells)


def rows_of(page: str) -> list[tuple[str, list[str]]]:
    """The rows of the table: several have the same name."""
    table = page[page.index('aria-label="Table of odds ratios"') :].split("</table>", maxsplit=1)[0]
    texts = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in table.split("<tr>")[2:]]
    cells = [[" ".join(strip_tags(each).split()) for each in row] for row in texts]
    return [(row[0], row[1:]) for row in cells]


def test_every_file_has_them(he_report: Report) -> None:
    written = list(csv.DictReader(io.StringIO(as_csv(he_report, "odds_ratios").removeprefix("\ufeff"))))
    told = json.loads(as_json(he_report))["odds_ratios"]
    values = [row.odds_ratio for row in he_report.odds_ratios]
    assert [float(row["odds_ratio"]) for row in written] == [row["odds_ratio"] for row in told] == values
    printed = latex_tables(he_report)["odds-ratios"]
    assert "the same annotator and dialogue" in printed
    assert all(ratio(value) in printed for value in values)


def test_the_methods_have_their_model_and_the_pdf_has_the_table(he_study: Study, he_report: Report) -> None:
    assert "odds ratios were estimated by a logistic mixed model with the same random effects" in " ".join(
        he_report.methods
    )
    paper = render_to_string("reporting/report/print.html", {"study": he_study, "is_paper": True} | shown(he_report))
    assert "The odds ratios are on the report's page" in unescape(paper)
    he_report.odds_ratios = he_report.odds_ratios[:12]
    paper = render_to_string("reporting/report/print.html", {"study": he_study, "is_paper": True} | shown(he_report))
    assert rows_of(paper) == rows_of(page_of(he_study))[:12]


def test_a_study_with_fewer_than_15_annotators_is_told_its_number(he_report: Report) -> None:
    names = {each.key: each.name for each in he_report.criteria}
    few = [replace(row, n_annotators=12) for row in he_report.odds_ratios[:1]]
    said = f"with fewer than 15, rely on the differences. Annotators here: {names[few[0].criterion]} 12."
    assert said in odds_sentences(few, names, of_dialogues=True)
    many = [replace(few[0], n_annotators=15)]
    assert "Annotators here" not in odds_sentences(many, names, of_dialogues=True)


def test_a_large_study_is_told_to_use_the_command(he_study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reporting.report.odds.MOST_RATINGS", 100)
    monkeypatch.setattr("reporting.report.model_words.MOST_RATINGS", 100)
    report = build_report(he_study, now=NOW)
    assert {(row.odds_ratio, row.p, row.reason) for row in report.odds_ratios} == {(None, None, "too_many_ratings")}
    assert "– more than 5,000 answers: use the command compare" in rows_of(page_of(he_study))[0][1]
    assert any("run the command compare with --odds-ratios" in each for each in warnings_of(report.comparisons, {}))


def test_where_a_difference_has_no_interval_there_is_no_odds_ratio_either(he_study: Study) -> None:
    first = he_study.participants.filter(assignments__seat__isnull=False).order_by("pk").first()
    Seat.objects.filter(assignment__batch__study=he_study).exclude(assignment__participant=first).delete()
    sweep(now=NOW)
    report = build_report(he_study, now=NOW)
    assert {pair.limits.interval_note for row in report.comparisons for pair in row.pairs} == {"single_annotator"}
    assert {(row.odds_ratio, row.low, row.p, row.reason) for row in report.odds_ratios} == {
        (None, None, None, "withheld")
    }


def test_a_question_with_numbers_has_none(scale_study: Study) -> None:
    assert build_report(scale_study, now=NOW).odds_ratios == []
