"""Metrics and models against the final labels, in the report of the study."""

import csv
import io
import re

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Study
from reporting.predictions.table import Comparison
from reporting.report.build import build_report
from tests.factories import MembershipFactory

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
    assert "Metrics and models against final labels" not in client.get(reverse("report", args=[rated.slug])).text
