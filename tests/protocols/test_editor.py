"""The editor of a draft: who may open it, what it takes, and what it refuses."""

import copy
import json

import pytest
from django.urls import reverse
from django.utils import timezone

from protocols.bundles import complete_bundle, dump_bundle, load_bundle
from protocols.editing import FIELDS, editable, findings, revision_of
from protocols.models import Criterion, ProtocolVersion
from protocols.selectors import builtin_bundles
from protocols.services import ChangedMeanwhile, NotDraft, publish_version, replace_draft, store_bundle
from protocols.specs import VersionSpec, spec_of, spec_of_document
from tests.factories import UserFactory


@pytest.fixture
def editor(client, db):
    client.force_login(UserFactory(is_staff=True))
    return client


def address(version):
    return reverse("protocol_edit", args=[version.protocol.slug, version.version])


def send(client, version, doc, *, action="save", revision=None):
    made_from = revision_of(editable(version)) if revision is None else revision
    body = json.dumps({"action": action, "document": doc, "revision": made_from})
    return client.post(address(version), body, content_type="application/json")


def renamed(version, name="Aptness"):
    doc = editable(version)
    doc["criteria"][0]["name"] = name
    return doc


# --- who ---------------------------------------------------------------------------------------------
def test_who_may_not_edit_protocols_is_refused(client, draft):
    client.force_login(UserFactory())
    assert client.get(address(draft)).status_code == 403
    assert send(client, draft, renamed(draft)).status_code == 403
    assert draft.criteria.get().name == "Fit"


def test_a_stranger_is_asked_to_sign_in(client, draft):
    assert client.get(address(draft)).status_code == 302


def test_a_published_version_leads_to_its_page_with_a_reason(editor, draft):
    publish_version(draft, now=timezone.now())
    response = editor.get(address(draft))
    assert response.status_code == 302
    assert response.url == reverse("protocol_version", args=["small", "1.0"])


def test_a_published_version_takes_no_save(editor, draft):
    publish_version(draft, now=timezone.now())
    response = send(editor, draft, renamed(draft))
    assert response.status_code == 409
    assert "published" in response.json()["message"]


def test_no_such_version_is_not_found(editor, draft):
    assert editor.get(reverse("protocol_edit", args=["small", "9"])).status_code == 404


# --- what is taken -----------------------------------------------------------------------------------
def test_the_page_holds_the_whole_document(editor, draft):
    assert editor.get(address(draft)).context["document"] == complete_bundle(dump_bundle(draft))


def test_what_is_saved_is_stored_as_it_was_sent(editor, draft):
    doc = renamed(draft)
    doc["criteria"].append(doc["criteria"][0] | {"key": "other", "name": "Other"})
    answer = send(editor, draft, doc).json()
    assert answer["saved"]
    draft.refresh_from_db()
    assert editable(draft) == doc
    assert answer["revision"] == revision_of(doc)


@pytest.mark.parametrize("path", builtin_bundles(), ids=lambda path: path.stem)
def test_a_shipped_protocol_survives_a_save_unchanged(db, path):
    draft, _ = store_bundle(load_bundle(path), publish=False, now=timezone.now())
    before = editable(draft)
    replace_draft(draft, before, made_from=revision_of(before), now=timezone.now())
    draft.refresh_from_db()
    assert editable(draft) == before


def test_a_mistake_is_told_with_its_path_and_nothing_is_stored(editor, draft):
    doc = renamed(draft)
    doc["criteria"][0]["options"][1]["label"] = ""
    response = send(editor, draft, doc)
    assert response.status_code == 422
    assert [each["path"] for each in response.json()["errors"]] == ["criteria[0].options[1].label"]
    assert draft.criteria.get().name == "Fit"


def test_a_check_stores_nothing(editor, draft):
    answer = send(editor, draft, renamed(draft), action="check").json()
    assert answer["errors"] == []
    assert answer["warnings"]
    assert not answer["saved"]
    assert draft.criteria.get().name == "Fit"


@pytest.mark.parametrize("body", ["", "[]", "{}", '{"action": "other"}', "[" * 100_000])
def test_what_is_no_document_is_refused(editor, draft, body):
    assert editor.post(address(draft), body, content_type="application/json").status_code == 400


def test_a_table_is_read_and_nothing_is_stored(editor, draft):
    def answer_to(text, **more):
        body = json.dumps({"action": "table", "text": text, **more})
        return editor.post(address(draft), body, content_type="application/json")

    before = editable(draft)
    answer = answer_to("| 1 | a |\n| 3 | b |", between=True).json()
    assert [option["value"] for option in answer["options"]] == [1, 2, 3]
    assert answer["scale"] == "ordinal"
    assert answer["notes"][0] == "Point without text: 2."
    assert len(answer_to("| 1 | a |\n| 3 | b |").json()["options"]) == 2
    refused = answer_to("no table")
    assert refused.status_code == 422
    assert "Expected:" in refused.json()["message"]
    assert editable(draft) == before


@pytest.mark.parametrize("doc", [None, [], "text", 3])
def test_a_document_of_another_type_is_an_error_of_the_document(editor, draft, doc):
    answer = send(editor, draft, doc).json()
    assert answer["errors"]
    assert not answer["saved"]


@pytest.mark.parametrize(("field", "value"), [("protocol", "other"), ("version", "2.0"), ("name", "Other")])
def test_what_a_version_is_called_cannot_be_changed_here(editor, draft, field, value):
    response = send(editor, draft, editable(draft) | {field: value})
    assert response.status_code == 422
    assert response.json()["errors"][0]["path"] == field


# --- two people ------------------------------------------------------------------------------------------
def test_a_save_over_somebody_elses_save_is_refused_and_shows_theirs(editor, draft):
    opened = revision_of(editable(draft))
    send(editor, draft, renamed(draft, "Theirs"))
    draft.refresh_from_db()
    response = send(editor, draft, renamed(draft, "Mine"), revision=opened)
    assert response.status_code == 409
    assert response.json()["theirs"]["criteria"][0]["name"] == "Theirs"
    assert draft.criteria.get().name == "Theirs"
    assert send(editor, draft, renamed(draft, "Mine"), revision=response.json()["revision"]).json()["saved"]


def test_the_service_refuses_what_is_frozen_or_changed(draft):
    doc, made_from = renamed(draft), revision_of(editable(draft))
    with pytest.raises(ChangedMeanwhile):
        replace_draft(draft, doc, made_from="older", now=timezone.now())
    publish_version(draft, now=timezone.now())
    with pytest.raises(NotDraft):
        replace_draft(draft, doc, made_from=made_from, now=timezone.now())
    assert Criterion.objects.get().name == "Fit"


# --- the form knows the format ---------------------------------------------------------------------------
def test_every_key_of_the_format_has_a_field_or_is_a_list(db):
    draft, _ = store_bundle(load_bundle(builtin_bundles()[0]), publish=False, now=timezone.now())
    doc = editable(draft)
    lists = {"criteria", "options", "explanations", "conditions", "examples", "notices", "when"}
    fixed = {"bundle", "protocol", "name", "version"}
    assert set(doc) - lists - fixed <= set(FIELDS["document"])
    criterion = doc["criteria"][0]
    assert set(criterion) - lists <= set(FIELDS["criterion"])
    assert set(criterion["options"][0]) - lists <= set(FIELDS["option"])


def test_a_draft_that_is_not_valid_can_be_opened(editor, draft):
    Criterion.objects.update(name="")
    response = editor.get(address(draft))
    assert response.status_code == 200
    assert findings(response.context["document"])["errors"]


@pytest.mark.parametrize("path", builtin_bundles(), ids=lambda path: path.stem)
def test_a_document_has_the_spec_its_rows_would_have(db, path):
    draft, _ = store_bundle(load_bundle(path), publish=False, now=timezone.now())
    assert ProtocolVersion.objects.get().status == "draft"
    assert without_ids(spec_of_document(editable(draft))) == without_ids(spec_of(draft))


def without_ids(spec: VersionSpec) -> list[object]:
    def plain(value):
        if isinstance(value, tuple):
            return [plain(each) for each in value]
        if hasattr(value, "__dataclass_fields__"):
            skipped = ("id", "by_id", "by_key")
            return {name: plain(getattr(value, name)) for name in value.__dataclass_fields__ if name not in skipped}
        return copy.copy(value)

    return plain(spec)
