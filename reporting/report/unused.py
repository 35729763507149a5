"""Count the answers that no mean uses, and those that count as not positive because they are unsure."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from annotation.agreement_cells import places_of
from protocols.models import Option
from protocols.specs import CriterionSpec
from reporting.study.scores import POSITIVE_SHARE, Scale
from reporting.study.votes import CriterionVotes

EXCLUDING, UNSURE, NO_SOURCE_NAMED = "excluding", "unsure", "no_source"
UNUSED_REASONS = (NO_SOURCE_NAMED, EXCLUDING, UNSURE)


@dataclass(frozen=True, slots=True)
class Unused:
    """Answers without a score, by reason."""

    reason: str
    n: int


def unused_answers(
    criterion: CriterionSpec, votes: CriterionVotes, scale: Scale, sources: list[int]
) -> Iterable[Unused]:
    """Yield the numbers of answers that no mean uses; each answer has one reason."""
    is_named = np.isin(votes.items.source[votes.item], sources)
    is_excluding = np.isin(votes.code, places_of(criterion, Option.Role.EXCLUDING))
    has_none = np.isnan(scale.worth[votes.code])
    counts = {
        NO_SOURCE_NAMED: ~is_named,
        EXCLUDING: is_named & is_excluding,
        UNSURE: is_named & has_none & ~is_excluding,
    }
    for reason, chosen in counts.items():
        if chosen.any():
            yield Unused(reason, int(chosen.sum()))


def n_unsure_not_positive(criterion: CriterionSpec, votes: CriterionVotes, scale: Scale, sources: list[int]) -> int:
    """Return how many answers of a mean are unsure and score 0, as any answer that is not positive."""
    is_named = np.isin(votes.items.source[votes.item], sources)
    is_unsure = np.isin(votes.code, places_of(criterion, Option.Role.UNSURE))
    return int((is_named & is_unsure & (scale.worth[votes.code] == 0)).sum()) if scale.score == POSITIVE_SHARE else 0
