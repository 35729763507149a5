"""Reading before rating: one dialogue after another, and a server clock that goes back."""

from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from uuid import uuid4

import pytest
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.models import Assignment, Dialogue, Reading
from annotation.selectors.work import spec_of_assignment
from annotation.services.claiming import claim_seat
from annotation.services.rating import Submission, record_rating
from annotation.services.reading import open_dialogue
from annotation.services.refusals import Refused
from protocols.answers import Given
from tests.cast import make_cast

NOW = timezone.now()
FLOOR = 10

pytestmark = pytest.mark.django_db


def seated() -> Assignment:
    cast = make_cast()
    return claim_seat(cast.annotator, cast.batch, now=NOW)


@pytest.fixture
def assignment() -> Assignment:
    return seated()


def wait(assignment: Assignment, seconds: float, position: int = 0) -> float:
    return open_dialogue(assignment, position, FLOOR, now=NOW + timedelta(seconds=seconds)).total_seconds()


def test_the_clock_of_a_dialogue_is_started_once(assignment: Assignment):
    assert [wait(assignment, seconds) for seconds in (0, 4, 10, 60)] == [10, 6, 0, 0]


def test_dialogues_opened_at_once_are_read_one_after_another(assignment: Assignment):
    assert [wait(assignment, 0, position) for position in range(11)] == [FLOOR * n for n in range(1, 12)]
    assert [wait(assignment, FLOOR, position) for position in range(11)] == [FLOOR * n for n in range(11)]


def test_who_reads_one_after_another_waits_for_no_other(assignment: Assignment):
    assert [wait(assignment, 30 * position, position) for position in range(4)] == [FLOOR] * 4


def test_a_conversation_is_read_once_whatever_else_was_opened(assignment: Assignment):
    places = sorted(set(assignment.batch.items.values_list("position", flat=True)))
    wait(assignment, 0, places[0])
    wait(assignment, 0, 90)
    Dialogue.objects.filter(items__batch=assignment.batch).update(conversation="c")
    assert wait(assignment, 4, places[1]) == FLOOR - 4
    assert wait(assignment, 12, places[-1]) == 0


def test_going_back_costs_nothing(assignment: Assignment):
    wait(assignment, 0, 0)
    wait(assignment, 10, 1)
    assert wait(assignment, 12, 0) == 0
    assert wait(assignment, 15, 1) == 5


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 25)), min_size=1, max_size=15))
def test_as_many_floors_pass_as_dialogues_are_read_and_nobody_waits_for_more(visits: list[tuple[int, int]]):
    """Whatever is opened whenever: n dialogues can be answered after n floors, and the last waits for no other one."""
    Reading.objects.all().delete()
    assignment = Assignment.objects.first() or seated()
    now, ready = 0, {}
    for position, pause in visits:
        now += pause
        ready.setdefault(position, now + wait(assignment, now, position))
        assert now + wait(assignment, now, position) == max(ready[position], now)
    times = sorted(ready.values())
    assert all(later - earlier >= FLOOR for earlier, later in pairwise(times))
    assert times[-1] <= now + FLOOR * len(times)


def test_after_the_clock_went_back_a_dialogue_counts_as_opened_just_now(assignment: Assignment):
    wait(assignment, 3600)
    assert [wait(assignment, seconds) for seconds in (0, 4, 10)] == [10, 6, 0]
    assert Reading.objects.get().opened_at == NOW


def test_after_the_clock_went_back_answers_are_taken_once_it_was_read(assignment: Assignment):
    wait(assignment, 3600)
    wait(assignment, 0)
    spec = replace(spec_of_assignment(assignment), reading_seconds=FLOOR)
    item = assignment.batch.items.filter(position=0).first()
    said = Submission(item=item.token, criterion="listening", given=Given("1"), client_key=uuid4())
    with pytest.raises(Refused, match="Read the whole dialogue first"):
        record_rating(assignment.pk, spec, said, now=NOW + timedelta(seconds=9))
    assert record_rating(assignment.pk, spec, said, now=NOW + timedelta(seconds=10)).is_counted
