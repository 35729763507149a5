"""Reading before rating, and a server clock that goes back."""

from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from annotation.models import Assignment, Reading
from annotation.selectors.work import spec_of_assignment
from annotation.services.claiming import claim_seat
from annotation.services.rating import Submission, record_rating
from annotation.services.reading import open_dialogue
from annotation.services.refusals import Refused
from protocols.forms import Given
from tests.cast import make_cast

NOW = timezone.now()
FLOOR = 10

pytestmark = pytest.mark.django_db


@pytest.fixture
def assignment() -> Assignment:
    cast = make_cast()
    return claim_seat(cast.annotator, cast.batch, now=NOW)


def wait(assignment: Assignment, seconds: float) -> float:
    return open_dialogue(assignment, 0, FLOOR, now=NOW + timedelta(seconds=seconds)).total_seconds()


def test_the_clock_of_a_dialogue_is_started_once(assignment: Assignment):
    assert [wait(assignment, seconds) for seconds in (0, 4, 10, 60)] == [10, 6, 0, 0]


def test_after_the_clock_went_back_a_dialogue_counts_as_opened_just_now(assignment: Assignment):
    wait(assignment, 3600)
    assert [wait(assignment, seconds) for seconds in (0, 4, 10)] == [10, 6, 0]
    assert Reading.objects.get().opened_at == NOW


def test_after_the_clock_went_back_answers_are_taken_once_it_was_read(assignment: Assignment):
    wait(assignment, 3600)
    wait(assignment, 0)
    spec = replace(spec_of_assignment(assignment), reading_seconds=FLOOR)
    item = assignment.batch.items.filter(position=0).first()
    given = Submission(item=item.token, criterion="listening", given=Given("1"), client_key=uuid4())
    with pytest.raises(Refused, match="Read the whole dialogue first"):
        record_rating(assignment.pk, spec, given, now=NOW + timedelta(seconds=9))
    assert record_rating(assignment.pk, spec, given, now=NOW + timedelta(seconds=10)).is_counted
