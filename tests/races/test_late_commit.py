"""A rating that is committed late, at any moment of a refresh, is never lost. Real threads, a connection each."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from threading import Event
from unittest.mock import patch

import pytest
from django.db import connection, transaction
from django.utils import timezone

from annotation.models import AgreementCell, AgreementSnapshot, Assignment, Batch
from annotation.selectors.cells import Measured, measure_batch
from annotation.services import agreement
from annotation.services.agreement import dirty_batches, rebuild_study, refresh_batch, sweep
from annotation.services.claiming import claim_seat
from tests.cast import Cast, make_cast
from tests.factories import make_annotator, make_batch
from tests.races.threads import run_together
from tests.working import rate_everything

pytestmark = pytest.mark.django_db(transaction=True)
NOW = timezone.now()
PATIENCE = 30


class LateRating:
    """A rating that is written and not committed until `commit` is called."""

    def __init__(self, pool: ThreadPoolExecutor, assignment: Assignment) -> None:
        self._may_commit, self._is_written = Event(), Event()
        self._done: Future[None] = pool.submit(self._write, assignment)
        assert self._is_written.wait(PATIENCE)

    def _write(self, assignment: Assignment) -> None:
        try:
            with transaction.atomic():
                rate_everything(assignment, now=NOW, n=1)
                self._is_written.set()
                assert self._may_commit.wait(PATIENCE)
        finally:
            connection.close()

    def commit(self) -> None:
        self._may_commit.set()
        self._done.result(PATIENCE)


@pytest.fixture
def cast() -> Cast:
    return make_cast()


@pytest.fixture
def late(cast: Cast) -> Iterator[LateRating]:
    """The second annotator's first answer, uncommitted; the first annotator's are stored and measured."""
    rate_everything(claim_seat(cast.annotators[0], cast.batch, now=NOW), now=NOW, n=4)
    second = claim_seat(cast.annotators[1], cast.batch, now=NOW)
    refresh_batch(cast.batch.pk, now=NOW)
    Batch.objects.filter(pk=cast.batch.pk).update(ratings_version=100)  # there is something to refresh
    with ThreadPoolExecutor(1) as pool:
        rating = LateRating(pool, second)
        yield rating
        rating.commit()


def nothing() -> None:
    pass


@contextmanager
def during_the_first_measurement(
    *, before: Callable[[], None] = nothing, after: Callable[[], None] = nothing
) -> Iterator[None]:
    """Do something between reading the version and reading the ratings, or between those and the store."""
    seen: list[Batch] = []

    def measure(batch: Batch) -> Measured:
        is_first = not seen
        seen.append(batch)
        if is_first:
            before()
        measured = measure_batch(batch)
        if is_first:
            after()
        return measured

    with patch.object(agreement, "measure_batch", measure):
        yield


def n_stored(cast: Cast) -> tuple[int, int]:
    batch = AgreementSnapshot.objects.get(batch=cast.batch)
    return batch.n_ratings, AgreementSnapshot.objects.get(study=cast.study, batch=None).n_ratings


def test_a_rating_committed_after_the_store_makes_the_batch_dirty_again(cast: Cast, late: LateRating):
    assert refresh_batch(cast.batch.pk, now=NOW) is True
    assert (n_stored(cast), dirty_batches().exists()) == ((4, 4), False)
    late.commit()
    assert list(dirty_batches()) == [cast.batch.pk]
    assert sweep(now=NOW) == 1
    assert n_stored(cast) == (5, 5)


def test_a_rating_committed_between_the_version_and_the_ratings_is_counted_and_looked_at_again(
    cast: Cast, late: LateRating
):
    with during_the_first_measurement(before=late.commit):
        assert refresh_batch(cast.batch.pk, now=NOW) is True
    assert sweep(now=NOW) == 1
    assert (n_stored(cast), dirty_batches().exists()) == ((5, 5), False)


def test_a_rating_committed_between_the_ratings_and_the_store_is_found_by_the_next_sweep(cast: Cast, late: LateRating):
    with during_the_first_measurement(after=late.commit):
        assert refresh_batch(cast.batch.pk, now=NOW) is True
    assert sweep(now=NOW) == 1
    assert (n_stored(cast), dirty_batches().exists()) == ((5, 5), False)


def test_a_slow_refresh_does_not_overwrite_a_newer_one(cast: Cast, late: LateRating):
    slow = Batch.objects.select_related("study__protocol_version").get(pk=cast.batch.pk)
    old_figures = measure_batch(slow)
    late.commit()
    assert run_together([partial(refresh_batch, cast.batch.pk, now=NOW)]) == [True]
    assert agreement.store_figures(slow, old_figures, now=NOW) is False
    assert n_stored(cast) == (5, 5)


def test_refreshes_of_many_batches_at_once_add_up(cast: Cast):
    batches = [make_batch(cast.study, 1, 2, key=f"b{n}", position=n + 1) for n in range(6)]
    for n, batch in enumerate(batches):
        rate_everything(claim_seat(make_annotator(cast.study, f"busy-{n}"), batch, now=NOW), now=NOW)
    results = run_together([partial(refresh_batch, batch.pk, now=NOW) for batch in batches * 2])
    assert not [result for result in results if isinstance(result, Exception)]
    assert AgreementSnapshot.objects.get(study=cast.study, batch=None).n_ratings == 6 * 8
    assert_rebuild_finds_the_same(cast)


def test_a_rebuild_among_refreshes_neither_deadlocks_nor_loses_a_batch(cast: Cast):
    batches = [make_batch(cast.study, 1, 2, key=f"b{n}", position=n + 1) for n in range(5)]
    for n, batch in enumerate(batches):
        rate_everything(claim_seat(make_annotator(cast.study, f"busy-{n}"), batch, now=NOW), now=NOW)
    refreshes = [partial(refresh_batch, batch.pk, now=NOW) for batch in batches]
    rebuilds = [partial(rebuild_study, cast.study, now=NOW)] * 2
    results = run_together([*refreshes, *rebuilds, *refreshes])
    assert not [result for result in results if isinstance(result, Exception)]
    assert_rebuild_finds_the_same(cast)


def assert_rebuild_finds_the_same(cast: Cast) -> None:
    before = state(cast)
    rebuild_study(cast.study, now=NOW)
    assert state(cast) == before


def state(cast: Cast) -> list[tuple]:
    rows = AgreementCell.objects.filter(snapshot__study=cast.study)
    fields = ("snapshot__batch", "criterion", "source", "histogram", "pairs", "estimates", "sums")
    return sorted(rows.values_list(*fields), key=lambda row: (row[0] or 0, row[1], row[2]))
