"""A batch that is returned while somebody claims it: work belongs to the round in which it holds a seat."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from unittest.mock import patch

import pytest
from django.db import connection
from django.utils import timezone

from annotation.models import Assignment, Batch, Participant, Seat
from annotation.services import claiming, status
from annotation.services.claiming import claim_seat
from annotation.services.refusals import Refused
from annotation.services.rounds import open_next_round
from annotation.services.status import set_status
from annotation.services.studies import set_batch_status
from tests.cast import Cast, make_cast
from tests.races.threads import run_together
from tests.working import rate_everything

pytestmark = pytest.mark.django_db(transaction=True)
NOW = timezone.now()


def elsewhere(call):
    """Done and committed by another connection before this goes on."""

    def run():
        try:
            call()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        pool.submit(run).result(30)


def just_before_the_seat(call):
    """The claim has read its batch and holds no seat of it yet."""
    lock = claiming._lock_free_seat

    def later(batch, now):
        elsewhere(call)
        return lock(batch, now)

    return patch.object(claiming, "_lock_free_seat", later)


def seats_of_another_round():
    held = Seat.objects.filter(assignment__isnull=False).select_related("batch", "assignment")
    return [seat for seat in held if seat.assignment.round != seat.batch.round]


def left_work(cast: Cast) -> Assignment:
    """Rated in part, and left until the lease ran out."""
    assignment = claim_seat(cast.annotator, cast.batch, now=NOW)
    rate_everything(assignment, now=NOW, n=2)
    Seat.objects.filter(assignment=assignment).update(assignment=None, lease_expires_at=None)
    Assignment.objects.filter(pk=assignment.pk).update(status="expired")
    return assignment


def test_a_claim_that_meets_the_next_round_is_refused_and_leaves_nothing():
    cast = make_cast()
    with just_before_the_seat(partial(open_next_round, cast.batch, now=NOW)), pytest.raises(Refused) as refused:
        claim_seat(cast.annotator, cast.batch, now=NOW)
    assert refused.value.code == "moved"
    assert not Assignment.objects.exists()
    assert claim_seat(cast.annotator, cast.batch, now=NOW).round == 2


def test_superseded_work_is_not_taken_up_again():
    cast = make_cast()
    old = left_work(cast)
    with just_before_the_seat(partial(open_next_round, cast.batch, now=NOW)), pytest.raises(Refused):
        claim_seat(cast.annotator, cast.batch, now=NOW)
    old.refresh_from_db()
    assert (old.status, Seat.objects.filter(assignment=old).exists()) == ("superseded", False)
    assert claim_seat(cast.annotator, cast.batch, now=NOW).ratings.count() == 0


def test_a_batch_that_is_closed_while_it_is_claimed_is_not_begun():
    cast = make_cast()
    close = partial(set_batch_status, cast.study, keys=[cast.batch.key], status="closed", now=NOW)
    with just_before_the_seat(close), pytest.raises(Refused) as refused:
        claim_seat(cast.annotator, cast.batch, now=NOW)
    assert refused.value.code == "moved"


def test_who_is_taken_back_in_while_the_next_round_opens_gets_no_seat_for_old_work():
    cast = make_cast()
    assignment = claim_seat(cast.annotator, cast.batch, now=NOW)
    Assignment.objects.filter(pk=assignment.pk).update(status="submitted", submitted_at=NOW)
    set_status(cast.annotator, status="excluded", now=NOW)
    free = status.free_seat_of

    def later(batch_id):
        elsewhere(partial(open_next_round, cast.batch, now=NOW))
        return free(batch_id)

    with patch.object(status, "free_seat_of", later):
        set_status(cast.annotator, status="cleared", now=NOW)
    assert not Seat.objects.filter(assignment__isnull=False).exists()


def test_claims_and_next_rounds_at_once_leave_every_seat_with_work_of_its_round():
    cast = make_cast()
    for number in range(6):
        Assignment.objects.filter(batch=cast.batch).exclude(status="superseded").update(status="expired")
        Seat.objects.filter(batch=cast.batch).update(assignment=None, lease_expires_at=None)
        claims = [partial(claim_seat, who, cast.batch, now=NOW) for who in cast.annotators]

        results = run_together([*claims, partial(open_next_round, cast.batch, now=NOW), *claims])

        assert not [each for each in results if isinstance(each, Exception) and not isinstance(each, Refused)]
        assert Batch.objects.get(pk=cast.batch.pk).round == number + 2
        assert seats_of_another_round() == []
    assert Participant.objects.filter(study=cast.study, assignments__status="active").count() <= 3


def test_an_exclusion_and_a_next_round_at_once_do_not_wait_for_each_other():
    cast = make_cast()
    for _ in range(8):
        set_status(cast.annotator, status="cleared", now=NOW)
        claim_seat(cast.annotator, cast.batch, now=NOW)
        exclude = partial(set_status, cast.annotator, status="excluded", now=NOW)

        results = run_together([exclude, partial(open_next_round, cast.batch, now=NOW)])

        assert not [each for each in results if isinstance(each, Exception)]
        assert not Seat.objects.filter(assignment__isnull=False).exists()
