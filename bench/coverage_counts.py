"""Counts of intervals that hold the true value, and their Monte-Carlo error."""

from __future__ import annotations

import math
from dataclasses import dataclass

from measures.estimate import Estimate
from measures.intervals import Interval

NOMINAL = 0.95

Numbers = Estimate | Interval


@dataclass(frozen=True, slots=True)
class Coverage:
    """The studies whose interval holds the truth (`covered`), and those that show one without a mark (`plain`)."""

    n: int = 0
    covered: int = 0
    plain: int = 0
    plain_covered: int = 0

    def __add__(self, other: Coverage) -> Coverage:
        pairs = zip(self._counts, other._counts, strict=True)
        return Coverage(*(mine + theirs for mine, theirs in pairs))

    @property
    def _counts(self) -> tuple[int, ...]:
        return self.n, self.covered, self.plain, self.plain_covered

    @property
    def share(self) -> float:
        """No interval is a miss: who reads one must know that it is there."""
        return self.covered / self.n

    @property
    def of_plain(self) -> float | None:
        return self.plain_covered / self.plain if self.plain else None


def monte_carlo_error(share: float, n: int) -> float:
    """Two standard errors of a simulated share."""
    return 2 * math.sqrt(share * (1 - share) / n)


def holds(found: Numbers, truth: float) -> bool:
    return found.low is not None and found.high is not None and found.low <= truth <= found.high
