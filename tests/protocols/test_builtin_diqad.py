"""DiQAD as it ships, in English and Chinese: orders, labels, values, roles, conditions and examples."""

import re

import pytest

from protocols.answers import Given, InvalidAnswer, parse_answer
from protocols.bundles import complete_bundle, load_bundle
from protocols.selectors import BUILTIN, find_version
from protocols.services import store_bundle
from protocols.specs import spec_of_document
from tests.protocols.conftest import NOW, by_key, in_order, visible_texts


@pytest.fixture(scope="module")
def diqad():
    return load_bundle(BUILTIN / "diqad-1.0.yaml")


@pytest.fixture(scope="module")
def chinese():
    return load_bundle(BUILTIN / "diqad-1.0-zh.yaml")


def labels_of(doc, key):
    return [option["label"] for option in by_key(doc)[key]["options"]]


LABELS = {
    ("diqad", "knowledge"): ["1", "0"],
    ("diqad", "score"): ["2", "1", "0", "-1", "-2", "abandon (phone number)"],
    ("diqad", "reasons_1"): ["incomplete", "less informative", "less proactive", "none"],
    ("diqad", "reasons_0"): [
        "no or wrong answer", "not relevant", "not empathetic", "grammatical error", "not consistent", "none",
    ],
    ("chinese", "knowledge"): ["1", "0"],
    ("chinese", "score"): ["2", "1", "0", "-1", "-2", "电话类"],
    ("chinese", "reasons_1"): ["回答无延伸", "回答部分满足", "泛需满足", "无"],
    ("chinese", "reasons_0"): [
        "未解决问题", "答非所问", "回答敷衍", "答非所问-回答不相关", "答非所问-回答相关_关键词不匹配",
        "答非所问-回答相关_不针对问题", "回答错误", "回答抄袭", "其他", "无",
    ],
}  # fmt: skip
KEYS = {
    ("diqad", "reasons_1"): ["incomplete", "less_informative", "less_proactive", "none"],
    ("diqad", "reasons_0"): [
        "no_or_wrong_answer", "not_relevant", "not_empathetic", "grammatical_error", "not_consistent", "none",
    ],
    ("chinese", "reasons_1"): ["less_informative", "incomplete", "less_proactive", "none"],
    ("chinese", "reasons_0"): [
        "unresolved", "not_relevant", "perfunctory", "not_relevant_unrelated", "not_relevant_keyword",
        "not_relevant_beside_the_point", "wrong_answer", "copied", "other", "none",
    ],
}  # fmt: skip
both_languages = pytest.mark.parametrize("name", ["diqad", "chinese"])
both_reasons = pytest.mark.parametrize("key", ["reasons_1", "reasons_0"])


@both_languages
def test_diqad_rates_whole_dialogues_after_a_reading_time(name, request):
    doc = request.getfixturevalue(name)
    head = ("unit", "granularity", "order", "reading_seconds")
    assert [doc[key] for key in head] == ["dialogue", "dialogue", "item_first", 20]
    assert doc["max_minutes"] * 60 >= 2000 * doc["reading_seconds"]  # or nobody could keep a seat of a large batch


@both_languages
def test_the_guidelines_of_diqad_list_six_dimensions_and_explain_every_answer(name, request):
    doc = request.getfixturevalue(name)
    first_cells = re.findall(r"^\| ([^|]+) \|", doc["guidelines"], re.MULTILINE)
    assert [cell for cell in first_cells if cell in "123456"][:6] == list("123456")
    for key in ("score", "reasons_1", "reasons_0"):
        assert set(labels_of(doc, key)) <= set(first_cells)


def test_the_six_dimensions_of_diqad_are_named_in_order(diqad):
    found = re.findall(r"^\| \d \| (\w+) \|", diqad["guidelines"], re.MULTILINE)
    assert found == ["Grammaticality", "Relevance", "Consistency", "Empathy", "Proactivity", "Informativeness"]


@both_languages
def test_diqad_asks_in_order_and_asks_for_what_depends_on_the_score(name, request):
    criteria = by_key(request.getfixturevalue(name))
    assert list(criteria) == ["knowledge", "score", "reasons_1", "reasons_0", "support"]
    assert [each["kind"] for each in criteria.values()] == ["single", "single", "multiple", "multiple", "turns"]
    for key, option in (("reasons_1", "1"), ("reasons_0", "0"), ("support", "2")):
        assert criteria[key]["when"] == [{"criterion": "score", "options": [option]}]
    assert not any("when" in criteria[key] for key in ("knowledge", "score"))


def test_the_chinese_questions_have_the_names_of_the_source(chinese):
    names = [criterion["name"] for criterion in chinese["criteria"]]
    assert names == ["答案是否需要验证", "质量判断", "1分标签", "0分标签", "依据话轮"]


@pytest.mark.parametrize(("name", "key"), LABELS)
def test_every_answer_of_diqad_has_the_label_of_the_source(name, key, request):
    assert labels_of(request.getfixturevalue(name), key) == LABELS[name, key]


@pytest.mark.parametrize(("name", "key"), KEYS)
def test_the_reasons_of_diqad_have_these_keys(name, key, request):
    assert [option["key"] for option in by_key(request.getfixturevalue(name))[key]["options"]] == KEYS[name, key]


@both_languages
def test_the_score_has_three_values_and_three_answers_that_exclude(name, request):
    score, knowledge = (by_key(request.getfixturevalue(name))[key] for key in ("score", "knowledge"))
    assert in_order(knowledge, "key", "value", "role") == [("yes", 1, "neutral"), ("no", 0, "neutral")]
    assert (knowledge["scale"], score["scale"]) == ("nominal", "ordinal")
    assert in_order(score, "key", "value", "role") == [
        ("2", 2, "positive"),
        ("1", 1, "neutral"),
        ("0", 0, "negative"),
        ("private_responses", None, "excluding"),
        ("private_questions", None, "excluding"),
        ("abandon", None, "excluding"),
    ]


def test_private_data_of_the_responses_is_minus_one_and_of_the_questions_minus_two(diqad):
    *_, responses, questions, abandon = by_key(diqad)["score"]["options"]
    assert "responses" in responses["definition"]
    assert "questions" in questions["definition"]
    assert "phone number" in abandon["definition"]


@both_languages
def test_reasons_are_required_and_marking_turns_is_not(name, request):
    criteria = by_key(request.getfixturevalue(name))
    assert [criteria[key]["required"] for key in ("reasons_1", "reasons_0", "support")] == [True, True, False]


@both_languages
@both_reasons
def test_of_the_reasons_only_none_stands_alone(name, key, request):
    criterion = by_key(request.getfixturevalue(name))[key]
    assert [option["key"] for option in criterion["options"] if option.get("alone")] == ["none"]


@both_languages
@both_reasons
def test_none_is_an_answer_and_none_beside_another_reason_is_refused(name, key, request):
    criterion = spec_of_document(complete_bundle(request.getfixturevalue(name))).by_key[key]
    first, none = criterion.options[0], criterion.options[-1]
    assert parse_answer(criterion, Given(options=(none.code,))).choice_ids == (none.id,)
    with pytest.raises(InvalidAnswer, match=f"“{none.label}” cannot be combined with other answers"):
        parse_answer(criterion, Given(options=(first.code, none.code)))


@both_languages
def test_every_score_and_reason_of_diqad_has_an_example_and_every_example_can_be_given(name, request):
    doc = request.getfixturevalue(name)
    spec = spec_of_document(complete_bundle(doc))
    for key in ("knowledge", "score", "reasons_1", "reasons_0"):
        criterion = spec.by_key[key]
        shown = {example["option"] for example in by_key(doc)[key]["examples"]}
        assert shown == {option.key for option in criterion.options} - {"none"}
        for option in map(criterion.option_named, shown):
            is_single = criterion.kind == "single"
            answer = parse_answer(criterion, Given(option.code) if is_single else Given(options=(option.code,)))
            assert option.id in (answer.option_id, *answer.choice_ids)


def test_the_texts_of_the_chinese_version_are_chinese(chinese):
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
