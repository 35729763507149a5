import json
import subprocess
import sys
from datetime import timedelta
from io import StringIO

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from protocols.bundles import canonical_json, load_bundle
from protocols.models import ProtocolVersion
from protocols.selectors import BUILTIN, builtin_bundles, find_version
from protocols.services import store_bundle
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
    assert run("load_protocols").count("loaded") == len(builtin_bundles()) == 3
    before = list(ProtocolVersion.objects.values())
    assert {row["status"] for row in before} == {"published"}
    assert run("load_protocols").count("there already") == 3
    assert list(ProtocolVersion.objects.values()) == before


def test_protocol_check_accepts_a_valid_file():
    assert "he-protocol 1.0 is valid. sha256 " in run("protocol_check", BUILTIN / "he-protocol-1.0.yaml")


def test_protocol_check_names_every_fault(bundle_file):
    with pytest.raises(CommandError) as caught:
        run("protocol_check", bundle_file(unit="word", words_min=0))
    lines = str(caught.value).splitlines()
    assert lines[0] == "small.yaml has 2 errors."
    assert "words_min: is 0 (expected at least 1)" in lines
    assert 'unit: is "word" (expected one of: response, candidate_set, model, dialogue)' in lines


def test_a_bad_file_ends_the_command_with_status_1(bundle_file):
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "protocol_check", str(bundle_file(unit="word"))]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert "unit: is" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_protocol_import_stores_a_draft_and_then_publishes_it(db, bundle_file):
    assert "small 1.0 (draft) is stored." in run("protocol_import", bundle_file())
    assert "small 1.0 (published) is there already." in run("protocol_import", bundle_file(), publish=True)


def test_protocol_import_refuses_other_contents_of_a_stored_version(frozen, bundle_file):
    with pytest.raises(CommandError, match=r"version: small 1\.0 is stored with other contents"):
        run("protocol_import", bundle_file(welcome="Changed"))


@pytest.mark.parametrize("args", [["small"], ["small@1.0"], ["small", "--version", "1.0"]])
def test_what_protocol_export_writes_can_be_imported(frozen, small, args):
    assert canonical_json(load_bundle(run("protocol_export", *args))) == canonical_json(small)


def test_protocol_export_of_an_unknown_protocol_names_the_known_ones(frozen):
    with pytest.raises(CommandError, match=r"no protocol big. Known: small@1.0 \(published\)"):
        run("protocol_export", "big")


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
