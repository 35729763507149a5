"""Marks given at the same moment, and a flag beside the submission of its batch."""

from functools import partial
from uuid import uuid4

import pytest
from django.utils import timezone

from annotation.models import Assignment, ItemMark, MarkChange
from annotation.services.claiming import claim_seat, submit_assignment
from annotation.services.marking import Marked
from annotation.services.rating import Submission
from annotation.services.refusals import Refused
from protocols.answers import Given
from tests.factories import make_annotator
from tests.marking import flag, make_skipping_batch, take_back
from tests.races.threads import run_together
from tests.working import record

pytestmark = pytest.mark.django_db(transaction=True)


def begin() -> Assignment:
    batch = make_skipping_batch(1)
    return claim_seat(make_annotator(batch.study, "ann"), batch, now=timezone.now())


def test_the_same_flag_sent_by_twenty_requests_is_one_flag():
    assignment = begin()
    item, key = assignment.batch.items.first(), uuid4()
    results = run_together([partial(flag, assignment, item, client_key=key)] * 20)
    assert all(isinstance(result, Marked) for result in results)
    assert sorted(result.is_repeat for result in results) == [False] + [True] * 19
    assert (ItemMark.objects.count(), MarkChange.objects.count()) == (1, 1)


def test_different_flags_at_once_are_all_kept_and_one_stands():
    assignment = begin()
    item = assignment.batch.items.first()
    run_together([partial(flag, assignment, item, reason) for reason in ("broken", "personal", "language")] * 4)
    assert (ItemMark.objects.count(), MarkChange.objects.count()) == (1, 12)


@pytest.mark.parametrize("attempt", range(5))
def test_a_flag_taken_back_while_the_batch_is_submitted_leaves_no_hole(attempt: int):
    assignment = begin()
    *others, last = assignment.batch.items.order_by("unit", "pk")
    flag(assignment, last)
    for item in others:
        for criterion in ("whole",) if item.unit == "dialogue" else ("fit", "clear"):
            record(assignment, Submission(item.token, criterion, Given("1"), uuid4()), now=timezone.now())
    submitted, taken_back = run_together([
        partial(submit_assignment, assignment, feedback="", now=timezone.now()),
        partial(take_back, assignment, last),
    ])  # fmt: skip
    is_flagged = ItemMark.objects.get().reason == "broken"
    is_submitted = Assignment.objects.get().status == "submitted"
    assert is_flagged is is_submitted, "either the flag stands and the batch is done, or the item is wanted again"
    assert isinstance(submitted if is_flagged is False else taken_back, Refused)
