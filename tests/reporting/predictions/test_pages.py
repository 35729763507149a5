"""The pages and files of predictions: what they show, to whom, and in how many queries."""

import csv
import io
import json

import pytest
from django.urls import reverse

from annotation.models import Metric, Prediction
from tests.factories import JudgeRunFactory, MembershipFactory, MetricFactory
from tests.reporting.predictions.conftest import make_metric, people_and_judge

pytestmark = pytest.mark.django_db


@pytest.fixture
def watcher(client, rated):
    client.force_login(MembershipFactory(study=rated, role="observer").user)
    return client


@pytest.fixture
def maker(client, rated):
    client.force_login(MembershipFactory(study=rated, role="researcher").user)
    return client


def test_without_metrics_the_page_says_how_to_bring_some(watcher):
    page = watcher.get(reverse("predictions", args=["rated"])).content.decode()
    assert "There are no predictions yet" in page
    assert "Import predictions" not in page


def test_the_page_has_each_metric_beside_the_ceiling(watcher, judged):
    page = watcher.get(reverse("predictions", args=["rated"])).content.decode()
    assert page.count("Human ceiling") == 2  # a column in each of two tables
    assert "Against one other answer" in page
    assert "scores are not labels" in page
    assert "lower is better" in page
    assert "left out: " in page
    assert "Delete" not in page


def test_a_metric_has_its_parts_and_its_confusion_matrix(watcher, judged):
    metric = judged.metrics.get(key="judge")
    page = watcher.get(reverse("predictions_metric", args=["rated", metric.token, "appropriateness"])).content.decode()
    for part in ("All items", "Ground truth", "Model B", "domain: car", "Confusion matrix"):
        assert part in page


def test_a_metric_of_another_study_or_criterion_is_not_found(watcher, judged):
    other, own = MetricFactory(), judged.metrics.get(key="judge")
    for token, criterion in ((other.token, "appropriateness"), (own.token, "contextualization"), (own.token, "x")):
        assert watcher.get(reverse("predictions_metric", args=["rated", token, criterion])).status_code == 404


@pytest.mark.parametrize(("role", "sees"), [("observer", True), ("trainer", True), ("controller", False)])
def test_items_with_answers_are_for_those_who_may_read_single_answers(client, role: str, sees: bool):
    study = people_and_judge()
    client.force_login(MembershipFactory(study=study, role=role).user)
    page = client.get(reverse("predictions_metric", args=["beside", study.metrics.get().token, "appropriateness"])).text
    assert ("Where it differs most from people" in page) is sees
    assert ("I see, and what do you do when it comes back?" in page) is sees
    assert "May it replace people?" in page


def test_an_annotator_does_not_get_the_page(client):
    study = people_and_judge()
    client.force_login(MembershipFactory(study=study, role="annotator").user)
    address = reverse("predictions_metric", args=["beside", study.metrics.get().token, "appropriateness"])
    assert client.get(address).status_code == 403


def test_the_csv_is_tidy_and_runs_no_formula(watcher, judged):
    make_metric(judged, "=cmd()", lambda c: 1.0)
    text = watcher.get(reverse("predictions_csv", args=["rated"])).content.decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert {row["metric"] for row in rows} == {"judge", "bleu", "nll", "'=cmd()"}
    one = [
        row for row in rows
        if (row["metric"], row["part"], row["value"], row["against"]) == ("judge", "source", "model_a", "final_labels")
    ]  # fmt: skip
    assert [row["measure"] for row in one] == [
        "accuracy", "uar", "kappa", "macro_precision", "macro_f1", "weighted_f1", "spearman", "pearson",
    ]  # fmt: skip
    assert all(float(row["low"]) <= float(row["estimate"]) <= float(row["high"]) for row in one if row["low"])


def test_the_json_has_everything_and_no_nan(watcher, judged):
    document = json.loads(watcher.get(reverse("predictions_json", args=["rated"])).content)
    assert document["seed"] == judged.seed
    judge = next(each for each in document["metrics"] if each["metric"] == "judge")
    whole = judge["rows"][0]
    assert sum(map(sum, whole["metric"]["confusion"])) == whole["metric"]["n_labels"]
    kappa = next(each for each in judge["ceiling"] if (each["against"], each["measure"]) == ("one_other", "kappa"))
    assert kappa["people"]["low"] is not None
    assert (kappa["part"], kappa["n_items"], kappa["n_ratings"]) == ("all", 36, 108)
    assert {"majority", "label", "ceiling"} <= document["rules"].keys()


def test_the_files_say_whether_it_may_replace_people_and_what_the_corrected_scores_are(watcher, judged):
    text = watcher.get(reverse("predictions_people", args=["rated"])).content.decode("utf-8-sig")
    rows = [row for row in csv.DictReader(io.StringIO(text)) if row["metric"] == "judge"]
    found = {(row["question"], row["about"], row["measure"]): row for row in rows}
    assert found["replace", "all", "answer"]["text"] == "no"
    assert float(found["replace", "all", "epsilon"]["estimate"]) == 0.15
    assert {about for question, about, _ in found if question == "scores"} == {
        "all", "ground_truth", "model_a", "model_b",
    }  # fmt: skip
    assert found["next", "all", "further_items"]["note"] == "too_few_judged_items"
    document = json.loads(watcher.get(reverse("predictions_json", args=["rated"])).content)
    judge = next(each for each in document["metrics"] if each["metric"] == "judge")
    assert len(judge["beside_people"]) == len(rows)
    together = next(each for each in judge["beside_people"] if each["measure"] == "together")
    assert together["estimate"] == float(found["scores", "all", "together"]["estimate"])


def test_the_number_of_queries_does_not_grow_with_the_predictions(watcher, judged, django_assert_max_num_queries):
    with django_assert_max_num_queries(40):
        watcher.get(reverse("predictions", args=["rated"]))


def test_a_deleted_metric_is_gone_and_its_rows_are_not(maker, judged):
    metric = judged.metrics.get(key="judge")
    page = maker.post(reverse("metric_delete", args=["rated", metric.token]), follow=True).content.decode()
    assert "judge no longer appears in any table." in page
    assert not Metric.objects.get(pk=metric.pk).is_active
    assert Prediction.objects.filter(metric=metric).count() == 36
    assert maker.post(reverse("metric_delete", args=["rated", metric.token])).status_code == 404


def test_the_origin_leads_to_the_judge_only_for_those_who_may_see_it(client, judged):
    run = JudgeRunFactory(study=judged)
    MetricFactory(study=judged, origin="judge", run=run)
    address = reverse("judge_run", args=["rated", run.token])
    for role, sees in (("observer", False), ("researcher", True)):
        client.force_login(MembershipFactory(study=judged, role=role).user)
        assert (address in client.get(reverse("predictions", args=["rated"])).content.decode()) is sees
