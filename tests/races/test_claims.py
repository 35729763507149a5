"""The number of votes per item never exceeds the wanted number, whatever the concurrency."""

from datetime import timedelta
from functools import partial

import pytest
from django.utils import timezone

from annotation.models import Assignment, Batch, Seat
from annotation.services.claiming import claim_seat, expire_leases
from annotation.services.refusals import Refused
from tests.cast import make_cast
from tests.factories import make_annotator, make_batch
from tests.races.threads import run_together

pytestmark = pytest.mark.django_db(transaction=True)
NOW = timezone.now()
LATER = NOW + timedelta(minutes=91)


def claims(participants, batches, now=NOW):
    return [partial(claim_seat, who, batch, now=now) for who, batch in zip(participants, batches, strict=True)]


def test_fifty_annotators_at_once_get_exactly_the_wanted_seats():
    cast = make_cast()
    crowd = [make_annotator(cast.study, f"crowd-{n}") for n in range(50)]
    results = run_together(claims(crowd, [cast.batch] * 50))
    won = [result for result in results if isinstance(result, Assignment)]
    lost = [result for result in results if not isinstance(result, Assignment)]
    assert len(won) == cast.study.seats
    assert {error.code for error in lost if isinstance(error, Refused)} == {"full"}
    assert len([error for error in lost if isinstance(error, Refused)]) == 47
    assert Seat.objects.filter(batch=cast.batch, assignment__isnull=False).count() == 3


def test_two_tabs_of_one_annotator_get_one_assignment():
    cast = make_cast()
    results = run_together(claims([cast.annotator] * 12, [cast.batch] * 12))
    assert len({result.pk for result in results}) == 1
    assert Seat.objects.filter(assignment__isnull=False).count() == 1


def test_an_annotator_who_claims_two_batches_at_once_gets_one():
    cast = make_cast()
    other = make_batch(cast.study, key="other")
    results = run_together(claims([cast.annotator] * 10, [cast.batch, other] * 5))
    assert Assignment.objects.filter(participant=cast.annotator, status="active").count() == 1
    assert {result.code for result in results if isinstance(result, Refused)} == {"busy"}
    assert not [result for result in results if not isinstance(result, Assignment | Refused)]


def test_lapsed_seats_are_taken_once_while_the_sweep_frees_them():
    cast = make_cast()
    for annotator in cast.annotators:
        claim_seat(annotator, cast.batch, now=NOW)
    crowd = [make_annotator(cast.study, f"crowd-{n}") for n in range(20)]
    sweeps = [partial(expire_leases, now=LATER)] * 5
    results = run_together([*claims(crowd, [cast.batch] * 20, LATER), *sweeps])
    assert not [result for result in results if not isinstance(result, Assignment | Refused | list)]
    assert Seat.objects.filter(batch=cast.batch).count() == 3
    holders = set(Seat.objects.filter(assignment__isnull=False).values_list("assignment", flat=True))
    assert holders == {result.pk for result in results if isinstance(result, Assignment)}
    expired = Assignment.objects.filter(participant__in=cast.annotators).values_list("status", flat=True)
    assert set(expired) == {"expired"}


def test_the_version_moves_once_per_claim():
    cast = make_cast()
    run_together(claims(cast.annotators, [cast.batch] * 3))
    assert Batch.objects.get(pk=cast.batch.pk).ratings_version == 3
