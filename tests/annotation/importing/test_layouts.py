"""Tables of dialogues: which columns hold what, and how their rows become dialogues."""

import json
import re
from pathlib import Path

import pytest

from annotation.importing.layouts import CSV_PROMPTS, RESPONSES, TURNS, WIDE, layout_of
from annotation.importing.outcome import BadField
from annotation.models import Dialogue, Study
from tests.annotation.importing.conftest import Write, errors_of, load, responses_of, turns_of

TURN_LIST = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
PYTHON_LIST = "[{'role': 'user', 'content': 'Hi'}, {'role': 'assistant', 'content': 'It''s'}]"


def row(*cells: str) -> str:
    return ",".join('"' + cell.replace('"', '""') + '"' for cell in cells)


@pytest.mark.parametrize(
    ("header", "format", "mapping"),
    [
        ("id,context,response,model", RESPONSES, {"dialogue": "id", "history": "context", "response": "response"}),
        ("Prompt,Completion", RESPONSES, {"prompt": "Prompt", "response": "Completion"}),
        ("question,response_gpt 4,response_llama", WIDE, {"response": "response_gpt 4|response_llama"}),
        ("question,gpt_response,llama_response,response_id", WIDE, {"response": "gpt_response|llama_response"}),
        ("dialogue_id,turn,speaker,text", TURNS, {"dialogue": "dialogue_id", "turn": "turn", "text": "text"}),
        ("id,conversation_id,role,content", TURNS, {"dialogue": "conversation_id", "speaker": "role"}),
        ("prompt,machine_completion,context,role,id", CSV_PROMPTS, {"prompt": "prompt", "dialogue": "id"}),
        ("id,dialogue_id,history,reply,text", RESPONSES, {"dialogue": "dialogue_id", "response": "reply"}),
    ],
)
def test_columns_are_found_by_their_usual_names(header: str, format: str, mapping: dict[str, str]) -> None:
    columns = header.split(",")
    found = layout_of(columns, {})
    assert found.format == format
    assert mapping.items() <= found.as_mapping(columns).items()
    assert layout_of(columns, found.as_mapping(columns)) == found  # the page sends what the preview has shown


def test_a_map_goes_before_names_and_a_dash_leaves_a_column_out() -> None:
    columns = ["a", "context", "history", "response", "model"]
    wanted = {"history": "context", "dialogue": "A", "source": "-"}
    assert layout_of(columns, wanted).places == {"history": 1, "dialogue": 0, "response": 3}


@pytest.mark.parametrize(
    ("header", "wanted", "field", "said"),
    [
        ("a,b", {}, "history", "--map history=COLUMN or prompt=COLUMN; if each row is a turn, name the"),
        ("prompt,b", {}, "response", "columns not used yet: b: name the column with --map response=COLUMN"),
        ("prompt,id", {}, "response", "generation, output or reply): name the column with --map response=COLUMN"),
        ("id,response", {}, "history", "or with its last turn: name the column with --map history=COLUMN or prompt"),
        ("prompt,b", {"response": "c"}, "map", "the file has no column 'c', only: prompt, b"),
        ("prompt,b", {"answer": "b"}, "map", "'answer' is not a field: use dialogue, conversation, batch, history"),
        ("prompt,a,b_response,response_b", {"response": "b_response|response_b"}, "response", "of the source 'b'"),
    ],
)
def test_what_is_missing_is_said_with_the_map_that_helps(
    header: str, wanted: dict[str, str], field: str, said: str
) -> None:
    with pytest.raises(BadField) as missing:
        layout_of(header.split(","), wanted)
    assert (missing.value.field, said in missing.value.on_line(1).for_command().reason) == (field, True)


def test_an_error_lists_only_the_first_of_very_many_columns() -> None:
    with pytest.raises(BadField) as missing:
        layout_of([f"x{n}" for n in range(300)], {})
    assert missing.value.reason.endswith("x38, x39, …")


# --- a row for each response ---------------------------------------------------------------------
@pytest.mark.parametrize(
    ("cell", "turns"),
    [
        (json.dumps(TURN_LIST), [("user", "Hi"), ("assistant", "Hello")]),
        (PYTHON_LIST.replace("It''s", "Hello"), [("user", "Hi"), ("assistant", "Hello")]),
        ('["Hi", "Hello"]', [("A", "Hi"), ("B", "Hello")]),
        ("User: Hi\nstill me\nBot: Hello: world", [("User", "Hi\nstill me"), ("Bot", "Hello: world")]),
        ("用户：你好\n客服：您好", [("用户", "你好"), ("客服", "您好")]),
        ("It rained.\nThen: sun.", [("", "It rained.\nThen: sun.")]),
        ("10:30 is fine\nhttps://a.b", [("", "10:30 is fine\nhttps://a.b")]),
        ("[laughs] Hi", [("", "[laughs] Hi")]),
    ],
)
def test_a_history_in_a_cell_is_a_list_or_lines_with_speakers(
    study: Study, write: Write, cell: str, turns: list[tuple[str, str]]
) -> None:
    load(study, write("id,history,response", row("d", cell, "Bye")))
    assert turns_of(study, "d") == turns


@pytest.mark.parametrize(
    ("cell", "field", "said"),
    [
        ('[{"role": "user", "content": "Hi"}, {"role', "history", "Excel cuts cells after 32,767 characters"),
        ('[{"a": 1}]', "history", "is a list, but not of turns with a speaker and a text"),
        ('[{"role": "a", "content": ""}]', "history[0].content", "is empty"),
        ("A: Hi\nB:", "history", "is empty"),
        ("", "history", "is empty"),
    ],
)
def test_a_history_that_cannot_be_read_is_refused(study: Study, write: Write, cell: str, field: str, said: str) -> None:
    errors = errors_of(load, study, write("id,history,response", row("c", "Hi", "Bye"), row("d", cell, "Bye")))
    assert (errors[0][:2], said in errors[0][2]) == ((3, field), True)
    assert not Dialogue.objects.exists()


def test_rows_of_one_dialogue_are_its_responses(study: Study, write: Write) -> None:
    rows = [
        row("d", "User: Hi", "One", "a", "x"),
        row("e", "User: Ho", "Two", "a", "y"),
        row("d", "User: Hi", "3", "b", "x"),
    ]
    summary = load(study, write("id;context;response;model;topic", *(each.replace('","', '";"') for each in rows)))
    assert (summary.format, summary.counts["candidates_new"]) == (RESPONSES, 3)
    assert responses_of(study, "d") == [("a", "One"), ("b", "3")]
    assert study.dialogues.get(key="d").metadata == {"topic": "x"}
    assert study.dialogues.get(key="d").asker == "User"


def test_a_prompt_beside_a_history_is_its_last_turn(study: Study, write: Write) -> None:
    load(
        study,
        write(
            "id,history,question,response", row("d", "A: Hi\nB: Hello", "Why?", "Because."), row("e", "", "Who?", "Me.")
        ),
    )
    assert turns_of(study, "d") == [("A", "Hi"), ("B", "Hello"), ("A", "Why?")]
    assert turns_of(study, "e") == [("", "Who?")]


def test_each_source_may_have_a_column(study: Study, write: Write) -> None:
    path = write(
        "id,prompt,response_gpt,response_llama,score", row("d", "Hi", "One", "", "3"), row("e", "Ho", "1", "2", "4")
    )
    assert load(study, path).format == WIDE
    assert responses_of(study, "d") == [("gpt", "One")]
    assert responses_of(study, "e") == [("gpt", "1"), ("llama", "2")]
    assert study.dialogues.get(key="d").metadata == {"score": "3"}


def test_columns_of_sources_are_named_with_bars_between_them(study: Study, write: Write) -> None:
    path = write("id,q,GPT-4,human", row("d", "Hi", "One", "Two"))
    load(study, path, columns={"prompt": "q", "response": "gpt-4|human"})
    assert responses_of(study, "d") == [("GPT-4", "One"), ("human", "Two")]
    assert study.sources.get(is_reference=True).key == "human"


def test_a_row_without_any_response_is_refused(study: Study, write: Write) -> None:
    errors = errors_of(load, study, write("prompt,response_a,response_b", row("Hi", "", " ")))
    assert errors == [(2, "response", "the row has no response in response_a, response_b")]


def test_whole_dialogues_have_no_response(study: Study, write: Write) -> None:
    path = write("id,history,model,scenario,note", row("d", "A: Hi\nB: Ho", "gpt", "s", "x"))
    load(study, path, columns={"response": "-"})
    assert turns_of(study, "d") == [("A", "Hi"), ("B", "Ho")]
    assert not responses_of(study, "d")
    whole = study.dialogues.get()
    assert (whole.source.key, whole.scenario, whole.metadata) == ("gpt", "s", {"note": "x"})


def test_a_whole_dialogue_has_one_row(study: Study, write: Write) -> None:
    path = write("id,history,note", row("d", "A: Hi", "x"), row("d", "A: Hi", "y"))
    errors = errors_of(load, study, path, columns={"response": "-"})
    assert errors == [(3, "dialogue", "is also on line 2: each whole dialogue has one row")]


def test_flat_objects_are_rows(study: Study, write: Write) -> None:
    lines = [
        {"prompt": "Hi", "completion": "One", "model": "a"},
        {"prompt": "Hi", "completion": "Two", "model": "b", "n": 1},
    ]
    assert load(study, write(*lines)).format == RESPONSES
    assert [each.metadata for each in study.dialogues.get().candidates.order_by("pk")] == [{"n": ""}, {"n": "1"}]


def test_a_response_beside_a_list_of_turns_is_a_row(study: Study, write: Write) -> None:
    load(study, write({"id": "d", "context": TURN_LIST, "response": "Bye", "model": "a"}))
    assert turns_of(study, "d") == [("user", "Hi"), ("assistant", "Hello")]
    assert responses_of(study, "d") == [("a", "Bye")]


@pytest.mark.parametrize("name", ["turns", "dialog", "dialogue", "conversation", "conversations", "context"])
def test_turns_are_found_under_the_names_people_use(study: Study, write: Write, name: str) -> None:
    candidates = [{"model": "a", "text": "Bye"}]
    turns = [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello"}]
    summary = load(study, write({"id": "d", name: turns, "candidates": candidates}, {"id": "e", name: turns[:1]}))
    assert summary.format == "jsonl-turns"
    assert turns_of(study, "d") == [("human", "Hi"), ("gpt", "Hello")]
    assert responses_of(study, "d") == [("a", "Bye")]
    assert study.dialogues.get(key="d").metadata == {}


def test_a_list_of_texts_is_two_speakers_in_turn(study: Study, write: Write) -> None:
    load(study, write({"id": "d", "dialog": ["Hi", "Ho", "Hi"]}))
    assert turns_of(study, "d") == [("A", "Hi"), ("B", "Ho"), ("A", "Hi")]


def test_context_panels_are_no_turns(study: Study, write: Write) -> None:
    panels = [{"title": "Facts", "text": "Bees count."}]
    load(study, write({"id": "d", "turns": TURN_LIST, "context": panels}))
    assert study.dialogues.get().context == panels


def test_a_utf_16_table_from_excel_is_read(study: Study, write: Write) -> None:
    text = 'id\tprompt\tcompletion\r\nd\t"Grüße,\r\nAnna"\tTschüss\r\n'
    load(study, write(exactly=text.encode("utf-16")))
    assert turns_of(study, "d") == [("", "Grüße,\nAnna")]
    errors = errors_of(load, study, write(exactly=(text + "e\t\tx\r\n").encode("utf-16")))
    assert errors == [(4, "prompt", "is empty")]


def test_the_tables_of_the_docs_are_read_as_they_say(study: Study, write: Write) -> None:
    page = (Path(__file__).parents[3] / "docs" / "files.md").read_text()
    tables = re.findall(r"### `(\S+)`.*?```csv\n(.*?)```", page, re.DOTALL)
    assert [name for name, _text in tables] == [RESPONSES, WIDE, TURNS]
    for at, (name, text) in enumerate(tables):
        assert load(study, write(text.replace("d1,", f"d{at},"))).format == name
    assert turns_of(study, "d0")[1:] == [("Bot", "Which one?"), ("User", "Maths.")]
    assert responses_of(study, "d1") == [("model_a", "It went well."), ("model_b", "Which exam?")]


def test_a_mapping_names_the_source_of_a_column() -> None:
    columns = ["id", "prompt", "Answer 1", "Answer: 2", "c:d"]
    wanted = {"response": "Answer 1:gpt-4|answer: 2:human|c:d"}
    assert layout_of(columns, wanted).responses == {"gpt-4": 2, "human": 3, "c:d": 4}
    assert layout_of(columns, {"response": "Answer 1 : gpt-4"}).responses == {"gpt-4": 2}
    with pytest.raises(BadField, match="no column 'Answer 3'"):
        layout_of(columns, {"response": "Answer 3:gpt-4"})


def test_columns_in_camel_case_and_with_spaces_are_recognised():
    layout = layout_of(["DialogueId", "Prompt", "Model Response", "System"], {})
    assert layout.places == {"dialogue": 0, "prompt": 1, "response": 2, "source": 3}
