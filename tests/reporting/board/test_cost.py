"""What the board costs: next to nothing when nothing is new, and the same for many batches as for one."""

from datetime import timedelta

import pytest
from django.conf import settings
from django.utils import timezone

from annotation.models import Heartbeat
from annotation.services import activity
from annotation.services.agreement import refresh_batch
from annotation.services.claiming import claim_seat
from reporting.board.rows import BATCHES
from tests.cast import Cast
from tests.factories import HeartbeatFactory, make_batch
from tests.reporting.board.pages import NOW, board_url, fragment_url, n_queries, rate, signed_in
from tests.working import rate_everything

pytestmark = pytest.mark.django_db


def test_nothing_newer_is_a_304_by_version_and_by_etag(cast: Cast):
    rate(cast, 0, 1)
    client = signed_in(cast.lead)
    first = client.get(fragment_url(cast))
    known = first.headers["ETag"].strip('"')
    by_version = client.get(fragment_url(cast), {"v": known})
    by_etag = client.get(fragment_url(cast), headers={"If-None-Match": first.headers["ETag"]})
    assert (first.status_code, by_version.status_code, by_etag.status_code) == (200, 304, 304)
    assert by_version.content == b""
    assert by_version.headers["Cache-Control"] == "no-store"


def test_what_is_known_in_one_language_is_sent_again_in_another(cast: Cast):
    rate(cast, 0, 1)
    client = signed_in(cast.lead)

    def asked(language: str, **known):
        client.cookies[settings.LANGUAGE_COOKIE_NAME] = language
        return client.get(fragment_url(cast), headers={"Accept-Language": language, **known})

    english = asked("en")
    etag = english.headers["ETag"]
    italian = asked("it", **{"If-None-Match": etag})
    assert (english.status_code, italian.status_code) == (200, 200)
    assert italian.headers["ETag"] != etag
    assert asked("en", **{"If-None-Match": etag}).status_code == 304
    for response in (english, italian, client.get(board_url(cast))):
        assert {"Accept-Language", "Cookie"} <= set(response.headers["Vary"].split(", "))


def test_nothing_newer_costs_one_look_up_besides_session_user_and_membership(cast: Cast, django_assert_num_queries):
    rate(cast, 0, 1)
    client = signed_in(cast.lead)
    known = client.get(fragment_url(cast)).headers["ETag"].strip('"')
    with django_assert_num_queries(4):
        assert client.get(fragment_url(cast), {"v": known}).status_code == 304


def test_a_stored_rating_a_claim_a_decision_and_a_silent_worker_are_news(cast: Cast):
    HeartbeatFactory(beaten_at=timezone.now())
    client = signed_in(cast.lead)

    def stamp() -> str:
        return client.get(fragment_url(cast)).headers["ETag"]

    stamps = [stamp()]
    assignment = claim_seat(cast.annotator, cast.batch, now=NOW)
    refresh_batch(cast.batch.pk, now=NOW)
    stamps.append(stamp())
    rate_everything(assignment, now=NOW, n=1)
    refresh_batch(cast.batch.pk, now=NOW)
    stamps.append(stamp())
    activity.log(cast.study, cast.lead, "acceptance_decided", about=cast.batch.key, now=NOW)
    stamps.append(stamp())
    Heartbeat.objects.update(beaten_at=NOW - timedelta(minutes=5))
    stamps.append(stamp())
    assert len(set(stamps)) == 5
    assert "No worker is running" in client.get(fragment_url(cast)).content.decode()


def test_the_board_takes_as_many_queries_for_many_batches_and_annotators_as_for_one(cast: Cast):
    client = signed_in(cast.lead)
    rate(cast, 0, 1)
    for url in (board_url(cast), fragment_url(cast)):
        client.get(url)  # whatever is read once per process
    before = [n_queries(client, url) for url in (board_url(cast), fragment_url(cast))]
    for position in range(1, BATCHES + 5):
        rate(cast, 0, 1, 0, batch=make_batch(cast.study, key=f"more-{position}", position=position))
    assert [n_queries(client, url) for url in (board_url(cast), fragment_url(cast))] == before
    assert max(before) <= 19
