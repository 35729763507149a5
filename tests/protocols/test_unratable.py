"""A protocol that cannot be rated: every door says where and what to do, and nothing is stored."""

import copy
import html
import json
from collections.abc import Callable, Container, Iterable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from protocols.bundles import dump_bundle
from protocols.editing import editable, revision_of
from protocols.models import Protocol, ProtocolVersion
from protocols.schema import InvalidBundle, with_defaults
from protocols.services import _create_criteria, _remove_parts, publish_version, store_bundle
from tests.protocols.admin_page import parts, typed
from tests.protocols.conftest import NOW
from tests.protocols.pages import in_the_editor

Doc = dict[str, Any]
YES_NO: list[Doc] = [{"key": "yes", "label": "Yes"}, {"key": "no", "label": "No"}]


def criterion(key: str, **own: Any) -> Doc:
    return {"key": key, "name": key.title(), "question": f"Is it {key}?", "options": copy.deepcopy(YES_NO)} | own


def on(key: str, *options: str) -> list[Doc]:
    return [{"criterion": key, "options": list(options) or ["yes"]}]


def sound() -> Doc:
    criteria = [criterion("claim"), criterion("truth", when=on("claim")), criterion("source")]
    return {"bundle": 1, "protocol": "facts", "name": "Facts", "version": "0.1", "criteria": criteria}


# (changes of the first, second and third criterion, where, what is wrong, what to do)
FAULTS: dict[str, tuple[list[Doc], str, str, str]] = {
    "a condition on no criterion": (
        [{}, {"when": on("tone")}], "criteria[1].when[0].criterion",
        "tone, which is not a criterion", "one of: claim",
    ),
    "a condition on no option": (
        [{}, {"when": on("claim", "perhaps")}], "criteria[1].when[0].options[0]",
        "perhaps, which is not an option here", "one of: yes, no",
    ),
    "a circle": (
        [{"when": on("truth")}], "criteria[0].when[0].criterion",
        "truth, which does not come before this criterion", "an earlier single-choice criterion",
    ),
    "a condition on itself": (
        [{}, {"when": on("truth")}], "criteria[1].when[0].criterion",
        "truth, which does not come before this criterion", "one of: claim",
    ),
    "a condition on a later question": (
        [{}, {"when": on("source")}], "criteria[1].when[0].criterion",
        "source, which does not come before this criterion", "one of: claim",
    ),
    "a condition on a question about another unit": (
        [{"unit": "dialogue"}], "criteria[1].when[0].criterion",
        "claim, which is asked about another unit", "an earlier single-choice criterion with the same unit",
    ),
    "a condition on a question with several answers": (
        [{"kind": "multiple"}], "criteria[1].when[0].criterion",
        "claim, which may have several answers", "an earlier single-choice criterion",
    ),
    "a question without options": (
        [{}, {}, {"options": []}], "criteria[2].options", "has 0 entries", "at least 2",
    ),
    "a question with one option": (
        [{}, {}, {"options": YES_NO[:1]}], "criteria[2].options", "has 1 entries", "at least 2",
    ),
    "options with the same key": (
        [{}, {}, {"options": [YES_NO[0], {"key": "yes", "label": "No"}]}], "criteria[2].options[1].key",
        '"yes" is used twice', "a different one for each",
    ),
    "options with the same label": (
        [{}, {}, {"options": [YES_NO[0], {"key": "no", "label": "Yes"}]}], "criteria[2].options[1].label",
        '"Yes" is used twice', "a different one for each",
    ),
    "a scale without numbers": (
        [{}, {}, {"scale": "ordinal"}], "criteria[2].options[0].value",
        "is missing on an ordinal or interval scale", "a number",
    ),
    "nothing to ask": (
        [{"kind": "computed", "rules": [{"option": "yes"}]}] + [{"kind": "computed", "rules": [{"option": "no"}]}] * 2,
        "criteria", "only computed criteria, so annotators are asked nothing", "at least one of another kind",
    ),
    "a computed answer without rules": (
        [{}, {}, {"kind": "computed"}], "criteria[2].rules", "has 0 entries, but kind is computed", "at least 1",
    ),
    "a rule on no criterion": (
        [{}, {}, {"kind": "computed", "rules": [{"when": on("tone"), "option": "yes"}]}],
        "criteria[2].rules[0].when[0].criterion", "tone, which is not a criterion", "one of: claim, truth",
    ),
    "a rule that gives no option": (
        [{}, {}, {"kind": "computed", "rules": [{"option": "perhaps"}]}], "criteria[2].rules[0].option",
        "perhaps, which is not an option here", "one of: yes, no",
    ),
    "a dialogue computed from its responses": (
        [{}, {}, {"unit": "dialogue", "kind": "computed", "rules": [{"when": on("claim"), "option": "yes"}]}],
        "criteria[2].rules[0].when[0].criterion", "claim, which is asked about another unit", "an earlier",
    ),
    "turns of a response": (
        [{}, {}, {"kind": "turns", "options": []}], "criteria[2].unit",
        "response, which has no turns to mark", "dialogue",
    ),
    "turns with options": (
        [{}, {}, {"kind": "turns", "unit": "dialogue"}], "criteria[2].options", "this criterion marks turns", "none",
    ),
    "reasons that are missing": (
        [{}, {}, {"options": [YES_NO[0], YES_NO[1] | {"asks": "explanation_required"}]}],
        "criteria[2].options[1].explanations", "is empty, but asks is explanation_required", "at least 1",
    ),
    "a unit that nothing has": (
        [{}, {}, {"unit": "word"}], "criteria[2].unit", '"word"', "one of: response, candidate_set, model, dialogue",
    ),
}  # fmt: skip
# A list of choices of Django refuses these with a sentence of its own.
CHOSEN = {"a unit that nothing has": "Select a valid choice."}
# The database refuses these even from a shell, so that no draft can have them.
NEVER_STORED = {"options with the same key"}
MAIN = {"a condition on no criterion", "a question without options", "nothing to ask"}
SLOW = {"a new version in the admin", "the admin, to publish", "a draft of it in the admin"}


def broken(changes: list[Doc]) -> Doc:
    doc = sound()
    for own, change in zip(doc["criteria"], changes, strict=False):
        own.update(copy.deepcopy(change))
    return doc


def through(doors: Iterable[str], left_out: Container[str] = ()) -> list[tuple[str, str]]:
    """Every door with every fault; those that show a long page of the admin again, with three."""
    return [
        (door, name) for door in doors for name in FAULTS if name not in left_out and (door not in SLOW or name in MAIN)
    ]


@pytest.fixture
def client(db) -> Client:
    client = Client(raise_request_exception=True)
    client.force_login(User.objects.create_superuser("root"))
    return client


# --- doors to which a document is brought ------------------------------------------------------------------
Door = Callable[[Client, Doc, Path], str]


def by_a_command(name: str, **options: Any) -> Door:
    def door(client: Client, doc: Doc, room: Path) -> str:
        file = room / "facts.json"
        file.write_text(json.dumps(doc))
        with pytest.raises(CommandError) as refused:
            call_command(*name.split(), str(file), stdout=StringIO(), **options)
        return str(refused.value)

    return door


def by_the_import_page(action: str) -> Door:
    def door(client: Client, doc: Doc, room: Path) -> str:
        answer = client.post(reverse("protocol_import"), {"action": action, "text": json.dumps(doc)})
        assert answer.status_code == 422
        return html.unescape(answer.content.decode())

    return door


def by_the_service(client: Client, doc: Doc, room: Path) -> str:
    with pytest.raises(InvalidBundle) as refused:
        store_bundle(doc, publish=False, now=NOW)
    return str(refused.value)


def by_a_new_version_in_the_admin(client: Client, doc: Doc, room: Path) -> str:
    place = reverse("admin:protocols_protocolversion_add")
    names = {"name": doc["name"], "slug": doc["protocol"], "version": doc["version"]}
    return said_by_the_admin(client, place, typed(client.get(place)) | names | parts("criteria", as_in_a_form(doc)))


def as_in_a_form(doc: Doc) -> list[Doc]:
    """With what a form always sends."""
    always = {"scale": "nominal", "kind": "single", "required": "on"}
    criteria = [always | copy.deepcopy(each) for each in doc["criteria"]]
    for each in criteria:
        each["options"] = [{"role": "neutral", "asks": "nothing"} | option for option in each["options"]]
    return criteria


def said_by_the_admin(client: Client, place: str, data: Doc) -> str:
    answer = client.post(place, data)
    assert answer.status_code == 200, "a page that was stored leads elsewhere"
    return html.unescape(answer.content.decode())


BRINGING: dict[str, Door] = {
    "protocol_check": by_a_command("protocol_check"),
    "protocol_import": by_a_command("protocol_import"),
    "protocol_import --publish": by_a_command("protocol_import", publish=True),
    "protocol_import --dry-run": by_a_command("protocol_import", dry_run=True),
    "create_study": by_a_command("create_study facts --protocol"),
    "the import page, to check": by_the_import_page("check"),
    "the import page": by_the_import_page("draft"),
    "the import page, to publish": by_the_import_page("publish"),
    "the service": by_the_service,
    "a new version in the admin": by_a_new_version_in_the_admin,
}


@pytest.mark.parametrize(("door", "name"), through(BRINGING))
def test_nothing_is_stored_of_a_protocol_that_cannot_be_rated(client, tmp_path: Path, door: str, name: str):
    changes, *sentence = FAULTS[name]

    said = BRINGING[door](client, broken(changes), tmp_path)

    assert_said(said, name, sentence, names_place="admin" not in door)
    assert not Protocol.objects.exists()
    assert not ProtocolVersion.objects.exists()


def assert_said(said: str, name: str, sentence: list[str], *, names_place: bool) -> None:
    """A form has its sentences beside their fields and needs no path."""
    place, fault, remedy = sentence
    if not names_place and name in CHOSEN:
        assert CHOSEN[name] in said
        return
    # A form begins its sentences with a capital letter, and the editor calls units as its field does.
    assert any(each in said for each in (fault, fault.capitalize(), in_the_editor(fault)))
    assert remedy in said or in_the_editor(remedy) in said
    assert place in said or not names_place


# --- doors of a draft that stands ----------------------------------------------------------------------------
DraftDoor = Callable[[Client, ProtocolVersion, Doc], str]


def by_the_editor(action: str) -> DraftDoor:
    def door(client: Client, draft: ProtocolVersion, doc: Doc) -> str:
        body = {"action": action, "document": doc, "revision": revision_of(editable(draft))}
        place = reverse("protocol_edit", args=[draft.protocol.slug, draft.version])
        answer = client.post(place, json.dumps(body), content_type="application/json")
        assert answer.json()["saved"] is False
        return "\n".join("{path} {message} {expected}".format(**each) for each in answer.json()["errors"])

    return door


def by_the_page_of_the_admin(*more: str) -> DraftDoor:
    def door(client: Client, draft: ProtocolVersion, doc: Doc) -> str:
        place = reverse("admin:protocols_protocolversion_change", args=[draft.pk])
        as_it_stands = typed(client.get(place))
        data = {name: value for name, value in as_it_stands.items() if not name.startswith("criteria-")}
        changed = parts("criteria", as_in_a_form(doc)) | dict.fromkeys(more, "on")
        return said_by_the_admin(client, place, data | changed)

    return door


CHANGING: dict[str, DraftDoor] = {
    "the editor": by_the_editor("save"),
    "the editor's check": by_the_editor("check"),
    "the admin": by_the_page_of_the_admin(),
    "the admin, to publish": by_the_page_of_the_admin("_publish", "is_sure"),
}


@pytest.mark.parametrize(("door", "name"), through(CHANGING))
def test_a_draft_stays_as_it_was_when_it_could_no_longer_be_rated(client, door: str, name: str):
    draft = store_bundle(sound(), publish=False, now=NOW)[0]
    before = dump_bundle(draft)
    changes, *sentence = FAULTS[name]

    said = CHANGING[door](client, draft, broken(changes))

    assert_said(said, name, sentence, names_place="admin" not in door)
    stored = ProtocolVersion.objects.get()
    assert (stored.status, dump_bundle(stored)) == ("draft", before)


# --- doors of a draft that has the fault already, as a shell can leave it ---------------------------------------
def planted(doc: Doc) -> ProtocolVersion:
    draft = store_bundle(sound(), publish=False, now=NOW)[0]
    _remove_parts(draft)
    _create_criteria(draft, with_defaults(doc))
    return draft


def by_the_service_that_publishes(client: Client, draft: ProtocolVersion) -> str:
    with pytest.raises(InvalidBundle) as refused:
        publish_version(draft, now=NOW)
    return str(refused.value)


def by_the_page(name: str, **data: str) -> Callable[[Client, ProtocolVersion], str]:
    def door(client: Client, draft: ProtocolVersion) -> str:
        revision = {"revision": revision_of(editable(draft))}
        answer = client.post(reverse(name, args=[draft.protocol.slug, draft.version]), data | revision)
        assert answer.status_code == 422
        return html.unescape(answer.content.decode())

    return door


def by_a_copy(client: Client, draft: ProtocolVersion) -> str:
    data = {"origin": draft.pk, "name": "Copy", "slug": "copy", "version_name": "0.1"}
    answer = client.post(f"{reverse('protocol_new')}?copy=facts@0.1", data)
    assert answer.status_code == 422
    return html.unescape(answer.content.decode())


def by_the_action_of_the_admin(client: Client, draft: ProtocolVersion) -> str:
    data = {"action": "publish", "_selected_action": [draft.pk]}
    answer = client.post(reverse("admin:protocols_protocolversion_changelist"), data, follow=True)
    return html.unescape(answer.content.decode())


def by_a_draft_of_it_in_the_admin(client: Client, draft: ProtocolVersion) -> str:
    answer = client.post(reverse("admin:protocols_protocolversion_draft", args=[draft.pk]), follow=True)
    return html.unescape(answer.content.decode())


PUBLISHING: dict[str, Callable[[Client, ProtocolVersion], str]] = {
    "the service": by_the_service_that_publishes,
    "the page": by_the_page("protocol_publish", is_sure="on"),
    "a draft of it": by_the_page("protocol_draft", version_name="0.2"),
    "a copy of it": by_a_copy,
    "the action of the admin": by_the_action_of_the_admin,
    "a draft of it in the admin": by_a_draft_of_it_in_the_admin,
}


@pytest.mark.parametrize(("door", "name"), through(PUBLISHING, NEVER_STORED))
def test_a_draft_that_cannot_be_rated_is_not_published_or_copied(client, door: str, name: str):
    changes, *sentence = FAULTS[name]
    draft = planted(broken(changes))

    said = PUBLISHING[door](client, draft)

    assert_said(said, name, sentence, names_place=True)
    assert [(each.version, each.status) for each in ProtocolVersion.objects.all()] == [("0.1", "draft")]


def test_the_command_and_the_editor_say_the_same(client, tmp_path: Path):
    """Of faults, and of what is allowed and often a mistake."""
    draft = store_bundle(sound(), publish=False, now=NOW)[0]
    place = reverse("protocol_edit", args=["facts", "0.1"])
    file = tmp_path / "facts.json"
    for doc in [sound(), *(broken(changes) for changes, *_sentence in FAULTS.values())]:
        file.write_text(json.dumps(doc))
        body = {"action": "check", "document": doc, "revision": revision_of(editable(draft))}
        found = client.post(place, json.dumps(body), content_type="application/json").json()
        out = StringIO()
        try:
            call_command("protocol_check", str(file), stdout=out)
            told = [line.removeprefix(f"{file}: warning: ") for line in out.getvalue().splitlines()[:-1]]
            wanted = ["{path}: {message} {expected}".format(**each) for each in found["warnings"]]
            assert (found["errors"], len(wanted) > 1) == ([], True)
        except CommandError as refused:
            told = [line.removeprefix(f"{file}: ").partition(" Example: ")[0] for line in str(refused).splitlines()]
            wanted = ["{path}: {message} (expected {expected})".format(**each) for each in found["errors"]]
        assert [
            each for each, other in zip(told, wanted, strict=True) if other not in (each, in_the_editor(each))
        ] == []


# --- doors of the admin beside the page of a version -----------------------------------------------------------
def test_a_protocol_keeps_a_key_and_a_name_that_a_version_can_be_published_with(client):
    protocol = store_bundle(sound(), publish=False, now=NOW)[0].protocol

    place = reverse("admin:protocols_protocol_change", args=[protocol.pk])
    said = said_by_the_admin(client, place, {"slug": "Big_Facts", "name": "Fa\u2028cts"})

    assert "Expected: lowercase letters, digits, - and _." in said
    assert "Has the unprintable character U+2028" in said
    assert Protocol.objects.get().name == "Facts"


def test_who_may_not_change_the_parts_changes_no_version(client):
    draft = store_bundle(sound(), publish=False, now=NOW)[0]
    lean = User.objects.create_user("lean", is_staff=True)
    lean.user_permissions.set(Permission.objects.filter(codename__endswith="_protocolversion"))
    client.force_login(lean)
    place = reverse("admin:protocols_protocolversion_change", args=[draft.pk])

    assert client.get(place).status_code == 200
    assert client.post(place, {"language": "xx"}).status_code == 403
    assert client.get(reverse("admin:protocols_protocolversion_add")).status_code == 403
