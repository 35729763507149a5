"""What the database does not know, the checklist takes from the datasheet."""

import json

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import DatasheetAnswer, Study
from reporting.report.build import build_report
from reporting.report.checklist import Entry
from tests.factories import MembershipFactory

pytestmark = pytest.mark.django_db
NOW = timezone.now()
WRITTEN = {
    "D1": "The history and one response.",
    "D7": "Prolific",
    "D8": "First language Italian.\nApproved by 95 % or more.",
    "3.2.2.2": "7 GBP per batch.",
    "3.2.5": "18 to 65 years, 20 women and 15 men.",
}


@pytest.fixture
def described(he_study: Study) -> Study:
    """The imported study, whose datasheet says how the answers were collected."""
    for number, text in WRITTEN.items():
        DatasheetAnswer.objects.create(study=he_study, question=number, text=text, updated_at=NOW)
    return he_study


def entries_of(study: Study) -> dict[str, Entry]:
    return {row.key: row for row in build_report(study, now=NOW).checklist}


def test_the_checklist_has_the_answers_of_the_datasheet(described: Study):
    entries = entries_of(described)
    assert {key: entries[key].lines for key in ("payment", "platform", "demographics", "presentation")} == {
        "payment": ["Datasheet, question 3.2.2.2: 7 GBP per batch."],
        "platform": ["Datasheet, question D7: Prolific"],
        "demographics": ["Datasheet, question 3.2.5: 18 to 65 years, 20 women and 15 men."],
        "presentation": ["Datasheet, question D1: The history and one response."],
    }
    assert entries["sampling_criteria"].lines == [
        "Datasheet, question D8: First language Italian.",
        "Approved by 95 % or more.",
    ]
    missing = {key for key, row in entries.items() if row.status == "missing"}
    assert missing == {"qualification_task", "qualification_rule", "time"}


def test_every_missing_entry_of_an_imported_study_says_where_to_state_it(he_study: Study):
    missing = [row for row in entries_of(he_study).values() if row.status == "missing"]
    assert len(missing) == 8
    assert all("State it in the datasheet: question " in (row.to_do or "") for row in missing)


def test_how_freely_people_worked_is_not_how_long(he_study: Study):
    pace = DatasheetAnswer.objects.create(study=he_study, question="3.3.5", text="at a set time", updated_at=NOW)
    assert entries_of(he_study)["time"].status == "missing"
    DatasheetAnswer.objects.filter(pk=pace.pk).update(text="at a set time\n40 minutes for each batch")
    assert entries_of(he_study)["time"].lines == ["Datasheet, question 3.3.5: 40 minutes for each batch"]


def test_what_the_study_knows_goes_before_what_the_datasheet_says(scale_study: Study):
    DatasheetAnswer.objects.create(study=scale_study, question="D9", text="Nothing.", updated_at=NOW)
    assert entries_of(scale_study)["payment"].lines[0].startswith("5.00 GBP per batch")


def test_the_page_and_the_file_say_the_same(described: Study, client: Client):
    client.force_login(MembershipFactory(study=described, role="lead").user)
    page = client.get(reverse("report", args=[described.slug])).text
    assert "Datasheet, question 3.2.2.2: 7 GBP per batch." in page
    found = json.loads(client.get(reverse("report_json", args=[described.slug])).content)
    (payment,) = [row for row in found["checklist"] if row["key"] == "payment"]
    assert payment["value"] == {"question": "3.2.2.2", "answer": "7 GBP per batch."}
