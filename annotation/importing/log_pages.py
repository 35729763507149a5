"""Cut the first conversations of a chat log into the pages that annotators will see under the study's protocol."""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from annotation.importing.shapes import ParsedDialogue
from protocols.models import ProtocolVersion

Unit = ProtocolVersion.Unit
MOST_CONVERSATIONS = 10
MOST_PAGES = 20  # of a conversation: more would not be read before an import


@dataclass(frozen=True, slots=True)
class Page:
    """A page by its number. The first `n_known` turns stood on the page before."""

    number: int
    n_known: int
    dialogue: ParsedDialogue


@dataclass(frozen=True, slots=True)
class Pages:
    """The pages of one conversation: those shown here, how many there are, and the turns without a question."""

    key: str
    shown: Sequence[Page]
    n_pages: int
    n_unasked: int

    @property
    def n_left_out(self) -> int:
        return self.n_pages - len(self.shown)


def first_conversations(dialogues: Iterable[ParsedDialogue], units: Sequence[str]) -> Iterator[Pages]:
    conversations = itertools.groupby(dialogues, lambda dialogue: dialogue.conversation)
    for key, turns in itertools.islice(conversations, MOST_CONVERSATIONS):
        yield pages_of(key, list(turns), units)


def pages_of(key: str, turns: Sequence[ParsedDialogue], units: Sequence[str]) -> Pages:
    """Return the first pages of a conversation, and its last one, where the whole dialogue is rated."""
    asked = [as_asked(turn, units) for turn in turns if is_asked(turn, units, is_last=turn is turns[-1])]
    known = [0, *(len(turn.turns) for turn in asked)]
    pages = [Page(number, known[number - 1], turn) for number, turn in enumerate(asked, start=1)]
    shown = [page for page in pages if page.number <= MOST_PAGES or not page.dialogue.candidates]
    return Pages(key, shown, len(pages), len(turns) - len(asked))


def is_asked(dialogue: ParsedDialogue, units: Sequence[str], *, is_last: bool) -> bool:
    """Return whether the protocol has a question for a turn of a conversation."""
    if not units or (dialogue.candidates and set(units) - {Unit.DIALOGUE}):
        return True
    is_matched = bool(dialogue.source and dialogue.scenario)
    return (Unit.DIALOGUE in units and is_last) or (Unit.COMPARISON in units and is_matched)


def as_asked(dialogue: ParsedDialogue, units: Sequence[str]) -> ParsedDialogue:
    """Return the dialogue without its responses if the protocol asks only about whole dialogues: nobody sees them."""
    return replace(dialogue, candidates=[]) if {*units} == {Unit.DIALOGUE} else dialogue
