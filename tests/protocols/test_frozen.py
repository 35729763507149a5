"""A published version cannot be changed, whatever door the change comes through."""

import threading

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction

from protocols.bundles import bundle_hash, dump_bundle
from protocols.models import Criterion, Example, Explanation, Option, Protocol, ProtocolVersion
from protocols.services import publish_version, store_bundle
from tests.protocols.conftest import NOW

PARTS = [Criterion, Option, Explanation, Example]
TEXT_OF = {
    Criterion: "question",
    Option: "definition",
    Explanation: "text",
    Example: "title",
    ProtocolVersion: "welcome",
}
TABLES = [ProtocolVersion, *PARTS]


def refused():
    return pytest.raises(IntegrityError, match="frozen")


def sql(text, *values):
    with connection.cursor() as cursor:
        cursor.execute(text, values)


@pytest.mark.parametrize("model", TABLES)
def test_saving_a_frozen_row_is_refused(frozen, model):
    row = model.objects.first()
    setattr(row, TEXT_OF[model], "changed")
    with refused():
        row.save()


@pytest.mark.parametrize("model", TABLES)
def test_a_queryset_update_is_refused(frozen, model):
    with refused():
        model.objects.update(**{TEXT_OF[model]: "changed"})


@pytest.mark.parametrize("model", TABLES)
def test_raw_sql_is_refused(frozen, model):
    with refused():
        sql(f"UPDATE {model._meta.db_table} SET {TEXT_OF[model]} = 'changed'")


@pytest.mark.parametrize("model", TABLES)
def test_raw_deletion_is_refused(frozen, model):
    with refused():
        sql(f"DELETE FROM {model._meta.db_table}")


@pytest.mark.parametrize("model", [Explanation, Example])
def test_deleting_through_the_orm_is_refused(frozen, model):
    with refused():
        model.objects.all().delete()


@pytest.mark.parametrize("model", [Criterion, Option, Explanation, Example])
def test_moving_a_part_within_its_parent_is_refused(frozen, model):
    with refused():
        model.objects.update(position=9)


def test_adding_a_criterion_is_refused(frozen):
    with refused():
        Criterion.objects.create(version=frozen, key="new", name="New", question="New?", position=9)


def test_adding_an_option_is_refused(frozen):
    with refused():
        Option.objects.create(criterion=Criterion.objects.get(), key="new", label="New", role="neutral", position=9)


def test_adding_an_explanation_is_refused(frozen):
    option = Option.objects.first()
    with refused():
        Explanation.objects.bulk_create([Explanation(option=option, key="new", text="New", position=9)])


def test_adding_an_example_is_refused(frozen):
    with refused():
        Example.objects.create(criterion=Criterion.objects.get(), title="New", history=[], candidates=[], position=9)


@pytest.mark.parametrize("status", ["draft", "published"])
def test_a_frozen_version_does_not_go_back(frozen, status):
    with refused():
        ProtocolVersion.objects.update(status=status)


@pytest.mark.parametrize("column", ["sha256 = 'x'", "published_at = now()", "version = '9'", "words_max = 31"])
def test_hash_time_and_name_of_a_frozen_version_stay(frozen, column):
    with refused():
        sql(f"UPDATE protocols_protocolversion SET {column}")


def test_a_published_version_can_be_retired_and_is_still_frozen(frozen):
    ProtocolVersion.objects.update(status="retired")
    with refused(), transaction.atomic():
        ProtocolVersion.objects.update(status="published")
    with refused():
        Option.objects.update(label="changed")


def test_nothing_else_changes_with_the_retirement(frozen):
    with refused():
        ProtocolVersion.objects.update(status="retired", welcome="changed")


def test_a_version_cannot_be_inserted_as_published(frozen):
    with refused():
        ProtocolVersion.objects.create(
            protocol=frozen.protocol, version="2", status="published", sha256="x", published_at=NOW
        )


def test_a_draft_cannot_be_retired(draft):
    with refused():
        ProtocolVersion.objects.update(status="retired", sha256="x", published_at=NOW)


def test_the_protocol_keeps_the_name_that_is_in_the_hash(frozen):
    for change in ({"name": "changed"}, {"slug": "changed"}):
        with refused(), transaction.atomic():
            Protocol.objects.update(**change)


def test_the_message_says_which_version_and_what_to_do(frozen):
    with pytest.raises(DatabaseError, match=r"Version 1.0 is published: .* frozen, .* Make a new version instead"):
        Option.objects.update(label="changed")


def test_a_draft_can_be_changed_in_every_part_and_deleted(draft):
    Protocol.objects.update(name="changed")
    for model in TABLES:
        assert model.objects.update(**{TEXT_OF[model]: "changed"}) > 0
    for model in [*reversed(PARTS), ProtocolVersion, Protocol]:
        if model is not Criterion:
            model.objects.all().delete()
        else:
            Example.objects.all().delete()
            Criterion.objects.all().delete()
    assert ProtocolVersion.objects.count() == 0


def test_a_draft_beside_a_frozen_version_can_be_changed(frozen, small):
    draft, _ = store_bundle(small | {"version": "2.0"}, publish=False, now=NOW)
    assert Option.objects.filter(criterion__version=draft).update(definition="changed") == 2


def test_a_part_of_a_draft_cannot_be_moved_into_a_frozen_version(frozen, small):
    draft, _ = store_bundle(small | {"version": "2.0"}, publish=False, now=NOW)
    criterion = frozen.criteria.get()
    for change in (
        lambda: draft.criteria.update(version=frozen, key="moved", position=9),
        lambda: Option.objects.filter(criterion__version=draft, key="yes").update(criterion=criterion, position=9),
    ):
        with pytest.raises(IntegrityError, match="stays where it is"), transaction.atomic():
            change()


def test_a_part_without_a_parent_is_refused_at_once(draft):
    """Its foreign key is checked at the end of the transaction only, when the version may be frozen."""
    with pytest.raises(IntegrityError, match="belongs to no version"):
        Option.objects.create(criterion_id=999_999_999, key="new", label="New", role="neutral", position=9)


@pytest.mark.django_db(transaction=True)
def test_a_part_added_while_a_version_is_published_is_in_the_hash_or_refused(small):
    version, _ = store_bundle(small, publish=False, now=NOW)
    published = threading.Event()

    def publish():
        publish_version(version, now=NOW)
        published.set()
        connection.close()

    thread = threading.Thread(target=publish)
    with transaction.atomic():
        Option.objects.filter(key="yes").update(definition="added at the last moment")
        thread.start()
        assert not published.wait(0.3), "publishing did not wait for the open change"
    thread.join(10)
    stored = ProtocolVersion.objects.get()
    assert stored.sha256 == bundle_hash(dump_bundle(stored))
    assert "added at the last moment" in str(dump_bundle(stored))


@pytest.mark.django_db(transaction=True)
def test_a_part_that_comes_while_a_version_is_published_waits_and_is_refused(small):
    version, _ = store_bundle(small, publish=False, now=NOW)
    criterion = version.criteria.get()
    ended, refusals = threading.Event(), []

    def add():
        try:
            Option.objects.create(criterion=criterion, key="late", label="Late", role="neutral", position=9)
        except IntegrityError as error:
            refusals.append(str(error))
        ended.set()
        connection.close()

    thread = threading.Thread(target=add)
    with transaction.atomic():
        publish_version(version, now=NOW)
        thread.start()
        assert not ended.wait(0.3), "the part did not wait for the publication"
    thread.join(10)
    assert ["frozen" in sentence for sentence in refusals] == [True]
    assert Option.objects.count() == 2
