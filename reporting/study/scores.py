"""Score answers, and arrange them to compare sources."""

from dataclasses import dataclass

import numpy as np

from annotation.agreement_cells import alpha_options, places_of
from measures.arrays import FloatArray, IntArray
from measures.mixed.design import Ratings, codes_of
from protocols.models import Criterion, Option
from protocols.specs import CriterionSpec
from reporting.study.votes import CriterionVotes

MEAN_SCORE = "mean_score"
POSITIVE_SHARE = "positive_share"
NO_NUMBERS, NO_RATINGS = "no_numbers", "no_ratings"


@dataclass(frozen=True, slots=True)
class Scale:
    """`worth` has the (K,) scores of the options, NaN for an answer that counts as missing."""

    score: str
    worth: FloatArray

    @property
    def ends(self) -> tuple[float, float]:
        return float(np.nanmin(self.worth)), float(np.nanmax(self.worth))


@dataclass(frozen=True, slots=True)
class Moments:
    """Mean, sample standard deviation (n - 1) and median of `n_numbers` answers, in points of the scale.

    A value is None if there are too few answers; `reason` says why there is no mean.
    """

    mean: float | None
    sd: float | None
    median: float | None
    n_numbers: int
    reason: str | None


def scale_of(criterion: CriterionSpec) -> Scale | None:
    """Return the numbers of the scale, or 1 for positive and 0 for other answers; None if neither is declared."""
    none = set(places_of(criterion, Option.Role.EXCLUDING))
    numbers = numbers_of(criterion)
    if numbers is not None:
        return Scale(MEAN_SCORE, numbers)
    positive = places_of(criterion, Option.Role.POSITIVE)
    if not positive:
        return None
    worth = [np.nan if at in none else float(at in positive) for at in range(len(criterion.options))]
    return Scale(POSITIVE_SHARE, np.array(worth))


def numbers_of(criterion: CriterionSpec) -> FloatArray | None:
    """Return the (K,) numbers of an ordinal or interval scale, NaN for unsure and excluding options; or None."""
    if criterion.scale == Criterion.Scale.NOMINAL:
        return None
    none = {*places_of(criterion, Option.Role.EXCLUDING), *alpha_options(criterion)[0]}
    values = [option.value for at, option in enumerate(criterion.options) if at not in none]
    if not values or None in values:
        return None
    found = [np.nan if at in none else option.value for at, option in enumerate(criterion.options)]
    return np.array(found, float)


def moments(criterion: CriterionSpec, votes: IntArray) -> Moments:
    """Return the moments of the numbers; unsure and excluding answers have none."""
    numbers = numbers_of(criterion)
    if numbers is None:
        return Moments(None, None, None, 0, NO_NUMBERS)
    known = ~np.isnan(numbers)
    values, times = numbers[known], votes[known]
    n = int(times.sum())
    if not n:
        return Moments(None, None, None, 0, NO_RATINGS)
    mean = float(values @ times) / n
    sd = float(np.sqrt(times @ (values - mean) ** 2 / (n - 1))) if n > 1 else None
    return Moments(mean, sd, weighted_median(values, times), n, None)


def weighted_median(values: FloatArray, times: IntArray) -> float:
    """Return the median of the values, each repeated `times` times; with an even number, the mean of the middle two."""
    order = np.argsort(values)
    ends, n = np.cumsum(times[order]), int(times.sum())
    lower, upper = np.searchsorted(ends, [(n - 1) // 2 + 1, n // 2 + 1])
    return float(values[order[lower]] + values[order[upper]]) / 2


def ratings_of(votes: CriterionVotes, scale: Scale, sources: list[int]) -> Ratings:
    """Return the answers about `sources` (ids) that have a score, whatever the design.

    The conversation of a rating is its group of dependent items. Its item is the dialogue, to which each source has a
    response; if a source has several responses to one dialogue, the response.
    """
    of = votes.items
    source = _place(of.source[votes.item], np.array(sources))
    usable = np.flatnonzero((source >= 0) & ~np.isnan(scale.worth[votes.code]))
    # The database returns answers in any order, and sums in another order differ in the last digits.
    at = votes.item[usable]
    usable = usable[np.lexsort((votes.annotator[usable], source[usable], of.dialogue[at], of.groups[at]))]
    rows, source = votes.item[usable], source[usable]
    rated = np.unique(rows)
    response = np.where(of.candidate > 0, of.candidate, -of.dialogue)
    one_each = len(np.unique(response[rated])) <= len(np.unique(codes_of(of.dialogue[rated], of.source[rated])))
    unit = of.dialogue if one_each else response
    return Ratings(
        source=source,
        annotator=codes_of(votes.annotator[usable]),
        conversation=codes_of(of.groups[rows]),
        item=codes_of(unit[rows]),
        value=scale.worth[votes.code[usable]],
    )


def _place(ids: IntArray, known: IntArray) -> IntArray:
    """Return the index of each id among the known ones, -1 for an unknown id."""
    order = np.argsort(known)
    at = np.minimum(np.searchsorted(known, ids, sorter=order), len(known) - 1)
    found = order[at]
    return np.where(known[found] == ids, found, -1)


def percent(part: float, whole: float) -> float | None:
    """Return `part` as a percentage of `whole`, with two decimals; None if `whole` is 0."""
    return round(100 * part / whole, 2) if whole else None
