"""How predictions are distributed beside the answers of people: page, CSV and JSON."""

import csv
import html
import io
import json
from collections import Counter

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Study
from protocols.specs import spec_of
from reporting.predictions.distribution import distribution_of
from reporting.predictions.table import Comparison
from tests.factories import MembershipFactory
from tests.reporting.predictions.conftest import votes_on

pytestmark = pytest.mark.django_db


def shares_of(study: Study, key: str) -> tuple[Comparison, list]:
    comparison = Comparison(study)
    metric = next(each for each in comparison.metrics if each.key == key)
    criterion = spec_of(study.protocol_version).by_key["appropriateness"]
    return comparison, distribution_of(comparison, metric, criterion)


def test_labels_are_counted_beside_the_majorities_of_people(judged: Study):
    comparison, shares = shares_of(judged, "judge")
    said = [Counter(votes).most_common(2) for votes in votes_on(judged, "appropriateness").values()]
    clear = [best[0][0] for best in said if len(best) == 1 or best[0][1] > best[1][1]]
    people = {each.name: each.n for each in shares if each.side == "people"}
    label_of = {option.key: option.label for option in comparison.spec.by_key["appropriateness"].options}
    assert people[label_of["appropriate"]] == clear.count("appropriate")
    assert people[label_of["not-appropriate"]] == clear.count("not-appropriate")
    metric = [each for each in shares if each.side == "metric"]
    assert sum(each.n for each in metric) == metric[0].total == sum(people.values())


def test_scores_are_counted_one_by_one_or_in_ten_bins(judged: Study):
    _comparison, shares = shares_of(judged, "bleu")
    metric = [each for each in shares if each.side == "metric"]
    assert len(metric) == 10  # eleven different scores
    assert sum(each.n for each in metric) == 36
    assert (metric[0].low, metric[-1].high) == (0.0, 1.0)
    people = [each for each in shares if each.side == "people"]
    assert [each.name for each in people] == ["0.00", "0.33", "0.67", "1.00"]
    assert sum(each.share for each in people) == pytest.approx(1)


@pytest.mark.parametrize("kind", ["svg", "png"])
def test_the_picture_is_a_file_too(judged: Study, client: Client, kind: str):
    client.force_login(MembershipFactory(study=judged, role="observer").user)
    metric = judged.metrics.get(key="bleu")
    page = client.get(reverse("predictions_metric", args=[judged.slug, metric.token, "appropriateness"])).text
    address = reverse(f"report_figure_{kind}", args=[judged.slug, "predicted"])
    query = f"?metric={metric.token}&criterion=appropriateness"
    assert html.escape(address + query) in page
    picture = client.get(address + query)
    assert picture["Content-Type"].startswith("image/")
    assert kind == "png" or "Predictions and human answers" in picture.text
    assert client.get(address)["Location"] == reverse("predictions", args=[judged.slug])


def test_page_and_downloads_have_them(judged: Study, client: Client):
    client.force_login(MembershipFactory(study=judged, role="lead").user)
    metric = judged.metrics.get(key="bleu")
    page = client.get(reverse("predictions_metric", args=[judged.slug, metric.token, "appropriateness"])).text
    assert "Predictions and human answers" in page
    assert "0.90 – 1.00" in page
    body = client.get(reverse("predictions_distributions", args=[judged.slug])).content.decode("utf-8-sig")
    rows = [row for row in csv.DictReader(io.StringIO(body)) if row["metric"] == "bleu"]
    assert sum(int(row["n"]) for row in rows if row["side"] == "metric") == 36 * 2  # about two criteria
    document = json.loads(client.get(reverse("predictions_json", args=[judged.slug])).content)
    assert document["metrics"][0]["distribution"][0].keys() == {"side", "name", "low", "high", "n", "percent"}
