"""Persona quality as it ships: its scale, what each anchor asks for, and examples that teach it."""

from itertools import product

import pytest

from protocols.answers import Given, parse_answer
from protocols.bundles import complete_bundle, load_bundle
from protocols.selectors import BUILTIN
from protocols.specs import spec_of_document
from tests.protocols.conftest import by_key, in_order

RATED = ["quality", "persona_consistency", "dialogue_coherence"]
# One word of each condition, in its order.
CONDITIONS = {
    "quality": {
        1: ["severe errors", "hardly understand"],
        3: ["do not keep you from understanding", "short", "repeats", "offensive"],
        5: ["long and informative", "medium length"],
    },
    "persona_consistency": {1: ["contradicts"], 3: ["reflects none"], 5: ["directly or indirectly"]},
    "dialogue_coherence": {
        1: ["irrelevant"],
        3: ["hardly relevant", "the same as", "other words", "general reply", "question that adds nothing new"],
        5: ["relevant to the dialogue and coherent"],
    },
    "diversity": {1: ["Neither"], 3: ["Only one of the two"], 5: ["Both"]},
}
# How many examples show each anchor: at least one for every condition.
EXAMPLES = {
    "quality": {"1": 3, "3": 4, "5": 2},
    "persona_consistency": {"1": 2, "3": 3, "5": 2},
    "dialogue_coherence": {"1": 2, "3": 5, "5": 2},
    "set_diverse": {"yes": 1, "no": 1},
    "corpus_diverse": {"yes": 1, "no": 1},
}


@pytest.fixture(scope="module")
def persona():
    return load_bundle(BUILTIN / "persona-quality-1.0.yaml")


def test_it_has_four_criteria_in_order_with_short_labels_and_a_sentence_each(persona):
    named = [(each["short"], each["name"]) for each in persona["criteria"] if each.get("short")]
    assert named == [
        ("Qual.", "Quality"),
        ("Cons.", "Persona consistency"),
        ("Cohe.", "Dialogue coherence"),
        ("Dive.", "Diversity"),
    ]
    for criterion in persona["criteria"]:
        assert criterion["definition"].startswith("Consider")
        assert criterion["definition"].strip().count(".") == 1
    assert (persona["unit"], persona["order"]) == ("response", "item_first")


def test_quality_looks_at_grammar_ease_fluency_redundancy_and_length(persona):
    definition = by_key(persona)["quality"]["definition"]
    words = ("grammar", "easy to understand", "fluent", "repeats anything without need", "long and informative")
    assert [word for word in words if word not in definition] == []


@pytest.mark.parametrize("key", RATED)
def test_a_response_is_rated_from_1_to_5(persona, key):
    criterion = by_key(persona)[key]
    assert criterion["scale"] == "ordinal"
    assert in_order(criterion, "label", "value", "role") == [
        ("1 (poor)", 1, "negative"),
        ("2", 2, "negative"),
        ("3 (fair)", 3, "neutral"),
        ("4", 4, "positive"),
        ("5 (perfect)", 5, "positive"),
    ]
    assert all(option.get("asks", "nothing") == "nothing" for option in criterion["options"])


@pytest.mark.parametrize("key", RATED)
def test_no_text_is_invented_for_2_and_4(persona, key):
    options = {option["value"]: option for option in by_key(persona)[key]["options"]}
    for value in (2, 4):
        assert set(options[value]) == {"key", "label", "role", "value"}
    for value in (1, 3, 5):
        assert "definition" not in options[value]


@pytest.mark.parametrize("key", CONDITIONS)
def test_each_anchor_has_its_conditions_in_their_order(persona, key):
    options = {option["value"]: option.get("conditions", []) for option in by_key(persona)[key]["options"]}
    for value, words in CONDITIONS[key].items():
        assert len(options[value]) == len(words)
        assert all(word in text for word, text in zip(words, options[value], strict=True)), options[value]


@pytest.mark.parametrize("key", EXAMPLES)
def test_examples_show_every_anchor_and_are_answers_the_engine_takes(persona, key):
    examples = by_key(persona)[key]["examples"]
    shown = [example["option"] for example in examples]
    assert {option: shown.count(option) for option in dict.fromkeys(shown)} == EXAMPLES[key]
    criterion = spec_of_document(complete_bundle(persona)).by_key[key]
    for example in examples:
        option = criterion.option_named(example["option"])
        assert parse_answer(criterion, Given(option=option.code)).option_id == option.id


@pytest.mark.parametrize("key", RATED)
def test_the_last_turn_of_an_example_is_by_s2_and_rated(persona, key):
    examples = by_key(persona)[key]["examples"]
    for example in examples:
        speakers = [turn["speaker"] for turn in example["history"]]
        assert speakers == ["S1", "S2"] * (len(speakers) // 2)
        assert example["rated_turn"] == len(speakers)
        assert example["title"].startswith(example["option"])


def test_a_short_flawless_reply_is_3_and_a_long_informative_one_is_5(persona):
    said = {each["title"]: each["history"][-1]["text"] for each in by_key(persona)["quality"]["examples"]}
    assert len(said["3, short"].split()) < 5
    assert len(said["5, long and informative"].split()) > 30


def test_an_example_of_consistency_has_the_facts_it_is_judged_by(persona):
    for criterion in persona["criteria"]:
        is_judged_by_facts = criterion["key"] == "persona_consistency"
        for example in criterion.get("examples", []):
            assert (len(example.get("facts", [])) >= 2) == is_judged_by_facts
    assert "numbered facts shown beside the dialogue" in by_key(persona)["persona_consistency"]["definition"]


def test_diversity_is_two_yes_no_questions_of_a_set_and_of_a_model(persona):
    for key, unit in (("set_diverse", "candidate_set"), ("corpus_diverse", "model")):
        criterion = by_key(persona)[key]
        assert (criterion["kind"], criterion["unit"], criterion["scale"]) == ("single", unit, "nominal")
        assert in_order(criterion, "key", "label", "role") == [("yes", "Yes", "positive"), ("no", "No", "negative")]


def test_a_corpus_is_shown_as_dialogues_and_a_set_as_replies_to_one(persona):
    criteria = by_key(persona)
    for example in criteria["corpus_diverse"]["examples"]:
        assert [turn["speaker"] for turn in example["history"]] == [
            f"Dialogue {number}, {side}" for number in (1, 2, 3) for side in ("S1", "S2")
        ]
    for example in criteria["set_diverse"]["examples"]:
        assert [turn["speaker"] for turn in example["history"]] == ["S1", *(f"S2, reply {n}" for n in (1, 2, 3))]


@pytest.mark.parametrize(
    ("both", "value"), [(("yes", "yes"), 5), (("yes", "no"), 3), (("no", "yes"), 3), (("no", "no"), 1)]
)
def test_diversity_is_computed_as_1_3_or_5(persona, both, value):
    diversity = by_key(persona)["diversity"]
    assert (diversity["kind"], diversity["unit"], diversity["scale"]) == ("computed", "candidate_set", "ordinal")
    labels = [("1 (poor)", 1, "negative"), ("3 (fair)", 3, "neutral"), ("5 (perfect)", 5, "positive")]
    assert in_order(diversity, "label", "value", "role") == labels
    given = dict(zip(("set_diverse", "corpus_diverse"), both, strict=True))
    fitting = [
        rule["option"]
        for rule in diversity["rules"]
        if all(given[condition["criterion"]] in condition["options"] for condition in rule["when"])
    ]
    assert fitting == [str(value)]


def test_diversity_needs_both_answers(persona):
    """A rule for each pair and no rule for the rest: with one answer there is no diversity yet."""
    rules = by_key(persona)["diversity"]["rules"]
    pairs = [tuple((each["criterion"], *each["options"]) for each in rule["when"]) for rule in rules]
    sets, corpora = ([(key, answer) for answer in ("yes", "no")] for key in ("set_diverse", "corpus_diverse"))
    assert sorted(pairs) == sorted(product(sets, corpora))


def test_the_guidelines_say_what_the_anchors_say(persona):
    for text in (persona["guidelines_short"], persona["guidelines"], " ".join(persona["notices"])):
        assert "short" in text.casefold()
        assert "3" in text
    for words in ("long and informative", "offensive", "hardly relevant", "directly or indirectly"):
        assert words in persona["guidelines"]
