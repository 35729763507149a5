"""The time of a batch follows from its size where the protocol says what size its times are for."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Batch, Participant, Seat, Study
from annotation.services.claiming import claim_seat
from protocols.models import ProtocolVersion
from qualification.pay.selectors.rates import offers_of, plan_of
from reporting.report.build import build_report
from tests.factories import StudyFactory, make_annotator, make_batch, take_seat
from tests.factories_protocols import make_scale_version

pytestmark = pytest.mark.django_db
NOW = timezone.now()


@pytest.fixture
def sized(db) -> tuple[Study, Batch]:
    """2,000 minutes for 2,000 items, and a batch of 13."""
    version = make_scale_version(1, batch_items=2000, expected_minutes=2000, max_minutes=10080)
    study = StudyFactory(protocol_version=version, pay_amount="2.00", pay_currency="GBP")
    batch = make_batch(study, n_dialogues=13, n_sources=1)
    assert batch.items.count() == 13
    Batch.objects.filter(pk=batch.pk).update(n_items=13)
    return study, Batch.objects.get(pk=batch.pk)


def test_thirteen_items_take_thirteen_minutes_and_at_most_66(sized):
    study, batch = sized
    assert (batch.minutes_expected, batch.minutes_at_most) == (13, 66)
    assert (study.minutes_expected, study.minutes_at_most) == (13, 66)


def test_the_seat_is_kept_as_long_as_the_batch_may_take(sized):
    study, batch = sized
    claim_seat(make_annotator(study, "somebody"), batch, now=NOW)
    assert Seat.objects.get(assignment__isnull=False).lease_expires_at == NOW + timedelta(minutes=66)


def test_the_annotator_reads_the_time_of_their_batch(sized):
    study, batch = sized
    annotator = make_annotator(study, "somebody")
    claim_seat(annotator, batch, now=NOW)
    client = Client()
    client.force_login(annotator.user)
    page = client.get(reverse("work")).text
    assert "13 min" in page
    assert "2000 min" not in page


def test_pay_and_report_take_the_time_of_the_largest_batch(sized):
    study, _batch = sized
    assert [offer.minutes for offer in offers_of(study, plan_of(study))] == [13]
    assert build_report(study, now=NOW).time_and_pay.expected_minutes == 13


def test_a_batch_that_was_rated_elsewhere_takes_nobodys_time(sized):
    study, batch = sized
    larger = make_batch(study, n_dialogues=2, position=1)
    Batch.objects.filter(pk=larger.pk).update(n_items=500)
    assert Study.objects.get(pk=study.pk).minutes_expected == 500
    for number in range(larger.seats.count()):
        annotator = make_annotator(study, f"elsewhere-{number}")
        take_seat(annotator, larger)
        Participant.objects.filter(pk=annotator.pk).update(is_imported=True)
    assert Study.objects.get(pk=study.pk).minutes_expected == 13
    for number in range(batch.seats.count()):
        take_seat(make_annotator(study, f"also-elsewhere-{number}"), batch)
    study.participants.update(is_imported=True)
    assert Study.objects.get(pk=study.pk).minutes_expected == 500, "all of it was rated elsewhere, as in a copy"


def test_a_time_that_the_study_sets_holds_for_every_batch(sized):
    study, batch = sized
    Study.objects.filter(pk=study.pk).update(expected_minutes=20, max_minutes=45)
    batch = Batch.objects.get(pk=batch.pk)
    assert (batch.minutes_expected, batch.minutes_at_most) == (20, 45)


@pytest.mark.parametrize("n_items", [1, 40, 5000])
def test_without_a_size_the_times_are_those_of_the_protocol(n_items: int):
    assert ProtocolVersion(expected_minutes=35, max_minutes=90).minutes_for(n_items) == (35, 90)


def test_an_empty_batch_and_a_large_one():
    version = ProtocolVersion(expected_minutes=2000, max_minutes=10080, batch_items=2000)
    assert [version.minutes_for(n) for n in (0, 1, 4000)] == [(2000, 10080), (1, 6), (4000, 20160)]
