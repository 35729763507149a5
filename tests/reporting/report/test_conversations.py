"""Turns of one conversation are one unit: in every interval and test, and on the board, which has no such interval."""

import re
from collections import Counter, defaultdict
from dataclasses import replace

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Dialogue, Study
from measures.mixed.sources import compare_sources
from reporting.report.build import build_report
from reporting.report.methods import methods
from tests.factories import MembershipFactory
from tests.he_study import SOURCES, he_ratings, he_rows

NOW = timezone.now()


@pytest.fixture(scope="module")
def conversations() -> dict[str, str]:
    """The reference study as if every three dialogues of a batch were turns of one conversation."""
    of_batch = defaultdict(list)
    for row in he_rows():
        if row["dialogue_id"] not in of_batch[row["batch"]]:
            of_batch[row["batch"]].append(row["dialogue_id"])
    return {key: f"{batch}-{at // 3}" for batch, keys in of_batch.items() for at, key in enumerate(keys)}


@pytest.fixture
def turns_study(measured_he_study: Study, conversations: dict[str, str]) -> Study:
    dialogues = list(measured_he_study.dialogues.all())
    for dialogue in dialogues:
        dialogue.conversation = conversations[dialogue.key]
    Dialogue.objects.bulk_update(dialogues, ["conversation"])
    return measured_he_study


@pytest.fixture
def report(turns_study: Study):
    return build_report(turns_study, now=NOW)


def test_intervals_are_those_of_drawing_conversations(report, conversations):
    tallies = defaultdict(Counter)
    of = {}
    for row in he_rows():
        if row["criterion"] == "appropriateness":
            tallies[row["candidate_id"]][row["answer"]] += 1
            of[row["candidate_id"]] = conversations[row["dialogue_id"]]
    answers = sorted({answer for each in tallies.values() for answer in each})
    groups = defaultdict(list)
    for item, each in tallies.items():
        groups[of[item]].append([each[answer] for answer in answers])
    arrays = [np.array(rows, float) for rows in groups.values()]
    rng = np.random.default_rng(5)
    n = len(arrays)
    drawn = [_fleiss(np.vstack([arrays[at] for at in rng.integers(0, n, n)])) for _ in range(2000)]
    low, high = np.quantile(drawn, [0.025, 0.975])
    row = next(row for row in report.agreement_overall if row.criterion == "appropriateness")
    assert (row.interval_method, row.n_units) == ("bca_conversations", n)
    assert (row.fleiss.low, row.fleiss.high) == (pytest.approx(low, abs=0.03), pytest.approx(high, abs=0.03))


def _fleiss(tallies: np.ndarray) -> float:
    votes = tallies.sum(axis=1)
    observed = (((tallies**2).sum(axis=1) - votes) / (votes * (votes - 1))).mean()
    expected = ((tallies.sum(axis=0) / tallies.sum()) ** 2).sum()
    return (observed - expected) / (1 - expected)


def test_sources_are_compared_over_conversations(report, conversations):
    n = len(set(conversations.values()))
    for each in report.comparisons:
        assert each.n_conversations == n
        assert {pair.limits.n_conversations for pair in each.pairs} == {n}
        assert {"conversation", "item"} <= {effect.effect for effect in each.effects}
    sources = tuple(SOURCES)
    found = next(each for each in report.comparisons if each.criterion == "listening")
    rows = [row for row in he_rows() if row["criterion"] == "listening"]
    conversation = np.unique([conversations[row["dialogue_id"]] for row in rows], return_inverse=True)[1]
    wanted = compare_sources(replace(he_ratings("listening"), conversation=conversation), len(sources))
    assert [pair.p for pair in found.pairs] == pytest.approx([each.p_value for each in wanted.differences], rel=1e-6)


def test_coefficients_stay_as_they_are(report, he_report):
    kappas = [[row.fleiss_kappa for row in each.agreement_overall] for each in (report, he_report)]
    assert kappas[0] == kappas[1]


def test_methods_say_what_is_taken_as_one_unit(report, conversations):
    assert report.material.conversations == len(set(conversations.values()))
    text = " ".join(methods(report))
    assert "turns of 16 conversations; intervals and tests take each conversation as one unit." in text
    assert "for new annotators and new conversations." in text


def test_the_board_and_the_api_have_no_interval(turns_study: Study, client: Client):
    client.force_login(MembershipFactory(study=turns_study, role="lead").user)
    cells = client.get(f"/api/v1/studies/{turns_study.slug}/agreement/").json()["cells"]
    figures = [each for cell in cells for each in cell["estimates"].values() if isinstance(each, dict)]
    assert figures
    assert {(each["low"], each["interval_note"]) for each in figures} == {(None, "dependent_items")}
    page = client.get(reverse("board", args=[turns_study.slug])).text
    assert "turns of conversations, so their answers are not independent" in page
    assert not re.search(r"95 % interval [−\d]", page)


def test_rules_and_terms_call_what_is_resampled_a_conversation(report, turns_study):
    assert "Items are resampled, or whole conversations" in report.rules["resampling"]
    assert "a jackknife over conversations" in report.rules["weighted_intervals"]
    client = Client()
    client.force_login(MembershipFactory(study=turns_study, role="lead").user)
    page = client.get(reverse("report", args=[turns_study.slug])).text
    assert "or whole conversations where several items share one" in page
    assert "jackknife over dialogues" not in page
    assert "whole dialogues, conversations or scenarios where several items share one" in page
