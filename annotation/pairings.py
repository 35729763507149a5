"""Counts of the answers to comparisons, as a cell stores them: integers that add, by pair of sources and by sides."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from protocols.specs import CriterionSpec

AGAIN = "again"
SIDES = {True: "swapped", False: "plain", None: "unknown"}


class Vote(NamedTuple):
    """An answer: the sources of the pair in its order, the option by candidate, and whether the sides were swapped."""

    first: int
    second: int
    option: int
    is_swapped: bool | None  # None: imported, so nobody knows


class Repetition(NamedTuple):
    """The options of one annotator, by candidate, for a pair and for the same pair with its sides swapped."""

    option: int
    again: int


@dataclass(frozen=True, slots=True)
class Pairings:
    votes: dict[Vote, int]
    repetitions: dict[Repetition, int]

    @classmethod
    def from_json(cls, stored: Mapping[str, int]) -> "Pairings":
        votes: dict[Vote, int] = {}
        repetitions: dict[Repetition, int] = {}
        sides = {name: side for side, name in SIDES.items()}
        for key, n in stored.items():
            kind, *rest = key.split(":")
            if kind == AGAIN:
                option, again = map(int, rest)
                repetitions[Repetition(option, again)] = n
            else:
                first, second, option = map(int, rest)
                votes[Vote(first, second, option, sides[kind])] = n
        return cls(votes, repetitions)


def compares_several(counts: Iterable[Mapping[str, int]]) -> bool:
    """Return whether the answers compare more than two sources. `counts` are what cells store."""
    votes = (vote for each in counts for vote in Pairings.from_json(each).votes)
    return len({source for vote in votes for source in vote[:2]}) > 2


def in_orders_of(criterion: CriterionSpec, counts: Iterable[Mapping[str, int]]) -> CriterionSpec:
    """Return the criterion with the orders in which its agreement is computed. `counts` are what its cells store.

    An answer is for the first or the second of two sources. With two sources these are always the same. With more, a
    source is the first of one pair and the second of another: how often "first" is chosen depends on the order of the
    sources, and agreement by chance may not. Answers then count in both orders, half each.
    """
    return replace(criterion, in_both_orders=compares_several(counts))


def vote_key(first: int, second: int, option: int, is_swapped: bool | None) -> str:
    return f"{SIDES[is_swapped]}:{first}:{second}:{option}"


def repetition_key(option: int, again: int) -> str:
    return f"{AGAIN}:{option}:{again}"
