"""Dialogues to deal, as arithmetic sees them: ids, and the pairs to compare."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple


class Pair(NamedTuple):
    """Two candidates, or two whole dialogues, in the order of their sources, which is that of their stored answers."""

    first: int
    second: int
    is_identical: bool
    is_whole: bool


@dataclass(slots=True)
class Card:
    """A dialogue to deal. `candidates` are (candidate, source) ids; empty if whole dialogues are rated.

    `source` is that of the whole dialogue. A card of a scenario stands for dialogues to compare with each other: these
    are then its `candidates`. Afterwards each of their pairs has a card.
    """

    dialogue: int
    batch_key: str
    conversation: str
    source: int | None
    scenario: str = ""
    stratum: Any = None
    is_last: bool = True  # of its conversation: questions about the whole dialogue are asked here
    is_scenario: bool = False
    candidates: list[tuple[int, int]] = field(default_factory=list)
    pairs: list[Pair] = field(default_factory=list)  # to compare

    @property
    def sources(self) -> list[int]:
        return sorted({source for _, source in self.candidates})

    @property
    def is_matched(self) -> bool:
        """Return whether the whole dialogue can be compared with others of its scenario."""
        return self.source is not None and self.scenario != ""
