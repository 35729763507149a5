"""Sign-in for programs."""

import time
from uuid import uuid4

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, generate_totp_secret, hotp_value
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from tests.api import Api, error

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def cache_of_its_own(settings):
    """Limits of sign-in are counted in the cache, and tests that run beside this one share the server."""
    settings.CACHES = {"default": settings.CACHES["default"] | {"KEY_PREFIX": uuid4().hex}}


@pytest.fixture
def ada() -> User:
    return User.objects.create_user("ada", "ada@example.org", "correct horse")


def sign_in(**data):
    return Api().ask("POST", "api_token", data={"username": "ada", "password": "correct horse"} | data)


def test_a_name_and_a_password_give_a_token_that_opens_the_api(ada):
    token = sign_in().json()["token"]

    answer = Client().get(reverse("api_studies"), headers={"Authorization": f"Token {token}"})

    assert answer.status_code == 200


def test_an_address_signs_in_like_a_name(ada):
    assert sign_in(username="ada@example.org").status_code == 200


@pytest.mark.parametrize("data", [{"password": "wrong"}, {"username": "nobody"}])
def test_a_wrong_password_and_an_unknown_name_look_the_same(ada, data):
    answer = sign_in(**data)

    assert answer.status_code == 401
    assert error(answer)["message"] == "The name, the password or the code is wrong."


def test_a_closed_account_gets_no_token(ada):
    ada.is_active = False
    ada.save()

    assert sign_in().status_code == 401


def test_guessing_is_stopped(ada):
    codes = [sign_in(password=f"guess {n}").status_code for n in range(12)]

    assert codes[0] == 401
    assert codes[-1] == 429
    assert sign_in().status_code == 429


def test_a_second_factor_cannot_be_skipped_by_asking_for_a_token(ada, settings):
    settings.MFA_TOTP_TOLERANCE = 1  # the half minute of the code may end before it is looked at
    secret = generate_totp_secret()
    TOTP.activate(ada, secret)
    assert Authenticator.objects.filter(user=ada).exists()

    assert sign_in().status_code == 401
    assert sign_in(code="000000").status_code == 401
    code = format_hotp_value(hotp_value(secret, int(time.time()) // 30))
    assert sign_in(code=code).status_code == 200


def test_a_token_can_be_revoked(ada):
    api = Api(ada)

    assert api.ask("DELETE", "api_token").status_code == 204
    assert api.get("api_studies").status_code == 401


def test_without_sign_in_every_address_asks_for_it():
    answer = Api().get("api_studies")

    assert answer.status_code == 401
    assert error(answer)["code"] == "not_authenticated"
