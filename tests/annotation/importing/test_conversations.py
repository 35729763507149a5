"""Dialogues of one conversation are its turns."""

from pathlib import Path

import pytest

from annotation.models import Study
from tests.annotation.importing.conftest import Write, dialogue, errors_of, load
from tests.factories import DialogueFactory


def said(*texts: str) -> list[dict[str, str]]:
    return [{"speaker": "AB"[at % 2], "text": text} for at, text in enumerate(texts)]


def turn(key: str, *texts: str, **fields: object) -> dict:
    return dialogue(key, history=said(*texts), conversation="c", **fields)


def conversations(study: Study) -> dict[str, str]:
    return dict(study.dialogues.values_list("key", "conversation"))


def test_turns_of_a_conversation_keep_its_name(study: Study, write: Write) -> None:
    load(study, write(turn("a", "Hi"), turn("b", "Hi", "Yes?", "Tea.")))
    assert conversations(study) == {"a": "c", "b": "c"}


def test_a_dialogue_without_one_is_its_own(study: Study, write: Write) -> None:
    load(study, write(dialogue("a"), dialogue("b", conversation="")))
    assert conversations(study) == {"a": "a", "b": "b"}
    assert DialogueFactory(study=study, key="made").conversation == "made"


def test_the_name_may_be_a_number_and_the_field_have_its_long_name(study: Study, write: Write) -> None:
    load(study, write(dialogue("a", conversation_id=7)))
    assert conversations(study) == {"a": "7"}
    assert not study.dialogues.get().metadata


def test_a_table_names_conversations_in_a_column(study: Study, tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text("dialogue_id,conversation,prompt,machine_completion\na,c,Hi,Yes?\nb,c,Hi,No?\n")
    load(study, path)
    assert conversations(study) == {"a": "c", "b": "c"}


def test_a_history_that_does_not_go_on_is_refused(study: Study, write: Write) -> None:
    errors = errors_of(load, study, write(turn("a", "Hi", "Yes?"), turn("b", "Hi", "No.", "Tea.")))
    assert errors == [
        (
            2,
            "conversation",
            "'b' does not go on where 'a' ends: turn 2 differs. Turns of one conversation share their history; give "
            "this dialogue a conversation of its own",
        )
    ]
    assert not study.dialogues.exists()


@pytest.mark.parametrize("late", [("Hi", "No.", "Tea."), ("Bye",)], ids=["longer", "shorter"])
def test_a_later_file_must_go_on_too(study: Study, write: Write, late: tuple[str, ...]) -> None:
    load(study, write(turn("a", "Hi", "Yes?")))
    errors = errors_of(load, study, write(turn("a", "Hi", "Yes?"), turn("b", *late)))
    assert [(line, field) for line, field, _ in errors] == [(2, "conversation")]
    assert conversations(study) == {"a": "c"}


def test_turns_in_any_order_and_two_systems_after_one_history_are_fine(study: Study, write: Write) -> None:
    load(study, write(turn("b", "Hi", "Yes?", "Tea."), turn("a", "Hi"), turn("other", "Hi")))
    assert len(conversations(study)) == 3


def test_a_conversation_is_for_one_batch(study: Study, write: Write) -> None:
    errors = errors_of(load, study, write(turn("a", "Hi", batch="x"), turn("b", "Hi", "Yes?", batch="y")))
    text = "'b' is for batch 'y' and 'a' of the same conversation for 'x': name one"
    assert errors == [(2, "batch", text)]


def test_a_known_dialogue_in_another_conversation_is_refused(study: Study, write: Write) -> None:
    load(study, write(dialogue("a")))
    errors = errors_of(load, study, write(dialogue("a", conversation="c")))
    assert "with different conversation:" in errors[0][2]


def test_prompts_that_grow_are_turns_too(study: Study, tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    rows = (
        "dialogue_id,conversation,prompt,machine_completion",
        'a,c,"Hi\nYes?",Tea',
        "b,c,Hi,No?",
        "z,c,Good day,No?",
    )
    path.write_text("\n".join(rows))
    errors = errors_of(load, study, path)
    assert [(line, field) for line, field, _ in errors] == [(5, "conversation")]
    assert "'z' does not go on where 'a' ends: turn 1 differs" in errors[0][2]
