"""An import of ratings says when its batches divide a conversation."""

import pytest

from annotation.models import Study
from tests.annotation.importing.conftest import Write, dialogue, load, load_ratings

HEAD = "dialogue,source,annotator,batch,criterion,value"


@pytest.fixture
def talk(he_study: Study, write: Write) -> Study:
    """Two turns of one conversation, and a dialogue of its own."""
    lines = [dialogue(key, conversation="talk") for key in ("t1", "t2")]
    load(he_study, write(*lines, dialogue("alone"), name="dialogues.jsonl"))
    return he_study


def warnings_of(study: Study, write: Write, *rows: tuple[str, str]) -> list[str]:
    source = study.sources.first().key
    lines = [f"{key},{source},ann,{batch},listening,Listening" for key, batch in rows]
    return load_ratings(study, write(HEAD, *lines, name="ratings.csv")).warnings


def test_a_conversation_over_two_batches_is_told_of(talk: Study, write: Write) -> None:
    (warning,) = warnings_of(talk, write, ("t1", "x1"), ("t2", "x2"), ("alone", "x2"))
    assert warning.startswith("Batches divide 1 conversation, talk: nobody can rate it as a whole.")


def test_whole_conversations_are_not(talk: Study, write: Write) -> None:
    assert warnings_of(talk, write, ("t1", "x1"), ("t2", "x1"), ("alone", "x2")) == []


def test_an_import_does_not_speak_of_what_another_has_divided(talk: Study, write: Write) -> None:
    warnings_of(talk, write, ("t1", "x1"), ("t2", "x2"))
    assert warnings_of(talk, write, ("alone", "x3")) == []
