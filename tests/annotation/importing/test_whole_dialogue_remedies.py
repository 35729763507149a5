"""Whole dialogues for a protocol that compares: an error says how to write them."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotation.models import ImportJob
from annotation.services.uploads import run_import_job
from tests.annotation.importing.conftest import NOW, Write, errors_of, load
from tests.comparing import make_study
from tests.factories import MembershipFactory

pytestmark = pytest.mark.django_db
HISTORY = [{"speaker": "A", "text": "Hi."}, {"speaker": "B", "text": "Ho."}]
OBJECTS = [{"dialogue_id": f"x{at}", "history": HISTORY, "model": f"m{at}", "scenario": "s"} for at in range(2)]
ROWS = "id,prompt,model,scenario\nx0,Hi.,m0,s\nx1,Ho.,m1,s\n"


@pytest.mark.parametrize(("more", "reason"), [({}, "is missing"), ({"candidates": []}, "is an empty list")])
def test_objects_with_a_history_are_told_to_call_it_messages(write: Write, more: dict[str, Any], reason: str) -> None:
    study = make_study(0, 0)
    errors = errors_of(load, study, write(*(each | more for each in OBJECTS)))
    how = "add the responses; if this is a whole dialogue, call its turns “messages” instead of “history”"
    assert errors == [(line, "candidates", f"{reason}: {how}") for line in (1, 2)]
    renamed = [{"messages" if name == "history" else name: value for name, value in each.items()} for each in OBJECTS]
    assert load(study, write(*renamed)).counts["dialogues_new"] == 2


def test_a_table_of_whole_dialogues_says_how_to_read_it(write: Write, client: Client) -> None:
    study = make_study(0, 0, slug="wholes")
    path = write(name="wholes.csv", exactly=ROWS.encode())
    ((_line, field, reason),) = errors_of(load, study, path)
    assert field == "response"
    assert reason.endswith("; if each row is a whole dialogue, use --map response=-")
    client.force_login(MembershipFactory(study=study, role="owner").user)

    def sent(**more: str) -> dict[str, Any]:
        return {"kind": "dialogues", "file": SimpleUploadedFile("wholes.csv", ROWS.encode()), **more}

    said = client.post(reverse("study_import_preview", args=["wholes"]), sent()).content.decode()
    assert "if each row is a whole dialogue, choose “none: each row is a whole dialogue” there" in said
    assert '<option value="-">none: each row is a whole dialogue</option>' in said
    client.post("/api/v1/studies/wholes/imports/", sent())
    run_import_job(ImportJob.objects.get().pk, NOW)
    (error,) = client.get(f"/api/v1/studies/wholes/imports/{ImportJob.objects.get().token}/").json()["errors"]
    assert error["reason"].endswith("; if each row is a whole dialogue, send map_response=-")
    with pytest.raises(CommandError):
        call_command("import_dialogues", "wholes", str(path))
    client.post(reverse("study_import", args=["wholes"]), sent(map_response="-"))
    run_import_job(ImportJob.objects.latest("pk").pk, NOW)
    assert sorted(study.dialogues.values_list("source__key", "scenario")) == [("m0", "s"), ("m1", "s")]
