"""The speaker of a response: as the file names it, or as the dialogue tells; never the source."""

from typing import Any

import pytest

from annotation.models import Candidate, Study
from tests.annotation.importing.conftest import Write, dialogue, errors_of, load

HEAD = "prompt,machine_completion,model,speaker"


def said_by(study: Study) -> dict[str, str]:
    return dict(Candidate.objects.filter(dialogue__study=study).values_list("key", "speaker"))


def spoken(**speakers: str) -> list[dict[str, Any]]:
    return [
        {"candidate_id": key, "source": "bot", "text": "I see.", "speaker": speaker}
        for key, speaker in speakers.items()
    ]


def test_a_response_belongs_to_the_side_whose_turn_it_is(study: Study, write: Write) -> None:
    load(study, write(dialogue()))
    assert said_by(study) == {"d1-gold": "A", "d1-bot": "A"}


def test_a_named_speaker_is_taken_and_is_no_metadata(study: Study, write: Write) -> None:
    load(study, write(dialogue(candidates=spoken(c1=" Carla ", c2="B"))))
    assert said_by(study) == {"c1": "Carla", "c2": "B"}
    assert list(Candidate.objects.values_list("metadata", flat=True)) == [{}, {}]


def test_where_three_have_spoken_nobody_can_tell(study: Study, write: Write) -> None:
    history = [{"speaker": name, "text": "Hello."} for name in "ABC"]
    load(study, write(dialogue(history=history)))
    assert set(said_by(study).values()) == {""}


def test_a_chat_message_names_its_speaker_as_its_role(study: Study, write: Write) -> None:
    messages = [{"role": "user", "content": "Hi"}]
    candidates = [{"id": "c1", "model": "bot", "content": "Hello", "role": "assistant"}]
    load(study, write({"id": "m1", "messages": messages, "candidates": candidates}))
    assert said_by(study) == {"c1": "assistant"}


def test_a_crowd_task_names_its_speaker_in_a_column(study: Study, write: Write) -> None:
    load(study, write(f"{HEAD}\nHi,Hello,bot,B\nHi,Ho,gold,\n", name="task.csv"))
    assert said_by(study) == {"bot": "B", "gold": ""}


def test_a_speaker_who_follows_from_the_dialogue_may_be_named_or_not(study: Study, write: Write) -> None:
    load(study, write(dialogue(candidates=spoken(c1="A"))))
    unnamed = [{name: value for name, value in each.items() if name != "speaker"} for each in spoken(c1="A")]
    assert load(study, write(dialogue(candidates=unnamed))).counts["dialogues_unchanged"] == 1


def test_another_speaker_is_another_content(study: Study, write: Write) -> None:
    load(study, write(dialogue(candidates=spoken(c1="A"))))
    ((_, field, reason),) = errors_of(load, study, write(dialogue(candidates=spoken(c1="B"))))
    assert (field, "with different candidates" in reason) == ("dialogue_id", True)


@pytest.mark.parametrize("speaker", ["bot", " BOT", "GPT-2"])
def test_the_source_is_refused_as_a_speaker(study: Study, write: Write, speaker: str) -> None:
    study.sources.create(key="bot", name="GPT-2", position=1)
    errors = errors_of(load, study, write(dialogue("d0"), dialogue(candidates=spoken(c1=speaker))))
    assert [(line, field) for line, field, _ in errors] == [(2, "speaker")]
    assert "is the source of this candidate, and annotators would see it" in errors[0][2]
    assert not study.dialogues.exists()
