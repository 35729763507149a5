"""One label for each item, from the answers of several annotators. The rule is printed with the data set."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from protocols.models import Criterion, Option
from protocols.specs import CriterionSpec, OptionSpec, VersionSpec
from reporting.exports.cursors import RatingRow

Outcome = Literal["kept", "excluded", "tied", "unrated"]
RULE = (
    "The label of an item is the answer that most of its annotators gave. Answers that exclude an item (role "
    "excluding) count together and win a tie: such an item is left out."
)
TIE_RULES = {
    "leave_out": "An item whose most frequent answers are tied is left out.",
    "lower": "Of tied answers the one with the lowest number is taken; without numbers, the last in the protocol.",
}
SETTLED_RULE = (
    "Where two had to agree and did not, the answer that was settled at the second look or by a trainer is the label; "
    "votes are those of the first look."
)
REASON_RULE = (
    "A reason, or a marked turn, is taken over when at least half of the annotators who gave the label gave it."
)


@dataclass(frozen=True, slots=True)
class Label:
    """`voters`: the assignments whose annotators gave the label."""

    outcome: Outcome
    option: OptionSpec | None = None
    voters: frozenset[int] = frozenset()
    votes: dict[str, int] | None = None


def label_criterion(spec: VersionSpec, wanted: str = "") -> CriterionSpec | None:
    """The named one; else the first that can exclude items, the first with a scale, the first of all."""
    voted = spec.voted
    if wanted:
        return next((each for each in voted if each.key == wanted), None)
    excluding = (each for each in voted if any(option.role == Option.Role.EXCLUDING for option in each.options))
    scaled = (each for each in voted if each.scale != Criterion.Scale.NOMINAL)
    return next(excluding, None) or next(scaled, None) or next(iter(voted), None)


def label_of(criterion: CriterionSpec, rows: Iterable[RatingRow], ties: str, settled: int | None = None) -> Label:
    """Of counted answers; those to other criteria are passed over. `settled`: the option in the place of the votes."""
    own = [row for row in rows if row.criterion_id == criterion.id and row.option_id is not None]
    counts = Counter(row.option_id for row in own)
    if not counts:
        return Label("unrated")
    votes = {option.key: counts[option.id] for option in criterion.options if counts[option.id]}
    if (answer := criterion.option_of(settled)) is not None:
        return _settled(answer, own, votes)
    kept = [option for option in criterion.options if option.role != Option.Role.EXCLUDING]
    most = max((counts[option.id] for option in kept), default=0)
    n_excluding = len(own) - sum(counts[option.id] for option in kept)
    if n_excluding and n_excluding >= most:
        return Label("excluded", votes=votes)
    best = [option for option in kept if counts[option.id] == most]
    if len(best) > 1 and ties == "leave_out":
        return Label("tied", votes=votes)
    chosen = _lowest(best)
    voters = frozenset(row.assignment_id for row in own if row.option_id == chosen.id)
    return Label("kept", chosen, voters, votes)


def _settled(answer: OptionSpec, rows: Iterable[RatingRow], votes: dict[str, int]) -> Label:
    if answer.role == Option.Role.EXCLUDING:
        return Label("excluded", votes=votes)
    voters = frozenset(row.assignment_id for row in rows if row.option_id == answer.id)
    return Label("kept", answer, voters, votes)


def _lowest(options: Sequence[OptionSpec]) -> OptionSpec:
    if all(option.value is not None for option in options):
        return min(options, key=lambda option: option.value or 0)
    return options[-1]


def shared_by_half(given: Iterable[Iterable[int]], n_voters: int) -> list[int]:
    """What at least half of the voters gave, in the order of ids or numbers."""
    counts = Counter(each for one in given for each in set(one))
    return sorted(each for each, n in counts.items() if 2 * n >= n_voters)
