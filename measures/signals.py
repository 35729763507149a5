"""Two small tests for signals about annotators: a lasting drop, and answers that hardly vary.

Sources: Newcombe 1998, Stat. Med. 17:873, method 10 (difference of two proportions from their Wilson limits);
the lower tail of the binomial distribution.
"""

import math

from measures.estimate import TOO_FEW_ITEMS, Estimate
from measures.intervals import wilson


def share_difference(first: int, n_first: int, second: int, n_second: int, *, level: float = 0.95) -> Estimate:
    """Return the first share minus the second, of independent samples, with Newcombe's interval.

    Parameters
    ----------
    first, n_first, second, n_second : int
        Successes and trials of both.
    level : float
        Two-sided confidence.

    Returns
    -------
    Estimate
        Undefined: 'too_few_items' if one of the samples is empty. `n_items` is the number of all trials.
    """
    a, b = wilson(first, n_first, level), wilson(second, n_second, level)
    if a.low is None or a.high is None or b.low is None or b.high is None:
        return Estimate(None, TOO_FEW_ITEMS)
    p, q = first / n_first, second / n_second
    low = p - q - math.hypot(p - a.low, b.high - q)
    high = p - q + math.hypot(a.high - p, q - b.low)
    return Estimate(p - q, low=low, high=high, n_items=n_first + n_second)


def lower_tail(successes: int, n: int, share: float) -> float:
    """Return the probability of `successes` or fewer in `n` independent trials that each succeed with `share`."""
    if not 0 <= share <= 1 or not 0 <= successes <= n:
        raise ValueError("0 <= successes <= n, and the share lies in 0..1")
    return min(1.0, math.fsum(math.comb(n, k) * share**k * (1 - share) ** (n - k) for k in range(successes + 1)))
