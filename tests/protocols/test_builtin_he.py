"""The HE protocol means what its source means: conditions of its answers, reasons, examples and Italian words."""

import pytest

from protocols.answers import Given, parse_answer
from protocols.bundles import complete_bundle, load_bundle
from protocols.selectors import BUILTIN
from protocols.specs import spec_of_document
from tests.protocols.conftest import by_key

BUNDLES = ("he-protocol-1.0", "he-protocol-1.0-three-criteria")
# Words that a definition or a reason has to hold, so that nobody loses a condition by writing it better.
DEFINITIONS = {
    ("appropriateness", "appropriate"): ["makes sense", "naturally continue"],
    ("appropriateness", "not_appropriate"): ["makes no sense"],
    ("appropriateness", "unsure"): ["Some parts", "make sense", "some do not"],
    ("contextualization", "contextualized"): ["openly or by implication", "event", "person", "object", "emotion"],
    ("contextualization", "not_contextualized"): ["refers to nothing", "contradict", "never mentioned"],
    ("contextualization", "unsure"): ["Some references", "fit", "unclear or irrelevant"],
    ("listening", "listening"): ["attention", "follows the dialogue"],
    ("listening", "not_listening"): ["no attention", "stock reply", "any dialogue"],
    ("listening", "unsure"): ["unclear whether", "listening"],
    ("correctness", "correct"): ["grammatical", "structural", "repeated", "misspelling", "punctuation"],
    ("correctness", "not_correct"): [
        "at least one error", "grammatical", "structural", "repeated", "misspelling", "punctuation", "capital letters",
    ],
    ("correctness", "unsure"): ["hard to tell whether", "errors"],
}  # fmt: skip
REASONS = {
    "coherent": ["makes sense as the next turn"],
    "incoherent": ["does not make sense as the next turn"],
    "generic": ["almost any dialogue", "neither openly nor by implication"],
    "hallucination": ["inconsistent with the dialogue", "contradicts", "never mentioned"],
    "grammar": ["grammatical errors"],
    "repetition": ["repeated"],
}
ITALIAN = {
    "appropriateness": ("Appropriatezza", ["Appropriata", "Non appropriata", "Non so"]),
    "contextualization": ("Contestualizzazione", ["Contestualizzata", "Non contestualizzata", "Non so"]),
    "listening": ("Ascolto", ["Ascolta", "Non ascolta", "Non so"]),
    "correctness": ("Correttezza", ["Corretta", "Non corretta", "Non so"]),
}
HIDDEN = [
    "coherent", "coherence", "generic", "hallucination", "grammar", "grammaticality", "repetition",
]  # fmt: skip


@pytest.fixture(scope="module", params=BUNDLES)
def doc(request):
    return complete_bundle(load_bundle(BUILTIN / f"{request.param}.yaml"))


@pytest.fixture(scope="module")
def he():
    return by_key(complete_bundle(load_bundle(BUILTIN / "he-protocol-1.0.yaml")))


def judged(criterion, text):
    """The candidates of a criterion's examples that hold the text."""
    said = [candidate for example in criterion["examples"] for candidate in example["candidates"]]
    return [candidate for candidate in said if text in candidate["text"]]


def texts_in(value):
    if isinstance(value, str):
        yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from texts_in(each)


def test_each_definition_holds_the_conditions_of_its_answer(doc):
    for criterion in doc["criteria"]:
        for option in criterion["options"]:
            words = DEFINITIONS[criterion["key"], option["key"]]
            assert [word for word in words if word not in option["definition"]] == []


def test_each_reason_says_what_it_stands_for(doc):
    options = [option for criterion in doc["criteria"] for option in criterion["options"]]
    reasons = {each["key"]: each["text"] for option in options for each in option["explanations"]}
    assert sorted(reasons) == sorted(REASONS)
    assert [key for key, words in REASONS.items() if any(word not in reasons[key] for word in words)] == []


def test_i_dont_know_means_something_else_in_each_criterion(doc):
    meanings = [criterion["options"][2]["definition"] for criterion in doc["criteria"]]
    assert len(set(meanings)) == len(doc["criteria"])
    assert "only if you cannot decide" not in doc["guidelines_short"]
    assert "a meaning of its own" in doc["guidelines_short"]
    assert "a meaning of its own" in doc["guidelines"]


def test_other_is_offered_beside_the_reasons_in_every_text_about_reasons(doc):
    assert "*Other*" in doc["guidelines_short"]
    assert "*Other*" in doc["guidelines"]
    assert "3 to 30 words" in doc["guidelines_short"]
    assert {(option["words_min"], option["words_max"]) for each in doc["criteria"] for option in each["options"]} == {
        (None, None)
    }


def test_definitions_and_notices_say_that_capitals_do_not_count_and_stock_replies_do(he):
    assert "capital letters do not count" in he["correctness"]["definition"]
    assert "named above the response" in he["listening"]["definition"]
    assert "stock reply" in he["listening"]["definition"]
    assert "contradict" in he["contextualization"]["definition"]


def test_every_answer_has_examples_and_every_example_its_next_speaker(doc):
    for criterion in doc["criteria"]:
        examples = criterion["examples"]
        shown = {candidate["option"] for example in examples for candidate in example["candidates"]}
        assert shown == {option["key"] for option in criterion["options"]}
        for example in examples:
            last = example["history"][-1]["speaker"]
            assert {candidate["speaker"] for candidate in example["candidates"]} == {"A", "B"} - {last}


@pytest.mark.parametrize(
    ("criterion", "text", "option", "reasons"),
    [
        ("appropriateness", "I have never heard of that film.", "not_appropriate", ["incoherent"]),
        ("contextualization", "your boss shouted at you", "not_contextualized", ["hallucination"]),
        ("contextualization", "your brother say about the broken oven", "not_contextualized", ["hallucination"]),
        ("contextualization", "I see. Please tell me more.", "not_contextualized", ["generic"]),
        ("contextualization", "Grilled sardines.", "contextualized", []),
        ("listening", "I see. Please tell me more.", "not_listening", []),
        ("correctness", "rain has never stopped me either.", "correct", []),
        ("correctness", "The bus to the museum", "correct", []),
        ("correctness", "You was soaked", "not_correct", ["grammar"]),
        ("correctness", "and I am glad that you went", "not_correct", ["repetition"]),
        ("correctness", "umbrela", "not_correct", []),
        ("correctness", "Then your mood, was", "not_correct", []),
    ],
)
def test_an_example_teaches_what_the_definitions_say(he, criterion, text, option, reasons):
    (found,) = judged(he[criterion], text)
    assert (found["option"], found["explanations"]) == (option, reasons)


def test_the_expected_answers_of_examples_pass_the_engine(doc):
    spec = spec_of_document(doc)
    for criterion in doc["criteria"]:
        question = spec.by_key[criterion["key"]]
        for candidate in (each for example in criterion["examples"] for each in example["candidates"]):
            option = question.option_named(candidate["option"])
            codes = tuple(each.code for each in option.explanations if each.key in candidate["explanations"])
            words = "in my own words" if option.asks == "free_text" else ""
            answer = parse_answer(question, Given(option.code, codes, words))
            assert (answer.option_id, len(answer.explanation_ids)) == (option.id, len(candidate["explanations"]))


# --- in Italian ------------------------------------------------------------------------------------
def test_the_italian_words_name_every_criterion_and_answer(doc):
    said = doc["translations"]["it"]["criteria"]
    assert list(said) == [criterion["key"] for criterion in doc["criteria"]]
    for key, (name, labels) in ITALIAN.items():
        if key in said:
            assert (said[key]["name"], [each["label"] for each in said[key]["options"].values()]) == (name, labels)
    assert "*Altro*" in doc["translations"]["it"]["guidelines_short"]


def test_the_italian_words_hide_what_the_english_ones_hide(doc):
    for text in texts_in(doc["translations"]["it"]):
        assert not [word for word in HIDDEN if word in text.lower()], text


def test_the_variant_has_no_italian_word_on_the_criterion_it_leaves_out():
    three = load_bundle(BUILTIN / "he-protocol-1.0-three-criteria.yaml")
    assert not [text for text in texts_in(three["translations"]["it"]) if "ascolt" in text.lower()]
