"""Errors in a JSON list that is one line name the record: every record has the same line."""

import json
from functools import partial

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotation.importing import ImportRejected
from annotation.models import ImportJob, Study
from annotation.services.uploads import run_import_job
from tests.annotation.importing.conftest import NOW, Write, dialogue, load, load_ratings
from tests.factories import MembershipFactory

pytestmark = pytest.mark.django_db
ASKED = {"role": "user", "content": "Hi"}
RATED = {"item": "d1-bot", "annotator": "r1", "criterion": "appropriateness", "value": "Appropriate"}


def said(study: Study, write: Write, records: list, call=load) -> list[str]:
    with pytest.raises(ImportRejected) as refused:
        call(study, write(json.dumps(records), name="a.json"))
    return [error.for_command().as_text("a.json") for error in refused.value.errors]


def test_a_record_of_dialogues_is_named(study: Study, write: Write) -> None:
    assert said(study, write, [dialogue("d1"), dialogue("d2", candidates=[]), 3]) == [
        "a.json: record 2: candidates: is an empty list",
        "a.json: record 3: must be one object {...}, not a number",
    ]


def test_a_chat_log_is_named(study: Study, write: Write) -> None:
    replies = [{"role": "assistant", "content": "Ho"}, {"role": "assistant"}]
    logs = [{"id": str(at), "model": "bot", "messages": [ASKED, each]} for at, each in enumerate(replies)]
    (wrong,) = said(study, write, logs, partial(load, transcript=True))
    assert wrong == "a.json: record 2: messages[1].content: is empty: remove the message, or give its text"


def test_a_field_that_is_not_there_is_called_missing(study: Study, write: Write) -> None:
    responses = [{"source": "bot"}, {"source": "bot", "text": None}]
    records = [dialogue(f"d{at}", candidates=[each]) for at, each in enumerate(responses)]
    assert said(study, write, records) == [
        "a.json: record 1: candidates[0].text: is missing",
        "a.json: record 2: candidates[0].text: must be text, not null",
    ]


def test_the_same_id_twice_is_refused(study: Study, write: Write) -> None:
    assert said(study, write, [dialogue("d1"), dialogue("d2"), dialogue("d1")]) == [
        "a.json: record 3: dialogue_id: has the same id 'd1' as record 1: each dialogue needs its own id"
    ]


def test_a_record_of_ratings_is_named(he_study: Study, write: Write) -> None:
    load(he_study, write(dialogue("d1")))
    records = [RATED, RATED | {"annotator": "r2", "value": "?"}, RATED]
    (wrong,) = said(he_study, write, records[:2], load_ratings)
    assert wrong.startswith("a.json: record 2: value: '?' is not an answer to appropriateness: use ")
    records[1] = RATED | {"annotator": "r2"}
    assert said(he_study, write, records, load_ratings) == [
        "a.json: record 3: repeats record 1: same annotator, item and criterion"
    ]


def test_lines_are_named_where_each_record_has_its_own(study: Study, write: Write) -> None:
    records = ",\n".join(map(json.dumps, (dialogue("d1"), dialogue("d2", candidates=[]))))
    with pytest.raises(ImportRejected) as refused:
        load(study, write(f"[{records}]"))
    assert [error.line for error in refused.value.errors] == [2]


def test_the_page_the_command_and_the_api_name_it(study: Study, write: Write, client: Client) -> None:
    client.force_login(MembershipFactory(study=study, role="owner").user)
    path = write(json.dumps([dialogue("d1"), dialogue("d2", candidates=[])]), name="a.json")

    def sent() -> dict[str, object]:
        return {"kind": "dialogues", "file": SimpleUploadedFile("a.json", path.read_bytes())}

    preview = client.post(reverse("study_import_preview", args=[study.slug]), sent()).content.decode()
    assert "Record 2, candidates: is an empty list" in preview
    client.post(reverse("study_import", args=[study.slug]), sent())
    job = ImportJob.objects.get()
    run_import_job(job.pk, NOW)
    page = client.get(reverse("study_import_job", args=[study.slug, job.token])).content.decode()
    assert "a.json: record 2" in page
    (error,) = client.get(f"/api/v1/studies/{study.slug}/imports/{job.token}/").json()["errors"]
    assert (error["line"], error["record"], error["field"]) == (0, 2, "candidates")
    with pytest.raises(CommandError):
        call_command("import_dialogues", study.slug, str(path))
