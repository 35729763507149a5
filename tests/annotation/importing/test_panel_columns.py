"""Columns of tables that become context panels, of a dialogue or of a response."""

import json
from pathlib import Path

import pandas as pd
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotation.context import context_of
from annotation.importing import DialogueOptions
from annotation.importing.layouts import layout_of
from annotation.importing.outcome import BadField, in_words
from annotation.importing.preview import preview
from annotation.models import Candidate, Study
from tests.annotation.importing.conftest import Write, builtin, errors_of, load, workbook
from tests.factories import MembershipFactory, StudyFactory

WIDE = ["case", "said", "GPT", "Llama", "fact GPT", "fact Llama", "note", "topic"]
ROW = ["x1", "A: Trains?", "Calming.", "Rules.", "Studied in 1902.", "12 rules.", "Be brief.", "trains"]
COLUMNS = {"dialogue": "case", "history": "said", "response": "GPT|Llama"}


def panels_of(study: Study) -> dict[str, list[tuple[str, str]]]:
    """The panels of each response by its source."""
    return {
        each.source.key: [(panel["title"], panel["text"]) for panel in each.context]
        for each in Candidate.objects.filter(dialogue__study=study).select_related("source")
    }


def test_the_name_of_a_column_tells_whose_response_its_panel_is_about(study: Study, tmp_path):
    path = workbook(tmp_path / "usr.xlsx", [WIDE, ROW])
    load(study, path, columns=COLUMNS | {"context": "note", "response_context": "fact GPT|fact Llama"})
    assert panels_of(study) == {"GPT": [("Fact", "Studied in 1902.")], "Llama": [("Fact", "12 rules.")]}
    dialogue = study.dialogues.get()
    assert dialogue.context == [{"title": "Note", "text": "Be brief."}]
    assert dialogue.metadata == {"topic": "trains"}


def test_a_source_is_named_after_a_colon_and_no_title_tells_systems_apart(study: Study, write: Write):
    path = write("prompt,GPT,Llama,fact 1,fact 2", "Trains?,Calming.,Rules.,One.,Two.", name="a.csv")
    columns = {"response": "GPT|Llama", "response_context": "fact 1:Llama|fact 2:GPT"}
    load(study, path, columns=columns)
    assert panels_of(study) == {"GPT": [("Fact", "Two.")], "Llama": [("Fact", "One.")]}


def test_a_column_that_tells_no_source_is_refused_with_what_to_do(study: Study, write: Write):
    path = write("prompt,GPT,Llama,note", "Trains?,Calming.,Rules.,One.", name="a.csv")
    found = errors_of(load, study, path, columns={"response": "GPT|Llama", "response_context": "note"})
    assert found == [
        (
            1,
            "response_context",
            "it is not known whose response this is about: note: name the source after a colon, as in --map "
            "'response_context=COLUMN:SOURCE'",
        )
    ]


@pytest.mark.parametrize(
    ("response", "column", "source"),
    [
        ("answer_north|answer_south", "fact_north", "answer_north"),
        ("gpt-4|gpt-4o", "fact gpt-4o", "gpt-4o"),
        ("gpt-4|gpt-4o", "fact gpt-4", "gpt-4"),
        ("A|B", "fact", ""),
        ("A|B", "B's facts", "B"),
    ],
)
def test_the_longest_name_that_is_a_word_of_its_own_counts(response: str, column: str, source: str):
    columns = ["prompt", *response.split("|"), column]
    found = layout_of(columns, {"response": response, "response_context": column}).panels.of_response
    assert [each.source for each in found] == [source]


def test_a_panel_of_the_dialogue_is_not_titled_like_a_source():
    with pytest.raises(BadField, match="called like a source"):
        layout_of(["prompt", "GPT", "Llama", "fact GPT"], {"response": "GPT|Llama", "context": "fact GPT"})


def test_a_row_s_column_is_the_panel_of_its_response_and_a_dialogue_s_is_the_same_in_all_rows(
    study: Study, write: Write
):
    rows = ["id,history,response,model,fact", "x1,A: Trains?,Yes.,m1,One.", "x1,A: Trains?,No.,m2,Two."]
    path = write(*rows, name="a.csv")
    assert errors_of(load, study, path, columns={"context": "fact"}) == [
        (
            3,
            "context",
            "is not the same as on line 2 of the same dialogue: name the column with --map response_context=COLUMN",
        )
    ]
    load(study, path, columns={"response_context": "fact"})
    assert panels_of(study) == {"m1": [("Fact", "One.")], "m2": [("Fact", "Two.")]}


def cell(value: object) -> str:
    return '"' + json.dumps(value).replace('"', '""') + '"'


def test_lists_in_columns_called_context_and_persona_are_panels_as_in_objects(study: Study, write: Write):
    fact = {"title": "Topic", "text": "Trains"}
    head = "id,history,response,model,context,persona"
    rows = [
        f"x1,A: Trains?,{text},{model},{cell([fact])},{cell(['I am tall.'])}"
        for text, model in (("Yes.", "a"), ("No.", "b"))
    ]
    own = [f"x2,A: Cars?,Yes.,{model},{cell([fact | {'text': model}])},{cell([f'I am {model}.'])}" for model in "ab"]
    load(study, write(head, *rows, *own, name="a.csv"))
    first, second = study.dialogues.order_by("position")
    assert [(panel.title, panel.text, panel.facts) for panel in context_of(first)] == [
        ("", "", ("I am tall.",)),
        ("Topic", "Trains", ()),
    ]
    assert (second.context, second.metadata) == ([], {})
    assert second.candidates.order_by("pk")[1].context == [
        {"title": "Topic", "text": "b"},
        {"title": "Persona", "text": "I am b."},
    ]


@pytest.mark.parametrize("kind", ["csv", "tsv", "xlsx", "parquet"])
def test_a_text_in_a_column_called_like_a_panel_is_one(study: Study, tmp_path: Path, kind: str):
    head = ["id", "history", "response", "model", "Persona", "personas", "context"]
    said = ["I keep bees.", "A: I am tall.", "[At a zoo]"]
    rows = [["x1", "A: Hi", text, model, *said] for text, model in (("Yes.", "a"), ("No.", "b"))]
    load(study, table_of(tmp_path, kind, head, rows))
    stored = study.dialogues.get()
    assert stored.context == [
        {"title": "Persona", "text": "I keep bees."},
        {"title": "Personas", "text": "A: I am tall."},
        {"title": "Context", "text": "[At a zoo]"},
    ]
    assert stored.metadata == {}


CALLED = "id,prompt,response,model,persona\nx1,Hi,Yes.,m1,I keep bees.\nx1,Hi,No.,m2,I keep bees.\n"


@pytest.mark.django_db
@pytest.mark.parametrize(
    "content",
    [
        CALLED,
        CALLED.replace("x1,Hi,No.,m2,I keep bees.", "x1,Hi,No.,m2,I grow rice."),
        CALLED.replace("I keep bees.", cell(["I keep bees.", "I am tall."])),
        CALLED.replace("I keep bees.", "[]"),
    ],
)
def test_the_page_shows_a_column_called_like_a_panel_and_reads_it_the_same_when_it_is_chosen(
    write: Write, content: str
) -> None:
    path = write(name="a.csv", exactly=content.encode())
    assert preview(path, "dialogues").mapping["context"] == "persona"
    one, other = StudyFactory(), StudyFactory()
    load(one, path)
    load(other, path, columns={"context": "persona"})
    names = ("key", "context", "metadata", "digest")
    assert list(one.dialogues.values_list(*names)) == list(other.dialogues.values_list(*names))
    assert panels_of(one) == panels_of(other)


def test_a_column_called_like_a_panel_can_be_left_out(study: Study, write: Write) -> None:
    path = write(name="a.csv", exactly=CALLED.encode())
    load(study, path, columns={"context": "-"})
    stored = study.dialogues.get()
    assert (stored.context, stored.metadata) == ([], {})
    assert "context" not in preview(path, "dialogues", options=DialogueOptions(columns={"context": "-"})).mapping


def test_a_history_that_is_called_context_is_no_panel(write: Write) -> None:
    path = write(name="a.csv", exactly=b"id,context,response,model\nx1,A: Hi,Yes.,m1\n")
    for columns in ({}, {"context": "-"}):
        mapping = preview(path, "dialogues", options=DialogueOptions(columns=columns)).mapping
        assert (mapping["history"], mapping.get("context")) == ("context", None)


def test_the_list_of_columns_on_the_page_has_the_panel_chosen(study: Study, client: Client) -> None:
    client.force_login(MembershipFactory(study=study, role="owner").user)
    file = SimpleUploadedFile("a.csv", CALLED.encode())
    page = client.post(reverse("study_import_preview", args=[study.slug]), {"kind": "dialogues", "file": file})
    chosen = {choice["name"]: choice["chosen"] for choice in page.context["choices"]}
    assert (chosen["context"], chosen["response_context"]) == (["persona"], [""])
    assert '<option value="persona" selected>persona</option>' in page.content.decode()


def test_a_text_that_differs_between_responses_stands_above_them(study: Study, write: Write):
    head = "id,prompt,response,model,persona,personas"
    listed = cell(["I am tall.", "I am kind."])
    load(study, write(head, f"x1,Hi,Yes.,m1,I am m.,{listed}", f"x1,Hi,No.,m2,I am n.,{listed}", name="a.csv"))
    assert panels_of(study) == {"m1": [("Persona", "I am m.")], "m2": [("Persona", "I am n.")]}
    assert study.dialogues.get().context == [{"title": "Personas", "text": "I am tall.\nI am kind."}]


def test_rows_of_turns_may_have_a_text_called_like_a_panel(study: Study, write: Write):
    rows = ["dialogue_id,turn,speaker,text,persona,mood", "d1,1,A,Hi,I keep bees.,x", "d1,2,B,Ho,I keep bees.,x"]
    load(study, write(*rows, name="a.csv"))
    stored = study.dialogues.get()
    assert (stored.context, stored.metadata) == ([{"title": "Persona", "text": "I keep bees."}], {"mood": "x"})


def table_of(directory: Path, kind: str, head: list[str], rows: list[list[str]]) -> Path:
    path = directory / f"a.{kind}"
    if kind == "xlsx":
        return workbook(path, [head, *rows])
    frame = pd.DataFrame(rows, columns=head)
    if kind == "parquet":
        frame.to_parquet(path)
    else:
        frame.to_csv(path, index=False, sep="," if kind == "csv" else "\t")
    return path


def test_rows_of_turns_may_have_a_panel_of_the_dialogue(study: Study, write: Write):
    rows = ["dialogue_id,turn,speaker,text,fact", "d1,1,A,Hi,Bees count.", "d1,2,B,Ho,Bees count."]
    load(study, write(*rows, name="a.csv"), columns={"context": "fact"})
    assert study.dialogues.get().context == [{"title": "Fact", "text": "Bees count."}]
    other = write(*rows[:2], "d1,2,B,Ho,Ants count.", name="b.csv")
    assert errors_of(load, study, other, columns={"context": "fact"})[0][1:] == (
        "context",
        "is not the same in all rows of the dialogue 'd1'",
    )


def test_a_protocol_about_a_fact_warns_of_dialogues_without_a_panel(db: None, write: Write):
    study = StudyFactory(protocol_version=builtin("usr-1.1"))
    path = write("prompt,response,model,fact", "Trains?,Calming.,m1,One.", name="a.csv")
    (warning,) = load(study, path, is_dry_run=True).warnings
    assert in_words(warning, "page") == (
        "This protocol asks about “Uses Knowledge”, but no dialogue or response has a context panel, so annotators see "
        "no fact or persona. In a table, under Columns, choose the column of “Context panel of the dialogue” or "
        "“Context panel of the response”; in objects, use the field “context”."
    )
    assert not load(study, path, columns={"response_context": "fact"}).warnings


def test_responses_without_the_panel_that_others_have_are_counted(db: None, write: Write):
    study = StudyFactory(protocol_version=builtin("usr-1.1"))
    rows = ["prompt,response,model,Wissensfakt", "Trains?,Calming.,m1,One.", "Trains?,Fast.,m2,Two.", "Trains?,No.,m3,"]
    columns = {"response_context": "Wissensfakt"}
    (warning,) = load(study, write(*rows, name="a.csv"), is_dry_run=True, columns=columns).warnings
    assert warning == "1 of 3 responses has no “Wissensfakt”."
    records = [{"dialogue_id": "d1", "history": [{"speaker": "A", "text": "Hi"}], "candidates": [
        {"source": "m1", "text": "Ho", "context": [{"title": "Fact", "text": "One."}]},
        {"source": "m2", "text": "Hm", "context": [{"title": "Rule", "text": "Two."}]},
        {"source": "m3", "text": "Oh"}, {"source": "m4", "text": "Ah"},
    ]}]  # fmt: skip
    (warning,) = load(study, write(*records), is_dry_run=True).warnings
    assert warning == "2 of 4 responses have no context panel."
