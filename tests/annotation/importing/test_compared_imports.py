"""Dialogues for a study that compares are checked at import, and can be corrected as long as nothing uses them."""

import json
import re
from io import StringIO
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation.importing.outcome import LineError, in_words
from annotation.models import Dialogue, ImportJob, Prediction, Study
from annotation.services.batching import make_batches
from annotation.services.refusals import Refused
from annotation.services.uploads import run_import_job
from tests.annotation.importing.conftest import DATA, NOW, Write, builtin, dialogue, errors_of, load
from tests.factories import MembershipFactory, MetricFactory, StudyFactory

pytestmark = pytest.mark.django_db
TABLE = "id,history,model,task\na1,User: Tea? Bot: Yes.,m1,tea\na2,User: Tea? Bot: No.,m2,tea\n"
ROWS = [{"response": "-"}, {"response": "-", "scenario": "task"}]


def whole(key: str, **fields: Any) -> dict[str, Any]:
    turns = [{"role": "user", "content": "Any tea?"}, {"role": "assistant", "content": f"Yes, {key}."}]
    return {"dialogue_id": key, "messages": turns, **fields}


def both_sides(scenario: str = "s") -> list[dict[str, Any]]:
    return [whole(f"{model}-{scenario}", model=model, scenario=scenario) for model in ("m1", "m2")]


@pytest.fixture
def study() -> Study:
    return StudyFactory(slug="sides", protocol_version=builtin("acute-eval-1.0-dialogues"))


@pytest.fixture
def owner(study: Study, client: Client) -> Client:
    client.force_login(MembershipFactory(study=study, role="owner").user)
    return client


def shown(client: Client, content: str, name: str = "file.csv", **fields: str) -> str:
    """The text of the preview."""
    data = {"kind": "dialogues", "file": SimpleUploadedFile(name, content.encode()), **fields}
    page = client.post(reverse("study_import_preview", args=["sides"]), data).content.decode()
    return " ".join(re.sub("<[^>]+>", " ", page).replace("&#x27;", "'").split())


def upload(client: Client, content: str, name: str = "file.csv", **fields: str) -> ImportJob:
    data = {"kind": "dialogues", "file": SimpleUploadedFile(name, content.encode()), **fields}
    client.post(reverse("study_import", args=["sides"]), data)
    run_import_job(ImportJob.objects.latest("pk").pk, NOW)
    return ImportJob.objects.latest("pk")


# --- what the protocol needs ---------------------------------------------------------------------
def test_a_table_without_the_scenario_is_refused_with_line_field_and_remedy(study: Study, write: Write) -> None:
    errors = errors_of(load, study, write(TABLE, name="t.csv"), columns=ROWS[0])
    assert [(line, field) for line, field, _reason in errors] == [(2, "scenario"), (3, "scenario")]
    assert errors[0][2] == (
        "is missing: this protocol compares, so a dialogue without responses needs a source and a scenario: name the "
        "column with --map scenario=COLUMN"
    )
    assert not study.dialogues.exists()
    assert load(study, write(TABLE, name="t.csv"), columns=ROWS[1]).counts["dialogues_new"] == 2


def test_a_file_without_sources_is_told_how_to_name_one(study: Study, write: Write) -> None:
    ((line, field, reason),) = errors_of(load, study, write(whole("a")))
    assert (line, field) == (1, "source and scenario")
    assert "add “source” and “scenario” to the dialogue" in reason
    assert reason.endswith("one source of the whole file can be named as --source NAME")
    assert load(study, write(whole("a", scenario="s")), source="m1").counts["dialogues_new"] == 1


def test_the_preview_and_the_page_name_the_select_and_no_flag(owner: Client) -> None:
    page = shown(owner, TABLE, map_response="-")
    assert "Lines 2, 3 (2 rows), scenario: is missing" in page
    assert "under Columns, choose the column of “Scenario”" in page
    errors = [LineError.from_stored(kept).for_page() for kept in upload(owner, TABLE, map_response="-").errors]
    assert [(error.line, error.field) for error in errors] == [(2, "scenario"), (3, "scenario")]
    assert "under Columns, choose the column of “Scenario”" in errors[0].reason
    assert "--" not in page + errors[0].reason


def test_responses_and_turns_of_conversations_need_no_scenario(study: Study, write: Write) -> None:
    assert load(study, write(dialogue("d1"))).counts["dialogues_new"] == 1
    assert load(study, write(whole("t2", conversation="c"))).counts["dialogues_new"] == 1


def test_other_protocols_need_neither(write: Write) -> None:
    assert load(StudyFactory(), write(whole("a"))).counts["dialogues_new"] == 1


# --- both sides ----------------------------------------------------------------------------------
def test_a_scenario_with_one_side_is_a_warning_with_its_line(study: Study, write: Write) -> None:
    lines = [*both_sides("x"), whole("m1-y", model="m1", scenario="y")]
    (warning,) = load(study, write(*lines)).warnings
    assert warning.startswith("Line 3: the scenario 'y' has a dialogue of only one source, m1. Import the dialogue")
    later = load(study, write(whole("m2-y", model="m2", scenario="y")))
    assert later.warnings == []


def test_a_dialogue_with_responses_of_one_source_is_a_warning_too(study: Study, write: Write) -> None:
    alone = dialogue("d2", candidates=[{"source": "m1", "text": "Hello."}])
    warning, _version = load(study, write(dialogue("d1"), alone)).warnings
    assert warning.startswith("Line 2: the dialogue 'd2' has responses of only one source, m1.")


def test_many_warnings_are_counted(study: Study, write: Write) -> None:
    warnings = load(study, write(*(whole(f"a{at}", model="m1", scenario=f"s{at}") for at in range(12)))).warnings
    assert (len(warnings), warnings[-1]) == (11, "And 2 more.")


def test_the_preview_warns_unless_the_study_has_the_other_side(owner: Client, study: Study, write: Write) -> None:
    table = TABLE.rsplit("a2", 1)[0]
    fields = {"map_response": "-", "map_scenario": "task"}
    assert "Line 2: the scenario 'tea' has a dialogue of only one source, m1." in shown(owner, table, **fields)
    assert "only one source" not in shown(owner, table, is_part="on", **fields)
    load(study, write(whole("other", model="m2", scenario="tea")))
    assert "only one source" not in shown(owner, table, **fields)


def test_the_page_of_an_import_shows_its_warnings(owner: Client) -> None:
    job = upload(owner, TABLE.rsplit("a2", 1)[0], map_response="-", map_scenario="task", is_dry_run="on")
    page = owner.get(reverse("study_import_job", args=["sides", job.token])).content.decode()
    assert '<p class="note warn">Line 2: the scenario' in page


def test_batches_cannot_be_made_until_the_other_side_is_there_or_the_dialogue_is_removed(
    owner: Client, study: Study, write: Write
) -> None:
    load(study, write(*both_sides("x"), whole("m1-y", model="m1", scenario="y")))
    with pytest.raises(Refused, match=r"of only one: y\. Import a dialogue of another source"):
        make_batches(study, by="size", size=5, now=NOW)
    sure = {"key": "m1-y", "is_sure": "on"}
    page = owner.post(reverse("study_dialogues_remove", args=["sides"]), sure, follow=True).content.decode()
    assert "1 dialogue has been removed." in page
    assert len(make_batches(study, by="size", size=5, now=NOW)) == 1


# --- correcting ----------------------------------------------------------------------------------
def test_an_unused_dialogue_is_replaced_on_request(study: Study, write: Write) -> None:
    load(study, write(whole("a", model="wrong", scenario="s"), whole("b", model="m2", scenario="s")))
    corrected = write(whole("a", model="m1", scenario="s"), whole("b", model="m2", scenario="s"))
    ((line, field, reason),) = errors_of(load, study, corrected)
    assert (line, field) == (1, "dialogue_id")
    assert reason.endswith("use --replace-unused to correct it, or give the new dialogue another id")
    counts = load(study, corrected, replace_unused=True).counts
    assert (counts["dialogues_replaced"], counts["dialogues_new"], counts["dialogues_unchanged"]) == (1, 0, 1)
    assert dict(study.dialogues.values_list("key", "source__key")) == {"a": "m1", "b": "m2"}
    assert set(study.sources.values_list("key", flat=True)) == {"m1", "m2"}
    assert load(study, corrected, replace_unused=True).counts["dialogues_replaced"] == 0


def test_a_dry_run_replaces_nothing(study: Study, write: Write) -> None:
    load(study, write(*both_sides()))
    summary = load(study, write(whole("m1-s", model="m3", scenario="s")), is_dry_run=True, replace_unused=True)
    assert summary.counts["dialogues_replaced"] == 1
    assert set(study.sources.values_list("key", flat=True)) == {"m1", "m2"}


def test_a_dialogue_in_a_batch_is_never_replaced(study: Study, write: Write) -> None:
    load(study, write(*both_sides("x"), *both_sides("y")))
    make_batches(study, by="size", size=1, n_dialogues=2, now=NOW)
    used = Dialogue.objects.filter(items__isnull=False).get().scenario
    changed = write(*(whole(f"m2-{name}", model="m2", scenario=name, topic="new") for name in ("x", "y")))
    ((line, _field, reason),) = errors_of(load, study, changed, replace_unused=True)
    assert line == "xy".index(used) + 1
    assert reason.endswith("it is in use, so give the new dialogue another id")


def test_a_dialogue_with_predictions_is_used(write: Write) -> None:
    study = StudyFactory()
    load(study, write(dialogue("d1")))
    candidate = study.dialogues.get().candidates.first()
    Prediction.objects.create(metric=MetricFactory(study=study), candidate=candidate, value=0.5)
    errors = errors_of(load, study, write(dialogue("d1", topic="new")), replace_unused=True)
    assert "it is in use" in errors[0][2]


def test_the_page_has_a_box_to_replace_and_the_error_names_it(owner: Client, study: Study, write: Write) -> None:
    fields = {"map_response": "-", "map_scenario": "task"}
    load(study, write(whole("a1", model="m1", scenario="tea")))
    (kept,) = upload(owner, TABLE, **fields).errors
    said = LineError.from_stored(kept).for_page().reason
    assert "tick “Replace dialogues that are not used yet” to correct it" in said
    job = upload(owner, TABLE, replace_unused="on", **fields)
    assert (job.status, job.summary["counts"]["dialogues_replaced"]) == ("done", 1)
    page = owner.get(reverse("study_import_job", args=["sides", job.token])).content.decode()
    assert "Replaced dialogues" in page


# --- chat logs -----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("langfuse_traces.jsonl", "is a chat log, and not dialogues with responses"),
        ("phoenix.jsonl", "is a chat log, and not dialogues with responses"),
        ("messages.jsonl", "must be text, not a list: if it is a chat log"),
    ],
)
def test_a_chat_log_that_is_not_told_to_be_one_is_told_so(owner: Client, study: Study, name: str, said: str) -> None:
    path = DATA / "transcripts" / name
    assert any(said in reason and reason.endswith("use --transcript") for *_, reason in errors_of(load, study, path))
    page = shown(owner, path.read_text(), name)
    assert said in page
    assert "tick “The file is a chat log: rate its responses”" in page
    assert "--" not in page


def test_a_dialogue_without_responses_is_a_warning_where_responses_are_rated(write: Write) -> None:
    (warning,) = load(StudyFactory(), write(dialogue("d1"), name="a.jsonl")).warnings or ("",)
    assert warning == ""
    (warning,) = load(
        StudyFactory(), write(whole("a", candidates=[{"source": "m1", "text": "So."}]), whole("b"))
    ).warnings
    assert warning.startswith("Line 2: a dialogue has no responses")


NOTHING = "Nothing can be rated: this protocol rates responses, and no dialogue has one."
AS_LOG = "The file looks like a chat log: "
ON_PAGE = f"{AS_LOG}tick “The file is a chat log: rate its responses”."
BY_COMMAND, BY_API = f"{AS_LOG}use --transcript.", f"{AS_LOG}send transcript=true."


@pytest.mark.parametrize("fields", [{}, {"conversation_id": "c"}, {"model": "gpt", "conversation_id": "c"}])
def test_messages_without_responses_are_told_to_be_a_chat_log(write: Write, fields: dict[str, str]) -> None:
    path = write(whole("a", **fields))
    assert in_words(*load(StudyFactory(), path).warnings, "page") == f"{NOTHING} {ON_PAGE}"
    (warning,) = load(StudyFactory(protocol_version=builtin("abc-eval-1.1")), path).warnings
    no_response = "No dialogue has a response, so only the questions about whole dialogues can be asked."
    assert in_words(warning, "page") == f"{no_response} {ON_PAGE}"
    assert load(StudyFactory(protocol_version=builtin("dialogue-questionnaire-1.0")), path).warnings == []
    compared = StudyFactory(protocol_version=builtin("acute-eval-1.0"))
    if "conversation_id" in fields:
        (warning,) = load(compared, path).warnings
        assert warning == "Nothing can be compared: no dialogue has responses, or a source and a scenario."


def test_the_preview_the_job_and_the_command_say_that_nothing_can_be_rated(client: Client, write: Write) -> None:
    study = StudyFactory(slug="sides")
    client.force_login(MembershipFactory(study=study, role="owner").user)
    line = json.dumps(whole("a", conversation_id="c"))
    assert f"{NOTHING} {ON_PAGE}" in shown(client, line, "log.jsonl")
    assert NOTHING not in shown(client, line, "log.jsonl", transcript="on")
    printed = StringIO()
    call_command("import_dialogues", "sides", str(write(line)), dry_run=True, stdout=printed)
    assert f"Warning: {NOTHING} {BY_COMMAND}" in printed.getvalue()
    job = upload(client, line, "log.jsonl")
    assert client.get(f"/api/v1/studies/sides/imports/{job.token}/").json()["summary"]["warnings"] == [
        f"{NOTHING} {BY_API}"
    ]
    job_page = client.get(reverse("study_import_job", args=["sides", job.token])).content.decode()
    assert f"{NOTHING} {ON_PAGE}" in job_page


def test_what_is_fine_reads_as_fine(study: Study, write: Write) -> None:
    summary = load(study, write(*both_sides()))
    assert (summary.notes, summary.warnings) == ([], [])
    (note,) = load(StudyFactory(), write(dialogue("d1", candidates=[{"source": "m1", "text": "Hello."}]))).notes
    assert note.startswith("No source is marked as the ground truth. Nothing needs to be done unless one of them is")


# --- the version that fits -----------------------------------------------------------------------
UNFITTING = (
    "The questions and guidelines of this protocol speak of whole dialogues, but the study compares responses. The "
    "right one is ACUTE-Eval, version 1.0."
)


def test_a_version_that_does_not_fit_the_material_is_told_at_the_import(owner: Client, study: Study) -> None:
    line = json.dumps(dialogue("d1"))
    assert UNFITTING in shown(owner, line, "d.jsonl")
    job = upload(owner, line, "d.jsonl")
    assert job.summary["warnings"] == [UNFITTING]
    assert UNFITTING in owner.get(reverse("study_import_job", args=["sides", job.token])).content.decode()
    assert UNFITTING in owner.get(reverse("study_batches", args=["sides"])).content.decode()


def test_the_command_names_the_version_that_fits_too(study: Study, write: Write) -> None:
    printed = StringIO()
    call_command("import_dialogues", "sides", str(write(dialogue("d1"))), stdout=printed)
    assert f"Warning: {UNFITTING}" in printed.getvalue()
