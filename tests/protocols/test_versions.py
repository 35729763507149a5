"""The life of a version: draft, published, retired; and copies of it."""

import threading
from datetime import timedelta

import pytest
from django.db import connection

from protocols.bundles import bundle_hash, canonical_json, dump_bundle
from protocols.models import ProtocolVersion
from protocols.schema import InvalidBundle
from protocols.selectors import find_version, history_of
from protocols.services import NotPublished, VersionTaken, new_draft, publish_version, retire_version, store_bundle
from tests.protocols.conftest import NOW

LATER = NOW + timedelta(days=1)


def contents(version):
    return canonical_json(dump_bundle(version) | {"version": "x"})


# --- retiring ----------------------------------------------------------------------------------------
def test_a_retired_version_is_kept_and_no_longer_the_one_to_use(frozen, small):
    before = contents(frozen)
    assert retire_version(frozen).status == "retired"
    assert contents(find_version("small@1.0")) == before
    with pytest.raises(ProtocolVersion.DoesNotExist):
        find_version("small")


def test_a_version_that_is_retired_already_stays_so(frozen):
    retire_version(frozen)
    assert retire_version(frozen).status == "retired"


def test_a_draft_cannot_be_retired(draft):
    with pytest.raises(NotPublished, match=r"small 1\.0 is a draft"):
        retire_version(draft)
    assert ProtocolVersion.objects.get().status == "draft"


# --- new drafts ----------------------------------------------------------------------------------------
@pytest.mark.parametrize("status", ["draft", "published", "retired"])
def test_a_version_of_any_status_can_be_copied_into_a_draft(draft, status):
    version = draft if status == "draft" else publish_version(draft, now=NOW)
    version = retire_version(version) if status == "retired" else version
    copy = new_draft(version, version_name="1.1", now=LATER)
    stored = ProtocolVersion.objects.get(pk=copy.pk)
    assert (stored.version, stored.status, stored.parent, stored.sha256) == ("1.1", "draft", version, "")
    assert contents(stored) == contents(version)
    assert ProtocolVersion.objects.get(pk=version.pk).status == status


def test_editing_the_copy_leaves_the_published_version_as_it_was(frozen):
    before = bundle_hash(dump_bundle(frozen))
    copy = new_draft(frozen, version_name="1.1", now=LATER)
    copy.criteria.update(question="Does it suit?")
    published = publish_version(copy, now=LATER)
    assert bundle_hash(dump_bundle(frozen)) == before == frozen.sha256
    assert (published.parent, published.sha256 == before) == (frozen, False)


@pytest.mark.parametrize("taken_by", ["the version itself", "a copy", "other contents"])
def test_a_name_that_is_taken_is_refused(frozen, small, taken_by):
    name = "1.0"
    if taken_by == "a copy":
        name = new_draft(frozen, version_name="1.1", now=NOW).version
    if taken_by == "other contents":
        name = store_bundle(small | {"version": "2.0", "welcome": "Hello"}, publish=False, now=NOW)[0].version
    before = list(ProtocolVersion.objects.order_by("pk").values())
    with pytest.raises(VersionTaken):
        new_draft(frozen, version_name=name, now=LATER)
    assert list(ProtocolVersion.objects.order_by("pk").values()) == before


@pytest.mark.parametrize(("name", "free"), [("1.9", "1.10"), ("1.0-short", "1.0-short-2")])
def test_whoever_meets_a_taken_name_is_told_one_that_could_follow(frozen, name, free):
    new_draft(frozen, version_name=name, now=LATER)
    with pytest.raises(VersionTaken, match=f'another name, such as "{free}"'):
        new_draft(frozen, version_name=name, now=LATER)


@pytest.mark.parametrize("name", ["", "1/1", " ", "x" * 41])
def test_a_name_that_is_none_is_refused(frozen, name):
    with pytest.raises(InvalidBundle, match="version: "):
        new_draft(frozen, version_name=name, now=LATER)


@pytest.mark.django_db(transaction=True)
def test_of_two_who_ask_for_the_same_draft_at_once_one_gets_it(small):
    version, _ = store_bundle(small, publish=True, now=NOW)
    outcomes = []

    def copy():
        try:
            outcomes.append(new_draft(version, version_name="1.1", now=LATER).status)
        except VersionTaken:
            outcomes.append("taken")
        finally:
            connection.close()

    threads = [threading.Thread(target=copy) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["draft", "taken"]


# --- history ---------------------------------------------------------------------------------------
def test_the_history_lists_every_version_with_its_parent_newest_first(frozen, small, django_assert_num_queries):
    first = new_draft(frozen, version_name="1.1", now=LATER)
    new_draft(first, version_name="1.2", now=LATER)
    store_bundle(small | {"protocol": "other"}, publish=True, now=LATER)
    with django_assert_num_queries(1):
        found = [(each.version, each.parent and str(each.parent)) for each in history_of(frozen.protocol)]
    assert found == [("1.2", "small 1.1"), ("1.1", "small 1.0"), ("1.0", None)]
