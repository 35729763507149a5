"""Who asks: said of a dialogue, of the whole file, or told by the speakers' names."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from annotation.importing import DialogueOptions, preview
from annotation.models import Study
from annotation.numbering import numbered_turns
from tests.annotation.importing.conftest import Write, errors_of, load

# A platform's notes come before and between the turns of the one who answers.
OPENS_WITH_AN_ANSWER = [
    {"speaker": "答主", "text": "以下内容仅代表个人经验，不构成任何建议。"},
    {"speaker": "网友", "text": "医保卡丢了怎么补办？"},
    {"speaker": "答主", "text": "您好，我正在输入，请稍候。"},
    {"speaker": "答主", "text": "带上身份证到社保窗口就能补办，当天可以拿到新卡。"},
    {"speaker": "网友", "text": "能在手机上办吗？"},
    {"speaker": "答主", "text": "有的城市可以，在当地社保的小程序里申请。"},
]
TWO = [{"speaker": "Kim", "text": "Good morning."}, {"speaker": "Lee", "text": "Where do I pay?"}]


def record(turns: list[dict[str, Any]], **more: object) -> dict[str, Any]:
    return {"id": "d1", "utterances": turns} | more


def labels_of(study: Study) -> list[str]:
    stored = study.dialogues.get()
    return [turn["label"] for turn in numbered_turns(stored.turns, stored.asker)]


def test_a_dialogue_that_opens_with_an_answer_keeps_its_numbers(study: Study, write: Write) -> None:
    load(study, write(record(OPENS_WITH_AN_ANSWER)))
    assert labels_of(study) == ["A1", "Q1", "A2", "A3", "Q2", "A4"]


def test_messages_have_roles_and_those_of_the_system_have_no_number(study: Study, write: Write) -> None:
    roles = ("system", "assistant", "user", "assistant")
    load(study, write({"messages": [{"role": role, "content": "Text."} for role in roles]}))
    assert study.dialogues.get().asker == "user"
    assert labels_of(study) == ["", "A1", "Q1", "A2"]


def test_the_dialogue_says_who_asks(study: Study, write: Write) -> None:
    load(study, write(record(TWO, asker="Lee", topic="money")))
    assert study.dialogues.get().metadata == {"topic": "money"}
    assert labels_of(study) == ["A1", "Q1"]


def test_the_import_says_who_asks_where_a_dialogue_does_not(study: Study, write: Write) -> None:
    path = write(record(TWO), record(TWO, id="d2", asker="Kim"))
    load(study, path, asker=" Lee ")
    assert list(study.dialogues.values_list("asker", flat=True)) == ["Lee", "Kim"]


def test_the_command_takes_who_asks(study: Study, write: Write) -> None:
    call_command("import_dialogues", study.slug, str(write(record(TWO))), "--asker", "Lee", stdout=StringIO())
    assert study.dialogues.get().asker == "Lee"


def test_without_a_word_about_it_the_first_speaker_asks(study: Study, write: Write) -> None:
    load(study, write(record(TWO)))
    assert labels_of(study) == ["Q1", "A1"]


@pytest.mark.parametrize("told", ["Ann", 7])
def test_an_asker_who_speaks_no_turn_is_refused(study: Study, write: Write, told: object) -> None:
    reason = f"{told!r} does not speak in this dialogue: the speakers are Kim, Lee"
    assert errors_of(load, study, write(record(TWO, asker=told))) == [(1, "asker", reason)]


def test_the_same_dialogue_with_another_asker_is_another_dialogue(study: Study, write: Write) -> None:
    path = write(record(TWO, asker="Lee"))
    load(study, path)
    assert load(study, path).counts["dialogues_unchanged"] == 1
    ((_line, _field, reason),) = errors_of(load, study, write(record(TWO), name="b.jsonl"))
    assert "with different roles (who asks)" in reason


def test_the_preview_shows_who_asks_and_the_numbers(write: Write) -> None:
    shown = preview(write(record(TWO)), "dialogues", options=DialogueOptions(asker="Lee"))
    assert shown.rows[0]["asker"] == "Lee"
    assert [turn["label"] for turn in shown.rows[0]["turns"]] == ["A1", "Q1"]
