"""Choose one label for each item from the answers of several annotators. The rule is printed with the data set."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from protocols.models import Option
from protocols.specs import CriterionSpec, OptionSpec
from qualification.adjudication.selectors.disagreements import GivenAnswer, Settled
from qualification.models import Disagreement
from reporting.exports.cursors import RatingRow

Answer = RatingRow | GivenAnswer
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
    "Where two had to agree and did not, the answer settled at the re-rating or by a trainer is the label, "
    "with the reasons, turns and other answers that were given together with it; votes are those of the first look."
)
REASON_RULE = (
    "A reason, or a marked turn, is taken over when at least half of the annotators who gave the label gave it."
)
AGREEMENT, MAJORITY, TIE_RULE = "agreement", "majority", "tie_rule"
DECIDED_BY = {
    AGREEMENT: "all votes are equal",
    MAJORITY: "the answer with the most votes",
    TIE_RULE: "the lowest of tied answers",
    Disagreement.How.RE_RATING: "both agreed at the re-rating",
    Disagreement.How.ADJUDICATED: "a trainer settled it",
    Disagreement.How.REPLACED: "both agreed after one of them was replaced",
}


@dataclass(frozen=True, slots=True)
class Label:
    """The label of an item. `decided_by` is one of DECIDED_BY.

    `backing` has all answers about the item from the annotators who gave the label.
    """

    outcome: Outcome
    option: OptionSpec | None = None
    backing: Sequence[Answer] = ()
    votes: dict[str, int] | None = None
    decided_by: str = ""

    @property
    def n_voters(self) -> int:
        return len({row.assignment_id for row in self.backing})


def label_of(criterion: CriterionSpec, rows: Sequence[Answer], ties: str, settled: Settled | None = None) -> Label:
    """Return the label of an item from all counted answers about it; `settled` replaces the vote."""
    own = [row for row in rows if row.criterion_id == criterion.id and row.option_id is not None]
    counts = Counter(row.option_id for row in own)
    if not counts:
        return Label("unrated")
    votes = {option.key: counts[option.id] for option in criterion.options if counts[option.id]}
    if settled and (answer := criterion.option_of(settled.option_id)) is not None:
        if answer.role == Option.Role.EXCLUDING:
            return Label("excluded", votes=votes)
        return Label("kept", answer, settled.answers, votes, settled.how)
    kept = [option for option in criterion.options if option.role != Option.Role.EXCLUDING]
    most = max((counts[option.id] for option in kept), default=0)
    n_excluding = len(own) - sum(counts[option.id] for option in kept)
    if n_excluding and n_excluding >= most:
        return Label("excluded", votes=votes)
    best = [option for option in kept if counts[option.id] == most]
    if len(best) > 1 and ties == "leave_out":
        return Label("tied", votes=votes)
    chosen = best[-1]
    if all(option.value is not None for option in best):
        chosen = min(best, key=lambda option: option.value or 0)
    voters = {row.assignment_id for row in own if row.option_id == chosen.id}
    how = AGREEMENT if len(votes) == 1 else MAJORITY if len(best) == 1 else TIE_RULE
    return Label("kept", chosen, [row for row in rows if row.assignment_id in voters], votes, how)


def shared_by_half(given: Iterable[Iterable[int]], n_voters: int) -> list[int]:
    """Return what at least half of the voters gave, sorted by id or number."""
    counts = Counter(each for one in given for each in set(one))
    return sorted(each for each, n in counts.items() if 2 * n >= n_voters)
