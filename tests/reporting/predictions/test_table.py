"""The table of predictions against people, computed again the slow way from rows."""

import itertools
from collections import Counter
from statistics import mean

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn import metrics as oracle

from annotation.models import Candidate, Prediction
from protocols.specs import CriterionSpec, OptionSpec
from reporting.predictions.human import EXCLUDED, LABELLED, OUTCOMES, TIED, UNRATED, UNSURE, human_of
from reporting.predictions.selectors import metric_means, metrics_of
from reporting.predictions.table import Comparison
from reporting.study.rules import positive_rows
from tests.factories import DialogueFactory, StudyFactory, make_batch
from tests.factories_protocols import make_scale_version
from tests.reporting.predictions.conftest import votes_on


def majority(votes):
    ranked = Counter(votes).most_common()
    return None if len(ranked) > 1 and ranked[0][1] == ranked[1][1] else ranked[0][0]


def row_of(study, key, criterion="appropriateness", part=("all", None)):
    comparison = Comparison(study)
    metric = next(each for each in comparison.metrics if each.key == key)
    rows = comparison.rows(metric, comparison.spec.by_key[criterion])
    return next(row for row in rows if (row.part.kind, row.part.value) == part)


@pytest.mark.parametrize(
    ("part", "wanted"),
    [
        (("all", None), lambda c: True),
        (("source", "model_a"), lambda c: c.source.key == "model_a"),
        (("domain", "law"), lambda c: c.dialogue.metadata["domain"] == "law"),
    ],
)
def test_the_measures_of_labels_are_those_of_the_rows(judged, part, wanted):
    said = {
        p.candidate_id: p.option.key for p in Prediction.objects.filter(metric__key="judge").select_related("option")
    }
    humans, labels = [], []
    for candidate in Candidate.objects.select_related("source", "dialogue"):
        label = majority(votes_on(judged, "appropriateness")[candidate.pk])
        if wanted(candidate) and label not in (None, "unsure"):
            humans.append(label)
            labels.append(said[candidate.pk])
    found = row_of(judged, "judge", part=part).metric
    values = {name: found.estimates[name].value for name in ("accuracy", "kappa", "uar", "macro_f1")}
    assert found.n_labels == len(humans)
    assert values == pytest.approx(
        {
            "accuracy": oracle.accuracy_score(humans, labels),
            "kappa": oracle.cohen_kappa_score(humans, labels),
            "uar": oracle.recall_score(humans, labels, average="macro", labels=sorted(set(humans)), zero_division=0),
            "macro_f1": oracle.f1_score(humans, labels, average="macro", zero_division=0),
        }
    )
    assert found.table.sum() == len(humans)


def test_correlations_are_with_the_share_of_positive_answers(judged):
    shares, scores = [], []
    values = dict(Prediction.objects.filter(metric__key="bleu").values_list("candidate", "value"))
    for candidate, votes in votes_on(judged, "contextualization").items():
        shares.append(votes.count("contextualized") / len(votes))
        scores.append(values[candidate])
    found = row_of(judged, "bleu", "contextualization").metric
    assert found.estimates["spearman"].value == pytest.approx(stats.spearmanr(shares, scores).statistic)
    assert found.estimates["pearson"].value == pytest.approx(stats.pearsonr(shares, scores).statistic)
    assert found.estimates["accuracy"].reason == "not_labels"
    assert found.n_scores == 36
    assert found.estimates["pearson"].low < found.estimates["pearson"].value < found.estimates["pearson"].high


def test_a_metric_about_one_source_leaves_the_others_out(judged):
    row = row_of(judged, "nll")
    assert row.metric.n_scores == 12
    assert row.metric.left_out == {"no_prediction": 24}


def test_what_is_left_out_is_counted_by_reason(judged):
    votes = votes_on(judged, "appropriateness").values()
    found = row_of(judged, "judge").metric
    assert found.left_out.get("tied", 0) == sum(majority(each) is None for each in votes)
    assert found.left_out.get("unsure", 0) == sum(majority(each) == "unsure" for each in votes)
    assert found.n_labels + sum(found.left_out.values()) == 36


def test_means_per_source_have_none_where_nothing_was_said(judged):
    sources = {source.key: source.pk for source in judged.sources.all()}
    found = metric_means(judged)
    assert found.keys() == set(sources.values())
    assert found[sources["ground_truth"]]["nll"] is None
    values = Prediction.objects.filter(metric__key="nll").values_list("value", flat=True)
    assert found[sources["model_a"]]["nll"] == pytest.approx(mean(values))
    assert found[sources["model_a"]].keys() == {"bleu", "nll"}


def test_a_deleted_metric_is_in_no_table(judged):
    judged.metrics.filter(key="bleu").update(is_active=False)
    assert [metric.key for metric in metrics_of(judged)] == ["judge", "nll"]
    assert "bleu" not in next(iter(metric_means(judged).values()))


def test_the_same_study_gives_the_same_intervals(judged):
    assert row_of(judged, "judge").metric.estimates == row_of(judged, "judge").metric.estimates


def test_whole_dialogues_of_a_scale_are_compared_by_their_mean(db):
    study = StudyFactory(protocol_version=make_scale_version(1, unit="dialogue"))
    make_batch(study, 3, 0)
    other = DialogueFactory(study=study)
    metric = study.metrics.create(key="m", name="m", kind="score", created_at="2026-01-01T00:00Z")
    for place, dialogue in enumerate(study.dialogues.order_by("pk")):
        Prediction.objects.create(metric=metric, dialogue=dialogue, value=place)
    comparison = Comparison(study)
    row = comparison.rows(comparison.metrics[0], comparison.spec.criteria[0])[0]
    assert row.metric.left_out == {"unrated": 3}
    assert row.metric.estimates["spearman"].reason == "too_few_items"
    assert other.pk


RULES = st.sampled_from(["plurality", "absolute", "decided"])


# --- the human label ------------------------------------------------------------------------------
def criterion_with(*roles: str) -> CriterionSpec:
    options = tuple(
        OptionSpec(at + 1, f"o{at}", str(at + 1), f"O{at}", "", role, None, "nothing", ())
        for at, role in enumerate(roles)
    )
    return CriterionSpec(1, "c", "C", "?", "", "nominal", options)


HE = criterion_with("positive", "negative", "unsure")
DIQAD = criterion_with("positive", "neutral", "negative", "excluding", "excluding")


@pytest.mark.parametrize(
    ("votes", "rule", "outcome", "code"),
    [
        ((2, 1, 0), "plurality", LABELLED, 0),
        ((1, 1, 1), "plurality", TIED, -1),
        ((1, 0, 2), "plurality", UNSURE, -1),
        ((2, 1, 2), "plurality", TIED, -1),
        ((0, 0, 0), "plurality", UNRATED, -1),
        ((3, 2, 2), "plurality", LABELLED, 0),
        ((3, 2, 2), "absolute", TIED, -1),
        ((4, 2, 1), "absolute", LABELLED, 0),
        ((2, 1, 4), "decided", LABELLED, 0),
        ((1, 1, 4), "decided", TIED, -1),
        ((0, 0, 3), "decided", UNSURE, -1),
    ],
)
def test_the_label_follows_the_rule_of_the_study(votes, rule, outcome, code):
    found = human_of(np.array([votes]), HE, rule)
    assert (OUTCOMES[found.outcome[0]], found.code[0]) == (OUTCOMES[outcome], code)


@pytest.mark.parametrize(
    ("votes", "outcome", "code"),
    [((2, 0, 0, 1, 1), EXCLUDED, -1), ((3, 0, 0, 1, 1), LABELLED, 0), ((0, 0, 0, 0, 1), EXCLUDED, -1)],
)
def test_answers_that_exclude_an_item_count_together(votes, outcome, code):
    found = human_of(np.array([votes]), DIQAD, "plurality")
    assert (found.outcome[0], found.code[0]) == (outcome, code)
    assert np.isnan(found.score[0]) == (outcome == EXCLUDED)


@given(
    st.lists(st.tuples(*[st.integers(0, 4)] * 3), min_size=1, max_size=20),
    RULES,
)
@settings(max_examples=200, deadline=None)
def test_the_label_is_positive_exactly_where_the_report_says_so(rows, rule):
    tallies = np.array(rows)
    assert ((human_of(tallies, HE, rule).code == 0) == positive_rows(tallies, HE, rule)).all()


@given(
    st.lists(st.tuples(*[st.integers(0, 3)] * 5), min_size=1, max_size=10),
    RULES,
)
@settings(max_examples=200, deadline=None)
def test_every_item_has_a_label_or_one_reason(rows, rule):
    found = human_of(np.array(rows), DIQAD, rule)
    assert ((found.code >= 0) == (found.outcome == LABELLED)).all()
    for row, code in itertools.islice(zip(rows, found.code, strict=True), 10):
        assert code < 0 or row[code] == max(row[:3])
