"""Does a judge tell items apart? Where people nearly always give one answer, a judge that knows no other wins too.

The alternative annotator test counts how often the judge says what people say. If 295 of 300 items are fine, a judge
that calls 299 of them fine passes it, whichever one it picks out. Its agreement beyond chance shows the difference.
"""

from dataclasses import dataclass

import numpy as np

from measures.estimate import NO_SPREAD, Estimate
from measures.intervals import RARE_SHARE
from measures.machines.ceiling import NOMINAL, agreement_beyond_chance
from measures.machines.judged import Judged


@dataclass(frozen=True, slots=True)
class Telling:
    """How far the judge tells items apart, on the items that people rated and it answered.

    `beyond_chance` is kappa (nominal) or Pearson's correlation (interval) against one other vote. The judge gives its
    most frequent answer to `n_same` of `n_items` items. Of `n_votes` of people, `n_rare` are not their most frequent
    answer, and the judge matches `n_matched` of these. `is_label`: whether matching is a question to ask.
    """

    beyond_chance: Estimate
    n_items: int
    n_same: int
    n_votes: int
    n_rare: int
    n_matched: int
    is_label: bool

    @property
    def is_told_from_chance(self) -> bool:
        """Return whether the whole interval is above 0, or the value if leaving out any conversation keeps it."""
        found = self.beyond_chance
        if found.low is not None:
            return found.low > 0
        return found.interval_note == NO_SPREAD and found.value is not None and found.value > 1e-9

    @property
    def is_lopsided(self) -> bool:
        """Return whether the other answers of people are so few that the test hardly depends on them."""
        return self.is_label and self.n_rare < RARE_SHARE * self.n_votes


def telling_of(judged: Judged, scale: str) -> Telling:
    """Return how far the judge tells items apart; `scale` is 'nominal' or 'interval'."""
    used = judged.rated_by(1)
    votes, counts = np.unique(used.value, return_counts=True)
    said = np.unique(used.judge, return_counts=True)[1]
    is_rare = used.value != votes[counts.argmax()] if len(votes) else np.zeros(0, bool)
    is_match = used.value == used.judge[used.item]
    return Telling(
        agreement_beyond_chance(judged, scale),
        used.n_items,
        int(said.max(initial=0)),
        len(used.value),
        int(is_rare.sum()),
        int((is_rare & is_match).sum()),
        scale == NOMINAL or len(np.union1d(votes, used.judge)) <= 2,
    )
