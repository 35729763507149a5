"""What is rated in a pilot is in no result: not on the board, in the report, in files, beside predictions."""

import csv
import io
import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Prediction, Study
from annotation.services.agreement import sweep
from annotation.services.claiming import claim_seat, submit_assignment
from reporting.board.rows import board_data
from reporting.predictions.downloads import as_json
from reporting.predictions.table import Comparison
from reporting.report.build import build_report
from reporting.report.downloads import as_json as as_report_json
from tests.cast import Cast, make_cast
from tests.factories import MetricFactory, make_annotator, make_batch
from tests.working import rate_everything

pytestmark = pytest.mark.django_db
NOW = timezone.now()


@pytest.fixture
def cast() -> Cast:
    """The main batch is rated by three; a metric says something of every candidate."""
    cast = make_cast()
    for number, annotator in enumerate(cast.annotators):
        work = claim_seat(annotator, cast.batch, now=NOW)
        rate_everything(work, now=NOW, option=number % 2)
        submit_assignment(work, feedback="", now=NOW)
    predict(cast)
    sweep(now=NOW)
    return cast


def predict(cast: Cast) -> None:
    metric = cast.study.metrics.first() or MetricFactory(study=cast.study, key="bleu")
    for item in cast.study.batches.order_by("-position").first().items.order_by("pk"):
        Prediction.objects.create(metric=metric, candidate=item.candidate, value=item.position / 2)


def rate_pilot(cast: Cast) -> None:
    """Two of the panel give the opposite answers, slowly, and comment on it."""
    batch = make_batch(cast.study, n_dialogues=4, position=9, kind="pilot", key="pilot-1")
    for name, panel in (("exp", "expert"), ("non", "non_expert")):
        member = make_annotator(cast.study, name, panel=panel, status="pending", pseudonym=f"PANEL-{name}")
        work = claim_seat(member, batch, now=NOW)
        rate_everything(work, now=NOW, option=1)
        work.ratings.update(active_ms=900_000)
        submit_assignment(work, feedback="PANEL comment", now=NOW)
    predict(cast)
    sweep(now=NOW)


# How the dialogues were picked, out of all there are; and what was left out of the results.
OF_ALL_MATERIAL = ("3.1.2", "3.2.4", "3.3.3.2")


def read_report(study: Study) -> dict[str, Any]:
    """All of it but what says which batches are left out."""
    built = as_report_json(build_report(Study.objects.get(pk=study.pk), now=NOW))
    report = json.loads(built, parse_float=lambda digits: round(float(digits), 9))
    assert [row["kind"] for row in report.pop("excluded_batches")] in ([], ["pilot"])
    report["datasheet"] = [row for row in report["datasheet"] if row["number"] not in OF_ALL_MATERIAL]
    return report


def test_the_report_is_the_same_before_and_after_a_pilot(cast: Cast):
    before = read_report(cast.study)
    rate_pilot(cast)
    after = read_report(cast.study)
    changed = {name for name in before if before[name] != after[name]}
    assert changed == set()
    assert "PANEL" not in json.dumps(after)


def test_the_board_of_the_whole_study_is_the_same(cast: Cast):
    def figures() -> Any:
        data = board_data(Study.objects.select_related("protocol_version").get(pk=cast.study.pk), {})
        return data.progress, data.total.n_ratings, {key: cell.histogram for key, cell in data.cells[None].items()}

    before = figures()
    rate_pilot(cast)
    assert figures() == before


def test_predictions_are_compared_with_main_answers_alone(cast: Cast):
    def compared() -> dict[str, Any]:
        document = as_json(Comparison(Study.objects.get(pk=cast.study.pk)))
        # Rows come in no fixed order, so sums may differ in the last digit.
        return json.loads(document, parse_float=lambda digits: round(float(digits), 9))

    before = compared()
    rate_pilot(cast)
    assert compared() == before


def test_an_export_as_the_page_offers_it_has_main_answers_alone(cast: Cast, client: Client):
    rate_pilot(cast)
    client.force_login(cast.researcher)
    form = client.get(reverse("exports", args=["wellbeing"])).context["form"]
    offered = {name: form.get_initial_for_field(field, name) or "" for name, field in form.fields.items()}

    answer = client.post(reverse("exports", args=["wellbeing"]), offered)

    text = b"".join(answer.streaming_content).decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert {row["batch_kind"] for row in rows} == {"main"}
    assert len(rows) == 72
    assert "PANEL" not in text
