"""Coming in by an invitation, and coming back by one's own link."""

import re

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Membership, Participant, Seat, Study
from annotation.services.claiming import claim_seat
from annotation.services.joining import make_return_token
from protocols.bundles import load_bundle
from protocols.selectors import BUILTIN
from protocols.services import store_bundle
from tests.annotation.work_pages import sign_in, text_of
from tests.cast import Cast

pytestmark = pytest.mark.django_db


@pytest.fixture
def invitation(cast: Cast) -> str:
    cache.clear()
    Study.objects.update(is_joinable=True, consent_text="We keep what you answer.")
    return reverse("join", args=[cast.study.join_token])


def test_an_invitation_shows_the_study_before_anybody_joins(invitation: str):
    page = text_of(Client().get(invitation))
    for part in ("Wellbeing dialogues", "35 min", "We keep what you answer."):
        assert part in page


def test_a_study_without_a_free_seat_says_so_before_anybody_joins(invitation: str):
    full = "No seat is free in this study at the moment."
    assert full not in text_of(Client().get(invitation))
    Seat.objects.all().delete()
    assert full in text_of(Client().get(invitation))


def test_joining_makes_a_pseudonymous_annotator_and_signs_them_in(cast: Cast, invitation: str):
    client = Client()
    assert client.post(invitation, {"agree": "on"}).url == reverse("work")
    participant = Participant.objects.latest("pk")
    assert participant.user.username.startswith("annotator-")
    assert not participant.user.has_usable_password()
    assert participant.status == Participant.Status.PENDING
    assert participant.consent_version == cast.study.consent_version
    assert Membership.objects.get(user=participant.user).role == Membership.Role.ANNOTATOR
    assert int(client.session["_auth_user_id"]) == participant.user.pk


@pytest.fixture
def welcoming(cast: Cast) -> None:
    texts = {"it": {"welcome": "Benvenuti.\n\nLeggete prima il dialogo."}}
    bundle = load_bundle(BUILTIN / "dialogue-hit-1.0.yaml") | {"translations": texts}
    Study.objects.update(protocol_version=store_bundle(bundle, publish=True, now=timezone.now())[0])


def test_whoever_joins_is_welcomed_first_and_finds_the_welcome_again(welcoming: None, invitation: str):
    client = Client()
    answer = client.post(invitation, {"agree": "on"}, follow=True)
    assert answer.redirect_chain == [(reverse("welcome", args=["wellbeing"]), 302)]
    assert "Welcome, and thank you for your help." in text_of(answer)
    work = client.get(reverse("work")).content.decode()
    assert reverse("welcome", args=["wellbeing"]) in work
    assert "Keep this link" in work


def test_the_welcome_is_in_the_language_of_the_study(welcoming: None, invitation: str):
    Study.objects.update(content_language="it")
    page = Client().post(invitation, {"agree": "on"}, follow=True).content.decode()
    assert '<div class="prose" lang="it">' in page
    assert '<p dir="auto">Leggete prima il dialogo.</p>' in page


def test_whoever_has_begun_a_batch_is_not_welcomed_again(welcoming: None, cast: Cast, invitation: str):
    annotator = sign_in(cast.annotators[0].user)
    assert annotator.post(invitation, {"agree": "on"}).url == reverse("welcome", args=["wellbeing"])
    claim_seat(cast.annotators[0], cast.batch, now=timezone.now())
    assert annotator.post(invitation, {"agree": "on"}).url == reverse("work")


def test_a_welcome_is_for_the_annotators_of_the_study(welcoming: None, cast: Cast):
    assert sign_in(cast.stranger).get(reverse("welcome", args=["wellbeing"])).status_code == 404


def test_a_study_that_clears_on_join_lets_people_begin(cast: Cast, invitation: str):
    Study.objects.update(is_clearing_on_join=True)
    client = Client()
    assert "Read the guidelines and start" in text_of(client.post(invitation, {"agree": "on"}, follow=True))


def test_nobody_joins_without_agreeing(invitation: str):
    n_before = Participant.objects.count()
    assert Client().post(invitation).status_code == 422
    assert Participant.objects.count() == n_before


def test_who_is_signed_in_joins_with_that_account(cast: Cast, invitation: str):
    client = sign_in(cast.stranger)
    for _ in range(2):
        assert client.post(invitation, {"agree": "on"}).status_code == 302
    assert Participant.objects.filter(user=cast.stranger).count() == 1
    assert "has_joined" not in client.session


def test_who_may_see_the_figures_cannot_join_as_annotator(cast: Cast, invitation: str):
    response = sign_in(cast.observer).post(invitation, {"agree": "on"})
    assert response.status_code == 409
    assert not Participant.objects.filter(user=cast.observer).exists()


@pytest.mark.parametrize("change", [{"is_joinable": False}, {"status": "closed"}, {"status": "draft"}])
def test_a_closed_invitation_lets_nobody_in(cast: Cast, invitation: str, change: dict):
    Study.objects.update(**change)
    n_before = Participant.objects.count()
    assert Client().get(invitation).status_code == 410
    assert Client().post(invitation, {"agree": "on"}).status_code == 410
    assert Participant.objects.count() == n_before


def test_an_invitation_nobody_made_is_not_found():
    assert Client().get(reverse("join", args=["nonsense"])).status_code == 404


def test_one_address_cannot_join_without_end(invitation: str, monkeypatch):
    monkeypatch.setattr("annotation.views.join.time.time", lambda: 1_800_000_000.0)  # no full hour in between
    statuses = [Client().post(invitation, {"agree": "on"}).status_code for _ in range(22)]
    assert statuses == [302] * 20 + [429] * 2


def test_the_personal_link_is_shown_after_joining_and_again_later_and_signs_in_elsewhere(invitation: str):
    client = Client()
    page = text_of(client.post(invitation, {"agree": "on"}, follow=True))
    link = re.search(r'value="(http[^"]+/return/[^"]+)"', page).group(1)
    assert "Keep this link" in page
    later = text_of(client.get(reverse("work")))
    assert "Show my personal link" in later
    assert link.rsplit(":", 2)[0] in later  # what follows is the second in which it was made, and its signature
    elsewhere = Client()
    path = link.removeprefix("http://testserver")
    assert "_auth_user_id" not in (elsewhere.get(path) and elsewhere.session)  # a look at the link signs nobody in
    assert elsewhere.post(path).url == reverse("work")
    assert elsewhere.session["_auth_user_id"] == client.session["_auth_user_id"]


def test_an_account_with_a_password_has_no_personal_link(cast: Cast):
    assert "personal link" not in text_of(sign_in(cast.annotator.user).get(reverse("work")))


def test_a_return_link_opens_no_account_with_a_password(cast: Cast):
    owner = cast.owner
    owner.set_password("correct horse battery")
    owner.save()
    assert Client().post(reverse("return", args=[make_return_token(owner)])).status_code == 410


def test_a_changed_or_revoked_return_link_opens_nothing(cast: Cast):
    user = cast.annotator.user
    user.set_unusable_password()
    user.save()
    token = make_return_token(user)
    assert Client().post(reverse("return", args=[token[:-2] + "xx"])).status_code == 410
    assert Client().post(reverse("return", args=[token])).status_code == 302
    user.set_unusable_password()
    user.save()
    assert Client().post(reverse("return", args=[token])).status_code == 410
