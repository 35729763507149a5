"""The protocols that ship say what requirements A, B, D-1 to D-9 and E say, and hide what D-6 hides."""

import json
import re
from itertools import product

import pytest

from protocols.bundles import bundle_hash, check_bundle, load_bundle
from protocols.selectors import BUILTIN, builtin_bundles
from protocols.services import store_bundle
from tests.protocols.conftest import NOW, by_key, in_order, visible_texts

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


@pytest.fixture(scope="module")
def persona():
    return load_bundle(BUILTIN / "persona-quality-1.0.yaml")


@pytest.fixture(scope="module")
def crowd():
    return load_bundle(BUILTIN / "dialogue-hit-1.0.yaml")


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
        if doc["protocol"] != "persona-quality":  # its levels 2 and 4 are undefined: below
            assert all(option["definition"] for option in criterion.get("options", []))


@every_bundle
def test_every_question_of_options_has_worked_examples(path):
    for criterion in load_bundle(path)["criteria"]:
        examples = criterion.get("examples", [])
        # An example is evaluated by an option: turns that are marked and answers that are computed have none to show.
        assert bool(examples) == (criterion.get("kind", "single") in ("single", "multiple")), criterion["key"]
        assert all(len(example["history"]) <= 4 for example in examples)
        if criterion.get("kind", "single") == "multiple":
            shown = {example["option"] for example in examples}
            assert shown == {option["key"] for option in criterion["options"]} - {"none"}


@pytest.mark.parametrize("name", ["he-protocol-1.0", "he-protocol-1.0-three-criteria", "three-point-coherence-1.0"])
def test_examples_of_responses_have_a_history_and_several_candidates_with_their_reasons(name):
    for criterion in load_bundle(BUILTIN / f"{name}.yaml")["criteria"]:
        for example in criterion["examples"]:
            assert 2 <= len(example["history"]) <= 4
            assert 3 <= len(example["candidates"]) <= 4
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
    assert values == {1: "Not coherent", 2: "Partly coherent", 3: "Coherent"}
    assert all(option.get("asks", "nothing") == "nothing" for option in criterion["options"])
    assert "Cervone" in doc["citation"]


# --- A: persona-quality ----------------------------------------------------------------------------
RATED = ["quality", "persona_consistency", "dialogue_coherence"]


def test_a_1_persona_quality_has_four_criteria_in_order_with_labels_and_a_sentence(persona):
    named = [(each["short"], each["name"]) for each in persona["criteria"] if each.get("short")]
    assert named == [
        ("Qual.", "Quality"),
        ("Cons.", "Persona consistency"),
        ("Cohe.", "Dialogue coherence"),
        ("Dive.", "Diversity"),
    ]
    for criterion in persona["criteria"]:
        assert criterion["definition"].startswith("Consider")
        assert len(re.findall(r"\.(?:\s|$)", criterion["definition"])) == 1
    assert (persona["unit"], persona["order"]) == ("response", "item_first")


@pytest.mark.parametrize("key", RATED)
def test_a_2_persona_quality_has_integers_from_1_to_5_named_at_1_3_and_5(persona, key):
    criterion = by_key(persona)[key]
    assert (criterion["scale"], criterion.get("unit", "")) == ("ordinal", "")
    assert in_order(criterion, "label", "value", "role") == [
        ("1 (poor)", 1, "negative"),
        ("2", 2, "negative"),
        ("3 (fair)", 3, "neutral"),
        ("4", 4, "positive"),
        ("5 (perfect)", 5, "positive"),
    ]
    assert all(option.get("asks", "nothing") == "nothing" for option in criterion["options"])


@pytest.mark.parametrize("key", RATED)
def test_a_2_no_text_is_invented_for_2_and_4(persona, key):
    options = {option["value"]: option for option in by_key(persona)[key]["options"]}
    for value in (2, 4):
        assert set(options[value]) == {"key", "label", "role", "value"}
    for value in (1, 3, 5):
        assert options[value]["conditions"]
        assert "definition" not in options[value]


def test_a_3_and_a_4_anchors_hold_lists_of_conditions(persona):
    counts = {
        key: {option["value"]: len(option["conditions"]) for option in criterion["options"] if "conditions" in option}
        for key, criterion in by_key(persona).items()
    }
    assert counts["quality"][3] == 4
    assert counts["persona_consistency"] == {1: 1, 3: 1, 5: 2}  # 5: directly, or indirectly
    assert counts["dialogue_coherence"] == {1: 1, 3: 4, 5: 1}
    offensive = [
        option["value"]
        for option in by_key(persona)["quality"]["options"]
        if any("insults" in condition for condition in option.get("conditions", []))
    ]
    assert offensive == [3]


@pytest.mark.parametrize("key", RATED)
def test_a_3_every_anchor_has_several_example_dialogues_whose_last_turn_by_s2_is_rated(persona, key):
    examples = by_key(persona)[key]["examples"]
    shown = [example["option"] for example in examples]
    assert set(shown) == {"1", "3", "5"}
    assert all(shown.count(option) >= 2 for option in set(shown))
    notes = [example.get("why", "") for example in examples]
    assert any(notes)
    assert not all(notes)  # a note is optional
    for example in examples:
        speakers = [turn["speaker"] for turn in example["history"]]
        assert speakers == ["S1", "S2"] * (len(speakers) // 2)
        assert example["rated_turn"] == len(speakers)
        assert example["title"].startswith(example["option"])


def test_a_4_examples_of_consistency_name_the_persona_facts_in_numbers(persona):
    for example in by_key(persona)["persona_consistency"]["examples"]:
        assert "facts: 1. " in example["title"]
        assert " 2. " in example["title"]
    assert "numbered facts shown beside the dialogue" in by_key(persona)["persona_consistency"]["definition"]


def test_a_5_diversity_is_two_yes_no_questions_of_a_set_and_of_a_model(persona):
    for key, unit in (("set_diverse", "candidate_set"), ("corpus_diverse", "model")):
        criterion = by_key(persona)[key]
        assert (criterion["kind"], criterion["unit"], criterion["scale"]) == ("single", unit, "nominal")
        assert in_order(criterion, "key", "label", "role") == [("yes", "Yes", "positive"), ("no", "No", "negative")]


@pytest.mark.parametrize(
    ("both", "value"), [(("yes", "yes"), 5), (("yes", "no"), 3), (("no", "yes"), 3), (("no", "no"), 1)]
)
def test_a_5_diversity_is_computed_as_1_3_or_5(persona, both, value):
    diversity = by_key(persona)["diversity"]
    assert (diversity["kind"], diversity["unit"], diversity["scale"]) == ("computed", "candidate_set", "ordinal")
    assert in_order(diversity, "label", "value") == [("1 (poor)", 1), ("3 (fair)", 3), ("5 (perfect)", 5)]
    given = dict(zip(("set_diverse", "corpus_diverse"), both, strict=True))
    fitting = [
        rule["option"]
        for rule in diversity["rules"]
        if all(given[condition["criterion"]] in condition["options"] for condition in rule["when"])
    ]
    assert fitting == [str(value)]


def test_a_5_diversity_needs_both_answers(persona):
    """A rule for each pair and no rule for the rest: with one answer there is no diversity yet."""
    rules = by_key(persona)["diversity"]["rules"]
    pairs = [tuple((each["criterion"], *each["options"]) for each in rule["when"]) for rule in rules]
    sets, corpora = ([(key, answer) for answer in ("yes", "no")] for key in ("set_diverse", "corpus_diverse"))
    assert sorted(pairs) == sorted(product(sets, corpora))


# --- B: dialogue-hit -------------------------------------------------------------------------------
def test_b_1_the_crowd_task_has_two_axes_with_names_of_their_own_from_5_down(crowd):
    assert [criterion["name"] for criterion in crowd["criteria"]] == ["Fluency/Grammaticality", "Quality/Coherence"]
    roles = ["positive", "positive", "neutral", "negative", "negative"]
    names = {
        "fluency": ["excellent", "good", "okay", "poor", "terrible"],
        "coherence": ["perfectly coherent", "mostly relevant", "neutral", "mostly irrelevant", "wrong/irrelevant"],
    }
    for key, criterion in by_key(crowd).items():
        wanted = [(f"{5 - at}: {name}", 5 - at, roles[at]) for at, name in enumerate(names[key])]
        assert in_order(criterion, "label", "value", "role") == wanted
        assert criterion["scale"] == "ordinal"


def test_b_2_each_choice_of_the_crowd_task_has_its_sentence_and_an_example(crowd):
    sentences = [option["definition"] for criterion in crowd["criteria"] for option in criterion["options"]]
    assert len(set(sentences)) == 10
    assert all(sentence.endswith(".") for sentence in sentences)
    for criterion in crowd["criteria"]:
        candidates = [each for example in criterion["examples"] for each in example["candidates"]]
        assert {each["option"] for each in candidates} == {option["key"] for option in criterion["options"]}
        assert all(each["why"] for each in candidates)


def test_b_3_the_crowd_task_shows_the_context_first_and_both_questions_on_a_page(crowd):
    assert (crowd["unit"], crowd["order"]) == ("response", "item_first")
    assert "Read the context first" in crowd["notices"][0]


def test_b_5_and_b_6_the_crowd_task_has_a_feedback_box_a_welcome_and_nothing_new(crowd):
    assert crowd["feedback_box"] is True
    assert crowd["welcome"]
    assert crowd.get("changes", "") == ""


def test_b_7_the_crowd_task_asks_for_no_reasons_and_offers_no_unsure_answer(crowd):
    for criterion in crowd["criteria"]:
        assert len(criterion["options"]) == 5
        assert all(option["role"] != "unsure" for option in criterion["options"])
        assert all(set(option) == {"key", "label", "definition", "role", "value"} for option in criterion["options"])


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


@pytest.mark.parametrize(
    ("name", "sha256"),
    [
        ("dialogue-hit-1.0", "d53b9885343b22f499e7d6eeb2f4c9adb1a97cab513a4df6765a7b5e606cd1b0"),
        ("diqad-1.0", "94a398d05ba1ec907e1a683b70f11c63aec7b197fff9a55ff6d88c10a84a4bb4"),
        ("diqad-1.0-zh", "8cc891bc81e9861108955f6b50c6a347877d58fd53bf42333fbf1903359c66db"),
        ("he-protocol-1.0", "cb29d9739dff0e17cfa0f5b994a56cd67fd179b9f0a82f9776a554021155ae58"),
        ("he-protocol-1.0-three-criteria", "3bc33822d0d3657743353c11d358b3e1f1c51c52ed0fabadfa4d765f87a6bed9"),
        ("persona-quality-1.0", "575d0aae1a6b7b7472070729892df659bd909ba3faea6099bdf0973850075d21"),
        ("three-point-coherence-1.0", "2786ee9a0f865bc8e7b684294a16399a712c16d6c28c9ff852b17c7f467897f5"),
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
