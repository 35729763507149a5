import copy

import pytest
from hypothesis import HealthCheck, given, settings

from protocols.bundles import complete_bundle
from protocols.linting import lint
from protocols.services import store_bundle
from tests.protocols.conftest import NOW
from tests.protocols.generated import bundles

UNSURE = {"key": "unsure", "label": "I don't know", "role": "unsure"}


@pytest.fixture
def sound(small):
    """The small bundle with nothing left to warn of."""
    small["criteria"][0]["options"].append(dict(UNSURE))
    return small | {"guidelines_short": "Read first.", "guidelines": "Read all of it first."}


def first(doc):
    return doc["criteria"][0]


def second(doc):
    """A second criterion, and the document with it."""
    doc["criteria"].append(copy.deepcopy(first(doc)) | {"key": "style", "name": "Style"})
    return doc["criteria"][1]


def warnings(doc):
    return [(warning.code, warning.path) for warning in lint(complete_bundle(doc))]


def numbered(values):
    return [{"key": f"o{value}", "label": f"{value}", "value": value} for value in values]


def test_a_sound_bundle_has_no_warnings(sound):
    assert warnings(sound) == []


def test_a_warning_says_where_what_and_what_to_do(small):
    warning = next(each for each in lint(complete_bundle(small)) if each.code == "no_unsure")
    assert str(warning).startswith(
        "criteria[0].options: There is no option for annotators who cannot tell. Add one that has the role"
    )


def test_no_warning_keeps_a_version_from_being_published(db, small):
    assert lint(complete_bundle(small))
    assert store_bundle(small, publish=True, now=NOW)[0].status == "published"


@pytest.mark.parametrize("name", ["guidelines_short", "guidelines"])
def test_missing_guidelines_are_warned_of(sound, name):
    del sound[name]
    assert warnings(sound) == [("no_guidelines", name)]


# --- a role by chance ------------------------------------------------------------------------------
def test_a_renamed_answer_that_still_counts_as_unsure_is_warned_of(sound):
    first(sound)["options"][-1]["label"] = "Jokes"
    place = f"criteria[0].options[{len(first(sound)['options']) - 1}].role"
    assert warnings(sound) == [("unsure_by_chance", place)]
    first(sound)["options"][-1]["key"] = "jokes"
    assert warnings(sound) == []
    options = [{"key": "asks", "label": "Asks"}, {"key": "jokes", "label": "Jokes", "role": "unsure"}]
    first(sound).update(kind="multiple", options=options, examples=[])
    assert ("unsure_by_chance", "criteria[0].options[1].role") in warnings(sound)


@pytest.mark.parametrize(
    "label", ["I don’t know", "Not sure", "Cannot tell", "Non so", "Non saprei", "不知道", "无法判断"]
)
def test_other_words_for_not_knowing_are_unsure_on_purpose(sound, label):
    first(sound)["options"][-1]["label"] = label
    assert warnings(sound) == []


# --- no way out ------------------------------------------------------------------------------------
def test_two_or_three_names_without_one_for_the_unsure_are_warned_of(sound):
    first(sound)["options"][2]["role"] = "neutral"
    assert warnings(sound) == [("no_unsure", "criteria[0].options")]


def test_a_scale_needs_no_option_for_the_unsure(sound):
    first(sound).update(scale="ordinal", options=numbered([1, 2, 3]), examples=[example("o1")])
    assert warnings(sound) == []


def test_a_multiple_choice_needs_no_option_for_the_unsure(sound):
    first(sound).update(kind="multiple", options=numbered([1, 2]), examples=[example("o1")])
    assert warnings(sound) == []


def example(option):
    return {"title": "One", "history": [{"speaker": "A", "text": "Hello"}], "option": option}


# --- leading questions -----------------------------------------------------------------------------
@pytest.mark.parametrize(
    "question",
    [
        "Don’t you agree that it fits?",
        "It fits, ISN'T IT?",
        "How good is it?",
        "Is it obviously wrong?",
        "Non è vero che va bene?",
        "Quanto è buona la risposta?",
        "难道这个回答不合适吗?",
    ],
)
def test_a_question_that_leads_is_warned_of(sound, question):
    first(sound)["question"] = question
    assert warnings(sound) == [("leading_question", "criteria[0].question")]


@pytest.mark.parametrize("question", ["How goodhearted is it?", "Is it in italics?", "这个回答合适吗?"])
def test_a_question_that_does_not_lead_is_none(sound, question):
    first(sound)["question"] = question
    assert warnings(sound) == []


def test_a_translated_question_that_leads_is_warned_of(sound):
    sound["translations"] = {"it": {"criteria": {"fit": {"question": "Ovviamente va bene?"}}}}
    assert ("leading_question", "translations.it.criteria.fit.question") in warnings(sound)


# --- texts used twice ------------------------------------------------------------------------------
def test_two_options_with_one_text_are_warned_of(sound):
    first(sound)["options"][0]["definition"] = "It suits."
    first(sound)["options"][1]["conditions"] = ["Else.", "it  suits."]
    assert warnings(sound) == [("same_text", "criteria[0].options[1].conditions[1]")]


def test_an_anchor_copied_from_another_criterion_is_warned_of(sound):
    first(sound)["options"][0]["definition"] = "It suits."
    second(sound)["options"][1]["label"] = "Another"
    assert warnings(sound) == [("copied_anchor", "criteria[1].options[0].definition")]


@pytest.mark.parametrize("is_named", [True, False], ids=["by name", "written out"])
def test_criteria_may_share_a_scale_with_definitions(sound, is_named):
    options = first(sound)["options"]
    options[0]["definition"], options[1]["definition"] = "It suits.", "It does not suit."
    second(sound)
    if is_named:
        sound["scales"] = {"fitting": options}
        for criterion in sound["criteria"]:
            criterion["options"] = "fitting"
    assert warnings(sound) == []


def test_i_do_not_know_may_be_explained_alike_everywhere(sound):
    first(sound)["options"][2]["definition"] = "You cannot tell."
    second(sound)
    assert warnings(sound) == []


# --- number and balance of options -------------------------------------------------------------------
@pytest.mark.parametrize(("n", "codes"), [(9, []), (10, ["too_many_options"]), (11, []), (12, ["too_many_options"])])
def test_more_options_than_digits_are_warned_of_unless_they_are_0_to_10(sound, n, codes):
    first(sound).update(scale="ordinal", options=numbered(range(n)), examples=[example("o1")])
    assert [code for code, _ in warnings(sound)] == codes


@pytest.mark.parametrize("points", [range(1, 11), range(101)])
def test_a_scale_from_1_to_10_or_from_0_to_100_is_not_too_long(sound, points):
    first(sound).update(scale="interval", options=numbered(points), examples=[example("o1")])
    assert warnings(sound) == []


def test_more_positive_than_negative_options_are_warned_of(sound):
    first(sound)["options"].append({"key": "very", "label": "Very much", "role": "positive"})
    assert warnings(sound) == [("unbalanced", "criteria[0].options")]


# --- examples ----------------------------------------------------------------------------------------
def test_a_question_without_an_example_is_warned_of(sound):
    first(sound)["examples"] = []
    assert warnings(sound) == [("no_example", "criteria[0].examples")]


def test_what_is_computed_needs_no_example(sound):
    second(sound).update(kind="computed", rules=[{"option": "yes"}], examples=[])
    del sound["criteria"][1]["options"][1]["asks"], sound["criteria"][1]["options"][1]["explanations"]
    assert warnings(sound) == []


# --- translations --------------------------------------------------------------------------------------
def test_missing_translations_are_counted_by_language(sound):
    sound["translations"] = {"it": {"name": "Piccolo"}, "de": {"criteria": {"fit": {"name": "Passt"}}}}
    found = [warning for warning in lint(complete_bundle(sound)) if warning.code == "untranslated"]
    # Name, two guidelines; name and question; three labels and a reason; title, turn, response and why.
    assert [(each.path, each.sentence) for each in found] == [
        ("translations.it", "12 of 13 texts are not translated."),
        ("translations.de", "12 of 13 texts are not translated."),
    ]


def test_a_complete_translation_is_not_warned_of(sound):
    options = {"yes": {"label": "Sì"}, "no": {"label": "No", "explanations": {"dull": "Annoia."}}}
    example = {
        "title": "Un saluto",
        "history": [{"speaker": "A", "text": "Ciao"}],
        "candidates": [{"text": "Ciao a te", "why": "Ricambia il saluto."}],
    }
    fit = {"name": "Va", "question": "Va bene?", "options": options | {"unsure": {"label": "Non so"}}}
    fit["examples"] = [example]
    sound["translations"] = {
        "it": {"name": "Piccolo", "guidelines_short": "Leggi.", "guidelines": "Leggi tutto.", "criteria": {"fit": fit}}
    }
    assert warnings(sound) == []


@settings(max_examples=30, suppress_health_check=list(HealthCheck))
@given(bundles())
def test_every_bundle_can_be_looked_through_and_every_warning_says_what_to_do(doc):
    for warning in lint(complete_bundle(doc)):
        assert all((warning.path, warning.code, warning.sentence, warning.advice))


@pytest.mark.parametrize(
    ("granularity", "label", "is_warned"),
    [
        ("dialogue", "Response 1", True),
        ("dialogue", "Risposta 1", True),
        ("dialogue", "Dialogue 1", False),
        ("dialogue", "Speaker 1", False),
        ("turn", "Dialogue 1", True),
        ("turn", "Response 1 is better", False),
    ],
)
def test_sides_called_like_the_other_thing_that_can_be_compared(sound, granularity, label, is_warned):
    pair = [{"key": "a", "label": label, "role": "left"}, {"key": "b", "label": "The other", "role": "right"}]
    doc = sound | {"granularity": granularity, "mode": "comparative", "unit": "comparison"}
    first(doc)["options"] = [*pair, dict(UNSURE)]
    first(doc)["examples"] = []
    found = [each for each in lint(complete_bundle(doc)) if each.code == "other_sides"]
    assert [each.path for each in found] == ["criteria[0].options[0].label"] * is_warned
