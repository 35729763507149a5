"""A browser knows who has used it without a password: it leads them back, and makes no second account by accident."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import Group, User
from django.core import signing
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Membership, Participant, Study
from annotation.researchers import GROUP
from annotation.services.devices import (
    LASTS,
    MOST,
    Device,
    accounts_on,
    read_device,
    sign_device,
    with_account,
    without_account,
)
from annotation.services.joining import join, make_account, make_return_token
from annotation.views.devices import COOKIE
from tests.annotation.work_pages import sign_in, text_of
from tests.cast import Cast
from tests.clock import NOW

pytestmark = pytest.mark.django_db
SIGN_IN = reverse("account_login")
CONTINUE = reverse("continue_as")


@pytest.fixture
def invitation(cast: Cast) -> str:
    cache.clear()
    Study.objects.update(is_joinable=True, consent_text="We keep what you answer.", is_clearing_on_join=True)
    return reverse("join", args=[cast.study.join_token])


@pytest.fixture
def device(invitation: str) -> Client:
    """A browser in which somebody has joined, and whose session has ended since."""
    client = Client()
    client.get(invitation)
    client.post(invitation, {"agree": "on"})
    end_session(client)
    return client


def end_session(client: Client) -> None:
    del client.cookies["sessionid"]


def joined() -> list[User]:
    """The accounts that the invitation has made."""
    return [each.user for each in Participant.objects.exclude(joined_on=None).select_related("user").order_by("pk")]


def signed_in_as(client: Client) -> int:
    return int(client.session["_auth_user_id"])


def known_to(client: Client) -> list[User]:
    return accounts_on(read_device(client.cookies[COOKIE].value))


# --- the cookie ----------------------------------------------------------------------------------------
def test_the_cookie_is_long_lived_and_out_of_reach_of_scripts(device: Client, settings):
    cookie = device.cookies[COOKIE]
    assert cookie["max-age"] == LASTS.total_seconds() == 365 * 24 * 3600
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"
    assert not cookie["secure"]
    settings.SESSION_COOKIE_SECURE = True
    device.get(reverse("join", args=[Study.objects.get().join_token]) + "?somebody-else")
    assert device.cookies[COOKIE]["secure"]


def test_the_list_of_work_renews_the_cookie(device: Client):
    user = joined()[0]
    elsewhere = sign_in(user)
    elsewhere.get(reverse("work"))
    assert known_to(elsewhere) == [user]


def test_a_personal_link_makes_the_device_known(device: Client):
    user = joined()[0]
    elsewhere = Client()
    elsewhere.post(reverse("return", args=[make_return_token(user)]))
    assert known_to(elsewhere) == [user]


def test_who_signs_in_with_a_password_leaves_no_trace_on_the_device(cast: Cast):
    client = sign_in(cast.annotator.user)
    client.get(reverse("work"))
    assert COOKIE not in client.cookies


def test_a_device_keeps_the_newest_accounts_and_forgets_the_oldest():
    users = [make_account() for _ in range(MOST + 2)]
    device = Device()
    for user in [*users, users[-2]]:
        device = with_account(device, user)
    assert accounts_on(read_device(sign_device(device))) == [users[-2], users[-1], *reversed(users[-MOST:-2])]
    assert users[-2] not in accounts_on(without_account(device, users[-2]))


@pytest.mark.parametrize(
    "text",
    ["", "nonsense", signing.dumps(["x", []], salt="annotation.return")],
    ids=["empty", "nonsense", "other salt"],
)
def test_a_cookie_that_nobody_signed_names_nobody(text: str):
    assert read_device(text).keys == ()


def test_a_cookie_ends_after_a_year(monkeypatch: pytest.MonkeyPatch):
    old = sign_device(with_account(Device(), make_account()))
    assert read_device(old).keys
    now = signing.time.time()
    monkeypatch.setattr(signing.time, "time", lambda: now + LASTS.total_seconds() + 1)
    assert read_device(old).keys == ()


# --- back to the same account ------------------------------------------------------------------------------
def test_the_invitation_on_a_known_device_leads_back_to_the_same_account(device: Client, invitation: str):
    user = joined()[0]
    page = text_of(device.get(invitation))
    assert f"Continue as {user.username}" in page
    assert "I am somebody else" in page
    assert "Take part" not in page

    answer = device.post(CONTINUE, {"account": user.username, "next": f"{invitation}?mine"}, follow=True)
    assert signed_in_as(device) == user.pk
    assert answer.status_code == 200
    assert joined() == [user]


def test_a_form_that_was_open_before_makes_no_second_account(device: Client, invitation: str):
    answer = device.post(invitation, {"agree": "on"})
    assert answer.url == invitation
    assert len(joined()) == 1


def test_somebody_else_gets_an_account_after_saying_so_and_reads_what_it_means(device: Client, invitation: str):
    page = text_of(device.get(f"{invitation}?somebody-else"))
    assert "You get a new account." in page
    device.post(invitation, {"agree": "on", "somebody-else": "1"})
    first, second = joined()
    assert signed_in_as(device) == second.pk
    assert known_to(device) == [second, first]
    end_session(device)
    page = text_of(device.get(invitation))
    assert page.index(f"Continue as {second.username}") < page.index(f"Continue as {first.username}")


def test_somebody_else_at_a_device_that_is_still_signed_in_gets_an_account(device: Client, invitation: str):
    first = joined()[0]
    device.force_login(first)
    page = text_of(device.get(invitation))
    assert f"Continue as {first.username}" in page
    assert "I am somebody else" in page
    device.post(invitation, {"agree": "on", "somebody-else": "1"})
    assert signed_in_as(device) != first.pk
    assert len(joined()) == 2


def test_an_account_with_a_password_is_never_left_by_joining(cast: Cast, invitation: str):
    client = sign_in(cast.annotator.user)
    assert "I am somebody else" not in text_of(client.get(invitation))
    client.post(invitation, {"agree": "on", "somebody-else": "1"})
    assert signed_in_as(client) == cast.annotator.user_id
    assert joined() == []


def test_a_form_sent_twice_makes_one_account(invitation: str):
    tabs = [Client(), Client()]
    tabs[0].get(invitation)
    tabs[1].cookies[COOKIE] = tabs[0].cookies[COOKIE].value
    for tab in tabs:
        tab.post(invitation, {"agree": "on"})
    assert len(joined()) == 1
    assert signed_in_as(tabs[0]) == signed_in_as(tabs[1])


def test_somebody_else_who_clicks_twice_gets_one_account(device: Client, invitation: str):
    tabs = [Client(), Client()]
    for tab in tabs:
        tab.cookies[COOKIE] = device.cookies[COOKIE].value
        tab.post(invitation, {"agree": "on", "somebody-else": "1"})
    assert len(joined()) == 2
    assert signed_in_as(tabs[0]) == signed_in_as(tabs[1])


def test_a_form_sent_again_opens_no_account_that_has_a_password_by_now_nor_one_of_last_week(
    cast: Cast, invitation: str
):
    cast.study.refresh_from_db()
    name, now = Device().name, timezone.now()
    first = join(cast.study, user=None, has_agreed=True, now=now, device=name)
    assert join(cast.study, user=None, has_agreed=True, now=now + timedelta(hours=1), device=name) == first
    later = join(cast.study, user=None, has_agreed=True, now=now + timedelta(days=7), device=name)
    assert later != first
    first.user.set_password("correct horse battery")
    first.user.save()
    assert join(cast.study, user=None, has_agreed=True, now=now, device=name) not in (first, later)


def test_a_tab_that_is_older_than_the_account_shows_its_page_anew(invitation: str):
    client = Client(enforce_csrf_checks=True)
    client.get(invitation)
    token = client.cookies["csrftoken"].value
    assert client.post(invitation, {"agree": "on", "csrfmiddlewaretoken": token}).status_code == 302
    again = client.post(invitation, {"agree": "on", "csrfmiddlewaretoken": token})
    assert again.url == invitation
    assert len(joined()) == 1


def test_without_cookies_a_post_is_refused_as_everywhere(invitation: str):
    assert Client(enforce_csrf_checks=True).post(invitation, {"agree": "on"}).status_code == 403
    assert joined() == []


def test_a_known_device_takes_part_in_another_study_with_the_same_account(device: Client, cast: Cast):
    other = Study.objects.create(
        slug="other", name="Other", protocol_version=cast.version, is_joinable=True, status="open"
    )
    url = reverse("join", args=[other.join_token])
    user = joined()[0]
    assert f"Continue as {user.username}" in text_of(device.get(url))
    page = device.post(CONTINUE, {"account": user.username, "next": f"{url}?mine"}, follow=True)
    assert f"You join with your account {user.username}" in text_of(page)
    device.post(url)
    assert Participant.objects.filter(user=user).count() == 2


@pytest.mark.parametrize("change", [{"is_joinable": False}, {"status": "closed"}])
def test_a_closed_invitation_still_leads_known_people_to_their_work(device: Client, invitation: str, change: dict):
    Study.objects.update(**change)
    page = device.get(invitation)
    assert page.status_code == 410
    assert f"Continue as {joined()[0].username}" in text_of(page)


# --- the sign-in page --------------------------------------------------------------------------------------
def test_the_sign_in_page_offers_to_continue_and_leads_to_where_one_was(device: Client):
    user, work = joined()[0], reverse("work")
    page = text_of(device.get(SIGN_IN, {"next": work}))
    assert f"Continue as {user.username}" in page
    assert f'name="next" value="{work}"' in page
    assert device.post(CONTINUE, {"account": user.username, "next": "/protocols/"}).url == "/protocols/"


def test_the_sign_in_page_tells_people_without_a_password_what_to_do():
    page = text_of(Client().get(SIGN_IN))
    assert "Continue as" not in page
    assert "open your personal link, or open the invitation link on the device you joined with" in page


@pytest.mark.parametrize("path", ["https://evil.example/", "//evil.example", "/no/such/page/", "CLAIM", ""])
def test_continuing_leads_to_no_page_of_others_and_to_none_that_takes_posts_alone(
    device: Client, cast: Cast, path: str
):
    path = path.replace("CLAIM", reverse("claim", args=[cast.batch.token]))
    assert device.post(CONTINUE, {"account": joined()[0].username, "next": path}).url == reverse("work")


# --- whom it never signs in --------------------------------------------------------------------------------
def test_the_cookie_of_one_person_never_signs_in_another(device: Client, cast: Cast):
    for name in (cast.annotator.user.username, cast.owner.username, make_account().username, "", "nobody"):
        assert device.post(CONTINUE, {"account": name}).url == SIGN_IN
        assert "_auth_user_id" not in device.session


@pytest.mark.parametrize("who", ["owner", "researcher", "lead", "controller", "observer", "stranger"])
def test_a_device_that_names_an_account_with_a_password_signs_nobody_in(cast: Cast, who: str):
    client = Client()
    client.cookies[COOKIE] = sign_device(with_account(Device(), getattr(cast, who)))
    assert client.post(CONTINUE, {"account": getattr(cast, who).username}).url == SIGN_IN


@pytest.mark.parametrize("role", [role for role in Membership.Role if role != Membership.Role.ANNOTATOR])
def test_who_has_been_given_a_role_that_sees_more_is_not_signed_in(device: Client, role: str):
    Membership.objects.filter(user=joined()[0]).update(role=role)
    refuse(device, joined()[0])


def refuse(device: Client, user: User) -> None:
    assert device.post(CONTINUE, {"account": user.username}).url == SIGN_IN
    assert f"Continue as {user.username}" not in text_of(device.get(SIGN_IN))
    assert "_auth_user_id" not in device.session


@pytest.mark.parametrize("field", ["is_staff", "is_superuser"])
def test_staff_is_never_signed_in_by_a_device(device: Client, field: str):
    User.objects.filter(pk=joined()[0].pk).update(**{field: True})
    refuse(device, joined()[0])


def test_a_researcher_is_never_signed_in_by_a_device(device: Client):
    Group.objects.get(name=GROUP).user_set.add(joined()[0])
    refuse(device, joined()[0])


def test_a_deactivated_account_is_not_signed_in(device: Client):
    User.objects.filter(pk=joined()[0].pk).update(is_active=False)
    refuse(device, joined()[0])


@pytest.mark.parametrize("password", ["correct horse battery", None])
def test_a_password_and_a_revoked_link_make_the_cookie_void(device: Client, password: str | None):
    user = joined()[0]
    user.set_password(password)  # None: unusable, and another one than before
    user.save()
    refuse(device, user)


def test_a_get_signs_nobody_in(device: Client):
    assert device.get(CONTINUE, {"account": joined()[0].username}).status_code == 405


# --- signing out -------------------------------------------------------------------------------------------
def test_signing_out_shows_the_way_back_first(device: Client):
    user = joined()[0]
    device.force_login(user)
    page = text_of(device.post(reverse("account_logout")))
    assert "/return/" in page
    assert "Not my device" in page
    assert signed_in_as(device) == user.pk


@pytest.mark.parametrize(("choice", "is_known"), [("keep", True), ("forget", False)])
def test_a_device_that_is_not_mine_forgets_me(device: Client, choice: str, is_known: bool):
    user = joined()[0]
    device.force_login(user)
    device.get(reverse("work"))
    device.post(reverse("account_logout"), {"device": choice})
    assert "_auth_user_id" not in device.session
    assert (known_to(device) == [user]) is is_known


def test_an_account_with_a_password_signs_out_as_always(cast: Cast):
    client = sign_in(cast.annotator.user)
    assert client.post(reverse("account_logout")).url == reverse("home")
    assert "_auth_user_id" not in client.session


def test_the_account_of_the_form_is_found_by_its_study_alone(cast: Cast, invitation: str):
    cast.study.refresh_from_db()
    other = Study.objects.create(
        slug="other", name="Other", protocol_version=cast.version, is_joinable=True, status="open"
    )
    name = Device().name
    first = join(cast.study, user=None, has_agreed=True, now=NOW, device=name)
    assert join(other, user=None, has_agreed=True, now=NOW, device=name).user != first.user
