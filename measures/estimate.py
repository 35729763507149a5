"""An estimate: a number with what readers need to judge it."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

NO_PAIRS = "no_pairs"
NO_VARIATION = "no_variation"
TOO_FEW_ITEMS = "too_few_items"
UNEQUAL_RATERS = "unequal_raters"
NO_SPREAD = "no_spread"
NO_STANDARD_ERROR = "no_standard_error"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A coefficient, or the reason why there is none.

    Attributes
    ----------
    value : float or None
        The coefficient; None when it is undefined.
    reason : str or None
        One of the constants of this module if `value` is None ('no_pairs': no item was rated twice;
        'no_variation': one answer only, so 0/0; ...), otherwise None.
    low, high : float or None
        Confidence limits; None when they cannot or should not be shown.
    interval_note : str or None
        Why the limits are missing ('too_few_items', 'rare_answers', 'no_spread', ...), or 'unreliable'.
    standard_error : float or None
        On the scale of `value`.
    n_items : int
        Items that enter the value: those with two or more ratings.
    n_left_out : int
        Items with a single rating.
    n_ratings : int
        Ratings on all of these items.
    n_pairs, n_undefined : int
        For means over parts (pairs of annotators, batches): parts averaged, and undefined parts left out.
    warnings : tuple of str
        Words to print beside the value, for example 'constant_rater'.
    """

    value: float | None
    reason: str | None = None
    low: float | None = None
    high: float | None = None
    interval_note: str | None = None
    standard_error: float | None = None
    n_items: int = 0
    n_left_out: int = 0
    n_ratings: int = 0
    n_pairs: int = 0
    n_undefined: int = 0
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if (self.value is None) == (self.reason is None):
            raise ValueError("an estimate has either a value or a reason")
        if (self.low is None) != (self.high is None):
            raise ValueError("an interval has two ends")
        if not all(math.isfinite(number) for number in self._numbers()):
            raise ValueError("an estimate is never NaN or infinite")

    def _numbers(self) -> Iterable[float]:
        return (x for x in (self.value, self.low, self.high, self.standard_error) if x is not None)

    def with_interval(self, low: float | None, high: float | None, note: str | None = None) -> "Estimate":
        """Return the estimate with these limits; if both are None, `note` says why there is no interval."""
        return replace(self, low=low, high=high, interval_note=note)


def mean_of_cells(cells: Iterable[Estimate]) -> Estimate:
    """Return the mean of the defined values, for example of the kappas of batches; undefined cells are counted.

    Notes
    -----
    `standard_error` is None: use :func:`spread_of_cells` for the SD over cells. The mean of small-batch kappas is
    biased low, so pages show it with the coefficient of the pooled items, each with its label.
    """
    found = list(cells)
    values = [cell.value for cell in found if cell.value is not None]
    sums: dict[str, Any] = {
        "n_items": sum(cell.n_items for cell in found),
        "n_left_out": sum(cell.n_left_out for cell in found),
        "n_ratings": sum(cell.n_ratings for cell in found),
        "n_pairs": len(values),
        "n_undefined": len(found) - len(values),
    }
    if values:
        return Estimate(math.fsum(values) / len(values), **sums)
    return Estimate(None, next((cell.reason for cell in found if cell.reason), NO_PAIRS), **sums)


def spread_of_cells(cells: Iterable[Estimate]) -> float | None:
    """Return the sample standard deviation (n - 1) of the defined values; None for fewer than two."""
    values = [cell.value for cell in cells if cell.value is not None]
    if len(values) < 2:
        return None
    mean = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))
