"""Ratings that are imported before batches are made: their batch can be opened, and people are told so."""

import html
from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation.models import Candidate, Study
from annotation.services.claiming import claim_seat
from annotation.services.studies import open_study
from tests.annotation.import_pages import send, text_after_import
from tests.annotation.importing.conftest import load_ratings
from tests.clock import NOW
from tests.comparing import deal, make_scenarios
from tests.factories import MembershipFactory, make_annotator, make_batch

pytestmark = pytest.mark.django_db
PREFERENCES = b"scenario,left,right,winner,annotator\ns0,model-a,model-b,left,r1\ns1,model-b,model-a,left,r2\n"
NEW = (
    "These ratings go into a new closed batch, imported, and its dialogues can be in no other main batch. To have "
    "them rated in Parley too, open it under Batches: it then gets free seats (3). For smaller batches, make batches "
    "before you import the ratings."
)
NOTHING = (
    "No batch was made: every dialogue is already in a batch of this kind (imported). The seats of imported belong to "
    "imported annotators. Open it under Batches to have it rated here too: it then gets free seats (3). For smaller "
    "batches, take the import back (open it under Import), make batches, and import the ratings again."
)


@pytest.fixture
def study(client: Client) -> Study:
    study = make_scenarios(2, 2, slug="wellbeing")
    client.force_login(MembershipFactory(study=study, role="owner").user)
    return study


@pytest.fixture
def imported(study: Study, tmp_path) -> Study:
    path = tmp_path / "preferences.csv"
    path.write_bytes(PREFERENCES)
    load_ratings(study, path)
    return study


def post(client: Client, route: str, **form) -> str:
    answer = client.post(reverse(route, args=["wellbeing"]), form, follow=True)
    return html.unescape(answer.content.decode())


def test_the_preview_and_the_result_say_how_imported_pairs_can_be_rated_here(client: Client, study: Study) -> None:
    form = {"kind": "ratings", "name": "preferences.csv"}
    seen = send(client, PREFERENCES, route="study_import_preview", **form)
    assert NEW in html.unescape(seen.content.decode())
    send(client, PREFERENCES, **form)
    result = html.unescape(text_after_import(client))
    assert NEW in result
    assert "stay free for people who rate" not in result


def test_pairs_that_are_in_batches_already_need_no_such_note(client: Client, study: Study) -> None:
    deal(study)
    send(client, PREFERENCES, kind="ratings", name="preferences.csv")
    assert "These ratings go into" not in text_after_import(client)


def test_making_batches_warns_and_names_the_imported_batch_and_the_way_out(client: Client, imported: Study) -> None:
    said = post(client, "study_batches", kind="main", by="size", size=10)
    warning = said[said.index("No batch was made") - 200 : said.index("No batch was made")]
    assert NOTHING in said
    assert "warn" in warning
    assert "good" not in warning
    out = StringIO()
    call_command("make_batches", "wellbeing", "--by=size", "--size=10", stdout=out)
    assert out.getvalue().strip() == NOTHING


def test_an_imported_batch_that_is_opened_can_be_rated(client: Client, imported: Study) -> None:
    said = post(client, "study_batches_status", key="imported", status="open")
    assert "1 batch is now open. Free seats beside those of imported annotators: 3 in each of imported." in said
    assert "2 of 5" in said
    open_study(imported, now=NOW)
    batch = imported.batches.get()
    claim_seat(make_annotator(imported, "anna"), batch, now=NOW)
    post(client, "study_batches_status", key="imported", status="closed")
    assert "3 of 5" in post(client, "study_batches_status", key="imported", status="open")


UNREADABLE = (
    "“imported” cannot be opened: %s. To have them rated here, take the import of the ratings back, import the "
    "dialogues with their texts, and then the ratings again."
)
FOUR = "4 dialogues came with imported ratings and have no texts (w0-model-a, w0-model-b, w1-model-a, …)"
ONE = "1 dialogue came with imported ratings and has no text (w1-model-b)"


def test_a_batch_without_texts_is_not_opened(client: Client, study: Study, tmp_path) -> None:
    study.dialogues.update(is_textless=True)
    path = tmp_path / "preferences.csv"
    path.write_bytes(PREFERENCES)
    assert not any("free seats" in note for note in load_ratings(study, path).notes)
    assert UNREADABLE % FOUR in post(client, "study_batches_status", key="imported", status="open")
    assert study.batches.get().status == "closed"


def test_a_batch_with_one_dialogue_without_text_is_not_opened_through_the_api(client: Client, imported: Study) -> None:
    imported.dialogues.filter(key="w1-model-b").update(is_textless=True)
    answer = client.patch(
        reverse("api_batch", args=["wellbeing", "imported"]), {"status": "open"}, content_type="application/json"
    )
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["message"]) == (409, "without_texts", UNREADABLE % ONE)
    assert imported.batches.get().seats.count() == 2


def test_a_response_without_text_keeps_its_batch_closed(client: Client, study: Study) -> None:
    item = make_batch(study, status="draft").items.first()
    Candidate.objects.filter(pk=item.candidate_id).update(text="")
    said = post(client, "study_batches_status", key=item.batch.key, status="open")
    assert f"has no text ({item.dialogue.key})" in said
