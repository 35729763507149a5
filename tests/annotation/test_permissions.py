"""Every route x role x verb. The routes come from the URLconf: one without an entry here fails."""

import uuid

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, reverse

from tests.annotation.doors import EVERYBODY, MAY, ROUTES, VERBS
from tests.cast import Cast

pytestmark = pytest.mark.django_db


def test_every_route_has_a_name_and_an_entry_in_the_table():
    assert not [path for path, route in ROUTES if route.name is None]
    assert {route.name for _, route in ROUTES} - MAY.keys() == set()


def test_every_entry_of_the_table_has_a_route():
    assert MAY.keys() - {route.name for _, route in ROUTES} == set()


@pytest.mark.usefixtures("unprinted")
@pytest.mark.parametrize("route", [route for _, route in ROUTES], ids=lambda route: route.name)
def test_only_those_in_the_table_get_past_the_door(route: URLPattern, people, values):
    name = route.name
    kwargs = {word: values[name][word] for word in route.pattern.converters}
    wrong = []
    for verb in VERBS:
        allowed = MAY[name].get("GET" if verb == "HEAD" else verb, frozenset())
        for role, client in people.items():
            answer = ask(client, verb, reverse(name, kwargs=kwargs))
            if verb == "HEAD" and answer.status_code == 405:
                continue  # a page need not answer it, but must not answer it to more people than GET
            if got_past(answer) is not (role in allowed):
                wrong.append(f"{verb} as {role}: {answer.status_code} {answer.headers.get('Location', '')}")
    assert not wrong


def ask(client: Client, verb: str, path: str):
    """One request whose effects are undone: an owner who deletes a member must not change the next question."""
    cookies = client.cookies.copy()
    with transaction.atomic():
        answer = client.generic(verb, path, b"{}" if path.startswith("/api/") else b"", content_type=kind_of(path))
        _ = answer.content if not answer.streaming else b"".join(answer.streaming_content)
        transaction.set_rollback(True)
    client.cookies = cookies
    return answer


def kind_of(path: str) -> str:
    return "application/json" if path.startswith("/api/") else "application/x-www-form-urlencoded"


def got_past(answer) -> bool:
    """A body that was looked at and refused (400, 409, 422) got past the door; so did a job that is over (410)."""
    assert answer.status_code < 500, answer
    if answer.status_code in {301, 302}:
        return "/accounts/login/" not in answer["Location"]
    return answer.status_code not in {401, 403, 404, 405}


# --- what an address must not tell -----------------------------------------------------------------
@pytest.mark.parametrize("name", [name for name in MAY if name.startswith(("study_", "api_study", "api_batches"))])
def test_a_stranger_cannot_tell_a_study_from_none(name, people, values, client):
    route = next(route for _, route in ROUTES if route.name == name)
    if "slug" not in route.pattern.converters:
        return
    kwargs = {word: values[name][word] for word in route.pattern.converters}
    for verb in MAY[name]:
        real = ask(people["stranger"], verb, reverse(name, kwargs=kwargs))
        none = ask(people["stranger"], verb, reverse(name, kwargs=kwargs | {"slug": "no-such-study"}))
        assert real.status_code == none.status_code


def test_nobody_opens_the_assignment_of_another_annotator(kept_cast: Cast, people, values):
    client = Client()
    client.force_login(kept_cast.annotators[1].user)

    for name in ("rate_start", "submit", "thanks"):
        assert client.get(reverse(name, args=[values[name]["token"]])).status_code == 404


# --- doors of others -------------------------------------------------------------------------------
ADMIN_PAGES = ("admin:index", "admin:annotation_rating_changelist", "admin:annotation_study_changelist",
               "admin:auth_user_changelist", "admin:protocols_protocol_changelist")  # fmt: skip


@pytest.mark.parametrize("name", ADMIN_PAGES)
@pytest.mark.parametrize("role", sorted(EVERYBODY - {"staff"}))
def test_the_admin_is_for_staff_and_uses_the_one_sign_in(name, role, people, client):
    answer = people[role].get(reverse(name), follow=True)

    assert answer.redirect_chain or answer.status_code in {403, 404}
    assert "Administration" not in answer.content.decode()
    if role == "anonymous":
        assert answer.resolver_match.url_name == "account_login"


@pytest.mark.parametrize(
    "model", ["rating", "ratingrevision", "agreementsnapshot", "agreementcell", "seat", "participant"]
)
@pytest.mark.parametrize("action", ["add", "change", "delete"])
def test_not_even_a_superuser_changes_what_people_entered_in_the_admin(client, model, action):
    client.force_login(User.objects.create_superuser("root"))
    args = [] if action == "add" else [1]

    answer = client.post(reverse(f"admin:annotation_{model}_{action}", args=args), {"post": "yes"})

    assert answer.status_code in {302, 403}  # 302: no such row
    assert answer.status_code == 403 or action != "add"


def test_every_list_of_the_admin_opens_and_can_be_searched(client, kept_cast: Cast, django_assert_max_num_queries):
    from django.contrib import admin

    client.force_login(User.objects.create_superuser("root"))
    for model, model_admin in admin.site._registry.items():
        meta = model._meta
        query = f"?q={uuid.uuid4()}" if model_admin.search_fields else ""
        with django_assert_max_num_queries(15):
            page = client.get(reverse(f"admin:{meta.app_label}_{meta.model_name}_changelist") + query)
        assert page.status_code == 200, meta.label
