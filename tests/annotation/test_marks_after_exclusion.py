"""The words of a flag follow the rule of an answer's own words: kept after an exclusion, and counted by nothing."""

import pytest
from django.utils import timezone

from annotation.models import Assignment, ItemMark, MarkChange, Rating
from annotation.services.status import set_status
from archive.marks import mark_rows
from reporting.report.flags import flags_table
from tests.annotation.work_pages import rate_url
from tests.marking import flag

pytestmark = pytest.mark.django_db

WORDS = "I cannot tell from this."


def test_an_exclusion_keeps_answers_and_marks_and_counts_neither(annotator, assignment: Assignment):
    annotator.post(rate_url(assignment), {"appropriateness-option": "3", "appropriateness-text-3": WORDS})
    flag(assignment, Rating.objects.get().item, "other", WORDS)
    study = assignment.batch.study
    assert flags_table(study)[-1].flags == 1
    set_status(assignment.participant, status="excluded", now=timezone.now())
    assert flags_table(study) == []
    assert (Rating.objects.get().free_text, ItemMark.objects.get().words) == (WORDS, WORDS)
    assert MarkChange.objects.get().words == WORDS


def test_an_archive_names_the_marks_by_pseudonym_alone(assignment: Assignment):
    flag(assignment, assignment.batch.items.first(), "other", WORDS)
    row = next(iter(mark_rows(assignment.batch.study)))
    assert assignment.participant.pseudonym in row
    assert assignment.participant.user.username not in row
