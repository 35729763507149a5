"""The report of a large study is made by a worker and kept: its page never waits, and says as of when it is."""

import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils.translation import gettext, override

from annotation.models import KeptReport, Rating
from annotation.services.claiming import claim_seat
from parley.advisory import locked
from reporting.report import kept
from tests.cast import Cast
from tests.clock import NOW
from tests.working import rate_everything

pytestmark = pytest.mark.django_db(transaction=True)
TAGS = re.compile(r"<[^>]+>|\s+")


@pytest.fixture(autouse=True)
def large(settings) -> None:
    settings.REPORT_AT_ONCE = 2


@pytest.fixture(autouse=True)
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The messages that a worker would get."""
    sent: list[int] = []
    monkeypatch.setattr(kept, "_send", sent.append)
    return sent


@pytest.fixture
def rated(cast: Cast) -> Cast:
    rate_everything(claim_seat(cast.annotator, cast.batch, now=NOW), now=NOW, option=1, n=20)
    Rating.objects.filter(option__role="negative").update(free_text="It talks about the weather.")
    return cast


def seen(user: User, name: str = "report", **query: str) -> str:
    return TAGS.sub(" ", answer(user, name, **query).content.decode())


def answer(user: User, name: str = "report", **query: str):
    client = Client()
    client.force_login(user)
    return client.get(reverse(name, args=["wellbeing"]), query)


def work(sent: list[int]) -> None:
    while sent:
        kept.make_report(sent.pop(), now=NOW)


def squeezed(text: str) -> str:
    return re.sub(r" +", " ", text)


def test_the_first_reader_is_told_that_it_is_being_made_and_then_gets_it(rated: Cast, sent, settings, monkeypatch):
    monkeypatch.setattr("django.utils.timezone.now", lambda: NOW)
    first = squeezed(seen(rated.lead))
    assert "The report of 20 answers is being made." in first
    assert "Table of means" not in answer(rated.lead).content.decode()
    assert len(sent) == 1, "a second look asks for nothing"
    work(sent)
    page = answer(rated.lead).content.decode()
    assert "Nothing has changed since." in page
    settings.REPORT_AT_ONCE = 100
    at_once = answer(rated.lead).content.decode()
    of_report = re.compile(r'<nav class="downloads".*</main>', re.S)
    assert of_report.findall(page) == of_report.findall(at_once) != []


def test_after_new_answers_the_kept_report_is_shown_and_a_newer_one_asked_for(rated: Cast, sent):
    seen(rated.lead)
    work(sent)
    version = KeptReport.objects.get().version
    rate_everything(rated.batch.assignments.get(), now=NOW, option=1, n=21)
    text = squeezed(seen(rated.lead))
    assert "1 answer has come since. A newer report is being made." in text
    assert "Positive by majority" in text
    state = answer(rated.lead, "report_state", seen=version)
    assert state.status_code == 200
    assert "A newer report is being made." in state.content.decode()
    work(sent)
    state = answer(rated.lead, "report_state", seen=version)
    assert state.status_code == 286
    assert "A newer report is ready." in state.content.decode()
    assert "HX-Refresh" not in state.headers, "somebody is reading"
    assert "Nothing has changed since." in squeezed(seen(rated.lead))


def test_a_page_without_a_report_is_loaded_again_when_there_is_one(rated: Cast, sent):
    seen(rated.lead)
    assert "HX-Refresh" not in answer(rated.lead, "report_state").headers
    work(sent)
    assert answer(rated.lead, "report_state").headers["HX-Refresh"] == "true"


def test_who_reads_no_single_answers_has_a_report_of_their_own(rated: Cast, sent):
    for user in (rated.lead, rated.controller):
        seen(user)
    work(sent)
    assert "It talks about the weather." in seen(rated.lead)
    text = squeezed(seen(rated.controller))
    assert "Positive by majority" in text
    assert "It talks about the weather." not in text


def test_each_language_has_its_own(rated: Cast, sent):
    client = Client(headers={"accept-language": "it"})
    client.force_login(rated.lead)
    page = reverse("report", args=["wellbeing"])
    client.get(page)
    work(sent)
    with override("it"):
        assert gettext("Positive by majority") in client.get(page).content.decode()
    assert KeptReport.objects.get().language == "it"


def test_an_error_is_said_and_the_report_is_made_again_when_the_data_change(rated: Cast, sent, monkeypatch):
    seen(rated.lead)
    with monkeypatch.context() as broken:
        broken.setattr(kept, "page_of", lambda _report: 1 / 0)
        work(sent)
    assert "The report was not made because of a program error." in squeezed(seen(rated.lead))
    assert answer(rated.lead, "report_state").status_code == 286
    assert sent == []
    rate_everything(rated.batch.assignments.get(), now=NOW, option=1, n=21)
    seen(rated.lead)
    work(sent)
    assert "Nothing has changed since." in squeezed(seen(rated.lead))


def test_what_was_lost_on_the_way_is_asked_for_again(rated: Cast, sent):
    seen(rated.lead)
    sent.clear()
    KeptReport.objects.update(asked_at=NOW)  # long ago
    seen(rated.lead)
    assert len(sent) == 1


def test_progress_is_told_while_it_is_made(rated: Cast, sent, monkeypatch):
    monkeypatch.setattr(kept, "SECONDS_PER_TICK", 0)
    seen(rated.lead)
    percents = []
    body = kept._body
    monkeypatch.setattr(
        kept, "_body", lambda *given: percents.append(answer(rated.lead, "report_state").content) or body(*given)
    )
    work(sent)
    assert re.search(rb'<progress[^>]* value="9\d" max="100"', percents[0])


def test_old_ones_are_deleted(rated: Cast, sent):
    seen(rated.lead)
    work(sent)
    assert kept.forget_reports(now=NOW + kept.FORGOTTEN_AFTER / 2) == 0
    assert kept.forget_reports(now=NOW + kept.FORGOTTEN_AFTER) == 1


def test_strangers_and_annotators_get_neither_page_nor_state(rated: Cast):
    for user in (rated.stranger, rated.annotator.user):
        assert {answer(user, name).status_code for name in ("report", "report_state")} <= {403, 404}
    assert not KeptReport.objects.exists()


def test_while_one_worker_makes_it_another_does_not(rated: Cast, sent):
    seen(rated.lead)
    with ThreadPoolExecutor(1) as elsewhere, locked(kept.LOCK_SPACE, sent[0]):
        elsewhere.submit(in_a_thread_of_its_own, sent).result()
    assert KeptReport.objects.get().body is None


def in_a_thread_of_its_own(sent: list[int]) -> None:
    try:
        work(sent)
    finally:
        connection.close()
