"""What tests of the board do with it."""

from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.models import Batch
from annotation.services.agreement import refresh_batch
from annotation.services.claiming import claim_seat
from tests.cast import Cast
from tests.factories import make_annotator
from tests.working import rate_everything

NOW = timezone.now()


def signed_in(user) -> Client:
    client = Client()
    client.force_login(user)
    return client


def rate(cast: Cast, *options: int, batch: Batch | None = None) -> None:
    """One annotator after another gives the same place of option throughout, and the figures are stored."""
    batch = batch or cast.batch
    panel = "expert" if batch.kind == "pilot" else ""
    for option in options:
        annotator = make_annotator(cast.study, f"rater-{cast.study.participants.count()}", panel=panel)
        rate_everything(claim_seat(annotator, batch, now=NOW), now=NOW, option=option)
    refresh_batch(batch.pk, now=NOW)


def board_url(cast: Cast) -> str:
    return reverse("board", args=[cast.study.slug])


def fragment_url(cast: Cast) -> str:
    """As a board with batches asks: its form always names the page."""
    return reverse("board_fragment", args=[cast.study.slug]) + "?page=1"


def n_queries(client: Client, url: str) -> int:
    """Of the first reader; what the next ones cost is another test."""
    cache.clear()
    with CaptureQueriesContext(connection) as queries:
        assert client.get(url).status_code == 200
    return len(queries)
