"""What stands beside a dialogue or above a response for annotators to read: facts, documents, instructions."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from annotation.models import Candidate, Dialogue


@dataclass(frozen=True, slots=True)
class ContextPanel:
    """A text under a title, or numbered facts. Facts without a title are those about the speaker."""

    title: str
    text: str = ""
    facts: tuple[str, ...] = ()


def context_of(dialogue: Dialogue | None) -> tuple[ContextPanel, ...]:
    """Return the facts about the speaker, then the dialogue's context. Nothing else of its metadata is shown."""
    if dialogue is None:
        return ()
    return context_beside(dialogue.metadata, dialogue.context)


def context_beside(metadata: Mapping[str, Any], context: Iterable[Mapping[str, Any]]) -> tuple[ContextPanel, ...]:
    facts = persona_of(metadata)
    return (*((ContextPanel("", facts=tuple(facts)),) if facts else ()), *context_in(context))


def context_above(candidate: Candidate) -> tuple[ContextPanel, ...]:
    return context_in(candidate.context)


def context_in(context: Iterable[Mapping[str, Any]]) -> tuple[ContextPanel, ...]:
    return tuple(ContextPanel(each["title"], each["text"]) for each in context)


def persona_of(metadata: Mapping[str, Any]) -> list[str]:
    """Return the facts in the field `persona` of a dialogue's metadata."""
    facts = metadata.get("persona", [])
    return [str(fact) for fact in facts] if isinstance(facts, list) else [str(facts)]
