"""Tables with a row for each turn."""

import pytest

from annotation.models import Dialogue, Study
from tests.annotation.importing.conftest import Write, errors_of, load, turns_of

HEADER = "dialogue_id,turn,speaker,text,topic,mood"


def test_turns_are_put_in_order_wherever_their_rows_are(study: Study, write: Write) -> None:
    rows = ["a,2,Bot,Hello,x,", "b,1,User,Ho,y,", "a,10,User,Bye,x,sad", "a,1,User,Hi,x,"]
    assert load(study, write(HEADER, *rows)).format == "table-turns"
    assert turns_of(study, "a") == [("User", "Hi"), ("Bot", "Hello"), ("User", "Bye")]
    moods = [{"mood": ""}, {"mood": ""}, {"mood": "sad"}]
    assert study.dialogues.get(key="a").metadata == {"topic": "x", "turn_fields": moods}
    assert (study.dialogues.get(key="b").metadata, study.dialogues.get(key="b").asker) == (
        {"topic": "y", "mood": ""}, "User",
    )  # fmt: skip


def test_without_numbers_the_file_has_the_order(study: Study, write: Write) -> None:
    load(study, write("conversation_id,role,content", "a,user,Hi", "b,user,Ho", "a,assistant,Hello"))
    assert turns_of(study, "a") == [("user", "Hi"), ("assistant", "Hello")]


def test_columns_with_other_names_are_mapped(study: Study, write: Write) -> None:
    columns = {"dialogue": "chat", "text": "said", "speaker": "who", "batch": "part"}
    load(study, write("chat,who,said,part", "a,A,Hi,one", "a,B,Ho,one"), columns=columns)
    assert turns_of(study, "a") == [("A", "Hi"), ("B", "Ho")]
    assert study.dialogues.get().batch_key == "one"


@pytest.mark.parametrize(
    ("row", "field", "said"),
    [
        (",2,A,Hi,x,", "dialogue_id", "is empty: name the dialogue that the turn belongs to"),
        ("a,two,A,Hi,x,", "turn", "'two' is not the number of a turn"),
        ("a,1.0,A,Hi,x,", "turn", "1 is also the number of line 2 of the same dialogue"),
        ("a,2,A,,x,", "text", "is empty"),
        ("a,nan,A,Hi,x,", "turn", "'nan' is not the number of a turn"),
    ],
)
def test_a_wrong_row_is_named_and_nothing_is_stored(
    study: Study, write: Write, row: str, field: str, said: str
) -> None:
    errors = errors_of(load, study, write(HEADER, "a,1,A,Hi,x,", "b,1,A,Hi,x,", row))
    assert errors == [(4, field, said)]
    assert not Dialogue.objects.exists()


def test_what_belongs_to_the_dialogue_must_be_the_same_in_all_rows(study: Study, write: Write) -> None:
    errors = errors_of(load, study, write("dialogue_id,speaker,text,batch", "a,A,Hi,one", "a,B,Ho,two"))
    assert errors == [(2, "batch", "is not the same in all rows of the dialogue 'a'")]
