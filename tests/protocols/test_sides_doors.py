"""A comparison without two sides is refused on every door, and what was stored before stays."""

import json
from copy import deepcopy

import pytest
import yaml
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotation.services.researchers import admit
from protocols.bundles import InvalidBundle, dump_bundle
from protocols.management.commands._examples import example_for
from protocols.models import Option, ProtocolVersion
from protocols.services import create_protocol, publish_version, store_bundle
from tests.comparing import COMPARED
from tests.factories import UserFactory
from tests.protocols.admin_page import faults, parts, typed
from tests.protocols.conftest import NOW

pytestmark = pytest.mark.django_db
SAID = "has no option with the role right"
ADD = "admin:protocols_protocolversion_add"


def one_sided():
    doc = deepcopy(COMPARED)
    (criterion,) = doc["criteria"]
    criterion["options"] = [each for each in criterion["options"] if each["role"] != "right"]
    return doc


@pytest.fixture
def client() -> Client:
    user = UserFactory(username="ada", is_staff=True)
    admit(user)
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def draft() -> ProtocolVersion:
    return create_protocol(slug="drafted", name="Drafted", language="en", unit="comparison", now=NOW)


def test_the_check_names_the_place(tmp_path):
    path = tmp_path / "pairs.json"
    path.write_text(json.dumps(one_sided()))
    with pytest.raises(CommandError, match=rf"criteria\[0\]\.options: {SAID}"):
        call_command("protocol_check", str(path))
    with pytest.raises(CommandError, match=SAID):
        call_command("protocol_import", str(path))
    assert not ProtocolVersion.objects.exists()


def test_the_import_page_refuses_it(client):
    answer = client.post(reverse("protocol_import"), {"action": "publish", "text": json.dumps(one_sided())})
    assert SAID in answer.text
    assert not ProtocolVersion.objects.exists()


def test_the_service_refuses_it():
    with pytest.raises(InvalidBundle, match=SAID):
        store_bundle(one_sided(), publish=False, now=NOW)


def test_the_editor_refuses_it(client, draft):
    before = dump_bundle(draft)
    changed = deepcopy(before)
    changed["criteria"][0]["options"][2]["role"] = "equal"
    page = client.get(reverse("protocol_edit", args=["drafted", "0.1"]))
    body = {"action": "save", "document": changed, "revision": page.context["revision"]}
    answer = client.post(
        reverse("protocol_edit", args=["drafted", "0.1"]), json.dumps(body), content_type="application/json"
    )
    assert answer.status_code == 422
    assert SAID in answer.text
    assert dump_bundle(ProtocolVersion.objects.get()) == before


def test_the_admin_refuses_it_and_says_so_beside_the_answers(client):
    options = [
        {"key": "l", "label": "Left", "role": "left", "asks": "nothing"},
        {"key": "e", "label": "Equal", "role": "equal", "asks": "nothing"},
    ]
    criterion = {"key": "c", "name": "C", "question": "?", "kind": "single", "scale": "nominal", "required": "on"}
    form = typed(client.get(reverse(ADD))) | {"name": "Pairs", "slug": "pairs", "unit": "comparison"}
    form |= {"mode": "comparative"} | parts("criteria", [criterion | {"options": options}])
    answer = client.post(reverse(ADD), form)
    assert answer.status_code == 200
    assert faults(answer) == {"criteria-0-options": [f"{SAID.capitalize()}. Expected: a left and a right option."]}
    assert not ProtocolVersion.objects.exists()


def test_a_draft_that_has_lost_a_side_cannot_be_published(draft):
    Option.objects.filter(criterion__version=draft, role="right").delete()
    with pytest.raises(InvalidBundle, match=SAID):
        publish_version(draft, now=NOW)
    draft.refresh_from_db()
    assert draft.status == ProtocolVersion.Status.DRAFT


def test_the_preview_shows_the_fault_instead_of_a_screen(client, draft):
    document = dump_bundle(draft)
    document["criteria"][0]["options"][2]["role"] = "equal"
    place = reverse("protocol_preview", args=["drafted", "0.1"])
    answer = client.post(place, {"document": json.dumps(document)})
    assert answer.status_code == 422
    assert SAID in answer.text
    shown = client.get(place).text
    assert shown.count("compared-side") == 2


def test_the_example_beside_a_missing_side_has_both_sides():
    with pytest.raises(InvalidBundle) as refused:
        store_bundle(one_sided(), publish=False, now=NOW)
    (error,) = refused.value.errors
    shown = yaml.safe_load(example_for(error))
    assert [option["role"] for option in shown["options"]] == ["left", "equal", "right"]
    complete = one_sided()
    complete["criteria"][0] |= shown | {"examples": []}
    store_bundle(complete, publish=False, now=NOW)
