"""What each option of the HE protocol asks for, and what it refuses."""

import pytest

from protocols.answers import LONGEST_TEXT, Given, InvalidAnswer, parse_answer
from protocols.bundles import load_bundle
from protocols.models import Explanation
from protocols.selectors import BUILTIN
from protocols.services import store_bundle
from protocols.specs import spec_of
from tests.protocols.conftest import NOW

WORDS = "because of three words"
EXPLAINED = [
    ("appropriateness", "appropriate", ["coherent"]),
    ("appropriateness", "not_appropriate", ["incoherent"]),
    ("contextualization", "not_contextualized", ["generic", "hallucination"]),
    ("correctness", "not_correct", ["grammar", "repetition"]),
]
FREE_TEXT = [(key, "unsure") for key in ("appropriateness", "contextualization", "correctness")]
NOTHING = [
    ("contextualization", "contextualized"),
    ("correctness", "correct"),
    ("listening", "listening"),
    ("listening", "not_listening"),
    ("listening", "unsure"),
]


@pytest.fixture
def spec(db, he_bundle):
    return spec_of(store_bundle(he_bundle, publish=True, now=NOW)[0])


def chosen(spec, criterion_key, option_key):
    criterion = spec.by_key[criterion_key]
    return criterion, next(option for option in criterion.options if option.key == option_key)


def parse(criterion, option="", explanations=(), free_text=""):
    return parse_answer(criterion, Given(option, tuple(explanations), free_text))


def errors(*args, **kwargs):
    with pytest.raises(InvalidAnswer) as caught:
        parse(*args, **kwargs)
    return caught.value.errors


def test_the_cases_below_cover_every_option(spec):
    covered = {(key, option) for key, option, *_ in [*EXPLAINED, *FREE_TEXT, *NOTHING]}
    assert covered == {(each.key, option.key) for each in spec.criteria for option in each.options}


@pytest.mark.parametrize(("criterion", "option", "keys"), EXPLAINED)
def test_an_explained_option_offers_exactly_its_explanations(spec, criterion, option, keys):
    _, found = chosen(spec, criterion, option)
    assert [each.key for each in found.explanations] == keys


@pytest.mark.parametrize(("criterion", "option", "keys"), EXPLAINED)
def test_an_explained_option_takes_several_explanations_a_text_both_or_neither(spec, criterion, option, keys):
    criterion, option = chosen(spec, criterion, option)
    codes, ids = [each.code for each in option.explanations], tuple(each.id for each in option.explanations)
    assert parse(criterion, option.code, codes).explanation_ids == ids
    assert parse(criterion, option.code, reversed(codes)).explanation_ids == ids
    assert parse(criterion, option.code, codes, WORDS).free_text == WORDS
    assert parse(criterion, option.code, [], WORDS).explanation_ids == ()
    assert parse(criterion, option.code).option_id == option.id


@pytest.mark.parametrize(("criterion", "option", "keys"), EXPLAINED)
def test_other_needs_a_text(spec, criterion, option, keys):
    criterion, option = chosen(spec, criterion, option)
    assert parse_answer(criterion, Given(option.code, (), WORDS, other=True)).free_text == WORDS
    with pytest.raises(InvalidAnswer) as caught:
        parse_answer(criterion, Given(option.code, ("a",), " ", other=True))
    assert caught.value.errors == {"free_text": "Write your own reason in 3 to 30 words, or untick “Other”."}


@pytest.mark.parametrize(("criterion", "option"), NOTHING)
def test_an_option_that_asks_nothing_has_no_other(spec, criterion, option):
    criterion, option = chosen(spec, criterion, option)
    with pytest.raises(InvalidAnswer):
        parse_answer(criterion, Given(option.code, other=True))


@pytest.mark.parametrize(("criterion", "option"), FREE_TEXT)
def test_i_do_not_know_requires_a_text(spec, criterion, option):
    criterion, option = chosen(spec, criterion, option)
    assert parse(criterion, option.code, [], WORDS).free_text == WORDS
    for blank in ("", "  \n", "\x00"):
        assert set(errors(criterion, option.code, [], blank)) == {"free_text"}
    assert "explanations" in errors(criterion, option.code, ["a"], WORDS)


@pytest.mark.parametrize(("criterion", "option"), NOTHING)
def test_an_option_that_asks_nothing_takes_nothing(spec, criterion, option):
    criterion, option = chosen(spec, criterion, option)
    assert parse(criterion, option.code).explanation_ids == ()
    assert set(errors(criterion, option.code, [], WORDS)) == {"free_text"}
    assert set(errors(criterion, option.code, ["a"], "")) == {"explanations"}


@pytest.mark.parametrize(("criterion", "option"), [each[:2] for each in EXPLAINED] + FREE_TEXT)
@pytest.mark.parametrize(("words", "fits"), [(1, False), (2, False), (3, True), (30, True), (31, False)])
def test_a_text_has_3_to_30_words(spec, criterion, option, words, fits):
    criterion, option = chosen(spec, criterion, option)
    text = " ".join(["word"] * words)
    if fits:
        assert parse(criterion, option.code, [], text).free_text == text
    else:
        assert f"Your text has {words}" in errors(criterion, option.code, [], text)["free_text"]


def test_three_endless_words_are_too_long(spec):
    criterion, option = chosen(spec, "correctness", "unsure")
    assert "free_text" in errors(criterion, option.code, [], f"a b {'c' * LONGEST_TEXT}")


@pytest.mark.parametrize("code", ["", "0", "4", "a", "appropriate", "1 ", "١"])
def test_an_unknown_option_is_refused(spec, code):
    assert set(errors(spec.by_key["appropriateness"], code)) == {"option"}


@pytest.mark.parametrize("code", ["", "c", "1", "generic", "A"])
def test_an_unknown_explanation_is_refused(spec, code):
    criterion, option = chosen(spec, "contextualization", "not_contextualized")
    assert set(errors(criterion, option.code, ["a", code])) == {"explanations"}


def test_a_text_is_stored_stripped_and_in_nfc(spec):
    criterion, option = chosen(spec, "correctness", "unsure")
    assert parse(criterion, option.code, [], " cafe\u0301 or not\n").free_text == "café or not"


def test_codes_are_places_and_tell_nothing(spec):
    for criterion in spec.criteria:
        assert [option.code for option in criterion.options] == ["1", "2", "3"]
        for option in criterion.options:
            assert [each.code for each in option.explanations] == ["a", "b"][: len(option.explanations)]


def test_no_refusal_gives_a_key_or_sub_dimension_away(spec):
    hidden = {each.key for each in Explanation.objects.all()} | {
        each.sub_dimension.lower() for each in Explanation.objects.all()
    }
    for criterion in spec.criteria:
        for option in criterion.options:
            said = " ".join(errors(criterion, option.code, ["z"], "too short").values()).lower()
            assert not [word for word in hidden if word in said]


def test_a_protocol_without_reasons_needs_none(db):
    """Nothing in the engine asks for an explanation or an "I don't know"."""
    doc = load_bundle(BUILTIN / "three-point-coherence-1.0.yaml")
    (criterion,) = spec_of(store_bundle(doc, publish=True, now=NOW)[0]).criteria
    assert [option.value for option in criterion.options] == [1, 2, 3]
    assert parse(criterion, "2").option_id == criterion.options[1].id
