"""What stands on an annotator's list of work, the consent before it, and the way into a batch."""

import re

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Assignment, Batch, Participant, Rating, Seat, Study
from tests.annotation.work_pages import rate_url, sign_in, text_of
from tests.cast import Cast
from tests.factories import (
    ParticipantFactory,
    StudyFactory,
    make_batch,
    take_seat,
)

pytestmark = pytest.mark.django_db
PersonStatus = Participant.Status


# --- what is next, or why there is nothing -----------------------------------------------------------
def test_the_work_page_shows_time_pay_and_the_next_batch(cast: Cast, annotator: Client):
    Study.objects.update(pay_amount="4.67", pay_currency="GBP")
    page = text_of(annotator.get(reverse("work")))
    for part in ("Wellbeing dialogues", "35 min", "90 min", "4.67 GBP", "Start batch 1"):
        assert part in page


@pytest.mark.parametrize(
    ("status", "sentence"),
    [
        (PersonStatus.PENDING, "must clear you"),
        (PersonStatus.PAUSED, "You are paused"),
        (PersonStatus.EXCLUDED, "You no longer take part in this study"),
    ],
)
def test_who_is_not_cleared_reads_why(cast: Cast, annotator: Client, status: str, sentence: str):
    Participant.objects.update(status=status)
    page = text_of(annotator.get(reverse("work")))
    assert sentence in page
    assert "Start batch" not in page


@pytest.mark.parametrize(("status", "sentence"), [("draft", "has not started yet"), ("closed", "This study is closed")])
def test_a_study_that_is_not_open_says_so(annotator: Client, status: str, sentence: str):
    Study.objects.update(status=status)
    assert sentence in text_of(annotator.get(reverse("work")))


def test_all_seats_taken_is_told_apart_from_nothing_open(cast: Cast, annotator: Client):
    Study.objects.update(seats=1)
    Seat.objects.filter(number__gt=1).delete()
    take_seat(cast.annotators[1], cast.batch)
    assert "All seats are taken" in text_of(annotator.get(reverse("work")))
    Batch.objects.update(status="closed")
    assert "No batch is open" in text_of(annotator.get(reverse("work")))


def test_who_has_done_everything_reads_that(cast: Cast, annotator: Client, assignment: Assignment):
    Assignment.objects.update(status="submitted", submitted_at=timezone.now())
    page = text_of(annotator.get(reverse("work")))
    assert "You have finished every open batch" in page
    assert "1 batch finished" in page


def test_a_member_of_nothing_is_told_what_to_do(cast: Cast):
    assert "You are not an annotator in any study" in text_of(sign_in(cast.stranger).get(reverse("work")))


def test_the_lapsed_seat_of_another_annotator_is_offered(cast: Cast, annotator: Client):
    for other in cast.annotators[1:]:
        take_seat(other, cast.batch, minutes=-5)
    Seat.objects.filter(assignment=None).delete()
    assert "Start batch 1" in text_of(annotator.get(reverse("work")))


def test_the_work_page_costs_the_same_for_many_studies(cast: Cast, annotator: Client, django_assert_max_num_queries):
    for _ in range(5):
        study = StudyFactory(protocol_version=cast.version)
        make_batch(study, 1, 1)
        participant = ParticipantFactory(study=study, user=cast.annotator.user)
        take_seat(participant, make_batch(study, 1, 1, position=1))
    annotator.get(reverse("work"))  # the spec of the version is read once and kept
    with django_assert_max_num_queries(
        17
    ):  # of them six of who and what passes: qualifications, platforms, who asks, pay
        assert text_of(annotator.get(reverse("work"))).count("Continue") == 5


# --- consent and claim -------------------------------------------------------------------------------
def test_nothing_can_be_claimed_or_rated_before_the_consent(cast: Cast, annotator: Client, assignment: Assignment):
    Study.objects.update(consent_text="We keep what you answer.")
    consent = reverse("consent", args=[cast.study.slug])
    assert annotator.post(reverse("claim", args=[cast.batch.token])).url == consent
    assert annotator.get(rate_url(assignment)).url == consent
    assert annotator.post(rate_url(assignment), {"appropriateness-option": "1"}).url == consent
    assert not Rating.objects.exists()


def test_the_consent_is_stored_once_with_version_and_time(cast: Cast, annotator: Client):
    Study.objects.update(consent_text="We keep what you answer.", consent_version="2026-03")
    url = reverse("consent", args=[cast.study.slug])
    assert annotator.post(url).status_code == 422
    assert annotator.post(url, {"agree": "on"}).url == reverse("work")
    participant = Participant.objects.get(pk=cast.annotator.pk)
    assert participant.consent_version == "2026-03"
    assert annotator.post(url, {"agree": "on"}).status_code == 302
    assert Participant.objects.get(pk=cast.annotator.pk).consented_at == participant.consented_at


def test_a_new_consent_version_asks_again(cast: Cast, annotator: Client):
    Study.objects.update(consent_text="New.", consent_version="2")
    Participant.objects.update(consent_version="1", consented_at=timezone.now())
    assert "Read and agree" in text_of(annotator.get(reverse("work")))


def test_a_claim_leads_to_the_first_step(cast: Cast, annotator: Client):
    response = annotator.post(reverse("claim", args=[cast.batch.token]), follow=True)
    assert response.redirect_chain[-1][0].endswith("/0/1/")
    assert Assignment.objects.get().participant == cast.annotator


def test_a_refused_claim_says_why(cast: Cast, annotator: Client):
    Seat.objects.all().delete()
    assert "All seats of this batch are taken" in text_of(
        annotator.post(reverse("claim", args=[cast.batch.token]), follow=True)
    )


def test_a_claim_is_never_a_get(cast: Cast, annotator: Client):
    assert annotator.get(reverse("claim", args=[cast.batch.token])).status_code == 405


# --- pay ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", ["pilot", "qualification"])
def test_the_panel_reads_no_pay_beside_what_earns_nothing(cast: Cast, annotator: Client, kind: str):
    Study.objects.update(pay_amount="4.67", pay_currency="GBP")
    Participant.objects.update(panel="expert", status=PersonStatus.PENDING)
    Batch.objects.update(kind=kind)
    page = text_of(annotator.get(reverse("work")))
    assert "Start batch 1" in page
    assert "This batch is not paid separately." in page
    assert "4.67" not in page


def test_who_checks_reads_no_pay_of_main_batches(cast: Cast):
    Study.objects.update(pay_amount="4.67", pay_currency="GBP")
    ParticipantFactory(study=cast.study, user=cast.controller, status=PersonStatus.PENDING)
    assert "Pay per batch" not in text_of(sign_in(cast.controller).get(reverse("work")))


def test_who_waits_to_be_cleared_reads_what_a_batch_will_earn(cast: Cast, annotator: Client):
    Study.objects.update(pay_amount="4.67", pay_currency="GBP")
    Participant.objects.update(status=PersonStatus.PENDING)
    assert "4.67 GBP" in text_of(annotator.get(reverse("work")))


def test_a_pay_that_was_left_empty_is_called_the_same_everywhere(client: Client, cast: Cast):
    Study.objects.update(pay_amount=None, pay_currency="")
    work = re.sub(r"\s+", " ", text_of(sign_in(cast.annotator.user).get(reverse("work"))))
    assert "<dt>Pay per batch</dt><dd>not stated</dd>" in work
    client.force_login(cast.owner)
    overview = client.get(reverse("study", args=[cast.study.slug])).content.decode()
    assert "<dt>Pay</dt><dd>not stated</dd>" in overview
