"""Panels: what a file gives annotators to read beside a dialogue or above a response."""

import pytest

from annotation.models import Candidate, Study
from tests.annotation.importing.conftest import Write, dialogue, errors_of, load

FACT = {"title": "Fact", "text": "Bees can count."}
OTHER = {"title": "Fact", "text": "Bees cannot count."}


def with_context(*panels: object, **fields: object) -> dict:
    return dialogue(context=list(panels), **fields)


def test_panels_of_a_dialogue_and_of_a_response_are_kept_apart_from_metadata(study: Study, write: Write) -> None:
    candidates = [{"source": "bot", "text": "Yes.", "context": [FACT]}]
    load(study, write(with_context(OTHER, candidates=candidates)))
    stored, candidate = study.dialogues.get(), Candidate.objects.get()
    assert (stored.context, candidate.context) == ([OTHER], [FACT])
    assert "context" not in stored.metadata
    assert "context" not in candidate.metadata


def test_line_breaks_and_backslashes_come_through(study: Study, write: Write) -> None:
    text = 'a\\b\n"c"\t\r\nd'
    load(study, write(with_context({"title": "T", "text": text})))
    assert study.dialogues.get().context == [{"title": "T", "text": 'a\\b\n"c"\t\nd'}]


@pytest.mark.parametrize("value", ["in the kitchen", [], ["a", "b"], {"a": 1}, 3])
def test_a_context_of_another_form_stays_metadata(study: Study, write: Write, value: object) -> None:
    load(study, write(dialogue(context=value)))
    stored = study.dialogues.get()
    assert (stored.context, stored.metadata["context"]) == ([], value)


@pytest.mark.parametrize(
    ("panel", "field", "reason"),
    [
        ({"title": "Fact"}, "context[1].text", "is missing"),
        ({"text": "Bees."}, "context[1].title", "is missing"),
        ({"title": " ", "text": "Bees."}, "context[1].title", "is empty"),
        ({"title": "F" * 201, "text": "Bees."}, "context[1].title", "is longer than 200 characters"),
        ({"title": "Fact", "text": ["Bees."]}, "context[1].text", "must be text, not a list"),
        (
            {"title": "Fact", "text": "Bees.", "image": "bee.png"},
            "context[1].image",
            "is not a part of a context panel, which has a title and a text",
        ),
        (
            {"title": "BOT", "text": "Bees."},
            "context",
            "'BOT' is the source of a candidate, and annotators would see it: name what the text is",
        ),
    ],
)
def test_a_panel_that_cannot_be_shown_is_refused(
    study: Study, write: Write, panel: dict, field: str, reason: str
) -> None:
    assert errors_of(load, study, write(with_context(FACT, panel))) == [(1, field, reason)]
    assert not study.dialogues.exists()


def test_too_many_panels_are_refused(study: Study, write: Write) -> None:
    assert errors_of(load, study, write(with_context(*[FACT] * 21))) == [
        (1, "context", "has more than 20 context panels")
    ]


@pytest.mark.parametrize(
    "change", [{"context": [OTHER]}, {"candidates": [{"source": "bot", "text": "Yes.", "context": [OTHER]}]}]
)
def test_the_same_dialogue_with_other_panels_is_another(study: Study, write: Write, change: dict) -> None:
    plain = dialogue("a", context=[FACT], candidates=[{"source": "bot", "text": "Yes.", "context": [FACT]}])
    load(study, write(plain))
    assert load(study, write(plain)).counts["dialogues_unchanged"] == 1
    [(line, field, reason)] = errors_of(load, study, write(plain | change))
    assert (line, field) == (1, "dialogue_id")
    assert "with different c" in reason
