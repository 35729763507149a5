"""The protocols that ship are complete, say what they are meant to say, and hide what annotators must not see."""

import json
import re

import pytest

from protocols.bundles import bundle_hash, check_bundle, complete_bundle, load_bundle
from protocols.linting import untranslated
from protocols.selectors import BUILTIN, builtin_bundles
from protocols.services import store_bundle
from tests.protocols.conftest import NOW, visible_texts

DOCS = BUILTIN.parents[1] / "docs" / "protocols"

UNSURE = ("unsure", "I don't know", "unsure", "free_text", {})
HE_OPTIONS = {
    "appropriateness": [
        ("appropriate", "Appropriate", "positive", "explanation", {"coherent": "Coherence"}),
        ("not_appropriate", "Not Appropriate", "negative", "explanation", {"incoherent": "Incoherence"}),
        UNSURE,
    ],
    "contextualization": [
        ("contextualized", "Contextualized", "positive", "nothing", {}),
        (
            "not_contextualized",
            "Not Contextualized",
            "negative",
            "explanation",
            {"generic": "Genericness", "hallucination": "Hallucination"},
        ),
        UNSURE,
    ],
    "listening": [
        ("listening", "Listening", "positive", "nothing", {}),
        ("not_listening", "Not Listening", "negative", "nothing", {}),
        ("unsure", "I don't know", "unsure", "nothing", {}),
    ],
    "correctness": [
        ("correct", "Correct", "positive", "nothing", {}),
        (
            "not_correct",
            "Not Correct",
            "negative",
            "explanation",
            {"grammar": "Grammaticality", "repetition": "Repetition"},
        ),
        UNSURE,
    ],
}

# Their scales leave points without a definition: the middle ones, or all, whose labels say it.
UNDEFINED = ("persona-quality", "abc-eval", "dialogue-questionnaire")


def options_of(doc):
    return {
        criterion["key"]: [
            (
                option["key"],
                option["label"],
                option["role"],
                option.get("asks", "nothing"),
                {each["key"]: each["sub_dimension"] for each in option.get("explanations", [])},
            )
            for option in criterion["options"]
        ]
        for criterion in doc["criteria"]
    }


@pytest.fixture(scope="module")
def three():
    return load_bundle(BUILTIN / "he-protocol-1.0-three-criteria.yaml")


every_bundle = pytest.mark.parametrize("path", builtin_bundles(), ids=lambda path: path.stem)


@every_bundle
def test_a_shipped_bundle_is_valid_and_explained(path):
    doc = load_bundle(path)
    assert check_bundle(doc) == []
    assert path.stem == f"{doc['protocol']}-{doc['version']}"
    assert all(doc[text] for text in ("welcome", "guidelines", "guidelines_short", "summary", "citation"))
    assert "Parley" in doc["citation"]
    for criterion in doc["criteria"]:
        assert criterion["definition"]
        if doc["protocol"] not in UNDEFINED:
            assert all(option["definition"] for option in criterion.get("options", []))


@every_bundle
def test_every_translation_that_ships_is_complete(path):
    doc = complete_bundle(load_bundle(path))
    assert {code: untranslated(doc, code)[0] for code in doc["translations"]} == dict.fromkeys(doc["translations"], 0)


@every_bundle
def test_every_question_of_options_has_worked_examples(path):
    for criterion in load_bundle(path)["criteria"]:
        examples = criterion.get("examples", [])
        # An example is evaluated by an option: turns that are marked and answers that are computed have none to show.
        assert bool(examples) == (criterion.get("kind", "single") in ("single", "multiple")), criterion["key"]
        longest = 6 if criterion.get("unit") == "model" else 4  # a model is judged by several dialogues
        assert all(len(example["history"]) <= longest for example in examples)
        if criterion.get("kind", "single") == "multiple":
            said = [one for example in examples for one in example.get("candidates") or [example]]
            shown = {one["option"] for one in said if "option" in one}
            assert shown == {option["key"] for option in criterion["options"]} - {"none"}


@pytest.mark.parametrize("name", ["he-protocol-1.0", "he-protocol-1.0-three-criteria", "three-point-coherence-1.0"])
def test_examples_of_responses_have_a_history_and_several_candidates_with_their_reasons(name):
    for criterion in load_bundle(BUILTIN / f"{name}.yaml")["criteria"]:
        for example in criterion["examples"]:
            assert 2 <= len(example["history"]) <= 4
            assert 3 <= len(example["candidates"]) <= 7
            assert all(candidate["why"] for candidate in example["candidates"])


# --- C, D: he-protocol -----------------------------------------------------------------------------
def test_the_he_protocol_has_its_criteria_options_roles_and_explanation_rules(he_bundle):
    assert list(options_of(he_bundle)) == list(HE_OPTIONS)
    assert options_of(he_bundle) == HE_OPTIONS
    names = [criterion["name"] for criterion in he_bundle["criteria"]]
    assert names == ["Appropriateness", "Contextualization", "Listening", "Correctness"]


def test_the_he_protocol_is_turn_level_absolute_static_with_its_times_and_word_range(he_bundle):
    wanted = {
        "unit": "response",
        "granularity": "turn",
        "mode": "absolute",
        "interaction": "static",
        "order": "criterion_first",
        "expected_minutes": 35,
        "max_minutes": 90,
        "words_min": 3,
        "words_max": 30,
    }
    assert {key: he_bundle[key] for key in wanted} == wanted
    assert any("lower case" in notice for notice in he_bundle["notices"])


def test_the_three_criteria_variant_is_the_he_protocol_without_listening(three):
    assert three["version"] == "1.0-three-criteria"
    assert options_of(three) == {key: value for key, value in HE_OPTIONS.items() if key != "listening"}
    assert "listen" not in json.dumps(three).lower()


# --- three-point-coherence -------------------------------------------------------------------------
def test_three_point_coherence_is_one_ordinal_question_that_asks_nothing():
    doc = load_bundle(BUILTIN / "three-point-coherence-1.0.yaml")
    (criterion,) = doc["criteria"]
    assert (doc["order"], criterion["key"], criterion["scale"]) == ("item_first", "coherence", "ordinal")
    values = {option["value"]: option["label"] for option in criterion["options"]}
    assert values == {1: "Not coherent", 2: "Not sure it fits", 3: "Coherent"}
    assert all(option.get("asks", "nothing") == "nothing" for option in criterion["options"])
    assert "Cervone" in doc["citation"]


# --- acute-eval ------------------------------------------------------------------------------------
def test_acute_eval_of_whole_dialogues_asks_the_same_questions():
    one, whole = (load_bundle(BUILTIN / f"acute-eval-{version}.yaml") for version in ("1.0", "1.0-dialogues"))
    assert (whole["criteria"], whole["unit"], whole["item_title"]) == (one["criteria"], "comparison", "Speaker")
    assert (one["granularity"], whole["granularity"]) == ("turn", "dialogue")


def test_acute_eval_compares_two_speakers_with_four_forced_choices():
    doc = load_bundle(BUILTIN / "acute-eval-1.0.yaml")
    labels = {each["key"]: [(o["label"], o["role"]) for o in each["options"]] for each in doc["criteria"]}
    assert (doc["unit"], doc["mode"]) == ("comparison", "comparative")
    assert labels == {
        "engagingness": [
            ("I would prefer to talk to Speaker 1", "left"),
            ("I would prefer to talk to Speaker 2", "right"),
        ],
        "interestingness": [("Speaker 1 is more interesting", "left"), ("Speaker 2 is more interesting", "right")],
        "humanness": [("Speaker 1 sounds more human", "left"), ("Speaker 2 sounds more human", "right")],
        "knowledgeability": [("Speaker 1 is more knowledgeable", "left"), ("Speaker 2 is more knowledgeable", "right")],
    }
    chosen = [example["option"] for each in doc["criteria"] for example in each["examples"]]
    assert chosen.count("speaker_1") == chosen.count("speaker_2") == 4


# --- all of them -----------------------------------------------------------------------------------
@every_bundle
def test_no_text_an_annotator_sees_contains_a_sub_dimension_or_the_key_of_an_explanation(path):
    doc = load_bundle(path)
    options = [option for criterion in doc["criteria"] for option in criterion.get("options", [])]
    explanations = [each for option in options for each in option.get("explanations", [])]
    hidden = {each[name].lower() for each in explanations for name in ("key", "sub_dimension")}
    assert len(hidden) == (10 if doc["protocol"] == "he-protocol" else 0)
    for text in visible_texts(doc):
        assert not [word for word in hidden if word in text.lower()], text


@every_bundle
def test_every_worked_example_says_why_its_answer_is_right(path):
    examples = [(each["key"], one) for each in load_bundle(path)["criteria"] for one in each.get("examples", [])]
    silent = [
        (key, one["title"]) for key, one in examples for said in one.get("candidates") or [one] if not said.get("why")
    ]
    assert silent == []


@every_bundle
def test_no_explanation_speaks_of_another_response_that_may_not_have_been_shown_yet(path):
    examples = [one for each in load_bundle(path)["criteria"] for one in each.get("examples", [])]
    whys = [said.get("why", "") for one in examples for said in one.get("candidates", [])]
    assert [why for why in whys if why.startswith(("It says the same", "The same"))] == []


@pytest.mark.parametrize(
    ("name", "sha256"),
    [
        ("abc-eval-1.1", "35c7e27ef3279b2db0dd09d9688903910ebf65fc6f08a83892743ac9759fcf02"),
        ("acute-eval-1.0", "a22f35d6e0a657579ad52c08364e3a90ecc1d13f946171e68af1c49b770b6c79"),
        ("acute-eval-1.0-dialogues", "f83333595b67c6fa35a192910d957e48a9b397835c23eefe1c5549b8ae6b1c03"),
        ("dialogue-hit-1.0", "64d3d5b1b13e32af28332307863a81984201f1b9d6bb06946bc8f67db844eb74"),
        ("dialogue-questionnaire-1.0", "71372be5a3a5a451c970fd6ecaaced4027b038f283b1b4fd71a638e06fb39c02"),
        ("diqad-1.0", "57d2487d7dac2f60daba5a61c10116cf93a993f79bce3860c6bb4a7fd614314e"),
        ("diqad-1.0-zh", "3bf3c66170199ce418fca9e348170e2fdd100e9e779c35811bbfb6c249cfdecf"),
        ("he-protocol-1.0", "5b3c03b4c205dac53539fcdbf43c7bc66dd982196bf15e810d195b9edd9f3e06"),
        ("he-protocol-1.0-three-criteria", "fe0392657689f49b1885b34913fdcfa9ccdd5d92ae0a1dba0229b7ea984198a2"),
        ("persona-quality-1.0", "b2337600d30624c3238ae02309ccc6830d83592bb801d58f61a8940799188b67"),
        ("ssa-1.0", "1ca6d2e954d0d3774d5f248b15f1ee1ba78255724b95d9a0b388387368a15cd8"),
        ("three-point-coherence-1.0", "0b37eee8b018d326a2da9e2ac13e7d602ac4446ea61e2bd2e6ba838f91feffae"),
        ("usr-1.1", "86d4f6e638c5c89354554f5c5ba7d597e0fd76930a0f866630feebcb38705b6b"),
    ],
)
def test_a_shipped_bundle_does_not_change_under_its_version(name, sha256):
    """An installation that has loaded it would refuse the changed file: give it a new version instead."""
    assert bundle_hash(load_bundle(BUILTIN / f"{name}.yaml")) == sha256


@pytest.mark.django_db
@every_bundle
def test_a_shipped_bundle_is_stored_without_a_loss(path):
    doc = load_bundle(path)
    version, _ = store_bundle(doc, publish=True, now=NOW)
    assert version.sha256 == bundle_hash(doc)


def test_every_shipped_bundle_has_its_hash_above():
    (pinned,) = (mark for mark in test_a_shipped_bundle_does_not_change_under_its_version.pytestmark)
    assert sorted(name for name, _ in pinned.args[1]) == sorted(path.stem for path in builtin_bundles())


@every_bundle
def test_a_page_of_the_documentation_shows_every_question_and_option(path):
    doc = load_bundle(path)
    page = (DOCS / f"{doc['protocol']}.md").read_text(encoding="utf-8")
    for criterion in doc["criteria"]:
        assert criterion["name"] in page
        assert all(f"`{option['label']}`" in page for option in criterion.get("options", [])), criterion["key"]
    wanted = doc["protocol"] if doc["version"] == "1.0" else f"{doc['protocol']}@{doc['version']}"
    assert re.search(rf"create_study \S+ --protocol {re.escape(wanted)}(\s|$)", page)
    assert f"({doc['protocol']}.md)" in (DOCS / "index.md").read_text(encoding="utf-8")
