"""Count the annotators that two sources share. Without any, a difference may be one between people, not sources."""

from dataclasses import dataclass

import numpy as np

from measures.mixed.design import ANNOTATOR, Ratings

# Of the annotators of either source: with a smaller share of them in common, the difference is warned of.
FEWEST_IN_COMMON = 1 / 3


@dataclass(frozen=True, slots=True)
class SharedAnnotators:
    """The numbers of annotators who rated the first source, the second, and both."""

    a: int
    b: int
    both: int

    @property
    def are_few(self) -> bool:
        return self.both < FEWEST_IN_COMMON * max(self.a, self.b)


def shared_annotators(ratings: Ratings, first: int, second: int) -> SharedAnnotators | None:
    """Return the annotators of two sources; None where annotators are unknown, or every rating has one of its own."""
    if ratings.annotator is None or ratings.n_groups(ANNOTATOR) == len(ratings):
        return None
    a, b = (np.unique(ratings.annotator[ratings.source == source]) for source in (first, second))
    return SharedAnnotators(len(a), len(b), len(np.intersect1d(a, b)))
