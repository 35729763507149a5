"""The protocols that ship say what requirements D-1 to D-9 say, and hide what D-6 hides."""

import json

import pytest

from protocols.bundles import bundle_hash, check_bundle, load_bundle
from protocols.selectors import BUILTIN, builtin_bundles

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


@pytest.mark.parametrize("path", builtin_bundles(), ids=lambda path: path.stem)
def test_a_shipped_bundle_is_valid_and_explained(path):
    doc = load_bundle(path)
    assert check_bundle(doc) == []
    assert path.stem == f"{doc['protocol']}-{doc['version']}"
    for criterion in doc["criteria"]:
        assert criterion["definition"]
        assert all(option["definition"] for option in criterion["options"])
        assert criterion["examples"]
        for example in criterion["examples"]:
            assert 2 <= len(example["history"]) <= 4
            assert 3 <= len(example["candidates"]) <= 4
            assert all(candidate["why"] for candidate in example["candidates"])
    assert all(doc[text] for text in ("welcome", "guidelines", "guidelines_short", "summary", "citation"))


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


def test_three_point_coherence_is_one_ordinal_question_that_asks_nothing():
    doc = load_bundle(BUILTIN / "three-point-coherence-1.0.yaml")
    (criterion,) = doc["criteria"]
    assert (doc["order"], criterion["key"], criterion["scale"]) == ("item_first", "coherence", "ordinal")
    values = {option["value"]: option["label"] for option in criterion["options"]}
    assert values == {1: "Not coherent", 2: "Partly coherent", 3: "Coherent"}
    assert all(option.get("asks", "nothing") == "nothing" for option in criterion["options"])
    assert "Cervone" in doc["citation"]


def visible_texts(doc):
    """Everything of a bundle an annotator may read: all but keys, roles, sub-dimensions, summary and citation."""
    yield from (doc[key] for key in ("welcome", "guidelines", "guidelines_short"))
    yield from doc.get("notices", [])
    for criterion in doc["criteria"]:
        yield from (criterion[key] for key in ("name", "question", "definition"))
        for option in criterion["options"]:
            yield from (option["label"], option["definition"])
            yield from (each["text"] for each in option.get("explanations", []))
        for example in criterion["examples"]:
            yield example["title"]
            yield from (turn["text"] for turn in example["history"])
            for candidate in example["candidates"]:
                yield from (candidate["text"], candidate["why"])


@pytest.mark.parametrize("path", builtin_bundles(), ids=lambda path: path.stem)
def test_no_text_an_annotator_sees_contains_a_sub_dimension_or_the_key_of_an_explanation(path):
    doc = load_bundle(path)
    options = [option for criterion in doc["criteria"] for option in criterion["options"]]
    explanations = [each for option in options for each in option.get("explanations", [])]
    hidden = {each[name].lower() for each in explanations for name in ("key", "sub_dimension")}
    assert len(hidden) == (10 if doc["protocol"] == "he-protocol" else 0)
    for text in visible_texts(doc):
        assert not [word for word in hidden if word in text.lower()], text


@pytest.mark.parametrize(
    ("name", "sha256"),
    [
        ("he-protocol-1.0", "cb29d9739dff0e17cfa0f5b994a56cd67fd179b9f0a82f9776a554021155ae58"),
        ("he-protocol-1.0-three-criteria", "3bc33822d0d3657743353c11d358b3e1f1c51c52ed0fabadfa4d765f87a6bed9"),
        ("three-point-coherence-1.0", "2786ee9a0f865bc8e7b684294a16399a712c16d6c28c9ff852b17c7f467897f5"),
    ],
)
def test_a_shipped_bundle_does_not_change_under_its_version(name, sha256):
    """An installation that has loaded it would refuse the changed file: give it a new version instead."""
    assert bundle_hash(load_bundle(BUILTIN / f"{name}.yaml")) == sha256
