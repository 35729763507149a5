"""New protocols, from scratch or as copies: what their page makes and refuses."""

import pytest
from django.urls import reverse

from protocols.bundles import check_bundle, dump_bundle
from protocols.models import Protocol, ProtocolVersion
from protocols.services import copy_protocol, create_protocol, retire_version
from tests.factories_protocols import CriterionFactory
from tests.protocols.conftest import NOW
from tests.protocols.pages import address, editor_of, text_of


@pytest.mark.django_db
@pytest.mark.parametrize("unit", ["response", "candidate_set", "model", "dialogue"])
def test_a_protocol_from_scratch_is_valid_at_once(unit):
    made = create_protocol(slug="mine", name="Mine", language="it", unit=unit, now=NOW)
    assert (made.version, made.status, made.unit, made.language) == ("0.1", "draft", unit, "it")
    assert check_bundle(dump_bundle(made)) == []
    assert [option.role for option in made.criteria.get().options.all()] == ["positive", "negative", "unsure"]


def test_a_copy_keeps_the_contents_and_the_origin(frozen):
    retired = retire_version(frozen)
    made = copy_protocol(retired, slug="mine", name="Mine", version_name="0.1", now=NOW)
    names = {"protocol": "x", "name": "x", "version": "x"}
    assert dump_bundle(made) | names == dump_bundle(frozen) | names
    assert (made.parent, made.status) == (retired, "draft")


SCRATCH = {"name": "Mine", "slug": "mine", "language": "en", "unit": "response"}


def test_a_new_protocol_is_made_on_its_page_and_opened(staff):
    assert staff.post(reverse("protocol_new"), SCRATCH)["Location"] == editor_of("mine", "0.1")
    assert ProtocolVersion.objects.get().protocol.name == "Mine"


def test_the_key_of_a_new_protocol_is_made_from_its_name(staff):
    made = staff.post(reverse("protocol_new"), SCRATCH | {"name": "Politeness, in Chats", "slug": ""})
    assert made["Location"] == editor_of("politeness-in-chats", "0.1")
    again = staff.post(reverse("protocol_new"), SCRATCH | {"name": "Politeness in chats", "slug": ""})
    assert 'id="id_slug_error"' in text_of(again)
    nameless = text_of(staff.post(reverse("protocol_new"), SCRATCH | {"name": "礼貌", "slug": ""}))
    assert "No key can be made from this name. Enter one." in nameless


@pytest.mark.parametrize(
    ("field", "value"), [("slug", "small"), ("slug", "No Key"), ("language", "?"), ("name", ""), ("unit", "none")]
)
def test_what_is_refused_of_a_new_protocol_is_said_beside_its_field(staff, frozen, field, value):
    refused = staff.post(reverse("protocol_new"), SCRATCH | {field: value})
    assert refused.status_code == 422
    assert f'id="id_{field}_error"' in text_of(refused)
    assert Protocol.objects.count() == 1


def test_a_copy_is_made_on_the_page_with_its_origin_chosen(staff, frozen):
    place = reverse("protocol_new") + "?copy=small@1.0"
    assert f'<option value="{frozen.pk}" selected>' in text_of(staff.get(place))
    given = {"origin": frozen.pk, "name": "Mine", "slug": "mine", "version_name": "0.1"}
    assert staff.post(place, given | {"version_name": "a b"}).status_code == 422
    assert staff.post(place, given)["Location"] == editor_of("mine", "0.1")
    assert ProtocolVersion.objects.get(version="0.1").parent == frozen


def test_faults_of_the_origin_are_said_above_the_form(staff, draft):
    CriterionFactory(version=draft, key="bad", question="", position=2)
    given = {"origin": draft.pk, "name": "Mine", "slug": "mine", "version_name": "0.1"}
    refused = staff.post(reverse("protocol_new") + "?copy=", given)
    assert refused.status_code == 422
    assert "criteria[1].question: is empty." in text_of(refused)


def test_what_is_on_screen_at_once_is_called_as_in_the_editor(staff, frozen):
    assert "<dt>On screen at once</dt><dd>one question and one item</dd>" in text_of(
        staff.get(address("protocol_version"))
    )
