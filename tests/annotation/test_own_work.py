"""My work: what one has done, at which pace and for what; and one's own answers of finished batches, to read."""

import re
from datetime import timedelta
from decimal import Decimal

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Assignment, Batch, Candidate, Participant, Rating, Source, Study
from annotation.selectors.own_work import NEWEST, records_of
from annotation.services.claiming import submit_assignment
from annotation.services.status import set_status
from qualification.pay.services.ledger import sweep_pay
from tests.annotation.work_pages import answer_all, rate_url, sign_in, text_of
from tests.cast import Cast
from tests.factories import ParticipantFactory, RatingFactory, StudyFactory, make_batch, take_seat

pytestmark = pytest.mark.django_db
WORK = reverse("work")


@pytest.fixture
def finished(cast: Cast, annotator: Client, assignment: Assignment) -> Assignment:
    """A batch of 24 answers, each of 6 seconds."""
    answer_all(annotator, assignment)
    Rating.objects.update(active_ms=6_000)
    return submit_assignment(assignment, feedback="The fourth was hard.", now=timezone.now())


def answers_of(assignment: Assignment) -> str:
    return reverse("past_batch", args=[assignment.token])


# --- figures -------------------------------------------------------------------------------------------
def test_my_work_tells_what_is_done(annotator: Client, finished: Assignment):
    page = text_of(annotator.get(WORK))
    for part in ("1 batch finished", "24 answers given", "You usually take 6.0 s per answer"):
        assert part in page


def test_nothing_is_said_of_a_pace_before_ten_timed_answers(cast: Cast, annotator: Client, finished: Assignment):
    keep = list(Rating.objects.order_by("pk").values_list("pk", flat=True)[:9])
    Rating.objects.exclude(pk__in=keep).update(active_ms=0)
    assert "You usually take" not in text_of(annotator.get(WORK))


def test_the_pace_is_the_median_of_ones_own_timed_answers_in_the_study(cast: Cast, finished: Assignment):
    for other in cast.annotators[1:]:
        RatingFactory.create_batch(3, assignment=take_seat(other, cast.batch), active_ms=90_000)
    slow = Rating.objects.filter(assignment=finished).order_by("pk")[:11]
    Rating.objects.filter(pk__in=[each.pk for each in slow]).update(active_ms=60_000)
    record = records_of(cast.annotators[:1])[cast.annotator.pk]
    assert (record.n_answers, record.pace_ms) == (24, 6_000)


def test_what_an_hour_has_earned_is_told_where_the_study_pays(cast: Cast, annotator: Client, finished: Assignment):
    Study.objects.update(pay_amount=Decimal("0.40"), pay_currency="GBP")
    sweep_pay(now=timezone.now())
    page = text_of(annotator.get(WORK))
    assert "You have earned <strong>0.40 GBP</strong> here." in page
    assert "That is 10.00 GBP per hour of measured work." in page  # 24 answers of 6 s are 144 s
    assert '<td class="number">0.40 GBP</td>' in page


def test_a_study_without_pay_speaks_of_no_money(annotator: Client, finished: Assignment):
    page = text_of(annotator.get(WORK))
    assert "per hour of measured work" not in page
    assert ">Earned<" not in page


def test_times_carry_their_zone_until_the_browser_shows_its_own(cast: Cast, annotator: Client, settings):
    settings.TIME_ZONE = "Asia/Tokyo"
    take_seat(cast.annotator, cast.batch)
    page = text_of(annotator.get(WORK))
    found = re.search(r'<time datetime="(\S+)\+09:00" data-local-time>([^<]+)</time>', page)
    assert found.group(2).endswith(" JST")


def test_hours_are_told_as_hours(annotator: Client):
    Study.objects.update(expected_minutes=90, max_minutes=2_000)
    page = text_of(annotator.get(WORK))
    assert "90 min" in page
    assert "33 h 20 min" in page


# --- finished batches --------------------------------------------------------------------------------------
def finish_many(cast: Cast, n: int) -> None:
    for number in range(n):
        batch = make_batch(cast.study, 1, 1, position=10 + number)
        Assignment.objects.create(
            batch=batch,
            participant=cast.annotator,
            status="submitted",
            claimed_at=timezone.now(),
            submitted_at=timezone.now() + timedelta(minutes=number),
        )


def test_the_newest_batches_stand_on_my_work_and_all_of_them_on_their_page(cast: Cast, annotator: Client):
    finish_many(cast, NEWEST + 2)
    page = text_of(annotator.get(WORK))
    keys = [str(11 + number) for number in range(NEWEST + 2)]
    shown = re.findall(r'/answers/" dir="auto">(\d+)</a>', page)
    assert shown == keys[::-1][:NEWEST]
    assert f"All {NEWEST + 2} batches" in page
    everything = text_of(annotator.get(reverse("past_batches", args=["wellbeing"])))
    assert re.findall(r'/answers/" dir="auto">(\d+)</a>', everything) == keys[::-1]


def test_many_finished_batches_and_studies_cost_no_more_queries(
    cast: Cast, annotator: Client, django_assert_max_num_queries
):
    finish_many(cast, 3)
    for _ in range(3):
        study = StudyFactory(protocol_version=cast.version, pay_amount=1, pay_currency="GBP")
        participant = ParticipantFactory(study=study, user=cast.annotator.user)
        assignment = take_seat(participant, make_batch(study, 1, 1))
        submit_assignment(assignment, feedback="", now=timezone.now(), needs_all=False)
    annotator.get(WORK)
    with django_assert_max_num_queries(18):
        annotator.get(WORK)


# --- one's own answers ---------------------------------------------------------------------------------------
def test_a_finished_batch_can_be_read_with_ones_own_answers(cast: Cast, annotator: Client, assignment: Assignment):
    answer_all(annotator, assignment)
    annotator.post(rate_url(assignment, 0, 1), {"appropriateness-option": "3", "appropriateness-text-3": "Hard to say"})
    submit_assignment(assignment, feedback="The fourth was hard.", now=timezone.now())
    page = text_of(annotator.get(answers_of(assignment)))
    for part in ("Dialogue 1", "Dialogue 2", "Response 3", "Hard to say", "The fourth was hard.", "Appropriateness"):
        assert part in page
    for candidate in Candidate.objects.filter(items__batch=assignment.batch):
        assert candidate.text in page
    assert "<input" not in page.split("<main")[1].split("</main>")[0]


def test_it_holds_nobody_elses_answers_and_no_source(cast: Cast, annotator: Client, finished: Assignment):
    other = take_seat(cast.annotators[1], cast.batch)
    for item in cast.batch.items.all():
        RatingFactory(assignment=other, item=item, free_text="somebody else thought so")
    page = text_of(annotator.get(answers_of(finished)))
    assert "somebody else" not in page
    assert cast.annotators[1].pseudonym not in page
    assert not [name for name in Source.objects.values_list("name", flat=True) if name in page]


def test_a_large_batch_is_read_page_by_page_at_the_same_cost(
    cast: Cast, annotator: Client, django_assert_max_num_queries
):
    assignment = take_seat(cast.annotator, make_batch(cast.study, 23, 1, position=5))
    submit_assignment(assignment, feedback="", now=timezone.now(), needs_all=False)
    url = answers_of(assignment)
    annotator.get(url)
    with django_assert_max_num_queries(60):
        first = text_of(annotator.get(url))
    assert "Page 1 of 3" in first
    assert first.count('class="card past-dialogue"') == 10
    assert "Dialogue 23" in text_of(annotator.get(url, {"page": 3}))


def test_the_thanks_lead_to_the_answers(annotator: Client, finished: Assignment):
    assert answers_of(finished) in text_of(annotator.get(reverse("thanks", args=[finished.token])))


def test_a_batch_that_is_not_submitted_is_rated_and_not_read(annotator: Client, assignment: Assignment):
    assert annotator.get(answers_of(assignment)).url == reverse("rate_start", args=[assignment.token])


def test_answers_of_a_qualification_are_not_shown_again(annotator: Client, finished: Assignment):
    Batch.objects.update(kind="qualification")
    assert annotator.get(answers_of(finished)).status_code == 404
    for url in (WORK, reverse("past_batches", args=["wellbeing"]), reverse("thanks", args=[finished.token])):
        assert answers_of(finished) not in text_of(annotator.get(url))


def test_nothing_is_changed_by_a_post(annotator: Client, finished: Assignment):
    assert annotator.post(answers_of(finished), {"appropriateness-option": "2"}).status_code == 405


@pytest.mark.parametrize("who", ["owner", "researcher", "lead", "controller", "observer", "stranger"])
def test_nobody_else_reads_them(cast: Cast, finished: Assignment, who: str):
    client = sign_in(getattr(cast, who))
    assert client.get(answers_of(finished)).status_code == 404
    assert client.get(reverse("past_batches", args=["wellbeing"])).status_code == 404


def test_another_annotator_reads_only_their_own(cast: Cast, finished: Assignment):
    client = sign_in(cast.annotators[1].user)
    assert client.get(answers_of(finished)).status_code == 404
    page = text_of(client.get(reverse("past_batches", args=["wellbeing"])))
    assert "You have not finished a batch in this study yet." in page


def test_who_is_excluded_still_sees_what_they_earned_and_finds_no_batch_to_read(
    cast: Cast, annotator: Client, finished: Assignment
):
    set_status(Participant.objects.get(pk=cast.annotator.pk), status="excluded", now=timezone.now())
    assert annotator.get(answers_of(finished)).status_code == 302
    assert answers_of(finished) not in text_of(annotator.get(WORK))
