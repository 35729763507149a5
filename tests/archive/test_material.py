"""Conversations, panels, sources and scenarios leave with an archive and come back, with texts and without."""

from collections.abc import Callable

import pytest

from annotation.models import Candidate, Dialogue, Study
from tests.annotation.importing.conftest import DATA, Write, builtin, dialogue, load, write  # noqa: F401 - a fixture
from tests.factories import DialogueFactory, StudyFactory

PANEL = {"title": "Fact", "text": "Bees\tcan\ncount \\ 4."}


@pytest.fixture
def study(db: None, write: Write) -> Study:  # noqa: F811
    study = StudyFactory(slug="material", protocol_version=builtin("he-protocol-1.0"))
    turns = [{"speaker": "AB"[at % 2], "text": f"turn {at}"} for at in range(3)]
    candidates = [{"source": "bot", "text": "Yes.", "context": [PANEL]}]
    load(
        study,
        write(
            dialogue("d1", conversation="c", history=turns[:1], candidates=candidates, context=[PANEL]),
            dialogue("d2", conversation="c", history=turns, candidates=candidates),
            dialogue("d3", candidates=candidates),
        ),
    )
    DialogueFactory(study=study, key="bare", conversation="c", position=9, turns=[], is_textless=True)
    return study


def test_a_chat_log_comes_back_with_the_ids_of_its_origin(study: Study, come_back: Callable[[Study], Study]):
    load(study, DATA / "transcripts" / "opentelemetry.json", transcript=True, with_dialogue=True)
    asked = {"dialogue__study": study, "dialogue__conversation": "swim"}
    before = list(Candidate.objects.filter(**asked).order_by("pk").values_list("key", "metadata", "text"))
    turns = list(study.dialogues.filter(conversation="swim").values_list("key", "turns", "metadata"))
    back = come_back(study)
    asked["dialogue__study"] = back
    assert [key for key, *_ in before] == ["aa01", "aa04"]
    assert list(Candidate.objects.filter(**asked).order_by("pk").values_list("key", "metadata", "text")) == before
    assert list(back.dialogues.filter(conversation="swim").values_list("key", "turns", "metadata")) == turns


def test_sources_and_scenarios_of_whole_dialogues_come_back(
    study: Study,
    write: Write,  # noqa: F811
    come_back: Callable[[Study], Study],
):
    turns = [{"role": "user", "content": "Hi"}]
    load(
        study,
        write(
            {"dialogue_id": "w1", "messages": turns, "model": "m1", "scenario": "s"},
            {"dialogue_id": "w2", "messages": turns, "source": "", "model": "kept as metadata", "scenario": "s"},
        ),
    )
    DialogueFactory(
        study=study, key="w3", position=12, turns=[], is_textless=True, scenario="s", source=study.sources.get(key="m1")
    )
    back = come_back(study)
    rows = back.dialogues.filter(scenario="s").order_by("key").values_list("key", "source__key", "metadata")
    assert list(rows) == [("w1", "m1", {}), ("w2", None, {"model": "kept as metadata"}), ("w3", "m1", {})]


def test_conversations_and_panels_come_back(study: Study, come_back: Callable[[Study], Study]):
    back = come_back(study)
    rows = back.dialogues.order_by("key").values_list("key", "conversation", "context")
    assert list(rows) == [("bare", "c", []), ("d1", "c", [PANEL]), ("d2", "c", []), ("d3", "d3", [])]
    assert list(Candidate.objects.filter(dialogue__study=back).values_list("context", flat=True)) == [[PANEL]] * 3
    assert not Dialogue.objects.filter(metadata__has_key="context").exists()
