"""What a file leaves out and people easily overlook: whole dialogues of chat logs, the source, the columns needed."""

import html
import json
import re
from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client

from annotation.models import Study
from tests.annotation.import_pages import page, send, text_after_import
from tests.annotation.importing.conftest import builtin
from tests.factories import MembershipFactory, StudyFactory

pytestmark = pytest.mark.django_db
SAID = [("user", "Hi"), ("assistant", "Hello"), ("user", "Bye"), ("assistant", "Ciao")]
CHAT = json.dumps({"id": "c", "model": "bot", "messages": [{"role": role, "content": text} for role, text in SAID]})
WHOLES = "This protocol also asks about whole dialogues: to ask these questions after the last turn, "
ON_PAGE = f"{WHOLES}tick “Rate the whole dialogue too, at the end”."
SHEET = "Case No.,What the user wrote,Bot said (final),Which bot?\nK1,Hi,Hello,a\nK1,Hi,Hey,b\n"


@pytest.fixture
def study(client: Client) -> Study:
    study = StudyFactory(slug="wellbeing", protocol_version=builtin("abc-eval-1.1"))
    client.force_login(MembershipFactory(study=study, role="owner").user)
    return study


def preview_of(client: Client, content: str, name: str, **form: str) -> str:
    answer = send(client, content.encode(), name=name, route="study_import_preview", **form)
    return html.unescape(answer.content.decode())


def test_a_chat_log_without_its_whole_dialogues_is_warned_of_where_the_protocol_asks_about_them(
    client: Client, study: Study, tmp_path
) -> None:
    assert ON_PAGE in preview_of(client, CHAT, "chats.jsonl", transcript="on")
    assert WHOLES not in preview_of(client, CHAT, "chats.jsonl", transcript="on", with_dialogue="on")
    (path := tmp_path / "chats.jsonl").write_text(CHAT)
    out = StringIO()
    call_command("import_dialogues", "wellbeing", path, "--transcript", "--dry-run", stdout=out)
    assert f"Warning: {WHOLES}use --with-dialogue." in out.getvalue()
    send(client, CHAT.encode(), name="chats.jsonl", transcript="on")
    assert ON_PAGE in html.unescape(text_after_import(client))


def test_errors_of_columns_name_both_fields_and_what_is_left_of_the_file(client: Client, study: Study) -> None:
    said = preview_of(client, SHEET, "responses.csv")
    assert "columns not used yet: Case No., What the user wrote, Bot said (final), Which bot?" in said
    assert "choose the column of “Dialogue so far” or “Prompt (last turn)”" in said
    then = preview_of(client, SHEET, "responses.csv", map_prompt="What the user wrote")
    assert "columns not used yet: Case No., Bot said (final), Which bot?" in then
    assert "choose the column of “Response”" in then
    labels = re.findall(r'<label for="column-(\w+)">[^<]*<span class="quiet small">\(([^)]+)\)', said)
    assert dict(labels) == {
        "history": "needed, or the prompt",
        "prompt": "needed, or the dialogue so far",
        "response": "needed",
    }


def test_responses_without_a_source_are_told_to_be_of_one(client: Client, study: Study) -> None:
    mapped = {"map_prompt": "What the user wrote", "map_response": "Bot said (final)"}
    said = preview_of(client, SHEET, "responses.csv", **mapped)
    assert (
        "No column names the source: dialogues have up to 2 responses, all of one source, “model”. To compare "
        "systems, under Columns, choose the column of “Source”."
    ) in said
    assert "No column names the source" not in preview_of(
        client, SHEET, "responses.csv", map_source="Which bot?", **mapped
    )


def test_the_criterion_of_a_whole_file_is_chosen_by_its_name(client: Client, study: Study) -> None:
    shown = client.get(page()).content.decode()
    choice = re.search(r'<select name="criterion"[^>]*>(.*?)</select>', shown, re.DOTALL)
    assert choice
    offered = re.findall(r'<option value="([^"]*)"[^>]*>([^<]+)</option>', choice[1])
    assert offered[0] == ("", "named in the file, or the only one")
    assert ("interpretability", "Interpretability") in offered


def test_whole_dialogues_of_a_chat_log_are_said_not_to_be_rated_where_the_protocol_does_not_ask_about_them(
    client: Client, study: Study, tmp_path
) -> None:
    study.protocol_version = builtin("he-protocol-1.0")
    study.save()
    said = "This protocol does not ask about whole dialogues, so those that the import adds at the end are not rated."
    (path := tmp_path / "chats.json").write_text(f"[{CHAT}]")
    out = StringIO()
    call_command("import_dialogues", "wellbeing", path, "--transcript", "--with-dialogue", "--dry-run", stdout=out)
    (warning,) = [line for line in out.getvalue().splitlines() if "Warning" in line]
    assert warning == f"  Warning: {said}"
    page_text = preview_of(client, f"[{CHAT}]", "chats.json", transcript="on", with_dialogue="on")
    assert said in page_text
    assert "import it as a chat log instead" not in page_text
    assert said not in preview_of(client, f"[{CHAT}]", "chats.json", transcript="on")


def test_a_dialogue_without_responses_is_still_warned_of(client: Client, study: Study) -> None:
    study.protocol_version = builtin("he-protocol-1.0")
    study.save()
    bare = {"id": "b", "messages": [{"role": "user", "content": "Hi"}]}
    rated = bare | {"id": "r", "candidates": [{"id": "c", "source": "bot", "text": "Hello"}]}
    said = preview_of(client, json.dumps(rated) + "\n" + json.dumps(bare), "d.jsonl")
    assert "Line 2: a dialogue has no responses, but this protocol rates responses." in said
