"""Why somebody's status was changed: needed where it ends their work or skips the qualification, and always kept."""

import pytest
from django.urls import reverse

from annotation.models import ActivityLog, Participant, StatusChange
from annotation.services.refusals import Refused
from annotation.services.status import decide_status, set_status
from tests.api import Api, error
from tests.cast import Cast
from tests.clock import NOW

pytestmark = pytest.mark.django_db


@pytest.fixture
def lead(client, cast: Cast):
    client.force_login(cast.lead)
    return client


def press(client, cast: Cast, **values):
    return client.post(reverse("participant_status", args=["wellbeing", cast.annotator.token]), values)


def status_of(cast: Cast) -> str:
    return Participant.objects.values_list("status", flat=True).get(pk=cast.annotator.pk)


NEEDED = [("cleared", "excluded"), ("pending", "excluded"), ("qualifying", "cleared"), ("failed", "cleared"),
          ("failed", "pending"), ("qualifying", "paused")]  # fmt: skip
NOT_NEEDED = [("pending", "cleared"), ("cleared", "paused"), ("paused", "cleared"), ("excluded", "cleared")]


@pytest.mark.parametrize(("before", "after"), NEEDED)
@pytest.mark.parametrize("reason", ["", "   "])
def test_without_its_reason_a_decision_is_refused_and_the_sentence_says_so(lead, cast: Cast, before, after, reason):
    set_status(cast.annotator, status=before, now=NOW)
    answer = press(lead, cast, status=after, reason=reason)
    assert answer.status_code == 422
    assert "say why" in answer.content.decode().lower()
    assert 'aria-describedby="reason-missing"' in answer.content.decode()
    assert status_of(cast) == before


@pytest.mark.parametrize(("before", "after"), NEEDED)
def test_the_api_refuses_it_too_and_names_the_field(cast: Cast, before, after):
    set_status(cast.annotator, status=before, now=NOW)
    answer = Api(cast.lead).ask("PATCH", "api_participant", "wellbeing", cast.annotator.token, data={"status": after})
    assert answer.status_code == 400
    assert "say why" in error(answer)["fields"]["reason"][0].lower()
    assert status_of(cast) == before


@pytest.mark.parametrize(("before", "after"), NEEDED + NOT_NEEDED)
def test_a_reason_is_kept_with_the_change_and_in_the_log(lead, cast: Cast, before, after):
    set_status(cast.annotator, status=before, now=NOW)
    assert press(lead, cast, status=after, reason=" I read all of it. ").status_code == 302
    change = StatusChange.objects.order_by("-pk").first()
    assert change is not None
    assert (change.after, change.reason, change.actor) == (after, "I read all of it.", cast.lead)
    log = ActivityLog.objects.filter(verb="status").order_by("-pk").first()
    assert log is not None
    assert log.details["reason"] == "I read all of it."


@pytest.mark.parametrize(("before", "after"), NOT_NEEDED)
def test_other_decisions_stay_one_click(lead, cast: Cast, before, after):
    set_status(cast.annotator, status=before, now=NOW)
    assert press(lead, cast, status=after).status_code == 302
    assert status_of(cast) == after


def test_the_api_keeps_the_reason(cast: Cast):
    body = {"status": "excluded", "reason": "Two accounts."}
    answer = Api(cast.lead).ask("PATCH", "api_participant", "wellbeing", cast.annotator.token, data=body)
    assert answer.json()["status"] == "excluded"
    assert StatusChange.objects.get().reason == "Two accounts."


def test_what_was_written_stays_in_its_field(lead, cast: Cast):
    answer = press(lead, cast, status="excluded", reason="x" * 1001)
    assert answer.status_code == 422
    assert "x" * 1001 in answer.content.decode()
    assert answer.content.decode().count('id="reason-missing"') == 1


def test_somebody_who_fails_between_the_page_and_the_press_is_not_cleared_without_a_reason(cast: Cast):
    Participant.objects.filter(pk=cast.annotator.pk).update(status="failed")
    with pytest.raises(Refused) as refused:
        decide_status(cast.annotator, status="cleared", by=cast.lead, now=NOW)
    assert refused.value.code == "no_reason"


def test_the_text_is_led_by_a_button_that_does_nothing(lead, cast: Cast):
    """Enter in a text presses the first button of its form: else it would pause or clear somebody."""
    page = lead.get(reverse("study_people", args=["wellbeing"])).content.decode()
    form = page[page.index(reverse("participant_status", args=["wellbeing", cast.annotator.token])) :]
    assert form.index('<button type="submit" disabled hidden>') < form.index('name="reason"')
