"""The figures of a data set of dialogues: in the report, and beside the export."""

import io
import json
import zipfile
from collections import Counter
from pathlib import Path

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Dialogue
from reporting.exports.formats import write_export
from reporting.report.build import build_report
from reporting.study.data_set import DataSet, Figures, mix_of
from tests.factories import MembershipFactory
from tests.reporting.exports.conftest import diqad, make_shared_diqad  # noqa: F401 - fixtures
from tests.shipped import Work

SAMPLE = Path(__file__).parents[2] / "data" / "diqad_scale_sim" / "sample_mixed_100.jsonl"
NOW = timezone.now()
A, B = {"speaker": "A"}, {"speaker": "B"}


@pytest.fixture(scope="module")
def lines() -> list[dict]:
    return [json.loads(line) for line in SAMPLE.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def figures(lines: list[dict]) -> Figures:
    data_set = DataSet()
    for line in lines:
        data_set.add(line["utterances"], {"domain": line["domain"], "topic": line["topic"]})
    return data_set.figures()


def test_utterances_and_tokens_are_those_the_sample_was_made_with(lines: list[dict], figures: Figures):
    """Chinese and English: the sample names the tokens of each dialogue."""
    assert {line["lang"] for line in lines} == {"en", "zh"}
    assert (figures.dialogues, figures.utterances) == (100, sum(len(line["utterances"]) for line in lines))
    assert figures.tokens["all"] == sum(line["n_tokens"] for line in lines)
    assert figures.tokens_per_dialogue["all"] == pytest.approx(figures.tokens["all"] / 100, abs=0.005)
    assert figures.tokens["question"] + figures.tokens["answer"] == figures.tokens["all"]


def test_the_mix_of_domains_is_that_of_the_sample(lines: list[dict], figures: Figures):
    assert {row.value: row.n for row in figures.domains} == Counter(line["domain"] for line in lines)
    assert sum(row.percent for row in figures.domains) == pytest.approx(100, abs=0.1)


def test_a_turn_is_what_one_side_says_before_the_other_speaks():
    data_set = DataSet()
    turns = [A | {"text": "Hello there."}, B | {"text": "你好，世界。"}, B | {"text": "Yes."}, A | {"text": "ok"}]
    data_set.add(turns, {"topics": ["greeting", "world"]})
    found = data_set.figures()
    assert (found.utterances, found.turns) == (4, 3)
    assert found.tokens == {"all": 8, "question": 3, "answer": 5}
    assert found.utterances_by_side == {"question": 2, "answer": 2}
    assert [row.value for row in found.topics] == ["greeting", "world"]


def test_tokens_are_of_the_side_that_asks():
    data_set = DataSet()
    turns = [A | {"text": "We open at nine."}, B | {"text": "Thanks!"}]
    data_set.add(turns, {}, "B")
    assert data_set.figures().tokens == {"all": 5, "question": 1, "answer": 4}


def test_context_is_of_neither_side_and_ends_no_turn():
    data_set = DataSet()
    speakers = ("system", "user", "tool", "user", "assistant")
    data_set.add([{"speaker": name, "text": "one two"} for name in speakers], {})
    found = data_set.figures()
    assert found.utterances_by_side == {"question": 2, "answer": 1, "context": 2}
    assert found.tokens == {"all": 10, "question": 4, "answer": 2, "context": 4}
    assert (found.utterances, found.turns) == (5, 2)


@pytest.mark.django_db
@pytest.mark.parametrize("asker", ["", "B"])
def test_the_report_and_the_export_take_dialogues_with_context(diqad: Work, client: Client, asker: str):  # noqa: F811
    cache.clear()
    turns = [{"speaker": "system", "text": "Sale."}, A | {"text": "One two."}, B | {"text": "Three"}]
    Dialogue.objects.filter(study=diqad.study).update(turns=turns, asker=asker)
    client.force_login(MembershipFactory(study=diqad.study, role="lead").user)
    assert "The dialogues as a data set" in client.get(reverse("report", args=[diqad.study.slug])).text
    told, said = build_report(diqad.study, now=NOW).data_set, _statistics(diqad)
    assert told.tokens_per_dialogue == said["tokens_per_dialogue"]
    assert told.tokens_per_dialogue["question"] == (1 if asker else 2)


def test_rare_values_of_a_mix_count_together():
    rows = mix_of({f"topic {at}": 1 for at in range(60)} | {"weather": 9})
    assert (rows[0].value, rows[-1].value, rows[-1].n) == ("weather", None, 11)
    assert DataSet().figures().utterances_per_dialogue is None


@pytest.mark.django_db
def test_the_report_of_whole_dialogues_has_them_with_the_mix_of_final_labels(diqad: Work, client: Client):  # noqa: F811
    cache.clear()
    found = build_report(diqad.study, now=NOW).data_set
    assert (found.dialogues, found.label_criterion) == (4, "score")
    assert {row.value: row.n for row in found.labels} == {"2": 1, "1": 1, "0": 0}
    client.force_login(MembershipFactory(study=diqad.study, role="lead").user)
    page = client.get(reverse("report", args=[diqad.study.slug])).text
    assert "The dialogues as a data set" in page
    assert "Final labels of the dialogues" in page
    assert client.get(reverse("report_table", args=[diqad.study.slug, "data_set", "csv"])).status_code == 200
    picture = client.get(reverse("report_figure_svg", args=[diqad.study.slug, "labels"]))
    assert picture["Content-Type"].startswith("image/svg+xml")


@pytest.mark.django_db
def test_the_report_follows_a_change_of_roles(diqad: Work):  # noqa: F811
    before = build_report(diqad.study, now=NOW).data_set.tokens
    Dialogue.objects.filter(study=diqad.study).update(asker="B")
    after = build_report(diqad.study, now=NOW).data_set.tokens
    assert (after["question"], after["answer"]) == (before["answer"], before["question"])
    assert before["question"] != before["answer"]


@pytest.mark.django_db
def test_the_export_has_the_figures_of_what_it_holds(diqad: Work):  # noqa: F811
    found = _statistics(diqad)
    assert (found["dialogues"], sum(found["parts"].values())) == (2, 2)
    assert {row["value"]: row["n"] for row in found["labels"]} == {"1": 1, "2": 1}
    assert found["decided_by"] == {"majority": 1, "agreement": 1}
    assert "each Chinese or Japanese character counts as one" in found["tokenisation"]


def _statistics(work: Work) -> dict:
    file = io.BytesIO()
    write_export(work.study, "diqad", {}, file)
    with zipfile.ZipFile(file) as archive:
        return json.loads(archive.read("statistics.json"))
