"""The board is made once for each version of the figures: the next reader of the same costs nothing."""

from datetime import timedelta

import pytest
from django.conf import settings
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from redis.exceptions import ConnectionError as CacheIsAway

from annotation.models import Study
from annotation.services.agreement import refresh_batch
from annotation.services.claiming import claim_seat
from parley.cache import RedisCache
from reporting.board.pieces import AGREEMENT, QUALITY, board_of
from reporting.board.rows import stamp_of
from tests.cast import Cast
from tests.working import rate_everything

NOW = timezone.now()
PARTS = {"board": AGREEMENT, "board_quality": QUALITY}

pytestmark = pytest.mark.django_db


@pytest.fixture
def rated(cast: Cast) -> Cast:
    cache.clear()
    rate(cast, 0)
    rate(cast, 1)
    return cast


def rate(cast: Cast, number: int) -> None:
    rate_everything(claim_seat(cast.annotators[number], cast.batch, now=NOW), now=NOW, option=number)
    refresh_batch(cast.batch.pk, now=NOW)


def made(study: Study, part: str = "board", *, now=NOW, **query: str) -> tuple[dict[str, str], int]:
    """The pieces, and the queries they took."""
    study = Study.objects.select_related("protocol_version").get(pk=study.pk)
    stamp = stamp_of(study, now=now)
    with CaptureQueriesContext(connection) as queries:
        board = board_of(study, PARTS[part], query, stamp, now=now)
    return board.pieces, len(queries)


@pytest.mark.parametrize("part", PARTS)
def test_the_second_reader_takes_no_query_and_sees_the_same(rated: Cast, part: str):
    first, n_first = made(rated.study, part)
    second, n_second = made(rated.study, part)
    assert (first, n_second) == (second, 0)
    assert n_first > 5


def test_page_and_fragment_are_made_of_the_same_pieces(rated: Cast):
    client = Client()
    client.force_login(rated.lead)
    page = client.get(reverse("board", args=[rated.study.slug]))
    with CaptureQueriesContext(connection) as queries:
        fragment = client.get(reverse("board_fragment", args=[rated.study.slug]) + "?page=1")
    assert len(queries) <= 4  # session, user, membership, stamp
    table = made(rated.study, page="1")[0]["agreement"]
    assert table in page.content.decode()
    assert table in fragment.content.decode()


def test_a_new_version_is_made_anew(rated: Cast):
    before, _ = made(rated.study)
    rate(rated, 2)
    after, n_queries = made(rated.study)
    assert n_queries > 5
    assert after["agreement"] != before["agreement"]


@pytest.mark.parametrize("query", [{"statistic": "alpha"}, {"criterion": "listening"}])
def test_another_choice_is_another_board_and_what_is_no_choice_is_not(rated: Cast, query: dict[str, str]):
    usual, _ = made(rated.study)
    assert made(rated.study, **query)[0]["agreement"] != usual["agreement"]
    assert made(rated.study, utm_source="mail") == (usual, 0)


def test_another_language_is_another_board(rated: Cast):
    client = Client()
    client.force_login(rated.lead)
    url = reverse("board", args=[rated.study.slug])
    pages = []
    for language in ("en", "it", "en"):
        client.cookies[settings.LANGUAGE_COOKIE_NAME] = language
        pages.append(client.get(url).content.decode())
    assert ["<dt>Seats in use</dt>" in page for page in pages] == [True, False, True]


def test_another_study_is_another_board(rated: Cast):
    other = Study.objects.create(
        slug="other", name="Other", protocol_version=rated.study.protocol_version, seats=3, seed=rated.study.seed
    )
    assert "12" not in made(other)[0]["progress"]
    assert made(other)[0] != made(rated.study)[0]


def test_a_setting_that_no_version_counts_shows_at_once(rated: Cast):
    before, _ = made(rated.study, "board_quality")
    Study.objects.filter(pk=rated.study.pk).update(kappa_floor=0.4)
    after, _ = made(rated.study, "board_quality")
    assert "Threshold of the study: 0.40" in after["scope"]
    assert "Threshold" not in before["scope"]


def test_the_pace_is_that_of_the_minute(rated: Cast):
    began = NOW.replace(second=0, microsecond=0)
    first, _ = made(rated.study, now=began)
    assert made(rated.study, now=began + timedelta(seconds=59)) == (first, 0)
    later, n_queries = made(rated.study, now=began + timedelta(hours=6))
    assert n_queries > 5
    assert "the finish cannot be estimated" in later["progress"]


def test_nobody_sees_a_board_for_its_having_been_made_for_others(rated: Cast):
    made(rated.study)
    client = Client()
    client.force_login(rated.stranger)
    assert client.get(reverse("board", args=[rated.study.slug])).status_code == 404
    client.force_login(rated.annotator.user)
    assert client.get(reverse("board", args=[rated.study.slug])).status_code == 403


def test_a_board_is_shown_without_the_cache(rated: Cast, monkeypatch: pytest.MonkeyPatch):
    def away(*_args: object, **_kwargs: object) -> None:
        raise CacheIsAway

    monkeypatch.setattr(RedisCache, "get", away)
    monkeypatch.setattr(RedisCache, "set", away)
    assert made(rated.study)[1] > 5
    assert made(rated.study)[1] > 5
