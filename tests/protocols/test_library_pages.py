"""The researcher's pages of protocols: finding, reading, making, importing, comparing and publishing them."""

import threading

import pytest
from django.contrib.auth.models import Permission
from django.db import connection, transaction
from django.urls import reverse

from protocols.bundles import bundle_hash, canonical_json, dump_bundle, load_bundle
from protocols.editing import editable, revision_of
from protocols.models import Option, ProtocolVersion
from protocols.selectors import next_version_name
from protocols.services import (
    ChangedMeanwhile,
    new_draft,
    publish_version,
    replace_draft,
    store_bundle,
)
from tests.protocols.conftest import NOW
from tests.protocols.pages import ESCAPED, HOSTILE, address, editor_of, text_of
from tests.shipped import bundle_of

LISTED = ("protocols", "protocol_new", "protocol_import", "protocol_compare")


# --- who may -----------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", LISTED)
def test_only_editors_see_the_pages_and_others_are_told_why(cast, client, staff, name):
    assert "/accounts/login/" in client.get(reverse(name))["Location"]
    client.force_login(cast.observer)
    refused = client.get(reverse(name))
    assert refused.status_code == 403
    assert "Only people who run studies can see and edit protocols" in text_of(refused)
    assert staff.get(reverse(name)).status_code == 200


def test_the_link_to_protocols_is_there_for_those_who_may(cast, client, staff):
    link = f'href="{reverse("protocols")}"'
    client.force_login(cast.observer)
    assert link not in text_of(client.get(reverse("studies")))
    assert link in text_of(staff.get(reverse("studies")))


def test_the_right_to_change_versions_is_enough(cast, client):
    cast.observer.user_permissions.add(Permission.objects.get(codename="change_protocolversion"))
    client.force_login(cast.observer)
    assert f'href="{reverse("protocols")}"' in text_of(client.get(reverse("studies")))
    assert client.get(reverse("protocols")).status_code == 200


def test_what_does_not_exist_is_not_found(staff, frozen):
    assert staff.get(address("protocol_version", "9.9")).status_code == 404
    assert staff.get(address("protocol_version", slug="none")).status_code == 404
    assert staff.get(address("protocol_export", "1.0", "xml")).status_code == 404
    assert staff.get("/protocols/small/1%00/").status_code == 404


# --- the list ----------------------------------------------------------------------------------------
def test_an_empty_list_says_what_to_do(staff):
    page = text_of(staff.get(reverse("protocols")))
    assert "No protocol yet" in page
    assert "load_protocols" in page


def test_the_list_shows_each_version_with_its_facts(staff, frozen):
    new_draft(frozen, version_name="1.1", now=NOW)
    page = text_of(staff.get(reverse("protocols")))
    assert "1 Mar 2026" in page
    assert "not yet" in page
    assert page.index(address("protocol_version", "1.1")) < page.index(address("protocol_version"))


def test_a_protocol_says_all_that_it_rates(staff):
    version, _ = store_bundle(bundle_of("abc-eval-1.1"), publish=True, now=NOW)
    assert "response, dialogue</td>" in text_of(staff.get(reverse("protocols")))
    place = reverse("protocol_version", args=["abc-eval", version.version])
    assert "<dd>response, dialogue</dd>" in text_of(staff.get(place))


def test_the_list_needs_as_many_queries_for_many_as_for_one(staff, small, django_assert_num_queries):
    store_bundle(small, publish=True, now=NOW)
    with django_assert_num_queries(5):  # session, user, count, protocols, versions
        staff.get(reverse("protocols"))
    for number in range(8):
        made, _ = store_bundle(small | {"protocol": f"p{number}"}, publish=True, now=NOW)
        new_draft(made, version_name="1.1", now=NOW)
    with django_assert_num_queries(5):
        staff.get(reverse("protocols"))


def test_many_protocols_are_searched_by_name_or_key(staff, small):
    for number in range(11):
        store_bundle(small | {"protocol": f"key-{number}", "name": f"Name {number}"}, publish=False, now=NOW)
    assert 'name="q"' in text_of(staff.get(reverse("protocols")))
    for query, n in (("NAME 7", 1), ("key-10", 1), ("key", 11), ("nothing", 0)):
        assert text_of(staff.get(reverse("protocols"), {"q": query})).count("<section") == n
    assert staff.get("/protocols/?q=%00&page=x").status_code == 200


def test_few_protocols_have_no_search_box(staff, frozen):
    assert 'name="q"' not in text_of(staff.get(reverse("protocols")))


# --- one version -------------------------------------------------------------------------------------
def test_a_published_version_shows_its_hash_questions_and_what_is_worth_a_look(staff, frozen):
    page = text_of(staff.get(address("protocol_version")))
    for text in (
        frozen.sha256,
        "small@1.0",
        "Does it fit?",
        "It bores.",
        "There is no option for annotators who cannot tell.",
    ):
        assert text in page
    assert address("protocol_publish") not in page
    assert address("protocol_retire") in page


def test_the_page_needs_no_more_queries_for_more_questions(staff, small, he_bundle, django_assert_max_num_queries):
    store_bundle(small, publish=True, now=NOW)
    store_bundle(he_bundle, publish=True, now=NOW)
    for slug in ("small", "he-protocol"):
        with django_assert_max_num_queries(14):
            staff.get(address("protocol_version", slug=slug))


def test_a_draft_with_faults_says_so_beside_their_places(staff, draft):
    Option.objects.filter(key="no").update(label="Yes")
    draft.criteria.update(kind="computed")
    page = text_of(staff.get(address("protocol_version")))
    row = page[page.index('class="is-wrong"') :]
    assert "criteria[0].options[1].label" in row[: row.index("</tr>")]
    assert "criteria[0].rules" in page
    assert "cannot be published yet" in page


def test_hostile_texts_stay_texts(staff, small):
    small["criteria"][0]["options"][0]["label"] = HOSTILE
    small |= {"name": HOSTILE, "summary": HOSTILE, "citation": HOSTILE, "guidelines": HOSTILE}
    version, _ = store_bundle(small, publish=True, now=NOW)
    new_draft(version, version_name="1.1", now=NOW).criteria.update(name=HOSTILE)
    addresses = [reverse("protocols"), address("protocol_version"), reverse("protocol_new") + "?copy=small@1.0",
                 reverse("protocol_compare") + "?a=small@1.0&b=small@1.1"]  # fmt: skip
    for each in addresses:
        page = text_of(staff.get(each))
        assert "<b>bold" not in page
        assert "<img" not in page
        assert ESCAPED in page or "protocol_new" in each


def test_a_version_named_by_the_admin_in_a_way_that_is_no_address_breaks_no_page(staff, frozen):
    odd = new_draft(frozen, version_name="1.1", now=NOW)
    ProtocolVersion.objects.filter(pk=odd.pk).update(version="1/1")
    assert staff.get(reverse("protocols")).status_code == 200
    assert staff.get(address("protocol_version")).status_code == 200
    assert staff.get(reverse("protocol_compare"), {"a": "small@1.0", "b": "small@1/1"}).status_code == 200


# --- publishing and retiring -----------------------------------------------------------------------
def read(version):
    """What the version's page sends with the button that publishes."""
    return {"is_sure": "on", "revision": revision_of(editable(version))}


def test_publishing_needs_the_tick_and_freezes(staff, draft):
    sent = read(draft)
    assert f'name="revision" value="{sent["revision"]}"' in text_of(staff.get(address("protocol_version")))
    unsure = staff.post(address("protocol_publish"), {"revision": "older"})
    assert unsure.status_code == 422
    assert "Tick the box to publish." in text_of(unsure)
    assert 'name="revision" value="older"' in text_of(unsure)
    assert ProtocolVersion.objects.get().status == "draft"
    assert staff.post(address("protocol_publish"), sent)["Location"] == address("protocol_version")
    stored = ProtocolVersion.objects.get()
    assert (stored.status, stored.sha256) == ("published", bundle_hash(dump_bundle(stored)))
    again = staff.post(address("protocol_publish"), sent)
    assert again["Location"] == address("protocol_version")


@pytest.mark.parametrize("revision", ["", "older", None])
def test_a_draft_that_was_changed_since_it_was_read_is_not_published(staff, draft, revision):
    sent = read(draft) | ({} if revision is None else {"revision": revision})
    draft.criteria.update(question="Does it suit?")
    refused = staff.post(address("protocol_publish"), sent)
    assert refused.status_code == 409
    page = text_of(refused)
    assert "Nothing was published." in page
    assert "Read it again, tick the box and publish it" in page
    assert "Does it suit?" in page
    assert ProtocolVersion.objects.get().status == "draft"
    assert f'value="{read(draft)["revision"]}"' in page
    assert staff.post(address("protocol_publish"), read(draft)).status_code == 302
    assert ProtocolVersion.objects.get().status == "published"


def test_what_somebody_else_changed_and_published_is_not_mine(staff, draft):
    sent = read(draft)
    draft.criteria.update(question="Does it suit?")
    publish_version(draft, now=NOW)
    refused = staff.post(address("protocol_publish"), sent)
    assert refused.status_code == 409
    assert "It can no longer be changed" in text_of(refused)


@pytest.mark.django_db(transaction=True)
def test_a_save_that_is_under_way_while_somebody_publishes_is_seen(small):
    """The publisher waits for the lock of the one who saves, and then finds another draft than was read."""
    draft, _ = store_bundle(small, publish=False, now=NOW)
    was_read = revision_of(editable(draft))
    refused = []

    def publish():
        try:
            publish_version(draft, now=NOW, made_from=was_read)
        except ChangedMeanwhile as changed:
            refused.append(str(changed))
        finally:
            connection.close()

    doc = editable(draft)
    doc["criteria"][0]["question"] = "Does it suit?"
    with transaction.atomic():
        replace_draft(draft, doc, made_from=was_read, now=NOW)
        publisher = threading.Thread(target=publish)
        publisher.start()
        publisher.join(0.3)
        assert publisher.is_alive()
    publisher.join(10)
    assert len(refused) == 1
    assert ProtocolVersion.objects.get().status == "draft"


def test_an_invalid_draft_is_refused_with_its_errors(staff, draft):
    draft.criteria.update(question="")
    refused = staff.post(address("protocol_publish"), read(draft))
    assert refused.status_code == 422
    assert "Refused" in text_of(refused)
    assert "criteria[0].question" in text_of(refused)
    assert ProtocolVersion.objects.get().status == "draft"


def test_retiring_is_for_what_is_published_and_needs_the_tick(staff, draft):
    assert "is a draft" in text_of(staff.post(address("protocol_retire"), {"is_sure": "on"}, follow=True))
    publish_version(draft, now=NOW)
    unsure = staff.post(address("protocol_retire"))
    assert unsure.status_code == 422
    assert "Tick the box to retire it." in text_of(unsure)
    assert ProtocolVersion.objects.get().status == "published"
    staff.post(address("protocol_retire"), {"is_sure": "on"})
    assert ProtocolVersion.objects.get().status == "retired"


# --- languages ---------------------------------------------------------------------------------------
def test_each_language_has_a_preview_and_says_what_it_lacks(staff, small):
    whole = {"name": "Piccolo", "criteria": {"fit": {"name": "Adatto", "question": "È adatto?", "options": {
        "yes": {"label": "Sì"}, "no": {"label": "No", "explanations": {"dull": "Annoia."}}}, "examples": [{
        "title": "Un saluto", "history": [{"speaker": "A", "text": "Ciao"}],
        "candidates": [{"text": "Ciao a te", "why": "Saluta."}]}]}}}  # fmt: skip
    store_bundle(small | {"translations": {"it": whole, "xx-yy": {"name": "Small"}}}, publish=True, now=NOW)
    page = text_of(staff.get(address("protocol_version")))
    preview = address("protocol_preview")
    for link in (preview, f"{preview}?language=it", f"{preview}?language=xx-yy"):
        assert f'href="{link}"' in page
        assert staff.get(link).status_code == 200
    assert '<bdi lang="it">italiano</bdi> <code class="key">it</code>' in page
    assert '<bdi lang="xx-yy">xx-yy</bdi>' in page
    assert "fully translated" in page
    assert "9 of 10 texts are not translated" in page
    assert "È adatto?" in text_of(staff.get(f"{preview}?language=it"))


def test_texts_of_a_version_with_faults_are_not_counted(staff, draft):
    ProtocolVersion.objects.update(translations={"it": {"name": 3}})
    page = text_of(staff.get(address("protocol_version")))
    assert "cannot be published yet" in page
    assert "italiano" in page
    assert "translated" not in page


# --- drafts ------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "following"), [("1.0", "1.1"), ("1.9", "1.10"), ("2", "2.1"), ("1.0.3", "1.1.0"), ("1.0-b", "1.0-b-2")]
)
def test_the_next_minor_version_is_proposed(db, small, name, following):
    version, _ = store_bundle(small | {"version": name}, publish=False, now=NOW)
    assert next_version_name(version) == following


def test_a_name_that_is_taken_is_not_proposed(frozen):
    new_draft(frozen, version_name="1.1", now=NOW)
    assert next_version_name(frozen) == "1.2"


def test_a_new_draft_is_made_and_opened(staff, frozen):
    assert 'value="1.1"' in text_of(staff.get(address("protocol_version")))
    answer = staff.post(address("protocol_draft"), {"version_name": "1.1"})
    assert answer["Location"] == editor_of("small", "1.1")
    assert ProtocolVersion.objects.get(version="1.1").parent == frozen


@pytest.mark.parametrize("name", ["1.0", "", "1 1", "x" * 41])
def test_a_name_that_cannot_be_is_refused_beside_its_field(staff, frozen, name):
    refused = staff.post(address("protocol_draft"), {"version_name": name})
    assert refused.status_code == 422
    assert 'id="id_version_name_error"' in text_of(refused)
    assert ProtocolVersion.objects.count() == 1


# --- files -------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("kind", "ending"), [("yaml", "yaml"), ("json", "json"), ("canonical", "canonical.json")])
def test_what_is_exported_is_the_same_when_it_is_imported(staff, frozen, kind, ending):
    answer = staff.get(address("protocol_export", "1.0", kind))
    assert answer["Content-Disposition"] == f'attachment; filename="small-1.0.{ending}"'
    assert bundle_hash(load_bundle(text_of(answer))) == frozen.sha256
    assert "already exists here as" in text_of(send_and_follow(staff, text_of(answer)))


def send_and_follow(client, text):
    return client.post(reverse("protocol_import"), {"action": "draft", "text": text}, follow=True)


def test_the_canonical_file_is_the_bytes_the_hash_is_of(staff, frozen):
    assert staff.get(address("protocol_export", "1.0", "canonical")).content == canonical_json(dump_bundle(frozen))


def test_a_draft_with_faults_has_no_canonical_form_but_can_be_exported(staff, draft):
    draft.criteria.update(question="")
    assert staff.get(address("protocol_export", "1.0", "canonical")).status_code == 422
    assert staff.get(address("protocol_export", "1.0", "yaml")).status_code == 200
