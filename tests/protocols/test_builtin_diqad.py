"""DiQAD as it ships, in English and Chinese, says what requirement E says."""

import re

import pytest

from protocols.bundles import load_bundle
from protocols.selectors import BUILTIN, find_version
from protocols.services import store_bundle
from tests.protocols.conftest import NOW, by_key, in_order, visible_texts


@pytest.fixture(scope="module")
def diqad():
    return load_bundle(BUILTIN / "diqad-1.0.yaml")


@pytest.fixture(scope="module")
def chinese():
    return load_bundle(BUILTIN / "diqad-1.0-zh.yaml")


REASONS_1 = ["incomplete", "less informative", "less proactive", "none"]
REASONS_0 = ["no or wrong answer", "not relevant", "not empathetic", "grammatical error", "not consistent", "none"]
both_languages = pytest.mark.parametrize("name", ["diqad", "chinese"])


@both_languages
def test_e_1_and_e_5_diqad_rates_whole_dialogues_after_a_reading_time(name, request):
    doc = request.getfixturevalue(name)
    head = ("unit", "granularity", "order", "reading_seconds")
    assert [doc[key] for key in head] == ["dialogue", "dialogue", "item_first", 20]
    assert doc["max_minutes"] * 60 >= 2000 * doc["reading_seconds"]  # or nobody could keep a seat of an E-9 batch


@both_languages
def test_e_2_the_guidelines_of_diqad_list_six_dimensions_and_explain_every_score(name, request):
    doc = request.getfixturevalue(name)
    rows = re.findall(r"^\| ([^|]+) \|", doc["guidelines"], re.MULTILINE)
    assert [row for row in rows if row in "123456"][:6] == list("123456")
    assert rows[-6:] == [option["label"] for option in by_key(doc)["score"]["options"]]


def test_e_2_the_six_dimensions_of_diqad_are_named_in_order(diqad):
    found = re.findall(r"^\| \d \| (\w+) \|", diqad["guidelines"], re.MULTILINE)
    assert found == ["Grammaticality", "Relevance", "Consistency", "Empathy", "Proactivity", "Informativeness"]


@both_languages
def test_e_3_diqad_asks_in_order_and_asks_for_what_depends_on_the_score(name, request):
    criteria = by_key(request.getfixturevalue(name))
    assert list(criteria) == ["knowledge", "score", "reasons_1", "reasons_0", "support"]
    assert [each["kind"] for each in criteria.values()] == ["single", "single", "multiple", "multiple", "turns"]
    for key, option in (("reasons_1", "1"), ("reasons_0", "0"), ("support", "2")):
        assert criteria[key]["when"] == [{"criterion": "score", "options": [option]}]
    assert not any("when" in criteria[key] for key in ("knowledge", "score"))


@both_languages
def test_e_3_and_e_4_the_score_has_three_values_and_three_answers_that_exclude(name, request):
    score, knowledge = (by_key(request.getfixturevalue(name))[key] for key in ("score", "knowledge"))
    assert in_order(knowledge, "key", "label", "value", "role") == [
        ("yes", "1", 1, "neutral"),
        ("no", "0", 0, "neutral"),
    ]
    assert (knowledge["scale"], score["scale"]) == ("nominal", "ordinal")
    assert in_order(score, "key", "value", "role") == [
        ("2", 2, "positive"),
        ("1", 1, "neutral"),
        ("0", 0, "negative"),
        ("private_responses", None, "excluding"),
        ("private_questions", None, "excluding"),
        ("abandon", None, "excluding"),
    ]
    assert [option["label"] for option in score["options"]][:5] == ["2", "1", "0", "-1", "-2"]


def test_e_3_and_e_4_the_labels_of_diqad_in_english(diqad):
    criteria = by_key(diqad)
    assert [option["label"] for option in criteria["reasons_1"]["options"]] == REASONS_1
    assert [option["label"] for option in criteria["reasons_0"]["options"]] == REASONS_0
    *_, responses, questions, abandon = criteria["score"]["options"]
    assert "responses" in responses["definition"]
    assert "questions" in questions["definition"]
    assert (abandon["label"], "phone number" in abandon["definition"]) == ("abandon", True)


@both_languages
def test_e_6_reasons_are_required_and_marking_turns_is_not(name, request):
    criteria = by_key(request.getfixturevalue(name))
    assert [criteria[key]["required"] for key in ("reasons_1", "reasons_0", "support")] == [True, True, False]


def test_e_3_the_chinese_version_has_a_longer_list_for_0_that_contains_the_english_one(diqad, chinese):
    ours, theirs = ([option["key"] for option in by_key(doc)["reasons_0"]["options"]] for doc in (diqad, chinese))
    assert len(theirs) > len(ours) == 6
    assert [key for key in theirs if key in ours] == ours
    for key in ("knowledge", "score", "reasons_1"):
        theirs, ours = (in_order(by_key(doc)[key], "key", "value", "role") for doc in (chinese, diqad))
        assert theirs == ours


def test_e_15_the_texts_of_the_chinese_version_are_chinese(chinese):
    assert chinese["language"] == "zh-Hans"
    for text in [*visible_texts(chinese), chinese["summary"]]:
        assert text in {"1", "0", "2", "-1", "-2"} or re.search("[\u4e00-\u9fff]", text), text
        # A line broken between two characters would show as a blank, which Chinese sentences have none of.
        assert not re.search("[\u4e00-\u9fff，。；：、][ \\n][\u4e00-\u9fff]", text), text


@pytest.mark.django_db
def test_both_versions_of_diqad_are_of_one_protocol_and_the_english_one_is_taken_by_default(diqad, chinese):
    stored = [store_bundle(doc, publish=True, now=NOW)[0] for doc in (chinese, diqad)]
    assert len({version.protocol_id for version in stored}) == 1
    assert str(find_version("diqad")) == "diqad 1.0"
    assert str(find_version("diqad@1.0-zh")) == "diqad 1.0-zh"
