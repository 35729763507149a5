import numpy as np
import pytest

from measures.mixed.design import LeftOut, Ratings, told_apart


def ratings(source: list[int], annotator: list[int] | None, conversation: list[int], item: list[int]) -> Ratings:
    who = None if annotator is None else np.array(annotator)
    return Ratings(np.array(source), who, np.array(conversation), np.array(item), np.arange(float(len(source))))


def crossed(conversations: int = 4, turns: int = 1, sources: int = 2, annotators: int = 3) -> dict[str, np.ndarray]:
    c, t, s, a = (each.ravel() for each in np.indices((conversations, turns, sources, annotators)))
    return {"conversation": c, "item": t, "source": s, "annotator": a, "value": np.arange(float(len(c)))}


def test_turns_that_all_sources_answer_and_several_rate_have_every_effect() -> None:
    effects, left_out = told_apart(Ratings(**crossed(turns=2)))
    assert effects == (
        "annotator", "annotator_source", "conversation", "conversation_source", "item", "item_source"
    )  # fmt: skip
    assert left_out == ()


def test_without_turns_items_are_conversations() -> None:
    effects, left_out = told_apart(Ratings(**crossed()))
    assert effects == ("annotator", "annotator_source", "conversation", "conversation_source")
    assert left_out == (
        LeftOut("item", "same_groups", "conversation"),
        LeftOut("item_source", "same_groups", "conversation_source"),
    )


def test_one_rating_of_a_candidate_is_the_residual() -> None:
    cells = crossed(annotators=1, turns=2) | {"annotator": np.arange(16) % 3}
    effects, left_out = told_apart(Ratings(**cells))
    assert "item_source" not in effects
    assert LeftOut("item_source", "residual") in left_out


def test_whole_dialogues_of_one_source_each_have_no_effect_by_source() -> None:
    cells = crossed(conversations=6)
    own = cells["source"] == cells["conversation"] % 2
    effects, left_out = told_apart(Ratings(**{name: each[own] for name, each in cells.items()}))
    assert effects == ("annotator", "annotator_source", "conversation")
    assert LeftOut("conversation_source", "same_groups", "conversation") in left_out


def test_one_annotator_says_nothing_of_others() -> None:
    _, left_out = told_apart(Ratings(**crossed(annotators=1, turns=2)))
    assert LeftOut("annotator", "single_group") in left_out
    assert LeftOut("annotator_source", "confounded_with_source") in left_out


def test_an_annotator_for_each_rating_is_the_residual() -> None:
    cells = crossed() | {"annotator": np.arange(24)}
    effects, left_out = told_apart(Ratings(**cells))
    assert effects == ("conversation", "conversation_source")
    assert {each.reason for each in left_out if each.effect.startswith("annotator")} == {"residual"}


def test_annotators_that_are_not_known_are_named_so() -> None:
    _, left_out = told_apart(Ratings(**crossed() | {"annotator": None}))
    assert LeftOut("annotator", "not_identified") in left_out


def test_an_item_of_another_conversation_is_another_item() -> None:
    cells = crossed(turns=2)
    renamed = cells | {"item": cells["item"] + 2 * cells["conversation"]}
    assert told_apart(Ratings(**renamed)) == told_apart(Ratings(**cells))


def test_values_must_be_finite_and_columns_of_one_length() -> None:
    with pytest.raises(ValueError, match="finite"):
        Ratings(**crossed() | {"value": np.full(24, np.nan)})
    with pytest.raises(ValueError, match="a rating has"):
        Ratings(**crossed() | {"item": np.zeros(3, int)})
