"""Seats of one batch taken at the same moment: each pair is still seen from both sides, and each annotator fairly."""

from collections import Counter
from functools import partial

import pytest
from django.utils import timezone

from annotation.models import Assignment, Seat
from annotation.selectors.comparisons import pairs_of_batch
from annotation.services.claiming import claim_seat
from tests.comparing import deal, leanings, make_study, sides_of
from tests.factories import make_annotator
from tests.races.threads import run_together

pytestmark = pytest.mark.django_db(transaction=True)
NOW = timezone.now()


def test_twelve_claims_at_once_fill_six_seats_with_balanced_sides():
    study = make_study(5, 3, seats=6)
    (batch,) = deal(study)
    crowd = [make_annotator(study, f"crowd-{n}") for n in range(12)]
    won = run_together([partial(claim_seat, who, batch, now=NOW) for who in crowd])
    work = [each for each in won if isinstance(each, Assignment)]
    assert len(work) == Seat.objects.filter(assignment__isnull=False).count() == 6
    assert all(max(map(abs, leanings([each]).values())) <= 1 for each in work)
    for item in pairs_of_batch(batch.pk):
        assert sorted(Counter(sides_of(each)[item] for each in work).values()) == [3, 3]


def test_claims_of_two_batches_while_other_leases_lapse_do_not_wait_for_each_other():
    study = make_study(4, 3, seats=8)
    batches = deal(study, size=2)
    crowd = [make_annotator(study, f"crowd-{n}") for n in range(8)]
    for at, who in enumerate(crowd):
        claim_seat(who, batches[at % 2], now=NOW)
    later = NOW + timezone.timedelta(days=1)
    calls = [partial(claim_seat, who, batches[(at + 1) % 2], now=later) for at, who in enumerate(crowd)]
    assert all(isinstance(each, Assignment) for each in run_together(calls))
