"""The two sides of a comparison: options mirror each other, and what cannot be compared is refused."""

from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.bundles import check_bundle, complete_bundle
from protocols.services import create_protocol
from protocols.sides import mirror_places
from protocols.specs import spec_of_document
from tests.clock import NOW
from tests.comparing import COMPARED


def doc(**changes):
    return deepcopy(COMPARED) | changes


def question(made):
    return made["criteria"][0]


def options(made, *roles):
    question(made)["options"] = [
        {"key": f"o{at}", "label": f"Option {at}", "role": role} for at, role in enumerate(roles)
    ]


def first_error(made):
    errors = check_bundle(made)
    assert errors, "accepted"
    return errors[0].path, errors[0].reason


def test_left_and_right_mirror_each_other_by_their_distance_from_the_middle():
    spec = spec_of_document(complete_bundle(COMPARED)).criteria[0]
    mirrored = {option.key: spec.mirrors[option.id].key for option in spec.options}
    assert mirrored == {
        "much-left": "much-right", "left": "right", "equal": "equal", "right": "left", "much-right": "much-left",
        "bad": "bad", "unsure": "unsure",
    }  # fmt: skip


@given(st.lists(st.sampled_from(["left", "right", "equal", "both_bad", "unsure"]), max_size=8))
def test_the_mirror_of_a_mirror_is_the_option_itself(roles):
    places = mirror_places(roles)
    assert all(places[places[at]] == at for at in range(len(roles)))


BROKEN = {
    "no_right": (lambda d: options(d, "left", "equal"), "criteria[0].options", "has no option with the role right"),
    "no_left": (lambda d: options(d, "right", "both_bad"), "criteria[0].options", "has no option with the role left"),
    "no_side": (lambda d: options(d, "equal", "both_bad"), "criteria[0].options", "has no option with the role left"),
    "three_sides": (
        lambda d: options(d, "left", "left", "right"),
        "criteria[0].options[1]",
        "“Option 1” has no mirror",
    ),
    "turned": (lambda d: options(d, "right", "left"), "criteria[0].options[0]", "stands before its mirror, “Option 1”"),
    "crossed": (
        lambda d: options(d, "left", "right", "left", "right"),
        "criteria[0].options[1]",
        "“Option 1” is right and stands before its mirror, “Option 2”",
    ),
    "good": (lambda d: options(d, "left", "positive", "right"), "criteria[0].options[1].role", "is positive, which"),
    "kind": (lambda d: question(d).update(kind="multiple"), "criteria[0].kind", "a comparison has one answer"),
    "reasons": (
        lambda d: question(d)["options"][1].update(asks="free_text"),
        "criteria[0].options[3].asks",
        "is nothing, but its mirror “Better on the left” has free_text",
    ),
    "elsewhere": (
        lambda d: d.update(unit="response", mode="absolute"),
        "criteria[0].unit",
        "is response, but its answers are the sides of a comparison",
    ),
    "one_elsewhere": (
        lambda d: d.update(unit="response", mode="absolute") or options(d, "positive", "both_bad"),
        "criteria[0].options[1].role",
        "is both_bad, but the question is about a response",
    ),
    "one_by_one": (lambda d: d.update(mode="absolute"), "mode", "is absolute, but candidates are compared"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_comparison_without_two_sides_that_mirror_each_other_is_refused(name):
    spoil, path, part = BROKEN[name]
    made = doc()
    spoil(made)
    found = first_error(made)
    assert found[0] == path
    assert part in found[1]


def test_a_comparative_protocol_that_compares_nothing_is_refused():
    made = doc(unit="response")
    question(made).update(unit="response", examples=[])
    options(made, "positive", "negative")
    assert first_error(made)[0] == "mode"


@pytest.mark.parametrize("unit", ["candidate_set", "model"])
def test_several_responses_together_may_be_judged_comparatively(unit):
    made = doc(unit=unit)
    question(made).update(examples=[])
    options(made, "positive", "negative")
    assert check_bundle(made) == []


def numbered(*values):
    made = doc()
    question(made).update(scale="interval", examples=[])
    options(made, "left", "equal", "right")
    for option, value in zip(question(made)["options"], values, strict=True):
        option["value"] = value
    return made


def test_numbers_mirror_each_other_too():
    assert check_bundle(numbered(-1, 0, 1)) == []
    assert check_bundle(numbered(5, 3, 1)) == []
    path, reason = first_error(numbered(-2, 0, 1))
    assert path == "criteria[0].options.value"
    assert "same distance from the middle" in reason


def test_both_bad_has_no_place_in_an_order():
    made = numbered(-1, 0, 1)
    question(made)["options"].append({"key": "bad", "label": "Bad", "role": "both_bad", "value": 9})
    assert first_error(made) == (
        "criteria[0].options[3].role",
        "is both_bad, which has no place in an order (expected another role, or scale: nominal)",
    )


def dependent(*named):
    made = doc()
    why = deepcopy(question(made)) | {"key": "why", "name": "Clarity", "examples": []}
    why["when"] = [{"criterion": "better", "options": list(named)}]
    made["criteria"].append(why)
    return made


def test_a_condition_names_both_sides_or_none():
    assert check_bundle(dependent("left", "right")) == []
    assert check_bundle(dependent("equal")) == []
    path, reason = first_error(dependent("left", "equal"))
    assert path == "criteria[1].when[0].options"
    assert "left without its mirror" in reason


def test_nothing_is_computed_from_a_comparison():
    made = doc()
    made["criteria"].append({
        "key": "sum", "name": "Sum", "question": "?", "kind": "computed", "unit": "response",
        "options": [{"key": "a", "label": "A"}, {"key": "b", "label": "B"}],
        "rules": [{"when": [{"criterion": "better", "options": ["left"]}], "option": "a"}, {"option": "b"}],
    })  # fmt: skip
    assert first_error(made)[0] == "criteria[1].rules[0].when[0].criterion"


def test_an_example_of_a_comparison_shows_two_candidates_and_evaluates_both_at_once():
    made = doc()
    example = question(made)["examples"][0]
    example["candidates"].pop()
    assert first_error(made)[0] == "criteria[0].examples[0].candidates"
    made = doc()
    question(made)["examples"][0]["candidates"][0]["option"] = "left"
    assert "the example is about both" in first_error(made)[1]


@pytest.mark.django_db
def test_a_new_protocol_that_compares_begins_with_two_sides():
    version = create_protocol(slug="pairs", name="Pairs", language="en", unit="comparison", now=NOW)
    assert version.mode == "comparative"
    assert [option.role for option in version.criteria.get().options.all()] == ["left", "equal", "right", "both_bad"]
