"""Flags in the report: counted by reason, skipped items with them, and never as answers."""

import csv
import io
from uuid import uuid4

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.models import Batch, Item
from annotation.services.claiming import claim_seat
from annotation.services.rating import Submission
from protocols.answers import Given
from reporting.report.build import PARTS, build_report
from reporting.report.downloads import as_csv
from reporting.study.plain import plain
from tests.annotation.work_pages import sign_in, text_of
from tests.cast import Cast
from tests.factories import make_annotator
from tests.marking import be_unsure, flag, make_skipping_batch, take_back
from tests.working import rate_everything, record

pytestmark = pytest.mark.django_db
NOW = timezone.now()


@pytest.fixture
def rated(cast: Cast) -> Cast:
    for annotator in cast.annotators:
        rate_everything(claim_seat(annotator, cast.batch, now=NOW), now=NOW)
    return cast


def items_of(batch: Batch) -> list[Item]:
    return list(batch.items.order_by("pk"))


def test_flags_are_counted_by_reason_and_change_no_other_number(rated: Cast):
    before = build_report(rated.study, now=NOW)
    one, two, three = rated.batch.assignments.order_by("pk")
    first, second, *_ = items_of(rated.batch)
    flag(one, first)
    flag(two, first)
    flag(three, second, "personal")
    be_unsure(one, second)
    flag(two, second)
    take_back(two, second)
    after = build_report(rated.study, now=NOW)
    assert before.flags == []
    assert plain(after.flags) == [
        {"reason": "broken", "flags": 2, "items": 1, "annotators": 2, "skipped": 0},
        {"reason": "personal", "flags": 1, "items": 1, "annotators": 1, "skipped": 0},
        {"reason": "any", "flags": 3, "items": 2, "annotators": 3, "skipped": 0},
    ]
    told = {"flags", "methods"}
    assert {name for name in PARTS if getattr(before, name) != getattr(after, name)} == told
    assert "Annotators flagged 2 items as faulty; flags are not counted as answers." in after.methods


def test_flags_of_work_without_a_seat_and_of_known_answers_do_not_count(rated: Cast):
    one, two, _ = rated.batch.assignments.order_by("pk")
    first, second, *_ = items_of(rated.batch)
    flag(one, first)
    rated.batch.seats.filter(assignment=one).update(assignment=None, lease_expires_at=None)
    flag(two, second)
    Item.objects.filter(pk=second.pk).update(is_check=True)
    assert build_report(rated.study, now=NOW).flags == []


def test_skipped_items_are_counted_where_items_may_be_skipped():
    batch = make_skipping_batch()
    assignment = claim_seat(make_annotator(batch.study, "ann"), batch, now=NOW)
    answered, skipped = batch.items.filter(unit="dialogue")
    flag(assignment, skipped, "language")
    flag(assignment, answered, "language")
    record(assignment, Submission(answered.token, "whole", Given("1"), uuid4()), now=NOW)
    (row, _whole) = build_report(batch.study, now=NOW).flags
    assert plain(row) == {"reason": "language", "flags": 2, "items": 2, "annotators": 1, "skipped": 1}


def test_the_page_and_the_table_say_it(rated: Cast):
    flag(rated.batch.assignments.first(), items_of(rated.batch)[0], "offensive")
    page = text_of(sign_in(rated.lead).get(reverse("report", args=[rated.study.slug])))
    assert "Flags are not answers: no other table counts them." in page
    assert "Offensive" in page
    rows = list(csv.DictReader(io.StringIO(as_csv(build_report(rated.study, now=NOW), "flags"))))
    assert [row["reason"] for row in rows] == ["offensive", "any"]
