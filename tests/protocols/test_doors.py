"""Every door through which a person could try to change a frozen version, and what is behind it afterwards.

The tables themselves are tried in test_frozen.py.
"""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import IntegrityError
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from protocols.bundles import bundle_hash, dump_bundle
from protocols.models import ProtocolVersion
from protocols.services import NotDraft, VersionTaken, publish_version, replace_draft, store_bundle
from tests.protocols.conftest import NOW

Changed = dict
Door = Callable[[Client, ProtocolVersion, Changed, Path], object]


def by_the_editor(client: Client, version: ProtocolVersion, changed: Changed, room: Path) -> object:
    place = reverse("protocol_edit", args=[version.protocol.slug, version.version])
    body = {"document": changed, "revision": version.sha256}
    return client.post(place, json.dumps(body), content_type="application/json")


def by_the_import_page(client: Client, version: ProtocolVersion, changed: Changed, room: Path) -> object:
    return [
        client.post(reverse("protocol_import"), {"action": action, "text": json.dumps(changed)})
        for action in ("draft", "publish")
    ]


def by_the_import_command(client: Client, version: ProtocolVersion, changed: Changed, room: Path) -> object:
    file = room / "changed.json"
    file.write_text(json.dumps(changed))
    with pytest.raises(CommandError, match=r"small|1\.0"):
        call_command("protocol_import", str(file), publish=True)
    return None


def by_publishing_again(client: Client, version: ProtocolVersion, changed: Changed, room: Path) -> object:
    place = reverse("protocol_publish", args=[version.protocol.slug, version.version])
    return client.post(place, {"is_sure": "on"})


def by_a_draft_of_the_same_name(client: Client, version: ProtocolVersion, changed: Changed, room: Path) -> object:
    place = reverse("protocol_draft", args=[version.protocol.slug, version.version])
    return client.post(place, {"version_name": version.version})


def by_the_admin(client: Client, version: ProtocolVersion, changed: Changed, room: Path) -> object:
    pages = [reverse(f"admin:protocols_protocolversion_{name}", args=[version.pk]) for name in ("change", "delete")]
    answers = [client.post(place, {"question": "Changed", "welcome": "Changed", "post": "yes"}) for place in pages]
    assert {answer.status_code for answer in answers} == {403}
    return answers


def by_storing_it(client: Client, version: ProtocolVersion, changed: Changed, room: Path) -> object:
    with pytest.raises(VersionTaken):
        store_bundle(changed, publish=True, now=NOW)
    return None


def by_replacing_a_draft(client: Client, version: ProtocolVersion, changed: Changed, room: Path) -> object:
    with pytest.raises(NotDraft):
        replace_draft(version, changed, made_from=bundle_hash(dump_bundle(version)), now=NOW)
    return None


def by_the_service_that_publishes(client: Client, version: ProtocolVersion, changed: Changed, room: Path) -> object:
    return publish_version(version, now=timezone.now())


def by_a_shell(client: Client, version: ProtocolVersion, changed: Changed, room: Path) -> object:
    version.welcome = "Changed"
    with pytest.raises(IntegrityError, match="frozen"):
        version.save()
    return None


DOORS: list[Door] = [
    by_the_editor,
    by_the_import_page,
    by_the_import_command,
    by_publishing_again,
    by_a_draft_of_the_same_name,
    by_the_admin,
    by_storing_it,
    by_replacing_a_draft,
    by_the_service_that_publishes,
    by_a_shell,
]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
@pytest.mark.parametrize("is_retired", [False, True], ids=["published", "retired"])
def test_no_door_changes_a_frozen_version(small, tmp_path: Path, door: Door, is_retired: bool):
    version = store_bundle(small, publish=True, now=NOW)[0]
    if is_retired:
        ProtocolVersion.objects.filter(pk=version.pk).update(status=ProtocolVersion.Status.RETIRED)
        version.refresh_from_db()
    before = (dump_bundle(version), version.sha256, version.status, version.published_at)
    client = Client()
    client.force_login(User.objects.create_superuser("root"))

    door(client, version, small | {"welcome": "Changed"}, tmp_path)

    stored = ProtocolVersion.objects.get(pk=version.pk)
    assert (dump_bundle(stored), stored.sha256, stored.status, stored.published_at) == before
    assert bundle_hash(dump_bundle(stored)) == stored.sha256
    assert ProtocolVersion.objects.filter(protocol=stored.protocol).count() == 1
