"""The preview of a protocol: the real screen over a made-up dialogue, and not one row written."""

import json

import pytest
from django.apps import apps
from django.urls import reverse
from django.utils import timezone

from protocols.bundles import load_bundle
from protocols.editing import editable
from protocols.selectors import builtin_bundles
from protocols.services import store_bundle
from tests.factories import UserFactory
from tests.shipped import bundle_of

BUNDLES = [pytest.param(path, id=path.stem) for path in builtin_bundles()]


@pytest.fixture
def editor(client, db):
    client.force_login(UserFactory(is_staff=True))
    return client


def stored(path, *, publish=False):
    return store_bundle(load_bundle(path), publish=publish, now=timezone.now())[0]


def address(version):
    return reverse("protocol_preview", args=[version.protocol.slug, version.version])


def n_rows():
    skipped = ("Session",)
    return {model.__name__: model.objects.count() for model in apps.get_models() if model.__name__ not in skipped}


@pytest.mark.parametrize("path", BUNDLES)
@pytest.mark.parametrize("is_published", [True, False])
def test_every_shipped_protocol_is_shown_and_nothing_is_written(editor, path, is_published):
    version = stored(path, publish=is_published)
    before = n_rows()
    page = editor.get(address(version)).content.decode()
    assert "Preview: nothing is saved." in page
    for criterion in version.criteria.exclude(kind="computed"):
        assert f'data-criterion="{criterion.key}"' in page
    editor.post(address(version), {"document": json.dumps(editable(version))})
    editor.post(address(version) + "?step=1/1/", {"anything": "1"})
    assert n_rows() == before


@pytest.mark.parametrize("path", BUNDLES)
def test_no_link_and_no_form_leads_to_the_real_work(editor, path):
    page = editor.get(address(stored(path))).content.decode()
    screen = page[page.index('id="rate"') :]
    assert "/work/" not in screen
    assert "/api/" not in screen
    assert "rate-outbox" not in page


def test_the_unsaved_document_is_shown_and_the_draft_stays(editor):
    version = stored(builtin_bundles()[0])
    doc = editable(version)
    doc["criteria"][0]["question"] = "Does it sing?"
    page = editor.post(address(version), {"document": json.dumps(doc)}).content.decode()
    assert "Does it sing?" in page
    assert "Does it sing?" not in editor.get(address(version)).content.decode()


def test_the_headings_and_the_scale_of_the_unsaved_document_are_shown(editor):
    version = stored(next(path for path in builtin_bundles() if path.stem == "dialogue-hit-1.0"))
    changes = {"context_title": "Begin here", "item_title": "Judge this", "scale_above": True}
    plain, headed = (
        editor.post(address(version), {"document": json.dumps(editable(version) | more)}).content.decode()
        for more in ({"context_title": "", "item_title": "", "scale_above": False}, changes)
    )
    assert all(words in headed for words in ("Begin here", "Judge this", '<details class="scale" open data-of-step'))
    assert "to be rated" in plain
    assert '<details class="scale"' not in plain


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 100_000, '{"bundle": 1}'])
def test_a_document_that_is_not_complete_shows_what_is_missing(editor, text):
    response = editor.post(address(stored(builtin_bundles()[0])), {"document": text})
    assert response.status_code == 422
    assert "data-problem-at" in response.content.decode()


def test_the_step_of_the_criterion_being_edited_is_shown_even_if_another_answer_decides(editor):
    path = next(path for path in builtin_bundles() if path.stem == "diqad-1.0")
    version = stored(path)
    doc = editable(version) | {"order": "criterion_first"}
    key = next(each["key"] for each in doc["criteria"] if each["when"])
    answer = {"document": json.dumps(doc), "criterion": key}
    page = editor.post(address(version), answer).content.decode()
    shown = page[page.index('<section class="step"') :]
    visible = next(part for part in shown.split("<section") if part.strip() and "hidden>" not in part.split("\n")[0])
    assert f'data-criterion="{key}"' in visible


def test_without_javascript_each_step_is_a_page(editor):
    version = stored(builtin_bundles()[0])
    response = editor.post(address(version) + "?step=1/1/", {})
    assert response.status_code == 302
    assert response.url == "?step=1/2/"
    assert editor.get(address(version) + response.url).status_code == 200
    assert editor.get(address(version) + "?step=1/9999/").status_code == 200
    assert editor.get(address(version) + "?step=none").status_code == 200


def test_only_this_page_may_stand_in_a_frame_and_only_of_this_site(editor):
    version = stored(builtin_bundles()[0])
    shown = editor.get(address(version))
    assert shown["X-Frame-Options"] == "SAMEORIGIN"
    assert "frame-ancestors 'self'" in shown["Content-Security-Policy"]
    assert "default-src 'self'" in shown["Content-Security-Policy"]
    other = editor.get(reverse("protocol_edit", args=[version.protocol.slug, version.version]))
    assert other["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in other["Content-Security-Policy"]


def test_who_may_not_edit_protocols_sees_none(client, db):
    version = stored(builtin_bundles()[0])
    assert client.get(address(version)).status_code == 302
    client.force_login(UserFactory())
    assert client.get(address(version)).status_code == 403
    assert client.post(address(version), {"document": "{}"}).status_code == 403


def test_two_whole_dialogues_are_previewed_side_by_side_if_dialogues_are_judged(editor):
    version = store_bundle(bundle_of("acute-eval-1.0-dialogues"), publish=True, now=timezone.now())[0]
    page = editor.get(address(version)).content.decode()
    assert "Dialogue 1" in page
    assert "Response 1" not in page
    assert page.count("Biscuit") == 2, "once in each dialogue, and in none beside them"
    version = store_bundle(bundle_of("acute-eval-1.0"), publish=True, now=timezone.now())[0]
    assert "compared-whole" not in editor.get(address(version)).content.decode()
