"""The command line: what it prints, and how it ends."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotation.models import Dialogue, Rating, Study
from tests.annotation.import_pages import RATINGS
from tests.annotation.importing.conftest import DATA, HE_DIALOGUES, HE_RATINGS, SWITCHBOARD, Write, dialogue, workbook
from tests.cast import Cast

LOG = DATA / "transcripts" / "messages.jsonl"


def run(*args: object) -> str:
    out = StringIO()
    call_command(*map(str, args), stdout=out, stderr=StringIO())
    return out.getvalue()


def refused(*args: object) -> tuple[str, CommandError]:
    err = StringIO()
    with pytest.raises(CommandError) as error:
        call_command(*map(str, args), stdout=StringIO(), stderr=err)
    return err.getvalue(), error.value


def test_the_reference_study_from_the_command_line(he_study: Study) -> None:
    assert "dialogues new: 42" in run("import_dialogues", he_study.slug, HE_DIALOGUES)
    assert "4 batches made." in run("make_batches", he_study.slug, "--by", "given")
    said = run("import_ratings", he_study.slug, HE_RATINGS)
    assert "ratings new: 5,880" in said
    assert "seats taken: 28" in said
    assert "seats added: 0" in said
    assert "ratings unchanged: 5,880" in run("import_ratings", he_study.slug, HE_RATINGS)
    again = run("make_batches", he_study.slug, "--by", "given")
    assert again.startswith(
        "No batch was made: every dialogue that this protocol asks about is already in a batch of this kind "
        "(1, 2, 3, …)."
    )


def test_a_dry_run_says_so_and_stores_nothing(study: Study) -> None:
    assert run("import_dialogues", study.slug, HE_DIALOGUES, "--dry-run").startswith("Dry run: nothing was stored")
    assert not Dialogue.objects.exists()


def test_errors_are_printed_with_file_line_field_and_reason(study: Study, write: Write) -> None:
    path = write(dialogue("a"), "{", dialogue("b", history=5))
    printed, error = refused("import_dialogues", study.slug, path)
    assert printed.splitlines()[1] == f"{path}:3: history: must be a list, not a number"
    assert str(error) == "2 errors. Nothing was imported."
    assert error.returncode == 1


def test_more_errors_than_are_listed_are_counted(study: Study, write: Write) -> None:
    printed, error = refused("import_dialogues", study.slug, write(dialogue("a"), *["{"] * 300))
    assert len(printed.splitlines()) == 200
    assert str(error) == "300 errors, the last 100 not listed. Nothing was imported."


def test_an_unknown_study_is_told_with_those_there_are(study: Study) -> None:
    _, error = refused("import_dialogues", "nowhere", HE_DIALOGUES)
    assert str(error) == f"There is no study 'nowhere'. There are: {study.slug}."


def test_a_file_that_is_not_there_is_told(study: Study) -> None:
    _, error = refused("import_dialogues", study.slug, "missing.jsonl")
    assert str(error) == "missing.jsonl cannot be read: No such file or directory."


def test_columns_are_mapped_and_missing_things_created(coherence_study: Study, write: Write) -> None:
    path = write("d,i,source,who,value", "1,1-a,m,x,3", name="a.csv")
    args = ("import_ratings", coherence_study.slug, path, "--map", "dialogue=d,item=i,annotator=who")
    assert "is not in the study" in refused(*args)[0]
    run(*args, "--create-missing")
    assert Rating.objects.get().assignment.participant.pseudonym == "x"


def test_a_map_that_cannot_be_read_is_told(study: Study) -> None:
    _, error = refused("import_ratings", study.slug, SWITCHBOARD, "--map", "rater")
    assert "must look like annotator=rater" in str(error)


def test_options_of_dialogues_are_passed_on(study: Study, write: Write) -> None:
    path = write(dialogue("a", candidates=[{"text": r"one\ntwo"}]))
    run("import_dialogues", study.slug, path, "--source", "bot", "--reference", "bot", "--unescape-newlines")
    candidate = study.dialogues.get().candidates.get()
    assert (candidate.source.key, candidate.source.is_reference, candidate.text) == ("bot", True, "one\ntwo")


def test_batches_that_cannot_be_made_are_told(study: Study) -> None:
    run("import_dialogues", study.slug, HE_DIALOGUES)
    _, error = refused("make_batches", study.slug, "--by", "size")
    assert str(error) == "Enter the number of dialogues per batch."


def test_columns_are_mapped_once_or_several_times(study: Study, write: Write) -> None:
    path = write("case,said,a1,a2", "d1,Hi,Ho,Hey")
    printed, _error = refused("import_dialogues", study.slug, path)
    assert "name the column with --map history=COLUMN" in printed
    said = run("import_dialogues", study.slug, path, "--map", "dialogue=case,prompt=said", "--map", "response=a1|a2")
    assert "candidates new: 2" in said
    assert "(table-wide)" in said


def test_a_sheet_of_a_workbook_is_chosen(study: Study, tmp_path: Path) -> None:
    rows = [["id", "prompt", "response", "model"], ["d1", "Hi", "Ho", "a"]]
    path = workbook(tmp_path / "a.xlsx", rows, [["notes"]])
    assert f"{path}: sheet: the workbook has 2 sheets" in refused("import_dialogues", study.slug, path)[0]
    assert "dialogues new: 1" in run("import_dialogues", study.slug, path, "--sheet", "Sheet")


def test_a_chat_log_is_imported_with_its_options(study: Study) -> None:
    said = run("import_dialogues", study.slug, LOG, "--transcript", "--rate", "last", "--with-dialogue")
    assert "(transcript-messages)" in said
    assert "dialogues new: 4" in said
    assert set(study.dialogues.values_list("key", flat=True)) == {"tea:2", "tea", "train:2", "train"}


def test_roles_of_a_chat_log_are_named_one_by_one(study: Study) -> None:
    run(
        "import_dialogues", study.slug, LOG, "--transcript", "--role", "user", "--role", "assistant", "--rate", "from:2"
    )
    keys = {f"{log}:{number}" for log in ("tea", "train") for number in ("1", "user:2", "2")}
    assert set(study.dialogues.values_list("key", flat=True)) == keys


def test_options_of_a_chat_log_need_it(study: Study) -> None:
    _, error = refused("import_dialogues", study.slug, LOG, "--rate", "last")
    assert str(error) == "--role, --rate, --with-dialogue and --show-system are for chat logs: add --transcript."


def test_a_chat_log_that_is_none_tells_what_is_missing(study: Study) -> None:
    printed, _ = refused("import_dialogues", study.slug, HE_DIALOGUES, "--transcript")
    assert f"{HE_DIALOGUES}:1: history[0].role: is missing: name who says the message" in printed


def test_an_import_of_ratings_is_remembered_and_taken_back(coherence_study: Study, write: Write) -> None:
    path = write("item,annotator,source,value", "i1,x,falcno,1", name="r.csv")
    said = run("import_ratings", coherence_study.slug, path, "--create-missing")
    token = str(coherence_study.imports.get().token)
    assert f"To take it back: ./dev manage take_back_import {coherence_study.slug} {token}" in said

    listed = run("take_back_import", coherence_study.slug)
    assert token in listed
    assert "r.csv  1 ratings  by a command" in listed

    assert "ratings: 1" in run("take_back_import", coherence_study.slug, token)
    assert not Rating.objects.exists()
    assert not coherence_study.sources.exists()
    assert run("take_back_import", coherence_study.slug) == ""


def test_only_an_import_of_the_study_can_be_taken_back(coherence_study: Study) -> None:
    _, error = refused("take_back_import", coherence_study.slug, "x")
    assert str(error) == f"There is no import x in {coherence_study.slug}."


def test_a_dry_run_of_ratings_is_not_remembered(coherence_study: Study) -> None:
    said = run("import_ratings", coherence_study.slug, SWITCHBOARD, "--create-missing", "--dry-run")
    assert "To take it back" not in said
    assert not coherence_study.imports.exists()


def test_the_page_says_that_a_command_imported(cast: Cast, client: Client, write: Write) -> None:
    client.force_login(cast.researcher)
    run("import_ratings", cast.study.slug, write(RATINGS, name="r.csv"), "--create-missing")
    assert "a command</span>" in client.get(reverse("study_import", args=[cast.study.slug])).content.decode()
