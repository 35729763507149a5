from dataclasses import replace
from datetime import timedelta
from importlib import import_module
from uuid import uuid4

import pytest
from django.db import connection
from django.utils import timezone

from annotation.models import Assignment, Batch, Rating, RatingRevision, Study
from annotation.selectors.cells import measure_batch
from annotation.services.claiming import claim_seat, expire_leases, submit_assignment
from annotation.services.rating import Submission
from annotation.services.refusals import Refused
from protocols.answers import Given, InvalidAnswer
from tests.cast import Cast
from tests.factories import make_batch
from tests.working import rate_everything, record

NOW = timezone.now()
LATER = NOW + timedelta(minutes=91)

pytestmark = pytest.mark.django_db


@pytest.fixture
def assignment(cast: Cast) -> Assignment:
    return claim_seat(cast.annotator, cast.batch, now=NOW)


def answer(assignment: Assignment, option: str = "1", **fields) -> Submission:
    item = assignment.batch.items.order_by("pk")[0]
    plain = Submission(item=item.token, criterion="listening", given=Given(option), client_key=uuid4())
    return replace(plain, **fields)


def test_an_answer_is_stored_with_its_first_revision(assignment: Assignment):
    acknowledged = record(assignment, answer(assignment, age_ms=1500, active_ms=4200), now=NOW)
    rating = Rating.objects.get()
    assert (acknowledged.revision, acknowledged.is_repeat, acknowledged.is_counted) == (1, False, True)
    assert (rating.option.label, rating.active_ms) == ("Listening", 4200)
    assert rating.answered_at == NOW - timedelta(milliseconds=1500)
    assert rating.revisions.get().received_at == NOW


def test_the_same_request_twice_is_one_answer(assignment: Assignment):
    submission = answer(assignment)
    record(assignment, submission, now=NOW)
    version = Batch.objects.get(pk=assignment.batch_id).ratings_version
    assert record(assignment, submission, now=NOW).is_repeat
    assert RatingRevision.objects.count() == 1
    assert Batch.objects.get(pk=assignment.batch_id).ratings_version == version


def test_a_changed_answer_adds_a_revision_and_keeps_the_old_one(assignment: Assignment):
    record(assignment, answer(assignment, "1"), now=NOW)
    acknowledged = record(assignment, answer(assignment, "2"), now=NOW + timedelta(seconds=5))
    assert acknowledged.revision == 2
    assert Rating.objects.get().option.label == "Not listening"
    labels = RatingRevision.objects.order_by("number").values_list("option__label", flat=True)
    assert list(labels) == ["Listening", "Not listening"]


def test_an_older_answer_that_was_held_offline_becomes_history_not_the_current_one(assignment: Assignment):
    record(assignment, answer(assignment, "2"), now=NOW)
    record(assignment, answer(assignment, "1", age_ms=60_000), now=NOW + timedelta(seconds=1))
    rating = Rating.objects.get()
    assert (rating.option.label, rating.revision, rating.revisions.count()) == ("Not listening", 2, 2)


def test_of_two_answers_given_at_the_same_instant_the_one_that_comes_last_is_the_current_one(assignment: Assignment):
    record(assignment, answer(assignment, "1"), now=NOW)
    record(assignment, answer(assignment, "2"), now=NOW)
    assert Rating.objects.get().option.label == "Not listening"


def test_each_counted_answer_raises_the_batchs_version_by_one(assignment: Assignment):
    before = Batch.objects.get(pk=assignment.batch_id).ratings_version
    rate_everything(assignment, now=NOW, n=6)
    assert Batch.objects.get(pk=assignment.batch_id).ratings_version == before + 6


def test_an_answer_after_the_lease_is_kept_and_not_counted(assignment: Assignment):
    expire_leases(now=LATER)
    acknowledged = record(assignment, answer(assignment), now=LATER)
    assert not acknowledged.is_counted
    assert Rating.objects.count() == 1
    assert measure_batch(assignment.batch).n_ratings == 0


def test_a_lapsed_lease_counts_no_more_even_before_the_sweep(assignment: Assignment):
    assert not record(assignment, answer(assignment), now=LATER).is_counted


def test_an_answer_counts_until_the_very_moment_the_lease_ends(assignment: Assignment):
    end = assignment.seat.lease_expires_at
    assert record(assignment, answer(assignment), now=end - timedelta(microseconds=1)).is_counted
    assert not record(assignment, answer(assignment), now=end).is_counted


@pytest.mark.parametrize(
    ("status", "code"), [(Assignment.Status.EXCLUDED, "excluded"), (Assignment.Status.SUBMITTED, "submitted")]
)
def test_work_that_is_over_takes_no_answers(assignment: Assignment, status: str, code: str):
    Assignment.objects.filter(pk=assignment.pk).update(status=status, submitted_at=NOW)
    with pytest.raises(Refused) as caught:
        record(assignment, answer(assignment), now=NOW)
    assert caught.value.code == code
    assert not Rating.objects.exists()


def test_a_submitted_batch_is_closed_for_its_annotator(assignment: Assignment):
    rate_everything(assignment, now=NOW)
    submit_assignment(assignment, feedback="", now=NOW)
    with pytest.raises(Refused):
        record(assignment, answer(assignment, "2"), now=NOW)


def test_a_closed_study_takes_no_answers(assignment: Assignment):
    Study.objects.update(status=Study.Status.CLOSED)
    with pytest.raises(Refused) as caught:
        record(assignment, answer(assignment), now=NOW)
    assert caught.value.code == "closed"


def test_an_item_of_another_batch_is_refused(cast: Cast, assignment: Assignment):
    foreign = make_batch(cast.study, key="other").items.all()[0]
    with pytest.raises(Refused) as caught:
        record(assignment, answer(assignment, item=foreign.token), now=NOW)
    assert caught.value.code == "unknown_item"


def test_a_question_of_another_protocol_is_refused(assignment: Assignment):
    with pytest.raises(Refused) as caught:
        record(assignment, answer(assignment, criterion="politeness"), now=NOW)
    assert caught.value.code == "unknown_criterion"


def test_an_invalid_answer_changes_nothing(assignment: Assignment):
    with pytest.raises(InvalidAnswer) as caught:
        record(assignment, answer(assignment, "9"), now=NOW)
    assert "option" in caught.value.errors
    assert not Rating.objects.exists()


def test_impossible_times_of_a_browser_are_bounded(assignment: Assignment):
    record(assignment, answer(assignment, age_ms=10**15, active_ms=10**15), now=NOW)
    rating = Rating.objects.get()
    assert rating.answered_at == NOW - timedelta(days=30)
    assert rating.active_ms == 4 * 60 * 60 * 1000


def active_times(rating: Rating) -> list[int]:
    return list(rating.revisions.order_by("number").values_list("active_ms", flat=True))


def test_the_time_of_a_question_is_that_of_all_its_answers(assignment: Assignment):
    record(assignment, answer(assignment, "1", active_ms=30_000), now=NOW)
    record(assignment, answer(assignment, "2", active_ms=1_500), now=NOW + timedelta(seconds=60))
    rating = Rating.objects.get()
    assert (rating.option.label, rating.active_ms) == ("Not listening", 31_500)
    assert active_times(rating) == [30_000, 1_500]


def test_an_answer_delivered_twice_adds_its_time_once(assignment: Assignment):
    first, second = answer(assignment, "1", active_ms=30_000), answer(assignment, "2", active_ms=1_500)
    for submission in (first, first, second, first, second):
        record(assignment, submission, now=NOW)
    assert Rating.objects.get().active_ms == 31_500


def test_the_time_of_an_answer_that_comes_late_is_work_too(assignment: Assignment):
    record(assignment, answer(assignment, "2", active_ms=4_000), now=NOW)
    record(assignment, answer(assignment, "1", age_ms=60_000, active_ms=9_000), now=NOW + timedelta(seconds=1))
    rating = Rating.objects.get()
    assert (rating.option.label, rating.active_ms) == ("Not listening", 13_000)
    assert active_times(rating) == [4_000, 9_000]


def test_many_long_answers_to_one_question_do_not_overflow(assignment: Assignment):
    record(assignment, answer(assignment, active_ms=1), now=NOW)
    Rating.objects.update(active_ms=2**31 - 2)
    record(assignment, answer(assignment, "2", active_ms=5_000), now=NOW + timedelta(seconds=1))
    assert Rating.objects.get().active_ms == 2**31 - 1


def test_times_that_were_stored_before_are_put_right_once(assignment: Assignment):
    whole = import_module("annotation.migrations.0012_whole_active_time")
    with connection.cursor() as cursor:
        cursor.execute(whole.BACKWARD)
        record(assignment, answer(assignment, "1", active_ms=30_000), now=NOW)
        record(assignment, answer(assignment, "2", active_ms=1_500), now=NOW + timedelta(seconds=60))
        assert Rating.objects.get().active_ms == 1_500
        before = Batch.objects.get(pk=assignment.batch_id).ratings_version
        for _again in range(2):
            cursor.execute(whole.FORWARD)
            assert Rating.objects.get().active_ms == 31_500
            assert Batch.objects.get(pk=assignment.batch_id).ratings_version == before + 1
