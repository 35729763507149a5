"""Pairs of whole dialogues in reports and exports: the scenario is one unit, and both dialogues of a pair are there."""

import csv
import io
import json

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Item, Study
from protocols.specs import spec_of
from reporting.exports.formats import write_export
from reporting.report.build import build_report
from reporting.report.methods import methods
from reporting.study.votes import study_votes
from tests.comparing import deal, make_compared_dialogues, make_scenarios
from tests.factories import MembershipFactory

pytestmark = pytest.mark.django_db
NOW = timezone.now()


@pytest.fixture(scope="module")
def make_study(shared):
    return shared(make_compared_dialogues)


@pytest.fixture
def study(make_study, db) -> Study:
    return make_study()


def exported(study, format):
    file = io.BytesIO()
    write_export(study, format, {}, file)
    return file.getvalue().decode("utf-8-sig")


def test_pairs_of_one_scenario_are_one_unit_of_intervals(study: Study):
    votes = study_votes(study, spec_of(study.protocol_version))
    scenarios = dict(Item.objects.values_list("pk", "dialogue__scenario"))
    of_group = {}
    for item, group in zip(votes.items.id.tolist(), votes.items.groups.tolist(), strict=True):
        of_group.setdefault(group, set()).add(scenarios[item])
    assert sorted(of_group.values(), key=min) == [{"s0"}, {"s1"}, {"s2"}]
    assert np.unique(votes.items.groups).size == 3


def test_both_dialogues_of_a_pair_count_as_material_and_the_methods_name_the_scenarios(study: Study):
    report = build_report(study, now=NOW)
    material = report.material
    assert (material.items, material.dialogues, material.conversations, material.scenarios) == (8, 9, 9, 3)
    said = " ".join(methods(report))
    assert "9 dialogues" in said
    assert "each of the 3 scenarios as one unit" in said


def test_two_sources_are_matched_by_their_scenarios_too():
    study = make_scenarios(2, 2)
    deal(study)
    items = study_votes(study, spec_of(study.protocol_version)).items
    assert len(set(items.conversation) | set(items.other_conversation)) == 4
    assert len(set(items.scenario)) == 2


def test_the_datasheet_says_what_is_compared(study: Study):
    texts = [row.answer or "" for row in build_report(study, now=NOW).datasheet]
    assert sum("Two whole dialogues of one scenario are compared" in text for text in texts) == 1
    assert not any("Two responses to the same dialogue" in text for text in texts)


def test_the_long_and_the_wide_table_name_both_dialogues_and_the_scenario(study: Study):
    for format, n_rows in (("long-csv", 36), ("wide-csv", 8)):
        rows = list(csv.DictReader(io.StringIO(exported(study, format))))
        assert len(rows) == n_rows
        for row in rows:
            first, second, *_again = json.loads(row["item"])
            assert first == row["dialogue"]
            assert first[:2] == second[:2] == "w" + row["scenario"][1:]
    preferred = {
        (row["first_source"], row["preferred"]) for row in csv.DictReader(io.StringIO(exported(study, "long-csv")))
    }
    assert ("model-a", "model-a") in preferred


def test_label_studio_and_the_data_set_have_the_turns_of_both_dialogues(study: Study):
    turns = {each.key: each.turns for each in study.dialogues.all()}
    tasks = [each["data"] for each in json.loads(exported(study, "label-studio"))]
    lines = [json.loads(line) for line in exported(study, "diqad-jsonl").splitlines()]
    assert len(tasks) == 8
    assert len(lines) > 5
    for each in (*tasks, *lines):
        assert each["dialogues"] == [turns[key] for key in json.loads(each["item"])]


def test_the_data_set_counts_both_dialogues_of_each_pair_and_has_no_labels(study: Study, client: Client):
    found = build_report(study, now=NOW).data_set
    assert found is not None
    assert (found.dialogues, found.utterances, found.labels, found.label_criterion) == (9, 18, [], "")
    client.force_login(MembershipFactory(study=study, role="owner").user)
    section = client.get(reverse("report", args=[study.slug])).text.split('id="t-data-set"')[1].split("</section>")[0]
    assert "<dt>Dialogues</dt><dd>9</dd>" in section
