import contextlib
import copy
import json
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
import yaml
from django.db import connection, transaction
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

from protocols.bundles import (
    InvalidBundle,
    bundle_hash,
    canonical_json,
    check_bundle,
    dump_bundle,
    load_bundle,
    readable_bundle,
    write_yaml,
)
from protocols.models import Criterion, Example, Explanation, Option, Protocol, ProtocolVersion
from protocols.services import VersionTaken, publish_version, store_bundle
from tests.protocols.conftest import NOW
from tests.protocols.generated import bundles, changed_somewhere, shared

thorough = settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))


USES = {
    "marked turns": lambda doc: any(each["kind"] == "turns" for each in doc["criteria"]),
    "a multiple choice": lambda doc: any(each["kind"] == "multiple" for each in doc["criteria"]),
    "a rule with a condition": lambda doc: '"rules": [{"when": [{' in json.dumps(doc),
    "a condition": lambda doc: any(each["when"] for each in doc["criteria"]),
    "a unit of its own": lambda doc: any(each["unit"] not in ("", doc["unit"]) for each in doc["criteria"]),
    "required reasons": lambda doc: "explanation_required" in json.dumps(doc),
    "a translated reason": lambda doc: "explanations" in json.dumps(doc.get("translations", {})),
    "a rated turn": lambda doc: '"rated_turn": 1' in json.dumps(doc),
    "words of an option": lambda doc: any("words_max" in o for c in doc["criteria"] for o in c.get("options", [])),
}


def test_the_generated_bundles_use_everything():
    """Or the properties below would hold of a smaller format."""
    missing = set(USES)
    once = settings(max_examples=2000, database=None, derandomize=True, phases=[Phase.generate])

    def completes(doc) -> bool:
        missing.difference_update([name for name in missing if USES[name](doc)])
        return not missing

    with contextlib.suppress(NoSuchExample):
        find(bundles(), completes, settings=once)
    assert missing == set()


@pytest.mark.django_db
@thorough
@given(bundles())
def test_what_is_stored_and_written_again_has_the_same_canonical_bytes(doc):
    assert check_bundle(doc) == []
    version, written = stored_and_taken_back(doc)
    assert canonical_json(written) == canonical_json(doc)
    assert version.sha256 == bundle_hash(doc)


@pytest.mark.django_db
@thorough
@given(bundles())
def test_what_is_exported_and_imported_elsewhere_has_the_same_canonical_bytes(doc):
    _, exported = stored_and_taken_back(doc, readable_bundle)
    _, imported = stored_and_taken_back(load_bundle(write_yaml(exported)))
    assert canonical_json(imported) == canonical_json(doc)


def stored_and_taken_back(doc, written=dump_bundle):
    with transaction.atomic():
        version, _ = store_bundle(doc, publish=True, now=NOW)
        result = written(ProtocolVersion.objects.get(pk=version.pk))
        transaction.set_rollback(True)
    return version, result


@thorough
@given(bundles())
def test_yaml_and_json_texts_of_a_bundle_read_back_as_the_same_content(doc):
    assert canonical_json(load_bundle(write_yaml(doc))) == canonical_json(doc)
    assert canonical_json(load_bundle(json.dumps(doc))) == canonical_json(doc)
    assert canonical_json(load_bundle(canonical_json(doc).decode())) == canonical_json(doc)


@pytest.mark.django_db
@thorough
@given(shared())
def test_criteria_that_share_a_scale_are_those_with_the_options_written_out(both):
    short, plain = both
    assert check_bundle(short) == check_bundle(plain) == []
    assert canonical_json(load_bundle(write_yaml(short))) == canonical_json(plain)
    _, exported = stored_and_taken_back(short, readable_bundle)
    assert "scales" not in exported
    assert canonical_json(exported) == canonical_json(plain)


@thorough
@given(bundles(), st.randoms(use_true_random=False))
def test_any_single_change_of_a_canonical_document_is_refused_or_gives_another_hash(doc, chance):
    before = canonical_json(doc)
    changed = changed_somewhere(json.loads(before), chance)
    assert check_bundle(changed) or canonical_json(changed) != before


@thorough
@given(bundles())
def test_other_yaml_readers_see_the_same_bundle(doc):
    assert yaml.safe_load(write_yaml(doc)) == load_bundle(write_yaml(doc))


@thorough
@given(bundles())
def test_key_order_unicode_form_and_spelt_out_defaults_do_not_change_the_bytes(doc):
    completed = json.loads(canonical_json(doc))

    def disguised(value):
        if isinstance(value, dict):
            return {key: disguised(value[key]) for key in reversed(value)}
        if isinstance(value, list):
            return [disguised(each) for each in value]
        return unicodedata.normalize("NFD", value) + "\n" if isinstance(value, str) else value

    assert canonical_json(disguised(completed)) == canonical_json(doc)


def test_canonical_json_is_sorted_utf8_without_blanks(small):
    small["name"] = "Cafe\u0301"
    data = canonical_json(small)
    assert '"name":"Café"'.encode() in data
    assert data == json.dumps(json.loads(data), sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()


def test_a_whole_number_is_the_same_with_and_without_a_point(small):
    other = copy.deepcopy(small)
    small["criteria"][0]["options"][0]["value"] = 3
    other["criteria"][0]["options"][0]["value"] = 3.0
    assert canonical_json(small) == canonical_json(other)


CHANGES = [
    lambda doc: doc.update(welcome="Hello"),
    lambda doc: doc.update(words_max=31),
    lambda doc: doc.update(version="1.1"),
    lambda doc: doc["criteria"][0].update(question="Does it fit"),
    lambda doc: doc["criteria"][0]["options"].reverse(),
    lambda doc: doc["criteria"][0]["options"][0].update(role="neutral"),
    lambda doc: doc["criteria"][0]["options"][1]["explanations"][0].update(sub_dimension="Boredom"),
    lambda doc: doc["criteria"][0]["examples"][0]["candidates"][0].update(why=""),
]


@pytest.mark.parametrize("change", CHANGES)
def test_changed_content_has_another_hash(small, change):
    before = bundle_hash(small)
    change(small)
    assert check_bundle(small) == []
    assert bundle_hash(small) != before


def test_an_invalid_bundle_has_no_hash(small):
    del small["criteria"]
    with pytest.raises(InvalidBundle, match="criteria: is missing"):
        bundle_hash(small)


def test_the_hash_of_the_small_bundle_is_what_it_was_when_format_1_was_fixed(small):
    """Stored hashes would no longer match if this changed: then a format 2 is needed."""
    assert bundle_hash(small) == "1b4034fe6108b17f63445f54ec956514464ab5f3b12bad862f163c6e517d3af4"


# --- storing ---------------------------------------------------------------------------------------
def counts():
    return [model.objects.count() for model in (Protocol, ProtocolVersion, Criterion, Option, Explanation, Example)]


def test_a_bundle_is_stored_as_a_draft_unless_it_is_published(draft):
    assert (draft.status, draft.sha256, draft.published_at) == ("draft", "", None)


def test_publishing_sets_status_time_and_hash(draft, small):
    version = publish_version(draft, now=NOW)
    assert (version.status, version.sha256, version.published_at) == ("published", bundle_hash(small), NOW)


def test_storing_the_same_content_again_changes_nothing(frozen, small):
    before = counts()
    version, is_new = store_bundle(small, publish=True, now=NOW + timedelta(days=1))
    assert (version.pk, is_new, version.published_at) == (frozen.pk, False, NOW)
    assert counts() == before


def test_storing_a_draft_again_can_publish_it(draft, small):
    version, is_new = store_bundle(small, publish=True, now=NOW)
    assert (version.pk, is_new, version.status) == (draft.pk, False, "published")


@pytest.mark.parametrize("existing", ["draft", "frozen"])
def test_other_content_under_the_same_version_is_refused(existing, request, small):
    request.getfixturevalue(existing)
    small["welcome"] = "Changed"
    before = counts()
    with pytest.raises(VersionTaken, match=r"small 1\.0 already exists with different contents"):
        store_bundle(small, publish=True, now=NOW)
    assert counts() == before


def test_a_second_version_does_not_rename_the_protocol(frozen, small):
    with pytest.raises(VersionTaken, match="name: differs"):
        store_bundle(small | {"version": "2.0", "name": "Another"}, publish=False, now=NOW)


def test_an_invalid_bundle_stores_nothing(db, small):
    small["criteria"][0]["options"][0]["role"] = "happy"
    with pytest.raises(InvalidBundle, match="role"):
        store_bundle(small, publish=True, now=NOW)
    assert counts() == [0] * 6


def test_a_draft_that_was_edited_into_nonsense_cannot_be_published(draft):
    draft.criteria.get().options.filter(key="no").update(asks="nothing")
    with pytest.raises(InvalidBundle, match="explanations would never be shown"):
        publish_version(draft, now=NOW)
    assert ProtocolVersion.objects.get().status == "draft"


def test_a_retired_version_is_not_published_again(frozen, small):
    ProtocolVersion.objects.update(status="retired")
    version, is_new = store_bundle(small, publish=True, now=NOW)
    assert (version.status, is_new) == ("retired", False)


@pytest.mark.django_db(transaction=True)
def test_of_many_who_store_the_same_bundle_at_once_one_makes_it_and_all_get_it(small):
    # The protocol exists: making it would let one through at a time by its unique slug alone.
    store_bundle(small | {"version": "0.9"}, publish=True, now=NOW)

    def store(_):
        try:
            version, is_new = store_bundle(small, publish=True, now=NOW)
            return version.pk, is_new
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(store, range(8)))
    assert len({pk for pk, _ in results}) == 1
    assert sorted(is_new for _, is_new in results) == [False] * 7 + [True]
