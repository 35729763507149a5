"""Each shipped bundle has a table that compares it with its source, with a row for every part an annotator goes by."""

import re

import pytest

from protocols.bundles import bundle_hash, complete_bundle, load_bundle
from protocols.selectors import BUILTIN, builtin_bundles

DOCS = BUILTIN.parents[1] / "docs" / "protocols"
every_bundle = pytest.mark.parametrize("path", builtin_bundles(), ids=lambda path: path.stem)
every_protocol = pytest.mark.parametrize("slug", sorted({load_bundle(path)["protocol"] for path in builtin_bundles()}))


def page_of(slug):
    return (DOCS / f"{slug}-compared.md").read_text(encoding="utf-8")


def rows_of(page, name=None):
    """The cells of each row about a part of a bundle, of the sections whose heading names the version or language.

    A heading without a name speaks of all of them, as does the call without one.
    """
    found = []
    for section in page.split("\n## ")[1:]:
        heading, *lines = section.splitlines()
        named = re.findall(r"`([^`]+)`", heading)
        if not named or name is None or name in named:
            found += [line.strip("| ").split(" | ") for line in lines if line.startswith("| `")]
    return found


def parts_of_option(key, option):
    conditions, cell = option.get("conditions", []), f"`{key}` `{option['label']}`"
    yield from (f"{cell}, condition {at + 1}" for at in range(len(conditions))) if len(conditions) > 1 else [cell]
    yield from (f"{cell}, reason `{each['key']}`" for each in option.get("explanations", []))


def parts_of_example(key, example):
    cell = f'`{key}`, example "{example["title"]}"'
    candidates = example.get("candidates", [])
    yield from (f"{cell}, response {at + 1}" for at in range(len(candidates))) if candidates else [cell]


def parts_of(doc):
    for criterion in doc["criteria"]:
        key = criterion["key"]
        yield from (f"`{key}`, question", f"`{key}`, definition")
        for option in criterion.get("options", []):
            yield from parts_of_option(key, option)
        for example in criterion.get("examples", []):
            yield from parts_of_example(key, example)


def in_language(doc, code):
    """The criteria with the labels, reasons and examples of a translation."""
    translated = []
    for criterion in doc["criteria"]:
        said = doc["translations"][code]["criteria"][criterion["key"]]
        options = [{**option, **said["options"][option["key"]]} for option in criterion["options"]]
        for option in options:
            option["explanations"] = [{"key": key} for key in option["explanations"]]
        translated.append({**criterion, "options": options, "examples": said["examples"]})
    return {**doc, "criteria": translated}


def all_parts(doc):
    """The parts of a version and of each of its translations, by the name that a heading gives them."""
    languages = {code: in_language(doc, code) for code in doc["translations"]}
    return {name: set(parts_of(each)) for name, each in {doc["version"]: doc, **languages}.items()}


@every_bundle
def test_every_question_definition_answer_reason_and_example_has_a_row(path):
    doc = complete_bundle(load_bundle(path))
    page = page_of(doc["protocol"])
    for name, parts in all_parts(doc).items():
        assert sorted(parts - {cells[0] for cells in rows_of(page, name)}) == []


@every_protocol
def test_no_row_is_about_something_that_no_bundle_has(slug):
    docs = [complete_bundle(load_bundle(path)) for path in builtin_bundles()]
    known = set().union(*(part for doc in docs if doc["protocol"] == slug for part in all_parts(doc).values()))
    assert [cells[0] for cells in rows_of(page_of(slug)) if cells[0] not in known] == []


@every_protocol
def test_every_row_has_both_sides_and_says_whether_they_mean_the_same(slug):
    for cells in rows_of(page_of(slug)):
        assert len(cells) == 4
        assert all(cells)
        assert re.match(r"(yes|ours alone)\b", cells[3])


@every_protocol
def test_what_the_source_says_nothing_about_is_not_said_to_mean_the_same(slug):
    rows = [line.strip("| ").split(" | ") for line in page_of(slug).splitlines() if line.startswith("| ")]
    compared = [cells for cells in rows if len(cells) == 4]
    is_silent = [cells[1].startswith("nothing is said about it") for cells in compared]
    assert [cells[3] == "ours alone" for cells in compared] == is_silent


@every_bundle
def test_the_bundle_is_the_one_that_was_compared(path):
    """Whoever changes a word of it compares the part again, and writes the new hash on the page."""
    doc = load_bundle(path)
    assert f"| `{doc['version']}` | `{bundle_hash(doc)}` |" in page_of(doc["protocol"])


@every_protocol
def test_the_page_of_the_protocol_leads_to_its_table(slug):
    assert f"({slug}-compared.md)" in (DOCS / f"{slug}.md").read_text(encoding="utf-8")
