"""Prompt and machine_completion, as a crowd task has them."""

import hashlib
from importlib import import_module

import orjson
from django.db import connection

from annotation.models import Candidate, Study
from tests.annotation.importing.conftest import Write, errors_of, load
from tests.factories import DialogueFactory


def csv(write: Write, text: str) -> object:
    return write(text, name="task.csv")


def test_rows_of_one_prompt_are_candidates_of_one_dialogue(study: Study, write: Write) -> None:
    text = "prompt,machine_completion,model\nHi,One,a\nBye,Two,a\nHi,Three,b\n"
    summary = load(study, csv(write, text))
    assert summary.format == "csv-prompts"
    assert summary.counts["dialogues_new"] == 2
    first = study.dialogues.get(turns=[{"speaker": "", "text": "Hi"}])
    assert set(first.candidates.values_list("source__key", "text")) == {("a", "One"), ("b", "Three")}


def test_line_breaks_and_markup_of_a_cell_are_kept_as_text(study: Study, write: Write) -> None:
    load(study, csv(write, 'prompt,machine_completion\r\n"one\r\ntwo\n<b>","a ""quoted"" \\n"\r\n'))
    assert study.dialogues.get().turns[0]["text"] == "one\ntwo\n<b>"
    candidate = Candidate.objects.get()
    assert candidate.text == 'a "quoted" \\n'
    assert candidate.source.key == "model"


def test_a_column_that_is_the_same_in_all_rows_is_the_dialogues(study: Study, write: Write) -> None:
    load(study, csv(write, "prompt,machine_completion,source,domain,nll\nHi,One,a,car,1\nHi,Two,b,car,2\n"))
    assert study.dialogues.get().metadata == {"domain": "car"}
    assert set(Candidate.objects.values_list("metadata__nll", flat=True)) == {"1", "2"}


def test_semicolons_and_tabs_are_recognised(study: Study, write: Write) -> None:
    load(study, write("Prompt;Machine_Completion\nHi, you;One\n", name="a.csv"))
    load(study, write("prompt\tmachine_completion\nBye;\tTwo\n", name="b.tsv"))
    assert {each.turns[0]["text"] for each in study.dialogues.all()} == {"Hi, you", "Bye;"}


def test_an_id_column_names_the_dialogue_and_its_prompt_must_not_change(study: Study, write: Write) -> None:
    errors = errors_of(load, study, csv(write, "id,prompt,machine_completion\n7,Hi,One\n7,Bye,Two\n"))
    assert errors == [(3, "prompt", "differs from the text on line 2 of the same dialogue '7'")]


def test_a_candidate_id_stands_once_in_a_dialogue(study: Study, write: Write) -> None:
    text = "prompt,machine_completion,candidate_id\nHi,One,c1\nHo,One,c1\nHi,Two,c1\n"
    assert errors_of(load, study, csv(write, text)) == [(4, "candidate_id", "'c1' is also on line 2")]


def test_a_row_with_too_few_cells_is_named_by_its_first_line(study: Study, write: Write) -> None:
    text = 'prompt,machine_completion\n"a\nb\nc",ok\n"d\ne"\nf,g,h\n'
    errors = errors_of(load, study, csv(write, text))
    assert [line for line, _, _ in errors] == [5, 7]
    assert "has 1 values, but the header has 2 columns" in errors[0][2]


def test_a_missing_column_is_said_with_those_that_are_there(study: Study, write: Write) -> None:
    errors = errors_of(load, study, csv(write, "prompt,completion\nHi,One\n"), format="csv-prompts")
    ((line, field, text),) = errors
    assert (line, field) == (1, "response")
    assert text.startswith("no column has a recognised name (machine_completion, response, ")
    assert text.endswith("; columns not used yet: completion: name the column with --map response=COLUMN")


def test_an_empty_cell_of_the_source_column_is_an_error(study: Study, write: Write) -> None:
    errors = errors_of(load, study, csv(write, "prompt,machine_completion,model\nHi,One,\n"))
    assert errors == [(2, "model", "is empty: name the model or person who wrote it")]


def test_a_quotation_mark_that_never_closes_is_an_error(study: Study, write: Write) -> None:
    errors = errors_of(load, study, csv(write, 'prompt,machine_completion\n"Hi,One\nBye,Two\n'))
    assert errors[0][0] == 2
    assert "check the quotation marks" in errors[0][2]


def test_a_column_named_twice_is_an_error(study: Study, write: Write) -> None:
    errors = errors_of(load, study, csv(write, "prompt,machine_completion,Prompt\na,b,c\n"))
    assert errors == [(1, "prompt", "the header has this column twice")]


def test_the_same_table_twice_changes_nothing(study: Study, write: Write) -> None:
    path = csv(write, "prompt,machine_completion,model\nHi,One,a\nHi,Two,b\n")
    load(study, path)
    summary = load(study, path)
    assert summary.counts == {
        "dialogues_new": 0,
        "dialogues_unchanged": 1,
        "candidates_new": 0,
        "sources_new": 0,
    }


def test_a_file_imported_when_the_prompt_was_a_speaker_is_known_again(study: Study, write: Write) -> None:
    """Its keys and digests were made with that name, and stay when the name goes."""
    path = csv(write, "prompt,machine_completion\nHi,One\n")
    load(study, path)
    stored = study.dialogues.get()
    turns = orjson.dumps([{"speaker": "prompt", "text": "Hi"}])
    assert stored.key == "h-" + hashlib.sha256(turns).hexdigest()[:24]
    assert load(study, path).counts["dialogues_unchanged"] == 1


def test_a_turn_without_a_speaker_comes_back_from_our_own_files(study: Study, write: Write) -> None:
    load(
        study,
        write({"id": "d1", "history": [{"speaker": "", "text": "Hi"}], "candidates": [{"source": "a", "text": "One"}]}),
    )
    assert study.dialogues.get().turns == [{"speaker": "", "text": "Hi"}]


def test_only_the_one_turn_of_a_prompt_loses_its_name(study: Study) -> None:
    one, two = {"speaker": "prompt", "text": "Hi"}, {"speaker": "A", "text": "Ho"}
    for turns in ([one], [two], [one, two]):
        DialogueFactory(study=study, turns=turns)
    migration = import_module("annotation.migrations.0013_prompt_speaker")
    with connection.cursor() as cursor:
        cursor.execute(migration.Migration.operations[0].sql)
    assert [each.turns for each in study.dialogues.order_by("pk")] == [[one | {"speaker": ""}], [two], [one, two]]
