"""The crowd task as it ships: two axes of five named points, with the scale above the generation."""

import pytest

from protocols.answers import Given, parse_answer
from protocols.bundles import complete_bundle, load_bundle
from protocols.selectors import BUILTIN
from protocols.specs import spec_of_document
from tests.protocols.conftest import by_key, in_order

NAMES = {
    "fluency": ["excellent", "good", "okay", "poor", "terrible"],
    "coherence": ["perfectly coherent", "mostly relevant", "neutral", "mostly irrelevant", "wrong/irrelevant"],
}
# What the sentence of each point says, from 5 down.
SENTENCES = {
    "fluency": [
        "fluently",
        "small grammar issues",
        "as if a human wrote it",
        "unnatural and difficult",
        "severe errors",
    ],
    "coherence": [
        "Perfectly coherent, interesting: ",
        "not perfect",
        "somewhat plausible, or somewhat relevant",
        "You see why it was generated",
        "Wrong/nonsense/irrelevant: ",
    ],
}


@pytest.fixture(scope="module")
def crowd():
    return load_bundle(BUILTIN / "dialogue-hit-1.0.yaml")


def test_it_has_two_axes_with_names_of_their_own_from_5_down(crowd):
    assert [criterion["name"] for criterion in crowd["criteria"]] == ["Fluency/Grammaticality", "Quality/Coherence"]
    roles = ["positive", "positive", "neutral", "negative", "negative"]
    for key, criterion in by_key(crowd).items():
        wanted = [(f"{5 - at}: {name}", 5 - at, roles[at]) for at, name in enumerate(NAMES[key])]
        assert in_order(criterion, "label", "value", "role") == wanted
        assert criterion["scale"] == "ordinal"


@pytest.mark.parametrize("key", NAMES)
def test_each_point_has_a_sentence_of_its_own(crowd, key):
    sentences = in_order(by_key(crowd)[key], "definition")
    assert len(set(sentences)) == 5
    for words, (sentence,) in zip(SENTENCES[key], sentences, strict=True):
        assert words in sentence
        assert sentence.strip().endswith(".")


def test_sounding_human_counts_on_both_axes(crowd):
    for criterion in crowd["criteria"]:
        assert "human" in criterion["definition"]
        assert any("human" in option["definition"] for option in criterion["options"])


def test_the_questions_are_neutral_and_name_all_they_ask_about(crowd):
    fluency, coherence = (by_key(crowd)[key]["question"] for key in ("fluency", "coherence"))
    assert all(word in fluency for word in ("How", "grammatical", "easy to read", "fluent"))
    assert all(word in coherence for word in ("How", "coherent", "reasonable", "a person might say"))


def test_examples_show_every_point_and_are_answers_the_engine_takes(crowd):
    spec = spec_of_document(complete_bundle(crowd))
    for key, criterion in by_key(crowd).items():
        candidates = [each for example in criterion["examples"] for each in example["candidates"]]
        assert {each["option"] for each in candidates} == {option["key"] for option in criterion["options"]}
        for each in candidates:
            assert each["why"]
            option = spec.by_key[key].option_named(each["option"])
            assert parse_answer(spec.by_key[key], Given(option=option.code)).option_id == option.id


def test_the_context_comes_first_and_both_questions_are_on_a_page_below_the_scale(crowd):
    assert (crowd["unit"], crowd["order"], crowd["scale_above"]) == ("response", "item_first", True)
    assert "read this first" in crowd["context_title"]
    assert "rate this" in crowd["item_title"]
    assert "Read the context first" in crowd["notices"][0]


def test_it_has_a_feedback_box_a_welcome_and_nothing_new(crowd):
    assert crowd["feedback_box"] is True
    assert crowd["welcome"]
    assert crowd.get("changes", "") == ""


def test_it_asks_for_no_reasons_and_offers_no_unsure_answer(crowd):
    for criterion in crowd["criteria"]:
        assert all(set(option) == {"key", "label", "definition", "role", "value"} for option in criterion["options"])
