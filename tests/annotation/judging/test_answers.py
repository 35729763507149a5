"""What counts as an answer of a model: what names one option, and nothing else."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.judges.prompts import parse_answer
from protocols.specs import CriterionSpec, OptionSpec


def option(at: int, key: str, label: str) -> OptionSpec:
    return OptionSpec(at, key, str(at), label, "", "neutral", None, "nothing", ())


CRITERION = CriterionSpec(
    1,
    "c",
    "C",
    "?",
    "",
    "nominal",
    (option(1, "good", "Very good"), option(2, "bad", "Not good"), option(3, "2", "Two")),
)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('{"answer": "good"}', "good"),
        ('{"answer": "GOOD "}', "good"),
        ('{"answer": "Not good", "why": "because"}', "bad"),
        ('{"answer": 2}', "2"),
        ('```json\n{"answer": "bad"}\n```', "bad"),
        ('Let me think. The answer is {"answer": "good"}.', "good"),
        ('{"answer": "good"} and again {"answer": "good"}', "good"),
        ("good", "good"),
        ("**Very good**.", "good"),
        ('"bad"', "bad"),
        ('{"answer": "good"} or {"answer": "bad"}', None),
        ('{"answer": "good"} or {"answer": "worse"}', None),
        ("It is good.", None),
        ("not good at all", None),
        ('{"answer": ["good"]}', None),
        ('{"answer": null}', None),
        ('{"answer": true}', None),
        ('{"verdict": "good"}', None),
        ('{"answer": "go', None),
        ("", None),
        ("{" * 5000, None),
    ],
)
def test_an_answer_is_taken_or_it_is_none(text, key):
    found = parse_answer(text, CRITERION)
    assert (found and found.key) == key


@given(st.text(max_size=200))
def test_no_text_is_guessed(text):
    found = parse_answer(text, CRITERION)
    assert found is None or found.key in text.casefold() or found.label.casefold() in text.casefold()


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(),
        lambda each: st.lists(each) | st.dictionaries(st.text(), each),
    )
)
def test_no_json_breaks_it(value):
    parse_answer(json.dumps({"answer": value}), CRITERION)
    parse_answer(json.dumps(value), CRITERION)
