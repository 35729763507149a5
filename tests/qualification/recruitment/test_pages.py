"""The page of recruitment, and what is kept of consents."""

from datetime import timedelta

import pytest
from django.urls import reverse

from annotation.models import Study
from annotation.services.joining import give_consent
from qualification.models import ConsentText, Recruitment
from qualification.recruitment.selectors.facts import consent_texts_of
from qualification.recruitment.services.consent_texts import keep_consent_text, keep_consent_texts
from qualification.tasks import keep_consents
from tests.cast import Cast
from tests.clock import NOW
from tests.factories import make_annotator
from tests.qualification.recruitment.factories import (
    ConsentTextFactory,
    DemographicsFactory,
    EntryFactory,
    PayEntryFactory,
    open_for,
)

pytestmark = pytest.mark.django_db
LATER = timedelta(minutes=1)
WANTED = {
    "n_wanted": "40", "locations": "Italy, San Marino", "gender": "balanced", "first_languages": "Italian",
    "least_approval": "95", "least_submissions": "20", "education": "any", "expertise": "", "other": "Not tired",
}  # fmt: skip
BY_PROLIFIC = {"provider": "prolific", "is_open": "on", "code_done": " CX1 ", "code_screened_out": "CX2"}


def save(client, cast: Cast, **fields: str):
    client.force_login(cast.researcher)
    return client.post(reverse("recruitment", args=["wellbeing"]), fields, follow=True)


# --- the settings ---------------------------------------------------------------------------------------------
def test_a_study_begins_with_the_criteria_of_the_reference_study(client, cast):
    client.force_login(cast.researcher)
    form = client.get(reverse("recruitment", args=["wellbeing"])).context["form"]

    assert (form["least_approval"].value(), form["least_submissions"].value()) == (95, 20)
    assert not Recruitment.objects.exists()


def test_criteria_and_platform_are_saved_as_data(client, cast):
    page = save(client, cast, **WANTED, **BY_PROLIFIC).content.decode()
    stored = Recruitment.objects.get()

    assert (stored.locations, stored.first_languages) == (["Italy", "San Marino"], ["Italian"])
    assert (stored.n_wanted, stored.gender, stored.code_done, stored.is_open) == (40, "balanced", "CX1", True)
    token = cast.study.join_token
    assert f"/enter/{token}/prolific/?PROLIFIC_PID={{{{%PROLIFIC_PID%}}}}&amp;STUDY_ID=" in page
    logged = cast.study.activities.get(verb="recruitment")
    assert "code_done" in logged.details["changed"]
    assert "CX1" not in str(logged.details)


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"provider": "", "is_open": "on"}, "provider"),
        ({"provider": "nowhere"}, "provider"),
        ({"code_done": ""}, "code_done"),
        ({"code_screened_out": "CX1"}, "code_done"),
        ({"code_done": "<script>"}, "code_done"),
        ({"code_done": "a\x00"}, "code_done"),
        ({"code_done": "x" * 65}, "code_done"),
        ({"least_approval": "101"}, "least_approval"),
        ({"platform_url": "javascript:alert(1)"}, "platform_url"),
        ({"platform_url": "ftp://a.org"}, "platform_url"),
        ({"locations": ",".join(["x"] * 51)}, "locations"),
        ({"n_wanted": "-1"}, "n_wanted"),
        ({"asks_demographics": "on"}, "asks_demographics"),  # without a consent text
    ],
)
def test_what_cannot_be_right_is_said_beside_its_field(client, cast, fields, field):
    answer = save(client, cast, **WANTED | BY_PROLIFIC | fields)

    assert answer.status_code == 422
    assert field in answer.context["form"].errors
    assert not Recruitment.objects.exists()


def test_people_who_would_wait_for_ever_are_warned_of(client, cast):
    assert "wait until a team lead clears them" in save(client, cast, **WANTED, **BY_PROLIFIC).content.decode()
    Study.objects.update(has_qualification=True)
    page = client.get(reverse("recruitment", args=["wellbeing"])).content.decode()
    assert "wait until" not in page


def test_the_page_costs_the_same_for_many_people(client, cast, django_assert_max_num_queries):
    open_for(cast.study)
    for number in range(12):
        entry = EntryFactory(study=cast.study, participant=make_annotator(cast.study, f"many-{number}"))
        DemographicsFactory(participant=entry.participant)
        PayEntryFactory(participant=entry.participant)
        ConsentTextFactory(study=cast.study, version=str(number), kept_at=NOW + number * LATER)
    client.force_login(cast.owner)
    with django_assert_max_num_queries(18):
        client.get(reverse("recruitment", args=["wellbeing"]))


def test_the_states_of_those_who_came_are_counted(client, cast):
    open_for(cast.study)
    EntryFactory(study=cast.study, participant=cast.annotators[0])
    EntryFactory(study=cast.study, participant=cast.annotators[1], state="done", ended_at=NOW)
    client.force_login(cast.owner)
    page = client.get(reverse("recruitment", args=["wellbeing"]))

    assert page.context["came"].states == [("in progress", 1), ("finished", 1)]
    assert page.context["came"].n == 2


def test_a_platform_that_has_closed_cannot_be_chosen_and_keeps_its_files(client, cast):
    client.force_login(cast.owner)
    address = reverse("recruitment", args=["wellbeing"])
    assert "Mechanical Turk" not in client.get(address).content.decode()

    open_for(cast.study, provider="mturk")
    assert "Mechanical Turk" in client.get(address).content.decode()
    answer = client.post(address, BY_PROLIFIC | {"provider": "mturk"})
    assert answer.status_code == 422
    assert "has closed" in answer.content.decode()
    assert client.get(reverse("recruitment_approvals", args=["wellbeing"])).status_code == 200


def test_no_platforms_id_of_a_person_is_on_the_page(client, cast):
    open_for(cast.study)
    entry = EntryFactory(study=cast.study, participant=cast.annotators[0])
    DemographicsFactory(participant=entry.participant)
    client.force_login(cast.owner)

    assert entry.person not in client.get(reverse("recruitment", args=["wellbeing"])).content.decode()


# --- consent texts ----------------------------------------------------------------------------------------------
def consent(study: Study, text: str, version: str) -> Study:
    Study.objects.filter(pk=study.pk).update(consent_text=text, consent_version=version)
    study.refresh_from_db()
    return study


def test_every_text_is_kept_once_with_those_who_agreed_to_it(cast):
    study = consent(cast.study, "Old words.", "1")
    assert keep_consent_text(study, now=NOW)
    assert not keep_consent_text(study, now=NOW + LATER)
    for annotator in cast.annotators[:2]:
        give_consent(annotator, study, now=NOW + LATER)
    consent(study, "New words.", "2")
    assert keep_consent_text(study, now=NOW + 2 * LATER)
    give_consent(cast.annotators[2], study, now=NOW + 3 * LATER)

    kept = [(each.version, each.text, each.n_agreed) for each in consent_texts_of(study)]
    assert kept == [("2", "New words.", 1), ("1", "Old words.", 2)]


def test_a_text_changed_under_the_same_version_is_told_apart_by_the_time(cast):
    study = consent(cast.study, "Old words.", "1")
    keep_consent_text(study, now=NOW)
    give_consent(cast.annotators[0], study, now=NOW + LATER)
    consent(study, "New words.", "1")
    keep_consent_text(study, now=NOW + 2 * LATER)
    give_consent(cast.annotators[1], study, now=NOW + 3 * LATER)
    consent(study, "Old words.", "1")
    keep_consent_text(study, now=NOW + 4 * LATER)

    assert [(each.text, each.n_agreed) for each in consent_texts_of(study)] == [
        ("Old words.", 0), ("New words.", 1), ("Old words.", 1)
    ]  # fmt: skip


def test_who_agreed_before_texts_were_kept_is_counted_all_the_same(cast):
    cast.study.participants.update(consented_at=NOW, consent_version="0")

    assert [(each.version, each.kept_at, each.n_agreed) for each in consent_texts_of(cast.study)] == [("0", None, 3)]


def test_the_clock_keeps_the_texts_of_doors_that_know_nothing_of_it(cast):
    consent(cast.study, "Words.", "1")
    keep_consents()
    keep_consents()

    assert [text.text for text in ConsentText.objects.all()] == ["Words."]
    assert keep_consent_texts(now=NOW) == 0


def test_a_study_without_consent_keeps_nothing(cast):
    assert not keep_consent_text(cast.study, now=NOW)
    assert not ConsentText.objects.exists()
