"""Metrics and models against the final labels, in the report of the study."""

import csv
import io
import re

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Study
from reporting.predictions.beside import beside_people, ceiling_of
from reporting.predictions.table import Comparison
from reporting.report.build import build_report
from reporting.report.latex import latex_tables
from reporting.report.paper import paper_files
from reporting.tables.cells import written
from reporting.tables.columns import Format
from tests.factories import MembershipFactory
from tests.reporting.predictions.conftest import people_and_judge
from tests.reporting.report.test_paper_pdf import pages_of

pytestmark = pytest.mark.django_db
MEASURES = ("accuracy", "spearman", "pearson")


def test_the_report_has_the_numbers_of_the_page_of_predictions(judged: Study):
    rows = build_report(judged, now=timezone.now()).predictions
    comparison = Comparison(judged)
    assert [(row.metric, row.criterion) for row in rows] == [(m.key, c.key) for m, c in comparison.pairs]
    for row, (metric, criterion) in zip(rows, comparison.pairs, strict=True):
        found = comparison.whole(metric, criterion)
        assert (row.items, row.left_out) == (found.n_used, sum(found.left_out.values()))
        for name in MEASURES:
            each, got = found.estimates[name], getattr(row, name)
            assert (got.value, got.low, got.high) == (each.value, each.low, each.high)


def test_scores_have_correlations_and_say_why_they_have_no_accuracy(judged: Study):
    rows = {row.metric: row for row in build_report(judged, now=timezone.now()).predictions}
    assert (rows["bleu"].accuracy.value, rows["bleu"].accuracy.reason) == (None, "not_labels")
    assert rows["bleu"].spearman.value is not None
    assert rows["judge"].accuracy.value is not None


def test_page_and_csv_of_the_report_have_them(judged: Study, client: Client):
    client.force_login(MembershipFactory(study=judged, role="lead").user)
    page = client.get(reverse("report", args=[judged.slug])).text
    table = page[page.index("Metrics and models against final labels") :]
    assert re.findall(r'<th scope="row">(\w+)</th>', table)[:3] == ["judge", "bleu", "bleu"]
    assert f'href="{reverse("predictions", args=[judged.slug])}"' in table
    body = client.get(reverse("report_table", args=[judged.slug, "predictions", "csv"])).content.decode("utf-8-sig")
    assert [row["metric"] for row in csv.DictReader(io.StringIO(body))] == ["judge", "bleu", "bleu", "nll", "nll"]


def test_a_report_without_metrics_has_no_such_table(rated: Study, client: Client):
    client.force_login(MembershipFactory(study=rated, role="lead").user)
    assert build_report(rated, now=timezone.now()).predictions == []
    page = client.get(reverse("report", args=[rated.slug])).text
    assert "Metrics and models against final labels" not in page
    assert "Judges beside people" not in page


def test_a_judge_stands_beside_people_on_the_page_in_the_pdf_and_in_the_paper(client: Client):
    study = people_and_judge()
    report = build_report(study, now=timezone.now())
    comparison = Comparison(study)
    [(metric, criterion)] = comparison.pairs
    beside = beside_people(comparison, metric, criterion)
    ceiling = ceiling_of(beside.judging)[0]
    numbers = [beside.replacing.test.advantage.value, ceiling.people.value, ceiling.judge.value]
    numbers += [each.powered.estimate.value for each in beside.scores]
    printed = latex_tables(report)
    client.force_login(MembershipFactory(study=study, role="lead").user)
    page = client.get(reverse("report", args=[study.slug])).text
    pdf = "\n".join(pages_of(study))
    for text in (
        printed["judges"] + printed["judge-scores"],
        page[page.index("Judges beside people") :],
        pdf[pdf.index("Judges beside people") :],
    ):
        assert [number for number in numbers if written(number, Format.FIGURE) not in text] == []
    paper = dict(paper_files(report, {}))
    appendix = paper["paper.tex"].decode().split("appendix")[1]
    assert r"\input{tables/judges}" in appendix
    assert "part 2 of" not in printed["judge-scores"]
    assert "Calderon" in paper["references.bib"].decode()


def test_a_score_in_another_unit_is_no_judge(judged: Study):
    assert {row.of.judge for row in build_report(judged, now=timezone.now()).judges.tests} == {"judge"}
