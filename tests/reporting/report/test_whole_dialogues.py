"""Systems are compared on whole dialogues: within scenarios if they share them, otherwise as independent."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Dialogue, Prediction, Study
from measures.mixed.design import Ratings
from measures.mixed.sources import SourceComparison, compare_sources
from reporting.report.build import build_report
from reporting.report.methods import methods
from tests.annotation.importing.conftest import NOW, load, load_ratings
from tests.factories import MembershipFactory, MetricFactory, StudyFactory
from tests.factories_protocols import make_scale_version

SYSTEMS = ("m1", "m2", "m3")
SCORES = np.random.default_rng(4).integers(1, 6, (8, 3, 3))  # scenarios, annotators, systems


@pytest.fixture(scope="module")
def make_study(shared, tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Study]:
    return shared(lambda: rated_study(tmp_path_factory.mktemp("whole")))


def rated_study(folder: Path) -> Study:
    study = StudyFactory(slug="whole", protocol_version=make_scale_version(1, unit="dialogue"))
    said = [{"role": "user", "content": "Any tea?"}, {"role": "assistant", "content": "Yes."}]
    keys = [(f"{system}-{at}", system, at) for at in range(len(SCORES)) for system in SYSTEMS]
    lines = [{"dialogue_id": key, "model": system, "scenario": f"s{at}", "messages": said} for key, system, at in keys]
    dialogues, ratings = folder / "d.jsonl", folder / "r.csv"
    dialogues.write_text("\n".join(map(json.dumps, lines)))
    load(study, dialogues)
    rows = [
        f"{key},ann{who},{SCORES[at, who, SYSTEMS.index(system)]}"
        for key, system, at in keys
        for who in range(SCORES.shape[1])
    ]
    ratings.write_text("\n".join(["dialogue,annotator,value", *rows]))
    load_ratings(study, ratings)
    return study


@pytest.fixture
def study(make_study: Callable[[], Study], db: None) -> Study:
    return make_study()


def model_of(conversation: np.ndarray) -> SourceComparison:
    """The model of the same scores; each dialogue is one item."""
    scenario, annotator, system = np.indices(SCORES.shape).reshape(3, -1)
    ratings = Ratings(system, annotator, conversation, system * len(SCORES) + scenario, SCORES.ravel().astype(float))
    return compare_sources(ratings, len(SYSTEMS), bounds=(1.0, 5.0))


def test_sources_are_compared_within_scenarios(study: Study):
    found = build_report(study, now=NOW).comparisons[0]
    assert (found.sources, found.reason, found.n_conversations) == (list(SYSTEMS), None, len(SCORES))
    wanted = model_of(np.indices(SCORES.shape)[0].ravel())
    assert [pair.difference for pair in found.pairs] == pytest.approx([d.estimate.value for d in wanted.differences])
    assert [pair.p_holm for pair in found.pairs] == pytest.approx([d.adjusted_p for d in wanted.differences], rel=1e-6)
    assert [mean.limits.low for mean in found.means] == pytest.approx([m.estimate.low for m in wanted.means], rel=1e-6)


def test_tables_have_a_row_for_each_source_and_the_methods_name_the_scenarios(study: Study):
    report = build_report(study, now=NOW)
    assert [(each.source, each.items) for each in report.material.by_source] == [(each, 8) for each in SYSTEMS]
    means = {row.source: row.moments.mean for row in report.distributions}
    assert means == {each: pytest.approx(SCORES[:, :, at].mean()) for at, each in enumerate(SYSTEMS)}
    said = "intervals and tests take each of the 8 scenarios as one unit"
    assert said in " ".join(methods(report))
    assert {row.interval_method for row in report.agreement_overall} == {"bca_scenarios"}


def test_the_page_shows_the_pairs(study: Study, client: Client):
    client.force_login(MembershipFactory(study=study, role="owner").user)
    page = client.get(reverse("report", args=[study.slug])).text
    pairs = re.findall(r"<th scope=\"row\">(m\d minus m\d)</th>", page)
    assert pairs == ["m1 minus m2", "m1 minus m3", "m2 minus m3"]


def test_scores_of_metrics_stand_beside_the_sources(study: Study):
    metric = MetricFactory(study=study, key="length")
    rows = [Prediction(metric=metric, dialogue=each, value=each.position) for each in study.dialogues.all()]
    Prediction.objects.bulk_create(rows)
    found = {each.source: each.mean for each in build_report(study, now=NOW).metrics}
    assert found == {each: pytest.approx(np.mean(range(at, 24, 3))) for at, each in enumerate(SYSTEMS)}


def test_without_scenarios_the_dialogues_are_compared_as_independent(study: Study):
    Dialogue.objects.update(scenario="")
    found = build_report(study, now=NOW).comparisons[0]
    assert (found.reason, found.n_ratings, found.n_conversations) == (None, SCORES.size, 24)
    scenario, _annotator, system = np.indices(SCORES.shape).reshape(3, -1)
    wanted = model_of(system * len(SCORES) + scenario)
    assert [pair.p for pair in found.pairs] == pytest.approx([d.p_value for d in wanted.differences], rel=1e-6)
    assert {effect.effect for effect in found.effects} >= {"annotator", "conversation", "residual"}
    assert "conversation_source" in {effect.effect for effect in found.left_out}
