"""In by a platform's link: consent first, one entry per person, and nothing stored of who does not agree."""

import json
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.core import signing
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import ActivityLog, Membership, Participant, Study
from annotation.views import join
from protocols.bundles import load_bundle
from protocols.selectors import BUILTIN
from protocols.services import store_bundle
from qualification.models import ConsentText, Entry, Recruitment
from qualification.recruitment.services import arrival as arrivals
from tests.cast import Cast
from tests.factories import MembershipFactory, UserFactory, make_annotator
from tests.qualification.recruitment.factories import open_for, prolific_query

pytestmark = [pytest.mark.django_db, pytest.mark.own_cast]
PERSON = "a" * 24


def door(recruitment: Recruitment) -> str:
    return reverse("enter", args=[recruitment.study.join_token, recruitment.provider])


def arrive(client: Client, recruitment: Recruitment, **query: str):
    return client.get(door(recruitment), prolific_query(**query), follow=True)


def agree(client: Client, recruitment: Recruitment, **query: str):
    page = arrive(client, recruitment, **query)
    return client.post(door(recruitment), {"agree": "on", "shown": page.context["shown"]})


# --- the door --------------------------------------------------------------------------------------------
def test_the_ids_leave_the_address_and_the_page_asks_for_consent(client, recruitment):
    page = arrive(client, recruitment)

    assert page.redirect_chain == [(door(recruitment), 302)]
    assert "<strong>responses</strong>" in page.content.decode()
    assert PERSON not in page.content.decode()
    assert (Entry.objects.count(), Participant.objects.count(), User.objects.count()) == (0, 0, 0)


def test_who_agrees_has_an_account_without_password_and_a_participation(client, recruitment):
    answer = agree(client, recruitment)

    assert answer["Location"] == reverse("work")
    entry = Entry.objects.get()
    user = entry.participant.user
    assert (entry.person, entry.session, entry.platform_study) == (PERSON, "b" * 24, "c" * 24)
    assert (entry.participant.status, entry.participant.consent_version) == ("cleared", "1")
    assert not user.has_usable_password()
    assert (user.email, user.first_name, user.last_name) == ("", "", "")
    assert client.get(reverse("work")).status_code == 200
    assert ConsentText.objects.get(study=entry.study).text == "You rate **responses**."


def test_a_study_with_a_qualification_lets_them_qualify_first(client, recruitment):
    Study.objects.update(has_qualification=True)
    agree(client, recruitment)

    assert Entry.objects.get().participant.status == "qualifying"


def test_the_invitation_link_need_not_be_on(client, recruitment):
    assert not recruitment.study.is_joinable
    agree(client, recruitment)

    assert Participant.objects.count() == 1


def test_nothing_but_the_opaque_id_is_stored_of_the_person(client, recruitment):
    agree(client, recruitment)

    logged = json.dumps(list(ActivityLog.objects.values("object", "details")))
    assert PERSON not in logged + User.objects.get().username + Participant.objects.get().pseudonym


def test_who_refuses_is_told_to_return_the_submission_and_leaves_no_trace(client, recruitment):
    arrive(client, recruitment)
    page = client.post(door(recruitment), {"refuse": "1"})

    assert "return your submission on Prolific" in page.content.decode()
    assert (Entry.objects.count(), User.objects.count()) == (0, 0)
    assert not [session for session in Session.objects.all() if "arrival" in str(session.get_decoded())]


def test_without_the_tick_nobody_takes_part(client, recruitment):
    arrive(client, recruitment)
    page = client.post(door(recruitment), {"shown": "whatever"})

    assert page.status_code == 422
    assert Entry.objects.count() == 0


def test_a_text_that_changed_meanwhile_is_read_again(client, recruitment):
    page = arrive(client, recruitment)
    Study.objects.update(consent_text="Something else.", consent_version="2")
    answer = client.post(door(recruitment), {"agree": "on", "shown": page.context["shown"]})

    assert answer.status_code == 422
    assert "Something else." in answer.content.decode()
    assert Entry.objects.count() == 0


@pytest.mark.parametrize(
    "query", [{}, {"PROLIFIC_PID": "{{%PROLIFIC_PID%}}"}, {"PROLIFIC_PID": "\x00"}, {"PROLIFIC_PID": "x" * 5000}]
)
def test_a_link_that_is_not_filled_in_gets_a_clear_page(client, recruitment, query):
    page = client.get(door(recruitment), query)

    assert page.status_code == 400
    assert "Please open this study from Prolific" in page.content.decode()


def test_hostile_parameters_are_not_shown_again(client, recruitment):
    page = client.get(door(recruitment), prolific_query() | {"PROLIFIC_PID": "<script>alert(1)</script>"})

    assert page.status_code == 400
    assert "alert(1)" not in page.content.decode()
    assert "PROLIFIC_PID" in page.content.decode()


def test_what_the_session_holds_is_signed_and_expires(client, recruitment, monkeypatch):
    arrive(client, recruitment)
    text = next(value for key, value in client.session.items() if key.startswith("arrival"))

    assert arrivals.read_arrival(text).person == PERSON
    assert arrivals.read_arrival(text.replace(text[5], "A" if text[5] != "A" else "B", 1)) is None
    assert arrivals.read_arrival(signing.dumps({"person": "x"}, salt=arrivals.SALT)) is None
    monkeypatch.setattr(arrivals, "LASTS", timedelta(seconds=-1))
    assert client.get(door(recruitment)).status_code == 400


@pytest.mark.parametrize("fields", [{"is_open": False}, {}])
def test_new_people_stay_outside_while_it_is_closed(client, recruitment, fields):
    Recruitment.objects.update(**{"is_open": True} | fields)
    Study.objects.update(status="open" if fields else "closed")
    page = arrive(client, recruitment)

    assert page.status_code == 410
    assert "return your submission" in page.content.decode()
    answer = client.post(door(recruitment), {"agree": "on", "shown": page.context["shown"]})
    assert answer.status_code == 410
    assert Entry.objects.count() == 0


def test_another_platform_or_another_token_is_no_door(client, recruitment):
    assert client.get(door(recruitment).replace("prolific", "mturk")).status_code == 404
    assert client.get(reverse("enter", args=["x" * 32, "prolific"])).status_code == 404


def test_a_platform_that_has_closed_is_no_door(client, study):
    recruitment = open_for(study, provider="mturk")
    address = reverse("enter", args=[recruitment.study.join_token, "mturk"])

    assert client.get(address, {"assignmentId": "3AS1", "hitId": "3HIT", "workerId": "A1W"}).status_code == 404
    assert client.post(address, {"agree": "on"}).status_code == 404


def test_a_script_cannot_fill_the_table(client, recruitment, monkeypatch):
    monkeypatch.setattr(join, "JOINS_PER_HOUR", 2)
    codes = [agree(Client(), recruitment, person=f"{n:024x}").status_code for n in range(4)]

    assert codes == [302, 302, 429, 429]
    assert Entry.objects.count() == 2


# --- again and again ----------------------------------------------------------------------------------------
def test_who_comes_again_on_another_device_finds_the_same_work(client, recruitment):
    agree(client, recruitment)
    other = Client()
    page = arrive(other, recruitment)
    assert "Welcome back" in page.content.decode()
    assert other.post(door(recruitment))["Location"] == reverse("work")

    assert other.session["_auth_user_id"] == client.session["_auth_user_id"]
    assert (Entry.objects.count(), Participant.objects.count(), User.objects.count()) == (1, 1, 1)


def test_newcomers_read_the_welcome_first_and_later_go_on_to_the_work(client, recruitment):
    bundle = load_bundle(BUILTIN / "dialogue-hit-1.0.yaml")
    Study.objects.update(protocol_version=store_bundle(bundle, publish=True, now=timezone.now())[0])
    assert agree(client, recruitment)["Location"] == reverse("welcome", args=[recruitment.study.slug])
    assert arrive(client, recruitment).redirect_chain[-1] == (reverse("work"), 302)


def test_who_is_still_signed_in_goes_on_at_once(client, recruitment):
    agree(client, recruitment)

    assert arrive(client, recruitment).redirect_chain[-1] == (reverse("work"), 302)


def test_a_look_at_the_link_signs_nobody_in(client, recruitment):
    agree(client, recruitment)
    other = Client()
    arrive(other, recruitment)

    assert "_auth_user_id" not in other.session


def test_a_submission_begun_anew_takes_the_place_of_the_old_one(client, recruitment):
    agree(client, recruitment)
    arrive(client, recruitment, session="d" * 24)
    client.post(door(recruitment))

    assert Entry.objects.get().session == "d" * 24


def test_who_has_finished_cannot_begin_a_second_submission(client, recruitment):
    agree(client, recruitment)
    Entry.objects.update(state="done", ended_at="2026-03-02T09:00Z")
    arrive(client, recruitment, session="d" * 24)
    page = client.post(door(recruitment))

    assert page.status_code == 409
    assert "can take part only once" in page.content.decode()
    assert Entry.objects.get().session == "b" * 24


def test_a_form_that_is_older_than_the_sign_in_of_another_tab_shows_its_page_anew(recruitment):
    strict = Client(enforce_csrf_checks=True)
    arrive(strict, recruitment)
    answer = strict.post(door(recruitment), {"agree": "on"})

    assert (answer.status_code, answer["Location"]) == (302, door(recruitment))
    assert Entry.objects.count() == 0


# --- who may not --------------------------------------------------------------------------------------------
@pytest.mark.parametrize("who", ["owner", "researcher", "lead", "controller", "observer"])
def test_who_sees_the_figures_cannot_enter(client, cast: Cast, who):
    recruitment = open_for(cast.study)
    client.force_login(getattr(cast, who))
    answer = agree(client, recruitment)

    assert answer.status_code == 409
    assert "cannot rate this study blind" in answer.content.decode()
    assert Entry.objects.count() == 0


def test_an_annotator_by_invitation_does_not_take_part_twice(client, recruitment):
    client.force_login(make_annotator(recruitment.study, "invited").user)
    answer = agree(client, recruitment)

    assert answer.status_code == 409
    assert Entry.objects.count() == 0


def test_another_person_at_the_same_browser_gets_an_account_of_their_own(client, recruitment):
    agree(client, recruitment)
    agree(client, recruitment, person="e" * 24, session="f" * 24)

    assert Entry.objects.count() == 2
    assert client.session["_auth_user_id"] == str(Entry.objects.get(person="e" * 24).participant.user_id)


@pytest.mark.parametrize("change", [{"is_staff": True}, {"is_superuser": True}, {"is_active": False}])
def test_the_platforms_link_never_opens_an_account_that_is_more(client, recruitment, change):
    agree(client, recruitment)
    User.objects.update(**change)

    refused_to_sign_in(recruitment)


def test_the_platforms_link_never_opens_an_account_with_a_password(client, recruitment):
    agree(client, recruitment)
    user = User.objects.get()
    user.set_password("long enough to be one")
    user.save()

    refused_to_sign_in(recruitment)


def test_the_platforms_link_never_opens_the_account_of_a_role(client, recruitment):
    agree(client, recruitment)
    MembershipFactory(user=User.objects.get(), role=Membership.Role.LEAD)

    refused_to_sign_in(recruitment)


def refused_to_sign_in(recruitment: Recruitment) -> None:
    other = Client()
    arrive(other, recruitment)
    answer = other.post(door(recruitment))
    assert answer.status_code == 409
    assert "_auth_user_id" not in other.session


def test_somebody_signed_in_elsewhere_gets_the_account_of_the_platform(client, recruitment):
    client.force_login(UserFactory(username="somebody"))
    agree(client, recruitment)

    assert Entry.objects.get().participant.user.username != "somebody"
