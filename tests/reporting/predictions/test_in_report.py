"""Metrics and models against the final labels, in the report of the study."""

import csv
import io
import re

import numpy as np
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
BELOW = re.compile(r"\}?\\\\\[0pt\]\{\\scriptsize ")
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
    assert "Calderon" in paper["references.bib"].decode()


def test_a_score_in_another_unit_is_no_judge(judged: Study):
    assert {row.of.judge for row in build_report(judged, now=timezone.now()).judges.tests} == {"judge"}


def test_a_yes_has_its_epsilon_and_a_warning_of_shifted_scores_everywhere(client: Client):
    drawn = np.random.default_rng(5)
    study = people_and_judge(judge=lambda truth: truth * int(drawn.random() < 0.6), n_dialogues=60, errs=0.25)
    report = build_report(study, now=timezone.now())
    (test,) = report.judges.tests
    assert test.verdict == "yes"
    client.force_login(MembershipFactory(study=study, role="lead").user)
    page = client.get(reverse("report", args=[study.slug])).text
    printed = latex_tables(report)["judges"]
    for text in (page, printed, "\n".join(pages_of(study))):
        assert "epsilon 0.15" in text
        assert "Its own scores are shifted: use the corrected scores." in " ".join(BELOW.sub(" ", text).split())
    assert test.epsilon == 0.15


def test_methods_and_results_name_the_judges():
    report = build_report(people_and_judge(), now=timezone.now())
    assert "Beside people, these judges answered: judge." in " ".join(report.methods)
    assert "epsilon 0.15" in " ".join(report.methods)
    assert re.search(r"On \w+, judge may replace people \(winning rate [\d.]+\)\.", " ".join(report.results))


def test_every_part_of_a_wide_table_names_its_rows(monkeypatch: pytest.MonkeyPatch):
    report = build_report(people_and_judge(), now=timezone.now())
    monkeypatch.setattr("reporting.report.latex_table.MOST_COLUMNS", 5)
    parts = latex_tables(report)["judge-scores"].split("\n\n")
    assert len(parts) > 1
    for part in parts:
        head = part.split(r"\toprule")[1].split(r"\midrule")[0]
        assert [name for name in ("Judge", "Criterion", "Source") if name not in head] == []
    assert "next" in parts[-1]


def test_a_judge_of_several_criteria_is_named_without_the_criterion():
    study = people_and_judge()
    key = study.protocol_version.criteria.get().key
    study.metrics.update(name=f"Small:{key}")
    assert {row.of.name for row in build_report(study, now=timezone.now()).judges.tests} == {"Small"}


def test_the_notes_of_the_tables_say_why_numbers_are_missing():
    report = build_report(people_and_judge(n_unrated=0), now=timezone.now())
    captions = latex_tables(report)
    assert (
        "Items next: More ratings of the items that it answered cannot halve the interval." in captions["judge-scores"]
    )


def test_the_notes_say_why_it_is_not_known_whether_a_judge_may_replace_people():
    report = build_report(people_and_judge(n_annotators=2), now=timezone.now())
    assert "judge: No item has both its answer and the answers of three annotators." in latex_tables(report)["judges"]
