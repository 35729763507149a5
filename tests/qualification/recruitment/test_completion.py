"""Out by the platform: the right one of four codes, once, and never before the work has ended."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import ActivityLog, Assignment, Seat, Study
from annotation.services.claiming import claim_seat
from annotation.services.refusals import Refused
from annotation.services.status import set_status
from qualification.models import Entry, Flag, Recruitment
from qualification.recruitment.selectors.exit_rules import way_of
from qualification.recruitment.services.completion import end_entry, ending_of
from tests.clock import NOW
from tests.factories import make_annotator, make_batch
from tests.qualification.recruitment.factories import EntryFactory, finish_batch, let_time_run_out

pytestmark = pytest.mark.django_db
CODES = ("CDONE1", "CSCREEN2", "CATTENTION3", "CTIME4")


@pytest.fixture
def client(entry: Entry) -> Client:
    client = Client()
    client.force_login(entry.participant.user)
    return client


def batches(entry: Entry):
    return list(entry.study.batches.order_by("position"))


def end(client: Client, entry: Entry):
    return client.post(reverse("entry_end", args=[entry.study.slug]), follow=True)


# --- the four ways ------------------------------------------------------------------------------------------
def test_who_has_done_everything_is_sent_to_the_platform_with_the_code(client, entry):
    for batch in batches(entry):
        finish_batch(entry.participant, batch)
    page = end(client, entry).content.decode()

    assert 'href="https://app.prolific.com/submissions/complete?cc=CDONE1"' in page
    entry.refresh_from_db()
    assert (entry.state, entry.ended_at is not None) == ("done", True)


def test_who_did_not_qualify_is_screened_out(client, entry):
    set_status(entry.participant, status="failed", now=NOW)

    assert "cc=CSCREEN2" in end(client, entry).content.decode()


@pytest.mark.parametrize("kind", ["attention", "gold"])
def test_whom_a_check_excluded_failed_attention(client, entry, kind):
    flag = {"state": Flag.State.EXCLUDED, "raised_at": NOW, "decided_at": NOW}
    Flag.objects.create(participant=entry.participant, kind=kind, **flag)
    set_status(entry.participant, status="excluded", now=NOW)

    assert "cc=CATTENTION3" in end(client, entry).content.decode()


@pytest.mark.parametrize("state", [None, "open", "dismissed", "paused"])
def test_whom_a_person_excluded_did_not_fail_attention(client, entry, state):
    if state:
        decided_at = None if state == "open" else NOW
        flag = {"state": state, "raised_at": NOW, "decided_at": decided_at}
        Flag.objects.create(participant=entry.participant, kind="attention", **flag)
    set_status(entry.participant, status="excluded", now=NOW)

    assert "cc=CSCREEN2" in end(client, entry).content.decode()


def test_whose_time_ran_out_is_timed_out_where_the_study_says_so(client, entry):
    let_time_run_out(entry.participant, batches(entry)[0])

    assert "cc=CTIME4" in end(client, entry).content.decode()


def test_without_a_code_for_it_they_take_a_seat_again(client, entry):
    Recruitment.objects.update(code_timed_out="")
    let_time_run_out(entry.participant, batches(entry)[0])

    with pytest.raises(Refused, match="Finish a batch first"):
        end_entry(entry, now=timezone.now())
    assert "Take a seat again" in client.get(reverse("work")).content.decode()


def test_who_finds_no_work_at_all_is_screened_out(client, entry):
    entry.study.batches.update(status="closed")

    assert "cc=CSCREEN2" in end(client, entry).content.decode()


# --- before the end -------------------------------------------------------------------------------------------
@pytest.mark.parametrize("begins", [False, True])
def test_nobody_sees_a_code_before_the_work_has_ended(client, entry, begins):
    if begins:
        claim_seat(entry.participant, batches(entry)[0], now=timezone.now())
    shown = end(client, entry).content.decode() + client.get(reverse("work")).content.decode()

    assert "Finish a batch first" in shown
    assert not [code for code in CODES if code in shown]
    with pytest.raises(KeyError):
        ending_of(entry, entry.study.recruitment)


@pytest.mark.parametrize("status", ["pending", "qualifying", "paused"])
def test_who_waits_for_a_decision_has_not_finished(entry, status):
    for batch in batches(entry):
        batch.kind = "qualification"
        batch.save()
    entry.participant.status = "qualifying"
    entry.participant.save()
    for batch in batches(entry):
        finish_batch(entry.participant, batch)
    set_status(entry.participant, status=status, now=NOW)

    assert way_of(entry, timezone.now()).due == ""


def test_after_a_batch_one_may_finish_here_and_the_next_ones_seat_is_free(client, entry):
    first, second = batches(entry)
    finish_batch(entry.participant, first)
    claim_seat(entry.participant, second, now=timezone.now())
    assert "Finish here and go back to Prolific" in client.get(reverse("work")).content.decode()

    assert "cc=CDONE1" in end(client, entry).content.decode()
    assert Seat.objects.get(batch=second).assignment is None
    assert Seat.objects.get(batch=first).assignment is not None


def test_qualification_alone_is_no_batch_to_finish_after(entry):
    first = batches(entry)[0]
    first.kind = "qualification"
    first.save()
    set_status(entry.participant, status="qualifying", now=NOW)
    finish_batch(entry.participant, first)
    set_status(entry.participant, status="cleared", now=NOW)

    assert not way_of(entry, timezone.now()).may_finish


def test_a_consent_that_is_asked_again_is_no_end(entry):
    let_time_run_out(entry.participant, batches(entry)[0])
    Study.objects.update(consent_version="2")

    assert way_of(entry, timezone.now()).due == ""


# --- afterwards -------------------------------------------------------------------------------------------------
def test_the_state_is_stored_once_and_the_same_code_comes_again(client, entry):
    set_status(entry.participant, status="failed", now=NOW)
    first = end(client, entry).content.decode()
    entry.refresh_from_db()
    ended_at = entry.ended_at
    set_status(entry.participant, status="cleared", now=NOW)
    again = end(client, entry).content.decode()

    assert "cc=CSCREEN2" in first
    assert "cc=CSCREEN2" in again
    entry.refresh_from_db()
    assert entry.ended_at == ended_at
    assert ActivityLog.objects.filter(verb="left").count() == 1


def test_my_work_leads_to_the_end_and_offers_no_batch_any_more(client, entry):
    finish_batch(entry.participant, batches(entry)[0])
    end(client, entry)
    page = client.get(reverse("work")).content.decode()

    assert reverse("entry_end", args=["crowd"]) in page
    assert "Start batch" not in page


def test_the_thanks_page_leads_there_too(client, entry):
    assignment = [finish_batch(entry.participant, batch) for batch in batches(entry)][-1]
    page = client.get(reverse("thanks", args=[assignment.token])).content.decode()

    assert "Finish and go back to Prolific" in page


def test_without_a_code_the_page_asks_to_return_the_submission(client, entry):
    Recruitment.objects.update(code_screened_out="")
    set_status(entry.participant, status="failed", now=NOW)

    assert "return your submission on Prolific" in end(client, entry).content.decode()


def test_the_address_of_the_platform_can_be_another(client, entry):
    Recruitment.objects.update(platform_url="https://stand-in.example/base/")
    set_status(entry.participant, status="failed", now=NOW)

    assert "https://stand-in.example/base/submissions/complete?cc=CSCREEN2" in end(client, entry).content.decode()


def test_who_came_by_no_platform_has_no_end_page(recruitment, entry):
    invited = Client()
    invited.force_login(make_annotator(recruitment.study, "invited").user)

    assert invited.get(reverse("entry_end", args=["crowd"])).status_code == 404
    assert "back to Prolific" not in invited.get(reverse("work")).content.decode()


def test_no_page_of_an_annotator_holds_the_platforms_id_of_another(client, entry):
    other = EntryFactory(study=entry.study, participant=make_annotator(entry.study, "other"))
    for batch in batches(entry):
        finish_batch(entry.participant, batch)
    received = client.get(reverse("work")).content.decode() + end(client, entry).content.decode()

    assert other.person not in received
    assert other.session not in received
    assert entry.person not in received  # nor their own: it is nobody's business who looks over their shoulder


def test_my_work_costs_the_same_with_many_studies_of_a_platform(client, entry, django_assert_max_num_queries):
    user = entry.participant.user
    for number in range(5):
        another = EntryFactory(participant__user=user, participant__pseudonym=f"p{number}")
        make_batch(another.study, 1, 1)
        Assignment.objects.filter(participant=another.participant).delete()
    with django_assert_max_num_queries(17):
        client.get(reverse("work"))
