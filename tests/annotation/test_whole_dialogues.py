"""Pages of a protocol that rates whole dialogues: numbers of turns, and reasons of which one stands alone."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Dialogue, Rating
from tests.annotation.work_pages import sign_in, text_of
from tests.shipped import Work

pytestmark = pytest.mark.django_db
SPEAKERS = ("system", "Lee", "Kim", "Lee")
LABELS = re.compile(r"<b>([QA]\d+)</b>")


@pytest.fixture
def work() -> Work:
    work = Work("diqad-1.0", n_dialogues=1).has_read_all()
    turns = [{"speaker": speaker, "text": f"Turn {at}."} for at, speaker in enumerate(SPEAKERS, start=1)]
    Dialogue.objects.update(turns=turns, asker="Kim")
    return work


def page_of(work: Work) -> tuple[Client, str]:
    position = work.items("dialogue")[0].position
    return sign_in(work.participant.user), reverse("rate", args=[work.assignment.token, position, 1])


def test_turns_are_numbered_by_who_asks_on_the_page_and_where_they_are_marked(work: Work):
    client, url = page_of(work)
    html = client.get(url).content.decode()
    history, marks = html.split('class="mark-turns"')
    assert LABELS.findall(history) == ["A1", "Q1", "A2"]
    assert LABELS.findall(marks) == ["A1", "Q1", "A2"]
    assert re.findall(r'-turns" value="(\d)"', marks) == ["2", "3", "4"]
    assert re.findall(r'data-side="(\w+)"', history) == ["context", "second", "first", "second"]


def test_without_javascript_none_beside_another_reason_is_refused_and_said_beside_it(work: Work):
    client, url = page_of(work)
    given = {"knowledge-option": "2", "score-option": "3", "reasons_0-options": ["2", "6"]}
    refused = client.post(url, given)
    assert refused.status_code == 422
    assert "“none” cannot be combined with other answers: choose it alone, or not at all." in text_of(refused)
    assert not Rating.objects.filter(criterion__key="reasons_0").exists()
    client.post(url, given | {"reasons_0-options": ["6"]})
    none = work.spec.by_key["reasons_0"].option_named("none")
    assert Rating.objects.get(criterion__key="reasons_0").choices == [none.id]
