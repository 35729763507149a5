import hashlib
import json
import re
import subprocess
import sys
from datetime import timedelta
from io import StringIO

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from jsonschema import Draft202012Validator

from protocols.bundles import bundle_hash, canonical_json, complete_bundle, load_bundle
from protocols.management.commands._examples import example_for, right_value
from protocols.models import Protocol, ProtocolVersion
from protocols.schema import SCHEMA, BundleError
from protocols.selectors import BUILTIN, builtin_bundles, find_version
from protocols.services import new_draft, store_bundle
from tests.protocols.conftest import NOW


def run(*args, **options):
    out = StringIO()
    call_command(*args, stdout=out, **options)
    return out.getvalue()


@pytest.fixture
def bundle_file(tmp_path, small):
    def write(**changes):
        path = tmp_path / "small.yaml"
        path.write_text(json.dumps(small | changes), encoding="utf-8")
        return path

    return write


def test_load_protocols_publishes_all_that_ship_and_can_run_again(db):
    assert run("load_protocols").count("loaded") == len(builtin_bundles())
    before = list(ProtocolVersion.objects.values())
    assert {row["status"] for row in before} == {"published"}
    assert run("load_protocols").count("there already") == len(before)
    assert list(ProtocolVersion.objects.values()) == before


@pytest.fixture
def corrected(tmp_path, monkeypatch, small):
    """The one bundle that ships has other contents than the version that is stored under its name."""
    path = tmp_path / "small-1.0.yaml"
    path.write_text(json.dumps(small | {"summary": "What fits, told better."}), encoding="utf-8")
    monkeypatch.setattr("protocols.management.commands.load_protocols.builtin_bundles", lambda: [path])


def test_a_corrected_bundle_is_stored_beside_the_earlier_one_once(frozen, corrected):
    assert (
        run("load_protocols").strip() == "small 1.1: loaded (1.0 is stored with earlier contents, and stays as it is)"
    )
    before = list(ProtocolVersion.objects.order_by("pk").values())
    assert [(row["version"], row["status"]) for row in before] == [("1.0", "published"), ("1.1", "published")]
    assert before[0]["sha256"] == frozen.sha256
    assert "small 1.1: there already (1.0 is stored" in run("load_protocols")
    assert list(ProtocolVersion.objects.order_by("pk").values()) == before
    assert find_version("small").version == "1.1"


def test_a_corrected_bundle_takes_no_name_that_is_taken_and_publishes_no_draft(frozen, corrected):
    new_draft(frozen, version_name="1.1", now=NOW)
    assert run("load_protocols").startswith("small 1.2: loaded")
    assert ProtocolVersion.objects.get(version="1.1").status == "draft"


# --- protocol_check ----------------------------------------------------------------------------------
def test_protocol_check_accepts_a_valid_file():
    assert "he-protocol@1.0 is valid. sha256 " in run("protocol_check", BUILTIN / "he-protocol-1.0.yaml")


def test_protocol_check_warns_of_what_is_often_a_mistake(bundle_file):
    path = bundle_file()
    lines = run("protocol_check", path).splitlines()
    assert f"{path}: warning: guidelines: There are no full guidelines." in lines[1]
    assert "small@1.0 is valid" in lines[-1]


def test_protocol_check_names_every_fault_with_a_right_value(bundle_file):
    path = bundle_file(unit="word", words_min=0)
    with pytest.raises(CommandError) as caught:
        run("protocol_check", path)
    assert sorted(str(caught.value).splitlines()) == [
        f'{path}: unit: is "word" (expected one of: response, candidate_set, model, dialogue, comparison)'
        ' Example: unit: "response"',
        f"{path}: words_min: is 0 (expected at least 1) Example: words_min: 1",
    ]


def test_a_file_that_is_not_there_is_named_once():
    with pytest.raises(CommandError, match=r"^none\.yaml: cannot be read: No such file"):
        run("protocol_check", "none.yaml")


def test_a_bad_file_ends_the_command_with_status_1(bundle_file):
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "protocol_check", str(bundle_file(unit="word"))]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert "unit: is" in ended.stderr
    assert "Traceback" not in ended.stderr


# --- the right values ----------------------------------------------------------------------------------
def all_keys(schema, defs=SCHEMA["$defs"]):
    for part in (schema, *defs.values()):
        yield from part.get("properties", {}).items()


@pytest.mark.parametrize(("name", "part"), [pytest.param(*each, id=each[0]) for each in all_keys(SCHEMA)])
def test_the_right_value_shown_for_a_key_is_right(name, part):
    Draft202012Validator({**part, "$defs": SCHEMA["$defs"]}).validate(right_value(name, part))


@pytest.mark.parametrize(
    ("path", "expected", "example"),
    [
        ("criteria[0].qestion", "one of: key, question", 'question: "Is this response polite?"'),
        ("criteria[0].when[0].criterion", "one of: fit, style", 'criterion: "fit"'),
        ("criteria[2].unit", "dialogue", 'unit: "dialogue"'),
        ("criteria[2].options", "none", "options: []"),
        ("criteria[0].options", "at least 2", 'options: [{"key": "polite", "label": "Polite"}, {"key": "rude"'),
        ("notices[1]", "a text", '- "'),
        ("translations", "an ISO code", 'translations: {"it": {"name": "Cortesia"}}'),
        ("translations.it.criteria.fti", "one of: fit", 'fit: {"name": "Politeness"}'),
        ("translations.'zh-Hans'.criteria.fit.name", "a text", 'name: "Politeness"'),
        ("criteria[0].options[0].words_min", "at most 30", "words_min: 30"),
        ("line 3", "plain YAML", ""),
        ("document", "", ""),
        ("'\\ud800'", "one of: bundle", ""),
    ],
)
def test_the_right_value_fits_the_place_and_what_was_expected(path, expected, example):
    shown = example_for(BundleError(path, "is wrong", expected))
    assert shown.startswith(example)
    assert bool(shown) == bool(example)


# --- protocol_import -----------------------------------------------------------------------------------
def test_protocol_import_stores_a_draft_and_then_publishes_it(db, bundle_file, small):
    sha256 = bundle_hash(small)
    assert run("protocol_import", bundle_file()) == f"small@1.0 (draft) is stored. sha256 {sha256}\n"
    again = run("protocol_import", bundle_file(), publish=True)
    assert again == f"small@1.0 (published) is there already. sha256 {sha256}\n"
    assert run("protocol_import", bundle_file(), publish=True) == again


def test_a_dry_run_says_what_would_happen_and_changes_nothing(db, bundle_file):
    said = run("protocol_import", bundle_file(), publish=True, dry_run=True)
    assert said.startswith("small@1.0 (published) would be stored.")
    assert not Protocol.objects.exists()


def test_a_dry_run_publishes_no_draft_that_is_there(draft, bundle_file):
    assert "(published) is there already" in run("protocol_import", bundle_file(), publish=True, dry_run=True)
    assert ProtocolVersion.objects.get().status == "draft"


@pytest.mark.parametrize("dry_run", [True, False])
def test_protocol_import_refuses_other_contents_of_a_stored_version(frozen, bundle_file, dry_run):
    with pytest.raises(
        CommandError, match=r'version: small 1\.0 already exists with different contents .*such as "1\.1"\)$'
    ):
        run("protocol_import", bundle_file(welcome="Changed"), dry_run=dry_run)
    assert ProtocolVersion.objects.get().welcome == ""


# --- protocol_export -----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "args", [["small"], ["small@1.0"], ["small", "--version", "1.0"], ["small", "--format", "json"]]
)
def test_what_protocol_export_writes_can_be_imported(frozen, small, args):
    assert canonical_json(load_bundle(run("protocol_export", *args))) == canonical_json(small)


def test_an_exported_document_is_as_short_as_the_one_a_person_wrote(frozen, small):
    exported = load_bundle(run("protocol_export", "small"))
    assert exported == small
    assert list(exported) == list(small)


def test_the_canonical_json_is_what_the_hash_is_of(frozen, tmp_path):
    path = tmp_path / "small.json"
    assert run("protocol_export", "small", format="json", canonical=True, output=path) == ""
    assert hashlib.sha256(path.read_bytes()).hexdigest() == frozen.sha256


def test_canonical_yaml_is_refused(frozen):
    with pytest.raises(CommandError, match="goes with --format json"):
        run("protocol_export", "small", canonical=True)


def test_a_file_that_cannot_be_written_is_said_so(frozen, tmp_path):
    with pytest.raises(CommandError, match="cannot be written: No such file or directory"):
        run("protocol_export", "small", output=tmp_path / "none" / "small.yaml")


def test_a_draft_that_was_edited_into_nonsense_can_be_exported_to_mend_it(draft):
    draft.criteria.get().options.filter(key="no").update(asks="nothing")
    assert "dull" in run("protocol_export", "small@1.0")
    with pytest.raises(CommandError, match=r"small@1\.0: criteria\[0\]\.options\[1\]\.asks: "):
        run("protocol_export", "small@1.0", format="json", canonical=True)


def test_protocol_export_of_an_unknown_protocol_names_the_known_ones(frozen):
    with pytest.raises(CommandError, match=r"no protocol big. Known: small@1.0 \(published\)"):
        run("protocol_export", "big")


# --- protocol_diff -------------------------------------------------------------------------------------
def compared(*names):
    """(status, what was written)"""
    out = StringIO()
    try:
        call_command("protocol_diff", *map(str, names), stdout=out)
    except SystemExit as ended:
        return ended.code, out.getvalue()
    except CommandError as error:
        return error.returncode, str(error)
    return 0, out.getvalue()


def test_a_file_and_the_version_made_from_it_are_the_same(frozen, bundle_file):
    assert compared(bundle_file(), "small@1.0") == (0, "The same but for the names of protocol and version.\n")


def test_what_differs_is_listed_with_its_weight(frozen, bundle_file):
    status, text = compared("small@1.0", bundle_file(words_max=40, name="A small protocol", welcome="Hello"))
    assert status == 1
    assert text.splitlines() == [
        "~ name (changed, wording): [-Small-]{+A small+} protocol",
        "~ words_max (changed, semantic): 30 -> 40",
        "~ welcome (changed, wording): {+Hello+}",
        "3 differences. Answers may mean something else.",
    ]


@pytest.mark.parametrize("other", ["none.yaml", "none@1.0", "bad"])
def test_what_cannot_be_compared_gives_status_2(frozen, bundle_file, other):
    status, text = compared("small@1.0", bundle_file(unit="word") if other == "bad" else other)
    assert status == 2
    assert "unit: is" in text or "none" in text


# --- the pages about the format ------------------------------------------------------------------------
DOCS = settings.BASE_DIR / "docs"
GUIDE = (DOCS / "write-a-protocol.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```yaml\n(bundle: 1\n.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("text", EXAMPLES, ids=lambda text: text.splitlines()[1])
def test_every_complete_example_of_the_guide_is_valid(text):
    complete_bundle(load_bundle(text))


def test_the_examples_of_the_guide_use_every_kind_unit_order_and_way_to_ask():
    written = "".join(EXAMPLES)
    assert len(EXAMPLES) > 8
    for word in ("explanation_required", "free_text", "excluding", "multiple", "computed", "turns", "set_level"):
        assert re.search(rf"(kind|asks|role|order): {word}\b", written), word


def test_the_reference_in_the_tree_is_the_one_the_schema_gives():
    """./dev manage protocol_reference --output docs/bundle-reference.md makes it anew."""
    assert run("protocol_reference") == (DOCS / "bundle-reference.md").read_text(encoding="utf-8")


# --- find_version ------------------------------------------------------------------------------------
@pytest.fixture
def store(db, small):
    def stored(version, days=0, publish=True):
        return store_bundle(small | {"version": version}, publish=publish, now=NOW + timedelta(days=days))[0]

    return stored


def test_the_plain_version_is_taken_before_a_newer_one_with_a_suffix(store):
    plain = store("1.0")
    store("1.0-three-criteria", days=1)
    assert find_version("small") == plain


def test_the_highest_plain_version_is_taken_by_number(store):
    highest = store("1.10")
    store("1.9", days=1)
    assert find_version("small") == highest


def test_the_newest_is_taken_if_all_have_a_suffix(store):
    store("b-en")
    newest = store("a-en", days=1)
    assert find_version("small") == newest


def test_drafts_and_retired_versions_are_found_by_their_full_name_only(store):
    published = store("1.0")
    draft, retired = store("3.0", publish=False), store("2.0")
    ProtocolVersion.objects.filter(pk=retired.pk).update(status="retired")
    assert find_version("small") == published
    assert find_version("small@3.0") == draft
    assert find_version("small@2.0") == retired


@pytest.mark.parametrize("name", ["", "small", "small@", "small@1.0", "@1.0"])
def test_what_is_not_there_is_said_so(db, name):
    with pytest.raises(ProtocolVersion.DoesNotExist, match="load_protocols"):
        find_version(name)
