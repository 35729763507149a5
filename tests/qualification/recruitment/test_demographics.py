"""Demographics: from the platform's file or by oneself, optional, apart, and gone when somebody asks for it."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotation.models import Study
from annotation.services.refusals import Refused
from qualification.models import Demographics, Recruitment
from qualification.recruitment.platforms import PROVIDERS
from qualification.recruitment.selectors.demographics import Cell, age_group, demographics_of
from qualification.recruitment.services.demographics import Outcome, import_demographics
from reporting.report.build import build_report
from tests.cast import Cast
from tests.clock import NOW
from tests.factories import UserFactory, make_annotator
from tests.qualification.recruitment.factories import DemographicsFactory, EntryFactory, RecruitmentFactory, open_for

pytestmark = pytest.mark.django_db
HEADING = (
    "Submission id,Participant id,Status,Custom study tncs accepted at,Started at,Completed at,Reviewed at,"
    "Archived at,Time taken,Completion code,Total approvals,Age,Sex,Sternzeichen\n"
)
TIMES = "APPROVED,Not Applicable,2026-03-02T09:00Z,2026-03-02T09:40Z,,,2400,CDONE1,120"


@pytest.fixture
def entries(cast: Cast) -> list:
    open_for(cast.study)
    Study.objects.filter(pk=cast.study.pk).update(consent_text="You agree.")
    cast.study.refresh_from_db()
    cast.study.participants.update(consented_at=NOW, consent_version="1")
    return [EntryFactory(study=cast.study, participant=each) for each in cast.annotators]


def line(entry, rest: str, session: str = "") -> str:
    return f"{session or entry.session},{entry.person},{TIMES},{rest}\n"


def read(cast: Cast, text: str | bytes, *, is_dry_run: bool = False) -> Outcome:
    data = text.encode() if isinstance(text, str) else text
    prolific = PROVIDERS["prolific"]
    return import_demographics(cast.study, prolific, data, is_dry_run=is_dry_run, by=cast.owner, now=NOW)


# --- the file ---------------------------------------------------------------------------------------------
def test_what_the_platform_says_is_stored_with_columns_that_nobody_expected(cast, entries):
    outcome = read(cast, "\ufeff" + HEADING + line(entries[0], "31,Female,Löwe"))

    assert (outcome.n_people, outcome.n_strangers, outcome.faults) == (1, 0, [])
    stored = Demographics.objects.get(participant=entries[0].participant)
    assert stored.fields == {"Total approvals": "120", "Age": "31", "Sex": "Female", "Sternzeichen": "Löwe"}
    assert entries[0].person not in json.dumps(stored.fields)


def test_expired_and_revoked_values_are_missing_and_take_older_ones_away(cast, entries):
    read(cast, HEADING + line(entries[0], "31,Female,Löwe"))
    outcome = read(cast, HEADING + line(entries[0], "DATA_EXPIRED,CONSENT_REVOKED,"))

    assert outcome.n_missing == 2
    assert Demographics.objects.get().fields == {"Total approvals": "120"}


def test_people_of_other_studies_are_left_out(cast, entries):
    outcome = read(cast, HEADING + f"s1,{'9' * 24},{TIMES},31,Female,Löwe\n" + line(entries[0], "40,Male,"))

    assert (outcome.n_people, outcome.n_strangers) == (1, 1)
    assert Demographics.objects.count() == 1


@pytest.mark.parametrize("agreed", [{"consented_at": None, "consent_version": ""}, {"consent_version": "0"}])
def test_who_did_not_agree_to_the_text_of_today_is_left_out(cast, entries, agreed):
    cast.study.participants.filter(pk=entries[0].participant_id).update(**agreed)
    outcome = read(cast, HEADING + line(entries[0], "31,Female,") + line(entries[1], "40,Male,"))

    assert (outcome.n_people, outcome.n_strangers) == (1, 1)
    assert Demographics.objects.get().participant == entries[1].participant


@pytest.mark.parametrize("is_dry_run", [False, True])
def test_a_study_without_a_consent_text_takes_no_file(cast, entries, is_dry_run):
    cast.study.consent_text = ""
    cast.study.save()

    with pytest.raises(Refused, match="no consent text"):
        read(cast, HEADING + line(entries[0], "31,Female,"), is_dry_run=is_dry_run)
    assert not Demographics.objects.exists()


@pytest.mark.parametrize("turned", [False, True])
def test_of_a_submission_that_was_given_back_the_finished_one_counts(cast, entries, turned):
    lines = [line(entries[0], "31,Female,x"), line(entries[0], "99,Male,y", session="returned")]
    read(cast, HEADING + "".join(reversed(lines) if turned else lines))

    assert Demographics.objects.get().fields["Age"] == "31"


def test_looking_at_a_file_changes_nothing(cast, entries):
    assert read(cast, HEADING + line(entries[0], "31,Female,"), is_dry_run=True).n_people == 1
    assert not Demographics.objects.exists()
    assert not cast.study.activities.filter(verb="demographics").exists()


@pytest.mark.parametrize(
    ("text", "number", "column"),
    [
        ("Submission id,Status\ns,x\n", 1, "Participant id"),
        ("", 1, "Participant id"),
        (HEADING.replace("Sex", "Age"), 1, "Age"),
        (HEADING + "a,b,c\n", 2, ""),
        (HEADING + f"s,,{TIMES},31,Female,\n", 2, "Participant id"),
        (HEADING + f"s,p,{TIMES},{'x' * 501},Female,\n", 2, "Age"),
        (HEADING + f"s,p,{TIMES},3\x001,Female,\n", 2, "Age"),
        (HEADING + 's,p,"not closed', 2, ""),
        (HEADING.encode() + b"s,p,\xff\xfe", 2, ""),
    ],
)
def test_a_mistake_names_line_and_column_and_nothing_changes(cast, entries, text, number, column):
    good = line(entries[0], "31,Female,")
    data = text if isinstance(text, bytes) else text.encode()
    outcome = read(cast, data + (good.encode() if data.endswith(b"\n") and number > 1 else b""))

    assert (outcome.faults[0].line, outcome.faults[0].column) == (number, column)
    assert outcome.faults[0].reason
    assert not Demographics.objects.exists()


def test_a_file_too_large_is_refused(cast, entries):
    assert read(cast, b"x" * (10 * 1024 * 1024 + 1)).faults[0].line == 1


# --- the page ---------------------------------------------------------------------------------------------
def upload(client: Client, text: str, **more: str):
    file = SimpleUploadedFile("prolific.csv", text.encode(), "text/csv")
    return client.post(reverse("recruitment_demographics", args=["wellbeing"]), {"file": file, **more})


def test_the_page_shows_what_an_import_would_do_and_then_does_it(client, cast, entries):
    client.force_login(cast.researcher)
    text = HEADING + "".join(line(entry, "31,Female,") for entry in entries)
    looked = upload(client, text, is_dry_run="on")
    assert "Nothing is stored yet" in looked.content.decode()
    assert not Demographics.objects.exists()

    done = upload(client, text).content.decode()
    assert "Imported." in done
    assert '<td dir="auto">25–34</td><td class="number">3</td>' in done
    assert upload(client, "nonsense\n").status_code == 422


def test_the_page_says_why_a_file_is_not_taken(client, cast, entries):
    Study.objects.update(consent_text="")
    client.force_login(cast.researcher)
    answer = upload(client, HEADING + line(entries[0], "31,Female,"))

    assert answer.status_code == 422
    assert "This study has no consent text" in answer.content.decode()


def test_few_people_are_not_counted_out(cast):
    for number in range(8):
        sex = "Female" if number < 6 else "Male"
        DemographicsFactory(participant=make_annotator(cast.study, f"d{number}"), fields={"Sex": sex})

    assert demographics_of(cast.study).fields[0].cells == (Cell("Female", 6), Cell("Male", None))


def test_a_field_with_an_answer_per_person_is_not_told(cast):
    for number in range(21):
        DemographicsFactory(participant=make_annotator(cast.study, f"d{number}"), fields={"Town": f"t{number}"})

    assert demographics_of(cast.study).fields[0].cells == ()


@pytest.mark.parametrize(
    ("age", "group"), [("17", "< 18"), ("18", "18–24"), ("64", "55–64"), ("65", "65+"), ("old", "old"), ("²", "²")]
)
def test_ages_are_told_in_groups(age, group):
    assert age_group(age) == group


def test_the_report_tells_counts_and_no_small_ones(cast, entries):
    Recruitment.objects.update(locations=["Italy"], first_languages=["Italian"], n_wanted=40)
    for entry in entries:
        DemographicsFactory(participant=entry.participant, fields={"Sex": "Female", "Age": "31"})
    DemographicsFactory(participant=make_annotator(cast.study, "fourth"), fields={"Sex": "Male"})
    rows = {row.key: row for row in build_report(cast.study, now=NOW).checklist}

    assert rows["sampling_criteria"].lines[:2] == ["Location: Italy.", "First language: Italian."]
    assert "Approval rate for earlier work: at least 95 per cent." in rows["sampling_criteria"].lines
    assert rows["recruited"].lines[1:] == ["Through Prolific: 3.", "Planned: 40."]
    assert rows["demographics"].lines == ["Known for 4 people.", "Age: 25–34 3.", "Sex: Female 3, Male < 3."]
    assert rows["demographics"].value.fields["Sex"] == {"Female": 3, "Male": None}


# --- by themselves, and away --------------------------------------------------------------------------------
def test_annotators_say_of_themselves_what_they_like_and_take_it_back(client, cast, entries):
    client.force_login(cast.annotator.user)
    path = reverse("about_you", args=["wellbeing"])
    assert path in client.get(reverse("work")).content.decode()

    client.post(path, {"age": "31", "gender": "", "country": "Italy"})
    assert Demographics.objects.get().fields == {"Age": "31", "Country of residence": "Italy"}
    assert 'value="Italy"' in client.get(path).content.decode()
    client.post(path, {})
    assert not Demographics.objects.exists()
    assert client.post(path, {"age": "1000"}).status_code == 422
    assert client.post(path, {"gender": "a\x00b"}).status_code == 422


@pytest.mark.parametrize("version", ["", "0"])
def test_who_has_not_agreed_reads_the_consent_first_and_nothing_is_stored(client, cast, entries, version):
    cast.study.participants.update(consented_at=None if not version else NOW, consent_version=version)
    client.force_login(cast.annotator.user)
    path, consent = (reverse(name, args=["wellbeing"]) for name in ("about_you", "consent"))

    assert client.get(path)["Location"] == consent
    assert client.post(path, {"age": "31"})["Location"] == consent
    assert not Demographics.objects.exists()
    client.post(consent, {"agree": "on"})
    client.post(path, {"age": "31"})
    assert Demographics.objects.get().fields == {"Age": "31"}


@pytest.mark.parametrize(
    ("model", "change"), [(Recruitment, {"asks_demographics": False}), (Study, {"consent_text": ""})]
)
def test_nobody_is_asked_where_the_study_does_not_ask_or_has_no_consent_text(client, cast, entries, model, change):
    model.objects.update(**change)
    client.force_login(cast.annotator.user)
    path = reverse("about_you", args=["wellbeing"])

    assert (client.get(path).status_code, client.post(path, {"age": "31"}).status_code) == (404, 404)
    assert "About you" not in client.get(reverse("work")).content.decode()
    assert not Demographics.objects.exists()


def test_a_second_import_leaves_what_people_said_themselves(cast, entries):
    DemographicsFactory(participant=entries[0].participant, origin="self", fields={"Sex": "Diverse"})
    read(cast, HEADING + line(entries[0], "31,Female,"))

    assert Demographics.objects.filter(participant=entries[0].participant).count() == 2
    sex = next(field for field in demographics_of(cast.study).fields if field.name == "Sex")
    assert [cell.value for cell in sex.cells] == ["Diverse"]


def test_an_owner_deletes_what_is_known_of_a_person_and_the_log_says_so(client, cast, entries):
    mine = DemographicsFactory(participant=entries[0].participant)
    DemographicsFactory(participant=entries[1].participant)
    client.force_login(cast.owner)
    client.post(reverse("recruitment_forget", args=["wellbeing", mine.participant.token]))

    assert [row.participant for row in Demographics.objects.all()] == [entries[1].participant]
    logged = cast.study.activities.get(verb="demographics_deleted")
    assert (logged.actor, logged.object) == (cast.owner, mine.participant.pseudonym)


def test_single_people_are_for_owners_and_by_pseudonym(client, cast, entries):
    DemographicsFactory(participant=entries[0].participant, fields={"Sex": "=1+1"})
    client.force_login(cast.owner)
    text = client.post(reverse("recruitment_demographics_csv", args=["wellbeing"])).content.decode()

    assert text == f"\ufeffannotator,origin,Sex\r\n{entries[0].participant.pseudonym},prolific,'=1+1\r\n"
    assert cast.study.activities.filter(verb="demographics_file").exists()
    client.force_login(cast.researcher)
    assert "Individual people" not in client.get(reverse("recruitment", args=["wellbeing"])).content.decode()


def test_nobody_deletes_through_another_study(client, cast, entries):
    other = UserFactory()
    elsewhere = RecruitmentFactory().study
    elsewhere.memberships.create(user=other, role="owner")
    mine = DemographicsFactory(participant=entries[0].participant)
    client.force_login(other)

    assert client.post(reverse("recruitment_forget", args=[elsewhere.slug, mine.participant.token])).status_code == 404
    assert Demographics.objects.exists()
