from datetime import timedelta
from unittest.mock import patch

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.models import Assignment, Batch, Participant, Seat, Study
from annotation.services import claiming
from annotation.services.claiming import claim_seat, expire_leases, release_seats, submit_assignment
from annotation.services.refusals import Refused
from tests.cast import Cast
from tests.factories import make_batch
from tests.working import rate_everything

NOW = timezone.now()
END = NOW + timedelta(minutes=90)  # the protocol allows 90
LATER = NOW + timedelta(minutes=91)

pytestmark = pytest.mark.django_db


def refusal(call, *args, **kwargs) -> Refused:
    with pytest.raises(Refused) as caught:
        call(*args, **kwargs)
    return caught.value


def test_a_cleared_annotator_gets_a_seat_with_a_lease_of_the_protocols_maximum_time(cast: Cast):
    assignment = claim_seat(cast.annotator, cast.batch, now=NOW)
    assert assignment.status == Assignment.Status.ACTIVE
    assert assignment.seat.lease_expires_at == NOW + timedelta(minutes=90)


def test_claiming_twice_gives_the_same_assignment_and_takes_one_seat(cast: Cast):
    first = claim_seat(cast.annotator, cast.batch, now=NOW)
    assert claim_seat(cast.annotator, cast.batch, now=NOW) == first
    assert Seat.objects.filter(assignment__isnull=False).count() == 1


@pytest.mark.parametrize("status", ["pending", "paused", "excluded"])
def test_only_a_cleared_annotator_can_claim(cast: Cast, status: str):
    Participant.objects.filter(pk=cast.annotator.pk).update(status=status)
    assert refusal(claim_seat, cast.annotator, cast.batch, now=NOW).code == "not_cleared"


@pytest.mark.parametrize("status", ["paused", "excluded"])
def test_who_is_stopped_cannot_claim_even_what_is_reserved_for_them(cast: Cast, status: str):
    private = make_batch(cast.study, key="private", kind="re_rating", reserved_for=cast.annotator)
    assert claim_seat(cast.annotator, private, now=NOW).status == Assignment.Status.ACTIVE
    release_seats(cast.annotator, Assignment.Status.EXPIRED)
    Participant.objects.filter(pk=cast.annotator.pk).update(status=status)
    assert refusal(claim_seat, cast.annotator, private, now=NOW).code == "not_cleared"


@pytest.mark.parametrize("what", ["study", "batch"])
@pytest.mark.parametrize("status", ["draft", "closed"])
def test_only_an_open_batch_of_an_open_study_can_be_claimed(cast: Cast, what: str, status: str):
    {"study": Study, "batch": Batch}[what].objects.update(status=status)
    assert refusal(claim_seat, cast.annotator, cast.batch, now=NOW).code == "not_open"


def test_a_batch_without_a_free_seat_is_refused(cast: Cast):
    Seat.objects.filter(batch=cast.batch, number__gt=1).delete()
    claim_seat(cast.annotators[0], cast.batch, now=NOW)
    assert refusal(claim_seat, cast.annotators[1], cast.batch, now=NOW).code == "full"


def test_an_annotator_works_on_one_batch_at_a_time(cast: Cast):
    other = make_batch(cast.study, key="other")
    claim_seat(cast.annotator, cast.batch, now=NOW)
    assert refusal(claim_seat, cast.annotator, other, now=NOW).code == "busy"


def test_a_lapsed_batch_does_not_keep_its_annotator_from_another_one(cast: Cast):
    other = make_batch(cast.study, key="other")
    claim_seat(cast.annotator, cast.batch, now=NOW)
    assert claim_seat(cast.annotator, other, now=LATER).batch == other
    assert not Seat.objects.filter(batch=cast.batch, assignment__isnull=False).exists()


def test_a_lapsed_seat_goes_to_the_next_annotator_even_before_the_sweep(cast: Cast):
    Seat.objects.filter(batch=cast.batch, number__gt=1).delete()
    first = claim_seat(cast.annotators[0], cast.batch, now=NOW)
    second = claim_seat(cast.annotators[1], cast.batch, now=LATER)
    first.refresh_from_db()
    assert (first.status, second.seat.number) == (Assignment.Status.EXPIRED, 1)


def test_a_seat_is_free_from_the_very_moment_its_lease_ends(cast: Cast):
    Seat.objects.filter(batch=cast.batch, number__gt=1).delete()
    claim_seat(cast.annotators[0], cast.batch, now=NOW)
    moment_before = END - timedelta(microseconds=1)
    assert refusal(claim_seat, cast.annotators[1], cast.batch, now=moment_before).code == "full"
    assert claim_seat(cast.annotators[1], cast.batch, now=END).seat.number == 1


def test_a_claim_elsewhere_that_ends_lapsed_work_raises_the_version_of_its_batch(cast: Cast):
    other = make_batch(cast.study, key="other")
    claim_seat(cast.annotator, cast.batch, now=NOW)
    version = Batch.objects.get(pk=cast.batch.pk).ratings_version
    claim_seat(cast.annotator, other, now=LATER)
    assert Batch.objects.get(pk=cast.batch.pk).ratings_version == version + 1


def test_the_sweep_leaves_a_seat_alone_that_was_taken_again_after_it_was_found_lapsed(cast: Cast):
    assignment = claim_seat(cast.annotator, cast.batch, now=NOW)
    expire = claiming._expire

    def taken_before(seat: int, now):
        claim_seat(cast.annotator, cast.batch, now=LATER)
        return expire(seat, now)

    with patch.object(claiming, "_expire", taken_before):
        assert expire_leases(now=LATER) == []
    assert Seat.objects.get(assignment=assignment).lease_expires_at == LATER + timedelta(minutes=90)


def test_expiry_frees_the_seat_keeps_the_answers_and_raises_the_version(cast: Cast):
    assignment = claim_seat(cast.annotator, cast.batch, now=NOW)
    rate_everything(assignment, now=NOW, n=5)
    version = Batch.objects.get(pk=cast.batch.pk).ratings_version
    assert expire_leases(now=LATER) == [cast.batch.pk]
    assignment.refresh_from_db()
    assert assignment.status == Assignment.Status.EXPIRED
    assert assignment.ratings.count() == 5
    assert Batch.objects.get(pk=cast.batch.pk).ratings_version == version + 1
    assert not Seat.objects.filter(assignment__isnull=False).exists()


def test_expiry_leaves_running_and_finished_work_alone(cast: Cast):
    running = claim_seat(cast.annotators[0], cast.batch, now=NOW)
    finished = claim_seat(cast.annotators[1], cast.batch, now=NOW)
    rate_everything(finished, now=NOW)
    submit_assignment(finished, feedback="", now=NOW)
    assert expire_leases(now=NOW + timedelta(minutes=89)) == []
    assert expire_leases(now=LATER) == [cast.batch.pk]
    assert {seat.assignment for seat in Seat.objects.filter(assignment__isnull=False)} == {finished}
    running.refresh_from_db()
    assert running.status == Assignment.Status.EXPIRED


def test_who_comes_back_after_the_lease_goes_on_with_the_same_work(cast: Cast):
    assignment = claim_seat(cast.annotator, cast.batch, now=NOW)
    rate_everything(assignment, now=NOW, n=5)
    expire_leases(now=LATER)
    again = claim_seat(cast.annotator, cast.batch, now=LATER)
    assert again == assignment
    assert again.seat.lease_expires_at == LATER + timedelta(minutes=90)
    assert again.ratings.count() == 5


def test_releasing_takes_every_seat_of_the_participant(cast: Cast):
    assignment = claim_seat(cast.annotator, cast.batch, now=NOW)
    assert release_seats(cast.annotator, Assignment.Status.EXCLUDED) == [cast.batch.pk]
    assignment.refresh_from_db()
    assert assignment.status == Assignment.Status.EXCLUDED


def test_an_incomplete_batch_cannot_be_submitted_and_says_how_much_is_missing(cast: Cast):
    assignment = claim_seat(cast.annotator, cast.batch, now=NOW)
    rate_everything(assignment, now=NOW, n=20)
    refused = refusal(submit_assignment, assignment, feedback="", now=NOW)
    assert (refused.code, refused.extra) == ("incomplete", {"missing": 4})


def test_a_submitted_batch_keeps_its_seat_and_its_feedback_for_good(cast: Cast):
    assignment = claim_seat(cast.annotator, cast.batch, now=NOW)
    rate_everything(assignment, now=NOW)
    done = submit_assignment(assignment, feedback=" Clear task. ", now=NOW)
    assert (done.status, done.feedback, done.submitted_at) == (Assignment.Status.SUBMITTED, "Clear task.", NOW)
    assert done.seat.lease_expires_at is None
    assert submit_assignment(assignment, feedback="again", now=LATER).feedback == "Clear task."


def test_work_without_a_seat_cannot_be_submitted(cast: Cast):
    assignment = claim_seat(cast.annotator, cast.batch, now=NOW)
    rate_everything(assignment, now=NOW)
    expire_leases(now=LATER)
    assert refusal(submit_assignment, assignment, feedback="", now=LATER).code == "lease_expired"


def test_the_database_refuses_two_assignments_on_one_seat(cast: Cast):
    first = claim_seat(cast.annotators[0], cast.batch, now=NOW)
    with pytest.raises(IntegrityError), transaction.atomic():
        Seat.objects.filter(batch=cast.batch, assignment__isnull=True).update(assignment=first)
