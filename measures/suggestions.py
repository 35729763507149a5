"""Suggestions from a pilot for the main work: the minutes of a batch and the pay for them."""

import math
from decimal import ROUND_UP, Decimal

STEP = 5  # minutes: a pilot of ten dialogues is not more precise
CENT = Decimal("0.01")


def minutes_of_batch(seconds_per_judgement: float, n_judgements: float, step: int = STEP) -> int:
    """Return the minutes for `n_judgements` at this median, rounded up to a multiple of `step`; at least one `step`.

    The median of skewed times is below their mean; rounding up compensates for this.
    """
    if seconds_per_judgement <= 0 or n_judgements <= 0:
        raise ValueError("a batch has judgements, and they take time")
    # 35.000000000000004 minutes count as 35.
    return max(step, math.ceil(round(seconds_per_judgement * n_judgements / 60 / step, 9)) * step)


def pay_of_minutes(minutes: int, hourly: Decimal) -> Decimal:
    """Return the pay, rounded up to the cent, so never below the chosen rate: 35 minutes at 8 an hour are 4.67."""
    return (hourly * minutes / 60).quantize(CENT, ROUND_UP)
