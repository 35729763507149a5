"""Bundles that build on another file."""

import json

import pytest

from protocols.bundles import InvalidBundle, check_bundle, complete_bundle, load_bundle
from tests.protocols.test_bundle_errors import criterion


@pytest.fixture
def folder(tmp_path, small):
    criterion(small)["examples"] = []
    small["criteria"].append(criterion(small) | {"key": "style", "name": "Style"})
    (tmp_path / "base.yaml").write_text(json.dumps(small), encoding="utf-8")

    def write(name, **keys):
        (tmp_path / name).write_text(json.dumps(keys), encoding="utf-8")
        return tmp_path / name

    return write


def test_a_bundle_can_extend_another_and_leave_criteria_out(folder):
    doc = load_bundle(folder("child.yaml", extends="base.yaml", without=["fit"], version="2.0", welcome="Hello"))
    assert check_bundle(doc) == []
    assert [each["key"] for each in doc["criteria"]] == ["style"]
    assert (doc["version"], doc["welcome"], doc["name"]) == ("2.0", "Hello", "Small protocol")


def test_the_translations_of_both_files_are_merged_without_what_is_left_out(folder):
    texts = {"welcome": "Ciao", "name": "Piccolo", "criteria": {key: {"name": "Va"} for key in ("fit", "style")}}
    folder("middle.yaml", extends="base.yaml", translations={"it": texts, "zh": {"name": "Xiao"}})
    own = {"it": {"welcome": "Salve"}}
    doc = load_bundle(folder("child.yaml", extends="middle.yaml", without=["fit"], version="2.0", translations=own))
    assert check_bundle(doc) == []
    merged = {"welcome": "Salve", "name": "Piccolo", "criteria": {"style": {"name": "Va"}}}
    assert doc["translations"] == {"it": merged, "zh": {"name": "Xiao"}}


def test_the_scales_of_both_files_are_merged(folder, small):
    options = {name: [{"key": name, "label": name}, {"key": "no", "label": "No"}] for name in ("old", "kept", "new")}
    named = [{"key": name, "name": name, "question": "?", "options": name} for name in ("old", "kept")]
    folder("middle.yaml", extends="base.yaml", criteria=named, scales={"old": options["old"], "kept": options["kept"]})
    doc = load_bundle(folder("child.yaml", extends="middle.yaml", version="2.0", scales={"old": options["new"]}))
    assert [each["options"][0]["label"] for each in complete_bundle(doc)["criteria"]] == ["new", "kept"]


def test_a_bundle_can_extend_one_that_extends(folder):
    folder("child.yaml", extends="base.yaml", without=["fit"], version="2.0")
    doc = load_bundle(folder("grandchild.yaml", extends="child.yaml", version="3.0"))
    assert (doc["version"], len(doc["criteria"])) == ("3.0", 1)


def test_extending_in_a_circle_is_refused(folder):
    folder("b.yaml", extends="a.yaml")
    with pytest.raises(InvalidBundle, match=r"is circular: a.yaml -> b.yaml -> a.yaml"):
        load_bundle(folder("a.yaml", extends="b.yaml"))


def test_extending_itself_is_refused(folder):
    with pytest.raises(InvalidBundle, match=r"is circular: a.yaml -> a.yaml"):
        load_bundle(folder("a.yaml", extends="a.yaml"))


@pytest.mark.parametrize(
    "name", ["../base.yaml", "/etc/passwd", "sub/base.yaml", "..", ".", "", "a\x00b", 7, ["base.yaml"]]
)
def test_only_a_file_of_the_same_folder_can_be_extended(folder, name):
    with pytest.raises(InvalidBundle, match="extends: is not a file name"):
        load_bundle(folder("child.yaml", extends=name))


def test_leaving_out_a_criterion_that_is_not_there_is_refused(folder):
    with pytest.raises(InvalidBundle, match=r"without: has no such criterion: 'fti' \(expected one of: fit, style\)"):
        load_bundle(folder("child.yaml", extends="base.yaml", without=["fti"]))


def test_leaving_out_needs_something_to_extend(folder):
    with pytest.raises(InvalidBundle, match="without: has nothing to remove criteria from"):
        load_bundle(folder("child.yaml", without=["fit"]))
