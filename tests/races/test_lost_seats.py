"""An answer or a submission that meets the loss of its seat waits until that is committed, and is refused."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from annotation.models import Assignment, Rating, Seat
from annotation.services.claiming import claim_seat, expire_leases, submit_assignment
from annotation.services.refusals import Refused
from annotation.services.status import set_status
from tests.cast import make_cast
from tests.races.threads import run_together
from tests.wait import wait_until
from tests.working import rate_everything

pytestmark = pytest.mark.django_db(transaction=True)
NOW = timezone.now()
WAITS_FOR_ME = (
    "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid)))"
)


def while_uncommitted(change: Callable[[], Any], call: Callable[[], Any]) -> Any:
    """Return what `call` comes to on another connection: it begins after `change`, which is committed once it waits."""
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            change()
            found = pool.submit(run_together, [call])
            wait_until(lambda: found.done() or is_waiting(), what="the other connection to meet the lock")
        return found.result(30)[0]


def is_waiting() -> bool:
    """Return whether another connection waits for a lock of this one."""
    with connection.cursor() as cursor:
        cursor.execute(WAITS_FOR_ME)
        return cursor.fetchone()[0]


def test_an_answer_that_meets_an_exclusion_is_refused_and_not_stored():
    cast = make_cast()
    assignment = claim_seat(cast.annotator, cast.batch, now=NOW)
    exclude = partial(set_status, cast.annotator, status="excluded", now=NOW)
    refused = while_uncommitted(exclude, partial(rate_everything, assignment, now=NOW, n=1))
    assert isinstance(refused, Refused)
    assert refused.code == "excluded"
    assert not Rating.objects.exists()


def test_an_answer_that_meets_the_submission_is_refused_and_not_stored():
    cast = make_cast()
    assignment = claim_seat(cast.annotator, cast.batch, now=NOW)
    rate_everything(assignment, now=NOW)
    submit = partial(submit_assignment, assignment, feedback="", now=NOW)
    refused = while_uncommitted(submit, partial(rate_everything, assignment, now=NOW, option=1, n=1))
    assert isinstance(refused, Refused)
    assert refused.code == "submitted"
    assert not Rating.objects.filter(revision__gt=1).exists()


def test_a_submission_that_meets_the_end_of_its_lease_is_refused_and_takes_no_seat():
    cast = make_cast()
    assignment = claim_seat(cast.annotator, cast.batch, now=NOW)
    rate_everything(assignment, now=NOW)
    expire = partial(expire_leases, now=assignment.seat.lease_expires_at)
    refused = while_uncommitted(expire, partial(submit_assignment, assignment, feedback="", now=NOW))
    assert isinstance(refused, Refused)
    assert refused.code == "lease_expired"
    assert Assignment.objects.get(pk=assignment.pk).status == "expired"
    assert not Seat.objects.filter(assignment__isnull=False).exists()
