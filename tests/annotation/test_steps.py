from dataclasses import replace
from uuid import UUID

import pytest

from annotation.steps import ItemText, SavedAnswer, choices_of, first_unanswered, order_items, steps_of
from protocols.specs import CriterionSpec, ExplanationSpec, OptionSpec, VersionSpec


def make_criterion(key: str, values: tuple[float | None, ...] = (None, None)) -> CriterionSpec:
    options = tuple(
        OptionSpec(place, f"o{place}", str(place), f"Option {place}", "", "neutral", value, "nothing", ())
        for place, value in enumerate(values, start=1)
    )
    return CriterionSpec(1, key, key.title(), "?", "", "nominal", options)


def make_spec(order: str, n_criteria: int = 2) -> VersionSpec:
    criteria = tuple(make_criterion(f"c{n}") for n in range(1, n_criteria + 1))
    return VersionSpec(1, order, "response", criteria, {each.key: each for each in criteria}, {})


def make_items(n: int) -> list[ItemText]:
    return [ItemText(UUID(int=number), (f"text {number}",)) for number in range(n)]


def layout(order: str, n_items: int = 2) -> list[tuple[list[str], int]]:
    steps = steps_of(make_spec(order), make_items(n_items), {})
    return [([question.criterion.key for _, question in step.questions], step.part.item.token.int) for step in steps]


def test_criterion_first_asks_one_question_of_every_item_and_then_the_next_question():
    assert layout("criterion_first") == [(["c1"], 0), (["c1"], 1), (["c2"], 0), (["c2"], 1)]


def test_item_first_asks_all_questions_of_an_item_on_one_page():
    assert layout("item_first") == [(["c1", "c2"], 0), (["c1", "c2"], 1)]


@pytest.mark.parametrize("order", ["criterion_first", "item_first"])
def test_a_version_without_questions_has_no_steps(order: str):
    assert steps_of(make_spec(order, n_criteria=0), make_items(2), {}) == ()


def test_steps_are_numbered_from_one_and_know_their_place_among_the_items():
    steps = steps_of(make_spec("criterion_first"), make_items(3), {})
    assert [step.number for step in steps] == [1, 2, 3, 4, 5, 6]
    assert [step.part.number for step in steps] == [1, 2, 3, 1, 2, 3]


def test_the_order_of_items_differs_between_annotators_and_is_the_same_on_return():
    items = make_items(12)
    mine, mine_again, other = (order_items(seed, items) for seed in (1, 1, 2))
    assert mine == mine_again
    assert mine != other
    assert set(mine) == set(other) == set(items)


def test_the_order_does_not_depend_on_the_order_in_the_database():
    items = make_items(12)
    assert order_items(5, items) == order_items(5, reversed(items))


def test_every_place_is_as_likely_for_every_item():
    items = make_items(3)
    firsts = [order_items(seed, items)[0].token.int for seed in range(900)]
    assert all(240 < firsts.count(number) < 360 for number in range(3))


def test_the_first_unanswered_step_is_the_first_with_any_question_open():
    items, saved = make_items(2), SavedAnswer("1", is_saved=True)
    answers = {(items[0].token, "c1"): saved, (items[0].token, "c2"): saved, (items[1].token, "c1"): saved}
    assert first_unanswered(steps_of(make_spec("item_first"), items, answers)).number == 2
    answers[items[1].token, "c2"] = saved
    assert first_unanswered(steps_of(make_spec("item_first"), items, answers)) is None


@pytest.mark.parametrize(
    ("values", "keys"),
    [
        ((5, 4, 3, 2, 1), "54321"),  # one presses the digit one means
        ((None, None, None), "123"),
        ((1, None), "12"),
        ((2, 1, 0, -1, -2, None), "210-1-23"),  # a key never stands for another number than its own
        ((1, 1), "12"),
        ((0.5, 1.5), "12"),
        ((1, 0), "10"),
        ((-10, 0, 10), "-10010"),
        (tuple(range(1, 11)), "12345678910"),
        ((0, 50, 100), "050100"),
        ((1000, 2), "12"),
        ((None,) * 11, "1234567890a"),
        ((*range(11),), "012345678910"),
        ((None,) * 17, "1234567890abcdehi"),  # f, g, m and u are commands
    ],
)
def test_keys_are_the_digits_of_a_scale_or_else_the_places(values: tuple, keys: str):
    choices = choices_of(make_criterion("c", values))
    assert "".join(choice.key for choice in choices) == keys
    assert [choice.option.code for choice in choices] == [str(place) for place in range(1, len(values) + 1)]


def with_roles(*roles: str):
    criterion = make_criterion("c", (None,) * len(roles))
    options = tuple(replace(option, role=role) for option, role in zip(criterion.options, roles, strict=True))
    return replace(criterion, options=options)


@pytest.mark.parametrize(
    ("roles", "keys", "arrows"),
    [
        (("left", "right"), "12", "←→"),
        (("left", "equal", "right", "both_bad"), "1320", "←↓→ "),
        (("left", "left", "equal", "right", "right", "both_bad", "unsure"), "1234506", " ←↓→   "),
        (("left", "equal", "equal", "right"), "1342", "←↓ →"),
        (("positive", "negative"), "12", "  "),
    ],
)
def test_the_sides_of_a_comparison_have_arrows_and_fixed_digits(roles: tuple, keys: str, arrows: str):
    choices = choices_of(with_roles(*roles))
    assert "".join(choice.key for choice in choices) == keys
    assert "".join(choice.arrow_sign or " " for choice in choices) == arrows


def test_a_label_that_is_a_number_is_the_key_of_an_answer_without_a_value():
    criterion = make_criterion("c", (2, 1, 0, None, None, None))
    labels = ("2", "1", "0", "-1", "−2", "abandon")
    options = tuple(replace(each, label=label) for each, label in zip(criterion.options, labels, strict=True))
    assert [choice.key for choice in choices_of(replace(criterion, options=options))] == [
        "2",
        "1",
        "0",
        "-1",
        "-2",
        "3",
    ]


def test_a_reason_never_has_the_key_of_an_option():
    criterion = make_criterion("c", (None,) * 12)
    reasons = tuple(ExplanationSpec(at, f"r{at}", "abc"[at], "Because.", "") for at in range(3))
    options = tuple(replace(option, explanations=reasons) for option in criterion.options)
    choices = choices_of(replace(criterion, options=options))
    assert [choice.key for choice in choices][-2:] == ["a", "b"]
    assert [key for key, _ in choices[0].reasons] == ["c", "d", "e"]
    assert choices[0].own_reason == "h"


def test_where_there_are_more_options_than_keys_the_last_have_none():
    keys = [choice.key for choice in choices_of(make_criterion("c", (None,) * 60))]
    assert len(set(keys[:54])) == 54
    assert keys[54:] == [""] * 6
