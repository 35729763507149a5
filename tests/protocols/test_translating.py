"""A version in its languages. The words change and nothing else, and what is missing says so."""

from dataclasses import fields, is_dataclass

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from protocols.bundles import complete_bundle
from protocols.models import ProtocolVersion
from protocols.services import store_bundle
from protocols.specs import spec_of, spec_of_document
from protocols.templatetags.wording import definition, language_of, wording
from protocols.translating import Untranslated, languages_of, spec_in, texts_in, texts_of_document, translated

ITALIAN = {
    "welcome": "Benvenuti.",
    "notices": ["Tutto in minuscolo."],
    "criteria": {
        "clear": {
            "name": "Chiarezza",
            "question": "È chiaro?",
            "options": {
                "yes": {"label": "Sì", "conditions": ["Si legge bene."]},
                "no": {"label": "No.", "explanations": {"odd": "Suona strano."}},
            },
        }
    },
}
DOCUMENT = {
    "bundle": 1,
    "protocol": "clear",
    "name": "Clarity",
    "version": "1.0",
    "welcome": "Welcome.",
    "changes": "Shorter.",
    "notices": ["All in small letters."],
    "guidelines": "# Read",
    "criteria": [
        {
            "key": "clear",
            "name": "Clearness",
            "question": "Is it clear?",
            "definition": "To a stranger.",
            "options": [
                {"key": "yes", "label": "Yes", "role": "positive", "conditions": ["It reads well."]},
                {
                    "key": "no",
                    "label": "No",
                    "asks": "explanation",
                    "explanations": [
                        {"key": "odd", "text": "Sounds odd.", "sub_dimension": "Oddness"},
                        {"key": "long", "text": "Too long.", "sub_dimension": "Length"},
                    ],
                },
            ],
        },
        {
            "key": "kind",
            "name": "Kindness",
            "question": "Is it kind?",
            "options": [{"key": "a", "label": "A"}, {"key": "b", "label": "B"}],
        },
    ],
    "translations": {"it": ITALIAN, "zh-Hans": {}},
}


@pytest.fixture
def version(db) -> ProtocolVersion:
    return store_bundle(complete_bundle(DOCUMENT), publish=True, now=timezone.now())[0]


def test_a_version_names_its_languages_the_main_one_first(version: ProtocolVersion):
    assert languages_of(version) == ("en", "it", "zh-Hans")


def test_every_text_that_is_translated_is_shown_in_the_language(version: ProtocolVersion):
    clear = spec_in(version, "it").by_key["clear"]
    assert (clear.name, clear.question) == ("Chiarezza", "È chiaro?")
    yes, no = clear.options
    assert (yes.label, yes.conditions) == ("Sì", ("Si legge bene.",))
    assert [each.text for each in no.explanations] == ["Suona strano.", "Too long."]
    texts = texts_in(version, "it")
    assert (texts.language, texts.welcome, texts.notices) == ("it", "Benvenuti.", ("Tutto in minuscolo.",))


def test_a_text_that_is_missing_is_the_main_languages_and_says_so(version: ProtocolVersion):
    clear, kind = spec_in(version, "it").criteria
    missing = [clear.definition, clear.options[1].explanations[1].text, kind.name, kind.options[0].label]
    missing += [texts_in(version, "it").changes, texts_in(version, "it").guidelines]
    assert missing == ["To a stranger.", "Too long.", "Kindness", "A", "Shorter.", "# Read"]
    assert [language_of(each) for each in missing] == ["en"] * 6
    assert language_of(clear.name) == language_of(texts_in(version, "it").welcome) == ""


def test_a_text_that_the_document_lacks_is_not_missing(version: ProtocolVersion):
    assert not isinstance(texts_in(version, "it").guidelines_short, Untranslated)


@pytest.mark.parametrize("language", ["", "en", "fr"])
def test_the_main_language_and_one_that_the_version_lacks_give_the_document_itself(
    version: ProtocolVersion, language: str
):
    assert spec_in(version, language) is spec_of(version)
    texts = texts_in(version, language)
    assert (texts.language, texts.changes, language_of(texts.changes)) == ("en", "Shorter.", "")


def test_a_draft_is_read_anew_each_time(db):
    draft = store_bundle(complete_bundle(DOCUMENT), publish=False, now=timezone.now())[0]
    assert spec_in(draft, "it").by_key["clear"].name == "Chiarezza"
    draft.translations["it"]["criteria"]["clear"]["name"] = "Limpidezza"
    draft.save()
    assert spec_in(draft, "it").by_key["clear"].name == "Limpidezza"


LEFT_OUT = {"by_id", "by_key", "name", "short", "question", "definition", "label", "conditions", "text"}


@given(st.lists(st.sampled_from(["name", "question", "options"]), unique=True))
def test_a_translation_changes_words_alone(left: list[str]):
    """Codes, ids, values and rules are what answers are stored by."""
    spec = spec_of_document(complete_bundle(DOCUMENT))
    parts = {"criteria": {"clear": {name: ITALIAN["criteria"]["clear"][name] for name in left}}}
    assert bare(translated(spec, parts, "en")) == bare(spec)


def bare(value: object) -> object:
    if is_dataclass(value):
        return {each.name: bare(getattr(value, each.name)) for each in fields(value) if each.name not in LEFT_OUT}
    return [bare(each) for each in value] if isinstance(value, tuple) else value


def test_the_texts_of_a_document_that_is_not_stored_are_translated_too():
    assert texts_of_document(complete_bundle(DOCUMENT), "it").welcome == "Benvenuti."


# --- on a page ---------------------------------------------------------------------------------------
def test_a_missing_text_stands_on_the_page_with_its_language_and_escaped():
    html = wording(Untranslated("<b>Kind?</b>", "en"))
    assert 'class="untranslated" lang="en"' in html
    assert "&lt;b&gt;Kind?&lt;/b&gt;" in html
    assert wording("<i>") == "&lt;i&gt;"


def test_a_definition_may_hold_a_table_whose_cells_have_line_breaks():
    html = definition("| Score | When |\n|---|---|\n| 1 | Never.<br />Not once.<script>alert(1)</script> |")
    assert "<td>Never.<br>Not once.</td>" in html
    assert "script" not in html


def test_a_definition_without_a_table_keeps_its_characters():
    assert definition("*not* emphasis | nor -- a table\n- a < b") == "*not* emphasis | nor -- a table\n- a &lt; b"
