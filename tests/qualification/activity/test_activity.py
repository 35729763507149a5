"""The log: kept by the database, shown to owners in sentences, narrowed, paged, and taken away as a file."""

import csv
import io
import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.db import IntegrityError, InternalError, connection, transaction
from django.test import Client
from django.urls import reverse
from django.utils.translation import override

from annotation.models import ActivityLog
from annotation.services import activity
from annotation.services.status import set_status
from qualification.activity.labels import VERBS, sentence_of
from tests.cast import Cast, make_cast
from tests.clock import NOW
from tests.factories import StudyFactory

ROOT = Path(__file__).parents[3]
LOGGED = re.compile(r'(?<!def )(?:activity\.|\b_)log\(\s*[^"\n]*(?:\n\s*)?[^"\n]*"([a-z_]+)"')


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


@pytest.fixture
def owner(cast: Cast, client: Client) -> Client:
    client.force_login(cast.owner)
    return client


def line(cast: Cast, verb: str = "study_open", **fields: object) -> ActivityLog:
    return activity.log(cast.study, **{"actor": cast.owner, "verb": verb, "now": NOW, **fields})


def read(client: Client, **query: object) -> str:
    answer = client.get(reverse("activity", args=["wellbeing"]), query)
    assert answer.status_code == 200
    return answer.content.decode()


# --- kept ------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "sql", ["UPDATE annotation_activitylog SET verb = 'nothing'", "DELETE FROM annotation_activitylog"]
)
def test_the_database_refuses_to_change_or_delete_a_line(cast: Cast, sql: str):
    kept = line(cast)
    with pytest.raises((IntegrityError, InternalError), match="append-only"), transaction.atomic():
        connection.cursor().execute(sql)
    assert ActivityLog.objects.get().verb == kept.verb


def test_neither_models_nor_the_study_can_take_a_line_away(cast: Cast):
    kept = line(cast)
    with pytest.raises(IntegrityError), transaction.atomic():
        kept.delete()
    with pytest.raises(IntegrityError), transaction.atomic():
        ActivityLog.objects.filter(pk=kept.pk).update(actor=None)


# --- in words --------------------------------------------------------------------------------------
def test_every_verb_that_is_logged_has_words():
    rooms = ("annotation", "qualification", "reporting")
    sources = [path.read_text("utf-8") for room in rooms for path in (ROOT / room).rglob("*.py")]
    verbs = {verb for source in sources for verb in LOGGED.findall(source)}
    assert {"status", "export", "next_round", "pay_plan", "qualification"} <= verbs
    assert verbs - VERBS.keys() == set()


def test_every_sentence_can_be_said_whatever_the_details_are(cast: Cast):
    for verb in VERBS:
        for details in ({}, {"n": 3, "before": "cleared", "after": None, "changed": {"pay_amount": ["4", "5"]}}):
            assert sentence_of(ActivityLog(verb=verb, object="P1", details=details))


def test_a_status_is_said_in_the_words_of_the_reader(cast: Cast):
    set_status(cast.annotator, status="paused", by=cast.lead, reason="Too fast.", now=NOW)
    said = ActivityLog.objects.get(verb="status")
    name = cast.annotator.pseudonym
    assert sentence_of(said) == f"Status of {name}: Paused (was Cleared). Too fast."
    with override("it"):
        assert "Paused" not in sentence_of(said)


def test_settings_are_said_with_old_and_new(cast: Cast):
    details = {"changed": {"pay_amount": ["4.67", "5.00"], "platform": ["", "Prolific"]}, "texts": ["consent_text"]}
    said = sentence_of(ActivityLog(verb="settings", details=details))
    assert said == "Settings changed: pay_amount: 4.67 → 5.00; platform: – → Prolific; consent_text."


def test_a_verb_without_words_is_shown_as_it_is(cast: Cast, owner: Client):
    line(cast, "something_new", about="P0001")
    assert "something_new P0001" in read(owner)


# --- the page --------------------------------------------------------------------------------------
def test_the_newest_line_comes_first_and_names_who_did_it(cast: Cast, owner: Client):
    line(cast, "study_closed", details={"before": "open"})
    line(cast, "member_added", actor=None, about="carol", details={"role": "lead"})
    html = read(owner)
    assert html.index("carol was added as team lead.") < html.index("The study was closed")
    assert "a rule or a command" in html


def test_lines_are_narrowed_by_verb_person_and_day(cast: Cast, owner: Client):
    line(cast, "bonus", about="first")
    line(cast, "bonus", actor=cast.lead, about="second")
    line(cast, "correction", actor=None, about="third", now=NOW + timedelta(days=1))

    def shown(**query: object) -> list[str]:
        html = read(owner, **query)
        return [name for name in ("first", "second", "third") if f"{name} received" in html or f"of {name} was" in html]

    assert shown() == ["first", "second", "third"]
    assert shown(verb="bonus") == ["first", "second"]
    assert shown(person=cast.lead.pk) == ["second"]
    assert shown(person="rule") == ["third"]
    assert shown(since=(NOW + timedelta(days=1)).date()) == ["third"]
    assert shown(until=NOW.date()) == ["first", "second"]
    assert shown(since=NOW.date(), until=NOW.date(), verb="correction") == []
    assert shown(verb="no_such_verb", since="yesterday") == ["first", "second", "third"]


def test_a_day_is_that_of_the_sites_clock(cast: Cast, owner: Client, settings):
    settings.TIME_ZONE = "Asia/Shanghai"
    line(cast, "bonus", about="late", now=datetime(2026, 3, 2, 17, 0, tzinfo=UTC))  # the 3rd, one in the morning
    assert "late received" in read(owner, since="2026-03-03")
    assert "late received" not in read(owner, until="2026-03-02")


def test_another_study_has_a_log_of_its_own(cast: Cast, owner: Client):
    other = StudyFactory(protocol_version=cast.version)
    activity.log(other, cast.owner, "bonus", about="theirs", now=NOW)
    assert "theirs" not in read(owner)


def test_pages_keep_what_was_chosen_and_take_the_same_number_of_queries(
    cast: Cast, owner: Client, django_assert_max_num_queries
):
    def queries() -> int:
        with django_assert_max_num_queries(20) as captured:
            html = read(owner, verb="bonus")
        assert "received a bonus" in html
        return len(captured)

    line(cast, "bonus", about="one")
    few = queries()
    for number in range(120):
        line(cast, "bonus", actor=cast.lead if number % 2 else None, about=f"n{number}", details={"amount": "1"})
    assert queries() == few
    assert "?page=2&amp;verb=bonus" in read(owner, verb="bonus")


# --- the file --------------------------------------------------------------------------------------
def test_the_csv_has_the_chosen_lines_and_its_own(cast: Cast, owner: Client):
    line(cast, "bonus", about="=1+1", details={"reason": "Grüße"})
    answer = owner.post(reverse("activity_file", args=["wellbeing", "csv"]))
    rows = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))
    assert [row["verb"] for row in rows] == ["activity_file", "bonus"]
    assert (rows[1]["object"], rows[1]["actor"]) == ("'=1+1", "owner")
    assert json.loads(rows[1]["details"]) == {"reason": "Grüße"}
    assert ActivityLog.objects.get(verb="activity_file").actor == cast.owner


def test_the_json_is_narrowed_and_says_by_what(cast: Cast, owner: Client):
    line(cast, "bonus", about="one")
    line(cast, "correction", about="two")
    answer = owner.post(reverse("activity_file", args=["wellbeing", "json"]), {"verb": "bonus"})
    assert [(row["verb"], row["object"], row["actor"]) for row in answer.json()] == [("bonus", "one", "owner")]
    assert ActivityLog.objects.get(verb="activity_file").details == {"verb": "bonus"}


def test_another_format_is_not_there(cast: Cast, owner: Client):
    assert owner.post(reverse("activity_file", args=["wellbeing", "xml"])).status_code == 404
    assert not ActivityLog.objects.filter(verb="activity_file").exists()


def test_who_is_no_owner_reads_nothing(cast: Cast, client: Client):
    client.force_login(cast.researcher)
    assert client.get(reverse("activity", args=["wellbeing"])).status_code == 403
