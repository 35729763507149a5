"""An estimate: a number with what readers need to judge it."""

import math
from dataclasses import dataclass, replace

import numpy as np

from measures.arrays import FloatArray

NO_PAIRS = "no_pairs"
NO_VARIATION = "no_variation"
TOO_FEW_ITEMS = "too_few_items"
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
        numbers = (self.value, self.low, self.high, self.standard_error)
        if not all(number is None or math.isfinite(number) for number in numbers):
            raise ValueError("an estimate is never NaN or infinite")

    @classmethod
    def mean_of_pairs(cls, values: FloatArray) -> "Estimate":
        """Return the mean over pairs of annotators, without the undefined ones (NaN), which `n_undefined` counts.

        Undefined: 'no_pairs' if there are none; 'no_variation' if all are undefined.
        """
        defined = values[np.isfinite(values)]
        undefined = len(values) - len(defined)
        if not len(defined):
            return cls(None, NO_VARIATION if undefined else NO_PAIRS, n_undefined=undefined)
        return cls(float(defined.mean()), n_pairs=len(defined), n_undefined=undefined)

    def with_interval(self, low: float | None, high: float | None, note: str | None = None) -> "Estimate":
        """Return the estimate with these limits; if both are None, `note` says why there is no interval."""
        return replace(self, low=low, high=high, interval_note=note)
