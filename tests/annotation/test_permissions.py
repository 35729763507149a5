"""Every route x role x verb. The routes come from the URLconf: one without an entry here fails."""

import uuid

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, reverse

from tests.annotation.doors import EVERYBODY, MAY, ROUTES, VERBS
from tests.cast import Cast
from tests.factories import SourceFactory

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


# --- the admin -------------------------------------------------------------------------------------
RESEARCHERS = frozenset({"researcher", "owner"})
OF_RESEARCHERS = ("index", "protocols_protocol_changelist", "protocols_protocolversion_add", "annotation_study_add",
                  "annotation_source_changelist", "qualification_qualification_changelist")  # fmt: skip
OF_NOBODY = ("annotation_rating_changelist", "annotation_membership_changelist", "auth_user_changelist",
             "auth_group_changelist", "authtoken_tokenproxy_changelist", "qualification_entry_changelist",
             "qualification_demographics_changelist", "account_emailaddress_changelist")  # fmt: skip


@pytest.mark.parametrize("name", [*OF_RESEARCHERS, *OF_NOBODY])
@pytest.mark.parametrize("role", sorted(EVERYBODY - {"staff"}))
def test_the_admin_shows_researchers_their_own_pages_and_nobody_else_any(name, role, people):
    answer = people[role].get(reverse(f"admin:{name}"), follow=True)

    if role == "anonymous":
        assert answer.resolver_match.url_name == "account_login"
    elif role in RESEARCHERS and name in OF_RESEARCHERS:
        assert answer.status_code == 200
    else:
        assert answer.status_code == 403


def test_a_researcher_finds_no_study_source_or_qualification_of_others_in_the_admin(kept_cast: Cast, people):
    theirs = SourceFactory(study__slug="of-others", name="Another model")
    own = kept_cast.study.sources.first()

    studies = people["researcher"].get(reverse("admin:annotation_study_changelist")).content.decode()
    sources = people["researcher"].get(reverse("admin:annotation_source_changelist")).content.decode()

    assert kept_cast.study.slug in studies
    assert "of-others" not in studies
    assert own.key in sources
    assert "Another model" not in sources
    for row in (theirs, theirs.study):
        place = reverse(f"admin:annotation_{row._meta.model_name}_change", args=[row.pk])
        assert people["researcher"].get(place, follow=True).redirect_chain, "it is told like a row that does not exist"


def test_an_account_of_staff_without_permissions_sees_an_empty_admin(people):
    page = people["staff"].get(reverse("admin:index"))

    assert page.status_code == 200
    assert not page.context["app_list"]


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
